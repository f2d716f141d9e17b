"""Minds in a game of your own: a body is a class with one method per action, a crowd gives bodies minds.

    Crowd.tick ──▶ bodies go on ──▶ sensors ──▶ minds think and plan ──▶ steps begin
    crowd.py       actuator.py      senses.py   mind_schedule.py         actuator.py

Start with `Body` (body.py) and `Crowd` (crowd.py). What is missing is reported when a character is added (faults.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.agents.embedding.actuator import StepObject
    from telos.agents.embedding.body import Body, Failed, Wait, sensor, wait
    from telos.agents.embedding.crowd import Crowd, CrowdObserver
    from telos.agents.embedding.member import Member

_HOMES = {
    "StepObject": "actuator",
    **dict.fromkeys(("Body", "Failed", "Wait", "sensor", "wait"), "body"),
    **dict.fromkeys(("Crowd", "CrowdObserver"), "crowd"),
    "Member": "member",
}

__all__ = ["Body", "Crowd", "CrowdObserver", "Failed", "Member", "StepObject", "Wait", "sensor", "wait"]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
