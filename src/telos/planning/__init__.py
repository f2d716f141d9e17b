"""Planning: the cheapest sequence of actions that reaches a goal.

    Domain + goal ──▶ operators ──▶ task (flat arrays) ──▶ search ──▶ steps ──▶ Plan | NoPlan
                     operators.py   task.py, encoding.py   search.py, kernel.py   explain.py

Start with ``plan`` and ``Planner`` (planner.py). Crowds: ``plan_many`` (batch.py). Planning spread over frames:
``Scheduler`` (scheduler.py). Changing facts: ``Replanner`` (replanner.py). Functions of the game: functions.py,
game_functions.py. Pictures of a search: search_graph.py. Plans that were not chosen: alternatives.py. Hierarchical task
networks: ``plan_tasks`` (htn/). PDDL files: ``telos.planning.pddl``.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.planning.alternatives import Alternative, find_alternatives
    from telos.planning.batch import Plans, plan_many
    from telos.planning.explain import explain_plan, visited_states
    from telos.planning.functions import GameFunction, constant, table, vectorised
    from telos.planning.htn.files import load_tasks, loads_tasks
    from telos.planning.htn.network import Method, Task, TaskNetwork
    from telos.planning.htn.planner import TaskPlan, plan_tasks
    from telos.planning.planner import Planner, get_planner, plan, warm_up
    from telos.planning.replanner import Replanner
    from telos.planning.scheduler import Scheduler, Ticket
    from telos.planning.search_graph import SearchGraph, draw_graph, embed_graph, record_search, save_graph

__all__ = [
    "Alternative",
    "GameFunction",
    "Method",
    "Planner",
    "Plans",
    "Replanner",
    "Scheduler",
    "SearchGraph",
    "Task",
    "TaskNetwork",
    "TaskPlan",
    "Ticket",
    "constant",
    "draw_graph",
    "embed_graph",
    "explain_plan",
    "find_alternatives",
    "get_planner",
    "load_tasks",
    "loads_tasks",
    "plan",
    "plan_many",
    "plan_tasks",
    "record_search",
    "save_graph",
    "table",
    "vectorised",
    "visited_states",
    "warm_up",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Alternative": "alternatives",
        "Method": "htn.network",
        "Planner": "planner",
        "Plans": "batch",
        "Replanner": "replanner",
        "Scheduler": "scheduler",
        "SearchGraph": "search_graph",
        "Task": "htn.network",
        "TaskNetwork": "htn.network",
        "TaskPlan": "htn.planner",
        "Ticket": "scheduler",
        "constant": "functions",
        "draw_graph": "search_graph",
        "embed_graph": "search_graph",
        "explain_plan": "explain",
        "find_alternatives": "alternatives",
        "get_planner": "planner",
        "load_tasks": "htn.files",
        "loads_tasks": "htn.files",
        "plan": "planner",
        "plan_many": "batch",
        "plan_tasks": "htn.planner",
        "record_search": "search_graph",
        "save_graph": "search_graph",
        "table": "functions",
        "vectorised": "functions",
        "visited_states": "explain",
        "warm_up": "planner",
    },
)
