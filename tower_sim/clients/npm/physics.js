// Real physics: the throws of tower_sim's command, byte for byte, from its own compiled core, which is in lib/physics/wasm.js.

/** @import { DropAsked, DropDocument, PhysicsModel, Profile } from "./lib/types.js" */
import { dropDocument, openPhysics as opened, wrongly } from "./lib/physics/index.js";
import { PROFILES } from "./lib/physics/profiles.js";
import { CORE } from "./lib/physics/wasm.js";

export {
  documentOf, documentText, nextId, pcg64, readToken, redone, taken, thrownAfter, tokenOf, untilLanded,
} from "./lib/physics/index.js";

/** Open a profile, such as that of tower-sim/physics/amerigo, or the name of one that ships: a model that throws cubes. @returns {Promise<PhysicsModel>} */
export async function openPhysics(/** @type {string | Profile} */ profile) {
  const bytes = Uint8Array.from(atob(CORE), (letter) => letter.charCodeAt(0));
  return opened(typeof profile === "string" ? await profileOf(profile) : profile, bytes);
}

/**
 * Return the document of `tower-sim throw APPARATUS --cubes ... --seed SEED --json`; `apparatus` is a name or a profile.
 * @returns {Promise<DropDocument>}
 */
export async function commandDrop(/** @type {DropAsked & { readonly apparatus: string | Profile }} */ { apparatus, ...asked }) {
  return dropDocument(await openPhysics(apparatus), asked);
}

async function profileOf(name) {
  if (!Object.hasOwn(PROFILES, name)) throw wrongly("apparatus", name, `one of ${Object.keys(PROFILES).join(", ")}`);
  return PROFILES[name]();
}
