// The blocks of deflate (RFC 1951): symbols gathered, Huffman codes made of how often they are there, written bit by bit; the
// same codes as zlib's (trees.c).

const END = 256;
const [LITERALS, DISTANCES, LENGTHS] = [286, 30, 19];
export const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
export const DISTANCE_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const REPEAT_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7];
export const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

export const LENGTH_BASE = [...begins(LENGTH_EXTRA, 3).slice(0, 28), 258];
export const DISTANCE_BASE = begins(DISTANCE_EXTRA, 1);

export const FIXED_LENGTHS = Array.from({ length: 288 }, (_, n) => (n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8));
export const FIXED_DISTANCES = new Array(30).fill(5);

const KINDS = {
  literals: { elements: LITERALS, most: 15, extra: (n) => (n > END ? LENGTH_EXTRA[n - 257] : 0), fixed: FIXED_LENGTHS },
  distances: { elements: DISTANCES, most: 15, extra: (n) => DISTANCE_EXTRA[n], fixed: FIXED_DISTANCES },
  repeats: { elements: LENGTHS, most: 7, extra: (n) => REPEAT_EXTRA[n], fixed: null },
};

function begins(extra, first) {
  let at = first;
  return extra.map((bits) => (at += 2 ** bits) - 2 ** bits);
}

/** Return the codes, ready to be written from the lowest bit up, of code lengths. */
export function codesOf(lengths) {
  const count = new Array(17).fill(0);
  for (const bits of lengths) count[bits] += bits > 0;
  const next = [0];
  for (let bits = 1, code = 0; bits <= 16; bits++) next[bits] = code = (code + count[bits - 1]) << 1;
  return lengths.map((bits) => (bits ? reversed(next[bits]++, bits) : 0));
}

function reversed(code, bits) {
  let found = 0;
  for (let i = 0; i < bits; i++) found |= ((code >> i) & 1) << (bits - 1 - i);
  return found;
}

