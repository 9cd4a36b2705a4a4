// The tab of battles: two forces, the odds, where the cubes end.

const KINDS = { ship: "another player's ship", merchant: "a merchant (the non-player)", building: "a fort or a garrison" };
const BUILDINGS = [2, 5, 7]; // cubes of a garrison, a fort, both

const fightTab = (() => {
  let latest = null;
  let isDue = true; // what is chosen was not played yet

  function start() {
    listeners.push((keys) => {
      if (keys.includes("all")) controls();
      isDue ||= keys.some((key) => ["fight", "seed"].includes(key));
      if (isDue && state.tab === "fight") play();
    });
    find("fight-csv").addEventListener("click", () => save("tower-lab-battles.csv", table(), "text/csv"));
    addEventListener("resize", onceAFrame(() => latest && state.tab === "fight" && show()));
    find("tab-fight").hidden = !lab.ships.length;
    if (lab.ships.length) controls();
  }

  function set(part) {
    change({ fight: { ...state.fight, ...part } });
  }

  /** Return the paints of the attacker and the defender. */
  function paintsOf() {
    const [purple, green, black] = lab.sides;
    return [purple, state.fight.kind === "merchant" ? black : green];
  }

  function names() {
    return paintsOf().map(({ name }) => name[0].toUpperCase() + name.slice(1));
  }

  function controls() {
    const { fight } = state;
    const [attacker, defender] = names();
    const [first, second] = paintsOf().map(chip);
    const kind = choice(`${attacker} attacks`, Object.entries(KINDS), fight.kind, (value) => {
      const most = value === "merchant" ? battle.NON_PLAYER : LIMITS.force;
      const other = value === "building" ? 5 : Math.min(state.fight.cubes[1], most);
      set({ kind: value, cubes: [state.fight.cubes[0], other], damage: [state.fight.damage[0], 0] });
      controls();
    });
    const force = (side, label, most, mark) => slider(label, {
      least: 0, most, value: fight.cubes[side], mark,
      changed: (count) => {
        const cubes = state.fight.cubes.map((old, i) => (i === side ? count : old));
        const has = cubes.some(Boolean);
        find("fight-note").textContent = has ? "" : "A battle has one cube or more.";
        if (has) set({ cubes });
      },
    }).box;
    const other = fight.kind === "building"
      ? choice(`${defender} defends`, [["2", "a garrison: 2 cubes"], ["5", "a fort: 5 cubes"], ["7", "both: 7 cubes"]], String(fight.cubes[1]),
        (value) => set({ cubes: [state.fight.cubes[0], Number(value)] })).box
      : force(1, `Cubes of ${defender}`, fight.kind === "merchant" ? battle.NON_PLAYER : LIMITS.force, second);
    const damage = (side, label) => slider(label, {
      least: 0, most: 4, value: fight.damage[side],
      changed: (value) => set({ damage: state.fight.damage.map((old, i) => (i === side ? value : old)) }),
    }).box;
    refill(
      find("fight-controls"),
      ...(lab.ships.length > 1 ? [choice("Ship", lab.ships.map(({ name }) => [name, name]), fight.ship, (ship) => set({ ship })).box] : []),
      kind.box, force(0, `Cubes of ${attacker}`, LIMITS.force, first), other,
      make("details", { open: fight.damage.some(Boolean) }, make("summary", { text: "Damage before the battle" }), damage(0, attacker),
        ...(fight.kind === "ship" ? [damage(1, defender)] : [])),
      make("p", { id: "fight-note", class: "note", role: "status" }),
      make("p", { class: "note", text: "By the default rulings and without abilities: cubes on a border or the table are thrown again, those in an explosive zone too, each with one more of its colour." }),
    );
  }

  function setup() {
    const { kind, cubes, damage } = state.fight;
    return { kind, sides: cubes.map((count, i) => ({ cubes: count, damage: damage[i] })) };
  }

  function play() {
    isDue = false;
    const job = { kind: "fight", setup: setup(), ship: state.fight.ship, seed: state.seed, games: 10000, first: 200, step: 500 };
    work("fight", askFight, job, (result) => {
      latest = result;
      show();
    });
  }

  function show() {
    const [attacker, defender] = names();
    const n = latest.games;
    const wins = statistics.share(latest.wins[0], n);
    const chance = (value) => `${(100 * value.share).toFixed(1)} % (${(100 * value.low).toFixed(1)} to ${(100 * value.high).toFixed(1)} %)`;
    const mean = (side, name) => {
      const { sum, squares } = latest.sides[side][name];
      return statistics.estimate(sum, squares, n);
    };
    const sinks = [0, 1].map((side) => latest.sinks[side] / n);
    const lines = [
      `${attacker} wins ${chance(wins)} of the battles; a tie is ${attacker}'s, who attacks.`,
      `Strength is ${said(mean(0, "strength").mean)} against ${said(mean(1, "strength").mean)} on average${sinks.some(Boolean) ? `; ${attacker}'s ship sinks in ${percent(sinks[0])}${state.fight.kind === "ship" ? `, ${defender}'s in ${percent(sinks[1])}` : ""} of the battles` : ""}.`,
    ];
    const sure_ = `${n.toLocaleString("en")} battles; the interval holds the true chance in 95 of 100 such counts, if the ship is as the model has it.`;
    const beyond = latest.throws ? latest.beyond / latest.throws : 0;
    answer("fight", lines, sure_, [beyondWords("these battles", beyond).replace("drops of these", "throws of these")]);
    find("fight-table").replaceChildren(tableOf(
      "Means a battle (95 % intervals)", ["figure", attacker, defender],
      battle.NUMBERS.map((name) => [lab.battle[name], ...[0, 1].map((side) => {
        const value = mean(side, name);
        return `${value.mean.toFixed(2)} (${value.low.toFixed(2)} to ${value.high.toFixed(2)})`;
      })]),
    ));
    const shares = [0, 1].map((side) => {
      const counts = latest.strengths[side];
      return Array.from({ length: Math.max(...Object.keys(counts).map(Number)) + 1 }, (_, i) => (counts[i] ?? 0) / n);
    });
    const bangs = sumOf(Object.entries(latest.explosions).map(([count, times]) => count * times)) / n;
    const sets = paintsOf().map((paint, side) => ({ name: names()[side], shares: shares[side], paint }));
    find("fight-legend").replaceChildren(legend(sets));
    drawHistogram(find("fight-histogram"), sets, "strength at the end", "battles", `Strength at the end: ${attacker} ${said(mean(0, "strength").mean)}, ${defender} ${said(mean(1, "strength").mean)} on average`);
    drawBoard();
    const ship = lab.ship[state.fight.ship];
    find("fight-model").textContent = `On average ${said(bangs)} explosions a battle. The ship ${ship.name} here is a model without physics: a law of where cubes land, fitted to ${ship.drops.toLocaleString("en")} simulated throws of ${ship.runs.toLocaleString("en")} battles. ${ship.close || "How close it is to physics is not known here."}`;
  }

  /** Draw the board: each zone as dark as its share of the cubes. */
  function drawBoard() {
    const ship = lab.ship[state.fight.ship];
    const all = sumOf(Object.values(latest.places));
    const [x0, x1, y0, y1] = ship.bounds.map((value) => 1000 * value);
    const root = find("board");
    const most = Math.max(...ship.zones.map((zone) => latest.places[`zone:${zone.name}`] / Math.max(all, 1)), 0.01);
    root.setAttribute("viewBox", `${x0 - 1} ${-y1 - 1} ${x1 - x0 + 2} ${y1 - y0 + 2}`);
    const zones = ship.zones.map((zone) => {
      const share = latest.places[`zone:${zone.name}`] / Math.max(all, 1);
      const corners = zone.corners.map(([x, y]) => [1000 * x, -1000 * y]);
      const middle = [0, 1].map((axis) => sumOf(corners.map((corner) => corner[axis])) / corners.length);
      const shape = svg("polygon", { points: corners.map((corner) => corner.join(",")).join(" "), class: "zone" });
      shape.style.fillOpacity = 0.05 + 0.5 * (share / most);
      const wide = Math.max(...corners.map(([x]) => x)) - Math.min(...corners.map(([x]) => x));
      const size = Math.min(4.6, (1.6 * wide) / zone.words.length); // mm: a letter is some 0.55 of it wide
      return svg("g", {}, shape,
        svg("text", { x: middle[0], y: middle[1] - 1, class: "zone-name", "font-size": size }, zone.words),
        svg("text", { x: middle[0], y: middle[1] + 6, class: "zone-share" }, `${(100 * share).toFixed(1)} %`));
    });
    root.replaceChildren(svg("rect", { x: x0, y: -y1, width: x1 - x0, height: y1 - y0, class: "beyond" }), ...zones);
    root.setAttribute("aria-label", `The board from above: of the cubes at the end ${ship.zones.map((zone) => `${(100 * (latest.places[`zone:${zone.name}`] / Math.max(all, 1))).toFixed(1)} % in ${plainName(zone.name)}`).join(", ")}`);
  }

  function table() {
    const [attacker, defender] = names();
    const lines = [["kind", "key", attacker, defender]];
    lines.push(["battles", "wins", ...latest.wins], ["battles", "ships sunk", ...latest.sinks]);
    for (const name of battle.NUMBERS) lines.push(["mean", name, ...[0, 1].map((side) => latest.sides[side][name].sum / latest.games)]);
    for (const [place, count] of Object.entries(latest.places)) lines.push(["cubes at the end", place, count, null]);
    for (const [count, times] of Object.entries(latest.explosions)) lines.push(["battles by explosions", count, times, null]);
    lines.push(["about", "battles", latest.games, null], ["about", "seed", state.seed, null]);
    return csv(lines);
  }

  return { start, result: () => latest };
})();
