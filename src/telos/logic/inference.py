"""Inference: ``infer`` grounds a model, chooses a method and returns a result, whose ``why`` explains an atom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database, find_unstated
from telos.logic.exact import exact_map, exact_marginals
from telos.logic.formulas import substitute
from telos.logic.grounding import find_hidden, ground, sum_restated_weights
from telos.logic.model import MarkovLogic
from telos.logic.network import (
    Clauses,
    Deadline,
    Factors,
    Ints,
    Marginals,
    MostProbable,
    Network,
    Unsatisfiable,
    find_holding,
    locate_cells,
)
from telos.logic.search import SampledMarginals, cutting_planes, find_conflict, gibbs, mcsat, walksat
from telos.logic.syntax import format_formula

METHODS = ("auto", "exact", "cpi", "walksat", "gibbs", "mcsat")
SECONDS = 60.0  # that one call may take, unless it is told otherwise
EXACT_SHARE = 0.5  # of the time, before another method is used
_SAMPLERS = ("gibbs", "mcsat")  # marginals only
_SEARCHES = ("cpi", "walksat")  # a world only


@dataclass(frozen=True, slots=True)
class Contribution:
    """The change of score from the ground formulas of one weight, for one value over another."""

    text: str  # the formula, with the constants of its ``+`` variables
    about: str  # the other atoms of the formula, with their values in this world
    value: float


@dataclass(frozen=True, slots=True)
class AtomExplanation:
    """The formulas for and against a value compared with another one, all other atoms unchanged."""

    chosen: str
    against: str
    parts: tuple[Contribution, ...]
    forbidden: tuple[str, ...]  # hard formulas that forbid the other value

    @property
    def total(self) -> float:
        """How much the score falls with the other value."""
        return float(np.sum([part.value for part in self.parts]))

    def __str__(self) -> str:
        """Format as lines, the strongest formula first."""
        lines = [f"{self.chosen} rather than {self.against}: {self.total:+.3g}"]
        lines += [f"  must hold: {text}" for text in self.forbidden]
        lines += [
            f"  {each.value:+.3f}  {each.text}{f'   with {each.about}' if each.about else ''}" for each in self.parts
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class InferenceResult:
    """The value or the probability of every atom of the queried predicates.

    In the most probable world an atom has 1 or 0; with marginals, each atom has its probability. ``score`` is that of
    the world: the sum of the weights of the ground formulas that hold in it, without soft ones that a hard formula
    implies. ``gap`` is how much more another world could score at most. Marginals have no score but ``log_z`` if it is
    known, and ``error``, ``r_hat`` and ``samples`` (of each chain) if they were sampled.

    ``closed_without_facts`` are predicates that were neither queried nor declared and of which the database has no
    fact: all their atoms were taken to be false. ``open_without_facts`` are those that were declared open. ``stopped``
    says that the time was up before the method was done.
    """

    atoms: Mapping[str, float]
    score: float | None
    exact: bool
    gap: float | None
    method: str
    log_z: float | None = None
    error: float | None = None
    r_hat: float | None = None
    samples: int | None = None
    stopped: bool = False
    closed_without_facts: tuple[str, ...] = ()
    open_without_facts: tuple[str, ...] = ()
    case: "AnswerContext | None" = field(default=None, repr=False, compare=False)

    def why(self, atom: str) -> AtomExplanation:
        """Return the ground formulas for and against the value of an atom."""
        if self.case is None:
            raise TelosError("this result has no context to explain it from", "use a result of infer()")
        if atom not in self.atoms:
            raise TelosError(f"the query does not include {atom!r}", name_hint(atom, self.atoms))
        variable = next(variable for name, variable, _ in self.case.named() if name == atom)
        return explain(self.case.model, self.case.network, self.case.values, variable)


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What a result was computed from: the model, the ground network and the world."""

    model: MarkovLogic
    network: Network
    query: tuple[str, ...]
    prefixes: tuple[str, ...]  # of the atoms of each world; empty for a single world
    values: Ints

    def named(self) -> Iterator[tuple[str, int, int]]:
        """Yield every atom of the queried predicates with the variable and the value that make it true."""
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
    seconds: float | None = SECONDS,
) -> InferenceResult | Unsatisfiable:
    """Find the most probable world, or with ``marginal`` the probability of every atom of the queried predicates.

    ``auto`` is exact where the network is narrow enough, and otherwise cutting planes (a world) or MC-SAT (marginals).
    ``gibbs`` and ``mcsat`` always return marginals, from ``samples`` draws in each of four chains.

    What is neither queried nor declared open, here (``opened``) or in the model, is closed: atoms that the database
    does not state are false, also if it states none at all. ``closed`` overrules the model.

    After ``seconds`` the best answer so far is returned, and ``stopped`` is true; None is no limit. A method that
    comes to its end in time does not depend on the clock.
    """
    deadline = Deadline(seconds)
    asked = (query,) if isinstance(query, str) else tuple(query)
    _check(model, database, (asked, opened, closed), method, marginal)
    network = ground(model, database, asked, opened=opened, closed=closed)
    taken_closed, taken_open = _find_assumed(model, database, asked, opened, closed)
    found: MostProbable | Marginals | Unsatisfiable
    if marginal or method in _SAMPLERS:
        found = _find_marginals(network, method, seed, samples, deadline)
    else:
        found = _find_world(network, method, seed, deadline)
    if isinstance(found, Unsatisfiable):
        conflict = find_conflict(network, model, deadline=deadline)
        return replace(conflict, closed_without_facts=taken_closed, open_without_facts=taken_open)
    prefixes = tuple(f"{world}: " for world in database.worlds) if len(database.worlds) > 1 else ("",)
    case = AnswerContext(model, network, asked, prefixes, _chosen_values(network, found))
    answer = _answer_world(case, found) if isinstance(found, MostProbable) else _answer_marginals(case, found)
    return replace(answer, closed_without_facts=taken_closed, open_without_facts=taken_open)


