"""`python -m bots.tune` fits the weights of the evaluation to games that the bots play among themselves."""
