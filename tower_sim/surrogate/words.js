// The words that samplers draw from, and how they refuse what is not allowed. It is a part of each sampler's module: the
// generator is that of docs/surrogate.md.

const WORD = 4294967296; // 2^32
const GOLDEN = 0x9e3779b9;
const MOST_CUBES = 10000; // at a time, and of a game: a state may come from anybody

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

/** Return a seed of four words as a list; refuse what is none, and what is no number of a stream. */
function checkedFour(seed, stream) {
  const four = seed instanceof Uint32Array ? [...seed] : seed;
  checkFour("seed", four);
  whole("stream", stream, 0, WORD - 1);
  return four;
}

/** Return the four words that a stream begins with. */
function fourOf(seed, stream) {
  const [a, b, c, d] = checkedFour(seed, stream).map((word, i) => mixed((word + mixed((stream + GOLDEN * (i + 1)) >>> 0)) >>> 0));
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

// What is not allowed: a TypeError for a thing of the wrong kind, a RangeError for a value that is not allowed. The message
// begins with the field, such as state.cubes[3].floor, which is the error's `path` too.

/** Return the error for the field at `path`, which is `value`: what is allowed, and what to try. */
function refused(Kind, path, value, allowed, advice = "") {
  const error = new Kind(`${path} is ${shown(value)}; allowed is ${allowed}${advice && `; ${advice}`}`);
  return Object.assign(error, { path });
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
function short(text, most = 80) {
  return text.length > most ? `${text.slice(0, 50)}...${text.slice(-20)}` : text;
}

/** Refuse a value that is no whole number from `least` to `most`. */
function whole(path, value, least, most = Number.MAX_SAFE_INTEGER, advice = "") {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const from = least === Number.MIN_SAFE_INTEGER ? "" : ` from ${least}`;
  const to = { [WORD - 1]: " to 2^32 - 1", [Number.MAX_SAFE_INTEGER]: "" }[most] ?? ` to ${most}`;
  const Kind = typeof value === "number" ? RangeError : TypeError;
  throw refused(Kind, path, value, `a whole number${from}${to}`, advice);
}

/** Refuse a value that is no list. */
function list(path, value, of) {
  if (!Array.isArray(value)) throw refused(TypeError, path, value, `a list of ${of}`);
}

/** Refuse a value that is no object with keys. */
function object(path, value, allowed, advice = "") {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused(TypeError, path, value, allowed, advice);
  }
}

/** Refuse a value that is not one of some words. */
function oneOf(path, value, words_) {
  const Kind = typeof value === "string" ? RangeError : TypeError;
  if (!words_.includes(value)) throw refused(Kind, path, value, `one of ${short(words_.join(", "), 190)}`);
}

/** Refuse what is no four words. */
function checkFour(path, four) {
  const allowed = "four whole numbers from 0 to 2^32 - 1";
  list(path, four, allowed);
  if (four.length !== 4) throw refused(RangeError, path, four, `a list of ${allowed}`);
  for (const i of [0, 1, 2, 3]) whole(`${path}[${i}]`, four[i], 0, WORD - 1);
}

/** Refuse cubes that are no list of { id, ... }, or have a number twice; `seen` has the numbers of others. */
function checkCubes(path, value, form, seen = new Set()) {
  list(path, value, `cubes ${form}`);
  whole(`${path}.length`, value.length, 0, MOST_CUBES - seen.size, "throw fewer");
  for (const [i, cube] of value.entries()) {
    object(`${path}[${i}]`, cube, `a cube ${form}`);
    whole(`${path}[${i}].id`, cube.id, Number.MIN_SAFE_INTEGER);
    if (seen.has(cube.id)) throw refused(RangeError, `${path}[${i}].id`, cube.id, "a number that no other cube has");
    seen.add(cube.id);
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
