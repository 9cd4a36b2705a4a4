// The tab of house rules: controls of A and B, what a player will notice, the histogram, the figures.

const rulesTab = (() => {
  let latest = null; // the newest result: { done, games, sums, sides }

  function start() {
    find("series").append(
      ...figures.series(lab.rules.colours).map(({ key, title }) => make("option", { value: key, text: title })),
    );
    find("series").addEventListener("change", () => change({ series: find("series").value }));
    find("compare").addEventListener("change", compared);
    for (const side of ["a", "b"]) find(`edit-${side}`).addEventListener("click", () => change({ edit: side }));
    find("save-csv").addEventListener("click", () => save("tower-lab.csv", table(), "text/csv"));
    for (const side of ["a", "b"]) {
      find(`save-toml-${side}`).addEventListener("click", () =>
        save(`${fileName(nameOf(side))}.toml`, toml(state[side]), "application/toml"));
    }
    listeners.push((keys) => {
      if (keys.some((key) => ["a", "b", "seed", "games"].includes(key))) play();
      if (keys.some((key) => ["edit", "all"].includes(key))) controls();
      if (keys.includes("series")) show();
    });
    addEventListener("resize", onceAFrame(() => latest && draw()));
    new IntersectionObserver(([seen]) => find("strip").classList.toggle("away", !seen.isIntersecting)).observe(find("histogram"));
    controls();
  }

  function compared() {
    const b = find("compare").checked ? { ...copied(state.a), name: "B" } : null;
    change({ b, edit: b ? "b" : "a", whole: { ...state.whole, side: "a", drop: 0 } });
  }

  /** Build the controls of the variant that is edited. */
  function controls() {
    const side = state.edit;
    const variant = state[side];
    find("compare").checked = Boolean(state.b);
    find("edits").hidden = !state.b;
    find("save-toml-b").hidden = !state.b;
    for (const each of ["a", "b"]) find(`edit-${each}`).setAttribute("aria-pressed", String(each === side));
    find("series").value = state.series;
    const { colours } = lab.rules;
    const each = colours.map((colour, k) => slider(colour, {
      least: 0, most: LIMITS.cubes, value: variant.cubes[k], mark: chip(lab.paints[k]),
      changed: (count) => setCubes(state[side].cubes.map((old, i) => (i === k ? count : old))),
    }));
    const all = slider("Cubes of every colour", {
      least: 0, most: LIMITS.cubes, value: variant.cubes[0],
      changed: (count) => {
        each.forEach(({ show: tell }) => tell(count));
        setCubes(colours.map(() => count));
      },
    });
    const setCubes = (cubes) => {
      if (!cubes.some(Boolean)) {
        find("cubes-note").textContent = "A game has one cube or more.";
        return;
      }
      find("cubes-note").textContent = `${counted(sumOf(cubes), "cube")} in all`;
      const isEven = cubes.every((count) => count === cubes[0]);
      all.show(isEven ? cubes[0] : Math.round(sumOf(cubes) / cubes.length), isEven ? String(cubes[0]) : "mixed");
      changeVariant({ cubes }, side);
    };
    const tower = choice("Tower", lab.towers.map(({ name }) => [name, name]), variant.tower, (name) => {
      changeVariant({ tower: name }, side);
    });
    const number = (label, key, most) => slider(label, {
      least: 1, most, value: variant[key], changed: (value) => changeVariant({ [key]: value }, side),
    }).box;
    const order = orderList(
      "Order of the colours in a round",
      variant.phases.map((k) => ({ words: colours[k], mark: chip(lab.paints[k]) })),
      (places) => changeVariant({ phases: places.map((place) => variant.phases[place]) }, side),
    );
    refill(
      find("controls"),
      written("Name", variant.name, (name) => changeVariant({ name: tidy(name) }, side), { maxlength: LIMITS.name }).box,
      tower.box, all.box,
      make("details", { open: new Set(variant.cubes).size > 1 }, make("summary", { text: "Cubes of each colour" }), ...each.map(({ box }) => box)),
      make("p", { id: "cubes-note", class: "note", role: "status" }),
      number("Rounds", "rounds", LIMITS.rounds),
      number("Cubes for one gold", "gold", LIMITS.gold),
      number("Cubes for one gold, with the token", "token", LIMITS.gold),
      make("details", {}, make("summary", { text: "Order of the colours" }), make("p", { class: "note", text: "Each phase throws the cubes of one colour that are outside." }), order),
      make(
        "div", { class: "bar" },
        button("Published rules", () => {
          change({ [side]: { ...usualVariant(side.toUpperCase()), name: state[side].name } });
          controls();
        }),
        ...(state.b ? [button(side === "b" ? "Copy A here" : "Copy B here", () => {
          const other = side === "b" ? "a" : "b";
          change({ [side]: { ...copied(state[other]), name: state[side].name } });
          controls();
        })] : []),
      ),
    );
    const isEven = new Set(variant.cubes).size === 1;
    if (!isEven) all.show(Math.round(sumOf(variant.cubes) / colours.length), "mixed");
    find("cubes-note").textContent = `${counted(sumOf(variant.cubes), "cube")} in all`;
  }

  /** Play the games of what is chosen now. */
  function play() {
    const { a, b, seed, games } = state;
    work("rules", ask, { kind: "rules", a, b, seed, games }, (result, done) => {
      latest = { done, games, ...result, a, b };
      show();
    });
  }

  /** Return the rows of figures, the most telling first. */
  function rows() {
    const every = statistics.rows(latest.sums, FIGURES, Boolean(latest.b));
    const minor = (row) => FIGURES.find(({ key }) => key === row.key).minor;
    return [...every.filter((row) => !minor(row)), ...every.filter(minor)];
  }

  function withChoice(side) {
    const counts = figures.overPhases(side, "actions");
    return 1 - (counts[0] + counts[1]) / sumOf(counts);
  }

  /** Show the newest result. */
  function show() {
    if (!latest) return;
    const found = rows();
    const byKey = Object.fromEntries(found.map((row) => [row.key, row]));
    const shares = latest.sides.map(withChoice);
    const isSame = latest.b && JSON.stringify({ ...latest.a, name: "" }) === JSON.stringify({ ...latest.b, name: "" });
    const cubes = sumOf(latest.a.cubes);
    const sentences = isSame
      ? ["A and B have the same rules and the same tower: from the same luck every game is the same. Change one of them."]
      : latest.b ? differs(byKey, shares) : alone(byKey, shares[0], cubes);
    const warnings = shownNames().map((name, i) => beyondWords(name, latest.sides[i].beyond));
    answer("rules", sentences, howSure(byKey.actions, latest.done, Boolean(latest.b)), warnings);
    const told = (row, ...value) => exact_(...value);
    const spread = ["from game to game ±", ({ a }) => exact_(a.sd, a.sd / 10)];
    find("figures").replaceChildren(latest.b ? pairTable(found, told) : oneTable(found, told, spread));
    const sides = [latest.a, latest.b].filter(Boolean);
    const towers = [...new Set(sides.map((variant) => variant.tower))].map((name) => lab.tower[name]);
    find("model").replaceChildren(...towers.map((tower) => make("p", { text: modelWords(tower) })));
    find("model-short").textContent = towers.map(modelWords).join(" ");
    draw();
  }

  /** Return the names of what was played last, which need not be what is chosen by now. */
  function shownNames() {
    return latest.b ? [labelOf("a", latest), labelOf("b", latest)] : [nameOf("a", latest)];
  }

  /** Draw the charts of the newest result. */
  function draw() {
    const names = shownNames();
    const { title, of, x } = figures.series(lab.rules.colours).find(({ key }) => key === state.series);
    const sets = latest.sides.map((side, i) => {
      const counts = figures.overPhases(side, state.series);
      const all = sumOf(counts);
      return { name: names[i], shares: counts.map((count) => count / all) };
    });
    const mean = ({ shares }) => sumOf(shares.map((share, i) => share * i));
    const words_ = `${title}, how often each number comes in the phases: ${sets.map((set) => `${set.name}, mean ${exact_(mean(set), 0.05)}`).join("; ")}`;
    find("chart-title").textContent = title;
    find("legend").replaceChildren(...(latest.b ? [legend(sets)] : []));
    const { from, to } = drawHistogram(find("histogram"), sets, x, "phases", words_);
    drawStrip(find("strip-chart"), sets, { from, to });
    find("strip-words").textContent = `${title}: ${sets.map((set, i) => `${latest.b ? `${"AB"[i]} ` : ""}${exact_(mean(set), 0.05)}`).join(", ")} on average`;
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    find("histogram-table").replaceChildren(tableOf(
      `${title}: share of the phases`, ["number", ...sets.map((set) => set.name)],
      numbers.map((i) => [String(i), ...sets.map((set) => percent(set.shares[i] ?? 0))]),
    ));
    const courses = latest.sides.map((side, i) => ({ name: names[i], points: figures.byDrop(side, state.series) }));
    const isOfPhases = !/^(inside|out)/.test(state.series);
    if (isOfPhases) for (const { points } of courses) points[0] = { mean: NaN, low: 0, high: 0 }; // the set-up is no phase
    drawCourse(find("course"), courses, "drop", of, `${title} after each drop of a game`);
  }

  /** Return the figures and the histograms of all numbers as CSV. */
  function table() {
    const found = rows();
    const sides = latest.b ? ["a", "b"] : ["a"];
    const lines = [["kind", "key", "title", "number", ...sides.map((side) => `${side}: ${nameOf(side, latest)}`), "difference", "low", "high", "p_adjusted"]];
    for (const row of found) {
      const more = latest.b ? [row.difference.mean, row.difference.low, row.difference.high, row.adjusted] : [null, row.a.low, row.a.high, null];
      lines.push(["mean over games", row.key, row.title, null, ...sides.map((side) => row[side].mean), ...more]);
    }
    for (const { key, title } of figures.series(lab.rules.colours)) {
      const counts = latest.sides.map((side) => figures.overPhases(side, key));
      const length = Math.max(...counts.map((each) => each.length));
      for (let i = 0; i < length; i++) lines.push(["phases", key, title, i, ...counts.map((each) => each[i] ?? 0), null, null, null, null]);
    }
    for (const [key, value] of [["games", latest.done], ["seed", state.seed]]) lines.push(["about", key, String(value), null, ...sides.map(() => null), null, null, null, null]);
    return csv(lines);
  }

  return { start, play, show, table, result: () => latest && { ...latest, rows: rows() } };
})();
