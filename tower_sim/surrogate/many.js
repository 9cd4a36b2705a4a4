// Many whole games of a tower over typed arrays: the games of docs/surrogate_portable.md, word for word those of Python's
// sample_games, and many times as fast as sampler.js. It follows words.js, in the page of `tower-sim lab` and its worker.
//
//   const four = seedWords("7");                                  // as numpy.random.SeedSequence(7) gives them
//   const tower = player(table, { cubes: [7, 7], throws: [-1, 0, 1] }); // `table` of an exported document; -1 throws all
//   tower.play(four, 3);                                          // game 3
//   tower.emerged;                                                // counts by drop and colour, drop 0 the set-up

const BLOCK = 512; // words made at a time

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

/**
 * Return what plays games of one tower and one plan: { drops, colours, cubes, floors, thrown, emerged, inside, play }.
 *
 * `table` is that of an exported document. `plan.cubes` has the number of cubes of each colour, numbered in that order;
 * `plan.throws` the colour that each drop throws, those of it that are outside, or -1 for all. play(four, stream) plays
 * one game from that stream of four words into `thrown`, `emerged` and `inside`, counts at [drop * colours + colour]. With
 * a third argument, Uint8Array(drops * cubes), it also notes the floor of every cube after every drop, `floors` for out.
 */
