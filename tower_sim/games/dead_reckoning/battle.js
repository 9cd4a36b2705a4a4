// A Dead Reckoning battle by the default rulings and without abilities, as tower_sim.games.dead_reckoning plays it, and the
// odds of many. It follows words.js and ship.js.

const battle = (() => {
  const SUPPLY = 29; // of a player; of the non-player 20
  const NON_PLAYER = 20;
  const ZONE = "zone:";
  const SINKS_AT = 5;
  const MOST_STEPS = 100000; // far more than a battle ever has
  // What takes cubes off the board, in order; strength comes last, of those that still lie there.
  const COUNTS = { ship: ["plunder", "damage", "strength"], merchant: ["plunder", "damage", "strength"], building: ["damage", "strength"] };
  const NUMBERS = /** @type {const} */ (["strength", "coins", "cargo", "choice", "damage_given", "damage_taken"]);

  /**
   * Play a battle of `setup`, { kind: "ship" | "merchant" | "building", sides: [{ cubes, damage }, { cubes, damage }] }.
   *
   * Side 0 is active; side 1 is the other ship, the non-player or the buildings' owner. Cubes are numbered from 0, side by
   * side, as many as each has. `zones` has what is printed on each zone, by its place; `draw(thrown, lying)` takes numbers
   * of cubes and [number, place] of those that stay, and returns the place of each, lying ones first. Returns
   * { steps: [{ kind, thrown, short, places }], result }, `places` being where every cube is after the step, by number.
   */
  function play(/** @type {import("./types.js").BattleSetup} */ setup, zones, draw) {
    const stock = [SUPPLY, setup.kind === "merchant" ? NON_PLAYER : SUPPLY];
    const supply = stock.map((count, side) => Array.from({ length: count }, (_, i) => i + (side ? stock[0] : 0)));
    const sideOf = (cube) => (cube < stock[0] ? 0 : 1);
    const fetched = (wanted) => {
      const got = wanted.map((count, side) => supply[side].splice(0, count));
      return { cubes: got.flat(), short: wanted.map((count, side) => count - got[side].length) };
    };
    const isExplosive = (place) => zones[place]?.kind === "explosive";
    const steps = /** @type {{ kind: "throw" | "rethrow" | "explosion", thrown: number[], short: number[], places: Record<string, string> }[]} */ ([]);
    let lying = []; // [number, place], in the order in which they came to lie there
    const first = fetched(setup.sides.map((side) => side.cubes));
    let due = { kind: "throw", thrown: first.cubes, short: first.short };
    while (due && steps.length < MOST_STEPS) {
      if (due.thrown.length) {
        const again = new Set(due.thrown);
        const staying = lying.filter(([cube]) => !again.has(cube));
        const places = draw(due.thrown, staying);
        lying = [...staying.map(([cube]) => cube), ...due.thrown].map((cube, i) => [cube, places[i]]);
      }
      steps.push({ ...due, places: Object.fromEntries(lying) });
      due = next(lying);
    }
    return { steps, result: resolved(setup, lying.map(([cube, place]) => [sideOf(cube), zones[place]])) };

    function next(there) {
      const sorted = [...there].sort((a, b) => a[0] - b[0]);
      const again = sorted.filter(([, place]) => !place.startsWith(ZONE)).map(([cube]) => cube);
      if (again.length) return { kind: "rethrow", thrown: again, short: [0, 0] };
      const exploding = sorted.filter(([, place]) => isExplosive(place)).map(([cube]) => cube);
      if (!exploding.length) return null;
      const wanted = [0, 1].map((side) => exploding.filter((cube) => sideOf(cube) === side).length);
      const { cubes, short } = fetched(wanted);
      return { kind: "explosion", thrown: [...exploding, ...cubes], short };
    }
  }

  /** Return the result of cubes, each [side, what is printed on its zone]: { sides, winner, sunk }, sides by number. */
  function resolved(/** @type {import("./types.js").BattleSetup} */ setup, cubes) {
    const own = [0, 1].map(() => ({ strength: 0, coins: 0, cargo: 0, choice: 0, damage: 0 }));
    for (const [side, zone] of cubes) {
      if (!zone || !COUNTS[setup.kind].includes(zone.kind)) continue;
      if (zone.kind === "damage") own[side].damage += 1;
      else for (const name of ["strength", "coins", "cargo", "choice"]) own[side][name] += zone[name] ?? 0;
    }
    if (setup.kind === "merchant") Object.assign(own[1], { coins: 0, cargo: 0, choice: 0 }); // it does not plunder
    const winner = /** @type {0 | 1} */ (own[0].strength >= own[1].strength ? 0 : 1); // a tie is the active side's
    const outcome = (/** @type {0 | 1} */ side) => {
      const mine = own[side];
      const isShip = side === 0 || setup.kind === "ship";
      const taken = isShip ? own[1 - side].damage + (side !== winner && setup.kind !== "merchant" ? 1 : 0) : 0;
      const { strength, coins, cargo, choice } = mine;
      const damage = (setup.sides[side].damage ?? 0) + taken;
      return { strength, coins, cargo, choice, damage_given: mine.damage, damage_taken: taken, damage };
    };
    const sides = /** @type {const} */ ([outcome(0), outcome(1)]);
    return { sides, winner, sunk: /** @type {(0 | 1)[]} */ ([0, 1]).filter((side) => sides[side].damage >= SINKS_AT) };
  }

  /** Return what draws for `play` from words by a board's law; it notes in `seen.beyond` throws the data do not cover. */
  function drawing(law, word, seen = {}) {
    const number = new Map(law.places.map((place, k) => [place, k]));
    return (thrown, lying) => {
      const { landed, moved } = landing(thrown.length, lying.map(([, place]) => number.get(place)), word, law);
      seen.throws = (seen.throws ?? 0) + 1;
      if (!covers(thrown.length, lying.length, law)) seen.beyond = (seen.beyond ?? 0) + 1;
      return [...moved, ...landed].map((k) => law.places[k]);
    };
  }

  /** Return no odds yet: sums to which `add` adds battles. */
  function none(law) {
    const sums = () => /** @type {Record<typeof NUMBERS[number], { sum: number, squares: number }>} */ (
      Object.fromEntries(NUMBERS.map((name) => [name, { sum: 0, squares: 0 }])));
    const counts = () => /** @type {Record<string, number>} */ ({});
    /** @template T @returns {[T, T]} */
    const both = (/** @type {() => T} */ make) => [make(), make()];
    return {
      games: 0, wins: both(() => 0), sinks: both(() => 0), sides: both(sums), explosions: counts(), throws: 0, beyond: 0,
      strengths: both(counts), places: Object.fromEntries(law.places.map((/** @type {string} */ place) => [place, 0])),
    };
  }

  /** Play battles first ... first + count - 1 from the words of `seed` (four) and add them to `odds`. */
  function add(odds, setup, ship, seed, first, count) {
    const { law, zones } = ship;
    for (let game = first; game < first + count; game++) {
      const seen = {};
      const { steps, result } = play(setup, zones, drawing(law, words(seed, game), seen));
      odds.games++;
      odds.wins[result.winner]++;
      odds.throws += seen.throws ?? 0;
      odds.beyond += seen.beyond ?? 0;
      for (const side of result.sunk) odds.sinks[side]++;
      result.sides.forEach((side, i) => {
        for (const name of NUMBERS) {
          odds.sides[i][name].sum += side[name];
          odds.sides[i][name].squares += side[name] ** 2;
        }
        odds.strengths[i][side.strength] = (odds.strengths[i][side.strength] ?? 0) + 1;
      });
      const bangs = steps.filter((step) => step.kind === "explosion").length;
      odds.explosions[bangs] = (odds.explosions[bangs] ?? 0) + 1;
      for (const place of Object.values(steps[steps.length - 1].places)) odds.places[place]++;
    }
    return odds;
  }

  return { play, resolved, drawing, none, add, SUPPLY, NON_PLAYER, NUMBERS };
})();
