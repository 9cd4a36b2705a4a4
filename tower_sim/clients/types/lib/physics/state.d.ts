/** Return a state as text: one line, the same that Python writes. @returns {string} */
export function tokenOf(state: PhysicsState): string;
/** Return the state of a token; throws a RangeError, in one line, for what is none, damaged, or too large. @returns {PhysicsState} */
export function readToken(token: string, most?: number): PhysicsState;
/** Return a text as Python's zlib.compress(text, 9) packs it: `legacyHash` makes pako take the matches that zlib takes. */
export function packed(text: any): Uint8Array<ArrayBuffer>;
/** Return what zlib packed; of more than `most` bytes only the beginning, which is longer. Throws an Error for anything else. */
export function unpacked(body: any, most: any): Uint8Array<ArrayBuffer>;
/** Return what a state is as plain data, when it can be one; throws an Error that names the part for anything else. */
export function checkedPlain(plain: any): any;
/** Return a value that nobody can change, with all that is in it. */
export function frozen(value: any): any;
/** Return the cube of a resident's row, or of a cube's own. */
export function cubeOf([id, colour, edge]: [any, any, any]): {
    id: any;
    colour: any;
    edge: any;
};
/** Return the cubes of a state: those inside, those on its board, and those of its log. */
export function cubesOf(state: any): {
    inside: any;
    lying: any;
    past: any;
};
/** Return the lowest number above those of all cubes that a state has ever seen. @returns {number} */
export function nextId(state: PhysicsState): number;
/** Return how many drops made a state, drawn or by hand; knocks and cubes put down are not counted. */
export function dropsOf(state: any): any;
export const MOST_BYTES: 8000000;
export const PRINTED: "a word of characters that can be printed";
import type { PhysicsState } from "../types.js";
