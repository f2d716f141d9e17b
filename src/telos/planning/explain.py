"""Explanations: what each step of a plan is for, and what is missing if there is no plan.

``explain_plan`` writes the text of ``Plan.why()``, ``diagnose`` that of ``NoPlan.why()``. For a diagnosis the problem
is solved once more with wishes: every condition may be granted, at a price. A condition that nothing provides, or that
the game refused, is cheap; one that some action provides, but not when it is needed, costs more; the goal itself costs
most. The wishes in the cheapest plan are what is missing: with them, a plan exists.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.expressions import Expression, Handle, Literal, Name, functions_in
from telos.core.goal import Goal
from telos.core.plan import Answer, Diagnosis, NoPlan, Plan, Stop
from telos.core.state import State
from telos.core.values import BOOL, FrozenMap, Value, ValueKind, Variable
from telos.planning.encoding import HandleTable
from telos.planning.operators import Atom, BoundAtom, NameScope, analyse_condition, analyse_effects
from telos.planning.search import DroppedBranches
from telos.planning.task import CompiledTask

# --- plans ---

# A state, or a function that returns it when an explanation needs it.
StartState: TypeAlias = State | Callable[[], State]
UNCHANGED = FrozenMap[str, str]()


def explain_plan(
    start: StartState, goal: Goal, plan: Plan, *, note: str = "", wording: Mapping[str, str] = UNCHANGED
) -> str:
    """Return a text that says for each step what it makes true and which later step, or the goal, needs that.

    ``wording`` says otherwise what it has; see ``Domain.wording``.
    """
    if not plan.steps:
        return f"{goal.name}: nothing to do, {_say_all(goal, wording)} holds already."
    states = visited_states(start if isinstance(start, State) else start(), plan.steps)
    uses = find_uses(plan.steps, states, goal)
    lines = [f"{goal.name} is reached in {_format_steps(len(plan.steps))} at a cost of {plan.cost:g}:"]
    for number, step in enumerate(plan.steps):
        counted = Counter(f"{_say(part, wording)} for {_say(consumer, wording)}" for part, consumer in uses[number])
        reasons = [reason if count == 1 else f"{reason} ({count} times)" for reason, count in counted.items()]
        cost = f" (cost {step.cost.value:g})" if isinstance(step.cost, Literal) else ""
        what = "; ".join(reasons) or "what follows depends on it"
        lines.append(f"  {number + 1}. {_say(step, wording)}{cost}: {what}")
    return "\n".join([*lines, note] if note else lines)


def _say(what: Condition | Action | str, wording: Mapping[str, str]) -> str:
    text = str(what)
    return wording.get(text, text)


def _say_all(goal: Goal, wording: Mapping[str, str]) -> str:
    """Return the condition of a goal; in the parts that ``wording`` knows, if it knows any."""
    assert goal.wants is not None
    return " and ".join(_say(part, wording) for part in goal.wants.parts) if wording else str(goal.wants)


def describe_dropped(dropped: DroppedBranches, task: CompiledTask) -> str:
    """Return a sentence about the branches that a search dropped because a number overflowed."""
    count = "one branch was" if dropped.branches == 1 else f"{dropped.branches} branches were"
    where = "the goal" if dropped.operator < 0 else f"action {task.operators[dropped.operator].action.name!r}"
    names = {slot: name for name, slot in task.encoding.numbers.items()}
    if dropped.number in names and math.isfinite(dropped.value):
        what = f"{dropped.value:.6g} of {names[dropped.number]!r} exceeded 2**53"
    elif dropped.number in names:
        what = f"{names[dropped.number]!r} became too large"
    else:
        what = "a number became too large"
    return f"{count} dropped because {what}; first by {where}."


def visited_states(start: State, steps: tuple[Action, ...]) -> list[State]:
    """Return the state before each step, and the final one."""
    states = [start]
    for step in steps:
        states.append(step.result(states[-1]))
    return states


def find_uses(steps: tuple[Action, ...], states: list[State], goal: Goal) -> list[list[tuple[Condition, str]]]:
    """Return for each step the conditions that it makes true and keeps true, each with the step that needs it."""
    uses: list[list[tuple[Condition, str]]] = [[] for _ in steps]
    assert goal.wants is not None
    consumers = [(len(steps), "the goal", goal.wants), *((i, str(s), s.preconditions) for i, s in enumerate(steps))]
    for at, consumer, condition in consumers:
        for part in condition.parts:
            if functions_in(part.expression):
                continue  # game functions are not called for an explanation
            achiever = _find_achiever(part, states, at)
            if achiever is not None:
                uses[achiever].append((part, consumer))
    return uses


def _find_achiever(part: Condition, states: list[State], at: int) -> int | None:
    """Return the last step before ``at`` that made a condition true; None if it held from the start."""
    for number in range(at, 0, -1):
        if not part.holds(states[number - 1]):
            return number - 1
    return None


def _format_steps(steps: int) -> str:
    return "one step" if steps == 1 else f"{steps} steps"


# --- no plan ---

# Prices of wishes: for a condition and for the goal, without and with an action that provides it.
UNPROVIDED, PROVIDED, GOAL_UNPROVIDED, GOAL_PROVIDED = 1.0, 30.0, 300.0, 900.0
ACTION_PRICE = 0.01  # so low that wishes decide, but above 0 so that no action is repeated needlessly
DIAGNOSIS_BUDGET = 20_000
MAX_DIAGNOSED_ACTIONS = 2_000

_DONE = Variable("telos_goal_is_reached", "bool")

Solve = Callable[[Domain, Mapping[str, Value], str, int], Answer]


def diagnose(
    solve: Solve,
    domain: Domain,
    actions: Sequence[Action],
    state: State,
    goal: Goal,
    handles: HandleTable,
    answer: NoPlan,
) -> Diagnosis:
    """Return what is missing for a plan; ``actions`` have all their parameters bound."""
    if answer.stop is not Stop.UNREACHABLE:
        closest = ", then ".join(_say(each, domain.wording) for each in answer.partial) or "staying put"
        text = f"{goal.name}: {answer.stop.value}, after {answer.expanded} nodes; closest so far: {closest}."
        return Diagnosis((), text)
    head = f"{goal.name}: {answer.stop.value}."
    if len(actions) > MAX_DIAGNOSED_ACTIONS:
        return Diagnosis(
            (), f"{head} With more than {MAX_DIAGNOSED_ACTIONS} actions, what is missing is not looked for."
        )
    wishes = _WishProblem(domain, actions, goal, handles)
    wished = wishes.domain()
    plan = solve(wished, dict(state), goal.name, DIAGNOSIS_BUDGET)
    if isinstance(plan, NoPlan) and plan.stop is Stop.UNREACHABLE:
        return Diagnosis(
            (), f"{head} What it wants can never hold: {_say_all(goal, domain.wording)} contradicts itself."
        )
    if not isinstance(plan, Plan):
        return Diagnosis((), f"{head} What is missing was not found within {DIAGNOSIS_BUDGET} nodes.")
    missing = wishes.missing(plan, wished.state(dict(state)))
    text = "\n".join([head, *(f"  {each.text(domain.wording)}." for each in missing)])
    return Diagnosis(tuple(dict.fromkeys(each.condition for each in missing)), text)


@dataclass(frozen=True, slots=True)
class MissingCondition:
    """A condition that would have to be granted, the step that needs it, and the actions that can provide it."""

    condition: Condition
    needed_by: str
    providers: tuple[str, ...]

    def text(self, wording: Mapping[str, str]) -> str:
        """Return what is missing in words."""
        needed_by, condition = _say(self.needed_by, wording), _say(self.condition, wording)
        if functions_in(self.condition.expression):
            return f"{needed_by} asks {condition}, and the game says no"
        if not self.providers:
            return f"{needed_by} needs {condition}, and nothing provides it"
        some = " or ".join(_say(each, wording) for each in self.providers[:3])
        return f"{needed_by} needs {condition}, which {some} provides, but cannot when it is needed"


class _WishProblem:
    """The problem extended by wishes: an action for each wish, at its price."""

    def __init__(self, domain: Domain, actions: Sequence[Action], goal: Goal, handles: HandleTable) -> None:
        assert goal.wants is not None
        self._domain, self._goal = domain, goal
        self._known = NameScope(domain.layout, handles)
        self._finish = Action("finish", preconditions=goal.wants, effects=f"{_DONE.name} = true")
        self._own = [*actions, self._finish]
        self._offered: list[Action] = []  # all actions of the extended domain, renamed
        self._means: list[
            Action | Condition
        ] = []  # what each of them stands for: an action, or the condition of a wish
        for action in self._own:
            self._offer(action, action.preconditions, ACTION_PRICE, action)
            self._offer_without_opaque_parts(action)
        for condition, price in self._prices().items():
            atoms = analyse_condition(condition, self._known).atoms
            effects = {atom.variable: Effect(atom.variable, self._value(atom)) for atom in atoms}
            if effects:
                self._offer(Action("wish", effects=effects.values()), Condition(), price, condition)

    def _offer(self, action: Action, needs: Condition, price: float, meaning: Action | Condition) -> None:
        name = f"telos-{len(self._offered)}"
        self._offered.append(replace(action, name=name, preconditions=needs, cost=Literal(price)))
        self._means.append(meaning)

    def _offer_without_opaque_parts(self, action: Action) -> None:
        """Offer an action without the parts of its condition that have no atoms, such as game functions."""
        parts = action.preconditions.parts
        opaque = [part for part in parts if not analyse_condition(part, self._known).atoms]
        if opaque:
            rest = Condition.of([part for part in parts if part not in opaque])
            price = len(opaque) * (GOAL_PROVIDED if action is self._finish else UNPROVIDED)
            self._offer(action, rest, price, action)

    def _prices(self) -> dict[Condition, float]:
        prices: dict[Condition, float] = {}
        for action in self._own:
            for part in action.preconditions.parts:
                if action is self._finish:
                    price = GOAL_PROVIDED if self._providers(part) else GOAL_UNPROVIDED
                else:
                    price = PROVIDED if self._providers(part) else UNPROVIDED
                prices[part] = min(prices.get(part, price), price)
        return prices

    def _value(self, atom: Atom) -> Expression:
        of = self._known.type_of(atom.variable)
        if isinstance(atom, BoundAtom):
            return Literal(int(atom.constant) if of.kind is ValueKind.INT else atom.constant)
        if of == BOOL:
            return Literal(bool(atom.code))
        if of.kind is ValueKind.ENUM:
            return Name(of.labels[atom.code])
        return Handle(self._known.handles.decode(of.handle, atom.code))

    def _providers(self, part: Condition) -> tuple[str, ...]:
        atoms = analyse_condition(part, self._known).atoms
        makers = (action for action in self._own[:-1] if any(_provides(action, atom, self._known) for atom in atoms))
        return tuple(dict.fromkeys(map(str, makers)))

    def domain(self) -> Domain:
        """Return the domain with wishes as actions, whose goal is to have reached the goal."""
        others = (each for each in self._domain.goals if each.name != self._goal.name)
        return Domain(
            self._domain.name,
            variables=[*self._domain.layout.variables, _DONE],
            actions=self._offered,
            goals=[Goal(self._goal.name, wants=_DONE.name), *others],
            handles=self._domain.handles,
            functions=self._domain.layout.functions,
        )

    def missing(self, plan: Plan, start: State) -> list[MissingCondition]:
        """Return the conditions that a plan with wishes had to be granted."""
        found: dict[MissingCondition, None] = {}
        states = visited_states(start, plan.steps)
        meanings = [self._means[int(step.name.removeprefix("telos-"))] for step in plan.steps]
        for number, meaning in enumerate(meanings):
            if isinstance(meaning, Condition):
                users = (each for each in meanings[number:] if isinstance(each, Action))
                user = next((each for each in users if meaning in each.preconditions.parts), self._finish)
                found[MissingCondition(meaning, self._name_of(user), self._providers(meaning))] = None
            else:
                for part in meaning.preconditions.unmet(states[number]):
                    found[MissingCondition(part, self._name_of(meaning), ())] = None
        return list(found)

    def _name_of(self, action: Action) -> str:
        return f"the goal {self._goal.name}" if action is self._finish else str(action)


def _provides(action: Action, atom: Atom, known: NameScope) -> bool:
    """Whether an action can make an atom true."""
    effects = analyse_effects(action, known)
    if atom.variable in effects.computed:
        return True
    if isinstance(atom, BoundAtom):
        return effects.adds.get(atom.variable, 0.0) * (1 if atom.up else -1) > 0
    return effects.sets.get(atom.variable) == atom.code
