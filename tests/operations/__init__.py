"""The use cases over a real Redis, as API and workers call them."""
