"""Squads: members near each other carry out behaviours together; orders are facts in their memories.

    members ──▶ Coordinator ──▶ Squad ──▶ Behaviour ──▶ Assignment ──▶ Order in a member's memory
                coordinator.py  squad.py  behaviours.py

Start with `Coordinator`. What members say to each other: dialogue/.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.squads.behaviours import ALL_BEHAVIOURS, Behaviour, BehaviourStatus, NotNow, Verdict, select_behaviours
    from telos.squads.coordinator import Coordinator
    from telos.squads.squad import (
        Assignment,
        BehaviourEnded,
        LineSpoken,
        Member,
        Objective,
        Order,
        OrdersGiven,
        Squad,
        SquadsFormed,
    )

__all__ = [
    "ALL_BEHAVIOURS",
    "Assignment",
    "Behaviour",
    "BehaviourEnded",
    "BehaviourStatus",
    "Coordinator",
    "LineSpoken",
    "Member",
    "NotNow",
    "Objective",
    "Order",
    "OrdersGiven",
    "Squad",
    "SquadsFormed",
    "Verdict",
    "select_behaviours",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "ALL_BEHAVIOURS": "behaviours",
        "Behaviour": "behaviours",
        "BehaviourStatus": "behaviours",
        "NotNow": "behaviours",
        "Verdict": "behaviours",
        "select_behaviours": "behaviours",
        "Coordinator": "coordinator",
        "Assignment": "squad",
        "BehaviourEnded": "squad",
        "LineSpoken": "squad",
        "Member": "squad",
        "Objective": "squad",
        "Order": "squad",
        "OrdersGiven": "squad",
        "Squad": "squad",
        "SquadsFormed": "squad",
    },
)
