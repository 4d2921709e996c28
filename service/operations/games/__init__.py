"""Use cases of games: creating, reading, playing and ending them; records of those that are over."""
