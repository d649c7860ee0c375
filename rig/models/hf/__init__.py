"""Hugging Face checkpoints, causal and masked.

`kind`, `options`, `checkpoint`, `stored_weights` and `hub` need neither torch nor transformers: a run is
planned, and a wrong checkpoint refused, without them. `load` and what it imports need both.
"""
