"""Placeholder until the script has run."""

BOOTSTRAP_COVERAGE: dict[int, dict[float, float]] = {}
