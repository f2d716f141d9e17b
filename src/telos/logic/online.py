"""Online filtering: the exact belief about a hidden block now, from all evidence up to now, at constant cost per step.

The network of the steps so far is a chain, and all that the past says about the next step is one number for each value.
A step is: the tables of the rules (looked up), times the belief before, summed over the value before. The result is
that of exact inference over the evidence so far; later evidence may change what is believed of earlier steps.

Start with ``Online``. A ``LiveRule`` is one rule compiled to tables.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.formulas import Atom, Constant, Equal, Exists, ForAll, Formula, Variable, atoms, inside
from telos.logic.grounding.rewrite import fold
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.network import Floats

Facts: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]  # of one time: predicate -> arguments without the time
Binding: TypeAlias = dict[str, str]
Said: TypeAlias = Mapping[str, str | Sequence[str]]  # what a caller says of one step: {"action": "talk", "loc": "dock"}

MOST_TABLES = 100_000  # tables of one rule: a bound that no model with readable weights meets
MOST_KEPT = 50_000  # combinations of evidence whose sums are kept
LEAST = 1e-200  # below this a step is computed again with logarithms
LOWEST = -1e300  # a logarithm below this is that of something forbidden


# --- rules as tables --------------------------------------------------------------------------------------------------
# A rule that can be used online mentions one hidden block, ``goal(t, g)``, at two neighbouring times at most, and is
# decided by its evidence unless all of that evidence holds. So for each way in which the facts of the last steps
# satisfy the evidence, the rule is one small table over the values before and now, computed once and then looked up.


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom of a rule without its time: ``shift`` says how many steps before now it lies (0, -1, …)."""

    predicate: str
    shift: int
    arguments: tuple[Variable | Constant, ...]


@dataclass(frozen=True, slots=True)
class LiveRule:
    """A rule, its evidence, and its tables so far: a row over the goals now, or a square over those before and now."""

    rule: Rule
    evidence: tuple[Literal, ...]
    hidden: tuple[Literal, ...]
    values: tuple[str, ...]
    truths: Mapping[tuple[bool, ...], bool]  # of the hidden literals, given that all evidence holds
    is_pair: bool  # whether it speaks of the goal before, too
    times: tuple[int, ...]  # the shifts of its evidence, earliest first
    reach: int  # how many steps back it looks
    names: tuple[str, ...]  # the variables of the evidence, in the order in which facts bind them
    keyed: tuple[str, ...]  # those of them that are marked +
    free: tuple[str, ...]  # variables of hidden literals that no fact binds: they stand for every goal
    fixed: frozenset[str]  # variables of hidden literals that facts bind
    rows: Mapping[tuple[str, ...], Floats]  # weights for each choice of ``free``, by the constants of ``keyed``
    is_plain: bool  # no constant, and no variable twice in the evidence: the facts themselves are the key
    tables: dict[tuple[str, ...], Floats] = field(default_factory=dict)
    held: dict[tuple[str, ...], Floats] = field(default_factory=dict)

    def added(self, window: Sequence[Facts]) -> list[Floats]:
        """Return the tables of the rule for the facts of now and of before, the newest first."""
        if self.reach >= len(window):
            return []
        if self.is_plain:
            key: tuple[str, ...] = ()
            for literal in self.evidence:
                facts = window[-literal.shift].get(literal.predicate, ())
                if len(facts) != 1:
                    break
                key += facts[0]
            else:  # one fact for each, as nearly always
                known = self.tables.get(key)
                return [self.table(dict(zip(self.names, key, strict=True))) if known is None else known]
        return [self.table(binding) for binding in self.bindings(window)]

    def bindings(self, window: Sequence[Facts]) -> Iterator[Binding]:
        """Give every way in which facts satisfy the evidence; ``window[0]`` are the facts of now, then of before."""
        if self.reach >= len(window):
            return
        found: list[Binding] = [{}]
        for literal in self.evidence:
            facts = window[-literal.shift].get(literal.predicate, ())
            tried = [_bound(binding, literal, fact) for binding in found for fact in facts]
            found = [binding for binding in tried if binding is not None]
        yield from found

    def table(self, binding: Binding) -> Floats:
        """Return what the rule adds to each choice of goals when its evidence holds in this way."""
        key = tuple(binding.values())
        known = self.tables.get(key)
        if known is None:
            if len(self.tables) >= MOST_TABLES:
                self.tables.clear()
            known = self.tables[key] = self._computed(binding)
        return known

    def _computed(self, binding: Binding) -> Floats:
        size = len(self.values)
        shape = (size, size) if self.is_pair else (size,)
        if self.rule.hard:
            return np.where(self._holds(binding).all(axis=1), 0.0, -np.inf).reshape(shape)
        weights = self.rows.get(tuple(binding[name] for name in self.keyed))
        if weights is None:
            weights = np.full((size,) * len(self.free), self.rule.otherwise)
        return (self._holds(binding) @ weights.ravel()).reshape(shape)

    def _holds(self, binding: Binding) -> Floats:
        """Return 1 where the formula with a choice of constants (columns) holds for a choice of goals (rows)."""
        key = tuple(constant for name, constant in binding.items() if name in self.fixed)
        known = self.held.get(key)
        if known is None:
            cells = list(product(self.values, repeat=2 if self.is_pair else 1))
            chosen = [dict(zip(self.free, each, strict=True)) for each in product(self.values, repeat=len(self.free))]
            known = self.held[key] = np.array(
                [[self._is_true(cell, {**binding, **choice}) for choice in chosen] for cell in cells], dtype=float
            )
        return known

    def _is_true(self, cell: tuple[str, ...], binding: Binding) -> bool:
        truth = (cell[-1 if each.shift == 0 else 0] == _value(each.arguments[0], binding) for each in self.hidden)
        return self.truths[tuple(truth)]


