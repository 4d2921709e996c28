"""Who may do what: tokens, keys, and creating calls that are sent again."""
