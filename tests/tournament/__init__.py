"""Tests of service.tournament."""
