export { openPhysics } from "../../physics/js/model.js";
export { frozen, nextId, readToken, tokenOf } from "../../physics/js/state.js";
export { pcg64 } from "../../physics/js/pcg64.js";
