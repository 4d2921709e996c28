"""A whole tournament as one file: its format, and everything that can be checked in it without the service."""