/** Return a writer of blocks at the end of `out`, a list of bytes. */
export function blockWriter(out) {
  let [held, bits] = [0, 0];
  let symbols = []; // a byte, or 256 + length, then the distance
  const literals = new Array(LITERALS).fill(0);
  const distances = new Array(DISTANCES).fill(0);
  let size = 0;

  const send = (value, number) => {
    held |= value << bits;
    bits += number;
    while (bits >= 8) {
      out.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };

  function sendSymbols(lengths, codes, farLengths, farCodes) {
    for (let i = 0; i < symbols.length; i++) {
      const symbol = symbols[i];
      if (symbol < 256) {
        send(codes[symbol], lengths[symbol]);
        continue;
      }
      const [length, distance] = [symbol - 256, symbols[++i]];
      const one = placeIn(LENGTH_BASE, length);
      send(codes[257 + one], lengths[257 + one]);
      send(length - LENGTH_BASE[one], LENGTH_EXTRA[one]);
      const other = placeIn(DISTANCE_BASE, distance);
      send(farCodes[other], farLengths[other]);
      send(distance - DISTANCE_BASE[other], DISTANCE_EXTRA[other]);
    }
    send(codes[END], lengths[END]);
  }

  return {
    size: () => size,
    literal(byte) {
      symbols.push(byte);
      literals[byte]++;
      size++;
    },
    match(distance, length) {
      symbols.push(256 + length, distance);
      literals[257 + placeIn(LENGTH_BASE, length)]++;
      distances[placeIn(DISTANCE_BASE, distance)]++;
      size++;
    },
    /** Write the block of what was gathered, with the codes that are shortest. */
    flush(isLast) {
      literals[END] = 1;
      const [one, other] = [treeOf(literals, KINDS.literals), treeOf(distances, KINDS.distances)];
      const runs = [...runsOf(one), ...runsOf(other)];
      const often = new Array(LENGTHS).fill(0);
      for (const [symbol] of runs) often[symbol]++;
      const tree = treeOf(often, KINDS.repeats);
      let last = LENGTHS - 1;
      while (last >= 3 && tree.lengths[ORDER[last]] === 0) last--;
      const own = one.bits + other.bits + tree.bits + 3 * (last + 1) + 14;
      const fixed = one.fixedBits + other.fixedBits;
      if ((fixed + 10) >> 3 <= (own + 10) >> 3) {
        send(2 + isLast, 3);
        sendSymbols(FIXED_LENGTHS, codesOf(FIXED_LENGTHS), FIXED_DISTANCES, codesOf(FIXED_DISTANCES));
      } else {
        send(4 + isLast, 3);
        send(one.last - 256, 5);
        send(other.last, 5);
        send(last - 3, 4);
        for (const place of ORDER.slice(0, last + 1)) send(tree.lengths[place], 3);
        const codes = codesOf(tree.lengths);
        for (const [symbol, rest] of runs) {
          send(codes[symbol], tree.lengths[symbol]);
          send(rest, REPEAT_EXTRA[symbol]);
        }
        sendSymbols(one.lengths, codesOf(one.lengths), other.lengths, codesOf(other.lengths));
      }
      [symbols, size] = [[], 0];
      literals.fill(0);
      distances.fill(0);
      if (isLast && bits > 0) send(0, 8 - bits);
    },
  };
}

function placeIn(bases, value) {
  let place = bases.length - 1;
  while (bases[place] > value) place--;
  return place;
}

/** Return the code lengths of symbols by how `often` each is there, the `last` used, and the bits that all take. */
function treeOf(often, { elements, most, extra, fixed }) {
  const frequency = [...often];
  const depth = [];
  const parent = [];
  const heap = [0]; // from 1 on
  for (let n = 0; n < elements; n++) if (frequency[n]) heap.push(n);
  let last = heap.length > 1 ? heap[heap.length - 1] : -1;
  let [bits, fixedBits] = [0, 0];
  while (heap.length < 3) { // a code has two symbols at least
    const symbol = last < 2 ? ++last : 0;
    heap.push(symbol);
    frequency[symbol] = 1;
    bits--;
    if (fixed) fixedBits -= fixed[symbol];
  }
  const isSmaller = (n, m) => frequency[n] < frequency[m] || (frequency[n] === frequency[m] && (depth[n] ?? 0) <= (depth[m] ?? 0));
  const sink = (k) => {
    const sunk = heap[k];
    for (let j = 2 * k; j < heap.length; j *= 2) {
      if (j + 1 < heap.length && isSmaller(heap[j + 1], heap[j])) j++;
      if (isSmaller(sunk, heap[j])) break;
      heap[k] = heap[j];
      k = j;
    }
    heap[k] = sunk;
  };
  for (let k = (heap.length - 1) >> 1; k >= 1; k--) sink(k);
  const sorted = []; // by frequency, the rarest first
  for (let node = elements; heap.length > 2; node++) {
    const n = heap[1];
    heap[1] = heap.pop();
    sink(1);
    const m = heap[1];
    sorted.push(n, m);
    frequency[node] = frequency[n] + frequency[m];
    depth[node] = Math.max(depth[n] ?? 0, depth[m] ?? 0) + 1;
    parent[n] = parent[m] = node;
    heap[1] = node;
    sink(1);
  }
  const lengths = lengthsOf(sorted, parent, heap[1], last, most, elements);
  for (let n = 0; n <= last; n++) {
    if (!lengths[n]) continue;
    bits += frequency[n] * (lengths[n] + extra(n));
    if (fixed) fixedBits += frequency[n] * (fixed[n] + extra(n));
  }
  return { lengths, last, bits, fixedBits };
}

/** Return the lengths of codes: how deep a symbol is in the tree, or `most`, others then being made longer. */
function lengthsOf(sorted, parent, root, last, most, elements) {
  const depths = [];
  const count = new Array(most + 2).fill(0);
  depths[root] = 0;
  let over = 0;
  for (let h = sorted.length - 1; h >= 0; h--) {
    const n = sorted[h];
    const bits = depths[parent[n]] + 1;
    if (bits > most) over++;
    depths[n] = Math.min(bits, most);
    if (n <= last) count[depths[n]]++;
  }
  if (over === 0) return Array.from({ length: elements }, (_, n) => (n <= last && depths[n]) || 0);
  for (; over > 0; over -= 2) {
    let bits = most - 1;
    while (count[bits] === 0) bits--;
    count[bits]--;
    count[bits + 1] += 2;
    count[most]--;
  }
  const lengths = new Array(elements).fill(0);
  let h = 0;
  for (let bits = most; bits > 0; bits--) {
    for (let left = count[bits]; left > 0; h++) {
      if (sorted[h] > last) continue;
      lengths[sorted[h]] = bits;
      left--;
    }
  }
  return lengths;
}

/** Return code lengths as runs: [symbol of the code of lengths, how many more]. */
function runsOf({ lengths, last }) {
  const runs = [];
  let before = -1;
  for (let n = 0; n <= last; ) {
    const length = lengths[n];
    let count = 1;
    const most = length === 0 ? 138 : length === before ? 6 : 7;
    while (n + count <= last && count < most && lengths[n + count] === length) count++;
    if (count < (length !== 0 && length !== before ? 4 : 3)) for (let i = 0; i < count; i++) runs.push([length, 0]);
    else if (length !== 0) {
      if (length !== before) {
        runs.push([length, 0]);
        runs.push([16, count - 4]);
      } else runs.push([16, count - 3]);
    } else runs.push(count <= 10 ? [17, count - 3] : [18, count - 11]);
    before = length;
    n += count;
  }
  return runs;
}
