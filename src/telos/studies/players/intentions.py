"""Intentions: what the instruction asks for, what is believed, and the plan for it."""

from functools import lru_cache
from pathlib import Path

import telos
from telos.core.values import Value
from telos.planning.planner import Planner

FILE = Path(__file__).parent / "adventurer.yaml"
_WORDS = (("return", "town"), ("kill", "level"), ("chest", "explore"), ("find", "explore"))


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


def steps_to(goal: str, believed: dict[str, Value]) -> tuple[str, ...]:
    """Return the names of the steps of the cheapest plan; none if there is no plan."""
    return tuple(step.name for step in planner().plan(believed, goal).steps)
