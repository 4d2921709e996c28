"""The use cases that the API and the workers share, as plain functions over the store."""
