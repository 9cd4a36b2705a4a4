// What whole games of Amerigo come to, by the figures of the game: FIGURES, which Python writes into the page from its
// register. It follows words.js, covered.js and many.js.

const figures = (() => {
  const KEYS = FIGURES.map(({ key }) => key);

  /** Those that are a whole number of every phase. */
  const OF_PHASES = FIGURES.filter((figure) => figure.at === "phases" && figure.take === "mean" && figure.isWhole);

  /** What can be looked at phase by phase: [{ key, title, of, x }], `of` what is counted; those of a colour last. */
  function series(colours) {
    const one = (key, of, when) => ({ key, title: of[0].toUpperCase() + of.slice(1), of, x: / in (a phase|play)$/.test(of) ? of : `${of} ${when}` });
    return [
      ...OF_PHASES.map(({ key, title, unit }) => {
        const plain = title.replace(/^mean /, "");
        return one(key, plain.split(" ").includes(unit) ? plain : `${unit} ${plain}`, "in a phase");
      }),
      ...colours.map((colour, k) => one(`out ${k}`, `${colour} cubes out`, "in a phase")),
      ...colours.map((colour, k) => one(`inside ${k}`, `${colour} cubes inside`, "after a phase")),
    ];
  }

  /** Return the plan of a variant, as `player` takes it: the set-up throws all, then round by round a colour a phase. */
  function planOf(variant) {
    const throws = [-1];
    for (let round = 0; round < variant.rounds; round++) throws.push(...variant.phases);
    return { cubes: variant.cubes, throws };
  }

  /**
   * Return what counts the games of a variant: { add(seed, game), values, counts, summary() }.
   *
   * After `add`, `values` are the figures of that game, in the order of KEYS. `counts[key]` has how often each number came,
   * at [drop * size + number].
   */
  function tally(document, variant) {
    const games = player(document.table, planOf(variant));
    const { drops, colours, cubes, thrown, emerged, inside } = games;
    const sizes = {}; // by key the largest number that its counts have room for; it grows
    const counts = {};
    for (const { key } of OF_PHASES) [sizes[key], counts[key]] = [colours, new Uint32Array(drops * (colours + 1))];
    variant.cubes.forEach((count, k) => {
      for (const key of [`out ${k}`, `inside ${k}`]) [sizes[key], counts[key]] = [count, new Uint32Array(drops * (count + 1))];
    });
    const beyondAt = new Uint8Array((cubes + 1) ** 2);
    for (let n = 0; n <= cubes; n++) {
      for (let m = 0; m <= cubes; m++) beyondAt[n * (cubes + 1) + m] = covered(document.covered, n, m) ? 0 : 1;
    }
    const outOf = variant.cubes.map((_, k) => counts[`out ${k}`]);
    const insideOf = variant.cubes.map((_, k) => counts[`inside ${k}`]);
    const values = new Float64Array(KEYS.length);
    const below = new Float64Array(KEYS.length); // what the means are taken over
    const rules = { gold_divisor: variant.gold, gold_divisor_with_token: variant.token };
    const at = { thrown: 0, out: 0, inside: 0, before: 0, own: 0, own_out: 0, colours: 0, lead: 0 }; // the drop looked at
    let played = 0;
    let beyond = 0;

    function count(key, drop, number) {
      const size = sizes[key];
      if (number > size) {
        const room = (sizes[key] = Math.max(number, 2 * size));
        const wider = new Uint32Array(drops * (room + 1));
        for (let i = 0; i < drops; i++) wider.set(counts[key].subarray(i * (size + 1), (i + 1) * (size + 1)), i * (room + 1));
        counts[key] = wider;
      }
      counts[key][drop * (sizes[key] + 1) + number]++;
    }

    function look(drop) {
      at.thrown = at.out = at.inside = at.own = at.own_out = at.colours = at.lead = 0;
      for (let k = 0; k < colours; k++) {
        const i = drop * colours + k;
        at.thrown += thrown[i];
        at.out += emerged[i];
        at.inside += inside[i];
        if (emerged[i]) at.colours++;
        if (thrown[i]) {
          at.own += emerged[i] + inside[i];
          at.own_out += emerged[i];
        } else if (emerged[i] > at.lead) at.lead = emerged[i];
        outOf[k][drop * (variant.cubes[k] + 1) + emerged[i]]++;
        insideOf[k][drop * (variant.cubes[k] + 1) + inside[i]]++;
      }
      at.before = at.inside + at.out - at.thrown;
    }

    function add(seed, game) {
      games.play(seed, game);
      values.fill(0);
      below.fill(0);
      for (let drop = 0; drop < drops; drop++) {
        look(drop);
        beyond += beyondAt[at.thrown * (cubes + 1) + at.before];
        for (const { key, of } of OF_PHASES) count(key, drop, Number(of(at, rules)));
        FIGURES.forEach((figure, i) => {
          if ((drop === 0) !== (figure.at === "setup") || !figure.where(at, rules)) return;
          const value = Number(figure.of(at, rules));
          if (figure.take === "most") values[i] = below[i] ? Math.max(values[i], value) : value;
          else values[i] += value;
          below[i] = figure.take === "mean" ? below[i] + Number(figure.among(at, rules)) : 1;
        });
      }
      for (let i = 0; i < values.length; i++) values[i] /= below[i] || 1;
      played++;
    }

    const summary = () => ({ games: played, drops, sizes, counts, beyond: beyond / (played * drops) });
    return { add, values, summary };
  }

  /** Return how often each number came in the phases: of counts by drop, those of every drop but the set-up. */
  function overPhases(summary, key) {
    const size = summary.sizes[key] + 1;
    const sums = new Float64Array(size);
    for (let i = size; i < summary.counts[key].length; i++) sums[i % size] += summary.counts[key][i];
    return sums;
  }

  /** Return the mean and the 5 % and 95 % points of a number after each drop. */
  function byDrop(summary, key) {
    const size = summary.sizes[key] + 1;
    return Array.from({ length: summary.drops }, (_, drop) => {
      const counts = summary.counts[key].subarray(drop * size, (drop + 1) * size);
      let sum = 0;
      let seen = 0;
      let [low, high] = [-1, -1];
      counts.forEach((count, number) => {
        sum += count * number;
        seen += count;
        if (low < 0 && seen >= 0.05 * summary.games) low = number;
        if (high < 0 && seen >= 0.95 * summary.games) high = number;
      });
      return { mean: sum / summary.games, low, high };
    });
  }

  return { KEYS, series, planOf, tally, overPhases, byDrop };
})();
