"""Tests of the montego command."""
