export { nextId, openPhysics, pcg64, readToken, stepAgain, taken, tokenOf } from "../../physics/js/index.js";
