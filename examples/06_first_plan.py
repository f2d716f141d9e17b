"""One goal set, three casts of actions: the same wishes make a soldier shoot, an assassin lunge and a rat walk past."""

import math
from pathlib import Path

import telos

PLACES = {"gate": (0.0, 0.0), "crates": (1.0, 0.0), "yard": (0.0, 3.0)}


def distance(here: str, there: str) -> float:
    """Say how far it is; a game would ask its path-finder."""
    return math.dist(PLACES[here], PLACES[there])


def path_to_safety(who: str) -> bool:
    """Say whether someone can get away; in this scene nobody has to."""
    return True


fear = telos.load(
    Path(__file__).parent / "domains" / "fear.yaml", functions={"distance": distance, "path_to_safety": path_to_safety}
)
quiet = {"at": "gate", "post": "yard", "cover_node": "yard", "ammo": 3}

for who in ("soldier", "assassin", "rat"):
    for when, now in (("alone", quiet), ("enemy in sight", {**quiet, "enemy_seen": True})):
        answer = telos.plan(fear, now, "gdc06", actions=who)
        steps = ", ".join(map(str, answer.steps))
        print(f"{who}, {when}: {answer.goal} by {steps} (cost {answer.cost:g})")

# Cover nearby is worth the way: two steps that are cheaper than one.
ready = {**quiet, "weapon_loaded": True, "cover_node": "crates"}
print(telos.plan(fear, ready, "kill_enemy", actions="soldier").why())

# No plan is an answer too, and says what is missing.
print(telos.plan(fear, quiet, "kill_enemy", actions="rat").why())

# → soldier, alone: patrol by goto(yard), walk-round (cost 6)
# → soldier, enemy in sight: kill_enemy by reload, attack (cost 5)
# → assassin, alone: patrol by cloak, run-cloaked(yard), jump-to-wall, watch-from-wall (cost 6)
# → assassin, enemy in sight: kill_enemy by lunge (cost 2)
# → rat, enemy in sight: patrol by goto(yard), walk-round (cost 6)
# →   1. goto(crates): at == cover_node for attack-from-cover
# → kill_enemy: no sequence of actions reaches the goal.
# →   the goal kill_enemy needs target == dead, and nothing provides it.
