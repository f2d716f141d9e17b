"""The planning domain of simulated players (``islander.yaml``) and the planner that all of them share."""

from functools import cache

from telos.core.action import Action
from telos.core.domain import Domain
from telos.files.domain_file import load
from telos.planning.planner import Planner
from telos.worlds.island.story import DATA, load_story

_PURSUE = "pursue-"
_STEP = 10.0  # seconds of walking that cost as much as one step


@cache
def load_player_domain() -> Domain:
    """Return the domain that comes with the package; it is loaded once.

    >>> [goal.name for goal in load_player_domain().goals][:3]
    ['talk-nurse', 'talk-patient', 'talk-cook']
    """
    return load(DATA / "islander.yaml", functions={"walk": _walk})


def _walk(start: str, there: str) -> float:
    story = load_story()
    return story.map.distance(start, there) / story.pace / _STEP


@cache
def shared_planner() -> Planner:
    """Return the planner of all simulated players: they meet the same situations, and it caches plans."""
    domain = load_player_domain()
    return Planner(domain, [domain.action(name) for name in domain.action_sets["body"]])


@cache
def pursuit_actions() -> dict[str, Action]:
    """Return, for each goal, the action that stands for pursuing it in a choice between goals."""
    domain = load_player_domain()
    return {goal.name: domain.action(_PURSUE + goal.name) for goal in domain.goals}


def to_goal(pursuit: Action) -> str:
    return pursuit.name.removeprefix(_PURSUE)
