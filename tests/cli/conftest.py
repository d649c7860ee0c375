"""The locks' little project, for the tests of the commands about it."""

from lock_project import project, swept, swept_template

__all__ = ["project", "swept", "swept_template"]
