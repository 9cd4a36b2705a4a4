// node chat.mjs: /tower 4blue 2red in a chat throws cubes into the channel's tower, whose text is kept in the file TOWERS.
// It answers Discord's interactions: PUBLIC_KEY is your application's there. TOWER_SIM and TOKEN are the service's; PORT is ours.
import { createPublicKey, verify } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const { PUBLIC_KEY = "", TOWER_SIM = "http://127.0.0.1:8484", TOKEN = "", PORT = "3000", TOWERS = "towers.json" } = process.env;
const PING = 1, COMMAND = 2, SAY = 4; // kinds of interactions, and of answers
const wrong = `PUBLIC_KEY is "${PUBLIC_KEY}"; allowed is the public key of your application, 64 hexadecimal digits`;
if (!/^[0-9a-f]{64}$/i.test(PUBLIC_KEY)) console.error(wrong), process.exit(2);
const x = Buffer.from(PUBLIC_KEY, "hex").toString("base64url");
const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });

/** Ask the service for a throw. */
async function ask(body, signal) {
  const headers = { "Content-Type": "application/json" };
  if (TOKEN) headers.Authorization = `Bearer ${TOKEN}`;
  const asked = fetch(`${TOWER_SIM}/v1/drops`, { method: "POST", headers, body: JSON.stringify(body), signal });
  const response = await asked.catch(() => { throw new Error("the service of the towers does not answer"); });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? answer.title);
  return answer;
}

const listed = (counts) => Object.keys(counts).filter((c) => counts[c]).map((c) => `${counts[c]} ${c}`).join(", ") || "nothing";

const towers = existsSync(TOWERS) ? JSON.parse(readFileSync(TOWERS, "utf8")) : {}; // by channel: its last command and throw
const turns = new Map(); // by channel: a command waits for the one before it

/** Throw into the channel's tower. Its last command, sent again, throws nothing and gets the same answer. */
async function thrown({ id, channel_id: channel }, text) {
  const last = towers[channel];
  if (last?.id === id) return last;
  const signal = AbortSignal.timeout(2500); // Discord waits for 3 s
  const { emerged, inside, state } = await ask({ cubes: cubesOf(text), state: last?.state, model: "surrogate" }, signal);
  towers[channel] = { id, emerged, inside, state };
  writeFileSync(`${TOWERS}.new`, JSON.stringify(towers));
  renameSync(`${TOWERS}.new`, TOWERS);
  return towers[channel];
}

function inTurn(interaction, text) {
  const turn = (turns.get(interaction.channel_id) ?? Promise.resolve()).catch(() => {}).then(() => thrown(interaction, text));
  turns.set(interaction.channel_id, turn);
  return turn;
}

/** "4blue 2 red" is { blue: 4, red: 2 }. */
function cubesOf(text) {
  const counts = Object.create(null);
  for (const [, n, colour] of text.matchAll(/(\d+)\s*(\p{L}+)/gu)) counts[colour] = (counts[colour] ?? 0) + Number(n);
  if (!Object.keys(counts).length) throw new Error("say how many of which colour, as in /tower 4blue 2red");
  return counts;
}

async function answered({ type, ...interaction }) {
  if (type !== COMMAND) return type === PING ? { type: PING } : null;
  const told = await inTurn(interaction, String(interaction.data.options?.[0]?.value ?? "")).then(
    ({ emerged, inside }) => `Out comes ${listed(emerged)}; inside now: ${listed(inside)}.`,
    (error) => `Nothing was thrown: ${error.message}`,
  );
  return { type: SAY, data: { content: told } };
}

async function replied(request, response) {
  const body = Buffer.concat(await request.toArray());
  const { "x-signature-ed25519": signature = "", "x-signature-timestamp": time = "" } = request.headers;
  const isDiscord = verify(null, Buffer.concat([Buffer.from(time), body]), key, Buffer.from(signature, "hex"));
  const answer = isDiscord ? await answered(JSON.parse(body)) : null;
  response.writeHead(answer ? 200 : isDiscord ? 400 : 401, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
}
const server = createServer((request, response) => replied(request, response).catch(() => response.destroy()));
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
