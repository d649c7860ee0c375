"""The figures of a report, one module each, as SVG whose bytes depend on the report alone."""
