// What whole games of Amerigo come to: numbers of every phase, counted by drop, and the figures that `tower-sim compare`
// has of every game. It follows words.js, covered.js and many.js.

const figures = (() => {
  /** The figures of a game, by the definitions of tower_sim/games/amerigo/figures.py, which has their names and units. */
  const KEYS = [
    "inside_setup", "inside", "most_inside", "out", "share_out", "action_points", "actions", "gold", "gold_with_token", "skipped",
  ];

  /** What can be looked at phase by phase: [{ key, title, of, x }], `of` what is counted; those of a colour last. */
  function series(colours) {
    const one = (key, title, of, when = "in a phase") => ({ key, title, of, x: `${of} ${when}` });
    return [
      one("actions", "Actions to choose from", "actions to choose from"),
      one("action_points", "Action points", "action points"),
      one("gold", "Gold for passing", "gold"),
      one("gold_with_token", "Gold with the token", "gold"),
      one("inside", "Cubes inside", "cubes inside", "after a phase"),
      one("out", "Cubes out", "cubes out"),
      ...colours.map((colour, k) => one(`out ${k}`, `Out: ${colour}`, `${colour} cubes out`)),
      ...colours.map((colour, k) => one(`inside ${k}`, `Inside: ${colour}`, `${colour} cubes inside`, "after a phase")),
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
    const most = Math.max(...variant.cubes);
    const sizes = {
      actions: colours, action_points: most, gold: Math.ceil(cubes / variant.gold),
      gold_with_token: Math.ceil(cubes / variant.token), inside: cubes, out: cubes,
    };
    variant.cubes.forEach((count, k) => (sizes[`out ${k}`] = sizes[`inside ${k}`] = count));
    const counts = {};
    for (const [key, size] of Object.entries(sizes)) counts[key] = new Uint32Array(drops * (size + 1));
    const beyondAt = new Uint8Array((cubes + 1) ** 2);
    for (let n = 0; n <= cubes; n++) {
      for (let m = 0; m <= cubes; m++) beyondAt[n * (cubes + 1) + m] = covered(document.covered, n, m) ? 0 : 1;
    }
    const outOf = variant.cubes.map((_, k) => counts[`out ${k}`]);
    const insideOf = variant.cubes.map((_, k) => counts[`inside ${k}`]);
    const values = new Float64Array(KEYS.length);
    let played = 0;
    let beyond = 0;

    function add(seed, game) {
      games.play(seed, game);
      values.fill(0);
      let could = 0;
      let before = 0;
      for (let drop = 0; drop < drops; drop++) {
        let all = 0;
        let out = 0;
        let left = 0;
        let points = 0;
        let actions = 0;
        for (let k = 0; k < colours; k++) {
          const came = emerged[drop * colours + k];
          const stays = inside[drop * colours + k];
          all += thrown[drop * colours + k];
          out += came;
          left += stays;
          if (came > points) points = came;
          if (came) actions++;
          outOf[k][drop * (variant.cubes[k] + 1) + came]++;
          insideOf[k][drop * (variant.cubes[k] + 1) + stays]++;
        }
        const gold = Math.ceil(out / variant.gold);
        const token = Math.ceil(out / variant.token);
        counts.actions[drop * (colours + 1) + actions]++;
        counts.action_points[drop * (most + 1) + points]++;
        counts.gold[drop * (sizes.gold + 1) + gold]++;
        counts.gold_with_token[drop * (sizes.gold_with_token + 1) + token]++;
        counts.inside[drop * (cubes + 1) + left]++;
        counts.out[drop * (cubes + 1) + out]++;
        beyond += beyondAt[all * (cubes + 1) + before];
        if (drop === 0) values[0] = left;
        else {
          values[1] += left;
          if (left > values[2]) values[2] = left;
          values[3] += out;
          could += all + before;
          values[5] += points;
          values[6] += actions;
          values[7] += gold;
          values[8] += token;
          if (!out) values[9]++;
        }
        before = left;
      }
      values[4] = values[3] / Math.max(could, 1);
      for (const i of [1, 3, 5, 6, 7, 8]) values[i] /= drops - 1;
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
