/** Open a profile, such as that of tower-sim/physics/amerigo, or the name of one that ships: a model that throws cubes. @returns {Promise<PhysicsModel>} */
export function openPhysics(profile: string | Profile): Promise<PhysicsModel>;
/**
 * Return the document of `tower-sim throw APPARATUS --cubes ... --seed SEED --json`; `apparatus` is a name or a profile.
 * @returns {Promise<DropDocument>}
 */
export function commandDrop({ apparatus, ...asked }: DropAsked & {
    readonly apparatus: string | Profile;
}): Promise<DropDocument>;
import type { Profile } from "./lib/types.js";
import type { PhysicsModel } from "./lib/types.js";
import type { DropAsked } from "./lib/types.js";
import type { DropDocument } from "./lib/types.js";
export { documentOf, documentText, nextId, pcg64, readToken, redone, taken, thrownAfter, tokenOf, untilLanded } from "./lib/physics/index.js";

export type * from "./lib/types.js";
