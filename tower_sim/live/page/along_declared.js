// A declared game, played along: games/declared plays it by its plain tree, in a stand-in for the tower.

/** The game of a tree, in the colours that `paints` say. */
function declaredGame({ tree, paints }) {
  return {
    name: tree.name,
    title: tree.title,
    colours: tree.colours,
    paints: Object.fromEntries(paints.map((paint) => [paint.name, paint])),
    fields: [...tree.parameters, ...tree.policies],
    isFor: (shown) => shown.seen.kind !== "board",
    isOwn: (shown) => shown.name === tree.apparatus,
    wrong: (choices) => declared.wrong(tree, choices),
    course: (past, begun) => new DeclaredCourse(tree, past, begun),
  };
}

class DeclaredCourse {
  constructor(tree, past, { choices, seed }) {
    Object.assign(this, { tree, past, taking: [] }); // numbers of cubes that the rules take out of the tower
    this.rounds = declaredRun.start(tree, { ...declared.usual(tree), ...choices }).rounds();
    this.game = declared.begun(tree, choices, (cubes) => this.towerOf(cubes), numpyLots(seed, () => this.game.now.index));
  }

  /** The stand-in, as cubeTower makes towers. */
  towerOf(cubes) {
    const [hand, came] = [new Int32Array(cubes), new Int32Array(cubes)];
    return {
      hand,
      came,
      floors: 1, // where in it a cube lies no rule asks
      floor: new Uint8Array(cubes),
      empty: () => {},
      covers: () => true,
      take: (cube) => {
        if (this.past.inside.has(cube)) this.taking.push(cube); // not one that came out by itself
      },
      drop: (count) => {
        const thrown = Array.from(hand.subarray(0, count), (id) => ({ id, colour: this.game.colour(id) }));
        const out = this.past.thrown(thrown, this.taking);
        this.taking = [];
        came.set(out);
        return out.length;
      },
    };
  }

  play() {
    this.game.play(() => {
      const released = this.past.knocked();
      if (released.length && !this.tree.knocked) throw new Strange("The rules of this game say nothing of cubes that a knock brings out: undo it.");
      this.game.knocked(released);
    });
    this.past.thrown([], this.taking);
  }

  get lines() {
    return this.game.throws.map((each) => {
      const line = declaredWords.line(this.tree, each);
      return `${each.round ? `Round ${each.round}, ${line}` : line.replace(/^setup/, "Set-up")}.`;
    });
  }

  get stream() {
    return [this.game.now.index, 0];
  }

  next({ take, cubes }) {
    const { round, phase } = this.game.now;
    const name = round ? `Round ${round} of ${this.rounds}, ${plainName(phase)}` : "Set-up";
    const first = take.length ? `take ${counted(take.length, "cube")} out of the tower, then ` : "";
    return `${name}: ${first}${countsWords(byColour(cubes.map(({ id, colour }) => [id, colour])))} to throw.`;
  }

  sum() {
    return declaredWords.summary(this.tree, { throws: this.game.throws, read: this.game.read() });
  }
}

/**
 * What a declared game picks, as `declaredRun.picker` has it, in the words of Python: throw i draws from numpy's
 * default_rng(SeedSequence(seed, spawn_key=(i, 2))), a sample by Floyd's method, shuffled after it. `number()` is i.
 */
function numpyLots(seed, number) {
  let [at, of, halves] = [-1, null, []];
  const word = () => {
    if (at !== number()) [at, of, halves] = [number(), gameRules.pcg64(seed, [number(), 2]), []];
    if (!halves.length) {
      const both = of.next();
      halves = [both & 0xffffffffn, both >> 32n];
    }
    return Number(halves.shift());
  };
  const { one } = declaredRun.picker(word);
  const below = (n) => (n > 1 ? one(n) : 0);
  const some = (n, many) => {
    const found = new Set();
    for (let last = n - many; last < n; last += 1) {
      const picked = below(last + 1);
      found.add(found.has(picked) ? last : picked);
    }
    for (let left = many; left > 1; left -= 1) below(left); // shuffled: what is drawn next comes after that
    return [...found];
  };
  return { one: below, some };
}