def _find_assumed(
    model: MarkovLogic, database: Database, query: Sequence[str], opened: Sequence[str], closed: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the predicates without a fact that were taken to be closed, and those that are open."""
    hidden = find_hidden(model, query, opened, closed)
    unstated = [name for name in find_unstated(model, database) if name not in query]
    taken_closed = [name for name in unstated if name not in hidden and name not in closed]
    return tuple(taken_closed), tuple(name for name in unstated if name in hidden)


def _find_world(network: Network, method: str, seed: int, deadline: Deadline) -> MostProbable | Unsatisfiable:
    if method == "walksat":
        return walksat(network, seed, deadline=deadline)
    if method != "cpi":
        found = exact_map(network, deadline=deadline if method == "exact" else deadline.share(EXACT_SHARE))
        if found is not None:
            return found
        if method == "exact":
            raise _too_wide("inference", "use method 'cpi', which proves its answer too", deadline)
    return cutting_planes(network, seed=seed, deadline=deadline)


def _find_marginals(
    network: Network, method: str, seed: int, samples: int, deadline: Deadline
) -> Marginals | Unsatisfiable:
    if method == "gibbs":
        return gibbs(network, seed, samples=samples, deadline=deadline)
    if method != "mcsat":
        found = exact_marginals(network, deadline=deadline if method == "exact" else deadline.share(EXACT_SHARE))
        if found is not None:
            return found
        if method == "exact":
            raise _too_wide("marginals", "use 'mcsat', or 'cpi' for the best world", deadline)
    return mcsat(network, seed, samples=samples, deadline=deadline)


def _too_wide(what: str, remedy: str, deadline: Deadline) -> TelosError:
    if deadline.is_over:
        return TelosError(f"exact {what} did not end within {deadline.seconds:g} s", f"give it more time, or {remedy}")
    return TelosError(f"the network is too wide for exact {what}", remedy)


def _chosen_values(network: Network, found: MostProbable | Marginals) -> Ints:
    """Return the world found, or the most probable value of each variable."""
    if isinstance(found, MostProbable):
        return found.values
    return np.array([found.of(variable).argmax() for variable in range(len(network.sizes))], np.int32)


def _answer_world(case: AnswerContext, found: MostProbable) -> InferenceResult:
    atoms = {name: int(found.values[variable] == value) for name, variable, value in case.named()}
    score = found.score - sum_restated_weights(case.network)
    return InferenceResult(atoms, score, found.exact, found.gap, found.method, stopped=found.stopped, case=case)


def _answer_marginals(case: AnswerContext, found: Marginals) -> InferenceResult:
    probabilities, start = found.probabilities.tolist(), found.start.tolist()
    atoms = {name: probabilities[start[variable] + value] for name, variable, value in case.named()}
    answer = InferenceResult(atoms, None, found.exact, None, found.method, found.log_z, case=case)
    if not isinstance(found, SampledMarginals):
        return answer
    return replace(answer, error=found.error, r_hat=found.r_hat, samples=found.samples, stopped=found.stopped)


def _check(model: MarkovLogic, database: Database, named: Sequence[Sequence[str]], method: str, marginal: bool) -> None:
    for predicate in (each for group in named for each in group):
        if predicate not in model.predicates:
            raise TelosError(f"the model has no predicate {predicate!r}", name_hint(predicate, model.predicates))
    if not named[0]:
        raise TelosError("the query is empty", f"name a predicate of the model: {', '.join(model.predicates)}")
    if method not in METHODS:
        raise TelosError(f"unknown method {method!r}", name_hint(method, METHODS))
    if marginal and method in _SEARCHES:
        raise TelosError(f"{method} finds one world and no marginals", "use 'exact', 'gibbs' or 'mcsat', or 'auto'")
    for kind in dict.fromkeys(kind for predicate in named[0] for kind in model.predicates[predicate].types):
        if not database.constants.get(kind) and not model.constants.get(kind):
            raise TelosError(
                f"there are no constants of type {kind}, so there is nothing to infer",
                "mention some in the database, or declare them in the model",
            )


# --- explanations -----------------------------------------------------------------------------------------------------


def explain(
    model: MarkovLogic, network: Network, values: Ints, variable: int, *, against: int | None = None
) -> AtomExplanation:
    """Explain why a variable has its value in a world and not another one (by default the next best by score)."""
    chosen = int(values[variable])
    if against is None:
        against = _find_runner_up(model, network, values, variable)
    found, forbidden = _compare_values(model, network, values, variable, against)
    merged: dict[tuple[str, str], float] = {}
    for part in found:
        merged[part.text, part.about] = merged.get((part.text, part.about), 0.0) + part.value
    parts = [Contribution(text, about, value) for (text, about), value in merged.items() if value]
    parts.sort(key=lambda part: -abs(part.value))
    literal = network.atoms.literal
    return AtomExplanation(
        literal(variable, chosen), literal(variable, against), tuple(parts), tuple(dict.fromkeys(forbidden))
    )


def _find_runner_up(model: MarkovLogic, network: Network, values: Ints, variable: int) -> int:
    others = [value for value in range(int(network.sizes[variable])) if value != values[variable]]
    losses = [_compare_values(model, network, values, variable, value) for value in others]
    totals = [float("inf") if forbidden else sum(part.value for part in parts) for parts, forbidden in losses]
    return others[int(np.argmin(totals))]


def _compare_values(
    model: MarkovLogic, network: Network, values: Ints, variable: int, against: int
) -> tuple[list[Contribution], list[str]]:
    """Return the contributions to the value over the other one, and the hard formulas that forbid the other."""
    other = values.copy()
    other[variable] = against
    found = [(each.hard, _from_factors(model, network, each, variable, values, other)) for each in network.factors]
    found += [(each.hard, _from_clauses(model, network, each, variable, values, other)) for each in network.clauses]
    soft = [part for is_hard, parts in found if not is_hard for part in parts]
    return soft, [part.text for is_hard, parts in found if is_hard for part in parts]


def _from_factors(
    model: MarkovLogic, network: Network, factors: Factors, variable: int, values: Ints, other: Ints
) -> Iterator[Contribution]:
    mine = factors.take((factors.scope == variable).any(axis=1))
    here, there = (locate_cells(mine, network.sizes, world) for world in (values, other))
    for scope, key, change in zip(mine.scope, mine.key, mine.holds[here] - mine.holds[there], strict=True):
        about = ", ".join(network.atoms.literal(int(each), int(values[each])) for each in scope if each != variable)
        for choice in np.flatnonzero(change):
            weight = int(mine.weights[key, choice])
            if mine.hard or weight >= 0:
                yield _contribution(model, network, mine.rule, weight, float(change[choice]), about)


def _from_clauses(
    model: MarkovLogic, network: Network, clauses: Clauses, variable: int, values: Ints, other: Ints
) -> Iterator[Contribution]:
    touches = np.zeros(len(clauses.sign), np.bool_)
    touches[clauses.owner[clauses.variable == variable]] = True
    mine = clauses.take(touches)
    change = find_holding(mine, values).astype(np.int8) - find_holding(mine, other)
    for clause in np.flatnonzero(change):
        weight = int(mine.weight[clause])
        if mine.hard or weight >= 0:
            yield _contribution(model, network, mine.rule, weight, float(change[clause]), "")


def _contribution(
    model: MarkovLogic, network: Network, rule: int, weight: int, change: float, about: str
) -> Contribution:
    if weight < 0:
        return Contribution(_format_rule(model, rule, ()), about, 0.0)
    return Contribution(
        _format_rule(model, rule, network.names[weight][1]), about, float(network.weights[weight] * change)
    )


def _format_rule(model: MarkovLogic, rule: int, key: tuple[str, ...]) -> str:
    if rule < 0:
        return "what the engine added"
    meant = model.rules[rule]
    return format_formula(substitute(meant.formula, dict(zip(meant.plus, key, strict=False))))
