// The tab of one whole game, drop by drop, in a drawing of the tower: one of the games that are counted on the first tab.

const wholeTab = (() => {
  let game = null; // the game that is shown: its counts, and where every cube is drawn after every drop
  let cubes = []; // elements, by number
  let shown = null; // the variant and game that the drawing is of
  let timer = 0;

  function start() {
    find("whole-side").addEventListener("change", () => move({ side: find("whole-side").value, drop: 0 }));
    find("whole-game").addEventListener("change", () => {
      const number = Math.round(Number(find("whole-game").value));
      move({ game: Math.min(Math.max(Number.isFinite(number) ? number : 0, 0), LIMITS.game), drop: 0 });
    });
    find("whole-drop").addEventListener("input", () => move({ drop: Number(find("whole-drop").value) }));
    find("whole-back").addEventListener("click", () => move({ drop: Math.max(state.whole.drop - 1, 0) }));
    find("whole-next").addEventListener("click", () => next());
    find("whole-play").addEventListener("click", () => (timer ? stop() : run()));
    find("whole-another").addEventListener("click", () => move({ game: (state.whole.game + 1) % (LIMITS.game + 1), drop: 0 }));
    listeners.push((keys) => {
      if (state.tab !== "whole") stop();
      else if (keys.some((key) => ["whole", "tab", "a", "b", "seed"].includes(key))) show();
    });
  }

  function move(part) {
    change({ whole: { ...state.whole, ...part } });
  }

  function next() {
    if (state.whole.drop < game.drops - 1) move({ drop: state.whole.drop + 1 });
    else stop();
  }

  function run() {
    if (state.whole.drop === game.drops - 1) move({ drop: 0 });
    timer = setInterval(next, wantsStillness() ? 1200 : 1700);
    find("whole-play").textContent = "Pause";
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    find("whole-play").textContent = "Play";
  }

  /** Play the game that is chosen. */
  function played(variant, number) {
    const tower = lab.tower[variant.tower];
    const one = player(tower.document.table, figures.planOf(variant));
    const places = new Uint8Array(one.drops * one.cubes);
    one.play(seedWords(state.seed), number, places);
    const colourOf = variant.cubes.flatMap((count, k) => Array(count).fill(k));
    const isOut = (drop, cube) => drop < 0 || places[drop * one.cubes + cube] === one.floors;
    const throws = figures.planOf(variant).throws;
    const drops = throws.map((phase, drop) => {
      const thrown = colourOf.map((k, cube) => cube).filter((cube) => (phase < 0 || colourOf[cube] === phase) && isOut(drop - 1, cube));
      const wasInside = (cube) => !isOut(drop - 1, cube);
      const out = colourOf.map((k, cube) => cube).filter((cube) => isOut(drop, cube) && (wasInside(cube) || thrown.includes(cube)));
      return { phase, thrown, out };
    });
    return { tower, variant, drops: one.drops, colourOf, floors: one.floors, steps: drops, spots: spots(one, places, drops), places };
  }

  /** Return where every cube is drawn after every drop, [floor, place there]; one that stays on its floor stays there. */
  function spots(one, places, drops) {
    const found = [];
    for (let drop = 0; drop < one.drops; drop++) {
      const before = found[drop - 1];
      const now = Array(one.cubes).fill(null);
      const taken = Array.from({ length: one.floors }, () => new Set());
      const at = (cube) => places[drop * one.cubes + cube];
      for (let cube = 0; cube < one.cubes; cube++) {
        if (at(cube) < one.floors && before?.[cube]?.[0] === at(cube)) {
          now[cube] = before[cube];
          taken[at(cube)].add(before[cube][1]);
        }
      }
      for (let cube = 0; cube < one.cubes; cube++) {
        if (at(cube) === one.floors || now[cube]) continue;
        let place = 0;
        while (taken[at(cube)].has(place)) place++;
        taken[at(cube)].add(place);
        now[cube] = [at(cube), place];
      }
      drops[drop].out.forEach((cube, i) => (now[cube] = ["tray", i]));
      found.push(now);
    }
    return found;
  }

  /** Show the game and the drop that are chosen. */
  function show() {
    const variant = state[state.whole.side] ?? state.a;
    const key = JSON.stringify([variant, state.whole.game, state.seed]);
    if (key !== shown) {
      game = played(variant, state.whole.game);
      draw();
      shown = key;
      find("whole-drop").max = game.drops - 1;
    }
    const sides = [["a", labelOf("a")], ...(state.b ? [["b", labelOf("b")]] : [])];
    find("whole-side").replaceChildren(...sides.map(([value, text]) => make("option", { value, text, selected: value === state.whole.side })));
    find("whole-side").parentElement.hidden = !state.b;
    find("whole-game").value = state.whole.game;
    const drop = Math.min(state.whole.drop, game.drops - 1);
    find("whole-drop").value = drop;
    find("whole-drop-said").textContent = `${drop} of ${game.drops - 1}`;
    find("whole-back").disabled = drop === 0;
    find("whole-next").disabled = drop === game.drops - 1;
    place(drop);
    tell(drop);
  }

  /** Draw the tower, and every cube somewhere. */
  function draw() {
    const { drawn, edge } = game.tower;
    const [left, bottom, right, top] = drawn.bounds;
    const points = (ring) => ring.map(([x, z]) => `${x},${-z}`).join(" ");
    const root = find("tower");
    root.setAttribute("viewBox", `${left - 4} ${-top - 4} ${right - left + 8} ${top - bottom + 8}`);
    cubes = game.colourOf.map((k) => {
      const paint = lab.paints[k];
      return svg(
        "g", { class: "cube" },
        svg("rect", { width: edge, height: edge, rx: 0.8, fill: paint.rgb, class: "face" }),
        svg("text", { x: edge / 2, y: edge * 0.73, fill: paint.ink, "font-size": edge * 0.66, class: "letter" }, paint.letter),
      );
    });
    root.replaceChildren(
      ...drawn.beyond.map((ring) => svg("polygon", { points: points(ring), class: "beyond" })),
      ...drawn.cut.map((ring) => svg("polygon", { points: points(ring), class: "cut" })),
      svg("line", { x1: left - 4, x2: right + 4, y1: 0, y2: 0, class: "axis" }),
      ...cubes,
    );
  }

  /** Put the cubes where they are after a drop; after the drop before it, they fall there. */
  function place(drop) {
    const step = game.steps[drop];
    const falls = Number(find("tower").dataset.drop) === drop - 1 && !wantsStillness();
    find("tower").dataset.drop = drop;
    const order = new Map(step.thrown.map((cube, i) => [cube, i]));
    const isOut = new Set(step.out);
    cubes.forEach((element, cube) => {
      const spot = game.spots[drop][cube];
      const to = corner(spot ?? ["hand", order.get(cube) ?? 0]);
      element.style.transform = moved_(to);
      element.style.opacity = spot ? 1 : 0;
      element.classList.toggle("new", order.has(cube));
      for (const running of element.getAnimations()) running.cancel();
      const from = order.has(cube) ? corner(["hand", order.get(cube)]) : spot && game.spots[drop - 1]?.[cube] ? corner(game.spots[drop - 1][cube]) : null;
      if (!falls || !from || String(from) === String(to)) return;
      const way = isOut.has(cube) ? [from, corner(["tray", 0], true), to] : [from, to];
      const timing = { duration: isOut.has(cube) ? 900 : 600, delay: order.has(cube) ? 150 : 450, easing: "ease-in", fill: "backwards" };
      element.animate(way.map((at) => ({ transform: moved_(at) })), timing);
    });
  }

  function moved_([x, y]) {
    return `translate(${x}px, ${y}px)`;
  }

  /**
   * Return the upper left corner of a cube that is drawn at a place; with more cubes than places they overlap. With
   * `isExit` it is the way out, at the foot of the tower, by which all come into the tray.
   */
  function corner([where, number], isExit = false) {
    const { drawn, edge } = game.tower;
    if (isExit) return [Math.min(...drawn.tray.map(([x]) => x)) - 1.6 * edge, -Math.min(...drawn.tray.map(([, z]) => z)) - edge];
    const list_ = where === "tray" ? drawn.tray : where === "hand" ? drawn.hand : drawn.floors[where];
    const [x, z] = list_[number % list_.length] ?? [0, 0];
    const shift = Math.floor(number / list_.length) * 0.3 * edge;
    return [x + shift, -z - edge - shift];
  }

  /** Say what happened in a drop. */
  function tell(drop) {
    const { colours } = lab.rules;
    const { phase, thrown, out } = game.steps[drop];
    const { variant, colourOf } = game;
    const perColour = (some) => colours.map((_, k) => some.filter((cube) => colourOf[cube] === k).length);
    const came = perColour(out);
    const inside = perColour(game.spots[drop].map((spot, cube) => (spot && spot[0] !== "tray" ? cube : -1)).filter((cube) => cube >= 0));
    find("whole-words").textContent = dropWords(variant, drop, { phase, thrown: thrown.length, came, inside }, colours).join(" ");
    find("whole-table").replaceChildren(tableOf(
      "Cubes now", ["colour", "thrown", "out", "inside"],
      colours.map((colour, k) => [[chip(lab.paints[k]), colour], String(perColour(thrown)[k]), String(came[k]), String(inside[k])]),
    ));
  }

  return { start, game: () => game && { thrown: game.steps.map((step) => step.thrown), out: game.steps.map((step) => step.out), spots: game.spots } };
})();
