// node chat.mjs: /tower 4blue 2red in a chat throws cubes into the channel's tower, which `tower-sim serve --http` keeps.
// It answers Discord's interactions: PUBLIC_KEY is your application's there. TOWER_SIM and TOKEN are the service's; PORT is ours.
import { createHmac, createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const { PUBLIC_KEY = "", TOWER_SIM = "http://127.0.0.1:8484", TOKEN = "", PORT = "3000" } = process.env;
const PING = 1, COMMAND = 2, SAY = 4; // kinds of interactions, and of answers
const wrong = `PUBLIC_KEY is "${PUBLIC_KEY}"; allowed is the public key of your application, 64 hexadecimal digits`;
if (!/^[0-9a-f]{64}$/i.test(PUBLIC_KEY)) console.error(wrong), process.exit(2);
const x = Buffer.from(PUBLIC_KEY, "hex").toString("base64url");
const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });

/** Ask the service; the same key gives the same answer, however often Discord or we ask again. */
async function ask(path, body, idempotencyKey, signal) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey };
  if (TOKEN) headers.Authorization = `Bearer ${TOKEN}`;
  const asked = fetch(TOWER_SIM + path, { method: "POST", headers, body: JSON.stringify(body), signal });
  const response = await asked.catch(() => { throw new Error("the service of the towers does not answer"); });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? answer.title);
  return answer;
}

/** A key that nobody without the token can guess. */
const keyOf = (what, id) => createHmac("sha256", TOKEN).update(`${what} ${id}`).digest("hex");
const listed = (counts) => Object.keys(counts).filter((c) => counts[c]).map((c) => `${counts[c]} ${c}`).join(", ") || "nothing";

/** A channel's tower is the one that was made with the channel's key: nothing needs to be kept here. */
async function thrown({ id, channel_id: channel }, text) {
  const cubes = cubesOf(text), signal = AbortSignal.timeout(2500); // Discord waits for 3 s
  const made = await ask("/v1/towers", { apparatus: "amerigo", model: "surrogate" }, keyOf("channel", channel), signal);
  return ask(`/v1/towers/${made.id}/drops`, { cubes }, keyOf("interaction", id), signal);
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
  const told = await thrown(interaction, String(interaction.data.options?.[0]?.value ?? "")).then(
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