def _value(term: Variable | Constant, binding: Binding) -> str:
    return binding[term.name] if isinstance(term, Variable) else term.name


def _bound(binding: Binding, literal: Literal, fact: tuple[str, ...]) -> Binding | None:
    """Return the binding that also makes the literal this fact, or None if they do not fit."""
    made = dict(binding)
    for term, constant in zip(literal.arguments, fact, strict=True):
        known = term.name if isinstance(term, Constant) else made.setdefault(term.name, constant)
        if known != constant:
            return None
    return made


def live_rule(model: MarkovLogic, rule: Rule, query: str, time: str, values: tuple[str, ...]) -> LiveRule:
    """Return a rule made ready; one that cannot be used live is refused with the reason."""
    found = list(dict.fromkeys(atoms(rule.formula)))
    if any(isinstance(each, Equal) for each in found):
        raise _refused(rule, "it compares terms with =")
    if _has_quantifier(rule.formula):
        raise _refused(rule, "it has a quantifier")
    literals = [_literal(model, rule, each, time) for each in found if isinstance(each, Atom)]
    now = max(each.shift for each in literals)
    literals = [Literal(each.predicate, each.shift - now, each.arguments) for each in literals]
    hidden = tuple(each for each in literals if each.predicate == query)
    if not hidden:
        raise _refused(rule, f"it says nothing about {query}")
    if any(each.shift < -1 for each in hidden):
        raise _refused(rule, f"it ties {query} to more than one step before")
    evidence = tuple(each for each in literals if each.predicate != query)
    truths = _truths(rule, dict(zip(found, literals, strict=True)), evidence, hidden)  # type: ignore[arg-type]
    terms = [term for each in evidence for term in each.arguments]
    names = tuple(dict.fromkeys(term.name for term in terms if isinstance(term, Variable)))
    goals = {term.name for each in hidden for term in each.arguments if isinstance(term, Variable)}
    keyed = tuple(name for name in rule.plus if name in names)
    free = tuple(sorted(goals - set(names)))
    return LiveRule(
        rule,
        evidence,
        hidden,
        values,
        truths,
        keyed=keyed,
        free=free,
        fixed=frozenset(goals & set(names)),
        rows=_rows(rule, keyed, free, values),
        is_pair=any(each.shift == -1 for each in hidden),
        times=tuple(sorted({each.shift for each in evidence})),
        reach=max(-each.shift for each in literals),
        names=names,
        is_plain=len(names) == len(terms),
    )


def _rows(
    rule: Rule, keyed: tuple[str, ...], free: tuple[str, ...], values: tuple[str, ...]
) -> dict[tuple[str, ...], Floats]:
    """Return the weights of a rule as arrays over the choices of goals, by the constants that facts bind."""
    place = {value: number for number, value in enumerate(values)}
    where = {name: number for number, name in enumerate(rule.plus)}
    rows: dict[tuple[str, ...], Floats] = {}
    for key, weight in rule.weights.items():
        mine = tuple(key[where[name]] for name in keyed)
        if mine not in rows:
            rows[mine] = np.full((len(values),) * len(free), rule.otherwise)
        # A variable without + has the same weight for every goal.
        at = tuple(place[key[where[name]]] if name in where else slice(None) for name in free)
        rows[mine][at] = weight
    return rows


def _literal(model: MarkovLogic, rule: Rule, atom: Atom, time: str) -> Literal:
    places = [place for place, sort in enumerate(model.predicates[atom.predicate].types) if sort == time]
    if len(places) != 1:
        raise _refused(rule, f"{atom.predicate} has no single argument of type {time}")
    moment = atom.arguments[places[0]]
    others = tuple(term for place, term in enumerate(atom.arguments) if place != places[0])
    if len(others) > 1:
        raise _refused(rule, f"{atom.predicate} has more than one argument besides the time")
    if not isinstance(moment, Variable):
        raise _refused(rule, f"{atom.predicate} names a fixed time")
    plain = [term for term in others if isinstance(term, Variable | Constant)]
    if len(plain) < len(others):
        raise _refused(rule, f"an argument of {atom.predicate} is a function")
    return Literal(atom.predicate, moment.shift, tuple(plain))


def _truths(
    rule: Rule, literals: Mapping[Atom, Literal], evidence: tuple[Literal, ...], hidden: tuple[Literal, ...]
) -> dict[tuple[bool, ...], bool]:
    """Return when the formula holds, given its evidence; evidence that is not there must decide it."""
    truths: dict[tuple[bool, ...], bool] = {}
    for seen in product((True, False), repeat=len(evidence)):
        answers = {}
        for guess in product((True, False), repeat=len(hidden)):
            known = dict(zip((*evidence, *hidden), (*seen, *guess), strict=True))
            answers[guess] = fold(rule.formula, {atom: known[literal] for atom, literal in literals.items()}) is True
        if all(seen):
            truths = answers
        elif len(set(answers.values())) > 1:
            raise _refused(rule, "it still says something where its evidence does not hold; write it as evidence => …")
    return truths


def _has_quantifier(formula: Formula) -> bool:
    return isinstance(formula, ForAll | Exists) or any(map(_has_quantifier, inside(formula)))


def _refused(rule: Rule, reason: str) -> TelosError:
    where = f"{rule.source}: " if rule.source else ""
    return TelosError(f"{where}the rule `{rule.text or rule.formula}` cannot be used live: {reason}")


# --- the filter -------------------------------------------------------------------------------------------------------


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
