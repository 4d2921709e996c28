"""Redis: what `service.operations.ports` asks for. Nothing outside of `service.wiring` imports it."""
