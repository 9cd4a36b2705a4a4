// The log of a service's verifiable draws, checked without the service: docs/verify.md of tower_sim says what it holds. Drops of
// towers by their surrogate and by physics are drawn again here; what else was drawn, `tower-sim verify` draws again.

import { takenApart, wrongForm } from "../lib/logline.js";
import { checkedNotes, saidIn, spelt } from "../lib/noted.js";
import { numpyWords } from "../lib/numpy.js";
import { pcg64 } from "../lib/physics/pcg64.js";
import { physicsOf, redrawnByPhysics } from "../lib/redrawn.js";

const FIRST = "0".repeat(64);
const KNOWN = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"; // a key of RFC 8032, to see whether keys can be read
const MOST_BYTES = 8e6; // of what a state's token unpacks to; it and the next are those of tower_sim
const MOST = { residents: 10000, log: 50000, board: 10000, touches: 32000 };
const OWN = ["do", "apparatus", "model", "cubes", "state"]; // of a drop that is drawn again here
const ABSENT = ["engine", "accuracy", "knock"]; // of one that is not
const FORM = "the text or the bytes of a log, as the service sent it";

/** Check a log; see the types. */
export function verify(log, options = {}) {
  return checked(log, options);
}

async function checked(log, { towers = [], physics = [], key, noted = [] }) {
  const text = textOf(log);
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) throw new Error("crypto.subtle is not here; it is in Node 20 and in pages from https, localhost or a file");
  if (!text.includes('{"entry":{')) throw new RangeError(`log is ${JSON.stringify(text.slice(0, 40))}; allowed is ${FORM}`);
  const notes = checkedNotes(noted);
  const known = key === undefined ? undefined : checkedKey(key);
  const tools = { subtle, hasEd25519: await readsKeys(subtle), keys: new Map() };
  const reader = { rounds: new Map(), keys: [], said: saidIn(), findings: [], expected: 0, previous: FIRST };
  const lines = text.split("\n");
  const last = lines.pop();
  for (const [i, line] of lines.entries()) await read(reader, tools, i + 1, line);
  const wrong = (line, what) => reader.findings.push({ line, what });
  if (last) wrong(lines.length + 1, "the last line has no end: the log was cut");
  if (known !== undefined && !reader.keys.includes(known)) {
    wrong(0, `the key ${known.slice(0, 16)}... that you named has not signed it: it is of another server, or forged`);
  }
  if (!reader.rounds.size) wrong(lines.length, "the log ends before a round was opened");
  for (const { line, secret, draws } of reader.rounds.values()) {
    const told = `its secret was never shown, so its ${draws.length} draws cannot be checked`;
    if (secret === null) wrong(line, `the round that is opened here has no end: ${told}, or the end was taken out`);
  }
  const counts = await drawAgain(reader, tools, new Map(towers.map((tower) => [tower.name, tower])), physics);
  reader.findings.sort((a, b) => a.line - b.line);
  const found = reader.said.lookFor(notes, new Map([...reader.rounds].map(([name, { draws }]) => [name, draws.length])));
  const yours = reader.rounds.get(found?.round);
  const committed = Number(yours !== undefined && notes.map(spelt).includes(yours.commitment));
  const holds = !reader.findings.length && !found?.wrong;
  const report = { holds, signed: tools.hasEd25519, ...counts, committed };
  return {
    ...report,
    noted: found && { ...found, draws: (yours?.draws ?? []).map(asLogged) },
    says: says(report, reader, key, found),
    findings: reader.findings,
    lines: lines.length,
    head: reader.previous,
    keys: reader.keys,
    rounds: [...reader.rounds].map(([round, { commitment, words, secret, draws }]) => (
      { round, commitment, words, secret, draws: draws.length }
    )),
  };
}

/** Return a draw of the round that was noted, with what stands in its line. */
function asLogged({ line, hash, entry }) {
  const { asked, answer } = JSON.parse(entry);
  return { line, hash, asked, answer };
}

