"""The kit for bots, the reference bots, and faulty bots. The service reaches bots over HTTP only."""
