"""The project's words: documents, token scores, sums, items, errors. Imports numpy and nothing of rig."""