export function player(table, plan) {
  const { floors, thresholds } = table;
  const colours = plan.cubes.length;
  const drops = plan.throws.length;
  const low = plan.cubes.reduce((sums, count) => [...sums, sums[sums.length - 1] + count], [0]);
  const cubes = low[colours];
  const last = floors.length; // of the floors, and where a cube is that is out
  const limit = thresholds.length - 1;
  const hasEffect = floors.map((floor) =>
    [...floor.arriving_effect, ...floor.lying_effect].some((row) => row.some((x) => x !== 0)));
  const chances = new Uint32Array(2 * limit + 1); // thresholds by log-odds, from the lowest to the highest
  thresholds.forEach((value, i) => ((chances[limit - i] = WORD - value), (chances[limit + i] = value)));
  const ages = new Int32Array(2 * last * (drops + 1)); // by row and age: a row a floor for no crowd, then for a crowd
  floors.forEach((floor, i) => {
    for (let age = 0; age <= drops; age++) {
      ages[i * (drops + 1) + age] = at(floor.age, age);
      ages[(last + i) * (drops + 1) + age] = at(floor.crowd, age);
    }
  });
  const colourOf = new Uint8Array(cubes);
  for (let k = 0; k < colours; k++) colourOf.fill(k, low[k], low[k + 1]);
  const place = new Uint8Array(cubes); // by cube: its floor, the drop that threw it in, its row of `ages`
  const since = new Uint32Array(cubes);
  const row = new Uint32Array(cubes);
  let now = new Uint32Array(cubes + 1); // the cubes inside, in order, then one above all
  let after = new Uint32Array(cubes + 1);
  const enter = new Uint32Array(last); // by floor: below what a word passes for thrown cubes, and for those from above
  const push = new Uint32Array(last);
  const lie = new Int32Array(last); // and the log-odds of those that lie there, but for their age
  const lying = new Uint32Array(last);
  const fresh = new Uint32Array(last);
  const out = new Uint32Array(colours);
  const four = new Int32Array(4);
  const drawn = new Uint32Array(BLOCK);
  let next = BLOCK; // of `drawn`
  const [thrown, emerged, inside] = [0, 1, 2].map(() => new Int16Array(drops * colours));

  /** Make the next words. */
  function fill() {
    let [a, b, c, d] = four;
    for (let i = 0; i < BLOCK; i++) {
      const x = Math.imul(b, 5);
      drawn[i] = Math.imul((x << 7) | (x >>> 25), 9);
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 11) | (d >>> 21);
    }
    four[0] = a;
    four[1] = b;
    four[2] = c;
    four[3] = d;
    next = 0;
  }

  function word() {
    if (next === BLOCK) fill();
    return drawn[next++];
  }

  function threshold(odds) {
    return chances[odds > limit ? 2 * limit : odds < -limit ? 0 : odds + limit];
  }

  /** Draw the shared effects of a drop of `count` cubes onto the `held` inside; fill in by floor what decides it. */
  function weigh(count, held, drop) {
    lying.fill(0);
    fresh.fill(0);
    for (let i = 0; i < held; i++) {
      const cube = now[i];
      lying[place[cube]]++;
      if (drop - since[cube] <= table.fresh_to) fresh[place[cube]]++;
    }
    for (let i = 0; i < last; i++) {
      const floor = floors[i];
      const effect = hasEffect[i] ? word() >>> 28 : 0;
      const odds =
        at(floor.arriving_thrown, count) + at(floor.arriving_lying, lying[i]) + at(floor.arriving_fresh, fresh[i]) +
        at(floor.arriving_effect, lying[i])[effect];
      enter[i] = threshold(odds);
      push[i] = threshold(odds + floor.pushed);
      lie[i] = at(floor.lying_thrown, count) + at(floor.lying_lying, lying[i]) + at(floor.lying_effect, lying[i])[effect];
    }
  }

  /** Do drop number `drop`, which throws the `count` cubes from `first` to before `end` that are outside. */
  function move(drop, first, end, count, held) {
    const crowd = count >= table.crowd_from ? last : 0;
    let i = 0; // the next of `now`, of `after`, of those that can be thrown
    let kept = 0;
    let own = first;
    while (i < held || own < end) {
      let cube = now[i];
      let floor = 0;
      if (cube < own || own >= end) {
        i++;
        const start = place[cube];
        if (word() >= threshold(lie[start] + ages[row[cube] * (drops + 1) + drop - since[cube]])) {
          after[kept++] = cube;
          continue;
        }
        floor = start + 1;
        while (floor < last && word() < push[floor]) floor++;
        row[cube] += floor - start;
      } else if (cube === own) {
        own++;
        continue;
      } else {
        cube = own++;
        while (floor < last && word() < enter[floor]) floor++;
        since[cube] = drop;
        row[cube] = crowd + floor;
      }
      place[cube] = floor;
      if (floor < last) after[kept++] = cube;
      else out[colourOf[cube]]++;
    }
    after[kept] = cubes;
    [now, after] = [after, now];
    return kept;
  }

  function play(seed, stream, places) {
    for (let i = 0; i < 4; i++) four[i] = mixed(seed[i] + mixed((stream + GOLDEN * (i + 1)) >>> 0));
    four[3] |= 1;
    next = BLOCK;
    place.fill(last);
    now[0] = cubes;
    let drop = 0; // drops that threw something
    let held = 0; // cubes inside
    for (let i = 0; i < drops; i++) {
      const phase = plan.throws[i];
      const base = i * colours;
      let count = 0;
      for (let k = 0; k < colours; k++) {
        thrown[base + k] = phase < 0 || phase === k ? plan.cubes[k] - (i ? inside[base - colours + k] : 0) : 0;
        count += thrown[base + k];
      }
      out.fill(0);
      if (count) {
        weigh(count, held, drop);
        held = move(drop++, phase < 0 ? 0 : low[phase], phase < 0 ? cubes : low[phase + 1], count, held);
      }
      for (let k = 0; k < colours; k++) {
        emerged[base + k] = out[k];
        inside[base + k] = (i ? inside[base - colours + k] : 0) + thrown[base + k] - out[k];
      }
      if (places) places.set(place, i * cubes);
    }
  }

  return { drops, colours, cubes, floors: last, thrown, emerged, inside, play };
}

/** Return an entry of a list; beyond the end the last one. */
function at(entries, index) {
  return entries[index < entries.length ? index : entries.length - 1];
}
