"""The `montego` command. It knows the service by its HTTP API only; what works offline uses the rules themselves."""
