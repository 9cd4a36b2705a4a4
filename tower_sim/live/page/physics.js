export { nextId, openPhysics, pcg64, readToken, taken, tokenOf } from "../../physics/js/index.js";
