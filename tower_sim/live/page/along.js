// A whole game of Amerigo, played along with the tower. `gameRules` are the rules in JavaScript; here they are only asked.

/** What the events of a tower that was empty are as a game: {entries, game, left: cubes still to throw, over, wrong}. */
function courseOf(events) {
  const rules = gameRules.AMERIGO;
  const inside = new Map();
  const entries = [];
  const seen = () => ({ drops: 0, cubes: [...inside].map(([id, colour]) => ({ id, colour })) });
  let game = gameRules.newGame();
  let [left, out, waiting] = [[], [], []];
  const entered = () => {
    const tower = { check() {}, drop: () => ({ state: seen(), emerged: out, generator: null }) };
    const done = gameRules.playDrop(tower, game, null, rules);
    entries.push(done.entry);
    game = done.game;
    out = [];
  };
  const begin = () => {
    for (; !gameRules.isOver(game, rules); entered()) {
      left = gameRules.nextThrow(game, rules);
      if (!left.length) continue; // nothing to throw: the phase is skipped
      left = [...new Map([...left, ...waiting].map((cube) => [cube.id, cube])).values()].sort((a, b) => a.id - b.id);
      waiting = [];
      return;
    }
  };
  begin();
  for (const { kind, thrown, emerged } of events) {
    for (const [id, colour] of thrown) {
      if (!left.some((cube) => cube.id === id && cube.colour === colour)) return { entries, game, left, over: false, wrong: true };
      left = left.filter((cube) => cube.id !== id);
      inside.set(id, colour);
    }
    const came = emerged.map((id) => ({ id, colour: inside.get(id) }));
    for (const { id } of came) inside.delete(id);
    if (kind === "knock") {
      waiting.push(...came); // they go with the next cubes thrown
      game = { ...game, tower: seen() };
    } else out.push(...came);
    if (kind !== "knock" && !left.length) {
      entered();
      begin();
    }
  }
  return { entries, game, left, over: gameRules.isOver(game, rules), wrong: false };
}

/** What a drop of the game allows, as sentences. */
function entryWords(entry) {
  const name = entry.index ? `Round ${entry.round}, ${entry.phase} phase` : "Set-up";
  if (!sumOf(Object.values(entry.thrown))) return `${name}: no ${entry.phase} cube is outside; the phase is skipped.`;
  if (!entry.index) return `${name}: ${counted(sumOf(Object.values(entry.emerged)), "cube")} came out.`;
  if (entry.skipped) return `${name}: no cube came out; the phase is skipped.`;
  const { choices, gold } = gameRules.options(entry.emerged);
  return `${name}: ${countsWords(Object.entries(entry.emerged))} came out. Choose one action: ${listed(choices.map(({ action }) => action))}, with ${counted(entry.actionPoints, "action point")}; or pass for ${gold} gold.`;
}

/** The panel of the game. */
class Along {
  constructor(live) {
    Object.assign(this, { live, isOn: false, course: null, launched: new Set() });
    const button = (id, text, action) => make("button", { type: "button", id, text, onclick: action });
    this.begin = button("along-begin", "Play Amerigo along", () => this.toggle());
    this.throw = button("along-throw", "Throw them (Enter)", () => live.throwIt());
    this.hold = button("along-hold", "Into the hand (H)", () => this.take());
    this.next = make("p", { id: "along-next", role: "status" });
    this.list = make("ol", { class: "list", id: "along-list", "aria-label": "The game so far, the last first" });
    find("game-panel").append(make("h2", { text: "A game of Amerigo" }), make("div", { class: "bar" }, this.begin, this.throw, this.hold), this.next, this.list);
  }

  /** Stand there for a tower that takes the game's cubes. */
  open(shown) {
    this.isOn = false;
    find("game-panel").hidden = shown.seen.kind === "board" || !gameRules.AMERIGO.colours.every((colour) => shown.colours.includes(colour));
    this.show();
  }

  /** Begin a game with an empty tower, or stop playing along; the tower stays then. */
  toggle() {
    return this.live.run(async () => {
      this.isOn = !this.isOn;
      this.live.hand.remove();
      if (this.isOn) await this.live.tower.change("empty");
      this.show();
    });
  }

  /** Read the game from what happened in the tower: undo and links need nothing else. */
  show() {
    const { state } = this.live.tower;
    this.course = this.isOn && state ? courseOf(state.events) : null;
    this.launched.clear();
    setText(this.begin, this.isOn ? "Stop playing along" : "Play Amerigo along");
    for (const button of [this.throw, this.hold]) button.hidden = !this.course || this.course.over || this.course.wrong;
    setText(this.next, this.course ? this.nextWords(this.course) : "");
    this.list.replaceChildren(...(this.course ? this.course.entries : []).map((entry) => make("li", { text: entryWords(entry) })).reverse());
  }

  nextWords({ entries, game, left, over, wrong }) {
    if (wrong) return "What was thrown last is not of this game: undo it.";
    if (over) {
      const phases = entries.slice(1);
      const total = (of) => sumOf(phases.map(of));
      return `The game is over: ${counted(phases.length, "phase")}, ${total(({ skipped }) => Number(skipped))} of them skipped; ${counted(total(({ emerged }) => sumOf(Object.values(emerged))), "cube")} came out, ${counted(total(({ actionPoints }) => actionPoints), "action point")} in all, or ${total(({ gold }) => gold)} gold for passing every time.`;
    }
    const { rounds, phases } = gameRules.rulesOf();
    const [round, phase] = [Math.ceil(game.index / phases.length), phases[(game.index - 1) % phases.length]];
    return `${game.index ? `Round ${round} of ${rounds}, ${phase} phase` : "Set-up"}: ${countsWords(byColour(left.map(({ id, colour }) => [id, colour])))} to throw.`;
  }

  /** Take the cubes of this phase into the hand. */
  take() {
    if (!this.course || this.course.wrong) return;
    this.live.hand.remove();
    for (const { colour } of this.course.left) this.live.hand.add(colour);
    this.live.ask();
  }

  /** Throw the cubes of this phase, with their numbers, by a seed. */
  async throwIt(seed) {
    await this.live.tower.finish();
    if (!this.course.left.length || this.course.wrong) return;
    this.live.hand.remove();
    this.live.last = null; // a link counts cubes, without their numbers
    await this.live.tower.move("drop", { counts: byColour(this.course.left.map(({ id, colour }) => [id, colour])), cubes: this.course.left, seed });
  }

  /** The number of the next cube of a colour that the hand lets go; undefined where the game has none. */
  numberOf(colour) {
    const found = this.course && this.course.left.find((cube) => cube.colour === colour && !this.launched.has(cube.id));
    return found && found.id;
  }
}
