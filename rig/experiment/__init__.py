"""Configs to a plan of cells, and the runner, the sweep and the lock that work on it."""
