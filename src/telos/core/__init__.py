"""The vocabulary of a domain: variables, states, expressions, actions, goals, plans, events and beliefs.

    text ──▶ expressions/ (parser, tree, binding: types, functions of a state)
    Variable, State ──▶ Condition, Effect ──▶ Action, Goal, SmartObject ──▶ Domain
    answers of the upper packages: Plan | NoPlan, Belief; what they read: Event

Nothing here plans, chooses or recognises. Start with `Domain` (domain.py). Errors and faults: errors.py. Compiled
loops: kernels.py. Trace records: trace.py.
"""

from telos.core.action import Action, SmartObject
from telos.core.belief import Belief
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.core.event import Event
from telos.core.goal import Goal
from telos.core.plan import NoPlan, Plan, Stop
from telos.core.state import Layout, State
from telos.core.trace import Trace
from telos.core.values import FrozenMap, Type, Value, Variable

__all__ = [
    "Action",
    "Belief",
    "Condition",
    "DefinitionError",
    "Domain",
    "Effect",
    "Event",
    "Fault",
    "FaultCode",
    "FrozenMap",
    "Goal",
    "Layout",
    "NoPlan",
    "Plan",
    "SmartObject",
    "State",
    "Stop",
    "TelosError",
    "Trace",
    "Type",
    "Value",
    "Variable",
]
