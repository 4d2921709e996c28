"""Tests of service.processes."""
