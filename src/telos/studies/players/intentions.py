"""Intentions: what is wanted, what is believed, and the plan for it."""

from functools import lru_cache
from pathlib import Path

import telos
from telos.core.values import Value
from telos.planning.planner import Planner
from telos.studies.players.mental_map import MentalMap
from telos.studies.players.perception import NOTICE, Scene
from telos.studies.players.style import Style
from telos.studies.players.wayfinding import keeps
from telos.worlds.adventure.views import AdventureView

FILE = Path(__file__).parent / "adventurer.yaml"
MANNERS = ("fight-monster", "dodge-monster")  # steps that say how one goes; the next says where
_WORDS = (("return", "town"), ("kill", "level"), ("chest", "explore"), ("find", "explore"))
_ELBOW_ROOM = 25.0  # pixels beyond the distance that one keeps: from there on a monster is in the way
_GEM_WORTH = 300.0  # pixels that the greediest go for a gem; on another errand less
_ERRAND = 0.3
_ENOUGH = 10  # kills; then, in free play, something else is more fun


@lru_cache(maxsize=1)
def planner() -> Planner:
    """Return the planner that all players share: it remembers answers, and they meet the same situations."""
    return Planner(telos.load(FILE))


def goal_in(instruction: str) -> str | None:
    """Return what an instruction asks for; None if nothing, or nothing that a player would understand.

    >>> goal_in("Find the treasure chest"), goal_in("Return to the bank"), goal_in("")
    ('explore', 'town', None)
    """
    said = instruction.lower()
    return next((goal for word, goal in _WORDS if word in said), None)


def own_goal(view: AdventureView, habits: Style, kills_before: int) -> str:
    """Return what a player wants whom nobody tells: what they have most left of, by Telos' own choosing.

    ``kills_before`` is the number of kills when the last chest was brought home.
    """
    left = max(0, _ENOUGH - (view.kills - kills_before)) / _ENOUGH
    goals = [
        telos.Goal("town", insistence=9 if view.carrying else view.gems_held / _ENOUGH * 4 * (1 - habits.roaming)),
        telos.Goal("level", insistence=(2 + 3 * habits.boldness) * left),
        telos.Goal("explore", insistence=1 + 2 * habits.roaming),
    ]
    return telos.choose(
        [telos.Action(goal.name, changes={goal.name: -1}) for goal in goals], goals, by="simple"
    ).action.name


def believe(view: AdventureView, scene: Scene, known: MentalMap, habits: Style, *, goal: str) -> dict[str, Value]:
    """Return the values of the domain's variables: what is seen, what is remembered, and what one is like."""
    area, now = view.area, view.time
    in_the_way = scene.nearest < keeps(habits) + _ELBOW_ROOM and goal != "level"
    believed: dict[str, Value] = {
        "prey": "gone" if not scene.foes else "near" if scene.nearest < NOTICE else "far",
        "threatened": in_the_way,
        "gem": "in_sight" if view.gems and _is_worth_it(view, habits, goal) else "gone",
        "chest": "taken" if view.carrying else "in_sight" if view.chest else "unknown",
        "home": "in_sight" if view.town else "away",
    }
    if goal == "explore":
        beside = known.unsearched_exits(area, view.exits, now)
        way = () if beside else known.way_to_unsearched(area, now)
        believed["unsearched"] = "beside" if beside else "remembered" if way else "unknown"
    if goal == "town":
        way, felt = known.way_home(area, now), known.felt_way_home(area, view.exits)
        believed["way_home"] = "known" if way else "felt" if felt else "lost"
    return believed | dislikes(habits)


def dislikes(habits: Style) -> dict[str, Value]:
    """Return what a player does not like to do, as costs from 1 to 6.

    >>> dislikes(Style(boldness=1.0))["fighting"], dislikes(Style(boldness=1.0))["dodging"]
    (2, 5)
    """
    return {
        "chasing": 1 + round(4 * habits.baiting),
        "baiting": 1 + round(4 * (1 - habits.baiting)),
        "fighting": 2 + round(4 * (1 - habits.boldness)),  # a fight on the way always costs time
        "dodging": 1 + round(4 * habits.boldness),
        "moving_on": 2 + round(4 * (1 - habits.roaming)),
    }


def steps_to(goal: str, believed: dict[str, Value]) -> tuple[str, ...]:
    """Return the names of the steps of the cheapest plan; none if there is no plan. Gems are picked up on the way.

    >>> steps_to("explore", {"unsearched": "beside", "threatened": True, "dodging": 1})
    ('dodge-monster', 'take-unsearched-exit', 'step-onto-chest')
    """
    if believed.get("gem") == "in_sight" and not believed["threatened"] and believed["prey"] != "near":
        goal = "gather"
    return tuple(step.name for step in planner().plan(believed, goal).steps)


def _is_worth_it(view: AdventureView, habits: Style, goal: str) -> bool:
    reach = _GEM_WORTH * habits.greed * (1.0 if goal == "level" else _ERRAND)
    return any(abs(x - view.x) + abs(y - view.y) < reach for x, y in view.gems)
