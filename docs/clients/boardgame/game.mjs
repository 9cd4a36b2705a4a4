// A small game with the tower of Amerigo, for two. The first throw is the set-up, of all cubes. Then each phase throws in the cubes of one
// colour that are outside. As many points as there are cubes of the commonest colour in the tray go to a colour of your
// choice that lies there, then to one of your opponent's, another where there is one. A colour's first 12 points bring 10 more.
import { rulesOf } from "tower-sim";
import { towerPlugin } from "tower-sim/boardgame";
import { amerigo } from "tower-sim/towers/amerigo";

const { colours, cubes: stock, phases, rounds } = rulesOf();
const FINISH = 12;
const PRIZE = 10;

export function amerigoTower(options = {}) {
  return {
    name: "amerigo-tower",
    minPlayers: 2,
    maxPlayers: 2,
    plugins: [towerPlugin({ tower: amerigo, ...options })],
    setup: () => {
      const all = colours.flatMap((colour) => Array(stock[colour]).fill(colour)).map((colour, id) => ({ id, colour }));
      const none = () => Object.fromEntries(colours.map((colour) => [colour, 0]));
      return { phase: -1, outside: all, tray: {}, points: 0, takes: 0, tracks: [none(), none()], emerged: [] };
    },
    moves: {
      throwIn: { move: throwIn, client: false, undoable: false }, // the server draws
      take: { move: take, client: false },
    },
    endIf: ({ G }) => G.phase === rounds * phases.length && G.takes === 0 && { scores: G.tracks.map(score) },
  };
}

function throwIn({ G, tower }) {
  if (G.takes > 0) return "INVALID_MOVE";
  const isSetup = G.phase < 0;
  const phase = phases[G.phase++ % phases.length];
  const thrown = G.outside.filter((cube) => isSetup || cube.colour === phase);
  const emerged = thrown.length ? tower.drop(thrown).emerged : []; // a phase without cubes is no drop
  G.outside = [...G.outside.filter((cube) => !thrown.includes(cube)), ...emerged];
  G.tray = count(emerged);
  G.emerged.push(G.tray);
  G.points = Math.max(0, ...Object.values(G.tray));
  G.takes = G.points > 0 && !isSetup ? 2 : 0;
}

function take({ G, playerID, events }, colour) {
  if (G.takes === 0 || !(colour in G.tray)) return "INVALID_MOVE";
  G.tracks[playerID][colour] += G.points;
  if (Object.keys(G.tray).length > 1) delete G.tray[colour];
  if (--G.takes === 1) events.endTurn(); // who takes last throws next
}

function count(cubes) {
  const counts = {};
  for (const { colour } of cubes) counts[colour] = (counts[colour] ?? 0) + 1;
  return counts;
}

function score(track) {
  return Object.values(track).reduce((sum, points) => sum + points + (points >= FINISH ? PRIZE : 0), 0);
}
