// Declared games (docs/games.md) in the page, by the plain tree that games/declared/plain.py makes of a file: one game
// throw by throw, or the figures of many. A plain script that makes one object; it follows covered.js, many.js,
// declared_numbers.js and declared_run.js.
//
//   const choices = { ...declared.usual(tree), pick: "most" };
//   declared.wrong(tree, choices);                            // "", or one line that says what is not allowed
//   declared.play(tree, table, choices, words(four, 0));      // { throws, figures, read }
//   declared.many(tree, table, choices, { words, seed: four, first: 0, games: 1000 });
//   declared.game(tree, table, choices, { words, seed: four, game: 7 });   // the eighth of them
//
// `table` is the document of `tower-sim surrogate export NAME --to json`. The tower draws its words as sampler.js does.
// The game draws its own from `pick`, in the order of the file: for each cube picked, each tie decided by lot and each
// cube of a sample one word (and one more where it has to be drawn again, so that all chances are equal; see picker).

const declared = (() => {
  const PICKS = 2147483648; // game g picks from stream g + 2^31
  const mean = (numbers) => (numbers.length ? sumOf(numbers) / numbers.length : 0);

  /** Return the value of every parameter and policy as the file has them. */
  function usual(tree) {
    return Object.fromEntries([...tree.parameters, ...tree.policies].map((one) => [one.name, one.is]));
  }

  /** Say in one line what is not allowed of some choices, or nothing. Those that are missing are the usual ones. */
  function wrong(tree, choices) {
    const known = [...tree.parameters, ...tree.policies];
    for (const key of Object.keys(choices ?? {})) {
      if (!known.some((one) => one.name === key)) {
        return refused(
          `a key of the rules`,
          key,
          known.length ? `one of ${known.map((one) => one.name).join(", ")}` : "none",
        );
      }
    }
    const all = { ...usual(tree), ...choices };
    for (const { name, of, from, to } of known) {
      const value = all[name];
      if (of && !of.includes(value)) return refused(`rules.${name}`, value, `one of ${of.join(", ")}`);
      if (!of && !(Number.isSafeInteger(value) && value >= from && value <= to)) {
        return refused(`rules.${name}`, value, `a whole number from ${from} to ${to}`);
      }
    }
    try {
      return wrongStart(tree, declaredRun.start(tree, all)) || wrongDevice(tree, all);
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
  }

  function wrongStart(tree, { cubes, rounds }) {
    const { limits, phases } = tree;
    if (cubes < 1 || cubes > limits.cubes) return refused("number of cubes in pools", cubes, `1 to ${limits.cubes}`);
    const most = Math.floor(limits.throws / sumOf(phases.map((phase) => Math.max(1, phase.each.length))));
    const least = tree.setup ? 0 : 1; // without a set-up nothing would be thrown
    const isPlayed = rounds() >= least && rounds() <= most;
    return isPlayed ? "" : refused("rounds.times", rounds(), `a whole number from ${least} to ${most}`);
  }

  function refused(what, value, allowed) {
    return `${what} is ${shown(value)}; allowed is ${allowed}`;
  }

  /** Return all choices, and throw a RangeError for those that are wrong. */
  function checked(tree, choices) {
    const told = wrong(tree, choices);
    if (told) throw new RangeError(told);
    return { ...usual(tree), ...choices };
  }

  /**
   * Play one game: return { throws, figures, read }.
   *
   * A throw is { index, round, phase, thrown, out, inside, floors, pools, isUnloaded, read, effect }: counts by colour,
   * of `floors` by floor from the top, of `pools` by name, all after the throw; `isUnloaded`: the tower was emptied
   * before it; `read` by name a number, a colour or word, several colours, or null; `effect` { event, says, amount } or
   * null. `figures` are those of tree.figures, `read` by name all that was read, in order. `word` and `pick` give whole
   * numbers below 2^32. Throws a RangeError of one line for choices that are wrong, and for a number that cannot be.
   */
  function play(tree, table, choices, word, pick = word) {
    const game = begun(tree, choices, ...towerAndLots(table, word, pick));
    game.play();
    return { throws: game.throws, figures: game.figures(), read: game.read() };
  }

  /**
   * Return a game before its first throw: { play, now, colour, knocked, throws, read, figures }; see declaredRun.machine.
   *
   * play(settled) plays it, and calls settled() after each throw, before it is noted in `throws`, as `play` has them;
   * read() and figures() are of those.
   */
  function begun(tree, choices, towerOf, lots) {
    const run = declaredRun.machine(tree, checked(tree, choices), towerOf, lots);
    const told = notes(tree);
    const throws = [];
    const play = (settled = () => {}) => run.play(() => {
      settled();
      note(tree, told, run);
      throws.push(thrown(tree, run));
    });
    return { ...run, play, throws, read: () => Object.fromEntries(told.read), figures: () => figures(tree, told) };
  }

  /** Play game number `game` of those that `many` plays, and return what `play` returns. */
  function game(tree, table, choices, { words, seed, game: number }) {
    return play(tree, table, choices, words(seed, number), words(seed, number + PICKS));
  }

  function towerAndLots(table, word, pick) {
    const covers = (thrown, inside) => covered(table.covered, thrown, inside);
    return [(cubes) => ({ ...cubeTower(table.table, cubes, word), covers }), declaredRun.picker(pick)];
  }

  function thrown(tree, run) {
    const { now } = run;
    const { index, round, phase, isUnloaded } = now;
    const effect = now.effect && { event: now.effect.event, says: now.effect.says, amount: now.amount };
    const pools = Object.fromEntries(tree.pools.map(({ name }, i) => [name, run.pool(i)]));
    const counts = { thrown: run.thrown(), out: run.out(), inside: run.inside(), floors: run.floors(), pools };
    return { index, round, phase, ...counts, isUnloaded, read: Object.fromEntries(now.read), effect };
  }

  // Figures

  function notes(tree) {
    return { read: new Map(tree.readings.map(({ name }) => [name, []])), inside: [], amount: 0, throws: 0, outside: 0, columns: [] };
  }

  /** Note what figures are made of, after a throw. */
  function note(tree, told, run) {
    for (const [name, value] of run.now.read) if (value !== null) told.read.get(name).push(value);
    told.amount += run.now.amount ?? 0;
    told.inside.push(run.held());
    told.throws += run.thrown().some((count) => count > 0) ? 1 : 0;
    told.outside += run.covers() ? 0 : 1;
    if (tree.own.length && run.now.phase !== "setup") told.columns.push(columns(run));
  }

  /** Return what the figures of a game's own are made of: the columns of a throw, and what was read of it. */
  function columns(run) {
    const [thrown, out, inside] = [run.thrown(), run.out(), run.inside()];
    const sum = (counts) => counts.reduce((all, count) => all + count, 0);
    const ofThrown = (counts, is) => counts.filter((count, k) => thrown[k] > 0 === is);
    return {
      ...Object.fromEntries(run.now.read),
      thrown: sum(thrown), out: sum(out), inside: sum(inside), before: sum(inside) + sum(out) - sum(thrown), colours: out.filter(Boolean).length,
      own: sum(ofThrown(out, true)) + sum(ofThrown(inside, true)), own_out: sum(ofThrown(out, true)),
      lead: Math.max(0, ...ofThrown(out, false)),
    };
  }

  /** Return the value of a figure of the game's own: see Figure in Python's runs/figure.py. */
  function ownFigure({ take, of, among, where }, drops, limit) {
    let drop = null;
    const scope = { number: (name) => () => drop[name] ?? null, limit };
    const work = [of, among, where].map((each) => declaredNumbers.expression(each, scope).value);
    const plain = (x) => (x === null ? NaN : typeof x === "number" ? x : Number(x.n) / Number(x.d));
    const found = drops.map((each) => {
      drop = each;
      return work.map((value) => plain(value()));
    }).filter(([x, y, z]) => z && Number.isFinite(x) && Number.isFinite(y));
    const values = found.map(([x]) => x);
    if (!values.length) return 0;
    const sum = (numbers) => numbers.reduce((all, x) => all + x, 0);
    if (take === "sum") return sum(values);
    if (take === "most") return Math.max(...values);
    if (take === "spread") return Math.sqrt(mean(values.map((x) => (x - mean(values)) ** 2)));
    const below = sum(found.map(([, y]) => y));
    return below > 0 ? sum(values) / below : 0;
  }

  /** Return the figures of one game, as `measured` does in Python. */
  function figures(tree, told) {
    const own = tree.readings.map(({ name, kind }) => {
      const values = told.read.get(name);
      if (kind === "number") return mean(values);
      if (kind === "set") return mean(values.map((value) => value.length));
      return mean(values.slice(1).map((value, i) => (value === values[i] ? 1 : 0)));
    });
    const phases = tree.setup ? [tree.setup, ...tree.phases] : tree.phases;
    if (phases.some((phase) => phase.effects)) own.push(told.amount);
    own.push(...tree.own.map((figure) => ownFigure(figure, told.columns, tree.limits.number)));
    return [...own, mean(told.inside), told.throws];
  }

  /**
   * Play games first, first + 1, ...: return { games, figures, shares, read, throws, outside }.
   *
   * `words(seed, stream)` makes a function that gives words; the tower of game g draws from stream g, the game itself
   * from stream g + 2^31: so another way to read changes no fall of any cube until other cubes are thrown. `figures`
   * has an array of the games' values for each of tree.figures, `shares` one for each of tree.main.values: its share
   * among all that was read in that game. `read` says by name how many `reads` there were and how often each value was
   * read, of several colours each; `outside` is how many of all `throws` no data cover.
   */
  function many(tree, table, choices, { words, seed, first = 0, games }) {
    const all = checked(tree, choices);
    const source = { word: null, pick: null };
    const run = declaredRun.machine(tree, all, ...towerAndLots(table, () => source.word(), () => source.pick()));
    const values = tree.main?.values ?? [];
    const found = {
      games,
      figures: tree.figures.map(() => new Float64Array(games)),
      shares: values.map(() => new Float64Array(games)),
      read: new Map(
        tree.readings.map(({ name, values: known }) => [
          name,
          { reads: 0, times: new Map(known.map((one) => [one, 0])) },
        ]),
      ),
      throws: 0,
      outside: 0,
    };
    for (let game = 0; game < games; game++) {
      source.word = words(seed, first + game);
      source.pick = words(seed, first + game + PICKS);
      const told = notes(tree);
      run.play(() => note(tree, told, run));
      figures(tree, told).forEach((value, i) => (found.figures[i][game] = value));
      const main = tree.main ? told.read.get(tree.main.reading) : [];
      values.forEach(
        (value, i) => (found.shares[i][game] = main.filter((one) => one === value).length / Math.max(1, main.length)),
      );
      for (const [name, list] of told.read) count(found.read.get(name), list);
      found.throws += told.throws;
      found.outside += told.outside;
    }
    return { ...found, read: plainRead(found.read) };
  }

  function count(into, list) {
    into.reads += list.length;
    for (const value of list.flat()) into.times.set(value, (into.times.get(value) ?? 0) + 1);
  }

  /** Return by name { reads, values: [[value, times]...] }: words in their order, numbers from the least. */
  function plainRead(read) {
    const inOrder = (times) => [...times].sort(([a], [b]) => (typeof a === "number" ? a - b : 0));
    return Object.fromEntries([...read].map(([name, { reads, times }]) => [name, { reads, values: inOrder(times) }]));
  }

  /** Return the figures of several parts of a game's many games, as `many` returns them, in their order, as of one. */
  function joined(parts) {
    const total = (key) => sumOf(parts.map((part) => part[key]));
    const arrays = (key) => parts[0][key].map((_, i) => Float64Array.from(parts.flatMap((part) => [...part[key][i]])));
    const read = new Map(Object.keys(parts[0].read).map((name) => [name, { reads: 0, times: new Map() }]));
    for (const part of parts) {
      for (const [name, { reads, values }] of Object.entries(part.read)) {
        const into = read.get(name);
        into.reads += reads;
        for (const [value, times] of values) into.times.set(value, (into.times.get(value) ?? 0) + times);
      }
    }
    const sums = { games: total("games"), throws: total("throws"), outside: total("outside") };
    return { ...sums, figures: arrays("figures"), shares: arrays("shares"), read: plainRead(read) };
  }

  // What the tower stands in for

  /** Return the counts by event of the device, a Map, and how many are drawn in a game. */
  function deviceOf(tree, choices) {
    const { device } = tree;
    const begun = declaredRun.start(tree, choices);
    const inKinds = new Set(device.kinds.flatMap(({ events }) => events));
    const ofPool = () => {
      const counts = begun.pools[tree.pools.findIndex((pool) => pool.name === device.counts)];
      return tree.colours
        .map((colour, i) => [colour, counts[i]])
        .filter(([colour, number]) => number || inKinds.has(colour));
    };
    const ofList = () => device.counts.map(({ event, number }) => [event, begun.atStart(number)]);
    const counts = new Map(typeof device.counts === "string" ? ofPool() : ofList());
    const size = sumOf([...counts.values()]);
    const dealt = device.deal === null ? size : begun.atStart(device.deal);
    const reading = tree.phases.filter((phase) => phase.read.some(({ name }) => name === device.reads));
    const planned = begun.rounds() * sumOf(reading.map((phase) => Math.max(1, phase.each.length)));
    return { counts, size, dealt, draws: device.kind === "deck" ? Math.min(dealt, planned) : planned };
  }

  function wrongDevice(tree, choices) {
    if (!tree.device) return "";
    const { name, most, kinds } = tree.device;
    const { counts, size, dealt } = deviceOf(tree, choices);
    for (const [event, number] of counts) {
      if (number > most) return refused(`devices.${name}.counts.${event}`, number, `a whole number from 0 to ${most}`);
    }
    if (size < 1 || size > most) return refused(`devices.${name}.counts`, size, `1 to ${most} in all`);
    const taken = kinds.find((kind) => counts.has(kind.name) && !kind.events.includes(kind.name));
    if (taken) return refused(`devices.${name}.kinds`, taken.name, "a word that is no event");
    return dealt < 1 || dealt > size
      ? refused(`devices.${name}.deal`, dealt, `a whole number from 1 to ${size}, which is all there are`)
      : "";
  }

  /**
   * Return what the tower stands in for, as the choices have it; null where there is nothing.
   *
   * { kind: "deck", "bag" or "dice", name, reads, size, draws of a game, events: [{ event, number, share, exact }],
   * kinds: [{ name, events, number, share, exact }], twice: { share, exact } }: the chance of each event at any one
   * draw, and of the same event twice running; `exact` is the fraction as text.
   */
  function device(tree, choices = {}) {
    if (!tree.device) return null;
    const { name, kind, reads, kinds } = tree.device;
    const { counts, size, draws } = deviceOf(tree, checked(tree, choices));
    if (!draws) return null;
    const share = (n, d) => {
      const found = d ? declaredNumbers.fraction(n, d) : 0;
      return { share: d ? Number(n) / Number(d) : 0, exact: declaredNumbers.written(found) };
    };
    const several = (events) => {
      const number = sumOf(events.map((event) => counts.get(event)));
      return { number, ...share(BigInt(number), BigInt(size)) };
    };
    const again = kind === "deck" ? 1n : 0n; // a card drawn is gone
    const pairs = [...counts.values()].map(BigInt).reduce((all, number) => all + number * (number - again), 0n);
    return {
      kind,
      name,
      reads,
      size,
      draws,
      events: [...counts.keys()].map((event) => ({ event, ...several([event]) })),
      kinds: kinds.map((one) => ({ ...one, ...several(one.events) })),
      twice: share(pairs, BigInt(size) * (BigInt(size) - again)),
    };
  }

  return { usual, wrong, begun, play, game, many, joined, device };
})();
