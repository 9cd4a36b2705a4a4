// Drops of a tower over typed arrays, and many whole games of it: the games of docs/surrogate.md, word for word
// those of Python's sample_games, and many times as fast as sampler.js. It follows words.js, in the page of `tower-sim page lab`
// and its worker.
//
//   const tower = player(table, { cubes: [7, 7], throws: [-1, 0, 1] }); // `table` of an exported document; -1 throws all
//   tower.play([1, 2, 3, 4], 3);                                  // game 3
//   tower.emerged;                                                // counts by drop and colour, drop 0 the set-up

const BLOCK = 512; // words made at a time

/**
 * Return a tower for `cubes` cubes, numbered from 0: { floors, floor, hand, came, empty, drop }.
 *
 * `table` is that of an exported document; `word` gives whole numbers below 2^32. floor[cube] is where a cube lies,
 * numbered from the top, `floors` for out. drop(count) throws the first so many of `hand`, numbers of cubes that are out, in
 * rising order, and returns how many come out: they are the first of `came`. empty() begins again.
 */
function cubeTower(table, cubes, word) {
  const { floors, thresholds } = table;
  const last = floors.length; // of the floors, and where a cube is that is out
  const limit = thresholds.length - 1;
  const hasEffect = floors.map((each) =>
    [...each.arriving_effect, ...each.lying_effect].some((row) => row.some((x) => x !== 0)));
  const chances = new Uint32Array(2 * limit + 1); // thresholds by log-odds, from the lowest to the highest
  thresholds.forEach((value, i) => ((chances[limit - i] = WORD - value), (chances[limit + i] = value)));
  const oldest = Math.max(...floors.flatMap(({ age, crowd }) => [age.length, crowd.length])) - 1;
  const ages = new Int32Array(2 * last * (oldest + 1)); // by row and age: a row a floor for no crowd, then for a crowd
  [...floors.map(({ age }) => age), ...floors.map(({ crowd }) => crowd)].forEach((entries, i) => {
    for (let age = 0; age <= oldest; age++) ages[i * (oldest + 1) + age] = at(entries, age);
  });
  const floor = new Uint8Array(cubes).fill(last); // by cube: its floor, the drop that threw it in, its row of `ages`
  const since = new Uint32Array(cubes);
  const row = new Uint32Array(cubes);
  let now = new Uint32Array(cubes + 1); // the cubes inside, in order, then one above all
  let after = new Uint32Array(cubes + 1);
  let held = 0; // cubes inside
  let drops = 0;
  const enter = new Uint32Array(last); // by floor: below what a word passes for thrown cubes, and for those from above
  const push = new Uint32Array(last);
  const lie = new Int32Array(last); // and the log-odds of those that lie there, but for their age
  const lying = new Uint32Array(last);
  const fresh = new Uint32Array(last);
  const hand = new Uint32Array(cubes + 1); // with one above all behind those that are thrown
  const came = new Uint32Array(cubes);
  empty();

  function empty() {
    floor.fill(last);
    now[0] = cubes;
    held = drops = 0;
  }

  function threshold(odds) {
    return chances[odds > limit ? 2 * limit : odds < -limit ? 0 : odds + limit];
  }

  /** Draw the shared effects of a drop of `count` cubes; fill in by floor what decides it. */
  function weigh(count) {
    lying.fill(0);
    fresh.fill(0);
    for (let i = 0; i < held; i++) {
      const cube = now[i];
      lying[floor[cube]]++;
      if (drops - since[cube] <= table.fresh_to) fresh[floor[cube]]++;
    }
    for (let i = 0; i < last; i++) {
      const law = floors[i];
      const effect = hasEffect[i] ? word() >>> 28 : 0;
      const odds =
        at(law.arriving_thrown, count) + at(law.arriving_lying, lying[i]) + at(law.arriving_fresh, fresh[i]) +
        at(law.arriving_effect, lying[i])[effect];
      enter[i] = threshold(odds);
      push[i] = threshold(odds + law.pushed);
      lie[i] = at(law.lying_thrown, count) + at(law.lying_lying, lying[i]) + at(law.lying_effect, lying[i])[effect];
    }
  }

  function drop(count) {
    weigh(count);
    hand[count] = cubes;
    const crowd = count >= table.crowd_from ? last : 0;
    const before = now;
    const stay = after;
    let kept = 0; // cubes in `stay`, in `came`
    let out = 0;
    for (let i = 0, j = 0; i < held || j < count; ) {
      let cube = before[i];
      let to = 0;
      if (cube < hand[j]) {
        i++;
        const start = floor[cube];
        const age = drops - since[cube];
        if (word() >= threshold(lie[start] + ages[row[cube] * (oldest + 1) + (age < oldest ? age : oldest)])) {
          stay[kept++] = cube;
          continue;
        }
        to = start + 1;
        while (to < last && word() < push[to]) to++;
        row[cube] += to - start;
      } else {
        cube = hand[j++];
        while (to < last && word() < enter[to]) to++;
        since[cube] = drops;
        row[cube] = crowd + to;
      }
      floor[cube] = to;
      if (to < last) stay[kept++] = cube;
      else came[out++] = cube;
    }
    stay[kept] = cubes;
    now = stay;
    after = before;
    held = kept;
    drops++;
    return out;
  }

  return { floors: last, floor, hand, came, empty, drop };
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
  const colours = plan.cubes.length;
  const drops = plan.throws.length;
  const low = plan.cubes.reduce((sums, count) => [...sums, sums[sums.length - 1] + count], [0]);
  const cubes = low[colours];
  const colourOf = new Uint8Array(cubes);
  for (let k = 0; k < colours; k++) colourOf.fill(k, low[k], low[k + 1]);
  const four = new Int32Array(4);
  const drawn = new Uint32Array(BLOCK);
  let next = BLOCK; // of `drawn`
  const [thrown, emerged, inside] = [0, 1, 2].map(() => new Int16Array(drops * colours));
  const tower = cubeTower(table, cubes, word);
  const { floor, floors, hand, came } = tower;

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

  function play(seed, stream, places) {
    for (let i = 0; i < 4; i++) four[i] = mixed(seed[i] + mixed((stream + GOLDEN * (i + 1)) >>> 0));
    four[3] |= 1;
    next = BLOCK;
    tower.empty();
    thrown.fill(0);
    emerged.fill(0);
    for (let i = 0; i < drops; i++) {
      const phase = plan.throws[i];
      const base = i * colours;
      const end = low[phase < 0 ? colours : phase + 1];
      let count = 0;
      for (let cube = low[phase < 0 ? 0 : phase]; cube < end; cube++) {
        if (floor[cube] !== floors) continue;
        hand[count++] = cube;
        thrown[base + colourOf[cube]]++;
      }
      const out = count ? tower.drop(count) : 0; // a drop without cubes makes none older
      for (let k = 0; k < out; k++) emerged[base + colourOf[came[k]]]++;
      for (let k = 0; k < colours; k++) {
        inside[base + k] = (i ? inside[base - colours + k] : 0) + thrown[base + k] - emerged[base + k];
      }
      if (places) places.set(floor, i * cubes);
    }
  }

  return { drops, colours, cubes, floors, thrown, emerged, inside, play };
}

/** Return an entry of a list; beyond the end the last one. */
function at(entries, index) {
  return entries[index < entries.length ? index : entries.length - 1];
}
