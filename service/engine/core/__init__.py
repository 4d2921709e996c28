"""The rules as functions over one flat list of integers, a file for each step of a round. See `layout` and `flow`."""
