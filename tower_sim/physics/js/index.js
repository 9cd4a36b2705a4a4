// What the physics in JavaScript offers; see model.js.

export { asked, redone, stepAgain, taken } from "./again.js";
export { documentOf, documentText, dropDocument, thrownAfter, untilLanded } from "./document.js";
export { openPhysics } from "./model.js";
export { pcg64, pcg64OfText } from "./pcg64.js";
export { nextId, readToken, tokenOf } from "./state.js";
