"""Markov logic: formulas with weights, learned from players whose goals are known, that read the next player live."""

from telos import Event
from telos.logic import InferenceResult, infer, learn, parse_db, parse_mln
from telos.recognition import MarkovLogicModel, MarkovLogicReader

# What matters, without saying how much: a + asks for one weight for each constant, a ! for exactly one goal at a time.
FORMULAS = parse_mln(
    """
    action(time, action)
    place(time, place)
    goal(time, goal!)
    action(t, +a) => goal(t, +g)
    place(t, +p) => goal(t, +g)
    goal(t-1, +g1) => goal(t, +g2)
    """
)

# Two players who were watched to the end, so that what they were after is known: what they did, where, and what for.
WATCHED = (
    ["Walk Camp Cure", "Ask Tent Cure", "Read Tent Cure", "Walk Camp Meal", "Taste Hall Meal"],
    ["Walk Hall Meal", "Taste Hall Meal", "Walk Camp Cure", "Read Tent Cure"],
)
players = []
for steps in WATCHED:
    rows = [(time, *step.split()) for time, step in enumerate(steps)]
    players.append("\n".join(f"action({t},{act})\nplace({t},{at})\ngoal({t},{aim})" for t, act, at, aim in rows))
facts = parse_db("\n---\n".join(players), FORMULAS)
learned = learn(FORMULAS, facts, ["goal"], by="likelihood", l2=0.5)
print(f"learned {sum(len(rule.weights) for rule in learned.model.rules)} weights")

# Read the next player as she plays.
reader = MarkovLogicReader(MarkovLogicModel(learned.model))
for second, (action, place) in enumerate([("Walk", "Camp"), ("Read", "Tent"), ("Walk", "Camp"), ("Taste", "Hall")]):
    belief = reader.observe(Event(action, {"place": place}, time=second))
    print(f"{second} s, {action} at {place}: {belief.top} {belief[belief.top]:.0%}")
print(reader.why())

# Or with hindsight: the most probable story as a whole, and which formulas speak for one part of it.
story = parse_db("action(0,Walk)\nplace(0,Camp)\naction(1,Taste)\nplace(1,Hall)", learned.model)
answer = infer(learned.model, story, "goal")
assert isinstance(answer, InferenceResult)
print([atom for atom, holds in answer.atoms.items() if holds], "proved best" if answer.exact else "a guess")

# → learned 18 weights
# → 1 s, Read at Tent: Cure 89%
# → 3 s, Taste at Hall: Meal 88%
# →   +1.37  place(t,Hall)
# → ['goal(0,Meal)', 'goal(1,Meal)'] proved best
