"""Intervals and tests over training seeds and documents: arrays in, a result object out; no I/O."""
