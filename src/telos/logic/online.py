"""Markov logic live: the exact belief about now from all evidence up to now, at the same small price every step.

The network of a story so far is a chain, and what the past says about the next step is one number for each goal. So a
step is: what the rules add (looked up), times what was believed, summed over the goal before. The answer is that of
exact inference over everything seen so far, and what is yet to come can change it later, as it should.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from telos.core.errors import TelosError, nearest
from telos.logic.formulas import Atom, Variable, atoms
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.network import Floats
from telos.logic.online_rules import Facts, LiveRule, live_rule

Said: TypeAlias = Mapping[str, str | Sequence[str]]  # what a caller says of one step: {"action": "talk", "loc": "dock"}

MOST_KEPT = 50_000  # combinations of evidence whose sums are kept
LEAST = 1e-200  # below this a step is computed again with logarithms


@dataclass(frozen=True, slots=True)
class Reason:
    """What one rule said in the last step: a number for each goal, in words where it matters."""

    text: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Sum:
    """What the rules that hold in one window of facts add up to, and the exponential of it, the largest being 1."""

    logarithms: Floats
    factors: Floats


def _sum(tables: Sequence[Floats], shape: tuple[int, ...]) -> _Sum:
    total = np.zeros(shape)
    for table in tables:
        total += table
    return _Sum(total, np.exp(total - total.max()))


class Online:
    """A belief about a hidden block over time, such as ``goal(time, goal!)``, kept up step by step.

    ``values`` are the goals that it tells apart. Models that reach further than from one step to the next, or that
    have other hidden predicates, are refused with the rule named.
    """

    def __init__(self, model: MarkovLogic, *, query: str = "goal") -> None:
        self.model = model
        self._predicate, self._time, sort = _block(model, query)
        self.values = _values(model, query, sort)
        soft = [rule for rule in model.rules if not rule.hard]
        _refuse_hard(model)
        self._rules = tuple(live_rule(model, rule, query, self._time, self.values) for rule in soft)
        self._reach = max((rule.reach for rule in self._rules), default=0)
        self._singles = tuple(rule for rule in self._rules if not rule.is_pair)
        self._pairs = tuple(rule for rule in self._rules if rule.is_pair)
        self._sums: dict[tuple[object, ...], tuple[_Sum, _Sum]] = {}
        self._squares: dict[tuple[int, ...], tuple[list[Floats], _Sum]] = {}
        self._known = {name for rule in model.rules for key in rule.weights for name in key}
        self._known |= {name for names in model.constants.values() for name in names}
        self.reset()

    def reset(self) -> None:
        """Forget the story, and begin before its first step."""
        self._window: deque[Facts] = deque(maxlen=self._reach + 1)
        self._keys: deque[object] = deque(maxlen=self._reach + 1)
        self._belief = np.full(len(self.values), 1 / len(self.values))
        self._past = self._belief
        self.unknown: tuple[str, ...] = ()  # constants of the last step that no rule has ever had a weight for
        self.steps = 0

    @property
    def belief(self) -> tuple[float, ...]:
        """The chance of each value now; even before the first step."""
        return tuple(self._belief.tolist())

    def step(self, facts: Said) -> tuple[float, ...]:
        """Take in what is known of the next step, and return the chance of each value.

        A fact names a predicate and its argument besides the time, or several. A constant that no rule has a weight
        for says nothing.
        """
        settled = self._settled(facts)
        self.unknown = tuple(
            name for rows in settled.values() for row in rows for name in row if name not in self._known
        )
        self._window.appendleft(settled)
        self._keys.appendleft(tuple(settled.items()))
        now, before = self._added(tuple(self._keys))
        past = self._belief @ before.factors if self.steps else np.ones(len(self.values))
        joint = past * now.factors
        total = joint.sum()
        if total < LEAST:
            past, joint, total = self._in_logarithms(now, before)
        self._past, self._belief = past, joint / total
        self.steps += 1
        return self.belief

    def _in_logarithms(self, now: _Sum, before: _Sum) -> tuple[Floats, Floats, float]:
        """Return the same sums with weights so large that their exponentials vanish."""
        with np.errstate(divide="ignore"):
            ways = np.log(self._belief)[:, None] + (before.logarithms if self.steps else 0.0)
        past = np.logaddexp.reduce(ways, axis=0)
        joint = past + now.logarithms
        return np.exp(past - past.max()), (scaled := np.exp(joint - joint.max())), float(scaled.sum())

    def reasons(self) -> tuple[Reason, ...]:
        """Return what each rule added for each value in the last step, and what was believed before it."""
        if self.steps == 0:
            return ()
        with np.errstate(divide="ignore"):
            before = np.log(self._past)
        said = [Reason("what was seen before", tuple(float(each) for each in before - before.max()))]
        for rule, binding in self._speaking():
            if not rule.is_pair:
                said.append(Reason(_words(rule, binding), tuple(rule.table(binding).tolist())))
        return tuple(said)

    def save(self) -> dict[str, Any]:
        """Return where the story stands, as plain data."""
        window = [{name: [list(row) for row in rows] for name, rows in facts.items()} for facts in self._window]
        return {"belief": self._belief.tolist(), "past": self._past.tolist(), "window": window, "steps": self.steps}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from where ``save()`` was called, exactly."""
        self.reset()
        for facts in reversed(saved["window"]):
            settled = {name: tuple(tuple(row) for row in rows) for name, rows in facts.items()}
            self._window.appendleft(settled)
            self._keys.appendleft(tuple(settled.items()))
        self._belief, self._past = np.array(saved["belief"]), np.array(saved["past"])
        self.steps = saved["steps"]

    def _settled(self, facts: Said) -> dict[str, tuple[tuple[str, ...], ...]]:
        settled: dict[str, tuple[tuple[str, ...], ...]] = {}
        for name, said in facts.items():
            predicate = self.model.predicates.get(name)
            if predicate is None or name == self._predicate:
                known = [each for each in self.model.predicates if each != self._predicate]
                raise TelosError(f"the model has no evidence predicate {name!r}; {nearest(name, known)}")
            rows = (said,) if isinstance(said, str) else tuple(dict.fromkeys(said))
            settled[name] = tuple((each,) for each in rows) if len(predicate.types) > 1 else ((),) * bool(rows)
        return settled

    def _added(self, keys: tuple[object, ...]) -> tuple[_Sum, _Sum]:
        """Return what the rules about the goal now add up to, and those about the goal before and now."""
        sums = self._sums.get(keys)
        if sums is None:
            if len(self._sums) >= MOST_KEPT:
                self._sums.clear()
            window, size = list(self._window), len(self.values)
            now = _sum([table for rule in self._singles for table in rule.added(window)], (size,))
            sums = self._sums[keys] = (now, self._before(window))
        return sums

    def _before(self, window: list[Facts]) -> _Sum:
        # Few formulas look at two goals, and at little else: their sums are met again and again. The tables are kept
        # with their sum, so that no other can take the place in memory that they are known by.
        tables = [table for rule in self._pairs for table in rule.added(window)]
        key = tuple(map(id, tables))
        known = self._squares.get(key)
        if known is None:
            if len(self._squares) >= MOST_KEPT:
                self._squares.clear()
            size = len(self.values)
            known = self._squares[key] = (tables, _sum(tables, (size, size)))
        return known[1]

    def _speaking(self) -> Iterator[tuple[LiveRule, dict[str, str]]]:
        window = list(self._window)
        for rule in self._rules:
            for binding in rule.bindings(window):
                yield rule, binding


