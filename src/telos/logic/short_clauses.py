"""Clauses short enough to be a table join the factors, so that exact inference has one kind of thing to handle."""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from telos.logic.network import Clauses, Factors, Floats, Network

Literal: TypeAlias = tuple[int, int, bool]  # place in the scope, value, whether negated
Form: TypeAlias = tuple[tuple[int, ...], tuple[Literal, ...], float]  # sizes of the variables, literals, sign

MOST_CELLS = 2**16  # of one clause's table


def tabled(network: Network, *, most_variables: int = 16) -> Network | None:
    """Return the network with all clauses turned into factors behind its own, or None if one is too long for that.

    Clauses of equal form share a table. The same network always gives the same factors in the same order.
    """
    if not network.clauses:
        return network
    if any(_longest(clauses) > most_variables for clauses in network.clauses):
        return None
    made: list[Factors] = []
    for clauses in network.clauses:
        for form, members in _forms(clauses, network).items():
            if np.prod(form[0], dtype=np.float64) > MOST_CELLS:
                return None
            made.append(_factors(clauses, form, members))
    return replace(network, factors=(*network.factors, *made), clauses=())


def _longest(clauses: Clauses) -> int:
    """Return how many variables the longest clause speaks of; one may occur in several literals."""
    clause = np.repeat(np.arange(len(clauses.start) - 1), np.diff(clauses.start))
    sorting = np.lexsort((clauses.variable, clause))
    clause, variable = clause[sorting], clauses.variable[sorting]
    is_new = np.ones(len(clause), np.bool_)
    is_new[1:] = (clause[1:] != clause[:-1]) | (variable[1:] != variable[:-1])
    return int(np.bincount(clause[is_new], minlength=1).max())


def _forms(clauses: Clauses, network: Network) -> dict[Form, list[tuple[int, list[int]]]]:
    """Return the clauses by their form, each with its number and its variables."""
    found: dict[Form, list[tuple[int, list[int]]]] = {}
    for number, (begin, end) in enumerate(zip(clauses.start[:-1], clauses.start[1:], strict=True)):
        scope = sorted(set(clauses.variable[begin:end].tolist()))
        literals = tuple(
            (scope.index(int(clauses.variable[at])), int(clauses.value[at]), bool(clauses.negated[at]))
            for at in range(begin, end)
        )
        sizes = tuple(int(network.sizes[variable]) for variable in scope)
        found.setdefault((sizes, literals, float(clauses.sign[number])), []).append((number, scope))
    return found


def _factors(clauses: Clauses, form: Form, members: list[tuple[int, list[int]]]) -> Factors:
    numbers = [number for number, _ in members]
    return Factors(
        rule=clauses.rule,
        scope=np.array([scope for _, scope in members], np.int32).reshape(len(members), len(form[0])),
        key=np.arange(len(members), dtype=np.int32),
        weights=clauses.weight[numbers].reshape(-1, 1),
        holds=_holds(form).reshape(-1, 1),
        hard=clauses.hard,
        formulas=1,
    )


def _holds(form: Form) -> Floats:
    """Return 1 for each cell in which the ground formula holds: the clause, or its negation where the sign is -1."""
    sizes, literals, sign = form
    is_true = np.zeros(sizes, np.bool_)
    for place, value, negated in literals:
        has_value = np.arange(sizes[place]) == value
        is_true |= (has_value != negated).reshape([-1 if at == place else 1 for at in range(len(sizes))])
    return (is_true if sign > 0 else ~is_true).astype(np.float64).ravel()
