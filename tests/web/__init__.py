"""The pages: what they show, and that they work in a browser."""
