// Amerigo, played along: `gameRules` are the rules in JavaScript; here they are only asked.

function amerigoGame() {
  const { colours } = gameRules.AMERIGO;
  return {
    name: "amerigo",
    title: "Amerigo",
    colours,
    fields: [],
    isFor: (shown) => shown.seen.kind !== "board",
    wrong: () => "",
    course: (past) => new AmerigoCourse(past),
  };
}

class AmerigoCourse {
  constructor(past) {
    Object.assign(this, { past, game: gameRules.newGame(), entries: [], waiting: [] }); // a knock's cubes wait for the next throw
  }

  play() {
    const { past } = this;
    const seen = () => ({ drops: 0, cubes: [...past.inside.values()] });
    const drop = (_, own) => {
      const cubes = new Map([...own, ...this.waiting].map((cube) => [cube.id, cube]));
      const came = past.thrown([...cubes.values()].sort((a, b) => a.id - b.id));
      this.waiting = [];
      return { state: seen(), emerged: came.map((id) => past.cube(id)), generator: null };
    };
    while (!gameRules.isOver(this.game)) {
      const { game, entry } = gameRules.playDrop({ check() {}, drop }, this.game, null);
      this.entries.push(entry);
      this.waiting.push(...past.knocked().map((id) => past.cube(id)));
      this.game = { ...game, tower: seen() };
    }
  }

  get lines() {
    return this.entries.map(entryWords);
  }

  get stream() {
    return [this.game.index, 0];
  }

  next({ cubes }) {
    const { index } = this.game;
    const { rounds, phases } = gameRules.rulesOf();
    const name = index ? `Round ${Math.ceil(index / phases.length)} of ${rounds}, ${phases[(index - 1) % phases.length]} phase` : "Set-up";
    return `${name}: ${countsWords(byColour(cubes.map(({ id, colour }) => [id, colour])))} to throw.`;
  }

  sum() {
    const phases = this.entries.slice(1);
    const total = (of) => sumOf(phases.map(of));
    const out = counted(total(({ emerged }) => sumOf(Object.values(emerged))), "cube");
    const points = counted(total(({ actionPoints }) => actionPoints), "action point");
    return `${counted(phases.length, "phase")}, ${total(({ skipped }) => Number(skipped))} of them skipped; ${out} came out, ${points} in all, or ${total(({ gold }) => gold)} gold for passing every time.`;
  }
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
