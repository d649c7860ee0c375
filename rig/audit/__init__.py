"""Checks of a model's adapter itself: whether its numbers are what they are called."""
