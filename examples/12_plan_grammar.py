"""Reading plans: a locked door, three ways through it, and a companion who sees what is missing."""

import telos
from telos.recognition.grammar import PlanGrammarReader, inside_outside, loads_grammar

grammar = loads_grammar("""
recognizer: grammar
goals: {unlock_door: 0.6, force_door: 0.2, trade: 0.2}
noise: 0.05                       # one action in twenty serves nothing
open_goals: 2                     # and two plans may be under way at once
tasks:
  unlock_door:
    forged: {chance: 0.7, steps: [forge_key, goto(door), unlock]}
    spare:  {steps: [ask(neighbour), goto(door), unlock]}
  forge_key:
    smithy: {steps: [get_gold, goto(forge), light_fire, hammer]}
  get_gold:
    mine:   {steps: [goto(mine), dig]}
    chest:  {steps: take_gold}
  force_door:
    shoulder: {steps: [goto(door), push]}
  trade:
    market: {steps: [get_gold, goto(market), sell]}
""")
reader = PlanGrammarReader(grammar)
for second, action in enumerate(("take_gold", "whistle", "goto(forge)")):
    belief = reader.observe(telos.Event(action, time=second))
    likeliest, chance = next(iter(reader.next_actions().items()))
    print(f"{action}: {belief.top} {belief[belief.top]:.0%}, next {likeliest} {chance:.0%}")

# What is missing is what a companion can do before being asked.
plan = reader.partial_plans()[0]
print("still to do:", ", ".join(plan.missing))

# How often each method is taken can be learned from whole plans, even if nobody says which method it was.
seen = [["goto(mine)", "dig", "goto(market)", "sell"]] * 3 + [["take_gold", "goto(market)", "sell"]]
learned = inside_outside(grammar, seen)[-1]
print({each.method: round(each.chance, 2) for each in learned.grammar.productions if each.task == "get_gold"})

# → take_gold: unlock_door 68%, next goto(forge) 58%
# → goto(forge): unlock_door 100%, next light_fire 85%
# → still to do: light_fire, hammer, goto(door), unlock
# → {'mine': 0.75, 'chest': 0.25}
