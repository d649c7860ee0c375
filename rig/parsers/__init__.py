"""Dependency parsers behind one small interface, and what is judged of a parse."""
