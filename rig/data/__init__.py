"""Word annotations: their schema, readers, checks, and the embedded language."""
