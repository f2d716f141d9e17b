"""Exact inference by eliminating variables one after the other: the best world, and all chances by two passes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from telos.logic.exact.conditioning import conditioned
from telos.logic.exact.order import Clique, cliques_of
from telos.logic.network import Floats, Ints, Network
from telos.logic.scoring import cell_scores
from telos.logic.short_clauses import tabled


@dataclass(frozen=True, slots=True)
class Plan:
    """The cliques of a network in the order of elimination, and the tables that enter each.

    A table has an axis for each variable of its scope, in the order of elimination, and stands with the first of them.
    """

    cliques: list[Clique]
    rank: dict[int, int]  # of each open variable in that order
    tables: dict[int, list[tuple[tuple[int, ...], Floats]]]
    shape: dict[int, int]  # sizes of the open variables
    known: Ints  # (variables,) values that are given, -1 for open ones
    settled: float  # what formulas without open variables score


def plan_of(network: Network, weights: Floats, *, most_cells: int) -> Plan | None:
    """Return how to eliminate the open variables of a network, or None if a table would be too large."""
    known = np.where((network.given < 0) & (network.sizes == 1), 0, network.given).astype(np.int32)
    shorter, settled = conditioned(network, weights, known)
    together = tabled(shorter)
    if together is None:
        return None
    (variables,) = np.nonzero(known < 0)
    shape = {int(each): int(network.sizes[each]) for each in variables}
    scopes = {
        tuple(each for each in row if known[each] < 0) for factors in together.factors for row in factors.scope.tolist()
    }
    cliques = cliques_of(shape, scopes, shape, most_cells=most_cells)
    if cliques is None:
        return None
    rank = {clique.variable: at for at, clique in enumerate(cliques)}
    tables, alone = _tables(together, weights, known, rank)
    return Plan(cliques, rank, tables, shape, known, settled + alone)


def best_world(plan: Plan) -> tuple[Ints, float]:
    """Return the best values of all variables, and their score: -inf if no world is allowed."""
    incoming = {clique.variable: list(plan.tables.get(clique.variable, ())) for clique in plan.cliques}
    choices: list[Ints] = []
    score = plan.settled
    for clique in plan.cliques:
        joint = _joint(clique, incoming.pop(clique.variable), plan.shape)
        choices.append(joint.argmax(axis=0).astype(np.int32))
        best = joint.max(axis=0)
        if clique.rest:
            incoming[clique.rest[0]].append((clique.rest, best))
        else:
            score += float(best)
    values = plan.known.copy()
    for clique, choice in zip(reversed(plan.cliques), reversed(choices), strict=True):
        values[clique.variable] = choice[tuple(values[list(clique.rest)])]
    return values, score


def all_chances(plan: Plan) -> tuple[dict[int, Floats], float]:
    """Return the chances of the values of each open variable, and the logarithm of the sum over all worlds."""
    beliefs, log_z = calibrated(plan)
    return {variable: shares(log_sum(belief, range(1, belief.ndim))) for variable, belief in beliefs.items()}, log_z


def calibrated(plan: Plan) -> tuple[dict[int, Floats], float]:
    """Return a table for each clique that is proportional, out of logarithms, to the chances of its joint values.

    Also the logarithm of the sum over all worlds; if that is -inf, there are no tables.
    """
    incoming = {clique.variable: list(plan.tables.get(clique.variable, ())) for clique in plan.cliques}
    beliefs: dict[int, Floats] = {}
    messages: dict[int, Floats] = {}
    log_z = plan.settled
    for clique in plan.cliques:
        joint = _joint(clique, incoming.pop(clique.variable), plan.shape)
        message = log_sum(joint, (0,))
        peak = float(message.max())
        if peak == -np.inf or log_z == -np.inf:
            return {}, -np.inf
        log_z += peak  # taken out, so that long networks lose no digits
        beliefs[clique.variable], messages[clique.variable] = joint - peak, message - peak
        if clique.rest:
            incoming[clique.rest[0]].append((clique.rest, messages[clique.variable]))
    _hand_back(plan.cliques, beliefs, messages)
    return beliefs, log_z


def placed(scope: Sequence[int], known: Ints, rank: Mapping[int, int]) -> tuple[tuple[Any, ...], list[int], list[int]]:
    """Return how a factor's table becomes one over its open variables in the order of their elimination.

    Which part of it to take, how to sort the axes that are left, and the variables that these then stand for.
    """
    part = tuple(slice(None) if known[each] < 0 else int(known[each]) for each in scope)
    left = [each for each in scope if known[each] < 0]
    ranks = [rank[each] for each in left]
    sorting = sorted(range(len(left)), key=ranks.__getitem__)
    return part, sorting, [left[at] for at in sorting]


def shares(logs: Floats) -> Floats:
    """Return what logarithms stand for, made to sum to 1."""
    found = np.exp(logs - logs.max())
    normal: Floats = found / found.sum()
    return normal


def log_sum(logs: Floats, axes: Iterable[int]) -> Floats:
    """Return the logarithms of sums over some axes of what logarithms stand for."""
    axes = tuple(axes)
    if not axes:
        return logs
    peak = logs.max(axis=axes, keepdims=True)
    peak = np.where(peak == -np.inf, 0.0, peak)
    with np.errstate(divide="ignore"):  # the logarithm of nothing is -inf, and that is meant
        sums: Floats = np.log(np.exp(logs - peak).sum(axis=axes)) + peak.squeeze(axes)
    return sums


def _hand_back(cliques: list[Clique], beliefs: dict[int, Floats], messages: dict[int, Floats]) -> None:
    """Hand back to each clique what its neighbour learned from the others, last eliminated first."""
    scopes = {clique.variable: clique.scope for clique in cliques}
    for clique in reversed(cliques):
        if not clique.rest:
            continue
        above = scopes[clique.rest[0]]
        others = (axis for axis, each in enumerate(above) if each not in clique.rest)
        own = messages[clique.variable]
        learned = log_sum(beliefs[clique.rest[0]], others) - np.where(own == -np.inf, 0.0, own)
        beliefs[clique.variable] = beliefs[clique.variable] + learned


def _joint(clique: Clique, tables: Sequence[tuple[tuple[int, ...], Floats]], shape: dict[int, int]) -> Floats:
    """Add up the tables that enter a clique, over all of its variables."""
    joint = np.zeros([shape[each] for each in clique.scope])
    for scope, table in tables:
        joint += table.reshape([shape[each] if each in scope else 1 for each in clique.scope])
    return joint


def _tables(
    network: Network, weights: Floats, known: Ints, rank: Mapping[int, int]
) -> tuple[dict[int, list[tuple[tuple[int, ...], Floats]]], float]:
    """Return the tables over open variables by the first that is eliminated, and what the settled factors score."""
    found: dict[int, list[tuple[tuple[int, ...], Floats]]] = {}
    settled = 0.0
    for factors in network.factors:
        scores = cell_scores(factors, weights)
        for scope, row in zip(factors.scope.tolist(), factors.key.tolist(), strict=True):
            part, sorting, inside = placed(scope, known, rank)
            table = scores[row].reshape(network.sizes[scope])[part]
            if inside:
                found.setdefault(inside[0], []).append((tuple(inside), table.transpose(sorting)))
            else:
                settled += float(table)
    return found, settled
