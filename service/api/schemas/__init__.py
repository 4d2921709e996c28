"""Everything that goes in and out, as marshmallow schemas: they check the one, and describe both in `/openapi.json`."""
