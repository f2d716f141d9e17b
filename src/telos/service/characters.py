"""Plans and choices for characters of games in other languages: domains by name, states as JSON."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from telos.choosing.choose import choose
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import name_hint
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.planning.planner import plan
from telos.service.messages import ProblemCode, ServiceError

MAX_EXPANSIONS = 200_000  # nodes of one search: a service answers many
MAX_GOALS = 100  # that one plan may be wanted for
MAX_WEIGHED = 100_000  # actions times goals of one choice

Made = TypeVar("Made", Action, Goal)


class PlanRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A plan for a character: the domain, what holds now, and what is wanted (a goal, or several by priority)."""

    state: dict[str, Any] = {}
    goal: str | list[str] | None = None
    domain: str | None = None
    actions: str | None = None  # an action set of the domain
    microseconds: float | None = None


class PlanStep(msgspec.Struct):
    """One step: the action in words, its name, and its arguments."""

    step: str
    action: str
    arguments: dict[str, Any]


class PlanAnswer(msgspec.Struct):
    """A plan, or why there is none."""

    found: bool
    steps: list[PlanStep]
    cost: float | None
    goal: str | None
    expanded: int
    why: list[str]


class ChoiceRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A choice among actions for goals that press: names, changes and insistence, as in ``telos.choose``."""

    actions: list[dict[str, Any]]
    goals: list[dict[str, Any]]
    by: str = "discontentment"


class ChoiceAnswer(msgspec.Struct):
    """The action that was chosen, its value, and the table of all."""

    action: str
    value: float
    why: list[str]


class CharacterRoom:
    """The domains of a service, and the planners of each."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self._domains = dict(domains)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._domains)

    def plan(self, request: PlanRequest) -> PlanAnswer:
        """Return the cheapest plan, or why there is none."""
        if isinstance(request.goal, list) and len(request.goal) > MAX_GOALS:
            raise ServiceError(ProblemCode.TOO_LARGE, f"{len(request.goal):,} goals; at most {MAX_GOALS}", "name fewer")
        answer = plan(
            self._domain(request.domain),
            request.state,
            request.goal,
            actions=request.actions,
            budget=MAX_EXPANSIONS,
            microseconds=request.microseconds,
        )
        steps = [PlanStep(str(step.name), step.name, dict(step.arguments)) for step in answer.steps]
        cost = answer.cost if isinstance(answer, Plan) else None
        return PlanAnswer(answer.found, steps, cost, answer.goal, answer.expanded, answer.why().splitlines())

    def choose(self, request: ChoiceRequest) -> ChoiceAnswer:
        """Return the one action to do now."""
        if len(request.actions) * len(request.goals) > MAX_WEIGHED or len(request.actions) > MAX_WEIGHED // 10:
            size = f"{len(request.actions):,} actions for {len(request.goals):,} goals"
            raise ServiceError(ProblemCode.TOO_LARGE, f"{size} are too many for one choice", "leave some out")
        actions = [_made(Action, each, _ACTION_FIELDS) for each in request.actions]
        goals = [_made(Goal, each, _GOAL_FIELDS) for each in request.goals]
        choice = choose(actions, goals, by=request.by)
        if not math.isfinite(choice.value):
            raise ServiceError(ProblemCode.INVALID, "the discontentment is no finite number", "use smaller numbers")
        return ChoiceAnswer(choice.action.name, choice.value, choice.why().splitlines())

    def _domain(self, name: str | None) -> Domain:
        if not self._domains:
            raise ServiceError(ProblemCode.NOT_FOUND, "this service has no domains", "start it with --domain FILE")
        if name is None and len(self._domains) == 1:
            return next(iter(self._domains.values()))
        if name is None or name not in self._domains:
            raise ServiceError(ProblemCode.NOT_FOUND, f"there is no domain {name!r}", name_hint(name or "", self.names))
        return self._domains[name]


_ACTION_FIELDS = ("name", "changes", "promises", "duration", "cost")
_GOAL_FIELDS = ("name", "insistence", "drift", "curve", "weight")


def _made(kind: Callable[..., Made], fields: Mapping[str, Any], known: Sequence[str]) -> Made:
    """Return an action or a goal of the fields of a request; unknown fields are refused."""
    for name in fields:
        if name not in known:
            raise ServiceError(ProblemCode.INVALID, f"unknown field {name!r}", name_hint(name, known))
    if not isinstance(fields.get("name"), str):
        raise ServiceError(ProblemCode.INVALID, f"a name is missing in {str(dict(fields))[:80]}", "name each")
    try:
        return kind(fields["name"], **{name: value for name, value in fields.items() if name != "name"})
    except TypeError as error:
        raise ServiceError(ProblemCode.INVALID, f"{fields['name']!r}: {error}") from None
