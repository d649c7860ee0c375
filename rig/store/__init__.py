"""What a run leaves: cell directories, tables of scores, provenance. Whole or absent, verified when read."""
