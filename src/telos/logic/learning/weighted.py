"""Weights in and out of a model: the numbers that learning starts from, and the model that it ends with."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from telos.core.errors import TelosError
from telos.logic.model import Key, MarkovLogic
from telos.logic.network import Floats, Ints, Network
from telos.logic.syntax import checked


def weights_of(start: MarkovLogic, model: MarkovLogic, network: Network) -> Floats:
    """Return the weights of another model with the same rules, in the order of the network."""
    same = len(start.rules) == len(model.rules) and all(
        mine.formula == yours.formula and mine.plus == yours.plus
        for mine, yours in zip(model.rules, start.rules, strict=True)
    )
    if not same:
        raise TelosError("the model to start from has other rules", "start from one that was learned with these")
    return np.array([start.rules[rule].weights.get(tuple(key), 0.0) for rule, key in network.names], np.float64)


def weighted(model: MarkovLogic, network: Network, weights: Floats, start: MarkovLogic | None) -> MarkovLogic:
    """Return the model with these weights. A weight of 0 is left out; those the data never met stay as they began."""
    tables: list[dict[Key, float]] = [
        dict(start.rules[number].weights) if start is not None and not rule.hard else {}
        for number, rule in enumerate(model.rules)
    ]
    for (rule, key), weight in zip(network.names, weights.tolist(), strict=True):
        if weight:
            tables[rule][tuple(key)] = weight
        else:
            tables[rule].pop(tuple(key), None)
    rules = (
        rule if rule.hard else replace(rule, weights=table) for rule, table in zip(model.rules, tables, strict=True)
    )
    return checked(replace(model, rules=tuple(rules)))  # which adds the constants that have weights now


def fingerprint(network: Network, truth: Ints, worlds: Sequence[str], objective: tuple[object, ...]) -> str:
    """Return what tells one training from another: its weights, worlds and facts, and what is made better."""
    said = hashlib.sha256("\n".join([*(f"{rule} {key}" for rule, key in network.names), *worlds]).encode())
    said.update(repr(objective).encode())
    said.update(truth.tobytes())
    for group in network.factors:
        said.update(group.scope.tobytes() + group.key.tobytes())
    for clauses in network.clauses:
        said.update(clauses.start.tobytes() + clauses.variable.tobytes() + clauses.negated.tobytes())
    return said.hexdigest()[:16]
