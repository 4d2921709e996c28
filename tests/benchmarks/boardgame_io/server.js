// Serves a toy game of four with boardgame.io: in each of ROUNDS rounds all players pick a card at once and in secret.
// node server.js PORT [FOLDER]: matches are kept in memory, or as files below FOLDER.
const { FlatFile, Server } = require("boardgame.io/server");
const { ActivePlayers, PlayerView } = require("boardgame.io/core");

const PLAYERS = 4;
const ROUNDS = 18;

const picks = {
  name: "picks",
  setup: () => ({
    round: 0,
    scores: Array(PLAYERS).fill(0),
    // PlayerView.STRIP_SECRETS leaves each player only the own entry.
    players: Object.fromEntries(Array.from({ length: PLAYERS }, (_, seat) => [seat, { pick: null }])),
  }),
  playerView: PlayerView.STRIP_SECRETS,
  turn: { activePlayers: ActivePlayers.ALL },
  moves: {
    pick: {
      client: false,
      // Players do not wait for each other's picks.
      ignoreStaleStateID: true,
      move: ({ G, playerID }, card) => {
        G.players[playerID].pick = card;
        const all = Object.values(G.players);
        if (all.every((player) => player.pick !== null)) {
          all.forEach((player, seat) => {
            G.scores[seat] += player.pick;
            player.pick = null;
          });
          G.round += 1;
        }
      },
    },
  },
  endIf: ({ G }) => (G.round >= ROUNDS ? { scores: G.scores } : undefined),
};

const [port, folder] = process.argv.slice(2);
const db = folder ? new FlatFile({ dir: folder, logging: false }) : undefined;
Server({ games: [picks], db, origins: [/.*/] }).run({ port: Number(port), callback: () => console.log("ready") });
