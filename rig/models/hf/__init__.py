"""Hugging Face checkpoints, causal and masked. Nothing here is imported before a checkpoint is loaded but
`kind`, `options` and `checkpoint`, which need neither torch nor transformers."""
