"""Processes of this machine: a supervisor, the stack of `montego up`, and a Redis of our own."""
