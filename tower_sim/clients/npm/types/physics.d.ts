/** A profile as data: one of tower-sim/physics/NAME, or a document of Python's `tower_sim.physics.plain.document`. */
export interface Profile {
  readonly schema: "tower-sim/physics";
  readonly version: 1;
  readonly name: string;
  /** The digest of the measures and the settings, which states carry. */
  readonly digest: string;
  readonly cube: { readonly edge: number; readonly mass: number };
  /** The rest, lengths in metres: what is drawn, and what decides a throw. */
  readonly [key: string]: unknown;
}

/** A seed: a whole number from 0 to 2^128 - 1, as a number, a bigint or its digits. */
export type Seed = number | bigint | string;

/** A cube to throw; `edge` (m) is the profile's where it is left out. */
export interface ThrownCube {
  readonly id: number;
  readonly colour: string;
  readonly edge?: number;
}

/** x y z (m) and a unit quaternion x y z w. */
export type Pose = readonly number[];

/** What a tower is between throws, as plain data that cannot be changed; `tokenOf` makes a line of text of it. */
export interface PhysicsState {
  readonly model: "physics";
  readonly apparatus: string;
  readonly digest: string;
  /** Cubes inside: [id, colour, edge, region, since, ...pose]; `board` has those that lie on a board. */
  readonly residents: readonly (readonly (number | string)[])[];
  readonly board: readonly (readonly (number | string)[])[];
  /** All that was done, with what is needed to do it again. */
  readonly log: readonly (readonly unknown[])[];
  /** Who touches whom: [id, other id or -1 - part, ...forces in nN]. */
  readonly touches: readonly (readonly number[])[];
}

export type Status = "settled" | "jammed" | "timed_out" | "escaped";

/** Where a cube is after a throw. */
export interface PhysicsLanding {
  readonly cube: number;
  readonly colour: string;
  /** `inside:REGION`, `tray`, `table`, `zone:NAME`, `border` or `lost`. */
  readonly place: string;
  readonly pose: Pose | null;
  /** On a board the zones that it touches, and the cubes that it lies on. */
  readonly touches: readonly string[];
  readonly on: readonly number[];
}

/** What one throw, knock or placing did. Only `settled` and `jammed` are landings: after others the state is the one before. */
export interface PhysicsOutcome {
  readonly model: "physics";
  readonly apparatus: string;
  readonly status: Status;
  readonly thrown: readonly ThrownCube[];
  readonly lying: readonly ThrownCube[];
  readonly emerged: readonly ThrownCube[];
  readonly inside: readonly ThrownCube[];
  readonly knocked_out: readonly ThrownCube[];
  readonly landings: readonly PhysicsLanding[];
  readonly failures: readonly Status[];
  readonly extrapolated: boolean;
  readonly state: PhysicsState;
}

/** Numbers as numpy's PCG64 draws them. */
export interface Rng {
  random(): number;
  next(): bigint;
  text(): string;
}

/** A cube let go by hand: m, a unit quaternion, m/s, rad/s. */
export interface Launch {
  readonly cube: ThrownCube;
  readonly pose: Pose;
  readonly velocity: readonly number[];
  readonly spin: readonly number[];
}

/** What has happened since the last look. */
export interface Advance {
  /** The cubes that are there, and where each is after each window: windows x cubes x 7 numbers. */
  readonly numbers: readonly number[];
  readonly frames: Float64Array | null;
  readonly windows: number;
  /** The cubes let go before these windows, and those that were taken away after them. */
  readonly let_go: readonly number[];
  readonly swept: readonly number[];
  readonly done: boolean;
}

/** Something that happens, window by window. */
export interface Run {
  /** Go on by up to `windows` windows of the settings (10 ms), fewer where something is due. */
  advance(windows?: number, isFilmed?: boolean): Advance;
  /** Of a throw by hand without launches: one more cube is let go now; `close` says that no more come. */
  launch(launch: Launch): void;
  close(): void;
  passed(): number;
  outcome(): PhysicsOutcome;
}

