// One declared game, played by its plain tree: what is thrown, how it is read, where the cubes go. It does what play.py
// does in games/declared. A plain script that makes one object; it follows declared_numbers.js.

const declaredRun = (() => {
  const WORD = 4294967296; // 2^32
  const NOTHING = { value: null, cube: -1 };

  /** Return what a game is at its start, as `choices` (every parameter and policy by name) have it. */
  function start(tree, choices) {
    const own = new Set(tree.parameters.map((one) => one.name));
    const scope = {
      limit: tree.limits.number,
      tables: new Map(),
      number: (name) => () => (own.has(name) ? choices[name] : null),
      word: () => () => null,
      cubes: () => ({ colours: () => [], count: () => 0 }),
    };
    const index = new Map(tree.colours.map((colour, i) => [colour, i]));
    const atStart = (given) => declaredNumbers.expression(given, scope, 0).whole() ?? 0;
    const pools = tree.pools.map((pool) => {
      const counts = tree.colours.map(() => 0);
      for (const { colours, parameter, number } of pool.counts) {
        const many = atStart(number);
        for (const colour of colours ?? [choices[parameter]]) counts[index.get(colour)] += many;
        const most = tree.limits.cubes;
        if (many > most)
          throw new RangeError(`pools.${pool.name} has ${many}; allowed is up to ${most} cubes; change the counts`);
      }
      return counts;
    });
    return { atStart, pools, index, rounds: () => atStart(tree.times), cubes: sumOf(pools.map(sumOf)) };
  }

  /**
   * Return what a game picks by lot, of words: { one, some }.
   *
   * one(n) is a whole number below n, each with exactly the same chance, of one word or more; some(n, number) are so
   * many of them, one after the other of those that are left.
   *
   * Source: Lemire, Fast random integer generation in an interval, ACM Trans. Model. Comput. Simul. 29(1), 2019.
   */
  function picker(word) {
    const one = (n) => {
      let product = word() * n; // below 2^53
      const least = WORD % n;
      while (product % WORD < least) product = word() * n;
      return Math.floor(product / WORD);
    };
    const some = (n, number) => {
      const left = Array.from({ length: n }, (_, i) => i);
      for (let i = 0; i < number; i++) {
        const j = i + one(n - i);
        [left[i], left[j]] = [left[j], left[i]];
      }
      return left.slice(0, number);
    };
    return { one, some };
  }

  /**
   * Return the game of `tree`: { play, now, thrown, out, inside, held, pool, floors, covers, colour, knocked }, to be
   * played often.
   *
   * `towerOf(cubes)` makes the tower, as cubeTower does, with covers(thrown, inside); `lots` picks, as `picker` does. play(told) plays
   * once, and calls told() after each throw; there knocked(cubes) puts away what a knock brings out. Then `now` says what was: index, round, phase, isUnloaded, read (values by name,
   * a Map), effect and amount; thrown(), out(), inside() and pool(i) are counts by colour, floors() those of each floor,
   * held() how many are inside; covers() says whether the data have such a throw.
   */
  function machine(tree, choices, towerOf, lots) {
    const begun = start(tree, choices);
    const { index } = begun;
    const colours = tree.colours.length;
    const INSIDE = tree.pools.length; // places: the pools, then the tower, then out of it and not put anywhere yet
    const OUT = INSIDE + 1;
    const pools = new Map(tree.pools.map((pool, i) => [pool.name, i]));
    const rounds = begun.rounds();
    const first = new Int16Array(begun.cubes);
    const colourOf = new Int16Array(begun.cubes);
    let made = 0;
    begun.pools.forEach((counts, pool) => {
      counts.forEach((count, colour) => {
        first.fill(pool, made, made + count);
        colourOf.fill(colour, made, (made += count));
      });
    });
    const place = new Int16Array(begun.cubes);
    const counts = new Int32Array((OUT + 1) * colours); // by place and colour
    const tower = towerOf(begun.cubes);
    const throwing = { cubes: [], counts: new Int32Array(colours) };
    const coming = { cubes: [], counts: new Int32Array(colours) }; // all that came out of this throw, moved or not
    const reads = new Map(tree.readings.map(({ name }) => [name, NOTHING]));
    const now = {
      index: 0,
      round: 0,
      name: "",
      colour: "",
      phase: "",
      isUnloaded: false,
      read: new Map(),
      effect: null,
      amount: null,
      before: 0,
    };

    // What names mean

    const policies = new Map(tree.policies.map((one) => [one.name, one]));
    const scope = {
      limit: tree.limits.number,
      tables: new Map(tree.tables.map((one) => [one.name, one.values])),
      number,
      word,
      cubes,
    };
    const readAs = (name) => (Array.isArray(reads.get(name).value) ? null : reads.get(name).value);
    const everyColour = tree.colours.map((_, i) => i);

    function number(name) {
      if (name === "round") return () => now.round;
      if (name === "drop") return () => now.index;
      if (reads.has(name)) return () => readAs(name);
      if (policies.has(name)) {
        const chosen = chosenWay(name);
        return () => chosen().value;
      }
      return () => choices[name];
    }

    function word(name) {
      if (name === "phase") return () => now.colour || null;
      if (reads.has(name)) return () => (typeof reads.get(name).value === "string" ? reads.get(name).value : null);
      return () => choices[name];
    }

    /** Return a set of cubes: the numbers of its colours(), in rising order; count(colour); here(cube); cubes(). */
    function cubes(set) {
      let meant = () => everyColour;
      if (set.colours) {
        const fixed = set.colours.map((colour) => index.get(colour)).sort((a, b) => a - b);
        meant = () => fixed;
      } else if (set.word) {
        const said = word(set.word);
        meant = () => (index.has(said()) ? [index.get(said())] : []);
      }
      const of = { thrown: throwing, out: coming }[set.place] ?? null;
      const at = (set.place === "tower" ? INSIDE : pools.get(set.place)) * colours;
      const count = of ? (colour) => of.counts[colour] : (colour) => counts[at + colour];
      const those = of ? () => of.cubes : () => lying(at / colours);
      const some = () => {
        const which = meant();
        return which.length === colours ? those() : those().filter((cube) => which.includes(colourOf[cube]));
      };
      return { colours: meant, count, cubes: some };
    }

    function lying(where) {
      const found = [];
      for (let cube = 0; cube < place.length; cube++) if (place[cube] === where) found.push(cube);
      return found;
    }

    const expression = (given, least) => declaredNumbers.expression(given, scope, least);

    // Ways to read: each makes a function that returns { value, cube }

    function way(given) {
      switch (given.way) {
        case "number": {
          const worked = expression(given.number);
          return () => ({ value: worked.whole(), cube: -1 });
        }
        case "one":
          return oneOf(cubes(given.cubes));
        case "most":
          return mostOf(cubes(given.cubes), given.tie);
        case "set": {
          const set = cubes(given.cubes);
          return () => ({
            value: set
              .colours()
              .filter((i) => set.count(i) > 0)
              .map((i) => tree.colours[i]),
            cube: -1,
          });
        }
        case "value": {
          const values = scope.tables.get(given.table);
          const said = word(given.reading);
          return () => (said() === null ? NOTHING : { value: values[index.get(said())], cube: -1 });
        }
        case "which": {
          const words = given.words.map((each) => [each.word, expression(each.when)]);
          return () => ({ value: words.find(([, when]) => when.holds())?.[0] ?? null, cube: -1 });
        }
        default:
          return chosenWay(given.policy);
      }
    }

    function chosenWay(name) {
      const policy = policies.get(name);
      return way(policy.ways[policy.of.indexOf(choices[name])]);
    }

    function oneOf(set) {
      return () => {
        const among = set.cubes();
        if (!among.length) return NOTHING;
        const cube = among[lots.one(among.length)];
        return { value: tree.colours[colourOf[cube]], cube };
      };
    }

    function mostOf(set, tie) {
      return () => {
        const most = Math.max(0, ...set.colours().map(set.count));
        const tied = most ? set.colours().filter((i) => set.count(i) === most) : [];
        if (!tied.length || (tied.length > 1 && tie === "none")) return NOTHING;
        return { value: tree.colours[tied[tie === "uniform" ? lots.one(tied.length) : 0]], cube: -1 };
      };
    }

    // Where cubes go

    function put(cube, where) {
      if (place[cube] === INSIDE && where !== INSIDE) tower.take(cube); // which knows what came out already
      counts[place[cube] * colours + colourOf[cube]]--;
      counts[where * colours + colourOf[cube]]++;
      place[cube] = where;
    }

    function note(of, some) {
      of.cubes = some;
      of.counts.fill(0);
      for (const cube of some) of.counts[colourOf[cube]]++;
    }

    function move(given) {
      const { to, cubes: set, read } = given;
      const where = pools.get(to);
      const most = expression(given.number, 0);
      const when = expression(given.when);
      const those = set ? ofSet(set) : ofRead(read);
      return () => {
        if (when && !when.holds()) return;
        const some = those();
        for (const cube of most ? some.slice(0, most.whole() ?? 0) : some) put(cube, where);
      };
    }

    /** Return what returns the cubes that are there: of those that came out the ones that are still out. */
    function ofSet(set) {
      const all = cubes(set);
      return set.place === "out" ? () => all.cubes().filter((cube) => place[cube] === OUT) : () => all.cubes();
    }

    function ofRead(name) {
      return () => {
        const { value, cube } = reads.get(name);
        if (cube >= 0) return place[cube] === INSIDE ? [] : [cube];
        return lying(OUT).filter((each) => tree.colours[colourOf[each]] === value);
      };
    }

    // Phases

    function prepared(phase) {
      return {
        ...phase,
        when: expression(phase.when),
        before: phase.before.map(move),
        throw: phase.throw.map(cubes),
        along: phase.along.map(cubes),
        sample: expression(phase.sample, 0),
        needs: phase.needs.map(cubes),
        unload: pools.get(phase.unload) ?? -1,
        read: phase.read.map((each) => ({ name: each.name, way: way(each.way) })),
        effects: new Map(
          (phase.effects?.by ?? []).map((each) => [each.value, { ...each, amount: expression(each.amount) }]),
        ),
        on: phase.effects?.on ?? "",
        after: phase.after.map(move),
      };
    }

    function toThrow(phase) {
      let some = phase.throw.flatMap((set) => set.cubes());
      if (phase.throw.length > 1) some = sorted(some);
      const number = phase.sample ? (phase.sample.whole() ?? 0) : some.length;
      if (number < some.length) some = sorted(lots.some(some.length, number).map((i) => some[i]));
      return some.length && phase.along.length ? sorted([...some, ...phase.along.flatMap((set) => set.cubes())]) : some;
    }

    const sorted = (some) => [...new Set(some)].sort((a, b) => a - b);

    function throwAll(some) {
      note(throwing, some);
      now.before = sumOf(everyColour.map((i) => counts[INSIDE * colours + i]));
      if (!some.length) return note(coming, []);
      for (const cube of some) put(cube, INSIDE);
      tower.hand.set(some);
      const out = Array.from(tower.came.subarray(0, tower.drop(some.length)));
      for (const cube of out) put(cube, OUT);
      note(coming, out);
    }

    const isEnough = (phase) => coming.cubes.length > 0 && phase.needs.every((set) => set.cubes().length > 0);

    function end(phase) {
      if (phase.nothing === "read" || isEnough(phase)) {
        for (const { name, way: read } of phase.read) reads.set(name, read());
        now.effect = (phase.on && phase.effects.get(reads.get(phase.on).value)) || null;
        now.amount = now.effect?.amount?.whole() ?? null;
      }
      for (const moving of phase.after) moving();
      now.read = new Map(phase.read.map(({ name }) => [name, reads.get(name).value]));
    }

    function playPhase(phase, colour, told) {
      now.name = phase.name;
      now.colour = colour;
      now.phase = colour || phase.name;
      note(throwing, []);
      note(coming, []);
      for (const { name } of phase.read) reads.set(name, NOTHING);
      if (phase.when && !phase.when.holds()) return;
      for (const moving of phase.before) moving();
      const last = phase.nothing === "again" ? tree.limits.again : 1;
      for (let attempt = 1; attempt <= last; attempt++) {
        const inside = lying(INSIDE);
        let some = toThrow(phase);
        now.isUnloaded = inside.length > 0 && !some.length && phase.unload >= 0;
        if (now.isUnloaded) {
          for (const cube of inside) put(cube, phase.unload);
          some = toThrow(phase);
        }
        throwAll(some);
        const isOver = isEnough(phase) || !some.length || attempt === last;
        Object.assign(now, { effect: null, amount: null, read: new Map() });
        if (isOver) end(phase);
        else if (coming.cubes.length) for (const moving of phase.after) moving();
        told();
        now.index++;
        if (isOver) return;
      }
    }

    const setup = tree.setup && prepared(tree.setup);
    const phases = tree.phases.map(prepared);
    const until = expression(tree.until);

    function play(told) {
      place.set(first);
      counts.fill(0);
      for (let cube = 0; cube < place.length; cube++) counts[place[cube] * colours + colourOf[cube]]++;
      tower.empty();
      for (const name of reads.keys()) reads.set(name, NOTHING);
      now.index = now.round = 0;
      if (setup) playPhase(setup, "", told);
      for (now.round = 1; now.round <= rounds; now.round++) {
        for (const phase of phases) {
          for (const colour of phase.each.length ? phase.each : [""]) {
            playPhase(phase, colour, told);
            if (until && until.holds()) return;
          }
        }
      }
    }

    function knocked(cubes) {
      for (const cube of cubes) put(cube, pools.get(tree.knocked));
    }

    const countsAt = (where) => Array.from(counts.subarray(where * colours, (where + 1) * colours));
    return {
      play,
      now,
      knocked,
      colour: (cube) => tree.colours[colourOf[cube]],
      thrown: () => Array.from(throwing.counts),
      out: () => Array.from(coming.counts),
      inside: () => countsAt(INSIDE),
      held: () => sumOf(everyColour.map((i) => counts[INSIDE * colours + i])),
      pool: countsAt,
      floors: () => {
        const found = Array.from({ length: tower.floors }, () => tree.colours.map(() => 0));
        for (const cube of lying(INSIDE)) found[tower.floor[cube]][colourOf[cube]]++;
        return found;
      },
      covers: () => tower.covers(sumOf(Array.from(throwing.counts)), now.before),
    };
  }

  return { start, picker, machine };
})();
