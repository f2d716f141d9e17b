"""Inference: ``infer`` grounds a model, chooses a method and returns an ``Answer``; ``Answer.why`` explains an atom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database
from telos.logic.exact import exact_map, exact_marginals
from telos.logic.formulas import substituted
from telos.logic.grounding import ground, restated
from telos.logic.model import MarkovLogic
from telos.logic.network import (
    Clauses,
    Factors,
    Ints,
    Marginals,
    MostProbable,
    Network,
    Unsatisfiable,
    cells_in,
    holding,
)
from telos.logic.search import Sampled, conflict_of, cutting_planes, gibbs, mcsat, walksat
from telos.logic.syntax import formula_text

METHODS = ("auto", "exact", "cpi", "walksat", "gibbs", "mcsat")
_SAMPLERS = ("gibbs", "mcsat")  # they have chances to tell, and no best world
_SEARCHES = ("cpi", "walksat")  # they look for one world, and know no chances


@dataclass(frozen=True, slots=True)
class Part:
    """What the ground formulas of one weight add to a value over another."""

    text: str  # the formula, with the constants of its ``+`` variables
    about: str  # the other atoms that it ties this one to, as they are in this world
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """One value against another, the rest of the world being as it is; the parts add up to ``total``."""

    chosen: str
    against: str
    parts: tuple[Part, ...]
    forbidden: tuple[str, ...]  # hard formulas that do not allow the other value

    @property
    def total(self) -> float:
        """How much the score would fall with the other value."""
        return float(np.sum([part.value for part in self.parts]))

    def __str__(self) -> str:
        """Say it in lines, the strongest formula first."""
        lines = [f"{self.chosen} rather than {self.against}: {self.total:+.3g}"]
        lines += [f"  must hold: {text}" for text in self.forbidden]
        lines += [
            f"  {each.value:+.3f}  {each.text}{f'   with {each.about}' if each.about else ''}" for each in self.parts
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is so of every atom of the queried predicates.

    In the most probable world an atom has 1 or 0; asked for chances, each has one. ``score`` is that of the world, the
    sum of the weights of the ground formulas that hold in it but for those that a hard formula says, too, and ``gap``
    how much better another could be at most.
    Chances have no score; they have ``log_z`` where it is known, and if they were sampled, ``error`` and ``r_hat``.
    """

    atoms: Mapping[str, float]
    score: float | None
    exact: bool
    gap: float | None
    method: str
    log_z: float | None = None
    error: float | None = None
    r_hat: float | None = None
    case: "Case | None" = field(default=None, repr=False, compare=False)

    def why(self, atom: str) -> Explanation:
        """Return the ground formulas that speak for and against what is so of an atom."""
        if self.case is None:
            raise TelosError("this answer does not know what it was found from", "ask infer() for one")
        if atom not in self.atoms:
            raise TelosError(f"nothing was asked about {atom!r}", name_hint(atom, self.atoms))
        variable = next(variable for name, variable, _ in self.case.named() if name == atom)
        return explain(self.case.model, self.case.network, self.case.values, variable)


@dataclass(frozen=True, slots=True)
class Case:
    """What an answer was found from: the model, the ground network, and the world that it speaks of."""

    model: MarkovLogic
    network: Network
    query: tuple[str, ...]
    prefixes: tuple[str, ...]  # of each world's atoms: nothing, if there is but one world
    values: Ints

    def named(self) -> Iterator[tuple[str, int, int]]:
        """Give every atom of the queried predicates with the variable and the value that make it true."""
        names = self.network.atoms
        for run, predicate in enumerate(names.predicates):
            if predicate in self.query:
                values = range(len(names.values[run])) if names.values[run] else (1,)
                for variable in range(names.start[run], names.start[run + 1]):
                    prefix = self.prefixes[self.network.world[variable]]
                    for value in values:
                        yield prefix + names.name(variable, value), variable, value


