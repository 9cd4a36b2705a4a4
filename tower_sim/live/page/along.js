// The panel of a game that is played along with the tower: what comes next, what came out, what is allowed now.

class Along {
  constructor(live) {
    Object.assign(this, { live, begun: null, now: null, launched: new Set() });
    this.games = [amerigoGame(), battleGame()];
    const button = (id, text, action) => make("button", { type: "button", id, text, onclick: action });
    this.title = make("strong", { id: "along-game" });
    this.begin = button("along-begin", "Play a game", () => this.toggle());
    this.hold = button("along-hold", "Into the hand (H)", () => this.take());
    this.form = make("div", { class: "choices" });
    this.summary = make("summary");
    const rules = make("details", { id: "along-rules" }, this.summary, this.form);
    const which = ["The page follows the rules while you throw. Other games run in Python: ", make("code", { text: "tower-sim play" }), "."];
    this.next = find("along-next");
    this.sum = make("p", { id: "along-sum", class: "note" });
    this.list = make("ol", { class: "list", id: "along-list", "aria-label": "The game so far, the last first" });
    find("game-panel").append(
      make("h2", { text: "Play a game" }), make("p", { class: "note" }, ...which), make("div", { class: "bar" }, this.title, this.begin), rules,
      make("div", { class: "bar" }, this.hold), this.sum, this.list,
    );
  }

  get isOn() {
    return this.begun !== null;
  }

  /** The game that is played, or null. */
  get game() {
    return this.begun && this.begun.game;
  }

  /** Show the game that a tower plays, or hide the panel. */
  open(shown) {
    this.begun = null;
    this.here = this.gameOf(shown);
    find("game-panel").hidden = !this.here;
    if (this.here) this.fill();
    else this.show();
  }

  gameOf(shown) {
    return this.games.find((game) => game.isFor(shown));
  }

  /** Show the title and the choices of the game. */
  fill() {
    const game = this.here;
    setText(this.title, game.title);
    setText(this.summary, game.fields.length ? "Forces and seed" : "Seed");
    const seed = make("input", { id: "along-seed", value: anySeed(), inputmode: "numeric", autocomplete: "off", size: 14 });
    this.inputs = new Map(game.fields.map((field) => [field.name, inputOf(field)]));
    const row = (label, input) => make("label", { class: "choice" }, make("span", { text: label }), input);
    this.form.replaceChildren(
      ...game.fields.map(({ name, says }) => row(capital(says), this.inputs.get(name))),
      row("Seed of the game", seed),
    );
    this.seed = seed;
    this.show();
  }

  /** What the form says: {game, choices, seed}; throws an Error in a line for what is not allowed. */
  formed() {
    const game = this.here;
    const valueOf = ({ name, of }) => (of ? this.inputs.get(name).value : Number(this.inputs.get(name).value || NaN));
    return checkedBegun(game, Object.fromEntries(game.fields.map((field) => [field.name, valueOf(field)])), this.seed.value.trim());
  }

  /** Begin a game with an empty tower, or stop playing along; the tower stays then. */
  toggle() {
    return this.live.run(async () => {
      const begun = this.isOn ? null : this.formed();
      this.set(begun);
      if (begun) await this.live.tower.change("empty");
    });
  }

  /** Play along a game that was begun, or none. */
  set(begun) {
    this.begun = begun;
    this.live.hand.remove();
    sayTrouble("");
    if (begun) {
      this.fill();
      for (const field of begun.game.fields) this.inputs.get(field.name).value = begun.choices[field.name];
      this.seed.value = begun.seed;
    } else if (this.here) this.seed.value = anySeed();
    this.live.dress();
    this.show();
  }

