"""An example of training, from the environment to a bot over HTTP. It is not part of the installed package."""
