"""`python -m bots.tune`: finds the weights of the evaluation from games that the bots play among themselves."""
