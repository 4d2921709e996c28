"""The Montego Bay service: rules, storage, HTTP API and command line."""
