"""A door that is held shut: what fails becomes a fact, and the next plan knows better."""

from pathlib import Path

import telos

scene = telos.load(Path(__file__).parent / "domains" / "held-door.yaml")

# What the soldier learns when a step fails. The enemy holds the door, so these two will.
lessons = {"open-door": "door_blocked", "kick-door": "kick_failed"}

state = scene.state()
while state["target"] == "alive":
    answer = telos.plan(scene, state, "kill_enemy")
    if not answer.found:
        print(answer.why())
        break
    print("plan:", ", ".join(map(str, answer.steps)))
    for step in answer.steps:
        if step.name in lessons:
            state = state.replace({lessons[step.name]: True})
            print(f"{step} fails; now he knows: {lessons[step.name]}")
            break  # the rest of the plan rests on what did not happen
        state = step.result(state)
        print(f"{step} works")

# → plan: open-door, walk-in, shoot
# → open-door fails; now he knows: door_blocked
# → plan: kick-door, walk-in, shoot
# → kick-door fails; now he knows: kick_failed
# → plan: dive-through-window, melee
# → melee works
