"""Reference bots for Montego Bay, reached over HTTP only."""
