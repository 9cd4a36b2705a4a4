export { chances } from "./lib/chances.js";
export { towerOf } from "./lib/tower.js";
export { fork, fourWords, fromSystem, fromWords, load, next, save, seeded } from "./lib/generator.js";
export { AMERIGO, actionPoints, actionsAllowed, commandGame, dropsOf, goldForPassing, isOver, newGame, nextThrow, options, playDrop, playGame, rulesOf, sampleGame } from "./lib/rules.js";

export type * from "./lib/types.js";
