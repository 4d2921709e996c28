"""The tests of Montego Bay, laid out as the packages they test."""
