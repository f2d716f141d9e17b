"""A mage with five crystals: the best first spell is not the best single spell."""

from pathlib import Path

import telos

mage = telos.load(Path(__file__).parent / "domains" / "mage.yaml")
now = mage.state()

greedy = telos.choose(mage.possible(now), mage.goals)
print("one spell:", greedy.action.name)

outlook = telos.look_ahead(mage, depth=2)
print("two spells:", ", ".join(action.name for action in outlook.actions))
print(outlook.why())

# → one spell: greater-healing
# → two spells: lesser-healing, fireball
# → lesser-healing, then fireball: discontentment goes from 25 to 5.
