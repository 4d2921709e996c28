// Plays a whole game with types generated from /openapi.json: npx openapi-typescript --default-non-nullable=false
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const game = (await client.POST("/v1/games", { body: { players: 2 } })).data!;
const path = { game: game.game };
let answered = 0;

for (;;) {
  const view = (await client.GET("/v1/games/{game}", { params: { path } })).data!;
  if (view.status !== "running") {
    console.log("played", view.places, answered);
    break;
  }
  const headers = { Authorization: `Bearer ${game.tokens[view.due[0]!]!.token}` };
  const ask = (await client.GET("/v1/games/{game}/decision", { params: { path }, headers })).data!;
  const action = ask.legal_actions.at(-1)!;
  // The type tells which members there are.
  if (action.type === "play" && action.big + action.little > 10) throw new Error("no such cards");
  const body = { decision: ask.decision.id, action };
  const { error } = await client.POST("/v1/games/{game}/actions", { params: { path }, headers, body });
  if (error) throw new Error(error.code);
  answered++;
}
