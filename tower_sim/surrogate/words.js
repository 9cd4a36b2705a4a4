// The words that samplers draw from, and how they refuse what is not allowed. It is a part of each sampler's module: the
// generator is that of docs/surrogate_portable.md.

const WORD = 4294967296; // 2^32
const GOLDEN = 0x9e3779b9;

/** Return a word that depends on every bit of the word `x`: the finaliser of MurmurHash3. */
function mixed(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Return a function that gives the next word, a whole number from 0 to 2^32 - 1: xoshiro128**. */
export function words(seed, stream = 0) {
  return wordsFrom(fourOf(seed, stream));
}

/** Return the four words that a stream begins with. */
function fourOf(seed, stream) {
  const four = seed instanceof Uint32Array ? [...seed] : seed;
  if (!Array.isArray(four)) throw refused(TypeError, "seed", seed, "a list of four whole numbers from 0 to 2^32 - 1");
  if (four.length !== 4) throw refused(RangeError, "seed", seed, "a list of four whole numbers from 0 to 2^32 - 1");
  [0, 1, 2, 3].forEach((i) => whole(`seed[${i}]`, four[i], 0, WORD - 1));
  whole("stream", stream, 0);
  const number = stream % WORD;
  const [a, b, c, d] = four.map((word, i) => mixed((word + mixed((number + GOLDEN * (i + 1)) >>> 0)) >>> 0));
  return [a, b, c, (d | 1) >>> 0]; // not all of them 0
}

/** Return a function that gives the next word from a state of four words on; its `state()` is where it then stands. */
function wordsFrom([a, b, c, d]) {
  const word = () => {
    const x = Math.imul(b, 5);
    const found = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return found;
  };
  word.state = () => [a, b, c, d].map((each) => each >>> 0);
  return word;
}

// What is not allowed: a TypeError for a thing of the wrong kind, a RangeError for a value that is not allowed.

/** Return the error for `what`, which is `value`: what is allowed, and what to try. */
function refused(Kind, what, value, allowed, advice = "") {
  return new Kind(`${what} is ${shown(value)}; allowed is ${allowed}${advice && `; ${advice}`}`);
}

/** Return a value as it is written, on one line and not too long. */
function shown(value) {
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return short(`${value}n`);
  let text = typeof value === "number" ? String(value) : undefined;
  try {
    text ??= JSON.stringify(value) ?? String(value); // null for undefined, symbols and what has no form
  } catch {
    text = "an object that has no form in JSON";
  }
  return short(text);
}

/** Return a text, without its middle when it is long. */
function short(text) {
  return text.length > 80 ? `${text.slice(0, 50)}...${text.slice(-20)}` : text;
}

/** Refuse a value that is no whole number from `least` to `most`. */
function whole(what, value, least, most = Number.MAX_SAFE_INTEGER, advice = "") {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const from = least === Number.MIN_SAFE_INTEGER ? "" : ` from ${least}`;
  const to = { [WORD - 1]: " to 2^32 - 1", [Number.MAX_SAFE_INTEGER]: "" }[most] ?? ` to ${most}`;
  const Kind = typeof value === "number" ? RangeError : TypeError;
  throw refused(Kind, what, value, `a whole number${from}${to}`, advice);
}

/** Refuse a value that is no list. */
function list(what, value, of) {
  if (!Array.isArray(value)) throw refused(TypeError, what, value, `a list of ${of}`);
}

/** Refuse more cubes than any tower holds, before each is looked at: a state may come from anybody. */
function fewCubes(number) {
  if (number > 10000) throw refused(RangeError, "number of cubes", number, "up to 10000 at a time", "throw fewer");
}

/** Refuse a value that is no object with keys. */
function object(what, value, allowed) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused(TypeError, what, value, allowed);
  }
}

/** Return `word`, which then refuses to give anything but words. */
function checkedWords(word) {
  const advice =
    "Math.random gives fractions: pass words([1, 2, 3, 4]), or () => Math.floor(Math.random() * 4294967296)";
  if (typeof word !== "function") {
    throw refused(TypeError, "word", word, "a function that gives whole numbers from 0 to 2^32 - 1", advice);
  }
  return () => {
    const found = word();
    whole("a word drawn", found, 0, WORD - 1, advice);
    return found;
  };
}
