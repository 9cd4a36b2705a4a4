// States and their tokens: plain frozen data as Python's TowerState.to_plain() says (docs/http.md), and one line of text.
//
//   { model, apparatus, digest, residents, log, board, touches }
//   resident   [id, colour, edge, region, since, x, y, z, qx, qy, qz, qw]; one on the board has its place there as region
//   event      [kind, rng, [[id, colour, edge], ...] thrown, [id, ...] emerged, strength, place], of a throw by hand launches, too
//   touch      [id, id or -1 - k for fixed part k, forces in nN ...]

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { bytesOfWord, wordOf } from "../common/bytes.js";
import { deflate, Inflate } from "./pako.js";
import { prints, quote, refuse, wrongly } from "./refuse.js";
import type { CubeRow, EdgedCube, LyingRow, PhysicsEvent, PhysicsState } from "./types.js";
import { pythonJson, real } from "./written.js";

const DROPS = ["drop", "hand"]; // the kinds of events in which cubes are thrown in
const PREFIX = "TOWER3";
export const MOST_BYTES = 8000000; // unpacked
const PER_PART = 4; // bytes for each [, { and comma
const MOST_THERE = 10000; // cubes inside, on a board, or thrown at once
const MOST = { residents: MOST_THERE, board: MOST_THERE, log: 50000, touches: 64 * 500 };
const TOKEN = "TOWER3.<state>.<digest>, the state of an earlier drop, whole";
export const PRINTED = "a word of characters that can be printed";

/** Return a state as text: one line, the same that Python writes. */
export function tokenOf(state: PhysicsState): string {
  const body = wordOf(packed(stateText(state)));
  return `${PREFIX}.${body}.${tokenDigest(body)}`;
}

/** Return the state of a token; throws a RangeError, in one line, for what is none, damaged, or too large. */
export function readToken(token: string, most = MOST_BYTES): PhysicsState {
  if (typeof token !== "string") throw wrongly("token", token, TOKEN);
  const [prefix, body, digest, ...more] = token.trim().split(".");
  if (digest === undefined || more.length || prefix !== PREFIX) throw refuse("token", `${quote(token)} is not a tower_sim token`, TOKEN);
  if (tokenDigest(body) !== digest) throw refuse("token", `${quote(token)} is damaged`, TOKEN);
  let values = 0;
  try {
    const bytes = unpacked(bytesOfWord(body), most);
    for (const byte of bytes) if (byte === 0x5b || byte === 0x7b || byte === 0x2c) values++;
    if (values <= Math.floor(most / PER_PART)) return freeze(checkPlain(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))));
  } catch (error) {
    if (!(error instanceof TooMuch)) throw refuse("token", `does not hold a state (${(error as Error).message})`, TOKEN);
  }
  throw refuse("token", "unpacks to too much", `up to ${most} bytes and ${Math.floor(most / PER_PART)} values`);
}

/** Return a text as Python's zlib.compress(text, 9) packs it: `legacyHash` makes pako take the matches that zlib takes. */
export function packed(text: string) {
  return deflate(new TextEncoder().encode(text), { level: 9, legacyHash: true });
}

class TooMuch extends Error {}

/** Return what zlib packed; throws an Error for anything else, and for more than `most` bytes. */
export function unpacked(body: Uint8Array, most: number): Uint8Array {
  const inflate = new Inflate();
  const { onData } = inflate;
  let size = 0;
  inflate.onData = (chunk) => {
    size += chunk.length;
    if (size > most) throw new TooMuch();
    onData.call(inflate, chunk);
  };
  if (!inflate.push(body, true)) throw new Error(inflate.msg );
  return inflate.result;
}

/** Return what a state is as plain data, when it can be one; throws an Error that names the part for anything else. */
export function checkPlain(plain: PhysicsState): PhysicsState {
  const { model, apparatus, digest, residents, log, board, touches } = plain;
  for (const [key, rows] of Object.entries({ residents, board, log, touches })) check(Array.isArray(rows) && rows.length <= MOST[key as keyof typeof MOST], key);
  for (const [kind, rng, thrown, emerged, strength, place, ...more] of log) {
    const [launches = []] = more;
    check(thrown.length <= MOST_THERE && emerged.length <= MOST_THERE && more.length <= 1, "log");
    check(emerged.every(isWhole) && [kind, rng, place].every(isText) && thrown.every(isCube) && Number.isFinite(strength), "log");
    check(launches.every((row) => row.every(Number.isFinite)), "log");
  }
  for (const row of [...residents, ...board]) {
    const pose = poseOf(row);
    check(isCube(row.slice(0, 3)) && isText(row[3]) && isWhole(row[4]), "residents");
    check(pose.every(Number.isFinite) && (pose.length === 0 || pose.length === 7), "residents");
  }
  check([model, apparatus, digest].every(isText), "model, apparatus or digest");
  for (const touch of touches) check(touch.length >= 2 && touch.every(isWhole), "touches");
  return plain;
}

function check(isRight: boolean, part: string): void {
  if (!isRight) throw new Error(`its ${part}`);
}

function isCube(cube: readonly unknown[]): boolean {
  const [number, colour, edge] = cube;
  return cube.length === 3 && isWhole(number) && isText(colour) && prints(colour) && Number.isFinite(edge);
}

function isWhole(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 1e60;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Return a value that nobody can change, with all that is in it. */
export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

/** Return the cube of a resident's row, or of a cube's own. */
export function cubeOf([id, colour, edge]: CubeRow | LyingRow): EdgedCube {
  return { id, colour, edge };
}

/** Return the pose of a resident's row. */
export function poseOf([, , , , , ...pose]: LyingRow): number[] {
  return pose;
}

/** Return the cubes of a state: those inside, those on its board, and those of its log. */
export function cubesOf(state: PhysicsState): Record<"inside" | "lying" | "past", EdgedCube[]> {
  return { inside: state.residents.map(cubeOf), lying: state.board.map(cubeOf), past: state.log.flatMap((event) => event[2].map(cubeOf)) };
}

/** Return the lowest number above those of all cubes that a state has ever seen. */
export function nextId(state: PhysicsState): number {
  const { inside, lying, past } = cubesOf(state);
  return [...inside, ...lying, ...past].reduce((most, { id }) => Math.max(most, id), -1) + 1;
}

/** Return how many drops made a state, drawn or by hand; knocks and cubes put down are not counted. */
export function dropsOf(state: PhysicsState): number {
  return state.log.filter(([kind]) => DROPS.includes(kind)).length;
}

/** Return a state as the text that a token packs. */
function stateText({ model, apparatus, digest, residents, log, board, touches }: PhysicsState): string {
  const marked = { model, apparatus, digest, residents: residents.map(markResident), log: log.map(markEvent), board: board.map(markResident), touches };
  return pythonJson(marked, ",", ":");
}

// with marks on real numbers, which Python writes with a point

function markCube([id, colour, edge]: CubeRow) {
  return [id, colour, real(edge)];
}

function markResident([id, colour, edge, region, since, ...pose]: LyingRow) {
  return [id, colour, real(edge), region, since, ...pose.map(real)];
}

function markEvent([kind, rng, thrown, emerged, strength, place, launches]: PhysicsEvent) {
  const rows = launches ? [launches.map(([windows, ...numbers]) => [windows, ...numbers.map(real)])] : [];
  return [kind, rng, thrown.map(markCube), emerged, real(strength), place, ...rows];
}

function tokenDigest(body: string): string {
  return bytesToHex(sha256(`${PREFIX}.${body}`)).slice(0, 16);
}
