// node server.mjs [port] [folder]: serve the game; matches are kept in the folder, and go on when the server starts again.
import { createRequire } from "node:module";
import { amerigoTower } from "./game.mjs";

const require = createRequire(import.meta.url);
const { FlatFile, Origins, Server } = require("boardgame.io/server");

const [port = "8000", dir = "matches", seed] = process.argv.slice(2);
const options = seed ? { seed: seed.split(",").map(Number) } : {}; // a seed is for tests; leave it out
const server = Server({ games: [amerigoTower(options)], db: new FlatFile({ dir }), origins: [Origins.LOCALHOST] });
const { appServer } = await server.run(Number(port));
console.log(`listening on ${appServer.address().port}`);
process.on("SIGTERM", () => server.app._io.close()); // what is being written is written, then it ends