def _words(rule: LiveRule, binding: Mapping[str, str]) -> str:
    """Return the evidence of a rule as it was met: ``action(t,talk) ^ state(t,0000)``."""
    said = []
    for literal in rule.evidence:
        moment = "t" if literal.shift == 0 else f"t{literal.shift}"
        names = (binding[each.name] if isinstance(each, Variable) else each.name for each in literal.arguments)
        said.append(f"{literal.predicate}({','.join((moment, *names))})")
    return " ^ ".join(said) or "how common it is"


def _block(model: MarkovLogic, query: str) -> tuple[str, str, str]:
    """Return the hidden predicate, its type of time, and the type of its values."""
    predicate = model.predicates.get(query)
    if predicate is None:
        raise TelosError(f"the model has no predicate {query!r}; {nearest(query, model.predicates)}")
    if len(predicate.types) != 2 or len(predicate.exactly_one) != 1:
        raise TelosError(f"{query} must be declared with a time and one exactly-one argument: {query}(time, {query}!)")
    (place,) = predicate.exactly_one
    return query, predicate.types[1 - place], predicate.types[place]


def _values(model: MarkovLogic, query: str, sort: str) -> tuple[str, ...]:
    """Return the constants of the hidden block's type: those that the model names, and those that have weights."""
    found = dict.fromkeys(model.constants.get(sort, ()))
    for rule in model.rules:
        places = [place for place, name in enumerate(rule.plus) if _stands_for(rule, name, model.predicates[query])]
        found.update(dict.fromkeys(key[place] for key in rule.weights for place in places))
    if len(found) < 2:
        where = f"{model.source}: " if model.source else ""
        raise TelosError(f"{where}there are no weights that tell goals apart; learn them first: telos logic learn")
    return tuple(found)


def _stands_for(rule: Rule, name: str, predicate: Predicate) -> bool:
    (place,) = predicate.exactly_one
    found = (each for each in atoms(rule.formula) if isinstance(each, Atom) and each.predicate == predicate.name)
    return any(isinstance(term := atom.arguments[place], Variable) and term.name == name for atom in found)


def _refuse_hard(model: MarkovLogic) -> None:
    for rule in model.rules:
        if rule.hard:
            where = f"{rule.source}: " if rule.source else ""
            raise TelosError(
                f"{where}the hard rule `{rule.text or rule.formula}` cannot be used live; "
                "declare the goal's argument with ! to have exactly one, and give other rules a weight"
            )
