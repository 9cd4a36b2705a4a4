import type { CubeRow, EdgedCube, LyingRow, PhysicsState } from "./types.js";
export declare const MOST_BYTES = 8000000;
export declare const PRINTED = "a word of characters that can be printed";
/** Return a state as text: one line, the same that Python writes. */
export declare function tokenOf(state: PhysicsState): string;
/** Return the state of a token; throws a RangeError, in one line, for what is none, damaged, or too large. */
export declare function readToken(token: string, most?: number): PhysicsState;
/** Return a text as Python's zlib.compress(text, 9) packs it: `legacyHash` makes pako take the matches that zlib takes. */
export declare function packed(text: string): Uint8Array<ArrayBuffer>;
/** Return what zlib packed; throws an Error for anything else, and for more than `most` bytes. */
export declare function unpacked(body: Uint8Array, most: number): Uint8Array;
/** Return what a state is as plain data, when it can be one; throws an Error that names the part for anything else. */
export declare function checkPlain(plain: PhysicsState): PhysicsState;
/** Return a value that nobody can change, with all that is in it. */
export declare function freeze<T>(value: T): T;
/** Return the cube of a resident's row, or of a cube's own. */
export declare function cubeOf([id, colour, edge]: CubeRow | LyingRow): EdgedCube;
/** Return the pose of a resident's row. */
export declare function poseOf([, , , , , ...pose]: LyingRow): number[];
/** Return the cubes of a state: those inside, those on its board, and those of its log. */
export declare function cubesOf(state: PhysicsState): Record<"inside" | "lying" | "past", EdgedCube[]>;
/** Return the lowest number above those of all cubes that a state has ever seen. */
export declare function nextId(state: PhysicsState): number;
/** Return how many drops made a state, drawn or by hand; knocks and cubes put down are not counted. */
export declare function dropsOf(state: PhysicsState): number;
