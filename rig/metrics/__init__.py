"""Likelihood metrics: token scores and units in, sums out; one catalog says what each number means."""