export type Begun =
  | { readonly kind: "drop"; readonly state: PhysicsState; readonly cubes: readonly ThrownCube[]; readonly rng: Rng }
  | { readonly kind: "knock"; readonly state: PhysicsState; readonly strength: number; readonly rng: Rng }
  | { readonly kind: "place"; readonly state: PhysicsState; readonly cube: ThrownCube; readonly zone: string; readonly rng: Rng }
  | { readonly kind: "hand"; readonly state: PhysicsState; readonly launches?: readonly (Launch & { readonly windows: number })[] };

/** A profile that is open. It does one thing after the other; everything follows from the arguments. */
export interface PhysicsModel {
  readonly name: "physics";
  readonly profile: Profile;
  empty(): PhysicsState;
  /** @throws {RangeError} in Python's words, as all of these, for what is not allowed */
  drop(state: PhysicsState, cubes: readonly ThrownCube[], rng: Rng): PhysicsOutcome;
  knock(state: PhysicsState, strength: number, rng: Rng): PhysicsOutcome;
  place(state: PhysicsState, cube: ThrownCube, zone: string, rng: Rng): PhysicsOutcome;
  throwByHand(state: PhysicsState, launches: readonly (Launch & { readonly windows: number })[]): PhysicsOutcome;
  begin(what: Begun): Run;
}

/** The document of `tower-sim drop --json`. */
export interface DropDocument {
  readonly schema: "tower-sim/outcome";
  readonly version: 1;
  readonly seed: string;
  readonly model: string;
  readonly apparatus: string;
  readonly status: Status;
  readonly attempts: number;
  readonly thrown: { readonly [colour: string]: number };
  readonly emerged: { readonly [colour: string]: number };
  readonly inside: { readonly [colour: string]: number };
  readonly knocked_out: { readonly [colour: string]: number };
  readonly extrapolated: boolean;
  readonly landings: readonly { readonly cube: number; readonly colour: string; readonly place: string }[];
  readonly state: string;
}

/** What a command asks: counts by colour, a token or a state (none: empty), a knock's strength (g) before the throw. */
export interface DropAsked {
  readonly apparatus: string | Profile;
  readonly seed: Seed;
  readonly cubes?: { readonly [colour: string]: number };
  readonly state?: string | PhysicsState | null;
  readonly knock?: number | null;
}

/** Open a profile, or the name of one that ships. */
export declare function openPhysics(profile: string | Profile): Promise<PhysicsModel>;

/** Return the document that `tower-sim drop` gives to the same seed. */
export declare function commandDrop(asked: DropAsked): Promise<DropDocument>;

/** Return the generator of numpy.random.SeedSequence(seed, spawn_key=key). */
export declare function pcg64(seed: Seed, key?: readonly number[]): Rng;

/** Call `draw(rng)` until it is a landing, at most 5 times, as the commands do. */
export declare function untilLanded(draw: (rng: Rng) => PhysicsOutcome, seed: Seed, key?: readonly number[]): PhysicsOutcome;

/** Throw as the commands do, after a knock if its strength (g) is not null. */
export declare function thrownAfter(
  model: PhysicsModel, state: PhysicsState, cubes: readonly ThrownCube[], knock: number | null, seed: Seed,
): PhysicsOutcome;

/** Return the document of an outcome; `colours` fixes the order and the zeros of the counts. */
export declare function documentOf(outcome: PhysicsOutcome, seed: Seed, colours?: readonly string[]): DropDocument;

/** Return a document as the line that the command prints, the same bytes. */
export declare function documentText(document: DropDocument): string;

/** Return a state as a line of text, the one that Python writes, and the state of such a line. */
export declare function tokenOf(state: PhysicsState): string;
export declare function readToken(token: string): PhysicsState;

/** Return the lowest number above those of all cubes that a state has ever seen. */
export declare function nextId(state: PhysicsState): number;

/** Return the state after cubes, by number, were taken off the board or out by hand. */
export declare function taken(state: PhysicsState, numbers: readonly number[]): PhysicsState;

/** Do again, from the empty tower, all that a state's log says; the result equals the state. */
export declare function redone(model: PhysicsModel, state: PhysicsState): PhysicsState;
