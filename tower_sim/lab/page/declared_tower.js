// A tower by its table, drop by drop, for cubes that may be taken out by hand between drops. A plain script that makes
// one function; what it draws is what sampler.js draws, word for word.

const declaredTower = (() => {
  const WORD = 4294967296; // 2^32
  const at = (entries, index) => entries[index < entries.length ? index : entries.length - 1];

  /** Return a function that says of drops whether the data have such ones; see Fitted.covers in Python. */
  function coverage(covered) {
    return (thrown, inside) => {
      if (!covered || !thrown) return true;
      if (!covered.length || thrown < covered[0][0] || thrown > covered[covered.length - 1][0]) return false;
      const next = covered.findIndex((row) => row[0] >= thrown);
      const near = covered.slice(Math.max(next - 1, 0), next + 1);
      const distance = (row) => Math.abs(row[0] - thrown);
      const [, least, most] = near.reduce((best, row) => (distance(row) < distance(best) ? row : best));
      return least <= inside && inside <= most;
    };
  }

  /**
   * Return a tower for `cubes` cubes, numbered from 0: { floors, floor, covers, empty, throwing, take }.
   *
   * `given` is the document of `tower-sim surrogate export --to json`, or its table alone; `word` gives whole numbers
   * below 2^32. floor[cube] is where a cube lies, numbered from the top, -1 where it is not inside. throwing(thrown)
   * throws some cubes and returns those that come out, both by number; covers(thrown, inside) says whether the data
   * have drops of so many; take(cube) takes one out of the tower; empty() begins again.
   */
  return function tower(given, cubes, word) {
    const table = given.table ?? given;
    const { floors } = table;
    const limit = table.thresholds.length - 1;
    const hasEffect = floors.map((each) =>
      [...each.arriving_effect, ...each.lying_effect].some((row) => row.some((x) => x !== 0)),
    );
    const floor = new Int8Array(cubes).fill(-1);
    const since = new Int32Array(cubes); // the drop that threw it in
    const isOfCrowd = new Uint8Array(cubes);
    const isThrown = new Uint8Array(cubes);
    const lying = new Int32Array(floors.length);
    const fresh = new Int32Array(floors.length);
    const odds = floors.map(() => ({ arriving: 0, lying: 0 }));
    let drops = 0;

    function empty() {
      floor.fill(-1);
      drops = 0;
    }

    /** Return the chance of log-odds, times 2^32. */
    function threshold(logOdds) {
      const entry = table.thresholds[Math.min(Math.abs(logOdds), limit)];
      return logOdds >= 0 ? entry : WORD - entry;
    }

    /** Draw every floor's shared effect, and work out the log-odds to pass it. */
    function weigh(thrown) {
      lying.fill(0);
      fresh.fill(0);
      for (let cube = 0; cube < cubes; cube++) {
        if (floor[cube] < 0) continue;
        lying[floor[cube]]++;
        if (drops - since[cube] <= table.fresh_to) fresh[floor[cube]]++;
      }
      floors.forEach((law, i) => {
        const arriving = at(law.arriving_effect, lying[i]);
        const effect = hasEffect[i] ? Math.floor((word() * arriving.length) / WORD) : 0;
        odds[i].arriving =
          at(law.arriving_thrown, thrown) +
          at(law.arriving_lying, lying[i]) +
          at(law.arriving_fresh, fresh[i]) +
          arriving[effect];
        odds[i].lying =
          at(law.lying_thrown, thrown) + at(law.lying_lying, lying[i]) + at(law.lying_effect, lying[i])[effect];
      });
    }

    /** Let a cube go down from where it lies, or from the top; return where it ends, -1 for out. */
    function endOf(cube) {
      const start = floor[cube];
      if (start >= 0) {
        const own = at(isOfCrowd[cube] ? floors[start].crowd : floors[start].age, drops - since[cube]);
        if (word() >= threshold(odds[start].lying + own)) return start;
      }
      for (let i = start + 1; i < floors.length; i++) {
        if (word() >= threshold(odds[i].arriving + (start < 0 ? 0 : floors[i].pushed))) return i;
      }
      return -1;
    }

    function throwing(thrown) {
      weigh(thrown.length);
      for (const cube of thrown) isThrown[cube] = 1;
      const out = [];
      for (let cube = 0; cube < cubes; cube++) {
        if (floor[cube] < 0 && !isThrown[cube]) continue;
        if (isThrown[cube]) {
          since[cube] = drops;
          isOfCrowd[cube] = thrown.length >= table.crowd_from ? 1 : 0;
          isThrown[cube] = 0;
        }
        floor[cube] = endOf(cube);
        if (floor[cube] < 0) out.push(cube);
      }
      drops++;
      return out;
    }

    return {
      floors: floors.length,
      floor,
      covers: coverage(given.covered),
      empty,
      throwing,
      take: (cube) => (floor[cube] = -1),
    };
  };
})();
