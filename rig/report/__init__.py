"""Stored cells to tables, figures and pages."""
