"""Goal recognition by planning: a goal is likely if the player wastes little cost on the way to it.

Start with `PlanReader` (reader.py), which keeps the belief about one player; `PlanModel` (model.py) holds the domain,
the goals and the options. After Ramírez & Geffner (2009, 2010), online. PDDL problems: strips/.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.recognition.by_planning.model import ActionMatcher, ObservedAction, PlanModel, PlanModelOptions
    from telos.recognition.by_planning.reader import GoalAccount, PlanningReasons, PlanReader

__all__ = [
    "ActionMatcher",
    "GoalAccount",
    "ObservedAction",
    "PlanModel",
    "PlanModelOptions",
    "PlanReader",
    "PlanningReasons",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "ActionMatcher": "model",
        "GoalAccount": "reader",
        "ObservedAction": "model",
        "PlanModel": "model",
        "PlanModelOptions": "model",
        "PlanReader": "reader",
        "PlanningReasons": "reader",
    },
)
