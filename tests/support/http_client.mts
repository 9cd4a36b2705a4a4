// A client made of the OpenAPI document by openapi-typescript: every game, a battle, and a tower with ten throws and a fork.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
type Refused = components["schemas"]["ProblemAnswer"];

/** Return what was answered; an Error with the problem's line for a refusal. */
function had<T>({ data, error }: { data?: T; error?: Refused }): T {
  if (data === undefined) throw new Error(error?.detail ?? "no answer");
  return data;
}

const sorted = (counts: Record<string, number>) => JSON.stringify(Object.entries(counts).filter(([, count]) => count).sort());
const told: Record<string, number> = {};
const { games } = had(await client.GET("/v1/games"));
for (const { name, apparatus } of games) {
  const body = {
    game: name as components["schemas"]["Play"]["game"], model: apparatus === "wallenstein" ? "two_thirds" : "surrogate", rules: {}, seed: "7",
    apparatus: apparatus === null ? "amerigo" : null,
  } as const;
  const made = had(await client.POST("/v1/games", { body, params: { header: key() } }));
  if (!("id" in made)) throw new Error("a document has an identifier");
  if ("turns" in made) told[name] = (made as components["schemas"]["KeptRun"]).turns.length;
  else if ("location" in made) throw new Error("nobody asked for a job");
  else told[name] = Object.keys(made).length;
  const again = had(await client.GET("/v1/games/{id}", { params: { path: { id: made.id } } }));
  if (again.id !== made.id || again.seed !== "7") throw new Error("another document came");
}

const rules = { cubes: { purple: 4, green: 3 } };
const battle = had(await client.POST("/v1/games", {
  body: { game: "dead_reckoning", model: "physics", rules, seed: "8" }, params: { header: key() },
}));
told["battle"] = Object.keys(battle).length;

const tower = had(await client.POST("/v1/towers", { body: { model: "surrogate" }, params: { header: key() } }));
const path = { id: tower.id };
const inside: string[] = [];
for (let i = 0; i < 10; i++) {
  const drop = had(await client.POST("/v1/towers/{id}/drops", {
    body: { cubes: { blue: 3, red: i } }, params: { path, header: key() },
  }));
  if (drop.number !== i) throw new Error("a throw is missing");
  inside.push(sorted(drop.inside));
}
const fork = had(await client.POST("/v1/towers/{id}/forks", { body: { after: 4 }, params: { path, header: key() } }));
if (sorted(fork.inside) !== inside[4]) throw new Error("the fork goes on from another throw");
const query = { from: 0, limit: 100 };
const history = had(await client.GET("/v1/towers/{id}/drops", { params: { path, query } }));
const refused = await client.GET("/v1/towers/{id}", { params: { path: { id: "x".repeat(22) } } });
if (refused.error?.code !== "not_found") throw new Error("an unknown tower is refused");
console.log(JSON.stringify({ ...told, throws: history.drops.length }));
