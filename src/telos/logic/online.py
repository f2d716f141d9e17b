"""Markov logic live: the exact belief about now from all evidence up to now, at the same small price every step.

The network of a story so far is a chain, and what the past says about the next step is one number for each goal. So a
step is: what the rules add (looked up), times what was believed, summed over the goal before. The answer is that of
exact inference over everything seen so far, and what is yet to come can change it later, as it should.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.formulas import Atom, Variable, atoms
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.network import Floats
from telos.logic.online_rules import Facts, LiveRule, live_rule

Said: TypeAlias = Mapping[str, str | Sequence[str]]  # what a caller says of one step: {"action": "talk", "loc": "dock"}

MOST_KEPT = 50_000  # combinations of evidence whose sums are kept
LEAST = 1e-200  # below this a step is computed again with logarithms
LOWEST = -1e300  # a logarithm below this is that of something forbidden


@dataclass(frozen=True, slots=True)
class Reason:
    """What one rule said in the last step: a number for each goal, in words where it matters."""

    text: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Moment:
    """The facts of one step, and what they alone multiply the goals by, seen from now or from so many steps later."""

    facts: Facts
    factors: dict[int, Floats] = field(default_factory=dict)


def _powers(tables: Sequence[Floats]) -> Floats:
    """Return the exponentials of what tables add up to, the largest being 1."""
    total = np.sum(tables, axis=0)
    return np.asarray(np.exp(total - max(total.max(), LOWEST)))  # nothing is left of what hard rules forbid altogether


class Online:
    """A belief about a hidden block over time, such as ``goal(time, goal!)``, kept up step by step.

    ``values`` are the goals that it tells apart. Models that reach further than from one step to the next, or that
    have other hidden predicates, are refused with the rule named.
    """

    def __init__(self, model: MarkovLogic, *, query: str = "goal") -> None:
        self.model = model
        self._predicate, self._time, sort = _block(model, query)
        self.values = _values(model, query, sort)
        self._rules = tuple(live_rule(model, rule, query, self._time, self.values) for rule in model.rules)
        self._even, self._zeros = np.ones(len(self.values)), np.zeros(len(self.values))
        self._square = np.zeros((len(self.values),) * 2)
        self._reach = max((rule.reach for rule in self._rules), default=0)
        self._pairs = tuple(rule for rule in self._rules if rule.is_pair)
        singles = [rule for rule in self._rules if not rule.is_pair]
        self._across = tuple(rule for rule in singles if len(rule.times) > 1)
        self._alone = _by_time([rule for rule in singles if len(rule.times) <= 1])
        self._moments: dict[tuple[object, ...], _Moment] = {}
        self._kept: dict[tuple[int, ...], tuple[list[Floats], Floats]] = {}
        self._known = {name for rule in model.rules for key in rule.weights for name in key}
        self._known |= {name for names in model.constants.values() for name in names}
        self.reset()

    def reset(self) -> None:
        """Forget the story, and begin before its first step."""
        self._window: deque[_Moment] = deque(maxlen=self._reach + 1)
        self._belief = np.full(len(self.values), 1 / len(self.values))
        self._past = self._belief
        self.unknown: tuple[str, ...] = ()  # constants of the last step that no rule has ever had a weight for
        self.contradicted = False  # whether the hard rules left no goal in the last step, so that it was passed over
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
        self.contradicted = False
        self._window.appendleft(self._moment(facts))
        window = [moment.facts for moment in self._window]
        self.unknown = self._strange(window[0])
        past = self._belief @ self._before(window) if self.steps and self._pairs else self._even
        joint = past * self._across_times(window)
        for shift, rules in self._alone:
            if -shift < len(window):
                joint *= self._of_moment(shift, rules, window)
        total = joint.sum()
        if not total > LEAST:
            past, joint, total = self._in_logarithms(window)
        self._past, self._belief = past, joint / total
        self.steps += 1
        return self.belief

    def _in_logarithms(self, window: list[Facts]) -> tuple[Floats, Floats, float]:
        """Return the same products with weights so large that their exponentials vanish."""
        now, before = self._zeros, self._square
        for rule in self._rules:
            for table in rule.added(window):
                if rule.is_pair:
                    before = before + table
                else:
                    now = now + table
        with np.errstate(divide="ignore"):
            past = np.logaddexp.reduce(np.log(self._belief)[:, None] + before, axis=0) if self.steps else self._even
        joint = past + now
        if joint.max() < LOWEST:  # the hard rules leave no goal: the facts contradict them, and change nothing
            self.contradicted = True
            return self._belief, self._belief, 1.0
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
        window = [{name: [list(row) for row in rows] for name, rows in moment.facts.items()} for moment in self._window]
        return {"belief": self._belief.tolist(), "past": self._past.tolist(), "window": window, "steps": self.steps}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from where ``save()`` was called, exactly."""
        self.reset()
        for facts in reversed(saved["window"]):
            self._window.appendleft(_Moment({name: tuple(map(tuple, rows)) for name, rows in facts.items()}))
        self._belief, self._past = np.array(saved["belief"]), np.array(saved["past"])
        self.steps = saved["steps"]

    def _settled(self, facts: Said) -> dict[str, tuple[tuple[str, ...], ...]]:
        settled: dict[str, tuple[tuple[str, ...], ...]] = {}
        for name, said in facts.items():
            predicate = self.model.predicates.get(name)
            if predicate is None or name == self._predicate:
                known = [each for each in self.model.predicates if each != self._predicate]
                raise TelosError(f"the model has no evidence predicate {name!r}", name_hint(name, known))
            rows = (said,) if isinstance(said, str) else tuple(dict.fromkeys(said))
            settled[name] = tuple((each,) for each in rows) if len(predicate.types) > 1 else ((),) * bool(rows)
        return settled

    def _moment(self, facts: Said) -> _Moment:
        settled = self._settled(facts)
        key = tuple(settled.items())
        known = self._moments.get(key)
        if known is None:
            if len(self._moments) >= MOST_KEPT:
                self._moments.clear()
            known = self._moments[key] = _Moment(settled)
        return known

    def _strange(self, facts: Facts) -> tuple[str, ...]:
        return tuple(name for rows in facts.values() for row in rows for name in row if name not in self._known)

    def _of_moment(self, shift: int, rules: tuple[LiveRule, ...], window: list[Facts]) -> Floats:
        moment = self._window[-shift]
        known = moment.factors.get(shift)
        if known is None:
            tables = [table for rule in rules for table in rule.added(window)]
            known = moment.factors[shift] = _powers([self._zeros, *tables])
        return known

    def _before(self, window: list[Facts]) -> Floats:
        return self._product([self._square, *(table for rule in self._pairs for table in rule.added(window))])

    def _across_times(self, window: list[Facts]) -> Floats:
        if not self._across:
            return self._even
        return self._product([self._zeros, *(table for rule in self._across for table in rule.added(window))])

    def _product(self, tables: list[Floats]) -> Floats:
        # Few rules look at two times, and at little else: the same tables meet again and again. They are kept with
        # their product, so that no other can take the place in memory that they are known by.
        key = tuple(map(id, tables))
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            known = self._kept[key] = (tables, _powers(tables))
        return known[1]

    def _speaking(self) -> Iterator[tuple[LiveRule, dict[str, str]]]:
        window = [moment.facts for moment in self._window]
        for rule in self._rules:
            for binding in rule.bindings(window):
                yield rule, binding


def _by_time(rules: Sequence[LiveRule]) -> tuple[tuple[int, tuple[LiveRule, ...]], ...]:
    """Return rules by the one time that their evidence lies at; those without evidence count as now."""
    found: dict[int, list[LiveRule]] = {}
    for rule in rules:
        found.setdefault(rule.times[0] if rule.times else 0, []).append(rule)
    return tuple((shift, tuple(group)) for shift, group in found.items())


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
        raise TelosError(f"the model has no predicate {query!r}", name_hint(query, model.predicates))
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
        raise TelosError(f"{where}there are no weights that tell goals apart", "learn them first: telos logic learn")
    return tuple(found)


def _stands_for(rule: Rule, name: str, predicate: Predicate) -> bool:
    (place,) = predicate.exactly_one
    found = (each for each in atoms(rule.formula) if isinstance(each, Atom) and each.predicate == predicate.name)
    return any(isinstance(term := atom.arguments[place], Variable) and term.name == name for atom in found)
