"""Reading a plan: the domain that a character plans with tells its partner what it is after, without any training."""

from pathlib import Path

import telos

# A carter and her errands. One file says what she can do; she plans with it, and we read her with it.
errands = telos.load(Path(__file__).parent / "domains" / "errands.yaml")
plan = telos.plan(errands, {"at": "forest"}, "make_key")
reader = telos.recognizer(errands, start={"at": "forest"})

for minute, step in enumerate(plan.steps):
    belief = reader.observe(telos.Event(str(step), time=minute))
    print(f"{step}: {belief.top} {belief[belief.top]:.0%}")

# What was not seen is filled in: bars of iron in the forge must have come from the mine.
reader = telos.recognizer(errands, temperature=3.0)
print(reader.observe(telos.Event("drop-bars")).why())

# The game may state what it knows, as it was before the action. That somebody else lit the fire is no evidence by
# itself; but that she goes for wood all the same is.
belief = reader.observe(telos.Event("goto(forest)", {"fire": True}))
print(f"the fire burns, and she goes for wood: {belief}")

# Why one goal and not the other: what was wasted on each, and what would still be to do.
print(reader.why("make_key", over="bake_bread"))

# → load-wood: bake_bread 33%
# → goto(forge): make_key 91%
# → not seen, but done before it: goto(mine), load-iron, goto(forge)
# → the fire burns, and she goes for wood: Belief(bake_bread=0.212, make_key=0.576, open_market=0.212)
# → make_key over bake_bread: 3 less wasted
