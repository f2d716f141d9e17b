"""A kitchen whose things say what can be done with them: promises lead the way, or looking ahead finds it."""

from pathlib import Path

import telos

kitchen = telos.load(Path(__file__).parent / "domains" / "kitchen.yaml")
print("on offer:", ", ".join(action.name for action in kitchen.possible(kitchen.state())))

state = kitchen.state()
for _ in range(5):  # one step at a time, as promises have it
    action = telos.choose(kitchen.possible(state), kitchen.goals).action
    state = action.result(state)
    print("step by step:", action.name)

print("ahead:", ", ".join(action.name for action in telos.look_ahead(kitchen, depth=5).actions))

# → on offer: rest, fridge.take-raw-food, key_hook.take-key, kettle.boil
# → step by step: fridge.take-raw-food
# → step by step: eat-meal
# → ahead: fridge.take-raw-food, oven.insert, oven.cook, oven.remove, eat-meal
