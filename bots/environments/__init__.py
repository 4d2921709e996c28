"""The game as an environment for reinforcement learning (docs/environments.md), installed with `montego-bay[rl]`.

- `montego_bay_v1`: PettingZoo's AEC interface, all seats.
- `single_seat`: Gymnasium's interface, one seat against bots.
- `openspiel_game`: OpenSpiel's game `python_montego_bay`, with the extra `openspiel`.
- `vector`: many games stepped by one call.
"""
