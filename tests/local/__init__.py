"""Tests of service.local."""
