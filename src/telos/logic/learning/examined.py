"""Looking at training data before learning from it: what cannot be learned from is refused, what is odd is said."""

from collections.abc import Iterator, Sequence

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database
from telos.logic.model import MarkovLogic, Rule
from telos.logic.network import Clauses, Factors, Ints, Network


def split(database: Database, network: Network, held_out: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the numbers of the worlds to learn from and of those held out."""
    number = {name: i for i, name in enumerate(database.worlds)}
    for name in held_out:
        if name not in number:
            raise TelosError(f"there is no world {name!r} to hold out", name_hint(name, number))
    present = np.unique(network.world).tolist()
    kept_back = {number[name] for name in held_out}
    training = [world for world in present if world not in kept_back]
    if not present:
        raise TelosError("there is nothing to learn from: the database has no constants for the queried predicates")
    if not training:
        held = "the only world is" if len(number) == 1 else f"all {len(number)} worlds are"
        raise TelosError(f"{held} held out", "leave some to learn from, or stop by epochs alone")
    return training, [world for world in present if world in kept_back]


def refuse_gaps(database: Database, network: Network, truth: Ints) -> None:
    """Raise an error if the database does not say which value of a block is the true one."""
    (missing,) = np.nonzero(truth < 0)
    if len(missing):
        said = _block_name(network, int(missing[0]))
        more = f" (and {len(missing) - 1} more like it)" if len(missing) > 1 else ""
        raise TelosError(
            f"world {database.worlds[network.world[missing[0]]]!r} says of no value that {said} is true{more}, and "
            "exactly one must be",
            "state it, or leave that step out",
        )


def refuse_contradictions(model: MarkovLogic, database: Database, network: Network, truth: Ints) -> None:
    """Raise an error if the truth breaks a hard rule: it names the rule and the world."""
    for rule, variables in _broken(network, truth):
        world = database.worlds[network.world[variables[0]]]
        atoms = ", ".join(network.atoms.name(v, max(1, int(truth[v]))) for v in variables[:3].tolist())
        raise TelosError(
            f"the facts of world {world!r} break the hard rule {_said(model.rules[rule]) if rule >= 0 else '`!`'} "
            f"near {atoms}",
            "correct them, or give the rule a weight",
        )


def notes_on(network: Network, truth: Ints, training: Sequence[int]) -> tuple[str, ...]:
    """Say which values are never true in the worlds that are learned from: there is nothing to learn about them."""
    is_trained = np.isin(network.world, training)
    found = []
    names = network.atoms
    for run, predicate in enumerate(names.predicates):
        seen = truth[names.start[run] : names.start[run + 1]][is_trained[names.start[run] : names.start[run + 1]]]
        if not names.values[run]:
            if len(seen) and (seen == seen[0]).all():
                found.append(f"{predicate} is {'always' if seen[0] else 'never'} true in the training worlds")
            continue
        never = [name for value, name in enumerate(names.values[run]) if not (seen == value).any()]
        if never:
            found.append(
                f"never true in the training worlds: {predicate} {', '.join(never)}; "
                "nothing speaks for a value that was never seen"
            )
    return tuple(found)


def _broken(network: Network, truth: Ints) -> Iterator[tuple[int, Ints]]:
    """Give the hard rules that the truth breaks, with the variables of a ground formula that shows it."""
    for factors in network.factors:
        if factors.hard:
            bad = np.flatnonzero(_breaks(factors, network, truth))
            if len(bad):
                yield factors.rule, factors.scope[bad[0]]
    for clauses in network.clauses:
        if clauses.hard:
            bad = np.flatnonzero(_fails(clauses, truth))
            if len(bad):
                yield clauses.rule, clauses.variable[clauses.start[bad[0]] : clauses.start[bad[0] + 1]]


def _breaks(factors: Factors, network: Network, truth: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    cell = np.zeros(len(factors.scope), np.int64)
    for column in factors.scope.T:
        cell = cell * network.sizes[column] + truth[column]
    return np.asarray((factors.holds.sum(axis=1) < factors.formulas - 0.5)[cell])


def _fails(clauses: Clauses, truth: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    is_met = (truth[clauses.variable] == clauses.value) != (clauses.negated != 0)
    met = np.append(0, np.cumsum(is_met))[clauses.start]
    return np.asarray((np.diff(met) > 0) != (clauses.sign > 0))


def _block_name(network: Network, variable: int) -> str:
    names = network.atoms
    run = next(i for i in range(len(names.predicates)) if variable < names.start[i + 1])
    row = names.arguments[run][variable - names.start[run]]
    words = ["_" if code < 0 else names.constants[run][place][code] for place, code in enumerate(row.tolist())]
    return f"{names.predicates[run]}({','.join(words)})"


def _said(rule: Rule) -> str:
    return f"`{rule.text or rule.formula}`{f' ({rule.source})' if rule.source else ''}"
