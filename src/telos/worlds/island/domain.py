"""What an islander wants and can do, as a domain, and the planner that all of them share."""

from functools import cache

from telos.core.action import Action
from telos.core.domain import Domain
from telos.files.domain_file import load
from telos.planning.planner import Planner
from telos.worlds.island.story import DATA, the_story

_PURSUE = "pursue-"
_STEP = 10.0  # seconds that one step of a plan is worth


@cache
def the_domain() -> Domain:
    """Return the domain that comes with the package.

    >>> [goal.name for goal in the_domain().goals][:3]
    ['talk-nurse', 'talk-patient', 'talk-cook']
    """
    return load(DATA / "islander.yaml", functions={"walk": _walk})


def _walk(start: str, there: str) -> float:
    story = the_story()
    return story.map.distance(start, there) / story.pace / _STEP


@cache
def the_planner() -> Planner:
    """Return the planner of all islanders: it remembers answers, and they meet the same situations."""
    domain = the_domain()
    return Planner(domain, [domain.action(name) for name in domain.action_sets["body"]])


@cache
def pursuits() -> dict[str, Action]:
    """Return, for each goal, the action that stands for pursuing it when goals are chosen among."""
    domain = the_domain()
    return {goal.name: domain.action(_PURSUE + goal.name) for goal in domain.goals}


def goal_of(pursuit: Action) -> str:
    """Return the goal that an action pursues."""
    return pursuit.name.removeprefix(_PURSUE)