/** Return the two sentences that a player understands. */
function says({ signed, draws, redrawn, unchecked, committed }, { findings, keys, rounds }, key, noted) {
  if (findings.length) {
    const { line, what } = findings[0];
    return [
      `This log does not hold (${line ? `line ${line}: ` : ""}${what}).`,
      "Do not trust its draws: ask for the log again, and if that one says the same, they were not as agreed " +
        `(${redrawn} of ${draws} came out the same when made again here).`,
    ];
  }
  if (noted?.wrong) {
    return [
      `This log holds, but it is not what you noted (${noted.wrong}).`,
      "Do not take its draws for yours: look at what you noted, then ask for the log of your round; if the server gives this " +
        "one, your draws were not as agreed.",
    ];
  }
  const count = noted ? rounds.get(noted.round).draws.length : 0;
  const of = noted ? ` Yours is round ${noted.round}, with ${count} draw${count === 1 ? "" : "s"}.` : "";
  const left = unchecked ? ` ${unchecked} more cannot be made again here: tower-sim verify does it.` : "";
  const known = key === undefined ? `with the key ${keys[keys.length - 1]}, if that is the server's` : "with the key that you named";
  const fixed = committed
    ? "The server had fixed its secret before it could know the words: the commitment that you noted is in it."
    : "Whether the server had fixed its secret before it knew the words, only the commitment shows that you noted before " +
      "you sent them: give it in `noted`.";
  return [
    `This log holds: what was made again here (${redrawn} of ${draws} draws) follows from the server's secret and the ` +
      `player's words together, and came out the same.${left}${of}`,
    signed
      ? `${fixed} Nothing in the log was changed after it was signed ${known}.`
      : "This browser cannot check who signed it (it has no Ed25519), so someone may have written the whole log anew: " +
        "check it with another one, or with tower-sim verify.",
  ];
}

// The lines

async function read(reader, tools, number, line) {
  const wrong = (what) => reader.findings.push({ line: number, what });
  const before = reader.previous;
  reader.previous = hex(await sha256(tools, bytes(line)));
  reader.expected++;
  const { wrong: misread, fields, entry, signature } = takenApart(line);
  const form = misread ?? wrongForm(fields);
  if (form !== undefined) {
    wrong(form);
    return;
  }
  reader.said.add(reader.previous, "hash of a line", fields.round);
  if (fields.number !== reader.expected - 1) wrong("its number does not follow: a line was taken out, put in or moved");
  else if (fields.previous !== before) {
    wrong("it does not belong to the line before it: one of the two was changed or exchanged");
  }
  reader.expected = fields.number + 1;
  const found = await step(reader, tools, number, fields, entry);
  if (found) wrong(found);
  const key = reader.keys[reader.keys.length - 1];
  if (tools.hasEd25519 && !(key && (await isSigned(tools, key, signature, bytes(entry))))) {
    wrong("its signature is not that of the log's key: it was changed, or another wrote it");
  }
}

/** Follow what a line does; return what is wrong with it, if anything is. */
async function step(reader, tools, number, fields, entry) {
  const { rounds, keys, said } = reader;
  if ((fields.kind === "log") !== (number === 1)) return "the line that begins a log must be its first, and no other";
  const one = rounds.get(fields.round);
  if (["words", "draw", "reveal"].includes(fields.kind) && !one) return "it is of a round that no line before it has opened";
  const follow = async (key) => {
    let last = key;
    for (const { old, new: next, signature } of fields.succession) {
      const message = concat(bytes("tower_sim key succession 1"), unhex(old, 64), unhex(next, 64));
      if (old !== last || (tools.hasEd25519 && !(await isSigned(tools, old, signature, message)))) return undefined;
      last = next;
    }
    return last;
  };
  switch (fields.kind) {
    case "log": {
      keys.push(...fields.succession.map((link) => link.old), fields.key);
      const began = fields.succession.length ? fields.succession[0].old : fields.key;
      return (await follow(began)) === fields.key ? undefined : "its key did not follow the older ones that it names";
    }
    case "key": {
      if (!fields.succession.length || !keys.length || (await follow(keys[keys.length - 1])) === undefined) {
        return "it brings a new key that the old one has not signed";
      }
      keys.push(...fields.succession.map((link) => link.new));
      return undefined;
    }
    case "round": {
      if (rounds.has(fields.round) || [...rounds.values()].some((one) => one.commitment === fields.commitment)) {
        return "it opens a round that was there before";
      }
      rounds.set(fields.round, { line: number, commitment: fields.commitment, words: null, secret: null, draws: [] });
      said.add(fields.round, "number", fields.round);
      said.add(fields.commitment, "commitment", fields.round);
      return undefined;
    }
    case "words": {
      if (one.words !== null || one.draws.length || one.secret !== null) return "it gives words when they were due no more";
      one.words = fields.words;
      said.add(one.words, "words", fields.round);
      return undefined;
    }
    case "draw": {
      if (one.words === null) return "it draws before the player's words were there";
      if (one.secret !== null) return "it draws after the secret was shown";
      const { asked, answer, by } = fields;
      if (fields.index !== one.draws.length || "seed" in asked || "id" in asked) return "it is not the next draw of its round";
      one.draws.push({ line: number, hash: reader.previous, asked, answer, by, entry });
      return undefined;
    }
    case "reveal": {
      if (one.secret !== null) return "it shows a secret that was shown before";
      one.secret = fields.secret;
      if (hex(await sha256(tools, unhex(one.secret, 64))) !== one.commitment) return "the secret is not the one that the server had committed to";
      if (fields.draws !== one.draws.length) return `it counts ${fields.draws} draws, and the log has ${one.draws.length} of this round`;
      return undefined;
    }
    default:
      return undefined;
  }
}

