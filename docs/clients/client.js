// Throw cubes through `tower-sim serve`; what stays inside is carried on to the next throw.
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");

const [command = "tower-sim", ...words] = process.argv.slice(2);
const tower = spawn(command, [...words, "serve"], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: tower.stdout })[Symbol.asyncIterator]();

async function ask(request) {
  tower.stdin.write(JSON.stringify(request) + "\n");
  const reply = JSON.parse((await lines.next()).value);
  if ("error" in reply) throw new Error(reply.error);
  return reply;
}

async function main() {
  let state = null;
  for (const [turn, cubes] of [{ blue: 8, red: 8 }, { blue: 4 }, { red: 2 }].entries()) {
    const reply = await ask({ id: turn, do: "drop", cubes, state, seed: String(turn) });
    state = reply.state;
    console.log("out:", JSON.stringify(reply.emerged), "inside:", JSON.stringify(reply.inside));
  }
}

main().finally(() => tower.stdin.end());
