"""Markov logic: weighted formulas, what they say about a world, and how their weights are learned."""
