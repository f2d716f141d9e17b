"""Agents: one mind per character. Sensors write facts, goals compete, a plan is made and carried out by the body.

    sensors ──▶ memory ──▶ attention ──▶ goals ──▶ planner ──▶ steps ──▶ body ──▶ world
    sensors.py  memory.py                deliberation.py        mind.py   body.py

To give minds to bodies of your own game, start with `Body` and `Crowd` (embedding/). Below them is `Mind` (mind.py). A
kind of character is a `Character`, read from a file (character.py); what its body does for each action is a `Procedure`
or a performance file (body.py). Many minds share budgets in a `MindSchedule` (mind_schedule.py). `why` and `why_not`
explain a mind (explain.py). `save_mind` and `restore_mind` keep one (saving.py). `MotiveMind` chooses by discontentment
instead of planning (motives.py); `Needs` bring insistence into a planning mind (needs.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.agents.body import (
        DONE,
        RUNNING,
        Actor,
        Actuator,
        Animate,
        BodyState,
        Goto,
        Perform,
        Performance,
        Performed,
        Procedure,
        Progress,
        Status,
        UseSmartObject,
        load_performances,
        loads_performances,
    )
    from telos.agents.character import Character, characters_from, characters_in, load_character
    from telos.agents.deliberation import Arbiter, Deliberation, Opportunities
    from telos.agents.embedding.actuator import StepObject
    from telos.agents.embedding.body import Body, Failed, Wait, sensor, wait
    from telos.agents.embedding.crowd import Crowd, CrowdObserver
    from telos.agents.embedding.member import Member
    from telos.agents.explain import why, why_not
    from telos.agents.memory import Attends, Attention, Fact, WorkingMemory
    from telos.agents.mind import Believe, Execution, Mind
    from telos.agents.mind_schedule import MindSchedule
    from telos.agents.motives import Decision, MotiveMind
    from telos.agents.needs import Needs
    from telos.agents.problems import Problem, Problems
    from telos.agents.saving import restore_mind, restore_plans, save_mind, save_plans
    from telos.agents.sensors import Sensor, SensorSchedule
    from telos.agents.things import ThingAttention
    from telos.agents.trace import Began, Chose, Dropped, Finished, Forgot, Idle, Noticed, Planned, StepFailed
    from telos.files.restoring import Omission

_HOMES = {
    **dict.fromkeys(
        ("DONE", "RUNNING", "Actor", "Actuator", "Animate", "BodyState", "Goto", "Perform", "Performance", "Performed",
         "Procedure", "Progress", "Status", "UseSmartObject", "load_performances", "loads_performances"), "body"),
    **dict.fromkeys(("Character", "characters_from", "characters_in", "load_character"), "character"),
    "MindSchedule": "mind_schedule",
    **dict.fromkeys(("Arbiter", "Deliberation", "Opportunities"), "deliberation"),
    **dict.fromkeys(("Crowd", "CrowdObserver"), "embedding.crowd"),
    "Member": "embedding.member",
    "StepObject": "embedding.actuator",
    **dict.fromkeys(("Body", "Failed", "Wait", "sensor", "wait"), "embedding.body"),
    **dict.fromkeys(("why", "why_not"), "explain"),
    **dict.fromkeys(("Attends", "Attention", "Fact", "WorkingMemory"), "memory"),
    **dict.fromkeys(("Believe", "Execution", "Mind"), "mind"),
    **dict.fromkeys(("Decision", "MotiveMind"), "motives"),
    "Needs": "needs",
    **dict.fromkeys(("Problem", "Problems"), "problems"),
    **dict.fromkeys(("Omission", "restore_mind", "restore_plans", "save_mind", "save_plans"), "saving"),
    **dict.fromkeys(("Sensor", "SensorSchedule"), "sensors"),
    "ThingAttention": "things",
    **dict.fromkeys(
        ("Began", "Chose", "Dropped", "StepFailed", "Finished", "Forgot", "Idle", "Noticed", "Planned"), "trace"),
}  # fmt: skip

__all__ = [
    "DONE",
    "RUNNING",
    "Actor",
    "Actuator",
    "Animate",
    "Arbiter",
    "Attends",
    "Attention",
    "Began",
    "Believe",
    "Body",
    "BodyState",
    "Character",
    "Chose",
    "Crowd",
    "CrowdObserver",
    "Decision",
    "Deliberation",
    "Dropped",
    "Execution",
    "Fact",
    "Failed",
    "Finished",
    "Forgot",
    "Goto",
    "Idle",
    "Member",
    "Mind",
    "MindSchedule",
    "MotiveMind",
    "Needs",
    "Noticed",
    "Omission",
    "Opportunities",
    "Perform",
    "Performance",
    "Performed",
    "Planned",
    "Problem",
    "Problems",
    "Procedure",
    "Progress",
    "Sensor",
    "SensorSchedule",
    "Status",
    "StepFailed",
    "StepObject",
    "ThingAttention",
    "UseSmartObject",
    "Wait",
    "WorkingMemory",
    "characters_from",
    "characters_in",
    "load_character",
    "load_performances",
    "loads_performances",
    "restore_mind",
    "restore_plans",
    "save_mind",
    "save_plans",
    "sensor",
    "wait",
    "why",
    "why_not",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