// The draws

async function drawAgain({ rounds, findings }, tools, towers, physics) {
  const counts = { draws: 0, redrawn: 0, unchecked: 0, brought: 0 };
  const told = { known: new Map(), left: new Set() }; // states by hash: those told so far, and those that a draw has left
  for (const [name, { words, secret, draws }] of rounds) {
    counts.draws += draws.length;
    if (secret === null || words === null) continue;
    for (const [index, draw] of draws.entries()) {
      const seed = await drawSeed(tools, unhex(secret, 64), words, name, index);
      let found;
      try {
        found = await redrawn(tools, towers, physics, draw, seed, told, counts);
      } catch (error) {
        found = `its draw cannot be made again: ${error.message}`;
      }
      if (found === undefined) counts.redrawn++;
      else if (found === null) counts.unchecked++;
      else findings.push({ line: draw.line, what: found });
    }
  }
  return counts;
}

/** Return the seed of a draw: the first 128 bits of HMAC-SHA256 (RFC 2104) keyed by the secret. */
async function drawSeed(tools, secret, words, round, index) {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, BigInt(index));
  const message = concat(bytes("tower_sim draw 1"), unhex(round, 32), number, bytes(words));
  const key = await tools.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const whole = new Uint8Array(await tools.subtle.sign("HMAC", key, message));
  return BigInt(`0x${hex(whole.slice(0, 16))}`);
}

/** Make a draw again: undefined when it comes out the same, null when it cannot be made here, else what is wrong. */
async function redrawn(tools, towers, physics, { asked, answer, by }, seed, told, counts) {
  const model = physicsOf(physics, { asked, by });
  if (model) return redrawnByPhysics(model, { asked, answer }, seed, told, () => counts.brought++, sorted);
  const tower = towers.get(asked.apparatus);
  const others = Object.keys(asked).filter((key) => !OWN.includes(key) && !(ABSENT.includes(key) && asked[key] === null));
  if (asked.do !== "drop" || asked.model !== "surrogate" || !tower || others.length || by.model !== tower.model) {
    if (answer?.seed !== String(seed)) return "its seed is not the one that the secret and the words give";
    return null;
  }
  const before = asked.state == null
    ? { model: "surrogate", apparatus: tower.name, digest: tower.model, residents: [], sizes: [], next: 0, past: "" }
    : await stateOf(tools, asked.state, told, counts);
  if (before === undefined) return `its draw cannot be made again here: no line before it tells the state ${asked.state.slice(0, 16)}... that it began with, or not rightly`;
  if (before.model !== "surrogate" || before.digest !== tower.model) return "it began with a tower of another model";
  const colours = Object.entries(asked.cubes ?? {}).flatMap(([colour, count]) => Array(whole(count)).fill(colour));
  const thrown = colours.map((colour, i) => [before.next + i, colour, by.edge]);
  const expected = outcome(tower, before, thrown, asked.cubes ?? {}, seed);
  const after = { ...expected.after, past: await pastOf(tools, before.past, [expected.event]) };
  const left = await hashOf(tools, after);
  told.known.set(left, after);
  told.left.add(left);
  const { state, ...said } = answer;
  if (said.seed !== expected.answer.seed) return "its seed is not the one that the secret and the words give";
  const places = new Map((said.landings ?? []).map(({ cube, place }) => [cube, place]));
  for (const { cube, place } of expected.answer.landings) {
    if (places.get(cube) !== place) {
      return `its draw came out otherwise when it was made again: the log says that cube ${cube} is at ${places.get(cube)}, and drawn again it is at ${place}`;
    }
  }
  if (sorted(said) !== sorted(expected.answer) || state !== left) {
    return "its draw came out otherwise when it was made again: its counts or its state are others";
  }
  return undefined;
}

