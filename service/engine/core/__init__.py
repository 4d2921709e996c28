"""The rules, once, as functions over one flat list of integers. See `layout` and `flow`."""
