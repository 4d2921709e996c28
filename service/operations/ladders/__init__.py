"""Ladders: standing competitions that bots enter and leave, in seasons. A season is a tournament of format `ladder`."""
