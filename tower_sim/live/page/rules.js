// What the page asks of the npm package: the rules of its game, and numpy's generator.

export { AMERIGO, isOver, newGame, nextThrow, options, playDrop, rulesOf } from "./rules.js";
export { pcg64 } from "./physics/pcg64.js";
