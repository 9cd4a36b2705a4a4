/**
 * Open a profile, a document of `tower_sim.physics.plain.document`, with the bytes of core.wasm.
 *
 * A model does one thing after the other: what was begun is over when the next begins. Everything follows from the arguments.
 */
export function openPhysics(profile: Profile, bytes: BufferSource): Promise<Readonly<{
    name: "physics";
    profile: Profile;
    empty: () => PhysicsState;
    drop: (state: PhysicsState, cubes: readonly ThrownCube[], rng: Rng) => PhysicsOutcome;
    /** Knock on the table; `strength` is the peak acceleration in g. */
    knock: (state: PhysicsState, strength: number, rng: Rng) => PhysicsOutcome;
    /** Put a cube down by hand on a zone of a board. */
    place: (state: PhysicsState, cube: ThrownCube, zone: string, rng: Rng) => PhysicsOutcome;
    /** Let cubes go where, when and how fast somebody held them. */
    throwByHand: (state: PhysicsState, launches: readonly TimedLaunch[]) => PhysicsOutcome;
    /** Begin one of these, to go on with it window by window. */
    begin: (what: Begun) => {
        /** Go on by up to `windows` windows: { numbers, frames, windows, swept, let_go, done }. @returns {Advance} */
        advance(windows?: number, isFilmed?: boolean): Advance;
        /** Let one more cube go now: { cube: { id, colour }, pose, velocity, spin }; of a throw by hand that is open. */
        launch(given: Launch): void;
        /** Say that no more cubes come; it goes on until all lie still. */
        close(): void;
        /** How many windows have passed. */
        passed: () => number;
        /** Return what came of it, when it is done. @returns {PhysicsOutcome} */
        outcome(): PhysicsOutcome;
    };
    /** Tell whether a cube at a pose has come out. @type {(pose: Pose) => boolean} */
    emerged: (pose: Pose) => boolean;
}>>;
import type { Profile } from "../types.js";
import type { PhysicsState } from "../types.js";
import type { ThrownCube } from "../types.js";
import type { Rng } from "../types.js";
import type { PhysicsOutcome } from "../types.js";
import type { TimedLaunch } from "../types.js";
import type { Begun } from "../types.js";
import type { Advance } from "../types.js";
import type { Launch } from "../types.js";
import type { Pose } from "../types.js";
