import type { PhysicsModel, Profile } from "./types.js";
/**
 * Open a profile, a document of `tower_sim.physics.plain.document`, with the bytes of core.wasm.
 *
 * A model does one thing after the other: what was begun is over when the next begins. Everything follows from the arguments.
 */
export declare function openPhysics(profile: Profile, bytes: BufferSource): Promise<PhysicsModel>;
