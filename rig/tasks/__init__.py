"""Downstream tasks: items asked of a model, and statistics of the answers."""
