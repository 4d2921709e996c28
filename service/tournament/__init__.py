"""Tournaments: who meets whom, and what the results say. Knows entrants and placings, nothing of Montego Bay. Pure."""
