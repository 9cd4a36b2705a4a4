// Deflate as zlib 1.3 does at level 9 (RFC 1950 and 1951): the same bytes, of texts in ASCII. The algorithm and its choices are
// those of J. Gailly and M. Adler (zlib's deflate.c); the codes are made in huffman.js.

import { blockWriter } from "./huffman.js";

const WINDOW = 32768;
const LEAST_MATCH = 3;
const MOST_MATCH = 258;
const LOOKAHEAD = MOST_MATCH + LEAST_MATCH + 1; // bytes that are known ahead, but at the end
const MOST_DISTANCE = WINDOW - LOOKAHEAD;
const HASH_BITS = 15;
const HASH_SHIFT = 5;
const GOOD = 32; // a match of this length is good enough to look for a better one with a quarter of the effort
const CHAIN = 4096;
const TOO_FAR = 4096; // a match of three bytes further away is not worth it
const MOST_SYMBOLS = 16383; // of a block

/** Return bytes of ASCII as zlib.compress(bytes, 9) does. */
export function deflated(input) {
  const out = [0x78, 0xda];
  const block = blockWriter(out);
  const window = new Uint8Array(2 * WINDOW + MOST_MATCH);
  const head = new Uint16Array(1 << HASH_BITS);
  const previous = new Uint16Array(WINDOW);
  let [read, start, ahead, hash] = [0, 0, 0, 0];
  let [length, from] = [LEAST_MATCH - 1, 0];
  let isPending = false;

  const hashed = (byte) => (hash = ((hash << HASH_SHIFT) ^ byte) & ((1 << HASH_BITS) - 1));
  const inserted = (at) => {
    const found = head[hashed(window[at + LEAST_MATCH - 1])];
    previous[at & (WINDOW - 1)] = found;
    head[hash] = at;
    return found;
  };
  const slide = () => {
    window.copyWithin(0, WINDOW, 2 * WINDOW);
    start -= WINDOW;
    from -= WINDOW;
    for (const table of [head, previous]) for (let i = 0; i < table.length; i++) table[i] = Math.max(table[i] - WINDOW, 0);
  };
  const fill = () => {
    do {
      if (start >= WINDOW + MOST_DISTANCE) slide();
      const more = Math.min(2 * WINDOW - ahead - start, input.length - read);
      window.set(input.subarray(read, read + more), start + ahead);
      read += more;
      ahead += more;
      if (ahead >= LEAST_MATCH) {
        hash = window[start];
        hashed(window[start + 1]);
      }
    } while (ahead < LOOKAHEAD && read < input.length);
  };
  /** Return how long the longest match from a chain of places on is; `from` is where it begins. */
  const longest = (place, known) => {
    let [best, chain] = [known, known >= GOOD ? CHAIN >> 2 : CHAIN];
    const enough = Math.min(MOST_MATCH, ahead);
    const limit = Math.max(start - MOST_DISTANCE, 0);
    do {
      if (
        window[place + best] !== window[start + best] || window[place + best - 1] !== window[start + best - 1] ||
        window[place] !== window[start] || window[place + 1] !== window[start + 1]
      ) continue;
      let same = 2;
      while (same < MOST_MATCH && window[place + same] === window[start + same]) same++;
      if (same > best) {
        from = place;
        best = same;
        if (same >= enough) break;
      }
    } while ((place = previous[place & (WINDOW - 1)]) > limit && --chain !== 0);
    return Math.min(best, ahead);
  };

  for (;;) {
    if (ahead < LOOKAHEAD) {
      fill();
      if (ahead === 0) break;
    }
    const place = ahead >= LEAST_MATCH ? inserted(start) : 0;
    let [before, beforeFrom] = [length, from];
    length = LEAST_MATCH - 1;
    if (place !== 0 && before < MOST_MATCH && start - place <= MOST_DISTANCE) {
      length = longest(place, before);
      if (length === LEAST_MATCH && start - from > TOO_FAR) length = LEAST_MATCH - 1;
    }
    if (before >= LEAST_MATCH && length <= before) { // the match of the byte before is taken
      const last = start + ahead - LEAST_MATCH;
      block.match(start - 1 - beforeFrom, before);
      ahead -= before - 1;
      for (let left = before - 2; left > 0; left--) if (++start <= last) inserted(start);
      isPending = false;
      length = LEAST_MATCH - 1;
      start++;
      if (block.size() === MOST_SYMBOLS) block.flush(false);
      continue;
    }
    if (isPending) {
      block.literal(window[start - 1]);
      if (block.size() === MOST_SYMBOLS) block.flush(false);
    }
    isPending = true;
    start++;
    ahead--;
  }
  if (isPending) block.literal(window[start - 1]);
  block.flush(true);
  let [a, b] = [1, 0];
  for (const byte of input) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  out.push(b >> 8, b & 255, a >> 8, a & 255);
  return Uint8Array.from(out);
}
