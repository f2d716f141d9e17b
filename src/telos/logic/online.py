"""Online filtering: the exact belief about a hidden block now, from all evidence up to now, at constant cost per step.

The network of the steps so far is a chain, and the past enters the next step as one number for each value.
A step is: the tables of the rules (looked up), times the belief before, summed over the value before. The result is
that of exact inference over the evidence so far; later evidence may change what is believed of earlier steps.

Start with ``OnlineFilter``. An ``OnlineRule`` is one rule compiled to tables.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.files.snapshots import (
    SNAPSHOT_FORMAT,
    Chances,
    Count,
    Items,
    NonNegative,
    SnapshotModel,
    check_known,
    check_length,
    read_snapshot,
    snapshot_error,
)
from telos.logic.formulas import Atom, Constant, Equal, Exists, ForAll, Formula, Variable, iter_atoms, subformulas
from telos.logic.grounding.rewrite import fold
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.network import Floats

StepFacts: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]  # of one step: predicate -> arguments without the time
Binding: TypeAlias = dict[str, str]
StepInput: TypeAlias = Mapping[str, str | Sequence[str]]  # facts of one step: {"action": "talk", "loc": "dock"}

MAX_VALUES = 2_000  # of the block
MAX_REACH = 1_000  # steps back that a rule may look
MAX_ATOMS = 12  # of one rule: its truth table has a row for each combination of them
MAX_CELLS = 10_000_000  # of the table of one rule: values before and now, times choices of its free variables
MAX_TABLES = 100_000  # of one rule; models with readable weights stay far below
MAX_CACHED = 50_000  # combinations of evidence whose products are cached
MIN_TOTAL = 1e-200  # below this a step is computed again in logarithms
MIN_LOG = -1e300  # a logarithm below this stands for something forbidden


# --- rules as tables --------------------------------------------------------------------------------------------------
# A rule that can be used online mentions one hidden block, ``goal(t, g)``, at two neighbouring times at most, and is
# decided by its evidence unless all of that evidence holds. So for each way in which the facts of the last steps
# satisfy the evidence, the rule is one small table over the values before and now, computed once and then looked up.


@dataclass(frozen=True, slots=True)
class TimedLiteral:
    """An atom of a rule without its time argument; ``shift`` is its step relative to now (0, -1, …)."""

    predicate: str
    shift: int
    arguments: tuple[Variable | Constant, ...]


@dataclass(frozen=True, slots=True)
class OnlineRule:
    """A rule with its evidence, and a cache of its tables: over the values now, or over those before and now."""

    rule: Rule
    evidence: tuple[TimedLiteral, ...]
    hidden: tuple[TimedLiteral, ...]
    values: tuple[str, ...]
    truths: Mapping[tuple[bool, ...], bool]  # of the hidden literals, given that all evidence holds
    is_pair: bool  # whether it also mentions the value before
    times: tuple[int, ...]  # the shifts of its evidence, earliest first
    reach: int  # how many steps back it looks
    names: tuple[str, ...]  # the variables of the evidence, in the order in which facts bind them
    keyed: tuple[str, ...]  # those of them that are marked +
    free: tuple[str, ...]  # variables of hidden literals that no fact binds: they range over all values
    fixed: frozenset[str]  # variables of hidden literals that facts bind
    rows: Mapping[tuple[str, ...], Floats]  # weights for each choice of ``free``, by the constants of ``keyed``
    is_plain: bool  # no constant, and no variable twice in the evidence: the facts themselves are the key
    tables: dict[tuple[str, ...], Floats] = field(default_factory=dict)
    held: dict[tuple[str, ...], Floats] = field(default_factory=dict)

    def tables_for(self, window: Sequence[StepFacts]) -> list[Floats]:
        """Return the tables of the rule for the facts in the window, newest step first."""
        if self.reach >= len(window):
            return []
        if self.is_plain:
            key: tuple[str, ...] = ()
            for literal in self.evidence:
                facts = window[-literal.shift].get(literal.predicate, ())
                if len(facts) != 1:
                    break
                key += facts[0]
            else:  # the usual case: one fact for each
                known = self.tables.get(key)
                return [self.table(dict(zip(self.names, key, strict=True))) if known is None else known]
        return [self.table(binding) for binding in self.bindings(window)]

    def bindings(self, window: Sequence[StepFacts]) -> Iterator[Binding]:
        """Yield every binding with which the facts satisfy the evidence; ``window[0]`` is the current step."""
        if self.reach >= len(window):
            return
        found: list[Binding] = [{}]
        for literal in self.evidence:
            facts = window[-literal.shift].get(literal.predicate, ())
            tried = [_extend_binding(binding, literal, fact) for binding in found for fact in facts]
            found = [binding for binding in tried if binding is not None]
        yield from found

    def table(self, binding: Binding) -> Floats:
        """Return the scores that the rule adds, over the values of the block, for one binding of its evidence."""
        key = tuple(binding.values())
        known = self.tables.get(key)
        if known is None:
            if len(self.tables) >= MAX_TABLES:
                self.tables.clear()
            known = self.tables[key] = self._compute(binding)
        return known

    def _compute(self, binding: Binding) -> Floats:
        size = len(self.values)
        shape = (size, size) if self.is_pair else (size,)
        if self.rule.hard:
            return np.where(self._holds(binding).all(axis=1), 0.0, -np.inf).reshape(shape)
        weights = self.rows.get(tuple(binding[name] for name in self.keyed))
        if weights is None:
            weights = np.full((size,) * len(self.free), self.rule.otherwise)
        return (self._holds(binding) @ weights.ravel()).reshape(shape)

    def _holds(self, binding: Binding) -> Floats:
        """Return 1 where the formula with a choice of constants (columns) holds for given values (rows)."""
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
        truth = (cell[-1 if each.shift == 0 else 0] == _term_value(each.arguments[0], binding) for each in self.hidden)
        return self.truths[tuple(truth)]


def _term_value(term: Variable | Constant, binding: Binding) -> str:
    return binding[term.name] if isinstance(term, Variable) else term.name


def _extend_binding(binding: Binding, literal: TimedLiteral, fact: tuple[str, ...]) -> Binding | None:
    """Return the binding extended so that the literal equals the fact, or None if they do not match."""
    made = dict(binding)
    for term, constant in zip(literal.arguments, fact, strict=True):
        known = term.name if isinstance(term, Constant) else made.setdefault(term.name, constant)
        if known != constant:
            return None
    return made


def compile_rule(model: MarkovLogic, rule: Rule, query: str, time: str, values: tuple[str, ...]) -> OnlineRule:
    """Return a rule compiled for online use, or raise an error with the reason why that is not possible."""
    found = list(dict.fromkeys(iter_atoms(rule.formula)))
    if any(isinstance(each, Equal) for each in found):
        raise _unsupported(rule, "it compares terms with =")
    if _has_quantifier(rule.formula):
        raise _unsupported(rule, "it has a quantifier")
    if len(found) > MAX_ATOMS:
        raise _unsupported(rule, f"it has {len(found)} atoms, more than {MAX_ATOMS}")
    literals = [_to_literal(model, rule, each, time) for each in found if isinstance(each, Atom)]
    now = max(each.shift for each in literals)
    literals = [TimedLiteral(each.predicate, each.shift - now, each.arguments) for each in literals]
    hidden = tuple(each for each in literals if each.predicate == query)
    if not hidden:
        raise _unsupported(rule, f"it says nothing about {query}")
    if any(each.shift < -1 for each in hidden):
        raise _unsupported(rule, f"it ties {query} to more than one step before")
    reach = max(-each.shift for each in literals)
    if reach > MAX_REACH:
        raise _unsupported(rule, f"it looks more than {MAX_REACH} steps back")
    evidence = tuple(each for each in literals if each.predicate != query)
    truths = _truth_table(rule, dict(zip(found, literals, strict=True)), evidence, hidden)  # type: ignore[arg-type]
    terms = [term for each in evidence for term in each.arguments]
    names = tuple(dict.fromkeys(term.name for term in terms if isinstance(term, Variable)))
    goals = {term.name for each in hidden for term in each.arguments if isinstance(term, Variable)}
    keyed = tuple(name for name in rule.plus if name in names)
    free = tuple(sorted(goals - set(names)))
    is_pair = any(each.shift == -1 for each in hidden)
    if len(values) ** (len(free) + 1 + is_pair) > MAX_CELLS:
        raise _unsupported(rule, f"its table for {len(values)} values has more than {MAX_CELLS} cells")
    return OnlineRule(
        rule,
        evidence,
        hidden,
        values,
        truths,
        keyed=keyed,
        free=free,
        fixed=frozenset(goals & set(names)),
        rows=_weight_arrays(rule, keyed, free, values),
        is_pair=is_pair,
        times=tuple(sorted({each.shift for each in evidence})),
        reach=reach,
        names=names,
        is_plain=len(names) == len(terms),
    )


def _weight_arrays(
    rule: Rule, keyed: tuple[str, ...], free: tuple[str, ...], values: tuple[str, ...]
) -> dict[tuple[str, ...], Floats]:
    """Return the weights of a rule as arrays over the values of the block, by the constants that facts bind."""
    place = {value: number for number, value in enumerate(values)}
    where = {name: number for number, name in enumerate(rule.plus)}
    rows: dict[tuple[str, ...], Floats] = {}
    for key, weight in rule.weights.items():
        mine = tuple(key[where[name]] for name in keyed)
        if mine not in rows:
            rows[mine] = np.full((len(values),) * len(free), rule.otherwise)
        # A variable without + has the same weight for every value.
        at = tuple(place[key[where[name]]] if name in where else slice(None) for name in free)
        rows[mine][at] = weight
    return rows


def _to_literal(model: MarkovLogic, rule: Rule, atom: Atom, time: str) -> TimedLiteral:
    places = [place for place, sort in enumerate(model.predicates[atom.predicate].types) if sort == time]
    if len(places) != 1:
        raise _unsupported(rule, f"{atom.predicate} has no single argument of type {time}")
    step = atom.arguments[places[0]]
    others = tuple(term for place, term in enumerate(atom.arguments) if place != places[0])
    if len(others) > 1:
        raise _unsupported(rule, f"{atom.predicate} has more than one argument besides the time")
    if not isinstance(step, Variable):
        raise _unsupported(rule, f"{atom.predicate} names a fixed time")
    plain = [term for term in others if isinstance(term, Variable | Constant)]
    if len(plain) < len(others):
        raise _unsupported(rule, f"an argument of {atom.predicate} is a function")
    return TimedLiteral(atom.predicate, step.shift, tuple(plain))


def _truth_table(
    rule: Rule,
    literals: Mapping[Atom, TimedLiteral],
    evidence: tuple[TimedLiteral, ...],
    hidden: tuple[TimedLiteral, ...],
) -> dict[tuple[bool, ...], bool]:
    """Return when the formula holds, given all its evidence; missing evidence must decide the formula."""
    truths: dict[tuple[bool, ...], bool] = {}
    for seen in product((True, False), repeat=len(evidence)):
        answers = {}
        for guess in product((True, False), repeat=len(hidden)):
            known = dict(zip((*evidence, *hidden), (*seen, *guess), strict=True))
            answers[guess] = fold(rule.formula, {atom: known[literal] for atom, literal in literals.items()}) is True
        if all(seen):
            truths = answers
        elif len(set(answers.values())) > 1:
            raise _unsupported(rule, "it is not decided where its evidence does not hold; write it as evidence => …")
    return truths


def _has_quantifier(formula: Formula) -> bool:
    return isinstance(formula, ForAll | Exists) or any(map(_has_quantifier, subformulas(formula)))


def _unsupported(rule: Rule, reason: str) -> TelosError:
    where = f"{rule.source}: " if rule.source else ""
    return TelosError(f"{where}the rule `{rule.text or rule.formula}` cannot be used online: {reason}")


# --- the filter -------------------------------------------------------------------------------------------------------


BEFORE = "what was seen before"  # the text of the scores of all earlier steps


@dataclass(frozen=True, slots=True)
class OnlineReason:
    """The scores that one rule added in the last step, one for each value, and its evidence as text."""

    text: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """The facts of one step, and the factors computed from them alone, by the distance to the current step."""

    facts: StepFacts
    factors: dict[int, Floats] = field(default_factory=dict)


def _exponentials(tables: Sequence[Floats]) -> Floats:
    """Return the exponentials of the sum of tables, scaled so that the largest is 1."""
    total = np.sum(tables, axis=0)
    return np.asarray(np.exp(total - max(total.max(), MIN_LOG)))  # all zero where hard rules forbid everything


class OnlineSnapshot(SnapshotModel):
    """The data of a saved ``OnlineFilter``; ``past`` is the prediction before the last step, up to a factor."""

    belief: Chances
    past: Items[NonNegative]
    window: Items[dict[str, Items[Items[str]]]]
    steps: Count


class OnlineFilter:
    """A belief about a hidden block over time, such as ``goal(time, goal!)``, updated step by step.

    ``values`` are the values of the block. A model with rules over more than two neighbouring steps, or with other
    hidden predicates, is rejected with the rule named.
    """

    def __init__(self, model: MarkovLogic, *, query: str = "goal") -> None:
        self.model = model
        self._predicate, self._time, sort = _find_block(model, query)
        self.values = _find_values(model, query, sort)
        self._rules = tuple(compile_rule(model, rule, query, self._time, self.values) for rule in model.rules)
        self._even, self._zeros = np.ones(len(self.values)), np.zeros(len(self.values))
        self._square = np.zeros((len(self.values),) * 2)
        self._reach = max((rule.reach for rule in self._rules), default=0)
        self._pairs = tuple(rule for rule in self._rules if rule.is_pair)
        singles = [rule for rule in self._rules if not rule.is_pair]
        self._across = tuple(rule for rule in singles if len(rule.times) > 1)
        self._alone = _group_by_time([rule for rule in singles if len(rule.times) <= 1])
        self._steps_seen: dict[tuple[object, ...], _Step] = {}
        self._kept: dict[tuple[int, ...], tuple[list[Floats], Floats]] = {}
        self._known = {name for rule in model.rules for key in rule.weights for name in key}
        self._known |= {name for names in model.constants.values() for name in names}
        self.reset()

    def reset(self) -> None:
        """Return to the state before the first step."""
        self._window: deque[_Step] = deque(maxlen=self._reach + 1)
        self._belief = np.full(len(self.values), 1 / len(self.values))
        self._past = self._belief
        self.unknown: tuple[str, ...] = ()  # constants of the last step that have no weight in any rule
        self.contradicted = False  # whether hard rules forbade every value in the last step, which was then ignored
        self.steps = 0

    @property
    def rules(self) -> tuple[OnlineRule, ...]:
        """The rules of the model, compiled."""
        return self._rules

    @property
    def belief(self) -> tuple[float, ...]:
        """The probability of each value now; uniform before the first step."""
        return tuple(self._belief.tolist())

    @property
    def predicted(self) -> tuple[float, ...]:
        """The probability of each value before the evidence of the last step, given all steps before it."""
        total = self._past.sum()
        return tuple((self._past / total).tolist()) if total > 0.0 else self.belief

    def step(self, facts: StepInput) -> tuple[float, ...]:
        """Add the facts of the next step, and return the probability of each value.

        A fact names a predicate and its argument besides the time, or several. A constant without any weight has no
        effect.
        """
        self.contradicted = False
        self._window.appendleft(self._get_step(facts))
        window = [step.facts for step in self._window]
        self.unknown = self._find_unknown(window[0])
        past = self._belief @ self._transition(window) if self.steps and self._pairs else self._even
        joint = past * self._cross_step_factor(window)
        for shift, rules in self._alone:
            if -shift < len(window):
                joint *= self._step_factor(shift, rules, window)
        total = joint.sum()
        if not total > MIN_TOTAL:
            past, joint, total = self._step_in_logs(window)
        self._past, self._belief = past, joint / total
        self.steps += 1
        return self.belief

    def _step_in_logs(self, window: list[StepFacts]) -> tuple[Floats, Floats, float]:
        """Return the same products computed in logarithms, for weights whose exponentials underflow."""
        now, before = self._zeros, self._square
        for rule in self._rules:
            for table in rule.tables_for(window):
                if rule.is_pair:
                    before = before + table
                else:
                    now = now + table
        with np.errstate(divide="ignore"):
            past = np.logaddexp.reduce(np.log(self._belief)[:, None] + before, axis=0) if self.steps else self._even
        joint = past + now
        if joint.max() < MIN_LOG:  # the facts contradict the hard rules: ignore the step
            self.contradicted = True
            return self._belief, self._belief, 1.0
        return np.exp(past - past.max()), (scaled := np.exp(joint - joint.max())), float(scaled.sum())

    def reasons(self) -> tuple[OnlineReason, ...]:
        """Return the scores that each rule added in the last step, after those of the belief before it."""
        if self.steps == 0:
            return ()
        with np.errstate(divide="ignore"):
            before = np.log(self._past)
        reasons = [OnlineReason(BEFORE, tuple(float(each) for each in before - before.max()))]
        for rule, binding in self._iter_bindings():
            if not rule.is_pair:
                reasons.append(OnlineReason(_format_evidence(rule, binding), tuple(rule.table(binding).tolist())))
        return tuple(reasons)

    def save(self) -> dict[str, Any]:
        """Return the current state as plain data."""
        window = [{name: [list(row) for row in rows] for name, rows in step.facts.items()} for step in self._window]
        return {
            "format": SNAPSHOT_FORMAT,
            "belief": self._belief.tolist(),
            "past": self._past.tolist(),
            "window": window,
            "steps": self.steps,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue exactly from the state that ``save()`` returned; one with a fault is refused and changes nothing."""
        self.continue_from(read_snapshot(OnlineSnapshot, saved, of="online filter"), "online filter")

    def continue_from(self, saved: OnlineSnapshot, of: str, path: Sequence[str | int] = ()) -> None:
        """Continue from a saved state that is the part at ``path`` of a snapshot of something called ``of``."""
        check_length(of, (*path, "belief"), saved.belief, len(self.values))
        check_length(of, (*path, "past"), saved.past, len(self.values))
        if not max(saved.past) > 0:
            raise snapshot_error(of, (*path, "past"), "forbids every value")
        check_length(of, (*path, "window"), saved.window, min(saved.steps, self._reach + 1))
        window = [self._read_step(facts, of, (*path, "window", place)) for place, facts in enumerate(saved.window)]
        self.reset()
        self._window.extend(window)
        self._belief, self._past = np.array(saved.belief), np.array(saved.past)
        self.steps = saved.steps

    def _read_step(self, facts: Mapping[str, Sequence[Sequence[str]]], of: str, path: Sequence[str | int]) -> _Step:
        known = [name for name in self.model.predicates if name != self._predicate]
        for name, rows in facts.items():
            check_known(of, (*path, name), name, known)
            width = 1 if len(self.model.predicates[name].types) > 1 else 0
            for number, row in enumerate(rows):
                check_length(of, (*path, name, number), row, width)
        return _Step({name: tuple(dict.fromkeys(map(tuple, rows))) for name, rows in facts.items()})

    def _normalize(self, facts: StepInput) -> dict[str, tuple[tuple[str, ...], ...]]:
        normalized: dict[str, tuple[tuple[str, ...], ...]] = {}
        for name, given in facts.items():
            predicate = self.model.predicates.get(name)
            if predicate is None or name == self._predicate:
                known = [each for each in self.model.predicates if each != self._predicate]
                raise TelosError(f"the model has no evidence predicate {name!r}", name_hint(name, known))
            rows = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
            normalized[name] = tuple((each,) for each in rows) if len(predicate.types) > 1 else ((),) * bool(rows)
        return normalized

    def _get_step(self, facts: StepInput) -> _Step:
        settled = self._normalize(facts)
        key = tuple(settled.items())
        known = self._steps_seen.get(key)
        if known is None:
            if len(self._steps_seen) >= MAX_CACHED:
                self._steps_seen.clear()
            known = self._steps_seen[key] = _Step(settled)
        return known

    def _find_unknown(self, facts: StepFacts) -> tuple[str, ...]:
        return tuple(name for rows in facts.values() for row in rows for name in row if name not in self._known)

    def _step_factor(self, shift: int, rules: tuple[OnlineRule, ...], window: list[StepFacts]) -> Floats:
        step = self._window[-shift]
        known = step.factors.get(shift)
        if known is None:
            tables = [table for rule in rules for table in rule.tables_for(window)]
            known = step.factors[shift] = _exponentials([self._zeros, *tables])
        return known

    def _transition(self, window: list[StepFacts]) -> Floats:
        return self._product([self._square, *(table for rule in self._pairs for table in rule.tables_for(window))])

    def _cross_step_factor(self, window: list[StepFacts]) -> Floats:
        if not self._across:
            return self._even
        return self._product([self._zeros, *(table for rule in self._across for table in rule.tables_for(window))])

    def _product(self, tables: list[Floats]) -> Floats:
        # Few rules span two steps, so the same tables recur. The cache keeps them alive beside their product, because
        # their ids are the key.
        key = tuple(map(id, tables))
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) >= MAX_CACHED:
                self._kept.clear()
            known = self._kept[key] = (tables, _exponentials(tables))
        return known[1]

    def _iter_bindings(self) -> Iterator[tuple[OnlineRule, dict[str, str]]]:
        window = [step.facts for step in self._window]
        for rule in self._rules:
            for binding in rule.bindings(window):
                yield rule, binding


