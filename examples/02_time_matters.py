"""Needs grow while an action lasts, and while one walks to it."""

import telos

# Levels drift by so much per hour, so durations and travel times are in hours too.
goals = [telos.Goal("eat", 4, drift=4), telos.Goal("bathroom", 3, drift=2)]
fridge = telos.SmartObject("fridge", actions=[telos.Action("eat-snack", changes={"eat": -2}, duration=0.25)])
stove = telos.SmartObject("stove", actions=[telos.Action("main-meal", changes={"eat": -4}, duration=1)])
toilet = telos.SmartObject("toilet", actions=[telos.Action("visit", changes={"bathroom": -5}, duration=0.25)])
actions = [action for thing in (fridge, stove, toilet) for action in thing.actions]

print("at once:", telos.choose(actions, goals).why().splitlines()[0])

places = {"fridge": (0.0, 3.0), "stove": (1.0, 3.0), "toilet": (0.5, 0.0)}
travel = telos.straight_line(here=(0.0, 0.0), places=places, speed=4)  # or any function, such as a path-finder's
print("with the way there:", telos.choose(actions, goals, travel=travel).action.name)

# → at once: fridge.eat-snack: it leaves the least discontentment, 16.25; it is 25 now.
# → with the way there: toilet.visit
