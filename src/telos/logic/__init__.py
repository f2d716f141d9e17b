"""Markov logic: weighted formulas, what they say about a world, and how their weights are learned."""

from importlib.util import find_spec

from telos.core.errors import TelosError

if find_spec("numpy") is None:  # said here once, for every way that leads into this room
    raise TelosError('Markov logic needs NumPy: pip install "telos[logic]"')
