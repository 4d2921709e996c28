"""Programs that tests run in a process of its own."""
