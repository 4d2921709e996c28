"""What pages and exported reports share: languages, names, styles. It knows nothing of the service."""
