// The tab of other games: those that are declared in a file, played by their plain trees.

const othersTab = (() => {
  const GAMES_OF = 2000;
  const SLIDER = 100; // the longest range of a slider: beyond it a number is written
  const ROWS = 60; // bars of a chart
  let latest = null;
  let isDue = true; // what is chosen was not played yet
  let drawnNow = ""; // what the chart shows: see othersFigures.choices

  function start() {
    find("tab-others").hidden = !lab.declared.length;
    if (!lab.declared.length) return;
    find("others-compare").addEventListener("change", () => {
      set({ b: find("others-compare").checked ? { ...state.others.a } : null });
      controls();
    });
    find("others-show").addEventListener("change", () => {
      drawnNow = find("others-show").value;
      show();
    });
    find("others-csv").addEventListener("click", () => save("tower-lab-other-game.csv", table(), "text/csv"));
    listeners.push((keys) => {
      if (keys.includes("all")) controls();
      isDue ||= keys.some((key) => ["others", "seed"].includes(key));
      if (isDue && state.tab === "others") play();
    });
    addEventListener(
      "resize",
      onceAFrame(() => latest && state.tab === "others" && show()),
    );
    controls();
    othersGame.start();
  }

  function tree() {
    return lab.declared.find(({ name }) => name === state.others.game);
  }

  function set(part) {
    change({ others: { ...state.others, ...part } });
  }

  // Choices

  function controls() {
    const { others } = state;
    const of = tree();
    const own =
      lab.tower[of.apparatus] || !of.apparatus
        ? ""
        : ` Its own tower, ${of.apparatus}, is not on this page: another takes its place.`;
    find("others-compare").checked = Boolean(others.b);
    find("others-about").textContent = `${of.title}${of.about && `: ${of.about}`}.${own}`;
    find("others-note").textContent = "";
    const game = choice(
      "Game",
      lab.declared.map(({ name, title }) => [name, title]),
      others.game,
      (name) => {
        const { apparatus } = lab.declared.find((each) => each.name === name);
        set({
          game: name,
          tower: lab.tower[apparatus] ? apparatus : state.others.tower,
          a: {},
          b: state.others.b && {},
        });
        controls();
      },
    );
    const tower = choice(
      "Tower",
      lab.towers.map(({ name }) => [name, name]),
      others.tower,
      (name) => set({ tower: name }),
    );
    const sides = others.b ? ["a", "b"] : ["a"];
    const has = of.parameters.length + of.policies.length > 0;
    refill(find("others-controls"), game.box, tower.box, ...(has ? sides.map(fields) : []));
  }

  /** Return a control for every parameter and policy of the game. */
  function fields(side) {
    const usual = declared.usual(tree());
    const now = (name) => state.others[side][name] ?? usual[name];
    const put = (name, value) => {
      const choices = { ...state.others[side], [name]: value };
      const wrong = declared.wrong(tree(), choices);
      find("others-note").textContent = wrong && `Not played: ${wrong}.`;
      if (!wrong) set({ [side]: choices });
    };
    const words_ = (each) => {
      const name = plainName(each.name);
      return !each.says || each.says.startsWith(name) ? each.says || name : `${name}: ${each.says}`;
    };
    const parameters = tree().parameters.map((each) => {
      const given = now(each.name);
      const changed = (value) => put(each.name, value);
      if (each.kind === "colour")
        return choice(
          words_(each),
          each.of.map((word) => [word, word]),
          given,
          changed,
        ).box;
      if (each.to - each.from <= SLIDER)
        return slider(words_(each), { least: each.from, most: each.to, value: given, changed }).box;
      const label = `${words_(each)} (${each.from} to ${each.to.toLocaleString("en")})`;
      return written(label, String(given), (text) => /^\d{1,9}$/.test(text.trim()) && changed(Number(text)), {
        inputmode: "numeric",
      }).box;
    });
    const policies = tree().policies.map(
      (each) =>
        choice(
          words_(each),
          each.of.map((word) => [word, plainName(word)]),
          now(each.name),
          (word) => put(each.name, word),
        ).box,
    );
    return make(
      "fieldset",
      {},
      make("legend", { text: state.others.b ? side.toUpperCase() : "Choices" }),
      ...parameters,
      ...policies,
    );
  }

  // Games

  function play() {
    isDue = false;
    const { game, tower, a, b } = state.others;
    const job = { kind: "others", tree: game, tower, a, b, seed: state.seed, games: GAMES_OF, first: 40, step: 100 };
    const of = tree();
    const taken = (result, done) => {
      latest = { done, sides: result, tree: of, a, b, tower };
      show();
    };
    work("others", askOthers, job, taken, (line) => (find("others-note").textContent = line));
  }

  function show() {
    if (!latest) return;
    const { sides, tree: of, done } = latest;
    const isPaired = sides.length > 1;
    const found = othersFigures.rows(of, sides);
    const devices = sides.map((_, i) => declared.device(of, i ? latest.b : latest.a));
    const usual = declared.usual(of);
    const isSame = isPaired && JSON.stringify({ ...usual, ...latest.a }) === JSON.stringify({ ...usual, ...latest.b });
    const sentences = isPaired
      ? othersFigures.pairWords(of, found, isSame)
      : [
          ...(devices[0] ? othersFigures.deviceWords(of, sides[0], devices[0]) : othersFigures.ownWords(of, found)),
          othersFigures.towerWords(found),
        ];
    const inPairs = isPaired ? " of each, in pairs: A and B get the same luck, as far as they throw alike" : "";
    const sure_ = `${done.toLocaleString("en")} games${inPairs}.`;
    const names = isPaired ? ["A", "B"] : [of.title];
    const beyond = sides.map((side, i) => beyondWords(names[i], side.outside / Math.max(side.throws, 1)));
    answer("others", sentences, sure_, beyond);
    drawChoice(names, devices);
    const rows = found.filter(
      (row) =>
        !row.value ||
        row.a.mean > 0 ||
        (isPaired && row.b.mean > 0) ||
        (devices[0] && othersFigures.shareOf(devices[0], row.value) > 0),
    );
    find("others-table").replaceChildren(isPaired ? pairTable(rows, othersFigures.told) : oneTable(rows, othersFigures.told, exactly(devices[0])));
    find("others-model").textContent = modelWords(lab.tower[latest.tower]);
  }

  /** Draw what is chosen, with the device's chances where it has them. */
  function drawChoice(names, devices) {
    const { sides, tree: of } = latest;
    const options = othersFigures.choices(of);
    const main = of.main ? `read ${of.main.reading}` : options[0][0];
    if (!options.some(([key]) => key === drawnNow)) drawnNow = main;
    const select = find("others-show");
    select.replaceChildren(
      ...options.map(([key, words_]) => make("option", { value: key, text: words_, selected: key === drawnNow })),
    );
    const { labels, shares, values } = othersFigures.drawn(of, sides, drawnNow);
    const isOneDevice =
      devices[0] &&
      JSON.stringify(devices[0]) === JSON.stringify(devices.at(-1)) &&
      drawnNow === `read ${devices[0].reads}`;
    const expected =
      isOneDevice && values ? values.map((value) => othersFigures.shareOf(devices[0], String(value))) : null;
    const isThere = labels.map(
      (_, i) => shares.some((each) => each[i] > 0) || (expected?.[i] ?? 0) > 0 || (!values && labels.length <= ROWS),
    );
    const kept = (list) => list.filter((_, i) => isThere[i]).slice(0, ROWS);
    const note = expected
      ? [make("p", { class: "note", text: `The thin line is the exact chance with the ${devices[0].kind}.` })]
      : [];
    const sets = names.map((name, i) => ({ name, shares: kept(shares[i]) }));
    find("others-legend").replaceChildren(...(names.length > 1 ? [legend(sets)] : []), ...note);
    const [, words_, of_, what] = options.find(([key]) => key === drawnNow);
    drawBars(find("others-chart"), kept(labels), sets, expected && kept(expected), of_, what, words_);
  }

  /** Return the column of what the device gives, exactly, or nothing where it does not stand beside the readings. */
  function exactly(device) {
    if (device && latest.tree.main?.reading !== device.reads) return [];
    const again = (row) => (row.key === `${device.reads}_again` ? device.twice.exact : "");
    const share = (row) => device.events.find(({ event }) => event === row.value)?.exact ?? "0";
    return device ? [`${device.kind}, exactly`, (row) => (row.value ? share(row) : again(row))] : [];
  }

  function table() {
    const found = othersFigures.rows(latest.tree, latest.sides);
    const head = latest.b ? ["a", "b", "difference", "low", "high"] : ["mean", "low", "high"];
    const cells = (row) =>
      latest.b
        ? [row.a.mean, row.b.mean, row.difference.mean, row.difference.low, row.difference.high]
        : [row.a.mean, row.a.low, row.a.high];
    return csv([["key", "title", ...head], ...found.map((row) => [row.key, row.title, ...cells(row)])]);
  }

  return {
    start,
    result: () => latest && { ...latest, rows: othersFigures.rows(latest.tree, latest.sides) },
  };
})();
