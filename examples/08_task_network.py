"""A squad gets to cover by a task network: one suppresses while the others run, in whatever order works."""

import telos
from telos.planning import Method, TaskNetwork, TaskPlan, plan_tasks

squad = telos.Domain(
    "squad",
    variables=[
        telos.Variable("suppressed", "bool"),
        telos.Variable("rounds", "int", 1),
        telos.Variable("ann_at", "node", "street"),
        telos.Variable("bob_at", "node", "street"),
    ],
    handles={"node": ["street", "wall", "van"]},
    functions={"exposure": lambda node: {"street": 9, "wall": 1, "van": 3}[node]},
    actions=[
        telos.Action("reload", effects="rounds += 3"),
        telos.Action("suppress", preconditions="rounds >= 2", effects="suppressed = true, rounds -= 2"),
        *(
            telos.Action(
                f"run-{who}",
                parameters={"to": "node"},
                preconditions=f"suppressed and {other}_at != to",
                effects=f"{who}_at = to",
                cost="exposure(to)",
            )
            for who, other in (("ann", "bob"), ("bob", "ann"))
        ),
    ],
)
network = TaskNetwork(
    squad,
    [
        Method("get-to-cover", "covered", subtasks=["move-ann", "move-bob", "fire"], order="any"),
        Method("move-ann", "run", choose={"spot": "node"}, subtasks="run-ann(spot)"),
        Method("move-bob", "run", choose={"spot": "node"}, subtasks="run-bob(spot)"),
        Method("fire", "ready", condition="rounds >= 2", subtasks="suppress"),
        Method("fire", "reload-first", subtasks=["reload", "suppress"]),
    ],
)

answer = plan_tasks(network, {}, "get-to-cover")
print(answer.why())
if isinstance(answer, TaskPlan):  # the tree is data: who does what, and what must be over first
    for i, step in enumerate(answer.steps):
        print(f"{step.name} is for {answer.serves(i)[0].task}; after {sorted(answer.before(i)) or 'nothing'}")

# → get-to-cover: reload, then suppress, then run-ann(wall), then run-bob(van) (cost 6)
# →   move-ann by run with spot = wall
# →     3. run-ann(wall)
# → suppress is for fire; after [0]
# → run-bob is for move-bob; after nothing
