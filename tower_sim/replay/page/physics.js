export { asked, openPhysics, placesOf, readToken, taken, tokenOf } from "../../physics/js/index.js";
