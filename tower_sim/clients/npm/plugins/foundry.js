// The tower in Foundry Virtual Tabletop: a dice function, /roll tower(4blue), and a roll term that says what came out by
// colour. One tower stands in a world: what stays inside is there in the next roll, whoever rolls it.
//
//   import { register } from "tower-sim/foundry";
//   import { amerigo as tower } from "tower-sim/towers/amerigo";
//   Hooks.once("init", () => register({ tower, CONFIG, foundry, settings: game.settings, module: "my-module" }));
//
// It follows the public API of versions 12 to 14: CONFIG.Dice.functions, CONFIG.Dice.termTypes, CONFIG.Dice.randomUniform,
// foundry.dice.terms.RollTerm, and the settings of a world.

import { aTower, fault } from "../lib/check.js";
import { counted, summed, total } from "../lib/counts.js";
import { fromWords, seeded } from "../lib/generator.js";
import { object } from "../lib/words.js";

const MOST_CUBES = 1000; // of a throw
const WORDS = 4294967296; // 2^32

/**
 * Set up the world's tower, the dice function `tower` and the roll term: return `{ world, TowerTerm }`.
 *
 * Words come from Foundry's own generator, CONFIG.Dice.randomUniform. With a `seed`, four words, they come from this
 * package's generator instead, which is kept with the tower, so that a world goes on with the same draws after a reload.
 */
export function register({ tower, CONFIG, foundry, settings, module, key = "tower", seed }) {
  settings.register(module, key, { scope: "world", config: false, type: Object, default: {} });
  const world = worldTower({
    tower,
    load: () => settings.get(module, key),
    save: (kept) => settings.set(module, key, kept),
    uniform: () => CONFIG.Dice.randomUniform(),
    seed,
  });
  const TowerTerm = termOf(foundry.dice.terms.RollTerm, world);
  CONFIG.Dice.termTypes.TowerTerm = TowerTerm;
  CONFIG.Dice.functions.tower = async (...words) => total((await world.drop(thrownOf(words))).emerged);
  return { world, TowerTerm };
}

/**
 * Return the tower of a world: `drop(thrown)` of counts by colour gives a promise of `{ thrown, emerged, inside }`, also
 * counts; `inside()` what is there now; `empty()` takes everything out.
 *
 * `load` returns what `save` was given last, plain JSON, or {}. Drops wait for each other; one that cannot be saved never was.
 */
export function worldTower({ tower, load, save, uniform, seed }) {
  aTower("tower", tower);
  let last = Promise.resolve();
  const host = fromWords(() => Math.floor(uniform() * WORDS));
  const kept = () => ({ state: tower.empty(), next: 0, generator: seed && seeded(seed), ...load() });
  const inTurn = (job) => {
    const done = last.then(job);
    last = done.catch(() => {});
    return done;
  };
  async function dropNow(thrown) {
    checkCounts(thrown);
    const before = kept();
    const colours = Object.entries(thrown).flatMap(([colour, count]) => Array(count).fill(colour));
    const cubes = colours.map((colour, i) => ({ id: before.next + i, colour }));
    const { state, emerged, generator } = tower.drop(before.state, cubes, before.generator ?? host);
    await save({ state, next: before.next + cubes.length, ...(before.generator && { generator }) });
    return { thrown, emerged: counted(emerged), inside: counted(state.cubes) };
  }
  return {
    drop: (thrown) => inTurn(() => dropNow(thrown)),
    inside: () => counted(kept().state.cubes),
    empty: () => inTurn(() => save({ ...kept(), state: tower.empty() })),
  };
}

/** Return the counts by colour that the words of a formula say: ["4blue", "2red"] or [4, "blue"] give { blue: 4, ... }. */
export function thrownOf(words) {
  const text = words.join(" ");
  const said = [];
  const rest = text.replace(/(\d+)\s*([\p{L}_-]+)/gu, (_, count, colour) => {
    said.push([colour, Number(count)]);
    return "";
  });
  const counts = summed(said);
  if (/[^\s,"']/.test(rest) || total(counts) > MOST_CUBES || !said.length) {
    const allowed = `numbers of cubes with their colours, ${MOST_CUBES} at most, as in tower(4blue, 2red)`;
    throw new RangeError(`tower(${text.slice(0, 60)}) cannot be thrown; allowed are ${allowed}`);
  }
  return counts;
}

/** Return the class of roll terms `tower(...)` that draw from `world`. Its total is the number of cubes that came out. */
export function termOf(RollTerm, world) {
  return class TowerTerm extends RollTerm {
    static SERIALIZE_ATTRIBUTES = ["thrown", "emerged", "inside"];

    constructor({ thrown = {}, emerged = null, inside = null, options } = {}) {
      super({ options });
      this.thrown = typeof thrown === "string" ? thrownOf([thrown]) : thrown;
      this.emerged = emerged;
      this.inside = inside;
    }

    get expression() {
      return `tower(${Object.entries(this.thrown).map(([colour, count]) => `${count}${colour}`).join(", ")})`;
    }

    get total() {
      return this.emerged === null ? undefined : total(this.emerged);
    }

    get isDeterministic() {
      return false;
    }

    /** Draw, and keep the tower; the least and the most that could come out are only counted. */
    _evaluate({ minimize = false, maximize = false } = {}) {
      if (!minimize && !maximize) {
        return world.drop(this.thrown).then(({ emerged, inside }) => Object.assign(this, { emerged, inside }));
      }
      const inside = world.inside();
      const all = summed([...Object.entries(inside), ...Object.entries(this.thrown)]);
      return Object.assign(this, minimize ? { emerged: {}, inside: all } : { emerged: all, inside: {} });
    }
  };
}

function checkCounts(thrown) {
  const allowed = `whole numbers of cubes by colour, together ${MOST_CUBES} at most`;
  object("thrown", thrown, allowed);
  for (const [colour, count] of Object.entries(thrown)) {
    if (Number.isSafeInteger(count) && count >= 0 && total(thrown) <= MOST_CUBES) continue;
    throw fault(`thrown.${colour}`, count, allowed);
  }
}
