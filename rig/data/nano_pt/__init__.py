"""The embedded language `nano_pt`: a probabilistic grammar of Portuguese with gold trees and exact scores."""
