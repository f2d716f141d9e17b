"""Goals in games: characters that pursue goals, and recognition of the goals of players.

The names below are the public front door; each is imported from its package when it is first used. Packages, from the
bottom up: `core` (the vocabulary), `files` (authored YAML), `choosing`, `planning`, `logic`, `recognition`, `agents`,
`squads`, `worlds`, `telemetry`, `spark`, `studies`, `frames` (logs in, beliefs out), `service`, `studio`, `checks`
(contracts for your own implementations), `cli`.
"""

from telos.lazy import lazy_exports

TYPE_CHECKING = False  # as in typing, which takes longer to import than all else here
if TYPE_CHECKING:
    from telos import studio
    from telos.agents.character import Character, load_character
    from telos.agents.embedding.body import Body, Failed, sensor, wait
    from telos.agents.embedding.crowd import Crowd
    from telos.agents.memory import Fact, WorkingMemory
    from telos.agents.mind import Mind
    from telos.choosing.choose import Choice, Rating, choose, straight_line
    from telos.choosing.look_ahead import Outlook, WorldModel, look_ahead
    from telos.choosing.rates import LearnedRate, LearnedRates
    from telos.core.action import Action, SmartObject
    from telos.core.belief import Belief
    from telos.core.conditions import Condition, Effect
    from telos.core.domain import Domain
    from telos.core.errors import DefinitionError, Fault, TelosError
    from telos.core.event import Event
    from telos.core.goal import Goal
    from telos.core.plan import NoPlan, Plan, Stop
    from telos.core.state import State
    from telos.core.values import Variable
    from telos.files.domain_file import load, loads
    from telos.frames import EvaluationReport, evaluate, read_frame, recognize, train
    from telos.planning.batch import Plans, plan_many
    from telos.planning.functions import constant, table, vectorised
    from telos.planning.htn.files import load_tasks
    from telos.planning.htn.network import Method, TaskNetwork
    from telos.planning.htn.planner import plan_tasks
    from telos.planning.planner import Planner, plan, warm_up
    from telos.planning.replanner import Replanner
    from telos.planning.scheduler import Scheduler
    from telos.recognition.files.load import recognizer

# The module of each public name. It is imported when the name is first used, so that `import telos` stays light.
_HOMES = {
    "Action": "core.action",
    "Belief": "core.belief",
    "Body": "agents.embedding.body",
    "Character": "agents.character",
    "Choice": "choosing.choose",
    "Condition": "core.conditions",
    "Crowd": "agents.embedding.crowd",
    "DefinitionError": "core.errors",
    "Domain": "core.domain",
    "Effect": "core.conditions",
    "EvaluationReport": "frames",
    "Event": "core.event",
    "Fact": "agents.memory",
    "Failed": "agents.embedding.body",
    "Fault": "core.errors",
    "Goal": "core.goal",
    "LearnedRate": "choosing.rates",
    "LearnedRates": "choosing.rates",
    "Method": "planning.htn.network",
    "Mind": "agents.mind",
    "NoPlan": "core.plan",
    "Outlook": "choosing.look_ahead",
    "Plan": "core.plan",
    "Planner": "planning.planner",
    "Plans": "planning.batch",
    "Rating": "choosing.choose",
    "Replanner": "planning.replanner",
    "Scheduler": "planning.scheduler",
    "SmartObject": "core.action",
    "State": "core.state",
    "Stop": "core.plan",
    "TaskNetwork": "planning.htn.network",
    "TelosError": "core.errors",
    "Variable": "core.values",
    "WorkingMemory": "agents.memory",
    "WorldModel": "choosing.look_ahead",
    "choose": "choosing.choose",
    "constant": "planning.functions",
    "evaluate": "frames",
    "load": "files.domain_file",
    "load_character": "agents.character",
    "load_tasks": "planning.htn.files",
    "loads": "files.domain_file",
    "look_ahead": "choosing.look_ahead",
    "plan": "planning.planner",
    "plan_many": "planning.batch",
    "plan_tasks": "planning.htn.planner",
    "read_frame": "frames",
    "recognize": "frames",
    "recognizer": "recognition.files.load",
    "sensor": "agents.embedding.body",
    "straight_line": "choosing.choose",
    "studio": "",
    "table": "planning.functions",
    "train": "frames",
    "vectorised": "planning.functions",
    "wait": "agents.embedding.body",
    "warm_up": "planning.planner",
}

__version__ = "0.1.0"
__all__ = [
    "Action",
    "Belief",
    "Body",
    "Character",
    "Choice",
    "Condition",
    "Crowd",
    "DefinitionError",
    "Domain",
    "Effect",
    "EvaluationReport",
    "Event",
    "Fact",
    "Failed",
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
    "constant",
    "evaluate",
    "load",
    "load_character",
    "load_tasks",
    "loads",
    "look_ahead",
    "plan",
    "plan_many",
    "plan_tasks",
    "read_frame",
    "recognize",
    "recognizer",
    "sensor",
    "straight_line",
    "studio",
    "table",
    "train",
    "vectorised",
    "wait",
    "warm_up",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
