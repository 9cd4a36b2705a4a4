// A client made of the OpenAPI document by openapi-typescript: the page's own request, every game, and a tower that goes on.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
type Schemas = components["schemas"];

/** Return what was answered; an Error with the problem's line for a refusal. */
function had<T>({ data, error }: { data?: T; error?: Schemas["ProblemAnswer"] }): T {
  if (data === undefined) throw new Error(error?.detail ?? "no answer");
  return data;
}

const play = async (body: Schemas["Play"]) => had(await client.POST("/v1/games", { body }));

/** Return how long a game was, or of how many games the odds are; each kind of document has a type of its own. */
function length(played: Awaited<ReturnType<typeof play>>): number {
  switch (played.schema) {
    case "tower-sim/game-run": return played.turns.length;
    case "tower-sim/game-odds": return played.runs;
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
  if (played.schema === "tower-sim/game-run" && played.game === "seafarers") {
    const number: "2" | "7" | "12" | Schemas["SeafarersFacts"]["event"] = played.turns[0]?.facts.event;
    told["event"] = Number(number);
  }
}

let state: string | null = null;
for (let i = 0; i < 10; i++) {
  const drop: Schemas["ThrowAnswer"] = had(await client.POST("/v1/drops", { body: { ...own, cubes: { blue: 3, red: i }, state } }));
  state = drop.state;
}
const odds = had(await client.POST("/v1/odds", { body: { ...own, state, throws: [{ blue: 3 }], times: 50 } }));
told["odds"] = odds.throws[0]?.draws ?? 0;
const refused = await client.POST("/v1/drops", { body: { ...own, cubes: { blue: -1 } } });
if (refused.error?.code !== "field.invalid") throw new Error("a wrong number is refused");
console.log(JSON.stringify(told));
