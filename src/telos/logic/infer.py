"""The front of inference: a model, what is known, and what is asked; the best method is chosen, or the one named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.answers import Marginals, MostProbable, Unsatisfiable
from telos.logic.database import Database
from telos.logic.exact import exact_map, exact_marginals
from telos.logic.explaining import Explanation, explain
from telos.logic.grounding import ground, restated
from telos.logic.model import MarkovLogic
from telos.logic.network import Ints, Network
from telos.logic.search import Sampled, conflict_of, cutting_planes, gibbs, mcsat, walksat

METHODS = ("auto", "exact", "cpi", "walksat", "gibbs", "mcsat")
_SAMPLERS = ("gibbs", "mcsat")  # they have chances to tell, and no best world
_SEARCHES = ("cpi", "walksat")  # they look for one world, and know no chances


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
