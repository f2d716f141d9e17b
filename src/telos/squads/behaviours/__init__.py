"""Squad behaviours: the protocol, and the four behaviours in order of priority (`ALL_BEHAVIOURS`).

A new behaviour is a class with ``propose`` and ``watch`` (protocol.py), added to `ALL_BEHAVIOURS` (registry.py).
Flanking, pincers and retreats emerge without a behaviour of their own (docs/scenes).
"""

from telos.squads.behaviours.advance import OrderlyAdvance
from telos.squads.behaviours.cover import AdvanceCover, GetToCover
from telos.squads.behaviours.protocol import Behaviour, BehaviourStatus, NotNow, Verdict
from telos.squads.behaviours.registry import ALL_BEHAVIOURS, assignment_flaw, order_behaviours, select_behaviours
from telos.squads.behaviours.search import SearchRooms
from telos.squads.behaviours.slots import assign_nodes

__all__ = [
    "ALL_BEHAVIOURS",
    "AdvanceCover",
    "Behaviour",
    "BehaviourStatus",
    "GetToCover",
    "NotNow",
    "OrderlyAdvance",
    "SearchRooms",
    "Verdict",
    "assign_nodes",
    "assignment_flaw",
    "order_behaviours",
    "select_behaviours",
]
