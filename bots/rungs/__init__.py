"""`python -m bots.rungs`: plays each rung of the ladder against the one below, in one process a core, without HTTP."""
