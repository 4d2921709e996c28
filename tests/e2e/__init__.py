"""Tests of the whole: real processes, real Redis, real HTTP."""
