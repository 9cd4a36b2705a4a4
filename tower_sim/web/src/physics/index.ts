// What the physics offers to the pages, to the npm package and to tests; see model.ts.

export { asked, redone, stepAgain, taken } from "./again.js";
export { documentOf, documentText, dropDocument, thrownAfter, untilLanded } from "./document.js";
export { openPhysics } from "./model.js";
export { pcg64 } from "./pcg64.js";
export { wrongly } from "./refuse.js";
export { nextId, packed, readToken, tokenOf, unpacked } from "./state.js";
export type * from "./types.js";
export { pythonJson, pythonReal } from "./written.js";
