// The tower as a plugin of boardgame.io, in the form of its own random plugin: the tower and its generator are the plugin's
// data, every drop is drawn on the server, and no player is told on which floor a cube lies or what comes next.
//
//   import { towerPlugin } from "tower-sim/boardgame";
//   import { amerigo as tower } from "tower-sim/towers/amerigo";
//   const game = { plugins: [towerPlugin({ tower })], moves: { throwIn: { move: throwIn, client: false, undoable: false } } };
//   function throwIn({ G, tower }) { G.tray = tower.drop(G.hand).emerged; }

/** @import { Cube, Tower, TowerLanding } from "../lib/types.js" */
import { aTower } from "../lib/check.js";
import { counted } from "../lib/counts.js";
import { fromSystem, seeded } from "../lib/generator.js";
import { WORD, whole } from "../lib/words.js";

const NAME = "tower";
const SETUP =
  "tower.drop is called in setup, or in a hook that runs before the first move; allowed are moves and hooks after it. " +
  "boardgame.io sends every player all that is there before the first move, also what playerView hides: the generator " +
  "would tell them each drop to come. Make the set-up's drop the first move";

/**
 * Return the plugin, which moves and hooks then find as `tower`: `{ drop(thrown), inside(), drops() }`.
 *
 * `tower` is a tower of this package. `seed`, four words, or a function that gives them for each match, is for tests and
 * replays; when it is left out, every match begins from the system's randomness. `stream` is a whole number below 2^32.
 * @typedef {{ readonly tower: Tower, readonly seed?: readonly number[] | (() => readonly number[]), readonly stream?: number }} TowerOptions
 * @typedef {Omit<ReturnType<typeof apiOf>, "_private">} TowerAPI
 * @returns {import("boardgame.io").Plugin<TowerAPI>}
 */
export function towerPlugin(/** @type {TowerOptions} */ { tower, seed, stream = 0 } = {}) {
  aTower("tower", tower);
  whole("stream", stream, 0, WORD - 1);
  const begun = () => (seed === undefined ? fromSystem() : seeded(typeof seed === "function" ? seed() : seed, stream));
  return {
    name: NAME,
    setup: () => ({ generator: null, state: tower.empty() }), // every player is sent this: see SETUP
    api: ({ data, ctx }) => apiOf(tower, data, ctx.turn === 0, begun),
    flush: ({ api }) => api._private.data(),
    noClient: ({ api }) => api._private.isUsed(),
    playerView: ({ data }) => seen(data),
  };
}

/** Return what a player sees of the plugin's data: how many cubes of each colour are inside, and how many drops there were. */
function seen(data) {
  if (!isWhole(data)) return data;
  return { inside: counted(data.state.cubes), drops: data.state.drops };
}

/**
 * Return what moves and hooks call. `begun` makes the generator at the first drop. A client has none: there a drop is an
 * imagined one into an empty tower, and `noClient` undoes the move, which then waits for the server.
 */
function apiOf(tower, data, isSetup, begun) {
  let now = isWhole(data) ? data : { generator: seeded([0, 0, 0, 0]), state: tower.empty() };
  let isUsed = false;
  const view = () => (isWhole(data) ? seen(now) : data);
  return {
    /**
     * Throw cubes in, among those that lie inside. Use it in moves with `client: false, undoable: false`, and keep `landings`,
     * which say on which floor a cube lies, from what players see.
     * @type {(thrown: readonly Cube[]) => { emerged: Cube[], landings: TowerLanding[] }}
     */
    drop(thrown) {
      if (isSetup) throw new Error(SETUP);
      isUsed = true;
      const { state, emerged, landings, generator } = tower.drop(now.state, thrown, now.generator ?? begun());
      now = { generator, state };
      return { emerged, landings };
    },
    /** How many cubes of each colour lie inside; colours without any are left out. */
    inside: () => /** @type {Record<string, number>} */ ({ ...view().inside }),
    /** How many drops there were. */
    drops: () => /** @type {number} */ (view().drops),
    _private: { isUsed: () => isUsed, data: () => (isWhole(data) ? now : data) },
  };
}

function isWhole(data) {
  return data?.state !== undefined;
}
