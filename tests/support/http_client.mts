// A client made of the OpenAPI document by openapi-typescript: the page's own request, every game, and a live tower.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
type Schemas = components["schemas"];

/** Return what was answered; an Error with the problem's line for a refusal. */
function had<T>({ data, error }: { data?: T; error?: Schemas["ProblemAnswer"] }): T {
  if (data === undefined) throw new Error(error?.detail ?? "no answer");
  return data;
}

const play = async (body: Schemas["Play"]) => had(await client.POST("/v1/games", { body, params: { header: key() } }));

/** Return how long a game was, or of how many games the odds are; each kind of document has a type of its own. */
function length(played: Awaited<ReturnType<typeof play>>): number {
  switch (played.schema) {
    case "tower-sim/amerigo-game": return played.drops.length;
    case "tower-sim/battle": return played.steps.length;
    case "tower-sim/game-run": return played.turns.length;
    case "tower-sim/game-odds": return played.runs;
    case "tower-sim/battle-odds": return played.summary.games;
    case "tower-sim/job": throw new Error("nobody asked for a job");
  }
}

const first = had(await client.POST("/v1/drops", { body: { cubes: { blue: 4 }, model: "surrogate", seed: "7" } }));
const told: Record<string, number> = { first: first.emerged["blue"] ?? 0 };
const own = { model: "surrogate" } as const;
const how: Record<Schemas["Play"]["game"], Omit<Schemas["Play"], "game">> = { // without one of the games it is no such record
  amerigo: own, chain: { ...own, apparatus: "amerigo" }, dead_reckoning: { ...own, rules: { cubes: { purple: 4, green: 3 } } },
  amazonas: { ...own, apparatus: "amerigo" }, seafarers: { ...own, apparatus: "amerigo" }, archipelago: { ...own, apparatus: "amerigo" },
  wallenstein: { model: "two_thirds" }, push_your_luck: { ...own, apparatus: "amerigo" },
};
for (const { name } of had(await client.GET("/v1/games")).games) {
  const game = name as Schemas["Play"]["game"];
  const played = await play({ game, ...how[game], seed: "7" });
  told[name] = length(played);
  if (length(await play({ game, ...how[game], games: 3 })) !== 3) throw new Error("the odds are of three games");
  const again = had(await client.GET("/v1/games/{id}", { params: { path: { id: played.id } } }));
  if (JSON.stringify(again) !== JSON.stringify(played)) throw new Error("another document came");
  if (again.schema === "tower-sim/game-run" && again.game === "seafarers") {
    const number: "2" | "7" | "12" | Schemas["SeafarersFacts"]["event"] = again.turns[0]?.facts.event;
    told["event"] = Number(number);
  }
}

const tower = had(await client.POST("/v1/towers", { body: own, params: { header: key() } }));
const seen = { id: tower.table };
let inside = "";
for (let i = 0; i < 10; i++) {
  const drop = had(await client.POST("/v1/towers/{id}/drops", {
    body: { cubes: { blue: 3, red: i } }, params: { path: i % 2 ? seen : { id: tower.id }, header: key() },
  }));
  if (drop.number !== i || drop.schema !== (i % 2 ? "tower-sim/table-drop" : "tower-sim/outcome")) throw new Error("a throw is missing");
  inside = JSON.stringify(Object.entries(drop.inside).filter(([, count]) => count).sort());
}
const stands = had(await client.GET("/v1/towers/{id}", { params: { path: { id: tower.id } } }));
if (stands.schema !== "tower-sim/tower" || JSON.stringify(Object.entries(stands.inside).sort()) !== inside) throw new Error("another tower");
const odds = had(await client.POST("/v1/odds", { body: { ...own, state: stands.state, throws: [{ blue: 3 }], times: 50 } }));
told["odds"] = odds.throws[0]?.draws ?? 0;
const history = had(await client.GET("/v1/towers/{id}/drops", { params: { path: seen } }));
const refused = await client.GET("/v1/towers/{id}", { params: { path: { id: "x".repeat(22) } } });
if (refused.error?.code !== "not_found") throw new Error("an unknown tower is refused");
console.log(JSON.stringify({ ...told, throws: history.drops.length }));
