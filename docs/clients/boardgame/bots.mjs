// node bots.mjs URL [phases] [file]: two bots play a match to its end, or until so many phases are done. The file keeps the
// match and the bots' credentials; if it is there already, they go on with that match.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { amerigoTower } from "./game.mjs";

const require = createRequire(import.meta.url);
const { Client, LobbyClient } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");

const [server, phases = "1000", file = "match.json"] = process.argv.slice(2);
const game = amerigoTower();
await listening();
if (!existsSync(file)) writeFileSync(file, JSON.stringify(await newMatch()));
const { matchID, credentials } = JSON.parse(readFileSync(file, "utf8"));

const bots = ["0", "1"].map((playerID) =>
  Client({ game, multiplayer: SocketIO({ server }), matchID, playerID, credentials: credentials[playerID], debug: false }),
);
await Promise.all(bots.map(played));
const { G, ctx, plugins } = bots[0].getState();
console.log(JSON.stringify({ phase: G.phase, emerged: G.emerged, tower: plugins.tower.data, ...ctx.gameover }));
process.exit(0);

/** Wait until the server answers, for ten seconds at most. */
async function listening() {
  for (let tries = 100; !(await fetch(`${server}/games`).catch(() => null)); tries--) {
    if (tries === 0) throw new Error(`nothing answers at ${server}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function newMatch() {
  const lobby = new LobbyClient({ server });
  const { matchID } = await lobby.createMatch(game.name, { numPlayers: 2 });
  const credentials = {};
  for (const playerID of ["0", "1"]) { // in turn: of two that join at once, the file store keeps one
    const joined = await lobby.joinMatch(game.name, matchID, { playerID, playerName: `bot ${playerID}` });
    credentials[playerID] = joined.playerCredentials;
  }
  return { matchID, credentials };
}

/** Move whenever it is the bot's turn; done when the match is, or the phases. */
function played(bot) {
  return new Promise((done) => {
    let acted = -1;
    bot.subscribe((state) => {
      if (state === null) return;
      const { G, ctx, isActive, _stateID } = state;
      if (ctx.gameover || (G.phase >= Number(phases) && G.takes === 0)) done();
      else if (isActive && ctx.currentPlayer === bot.playerID && _stateID !== acted) {
        acted = _stateID;
        setImmediate(() => (G.takes ? bot.moves.take(furthest(G, bot.playerID)) : bot.moves.throwIn()));
      }
    });
    bot.start();
  });
}

/** The colour in the tray whose track is the furthest. */
function furthest({ tray, tracks }, player) {
  return Object.keys(tray).reduce((a, b) => (tracks[player][b] > tracks[player][a] ? b : a));
}
