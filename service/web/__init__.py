"""Pages for people: to watch, replay and play games, and to follow tournaments."""
