"""Hierarchical task networks: tasks are refined by methods until only actions are left.

Start with ``plan_tasks`` (planner.py). ``Task``, ``Method`` and ``TaskNetwork`` are in network.py; ``load_tasks`` reads
a YAML task file (files.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.planning.htn.files import load_tasks, loads_tasks
    from telos.planning.htn.network import Method, Task, TaskNetwork
    from telos.planning.htn.planner import TaskBranch, TaskPlan, plan_tasks

__all__ = ["Method", "Task", "TaskBranch", "TaskNetwork", "TaskPlan", "load_tasks", "loads_tasks", "plan_tasks"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Method": "network",
        "Task": "network",
        "TaskBranch": "planner",
        "TaskNetwork": "network",
        "TaskPlan": "planner",
        "load_tasks": "files",
        "loads_tasks": "files",
        "plan_tasks": "planner",
    },
)
