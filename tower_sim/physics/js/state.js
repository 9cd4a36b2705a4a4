// States and their tokens: plain frozen data as Python's TowerState.to_plain() says (docs/json.md), and one line of text.
//
//   { model, apparatus, digest, residents, log, board, touches }
//   resident   [id, colour, edge, region, since, x, y, z, qx, qy, qz, qw]; one on the board has its place there as region
//   event      [kind, rng, [[id, colour, edge], ...] thrown, [id, ...] emerged, strength, place], of a throw by hand launches, too
//   touch      [id, id or -1 - k for fixed part k, forces in nN ...]

import { deflated } from "./deflate.js";
import { inflated } from "./inflate.js";
import { DROPS } from "./past.js";
import { prints, quoted, refuse, wrongly } from "./refuse.js";
import { sha256 } from "./sha256.js";
import { pythonJson, real } from "./written.js";

const PREFIX = "TOWER3";
export const MOST_BYTES = 8000000; // unpacked
const PER_PART = 4; // bytes for each [, { and comma
const MOST_THERE = 10000; // cubes inside, on a board, or thrown at once
const MOST = {
  residents: ["cubes inside", MOST_THERE],
  board: ["cubes on its board", MOST_THERE],
  log: ["events in its past", 50000],
  touches: ["touches", 64 * 500],
};
const SAYING = "'TOWER3.<state>.<digest>'";
const SOURCE = "the 'state' value of an earlier drop";

/** Return a state as text: one line, the same that Python writes. */
export function tokenOf(state) {
  const body = base64Of(deflated(new TextEncoder().encode(stateText(state))));
  return `${PREFIX}.${body}.${tokenDigest(body)}`;
}

/** Return the state of a token; throws a RangeError, in one line, for what is none, damaged, or too large. */
export function readToken(token, most = MOST_BYTES) {
  if (typeof token !== "string") throw wrongly("state token", token, `one line of text, ${SAYING}`, `pass ${SOURCE}, whole`);
  const text = token.trim();
  if (/[^\x00-\x7f]/.test(text)) throw wrongly("state token", token, `one line of text, ${SAYING}`, `pass ${SOURCE}, whole`);
  const parts = text.split(".");
  const said = `state token '${shortened(token)}'`;
  if (parts.length !== 3 || parts[0] !== PREFIX) {
    throw refuse(`${said} is not a tower_sim token; allowed is one line ${SAYING}; pass ${SOURCE}, whole`);
  }
  if (tokenDigest(parts[1]) !== parts[2]) {
    throw refuse(`${said} is damaged (its digest does not match); copy ${SOURCE} again, whole`);
  }
  let bytes;
  let values = 0;
  try {
    bytes = inflated(bytesOf(parts[1]), most + 1);
    for (const byte of bytes) if (byte === 0x5b || byte === 0x7b || byte === 0x2c) values++;
    if (bytes.length <= most && values <= Math.floor(most / PER_PART)) {
      return frozen(checkedPlain(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))));
    }
  } catch (error) {
    throw refuse(`${said} does not hold a state (${error.message}); pass ${SOURCE}, whole`);
  }
  const found = bytes.length > most ? `more than ${most} bytes` : `some ${values} values`;
  throw refuse(
    `${said} unpacks to ${found}; allowed are up to ${most} bytes and ${Math.floor(most / PER_PART)} values; go on from a state ` +
      "with a shorter past",
    "state",
  );
}

/** Return what a state is as plain data, when it can be one; throws an Error, as Python's reasons, for anything else. */
export function checkedPlain(plain) {
  const { model, apparatus, digest, residents, log, board, touches } = plain;
  for (const [key, [what, most]] of Object.entries(MOST)) {
    if (!Array.isArray(plain[key])) throw new Error(`'${key}'`);
    if (plain[key].length > most) throw new Error(`it has ${plain[key].length} ${what}; allowed are up to ${most}`);
  }
  for (const event of log) checkEvent(event);
  for (const row of [...residents, ...board]) checkResident(row);
  for (const text of [model, apparatus, digest]) textual(text);
  for (const touch of touches) {
    if (touch.length < 2) throw new Error(`not enough values to unpack (expected at least 2, got ${touch.length})`);
    touch.forEach(wholly);
  }
  return plain;
}

