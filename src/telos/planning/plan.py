"""Planning behind one function: the cheapest way to a goal, or to the first of several that can be reached."""

from collections.abc import Iterable, Mapping, Sequence

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.plan import Answer, Diagnosis, NoPlan, Stop
from telos.core.values import Value
from telos.planning.planner import BUDGET, Planner
from telos.planning.reading import as_state


def plan(
    domain: Domain,
    state: Mapping[str, Value] | None = None,
    goal: str | Goal | Sequence[str | Goal] | None = None,
    *,
    actions: str | Iterable[Action] | None = None,
    how: str = "optimal",
    budget: int = BUDGET,
    microseconds: float | None = None,
    handles: Mapping[str, Sequence[Value]] | None = None,
) -> Answer:
    """Return the cheapest sequence of actions that makes a goal true, or say why there is none.

    ``state`` gives values of variables; those that it leaves out have their start values. ``goal`` is a goal or its
    name. Several goals, or the name of a goal set, or nothing (all goals), are tried in order of priority, those that
    are relevant now, until one needs and finds a plan; a goal that holds already leaves room for the next.
    ``actions`` names an action set, or lists actions; all of the domain's by default. ``handles`` adds things that the
    character knows of, by kind.

    ``how="fast"`` finds a plan sooner that may cost up to five times the cheapest. A search expands at most ``budget``
    nodes, and stops soon after ``microseconds`` if given; it then answers with the sequence that came closest.

    >>> from telos.core.values import Variable
    >>> soldier = Domain(
    ...     variables=[Variable("loaded", "bool"), Variable("ammo", "int"), Variable("target", ["alive", "dead"])],
    ...     actions=[Action("attack", preconditions="loaded", effects="target = dead, loaded = false"),
    ...              Action("reload", preconditions="ammo >= 1", effects="loaded = true, ammo -= 1")],
    ...     goals=[Goal("kill", wants="target == dead")],
    ... )
    >>> [step.name for step in plan(soldier, {"ammo": 3}, "kill").steps]
    ['reload', 'attack']
    >>> print(plan(soldier, {"ammo": 0}, "kill").why())
    kill: no sequence of actions reaches the goal.
      reload needs ammo >= 1, and nothing provides it.
    """
    planner = planner_of(domain, actions)
    if (isinstance(goal, str) and goal not in domain.goal_sets) or isinstance(goal, Goal):
        return planner.plan(state or {}, goal, how, budget, microseconds, handles)
    answers = []
    for each in goals_in_order(domain, state or {}, goal):
        answer = planner.plan(state or {}, each, how, budget, microseconds, handles)
        if answer.steps:
            return answer
        answers.append(answer)
    return next((answer for answer in answers if answer.found), None) or _none_of(answers)


def planner_of(domain: Domain, actions: str | Iterable[Action] | None) -> Planner:
    """Return the planner for a domain and a set of actions; it is kept, with all that it has worked out."""
    if actions is not None and not isinstance(actions, str):
        actions = tuple(actions)
    key = ("planner", actions)
    planner: Planner | None = domain.cache.get(key)
    if planner is None:
        planner = Planner(domain, domain.actions_of(actions) if isinstance(actions, str) else actions)
        domain.cache[key] = planner
    return planner


def goals_in_order(domain: Domain, state: Mapping[str, Value], goals: str | Sequence[str | Goal] | None) -> list[Goal]:
    """Return the goals to try: those that want something and are relevant now, by priority, equals as listed."""
    if goals is None:
        among: Sequence[Goal] = domain.goals
    elif isinstance(goals, str):
        among = domain.goals_of(goals)
    else:
        among = [domain.goal(each) if isinstance(each, str) else each for each in goals]
    now = as_state(state, domain.layout)
    if not any(goal.wants is not None for goal in among):
        raise TelosError("none of the goals says what it wants", "give at least one `wants`, a condition to be met")
    relevant = [goal for goal in among if goal.wants is not None and goal.relevant.holds(now)]
    return sorted(relevant, key=lambda goal: -goal.priority)


def _none_of(answers: Sequence[Answer]) -> NoPlan:
    """Return one answer for several goals of which none can be reached."""
    failed = [answer for answer in answers if isinstance(answer, NoPlan)]
    if not failed:
        nothing = Diagnosis((), "No goal is relevant now.")
        return NoPlan("any goal", Stop.UNREACHABLE, 0, (), lambda _: nothing)

    def diagnose(_: NoPlan) -> Diagnosis:
        missing = tuple(condition for each in failed for condition in each.missing)
        return Diagnosis(missing, "\n".join(each.why() for each in failed))

    first = failed[0]
    return NoPlan(first.goal, first.stop, sum(each.expanded for each in failed), first.partial, diagnose)
