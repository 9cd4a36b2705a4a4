// Throw cubes through `tower-sim serve`; what stays inside is carried on to the next throw.
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");

const [command = "tower-sim", ...words] = process.argv.slice(2);
const tower = spawn(command, [...words, "serve"], { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((done) => {
  tower.on("error", (error) => done(`cannot be started (${error.code}): say how, node client.js COMMAND ...`));
  tower.on("close", (status) => done(`gave no answer: it has ended with ${status}`));
});
tower.stdin.on("error", () => {}); // it has ended, and so do its lines
const lines = createInterface({ input: tower.stdout })[Symbol.asyncIterator]();

async function ask(request) {
  tower.stdin.write(JSON.stringify(request) + "\n");
  const { value: line } = await lines.next();
  if (line === undefined) throw new Error(`${command} ${await ended}`);
  const reply = JSON.parse(line);
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

main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(() => tower.stdin.end());
