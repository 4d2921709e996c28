"""Each reference bot against the one below it, without HTTP, in one process a core: what `montego rungs` plays."""
