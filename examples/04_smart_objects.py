"""A kitchen whose things say what can be done with them, and a cook who looks ahead."""

from pathlib import Path

import telos

kitchen = telos.load(Path(__file__).parent / "domains" / "kitchen.yaml")
state = kitchen.state()
print("on offer:", ", ".join(action.name for action in kitchen.possible(state)))

goals = [goal.at(8) if goal.name == "eat" else goal for goal in kitchen.goals]
model = telos.WorldModel(telos.WorldModel.of(kitchen).actions, goals, state)
for action in telos.look_ahead(model, depth=5).actions:
    state = action.result(state)
    print("did", action.name)
