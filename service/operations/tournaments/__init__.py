"""Use cases of tournaments: creating and steering them, their matches, their tables, their export."""
