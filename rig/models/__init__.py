"""Language models and the kinds that yield them."""
