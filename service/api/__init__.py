"""The HTTP API: a Flask application over the use cases of `service.operations`."""
