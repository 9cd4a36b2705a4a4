// What the page asks of the npm package: the rules of its game.

export { AMERIGO, isOver, newGame, nextThrow, options, playDrop, rulesOf } from "./rules.js";
