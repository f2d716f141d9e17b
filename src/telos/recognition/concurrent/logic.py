"""Markov logic over ``goal(time, goal)``, whose goals do not exclude one another: one exact chain for each goal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.snapshots import SNAPSHOT_FORMAT, Items, read_snapshot, snapshot_error
from telos.logic.formulas import (
    Apply,
    Atom,
    Constant,
    Exists,
    ForAll,
    Formula,
    Variable,
    iter_atoms,
    subformulas,
    substitute,
)
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.online import OnlineFilter, OnlineSnapshot
from telos.logic.syntax import format_formula
from telos.recognition.concurrent.chains import ChainUpdate, attribute_action
from telos.recognition.markov_logic import GOAL, LogicReasons, MarkovLogicModel, MarkovLogicReader
from telos.recognition.recognizer import ModelReader, PlayerSnapshot, check_saved_goals

NOT = "not pursued"  # the other value of each chain
_PURSUED = "pursued goal"  # the type of the two values of a chain


def is_concurrent(logic: MarkovLogic) -> bool:
    """Whether the goals of a model do not exclude one another: ``goal(time, goal)`` without ``!``."""
    predicate = logic.predicates.get(GOAL)
    return predicate is not None and not predicate.exactly_one


def split_goals(logic: MarkovLogic, goals: Iterable[str]) -> dict[str, MarkovLogic]:
    """Return a model of one goal, pursued or not, for each of ``goals``; a formula about two goals is refused."""
    return {goal: _restrict(logic, goal) for goal in goals}


def join_goals(template: MarkovLogic, learned: Mapping[str, MarkovLogic]) -> MarkovLogic:
    """Return the formulas of ``template`` with the weights that were learned for each goal by itself."""
    rules = []
    for place, rule in enumerate(template.rules):
        variables, _ = _goal_terms(rule)
        if len(variables) != 1 or variables[0] not in rule.plus:
            raise TelosError(f"{_place(rule)} has no weight for each goal", "write goal(t, +g)")
        at = rule.plus.index(variables[0])
        weights = {
            (*key[:at], goal, *key[at:]): weight
            for goal, logic in learned.items()
            for key, weight in _nth(logic, place).weights.items()
        }
        rules.append(replace(rule, weights=weights))
    kind = template.predicates[GOAL].types[1]
    named = dict.fromkeys((*template.constants.get(kind, ()), *learned))
    return replace(template, rules=tuple(rules), constants={**template.constants, kind: tuple(named)})


def _nth(logic: MarkovLogic, place: int) -> Rule:
    return next(rule for rule in logic.rules if rule.source == f"rule {place}")


def _restrict(logic: MarkovLogic, goal: str) -> MarkovLogic:
    rules = [
        found for place, rule in enumerate(logic.rules) if (found := _restrict_rule(rule, goal, place)) is not None
    ]
    time = logic.predicates[GOAL].types[0]
    predicates = {**logic.predicates, GOAL: Predicate(GOAL, (time, _PURSUED), frozenset({1}))}
    return replace(
        logic,
        predicates=predicates,
        rules=tuple(rules),
        constants={**logic.constants, _PURSUED: (goal, NOT)},
        closed=logic.closed | {_PURSUED},
    )


def _restrict_rule(rule: Rule, goal: str, place: int) -> Rule | None:
    """Return what a rule says of one goal; None if it says nothing of it."""
    variables, constant = _goal_terms(rule)
    if constant is not None:
        return replace(rule, source=f"rule {place}") if constant == goal else None
    if not variables:
        return None
    formula = substitute(rule.formula, dict.fromkeys(variables, goal))
    keyed = [at for at, name in enumerate(rule.plus) if name in variables]
    kept = [at for at, name in enumerate(rule.plus) if name not in variables]
    weights = {
        tuple(key[at] for at in kept): weight
        for key, weight in rule.weights.items()
        if all(key[at] == goal for at in keyed)
    }
    if rule.weights and not weights and not rule.otherwise:
        return None
    plus = tuple(rule.plus[at] for at in kept)
    return replace(rule, formula=formula, plus=plus, weights=weights, source=f"rule {place}")


def _goal_terms(rule: Rule) -> tuple[tuple[str, ...], str | None]:
    """Return the variables that stand for the goal of a rule, or the constant; a rule about two goals is refused.

    Formulas that differ in constants share one rule, in which ``goal(t-1, Cook) ^ goal(t, Cook)`` has two variables:
    these are one goal if every weight is of twice the same.
    """
    atoms = (each for each in iter_atoms(rule.formula) if isinstance(each, Atom) and each.predicate == GOAL)
    terms = list(dict.fromkeys(each.arguments[1] for each in atoms))
    constants = [term.name for term in terms if isinstance(term, Constant)]
    names = tuple(term.name for term in terms if isinstance(term, Variable))
    bound = _bound_variables(rule.formula)
    if any(isinstance(term, Apply) for term in terms) or any(name in bound for name in names):
        raise TelosError(f"{_place(rule)} quantifies over goals", "write goal(t, +g)")
    places = [rule.plus.index(name) for name in names if name in rule.plus]
    is_one = len(terms) <= 1 or (
        not constants
        and len(places) == len(names)
        and bool(rule.weights)
        and not rule.otherwise
        and all(len({key[at] for at in places}) == 1 for key, weight in rule.weights.items() if weight)
    )
    if not is_one:
        raise TelosError(
            f"{_place(rule)} ties two goals together",
            "goals that do not exclude one another are read each by itself: name one goal in a formula, or declare "
            "goal(time, goal!)",
        )
    return names, constants[0] if constants else None


def _place(rule: Rule) -> str:
    return f"{rule.source or 'a formula'}: {rule.text or format_formula(rule.formula)}"


def _bound_variables(formula: Formula) -> set[str]:
    found = set(formula.variables) if isinstance(formula, ForAll | Exists) else set()
    return found.union(*map(_bound_variables, subformulas(formula)))


class ConcurrentLogicModel:
    """Weighted formulas about ``goal(time, goal)``; it holds no belief, so many readers may share it."""

    is_concurrent = True

    def __init__(self, logic: MarkovLogic, *, name: str = "") -> None:
        self.logic, self.name = logic, name
        self.goals = _named_goals(logic)
        self.chains = {goal: MarkovLogicModel(each, name=goal) for goal, each in split_goals(logic, self.goals).items()}

    @cached_property
    def prior(self) -> dict[str, float]:
        """The chance of each goal at a first step of which nothing is known: how common each goal is."""
        return {goal: OnlineFilter(each.logic, query=GOAL).step({})[0] for goal, each in self.chains.items()}

    @cached_property
    def context(self) -> frozenset[str]:
        """The entries of an event's context that the formulas read."""
        return next(iter(self.chains.values())).context


