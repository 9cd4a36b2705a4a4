// What needs no table: generators, the rules of Amerigo, the bridges to tower_sim's games. The towers and the ship are
// modules of their own: tower-sim/towers/amerigo, tower-sim/ships/dead-reckoning.

export { chances } from "./lib/chances.js";
export { fork, fourWords, fromSystem, fromWords, load, next, save, seeded } from "./lib/generator.js";
export {
  AMERIGO, actionPoints, actionsAllowed, commandGame, dropsOf, goldForPassing, isOver, newGame, nextThrow, options, playDrop,
  playGame, rulesOf, sampleGame,
} from "./lib/rules.js";
export { towerOf } from "./lib/tower.js";
