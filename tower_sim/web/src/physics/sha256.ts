// SHA-256 (FIPS 180-4) at once, where the browser's own makes one wait.

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);

/** Return the first 32 bits behind the point of a root of a prime, exactly. */
function rootBits(prime: number, root: number): number {
  const scaled = BigInt(prime) << BigInt(32 * root);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(root) <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn) | 0;
}

const CONSTANTS = primes.map((prime) => rootBits(prime, 3));
const BEGINNING = primes.slice(0, 8).map((prime) => rootBits(prime, 2));
const rotate = (x: number, by: number) => (x >>> by) | (x << (32 - by));

/** Return the SHA-256 of a text, hexadecimal. */
export function sha256(text: string): string {
  const data = new TextEncoder().encode(text);
  const bytes = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64);
  bytes.set(data);
  bytes[data.length] = 128;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(bytes.length - 4, data.length * 8);
  const state = [...BEGINNING];
  const words = new Int32Array(64);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [words[i - 15], words[i - 2]];
      const small = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      words[i] = words[i - 16] + small + words[i - 7] + (rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + CONSTANTS[i] + words[i]) | 0;
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = (state[i] + value) | 0));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
