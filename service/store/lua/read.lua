-- One atomic read of a game, see row.lua.
-- KEYS: meta, state, log, asked, clock, deadlines.  ARGV: game, the version after which entries are wanted.
local names = {meta = KEYS[1], state = KEYS[2], log = KEYS[3], asked = KEYS[4], clock = KEYS[5], deadlines = KEYS[6]}
return read_row(names, ARGV[1], ARGV[2])
