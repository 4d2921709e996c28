"""Whether a bot does what the bot protocol asks of it: a graded report, with what to fix."""
