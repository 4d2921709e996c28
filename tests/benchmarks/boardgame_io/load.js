// node load.js URL SECONDS: plays MATCHES matches of four at once over websockets, one socket a player, and prints a JSON
// object: `moves`, all that were made, and `times`, from sending a move to its player being shown it (seconds), of those made after WARM_S.
const { io } = require("socket.io-client");

const MATCHES = 16;
const PLAYERS = 4;
const WARM_S = 0.3;
const [url, seconds] = process.argv.slice(2);
const now = () => performance.now() / 1000;
const measuredFrom = now() + WARM_S;
const ends = measuredFrom + Number(seconds);
const times = [];
let moves = 0;

async function create() {
  const answer = await fetch(`${url}/games/picks/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ numPlayers: PLAYERS }),
  });
  return (await answer.json()).matchID;
}

// Plays one seat to the end of its match: it picks as soon as the round begins that it has not picked for.
function play(matchID, playerID) {
  return new Promise((resolve, reject) => {
    const socket = io(`${url}/picks`, { transports: ["websocket"], forceNew: true });
    let picked = -1;
    let sentAt = null;
    const look = (state) => {
      if (sentAt !== null && (state.G.round > picked || state.G.players[playerID].pick !== null)) {
        moves += 1;
        if (sentAt > measuredFrom && now() < ends) times.push(now() - sentAt);
        sentAt = null;
      }
      if (state.ctx.gameover || now() > ends) {
        socket.close();
        resolve();
      } else if (state.G.round > picked) {
        picked = state.G.round;
        sentAt = now();
        const payload = { type: "pick", args: [1 + Math.floor(Math.random() * 5)], playerID };
        socket.emit("update", { type: "MAKE_MOVE", payload }, state._stateID, matchID, playerID);
      }
    };
    socket.on("connect", () => socket.emit("sync", matchID, playerID, undefined, PLAYERS));
    socket.on("sync", (_, info) => look(info.state));
    socket.on("update", (_, state) => look(state));
    socket.on("connect_error", reject);
  });
}

async function seatAtTable() {
  while (now() < ends) {
    const matchID = await create();
    await Promise.all(Array.from({ length: PLAYERS }, (_, seat) => play(matchID, String(seat))));
  }
}

// Sockets of a match whose other players hung up at the end would wait for ever.
Promise.race([
  Promise.all(Array.from({ length: MATCHES }, seatAtTable)),
  new Promise((resolve) => setTimeout(resolve, (ends - now() + 0.5) * 1000)),
]).then(() => {
  process.stdout.write(JSON.stringify({ moves, times }), () => process.exit(0));
});
