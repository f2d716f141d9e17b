"""Goals in games, both ways: characters that have goals, and players whose goals are read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from telos.choosing.choice import Choice, Rating
    from telos.choosing.choose import choose
    from telos.choosing.look_ahead import look_ahead
    from telos.choosing.model import WorldModel
    from telos.choosing.outlook import Outlook
    from telos.choosing.rates import LearnedRate, LearnedRates
    from telos.choosing.travel import straight_line
    from telos.core.action import Action
    from telos.core.belief import Belief
    from telos.core.conditions import Condition, Effect
    from telos.core.domain import Domain
    from telos.core.errors import DefinitionError, Fault, TelosError
    from telos.core.event import Event
    from telos.core.files.load import load, loads
    from telos.core.goal import Goal
    from telos.core.plan import NoPlan, Plan, Stop
    from telos.core.smart_object import SmartObject
    from telos.core.state import State
    from telos.core.values import Variable
    from telos.planning.plan import plan

# Where each name of the front door lives. They are fetched when first used, so that `import telos` stays light and a
# program pays only for the rooms that it enters.
_HOMES = {
    "Action": "core.action",
    "Belief": "core.belief",
    "Choice": "choosing.choice",
    "Condition": "core.conditions",
    "DefinitionError": "core.errors",
    "Domain": "core.domain",
    "Effect": "core.conditions",
    "Event": "core.event",
    "Fault": "core.errors",
    "Goal": "core.goal",
    "LearnedRate": "choosing.rates",
    "LearnedRates": "choosing.rates",
    "NoPlan": "core.plan",
    "Outlook": "choosing.outlook",
    "Plan": "core.plan",
    "Rating": "choosing.choice",
    "SmartObject": "core.smart_object",
    "State": "core.state",
    "Stop": "core.plan",
    "TelosError": "core.errors",
    "Variable": "core.values",
    "WorldModel": "choosing.model",
    "choose": "choosing.choose",
    "load": "core.files.load",
    "loads": "core.files.load",
    "look_ahead": "choosing.look_ahead",
    "plan": "planning.plan",
    "straight_line": "choosing.travel",
}

__version__ = "0.1.0"
__all__ = [
    "Action",
    "Belief",
    "Choice",
    "Condition",
    "DefinitionError",
    "Domain",
    "Effect",
    "Event",
    "Fault",
    "Goal",
    "LearnedRate",
    "LearnedRates",
    "NoPlan",
    "Outlook",
    "Plan",
    "Rating",
    "SmartObject",
    "State",
    "Stop",
    "TelosError",
    "Variable",
    "WorldModel",
    "choose",
    "load",
    "loads",
    "look_ahead",
    "plan",
    "straight_line",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'telos' has no attribute {name!r}")
    value = getattr(import_module(f"telos.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