/** Return the answer without its state, the state after it but for its past, and what the drop adds to that. */
function outcome(tower, before, thrown, cubes, seed) {
  const { sizes } = before;
  const floor = (region) => { const i = tower.floors.indexOf(region); return i < 0 ? refuse() : i; };
  const lying = before.residents.map(([id, colour, , region, since]) => (
    { id, colour, floor: floor(region), since, inCrowd: sizes[since] >= tower.crowdFrom }
  ));
  const made = tower.drop(
    { drops: sizes.length, cubes: lying }, thrown.map(([id, colour]) => ({ id, colour })), numpyWords(seed, [0]),
  );
  const ends = new Map(made.landings.map((landing) => [landing.id, landing]));
  const here = [...before.residents, ...thrown];
  const stay = here.filter(([id]) => ends.get(id).floor >= 0);
  const names = new Set([...Object.keys(cubes), ...here.map(([, colour]) => colour)]);
  const counts = (some) => Object.fromEntries([...names].map((name) => [name, some.filter((cube) => cube[1] === name).length]));
  const out = here.filter(([id]) => ends.get(id).floor < 0);
  const since = new Map(before.residents.map((row) => [row[0], row[4]]));
  const residents = stay.map(([id, colour, edge]) => [id, colour, edge, tower.floors[ends.get(id).floor], since.get(id) ?? sizes.length]);
  const emerged = out.map(([id]) => id).sort((a, b) => a - b);
  return {
    answer: {
      schema: "tower-sim/outcome", version: 1, seed: String(seed), model: "surrogate", apparatus: tower.name, status: "settled",
      attempts: 1, thrown: counts(thrown), emerged: counts(out), inside: counts(stay), knocked_out: counts([]),
      extrapolated: !tower.covers(thrown.length, before.residents.length),
      landings: here.map(([id, colour]) => ({ cube: id, colour, place: ends.get(id).place })),
    },
    after: { ...before, residents, sizes: [...sizes, thrown.length], next: before.next + thrown.length },
    event: ["drop", pcg64(seed, [0]).text(), thrown, emerged, 0, ""],
  };
}

/** Return a state that is told by its hash (undefined where no line has told it) or whole, and count one that no draw had left. */
async function stateOf(tools, name, { known, left }, counts) {
  let hash = string(name);
  if (hash.length !== 64) {
    const { residents, log, board, touches, ...names } = await tokenOf(tools, name);
    if (board.length || touches.length || residents.some((row) => row.length !== 5)) refuse();
    const cubes = [...residents, ...log.flatMap((event) => event[2])];
    const sizes = log.filter(([kind]) => kind === "drop").map((event) => event[2].length);
    const next = cubes.reduce((most, [id]) => Math.max(most, id + 1), 0);
    const state = { ...names, residents, sizes, next, past: await pastOf(tools, "", log) };
    hash = await hashOf(tools, state);
    if (!known.has(hash)) known.set(hash, state);
  }
  if (!left.has(hash)) counts.brought++;
  return known.get(hash);
}

