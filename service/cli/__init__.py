"""The `montego` command, the top floor: it talks to a service over HTTP, calls workers and bots, reads files."""
