// Seeds: what callers may give, and how numpy.random.SeedSequence mixes it.

/** Return a seed, a number up to 2^53 - 1, a bigint or digits, as a bigint below 2^128; null of anything else. */
export function seedOf(seed) {
  const isOne = typeof seed === "bigint" || Number.isSafeInteger(seed) || (typeof seed === "string" && /^\d{1,39}$/.test(seed));
  const number = isOne ? BigInt(seed) : -1n;
  return number >= 0n && number < 1n << 128n ? number : null;
}

/** Return the four words numpy.random.SeedSequence(seed).generate_state(4) of a whole number from 0, as text or number. */
export function seedWords(seed) {
  return spawnedWords(seed, [], 4);
}

/** Return the words of SeedSequence(seed, spawn_key=key).generate_state(count); `key` has whole numbers below 2^32. */
export function spawnedWords(seed, key, count) {
  const entropy = [];
  for (let rest = BigInt(seed); rest > 0n || !entropy.length; rest >>= 32n) entropy.push(Number(rest & 0xffffffffn));
  if (key.length) while (entropy.length < 4) entropy.push(0);
  entropy.push(...key);
  let constant = 0x43b0d7e5;
  const hashed = (value, factor) => {
    const x = value ^ constant;
    constant = Math.imul(constant, factor);
    const y = Math.imul(x, constant);
    return y ^ (y >>> 16);
  };
  const both = (x, y) => {
    const z = Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715);
    return z ^ ((z >>> 0) >>> 16);
  };
  const pool = [0, 1, 2, 3].map((i) => hashed(entropy[i] ?? 0, 0x931e8875));
  const into = (to, value) => (pool[to] = both(pool[to], hashed(value, 0x931e8875)));
  for (let from = 0; from < 4; from++) for (let to = 0; to < 4; to++) if (from !== to) into(to, pool[from]);
  for (const more of entropy.slice(4)) for (let to = 0; to < 4; to++) into(to, more);
  constant = 0x8b51f9dd;
  return Array.from({ length: count }, (_, i) => hashed(pool[i % 4], 0x58f38ded) >>> 0);
}
