"""Getting ready before the game starts, so that no frame waits for a compiler."""

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.goal import Goal
from telos.core.values import Variable
from telos.planning import native
from telos.planning.batch import plan_many
from telos.planning.planner import Planner


def warm_up() -> bool:
    """Load the compiled planner now, and say whether there is one; without Numba, planning stays Python.

    The first time on a machine this takes some twenty seconds; after that the compiled code comes from a cache on disk.
    """
    if not native.is_installed():
        return False
    if not native.is_warm():
        native.load()
        lamp = Domain(
            variables=[Variable("lit", "bool"), Variable("oil", "int")],
            actions=[Action("light", preconditions="oil >= 1", effects="lit = true, oil -= 1")],
            goals=[Goal("light", wants="lit")],
        )
        planner = Planner(lamp)
        start = lamp.state({"oil": 1})
        engine = planner.prepared(lamp.goal("light"), start, planner.handles(start, {})).engine
        planner.plan(start, "light", microseconds=1e6)
        engine.compiled.repair([0], [1.0], [0])
        engine.compiled.advance(([0], [1.0]), ([1], [0.0]), 0)
        engine.compiled.larger(engine.compiled.room()).go_on(1)
        plan_many(lamp, {"oil": [0, 1]}, "light")
        native.set_warm()
    return True
