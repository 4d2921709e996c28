"""Background work of Montego Bay: what RQ workers and the steward run."""
