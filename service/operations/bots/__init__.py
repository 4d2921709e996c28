"""Use cases of bots: registering, polling, faults and conformance checks."""
