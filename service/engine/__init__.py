"""The rules of Montego Bay. Pure: no clock, environment, input, output or global random numbers."""