def _named_goals(logic: MarkovLogic) -> tuple[str, ...]:
    """Return the goals that rules name, in the order of the model's constants."""
    said: dict[str, None] = {}
    for rule in logic.rules:
        names, constant = _goal_terms(rule)
        said.update({} if constant is None else {constant: None})
        if names and names[0] in rule.plus:
            said.update(dict.fromkeys(key[rule.plus.index(names[0])] for key in rule.weights))
    declared = logic.constants.get(logic.predicates[GOAL].types[1], ())
    goals = tuple(each for each in declared if each in said) if said else declared
    if not goals:
        where = logic.source or "the model"
        raise TelosError(f"{where}: no formula names a goal", "learn weights first, or list goals")
    return goals


class ConcurrentLogicSnapshot(PlayerSnapshot):
    """The data of a saved ``ConcurrentLogicReader``."""

    goals: Items[str]
    achieved: Items[str]
    reasons: Items[str]
    stories: Items[OnlineSnapshot]


class ConcurrentLogicReader(ModelReader[ConcurrentLogicModel]):
    """A recogniser: for each goal the exact chance that it is pursued now, from all events so far.

    The belief need not sum to 1.
    """

    def __init__(self, model: ConcurrentLogicModel) -> None:
        self.model = model
        self._readers = {goal: MarkovLogicReader(each) for goal, each in model.chains.items()}
        self.reset()

    @property
    def serves(self) -> Belief:
        """Which goal the last action serves, or ``none``; these exclude one another."""
        return attribute_action(self._updates)

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        for reader in self._readers.values():
            reader.reset()
        self._updates = {goal: ChainUpdate(chance, chance) for goal, chance in self.model.prior.items()}
        self._has_seen = False
        self._belief = self._combine(("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it; an event that achieves a goal is no other evidence."""
        for reader in self._readers.values():
            reader.observe(event)
        if event.goal is None:
            self._has_seen = True
            self._updates = {goal: _last_update(reader) for goal, reader in self._readers.items()}
        self._belief = self._combine(next(iter(self._readers.values())).belief.reasons)
        return self._belief

    def _combine(self, because: Sequence[str]) -> Belief:
        chances = {goal: min(1.0, reader.belief[goal]) for goal, reader in self._readers.items()}
        return Belief.concurrent(chances if self._has_seen else self.model.prior, because=because)

    def why(self, goal: str | None = None) -> LogicReasons:
        """Explain why a goal (default: the likeliest) is believed to be pursued rather than not."""
        chosen = self._belief.top if goal is None else goal
        if chosen not in self._readers:
            raise TelosError(f"unknown goal {chosen!r}", name_hint(chosen, self.goals))
        return self._readers[chosen].why(chosen, NOT)

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        saved = {goal: reader.save() for goal, reader in self._readers.items()}
        first = next(iter(saved.values()))
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self.goals),
            "player": first["player"],
            "time": first["time"],
            "achieved": first["achieved"],
            "reasons": list(self._belief.reasons),
            "stories": [each["story"] for each in saved.values()],
        }

    @classmethod
    def resume(cls, model: ConcurrentLogicModel, saved: Mapping[str, Any]) -> "ConcurrentLogicReader":
        """Return a reader that continues from a saved state."""
        read = read_snapshot(ConcurrentLogicSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, model.goals)
        if len(read.stories) != len(model.goals):
            raise snapshot_error("reader", ("stories",), f"are {len(read.stories)} for {len(model.goals)} goals")
        reader = cls(model)
        for goal, story in zip(model.goals, saved["stories"], strict=True):
            chain = model.chains[goal]
            own = {"player": read.player, "time": read.time, "achieved": read.achieved, "reasons": read.reasons}
            state = {"format": SNAPSHOT_FORMAT, **own, "goals": list(chain.goals), "story": story}
            reader._readers[goal] = MarkovLogicReader.resume(chain, state)
        reader._has_seen = read.stories[0].steps > 0
        reader._belief = reader._combine(read.reasons)
        if reader._has_seen:
            reader._updates = {goal: _last_update(each) for goal, each in reader._readers.items()}
        return reader


def _last_update(reader: MarkovLogicReader) -> ChainUpdate:
    before = reader.predicted
    return ChainUpdate(before[0], reader.belief[reader.goals[0]])