def _group_by_time(rules: Sequence[OnlineRule]) -> tuple[tuple[int, tuple[OnlineRule, ...]], ...]:
    """Return rules by the one step of their evidence; those without evidence belong to the current step."""
    found: dict[int, list[OnlineRule]] = {}
    for rule in rules:
        found.setdefault(rule.times[0] if rule.times else 0, []).append(rule)
    return tuple((shift, tuple(group)) for shift, group in found.items())


def _format_evidence(rule: OnlineRule, binding: Mapping[str, str]) -> str:
    """Return the evidence of a rule with its binding as text: ``action(t,talk) ^ state(t,0000)``."""
    literals = []
    for literal in rule.evidence:
        step = "t" if literal.shift == 0 else f"t{literal.shift}"
        names = (binding[each.name] if isinstance(each, Variable) else each.name for each in literal.arguments)
        literals.append(f"{literal.predicate}({','.join((step, *names))})")
    return " ^ ".join(literals) or "how common it is"


def _find_block(model: MarkovLogic, query: str) -> tuple[str, str, str]:
    """Return the hidden predicate, its time type and the type of its values."""
    predicate = model.predicates.get(query)
    if predicate is None:
        raise TelosError(f"the model has no predicate {query!r}", name_hint(query, model.predicates))
    if len(predicate.types) != 2 or len(predicate.exactly_one) != 1:
        raise TelosError(f"{query} must be declared with a time and one exactly-one argument: {query}(time, {query}!)")
    (place,) = predicate.exactly_one
    return query, predicate.types[1 - place], predicate.types[place]


def _find_values(model: MarkovLogic, query: str, sort: str) -> tuple[str, ...]:
    """Return the values of the hidden block: constants that the model names, and those that have weights."""
    found = dict.fromkeys(model.constants.get(sort, ()))
    for rule in model.rules:
        places = [
            place for place, name in enumerate(rule.plus) if _is_block_variable(rule, name, model.predicates[query])
        ]
        found.update(dict.fromkeys(key[place] for key in rule.weights for place in places))
    if len(found) < 2:
        where = f"{model.source}: " if model.source else ""
        raise TelosError(f"{where}no weights distinguish the values", "learn them first: telos logic learn")
    if len(found) > MAX_VALUES:
        where = f"{model.source}: " if model.source else ""
        raise TelosError(f"{where}{query} has {len(found)} values, more than {MAX_VALUES}", "join some of them")
    return tuple(found)


def _is_block_variable(rule: Rule, name: str, predicate: Predicate) -> bool:
    (place,) = predicate.exactly_one
    found = (each for each in iter_atoms(rule.formula) if isinstance(each, Atom) and each.predicate == predicate.name)
    return any(isinstance(term := atom.arguments[place], Variable) and term.name == name for atom in found)
