"""Squads: members near each other carry out behaviours together; orders are facts in their memories.

    members ──▶ Coordinator ──▶ Squad ──▶ Behaviour ──▶ Assignment ──▶ Order in a member's memory
                coordinator.py  squad.py  behaviours/

A behaviour may also be a manoeuvre, a file with tasks and methods (manoeuvres/). Start with `Coordinator`. What
members, and people of any game, say to each other: `load_lines`, and `Dialogue` or `say` (dialogue/).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.squads.behaviours import ALL_BEHAVIOURS, Behaviour, BehaviourStatus, NotNow, Verdict, select_behaviours
    from telos.squads.coordinator import Coordinator
    from telos.squads.dialogue import (
        Dialogue,
        DialogueVocabulary,
        Lines,
        Occasion,
        OccasionKind,
        Person,
        load_lines,
        parse_lines,
        say,
    )
    from telos.squads.manoeuvres import Manoeuvre, load_manoeuvre, loads_manoeuvre
    from telos.squads.practices import ALL_PRACTICES, Practice, select_practices
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
    "ALL_PRACTICES",
    "Assignment",
    "Behaviour",
    "BehaviourEnded",
    "BehaviourStatus",
    "Coordinator",
    "Dialogue",
    "DialogueVocabulary",
    "LineSpoken",
    "Lines",
    "Manoeuvre",
    "Member",
    "NotNow",
    "Objective",
    "Occasion",
    "OccasionKind",
    "Order",
    "OrdersGiven",
    "Person",
    "Practice",
    "Squad",
    "SquadsFormed",
    "Verdict",
    "load_lines",
    "load_manoeuvre",
    "loads_manoeuvre",
    "parse_lines",
    "say",
    "select_behaviours",
    "select_practices",
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
        "Dialogue": "dialogue",
        "DialogueVocabulary": "dialogue",
        "Lines": "dialogue",
        "Occasion": "dialogue",
        "OccasionKind": "dialogue",
        "Person": "dialogue",
        "load_lines": "dialogue",
        "parse_lines": "dialogue",
        "say": "dialogue",
        "Manoeuvre": "manoeuvres",
        "load_manoeuvre": "manoeuvres",
        "loads_manoeuvre": "manoeuvres",
        "ALL_PRACTICES": "practices",
        "Practice": "practices",
        "select_practices": "practices",
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
