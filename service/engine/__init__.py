"""Montego Bay, the rules and what belongs to them. Pure: no clock, environment, input, output or global random."""