  /** Read the game from what happened in the tower: undo and links need nothing else. */
  show() {
    const { state } = this.live.tower;
    this.now = this.isOn && state ? courseOf(this.game, state.events, this.begun, this.live.shown) : null;
    this.launched.clear();
    setText(this.begin, this.isOn ? "Stop the game" : "Play a game");
    find("palette").hidden = this.isOn;
    for (const input of this.form.querySelectorAll("input, select")) input.disabled = this.isOn;
    this.hold.hidden = !this.due || this.due.knock > 0;
    const { course, due, trouble } = this.now || {};
    const lines = course ? course.lines : [];
    setText(this.next, trouble || (due ? `${course.next(due)}` : course ? "The game is over." : ""));
    setText(this.sum, lines.length ? `${due ? "So far" : "It came to"}: ${course.sum()}` : "");
    this.list.replaceChildren(...lines.map((text) => make("li", { text })).reverse());
  }

  get due() {
    return this.now && this.now.due;
  }

  /** Take the cubes that are to be thrown into the hand. */
  take() {
    if (!this.due) return undefined;
    return this.live.run(async () => {
      await this.live.tower.finish();
      const { due, live } = this;
      if (!due) return;
      const { inside, board } = live.tower.state;
      const there = new Set([...inside, ...board].map(([id]) => id));
      const lifted = due.cubes.map(({ id }) => id).filter((id) => there.has(id));
      if (lifted.length) await live.tower.change("take", { cubes: lifted });
      live.hand.remove();
      for (const { colour } of due.cubes) live.hand.add(colour);
      live.ask();
    });
  }

  /** Do what comes next: throw the cubes, with their numbers, as `tower-sim play` does it by the seed of the game. */
  async act() {
    const { live } = this;
    await live.tower.finish();
    if (!this.due) return;
    const { due, begun: { seed }, now: { course: { stream } } } = this;
    live.hand.remove();
    live.last = null; // a link counts cubes, without their numbers
    const counts = byColour(due.cubes.map(({ id, colour }) => [id, colour]));
    if (due.knock) await live.tower.move("knock", { strength: due.knock, seed, stream });
    else if (due.cubes.length) await live.tower.move("drop", { counts, cubes: due.cubes, seed, stream });
  }

  /** The number of the next cube of a colour that the hand lets go; undefined where the game has none. */
  numberOf(colour) {
    const found = this.due && this.due.cubes.find((cube) => cube.colour === colour && !this.launched.has(cube.id));
    return found && found.id;
  }

  /** What is played, for a link: "dead_reckoning:5:kind=merchant", without the choices that are as usual; null of nothing. */
  get text() {
    if (!this.isOn) return null;
    const { game, choices, seed } = this.begun;
    const own = game.fields.filter(({ name, is }) => choices[name] !== is).map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(choices[name])}`);
    return [encodeURIComponent(game.name), seed, ...(own.length ? [own.join(",")] : [])].join(":");
  }

  /** What such a text says of a game for a tower; throws an Error whose message says what is wrong. */
  read(text, tower) {
    const [name, seed = "", own = "", ...more] = text.split(":");
    const game = this.gameOf(tower);
    if (game?.name !== decoded(name) || more.length) throw new Error(`The link is of the game ${shown(decoded(name))}, which is not played in ${tower.name} here; allowed is ${game?.name ?? "none"}; open it in a page that has it.`);
    const choices = Object.fromEntries(game.fields.map((field) => [field.name, field.is]));
    for (const part of own ? own.split(",") : []) {
      const [key, value = ""] = part.split("=").map(decoded);
      const field = game.fields.find((each) => each.name === key);
      if (!field) throw new Error(`The link sets ${shown(key)}, which ${game.title} has not; allowed is ${listed(game.fields.map((each) => each.name)) || "no choice"}; copy it again, whole.`);
      choices[key] = field.of ? value : Number(value || NaN);
    }
    return checkedBegun(game, choices, seed);
  }
}

/** A game that is begun, {game, choices, seed}, when its seed and its choices are allowed; else throws an Error. */
function checkedBegun(game, choices, seed) {
  checkSeed(seed);
  const wrong = game.wrong(choices);
  if (wrong) throw new Error(`${capital(wrong)}.`);
  return { game, choices, seed };
}

/** A control for a choice of a game. */
function inputOf({ is, of, from, to }) {
  if (of) return make("select", {}, ...of.map((word) => make("option", { value: word, text: plainName(word), selected: word === is })));
  return make("input", { type: "number", min: from, max: to, step: 1, value: is });
}