def infer(
    model: MarkovLogic,
    database: Database,
    query: str | Sequence[str],
    *,
    method: str = "auto",
    marginal: bool = False,
    seed: int = 0,
    opened: Sequence[str] = (),
    closed: Sequence[str] = (),
    samples: int = 2000,
    seconds: float | None = None,
) -> Answer | Unsatisfiable:
    """Find the most probable world, or with ``marginal`` the chance of every atom, of the queried predicates.

    ``auto`` is exact where the network is narrow enough, and otherwise cutting planes (a world) or MC-SAT (chances).
    ``gibbs`` and ``mcsat`` always tell chances, from ``samples`` draws in each of four chains. ``seconds`` limits
    each integer program. ``opened`` predicates are hidden though something is said of them, ``closed`` ones are known
    though nothing is.
    """
    asked = (query,) if isinstance(query, str) else tuple(query)
    _check(model, database, (asked, opened, closed), method, marginal)
    network = ground(model, database, asked, opened=opened, closed=closed)
    found: MostProbable | Marginals | Unsatisfiable
    if marginal or method in _SAMPLERS:
        found = _chances(network, method, seed, samples)
    else:
        found = _world(network, method, seed, seconds)
    if isinstance(found, Unsatisfiable):
        return conflict_of(network, model)
    prefixes = tuple(f"{world}: " for world in database.worlds) if len(database.worlds) > 1 else ("",)
    case = Case(model, network, asked, prefixes, _values(network, found))
    return _of_world(case, found) if isinstance(found, MostProbable) else _of_chances(case, found)


def _world(network: Network, method: str, seed: int, seconds: float | None) -> MostProbable | Unsatisfiable:
    if method == "walksat":
        return walksat(network, seed)
    if method != "cpi":
        found = exact_map(network)
        if found is not None:
            return found
        if method == "exact":
            raise TelosError(
                "the network is too wide for exact inference", "use method 'cpi', which proves its answer too"
            )
    return cutting_planes(network, seed=seed, seconds=seconds)


def _chances(network: Network, method: str, seed: int, samples: int) -> Marginals | Unsatisfiable:
    if method == "gibbs":
        return gibbs(network, seed, samples=samples)
    if method != "mcsat":
        found = exact_marginals(network)
        if found is not None:
            return found
        if method == "exact":
            raise TelosError("the network is too wide for exact chances", "use 'mcsat', or 'cpi' for the best world")
    return mcsat(network, seed, samples=samples)


def _values(network: Network, found: MostProbable | Marginals) -> Ints:
    """Return the world found, or with chances the likeliest value of each variable."""
    if isinstance(found, MostProbable):
        return found.values
    return np.array([found.of(variable).argmax() for variable in range(len(network.sizes))], np.int32)


def _of_world(case: Case, found: MostProbable) -> Answer:
    atoms = {name: int(found.values[variable] == value) for name, variable, value in case.named()}
    score = found.score - restated(case.network)
    return Answer(atoms, score, found.exact, found.gap, found.method, case=case)


def _of_chances(case: Case, found: Marginals) -> Answer:
    chances, start = found.chances.tolist(), found.start.tolist()
    atoms = {name: chances[start[variable] + value] for name, variable, value in case.named()}
    error, r_hat = (found.error, found.r_hat) if isinstance(found, Sampled) else (None, None)
    return Answer(atoms, None, found.exact, None, found.method, found.log_z, error, r_hat, case)


def _check(model: MarkovLogic, database: Database, named: Sequence[Sequence[str]], method: str, marginal: bool) -> None:
    for predicate in (each for group in named for each in group):
        if predicate not in model.predicates:
            raise TelosError(f"the model has no predicate {predicate!r}", name_hint(predicate, model.predicates))
    if not named[0]:
        raise TelosError("nothing is asked", f"name a predicate of the model: {', '.join(model.predicates)}")
    if method not in METHODS:
        raise TelosError(f"there is no method {method!r}", name_hint(method, METHODS))
    if marginal and method in _SEARCHES:
        raise TelosError(f"{method} finds one world and no chances", "use 'exact', 'gibbs' or 'mcsat', or 'auto'")
    for kind in dict.fromkeys(kind for predicate in named[0] for kind in model.predicates[predicate].types):
        if not database.constants.get(kind) and not model.constants.get(kind):
            raise TelosError(
                f"there are no constants of type {kind}, so there is nothing to infer",
                "the database must mention some, or the model declare them",
            )