/** Return the hash of a past with more events; docs/verify.md says of what. */
async function pastOf(tools, before, events) {
  let past = before;
  for (const [kind, rng, thrown, emerged, strength, place] of events) {
    const event = `[${text(kind)},${text(rng)},[${thrown.map((cube) => `[${cubeText(cube)}]`)}],[${emerged}],${real(strength)},${text(place)}]`;
    past = hex(await sha256(tools, bytes(past + event)));
  }
  return past;
}

/** Return the hash of a state of a tower's surrogate; docs/verify.md says of what. */
async function hashOf(tools, { model, apparatus, digest, residents, past }) {
  const rows = residents.map((row) => `[${cubeText(row)},${text(row[3])},${row[4]}]`);
  const names = `"model":${text(model)},"apparatus":${text(apparatus)},"digest":${text(digest)}`;
  return hex(await sha256(tools, bytes(`{${names},"residents":[${rows}],"log":"${past}","board":[],"touches":[]}`)));
}

function cubeText([id, colour, edge]) {
  return `${id},${text(colour)},${real(edge)}`;
}

/** Return a text as Python's json writes it. */
function text(value) {
  return JSON.stringify(string(value)).replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Return a number that is no whole one to Python, as Python's json writes it; the edges of cubes are far from its exponents. */
function real(value) {
  if (!(value === 0 || (value >= 1e-4 && value < 1e15))) refuse();
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Return what a state's token holds. */
async function tokenOf(tools, token) {
  const [prefix, body, digest] = string(token).split(".");
  const own = hex(await sha256(tools, bytes(`${prefix}.${body}`))).slice(0, 16);
  if (prefix !== "TOWER3" || own !== digest) throw new Error("a state in it is damaged, or of another version");
  const packed = Uint8Array.from(atob(body.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const read = JSON.parse(await inflated(packed));
  for (const [key, most] of Object.entries(MOST)) {
    if (!Array.isArray(read[key]) || read[key].length > most) throw new Error(`a state in it holds more than ${most} of ${key}`);
  }
  return read;
}

/** Return the text that was packed; a few kB can stand for more than any state holds, and are not read further. */
async function inflated(packed) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const parts = [];
  let [size, values] = [0, 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    for (const byte of part.value) if (byte === 44 || byte === 91 || byte === 123) values++; // comma, [ and {
    if (size > MOST_BYTES || values > MOST_BYTES / 4) {
      await reader.cancel();
      throw new Error(`a state in it unpacks to more than ${MOST_BYTES} bytes or ${MOST_BYTES / 4} values`);
    }
    parts.push(part.value);
  }
  return new Blob(parts).text();
}

// Small tools

function textOf(log) {
  if (typeof log === "string") return log;
  if (log instanceof ArrayBuffer || ArrayBuffer.isView(log)) return new TextDecoder("latin1").decode(log);
  throw new RangeError(`log is ${typeof log}; allowed is ${FORM}`);
}

function checkedKey(key) {
  const digits = String(key).trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new RangeError(`key is ${JSON.stringify(key)}; allowed is a public key of 64 hexadecimal digits`);
}

async function readsKeys(subtle) {
  try {
    await subtle.importKey("raw", unhex(KNOWN, 64), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

async function isSigned({ subtle, keys }, key, signature, message) {
  try {
    if (!keys.has(key)) keys.set(key, await subtle.importKey("raw", unhex(key, 64), { name: "Ed25519" }, false, ["verify"]));
    return await subtle.verify({ name: "Ed25519" }, keys.get(key), unhex(signature, 128), message);
  } catch {
    return false;
  }
}

async function sha256({ subtle }, data) {
  return new Uint8Array(await subtle.digest("SHA-256", data));
}

function bytes(text) {
  return new TextEncoder().encode(text);
}

function hex(data) {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unhex(text, digits) {
  if (typeof text !== "string" || text.length !== digits || /[^0-9a-f]/.test(text)) refuse();
  return Uint8Array.from({ length: digits / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

function concat(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Return JSON in which keys have one order. */
function sorted(value) {
  return JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner);
}

function string(value) {
  return typeof value === "string" ? value : refuse();
}

function whole(count) {
  return Number.isSafeInteger(count) && count >= 0 && count <= 500 ? count : refuse();
}

function refuse() {
  throw new Error("the log does not say what was drawn");
}
