"""Reading a player: from what her fingers do, a live belief about what she is after, and why."""

from pathlib import Path

import telos

reader = telos.recognizer(Path(__file__).parent / "recognizers" / "hunter.yaml")

# What the player did, and what the game knew, twice a second. Nothing says what she is after.
PLAY = (
    ("walk", {"prey": 2, "toward": "prey"}),
    ("walk", {"prey": 2, "toward": "prey"}),
    ("shoot", {"prey": 1, "toward": "prey"}),
    ("wait", {"prey": 1, "toward": "nothing"}),
    ("run", {"wolves": True, "toward": "away"}),
    ("run", {"wolves": True, "toward": "away"}),
)
print(f"before anything was seen: {reader.belief}")
for second, (action, known) in enumerate(PLAY):
    belief = reader.observe(telos.Event(action, known, time=second / 2))
    print(f"{second / 2} s, {action}: {belief.top} {belief[belief.top]:.0%}")

# A belief is a mapping, so a game can act on it: only a player who surely flees is spared the next wolf.
print("spare her" if belief["flee"] > 0.8 else "send another wolf")

# Those that come along are known by name: the models of two published studies, for a small adventure.
swing = telos.Event("swing", {"monsters": 2, "in_town": False})
print(telos.recognizer("adventure").observe(swing).why())

# → before anything was seen: Belief(hunt=0.333, flee=0.333, roam=0.333)
# → 1.0 s, shoot: hunt 97%
# → 2.0 s, run: flee 85%
# → spare her
# → level: level 81%, town 9%, explore 9% (0.88 bits of doubt)