# --- explanations -----------------------------------------------------------------------------------------------------


def explain(
    model: MarkovLogic, network: Network, values: Ints, variable: int, *, against: int | None = None
) -> Explanation:
    """Say why a variable has its value in a world and not another one (the next best by score, if none is named)."""
    chosen = int(values[variable])
    if against is None:
        against = _runner_up(model, network, values, variable)
    found, forbidden = _parts(model, network, values, variable, against)
    merged: dict[tuple[str, str], float] = {}
    for part in found:
        merged[part.text, part.about] = merged.get((part.text, part.about), 0.0) + part.value
    parts = [Part(text, about, value) for (text, about), value in merged.items() if value]
    parts.sort(key=lambda part: -abs(part.value))
    said = network.atoms.literal
    return Explanation(said(variable, chosen), said(variable, against), tuple(parts), tuple(dict.fromkeys(forbidden)))


def _runner_up(model: MarkovLogic, network: Network, values: Ints, variable: int) -> int:
    others = [value for value in range(int(network.sizes[variable])) if value != values[variable]]
    losses = [_parts(model, network, values, variable, value) for value in others]
    totals = [float("inf") if forbidden else sum(part.value for part in parts) for parts, forbidden in losses]
    return others[int(np.argmin(totals))]


def _parts(
    model: MarkovLogic, network: Network, values: Ints, variable: int, against: int
) -> tuple[list[Part], list[str]]:
    """Return what speaks for the value over the other one, and the hard formulas that forbid the other one."""
    other = values.copy()
    other[variable] = against
    said = [(each.hard, _of_factors(model, network, each, variable, values, other)) for each in network.factors]
    said += [(each.hard, _of_clauses(model, network, each, variable, values, other)) for each in network.clauses]
    soft = [part for is_hard, parts in said if not is_hard for part in parts]
    return soft, [part.text for is_hard, parts in said if is_hard for part in parts]


def _of_factors(
    model: MarkovLogic, network: Network, factors: Factors, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    mine = factors.take((factors.scope == variable).any(axis=1))
    here, there = (cells_in(mine, network.sizes, world) for world in (values, other))
    for scope, key, change in zip(mine.scope, mine.key, mine.holds[here] - mine.holds[there], strict=True):
        about = ", ".join(network.atoms.literal(int(each), int(values[each])) for each in scope if each != variable)
        for choice in np.flatnonzero(change):
            weight = int(mine.weights[key, choice])
            if mine.hard or weight >= 0:
                yield _part(model, network, mine.rule, weight, float(change[choice]), about)


def _of_clauses(
    model: MarkovLogic, network: Network, clauses: Clauses, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    touches = np.zeros(len(clauses.sign), np.bool_)
    touches[clauses.owner[clauses.variable == variable]] = True
    mine = clauses.take(touches)
    change = holding(mine, values).astype(np.int8) - holding(mine, other)
    for clause in np.flatnonzero(change):
        weight = int(mine.weight[clause])
        if mine.hard or weight >= 0:
            yield _part(model, network, mine.rule, weight, float(change[clause]), "")


def _part(model: MarkovLogic, network: Network, rule: int, weight: int, change: float, about: str) -> Part:
    if weight < 0:
        return Part(_text(model, rule, ()), about, 0.0)
    return Part(_text(model, rule, network.names[weight][1]), about, float(network.weights[weight] * change))


def _text(model: MarkovLogic, rule: int, key: tuple[str, ...]) -> str:
    if rule < 0:
        return "what the engine added"
    meant = model.rules[rule]
    return formula_text(substituted(meant.formula, dict(zip(meant.plus, key, strict=False))))
