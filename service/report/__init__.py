"""A tournament's file as a page to read: one HTML document that needs nothing else."""
