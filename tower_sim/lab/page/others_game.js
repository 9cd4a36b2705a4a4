// One game of a declaration, throw by throw in words, at the end of the tab of other games.

const othersGame = (() => {
  const MOST = 500; // throws that are listed
  const shown = { side: "a", game: 0 };
  const parts = {};

  function start() {
    const id = "others-game-number";
    parts.number = make("input", { id, type: "number", min: 0, max: LIMITS.game, step: 1, value: 0, onchange: asked });
    parts.side = choice(
      "Choices of",
      [
        ["a", "A"],
        ["b", "B"],
      ],
      shown.side,
      (side) => {
        shown.side = side;
        show();
      },
    );
    parts.words = make("p", { id: "others-game-words", role: "status" });
    parts.list = make("div", {
      id: "others-game-list",
      class: "scroll",
      tabindex: 0,
      role: "group",
      "aria-label": "Table of the throws",
    });
    find("panel-others")
      .querySelector(".more")
      .append(
        make("h2", { text: "One game, throw by throw" }),
        make(
          "div",
          { class: "bar" },
          make("div", { class: "field" }, make("label", { for: id, text: "Game" }), parts.number),
          button("Previous", () => go(shown.game - 1)),
          button("Next", () => go(shown.game + 1)),
          parts.side.box,
        ),
        parts.words,
        parts.list,
      );
    listeners.push((keys) => {
      if (state.tab === "others" && keys.some((key) => ["tab", "others", "seed", "all"].includes(key))) later();
    });
    if (state.tab === "others") later();
  }

  const later = onceAFrame(() => show());

  function asked() {
    const value = Number(parts.number.value);
    go(Number.isSafeInteger(value) ? value : shown.game);
  }

  function go(game) {
    shown.game = Math.min(Math.max(game, 0), LIMITS.game);
    show();
  }

  /** Play the game that is asked for and tell of it. */
  function show() {
    const { game: name, tower, a, b } = state.others;
    const tree = lab.declared.find((each) => each.name === name);
    if (!b) shown.side = "a";
    parts.side.box.hidden = !b;
    parts.side.select.value = shown.side;
    parts.number.value = shown.game;
    try {
      const given = { words, seed: seedWords(state.seed), game: shown.game };
      tell(tree, declared.game(tree, lab.tower[tower].document, shown.side === "b" ? b : a, given));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      parts.words.textContent = error.message;
      parts.list.replaceChildren();
    }
  }

  function tell(tree, game) {
    parts.words.textContent = declaredWords.summary(tree, game);
    const rows = game.throws
      .slice(0, MOST)
      .map((each) => [String(each.index), `round ${each.round}, ${declaredWords.line(tree, each)}`]);
    const more = game.throws.length > MOST ? ` The first ${MOST} of ${game.throws.length}.` : "";
    parts.list.replaceChildren(
      tableOf(
        `What is thrown, what comes out, what stays inside; what is read.${more}`,
        ["throw", "what happens"],
        rows,
        "throws",
      ),
    );
  }

  return { start };
})();
