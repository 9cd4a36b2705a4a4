// Inflate (RFC 1950 and 1951): what deflate has packed, of any level.

import { codesOf, DISTANCE_BASE, DISTANCE_EXTRA, FIXED_DISTANCES, FIXED_LENGTHS, LENGTH_BASE, LENGTH_EXTRA, ORDER } from "./huffman.js";

/** Return up to `most` bytes of what zlib packed; throws an Error for what is no such thing. */
export function inflated(input, most) {
  if (input.length < 2 || (input[0] & 15) !== 8 || ((input[0] << 8) | input[1]) % 31 || input[1] & 32) throw new Error("incorrect header check");
  let [at, held, bits] = [2, 0, 0];
  let out = new Uint8Array(1024);
  let size = 0;

  const take = (number) => {
    while (bits < number) {
      if (at >= input.length) throw new Error("incomplete or truncated data");
      held |= input[at++] << bits;
      bits += 8;
    }
    const value = held & ((1 << number) - 1);
    held >>>= number;
    bits -= number;
    return value;
  };
  const symbolOf = (tree) => {
    let [code, length] = [0, 0];
    for (;;) {
      if (length === 15) throw new Error("invalid code");
      code |= take(1) << length++;
      const symbol = tree[length].get(code);
      if (symbol !== undefined) return symbol;
    }
  };
  const put = (byte) => {
    if (size === out.length) {
      const larger = new Uint8Array(2 * size);
      larger.set(out);
      out = larger;
    }
    out[size++] = byte;
  };

  for (let isLast = 0; !isLast && size < most; ) {
    isLast = take(1);
    const kind = take(2);
    if (kind === 0) {
      [held, bits] = [0, 0];
      const length = input[at] | (input[at + 1] << 8);
      if (at + 4 > input.length || length !== (~(input[at + 2] | (input[at + 3] << 8)) & 65535)) throw new Error("invalid stored block lengths");
      at += 4;
      for (let i = 0; i < length && size < most; i++) put(take(8));
      continue;
    }
    if (kind === 3) throw new Error("invalid block type");
    const [literals, distances] = kind === 1 ? [FIXED_LENGTHS, FIXED_DISTANCES] : lengthsRead(take, symbolOf);
    const [one, other] = [treeFor(literals), treeFor(distances)];
    for (let symbol; size < most && (symbol = symbolOf(one)) !== 256; ) {
      if (symbol < 256) {
        put(symbol);
        continue;
      }
      if (symbol > 285) throw new Error("invalid literal/length code");
      const length = LENGTH_BASE[symbol - 257] + take(LENGTH_EXTRA[symbol - 257]);
      const place = symbolOf(other);
      const distance = DISTANCE_BASE[place] + take(DISTANCE_EXTRA[place]);
      if (!(distance <= size)) throw new Error("invalid distance too far back");
      for (let i = 0; i < length && size < most; i++) put(out[size - distance]);
    }
  }
  return out.subarray(0, size);
}

function lengthsRead(take, symbolOf) {
  const [literals, distances, number] = [take(5) + 257, take(5) + 1, take(4) + 4];
  const own = new Array(19).fill(0);
  for (const place of ORDER.slice(0, number)) own[place] = take(3);
  const tree = treeFor(own);
  const lengths = [];
  while (lengths.length < literals + distances) {
    const symbol = symbolOf(tree);
    if (symbol < 16) lengths.push(symbol);
    else {
      const [value, times] = symbol === 16 ? [lengths[lengths.length - 1], 3 + take(2)] : [0, symbol === 17 ? 3 + take(3) : 11 + take(7)];
      for (let i = 0; i < times; i++) lengths.push(value);
    }
  }
  if (lengths.length > literals + distances || lengths.includes(undefined)) throw new Error("invalid bit length repeat");
  return [lengths.slice(0, literals), lengths.slice(literals)];
}

/** Return for each length of a code the symbols by their codes. */
function treeFor(lengths) {
  const tree = Array.from({ length: 16 }, () => new Map());
  codesOf(lengths).forEach((code, symbol) => lengths[symbol] && tree[lengths[symbol]].set(code, symbol));
  return tree;
}
