// node verify_ask.mjs FOLDER: checks logs by the package in FOLDER. Reads JSON, [{ log (base64), key, noted, without }]; prints a list.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const url = (name) => pathToFileURL(`${folder}/${name}`).href;
const { verify } = await import(url("plugins/verify.js"));
const { openPhysics } = await import(url("physics.js"));
const { amerigo } = await import(url("towers/amerigo.js"));
const common = createRequire(import.meta.url)(`${folder}/plugins/verify.cjs`);
const importKey = crypto.subtle.importKey;
const answers = [];
const names = ["amerigo", "dead_reckoning"];
const opened = await Promise.all(names.map((name) => openPhysics(name)));
for (const { log, without, text, byPhysics, ...options } of JSON.parse(readFileSync(0, "utf8"))) {
  // as in a browser that has no Ed25519
  crypto.subtle.importKey = without ? (...all) => (all[2].name === "Ed25519" ? Promise.reject(new Error("NotSupportedError")) : importKey.apply(crypto.subtle, all)) : importKey;
  if (byPhysics) options.physics = opened;
  const bytes = Buffer.from(log, "base64");
  try {
    answers.push(await (text ? common.verify(bytes.toString("latin1"), { towers: [amerigo], ...options }) : verify(bytes, { towers: [amerigo], ...options })));
  } catch (error) {
    answers.push({ error: error.name });
  }
}
console.log(JSON.stringify(answers));
