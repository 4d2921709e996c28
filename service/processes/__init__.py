"""What runs on this machine for `montego up` and `demo`: a Redis of our own, and the supervision of processes."""
