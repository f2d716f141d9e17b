"""One rule of a model over time, made ready for live use: what it adds to each goal once the evidence is known.

A rule that can be used live speaks of one hidden block, ``goal(t, g)``, at two neighbouring times at most, and its
evidence decides it unless all of that evidence holds. So for each way in which the facts of the last few steps satisfy
the evidence, the rule is one small table over the goals before and now, which is looked up and never computed twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np

from telos.core.errors import TelosError
from telos.logic.formulas import Atom, Constant, Equal, Exists, ForAll, Formula, Variable, atoms, inside
from telos.logic.grounding.residual import fold
from telos.logic.model import MarkovLogic, Rule
from telos.logic.network import Floats

Facts: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]  # of one time: predicate -> arguments without the time
Binding: TypeAlias = dict[str, str]

MOST_KEPT = 100_000  # tables of one rule: a bound that no model with readable weights meets


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
            if len(self.tables) >= MOST_KEPT:
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