function checkEvent(event) {
  const [kind, rng, thrown, emerged, strength, place, launches] = event;
  if (event.length < 6) throw new Error(`not enough values to unpack (expected at least 6, got ${event.length})`);
  if (event.length > 7) throw new Error("an event of more than seven parts");
  if (thrown.length > MOST_THERE || emerged.length > MOST_THERE) throw new Error(`an event of more than ${MOST_THERE} cubes`);
  emerged.forEach(wholly);
  [kind, rng, place].forEach(textual);
  thrown.forEach(checkCube);
  finite(strength);
  for (const row of launches ?? []) row.forEach(finite);
}

function checkResident(row) {
  const pose = row.slice(5);
  pose.forEach(finite);
  if (pose.length !== 0 && pose.length !== 7) throw new Error("a pose needs 7 finite numbers");
  checkCube(row.slice(0, 3));
  textual(row[3]);
  wholly(row[4]);
}

function checkCube(cube) {
  const [number, colour, edge] = cube;
  if (cube.length !== 3) throw new Error(`${cube.length < 3 ? "not enough" : "too many"} values to unpack (expected 3)`);
  wholly(number);
  if (typeof colour !== "string" || !prints(colour)) {
    throw wrongly("colour of a cube", colour, "a word of characters that can be printed", "write another word");
  }
  finite(edge);
}

function wholly(value) {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e60) throw new Error(`${quoted(value)} is no whole number of up to 60 digits`);
}

function textual(value) {
  if (typeof value !== "string") throw new Error(`${quoted(value)} is no text`);
}

function finite(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`${quoted(value)} is no number`);
}

/** Return a value that nobody can change, with all that is in it. */
export function frozen(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** Return the cube of a resident's row, or of a cube's own. */
export function cubeOf([id, colour, edge]) {
  return { id, colour, edge };
}

/** Return the cubes of a state: those inside, those on its board, and those of its log. */
export function cubesOf(state) {
  return { inside: state.residents.map(cubeOf), lying: state.board.map(cubeOf), past: state.log.flatMap((event) => event[2].map(cubeOf)) };
}

/** Return the lowest number above those of all cubes that a state has ever seen. */
export function nextId(state) {
  const { inside, lying, past } = cubesOf(state);
  return [...inside, ...lying, ...past].reduce((most, { id }) => Math.max(most, id), -1) + 1;
}

/** Return how many drops made a state, drawn or by hand; knocks and cubes put down are not counted. */
export function dropsOf(state) {
  return state.log.filter(([kind]) => DROPS.includes(kind)).length;
}

/** Return a state as the text that a token packs; a `log` that is a text stands for the past. */
export function stateText({ model, apparatus, digest, residents, log, board, touches }) {
  const past = typeof log === "string" ? log : log.map(eventMarked);
  const marked = { model, apparatus, digest, residents: residents.map(residentMarked), log: past, board: board.map(residentMarked), touches };
  return pythonJson(marked, ",", ":");
}

/** Return an event of a log as such text. */
export function eventText(event) {
  return pythonJson(eventMarked(event), ",", ":");
}

// with marks on real numbers, which Python writes with a point

function cubeMarked([id, colour, edge]) {
  return [id, colour, real(edge)];
}

function residentMarked([id, colour, edge, region, since, ...pose]) {
  return [id, colour, real(edge), region, since, ...pose.map(real)];
}

function eventMarked([kind, rng, thrown, emerged, strength, place, launches]) {
  const rows = launches ? [launches.map(([windows, ...numbers]) => [windows, ...numbers.map(real)])] : [];
  return [kind, rng, thrown.map(cubeMarked), emerged, real(strength), place, ...rows];
}

function tokenDigest(body) {
  return sha256(`${PREFIX}.${body}`).slice(0, 16);
}

function shortened(token) {
  const text = token.split(/\s+/).filter(Boolean).join(" ");
  return text.length <= 24 ? text : `${text.slice(0, 16)}...${text.slice(-4)}`;
}

function base64Of(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function bytesOf(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}
