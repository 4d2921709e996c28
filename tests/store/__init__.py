"""Tests of the store, against a real Redis."""
