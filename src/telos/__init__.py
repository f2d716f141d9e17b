"""Goals in games, both ways: characters that have goals, and players whose goals are read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from telos.agents.character import Character
    from telos.agents.character_files import load_character
    from telos.agents.crowd import Crowd
    from telos.agents.memory import Fact, WorkingMemory
    from telos.agents.mind import Mind
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
    from telos.planning.batch import Plans, plan_many
    from telos.planning.htn import plan_tasks
    from telos.planning.plan import plan
    from telos.planning.planner import Planner
    from telos.planning.replanner import Replanner
    from telos.planning.scheduler import Scheduler
    from telos.planning.task_files import load_tasks
    from telos.planning.task_network import TaskNetwork
    from telos.planning.tasks import Method
    from telos.planning.warming import warm_up
    from telos.recognition.files.front import recognizer

# Where each name of the front door lives. They are fetched when first used, so that `import telos` stays light and a
# program pays only for the rooms that it enters.
_HOMES = {
    "Action": "core.action",
    "Belief": "core.belief",
    "Character": "agents.character",
    "Choice": "choosing.choice",
    "Condition": "core.conditions",
    "Crowd": "agents.crowd",
    "DefinitionError": "core.errors",
    "Domain": "core.domain",
    "Effect": "core.conditions",
    "Event": "core.event",
    "Fact": "agents.memory",
    "Fault": "core.errors",
    "Goal": "core.goal",
    "LearnedRate": "choosing.rates",
    "LearnedRates": "choosing.rates",
    "Method": "planning.tasks",
    "Mind": "agents.mind",
    "NoPlan": "core.plan",
    "Outlook": "choosing.outlook",
    "Plan": "core.plan",
    "Planner": "planning.planner",
    "Plans": "planning.batch",
    "Rating": "choosing.choice",
    "Replanner": "planning.replanner",
    "Scheduler": "planning.scheduler",
    "SmartObject": "core.smart_object",
    "State": "core.state",
    "Stop": "core.plan",
    "TaskNetwork": "planning.task_network",
    "TelosError": "core.errors",
    "Variable": "core.values",
    "WorkingMemory": "agents.memory",
    "WorldModel": "choosing.model",
    "choose": "choosing.choose",
    "load": "core.files.load",
    "load_character": "agents.character_files",
    "load_tasks": "planning.task_files",
    "loads": "core.files.load",
    "look_ahead": "choosing.look_ahead",
    "plan": "planning.plan",
    "plan_many": "planning.batch",
    "plan_tasks": "planning.htn",
    "recognizer": "recognition.files.front",
    "straight_line": "choosing.travel",
    "warm_up": "planning.warming",
}

__version__ = "0.1.0"
__all__ = [
    "Action",
    "Belief",
    "Character",
    "Choice",
    "Condition",
    "Crowd",
    "DefinitionError",
    "Domain",
    "Effect",
    "Event",
    "Fact",
    "Fault",
    "Goal",
    "LearnedRate",
    "LearnedRates",
    "Method",
    "Mind",
    "NoPlan",
    "Outlook",
    "Plan",
    "Planner",
    "Plans",
    "Rating",
    "Replanner",
    "Scheduler",
    "SmartObject",
    "State",
    "Stop",
    "TaskNetwork",
    "TelosError",
    "Variable",
    "WorkingMemory",
    "WorldModel",
    "choose",
    "load",
    "load_character",
    "load_tasks",
    "loads",
    "look_ahead",
    "plan",
    "plan_many",
    "plan_tasks",
    "recognizer",
    "straight_line",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'telos' has no attribute {name!r}")
    value = getattr(import_module(f"telos.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
