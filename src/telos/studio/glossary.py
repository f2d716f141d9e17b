"""One plain sentence for every name that the studio shows: recognisers, goals, counts, timeline rows and marks.

`describe_names` collects those of one game; the page shows them as tooltips and in the help. A stage adds or replaces
texts with ``Stage.names``.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from telos.recognition.recognizer import CHANGED, EARLIER

Texts: TypeAlias = Mapping[str, str]

FIRST_RUN = "Play. The bars are the game's guess at what you want."
# The corner says "unsure" if the likeliest goal leads the second by less than the margin, or if the entropy of the
# belief is a larger share of the highest possible one than the doubt.
UNSURE_MARGIN, UNSURE_DOUBT = 0.2, 0.9

# What each kind of recogniser is, by the key word of its file.
RECOGNIZERS: dict[str, str] = {
    "ffbm": "FFBM, the designer's model: hand-written odds of what a player with each goal does, used at every event.",
    "iohmm": "IOHMM, the trained model: how often players with each goal did what you do, counted in simulated games.",
    "constant": "Constant T, the designer's model without changes of goal: what you achieve makes no difference to it.",
    "fsm": "FSM, three rules: it believes whatever your last telling action points to, and is never in doubt.",
    "live": "Live model, ours: odds of kills, swings and ways home or onward, for what players with each goal do.",
    "measures": "Measures, hand-written: how fast you walk, where to, and how near the monsters are, by densities.",
    "planning": "By planning: a goal is likely if what you do is on a short way to it.",
    "grammar": "By grammar: each goal is a recipe of steps; it asks which recipes your steps may be a part of.",
    "goals": "Each goal by itself: several may be pursued at once, or none, so the bars need not sum to 1.",
    "mln": "Markov logic: weighted formulas, learned from simulated visitors, that link actions, places and goals.",
}
# The words after "you want to", and a sentence.
GOALS: dict[str, tuple[str, str]] = {
    "level": ("fight", "Level: fight monsters, to gain points."),
    "explore": ("explore", "Explore: see new places, to find the treasure chest."),
    "town": ("go home", "Town: walk back to the town, to bring home what was found."),
    "return": ("go home", "Return: walk back to the bank in town, to bring home what was found."),
    "key": ("forge a key", "Key: forge a key of gold for the locked door."),
    "force": ("force the door", "Force: break the locked door open."),
    "spare": ("earn the spare key", "Spare: do the neighbour a favour and get the spare key."),
    "talk-nurse": ("talk to the nurse", "Talk to the nurse about the illness."),
    "talk-patient": ("talk to a patient", "Talk to a patient about the symptoms."),
    "talk-cook": ("talk to the cook", "Talk to the cook about what was eaten."),
    "talk-virus-expert": ("ask about viruses", "Talk to the expert on viruses."),
    "talk-bacteria-expert": ("ask about bacteria", "Talk to the expert on bacteria."),
    "test-contaminated": ("find what is contaminated", "Test things until the contaminated one is found."),
    "submit-diagnosis": ("submit the diagnosis", "Hand in the worksheet with disease, source and treatment."),
}
COUNTS: dict[str, str] = {
    "goal": "Which of the given goals you are at.",
    "training": "The training round: the trained model learns from what you do for each given goal.",
    "test": "The test round: the recognisers are judged by whether they see which goal you were given.",
    "score": "Your points: for kills, and for chests or gems that you bring to town.",
    "hearts": "How many more hits you can take; all come back in town.",
    "kills left": "Monsters that you still have to kill for the given goal.",
    "kills to go": "Monsters until you have achieved the goal to level.",
    "a kill pays": "The game pays less for kills while it is sure that you only fight; exploring restores the pay.",
    "lessons": "How often the companion saw what you do while it knew your goal; new games go on with it.",
    "gems": "Gems that you carry; they count when you bring them to town.",
    "carries": "You carry the chest; it counts when you bring it to town.",
    "deaths": "How often you fell.",
    "hands": "What you hold in your hands.",
    "pocket": "What you have in your pocket.",
    "fire": "Whether the fire of the forge burns.",
    "apples owed": "Apples that the neighbour wants for the spare key.",
    "milestones": "Steps of the mystery that are done.",
    "tests": "Tests that you may still run in the laboratory.",
    "notes": "Notes that you have taken.",
    "holds": "What the visitor carries.",
    "food": "Meals that are left in the house.",
    "health": "Your health; at 0 you are out of the fight.",
    "rounds": "Rounds in your weapon, and in reserve.",
    "grenades": "Grenades that you have left.",
}
ROWS: dict[str, str] = {
    "truth": "What the player really wants, where the game knows it: the given goal, or that of a simulated player.",
    "pays": "What a kill and a chest pay now, as a share of the full price: the game adapts to what it believes.",
    "plays like": "How likely each way to play is: bold, cautious, or as somebody who never fights.",
    "player": "What the simulated player does now.",
    "companion": "What the companion wants now.",
    "mind": "What the simulated visitor wants now.",
    "wishes": "How strongly the simulated visitor wishes for each goal.",
    "strength": "How strong each side still is.",
    "Wren": "What your companion Wren wants now.",
}
# What a recogniser saw, by the name that its file gives it.
SEEN: dict[str, str] = {
    "speed": "moves at that speed",
    "heading": "walks in that direction",
    "monster_distance": "is so near a monster",
    "kill": "kills a monster",
    "hit": "strikes at a monster",
    "swing": "swings",
    "swing_still": "swings while standing still",
    "swing_moving": "swings while walking",
    "stop": "stops",
    "new_area": "enters a place not seen before",
    "area": "enters a place seen before",
    "gem": "walks to a gem",
    "both_ways": "walks where it leads both home and to new places",
    "both_ways_to_monster": "walks to a monster, on the way home and to new places",
    "onward": "walks to new places",
    "onward_to_monster": "walks to a monster, on the way to new places",
    "homeward": "walks towards town",
    "homeward_to_monster": "walks to a monster, on the way to town",
    "to_monster": "walks to a monster",
    "walk": "walks elsewhere",
    "approach_unexplored_and_monster": "walks to new places and a monster",
    "approach_unexplored": "walks to new places",
    "approach_town_and_monster": "walks towards town and a monster",
    "approach_town": "walks towards town",
    "approach_monster": "walks towards a monster",
    "approach_gem": "walks to a gem",
    "other_movement": "walks elsewhere",
    **{
        way: f"walks {way.replace('_', ' and ')}"
        for way in ("up", "down", "left", "right", "up_left", "up_right", "down_left", "down_right")
    },
    EARLIER: "everything that was seen before",
    CHANGED: "players change their minds: what is long ago counts less",
}
# What the predicates of formulas say, with their arguments; {0} is the first one after the time.
PREDICATES: dict[str, str] = {
    "action": "does: {0}",
    "loc": "is at {0}",
    "state": "has reached {0} of 4 milestones",
    "done": "has achieved: {0}",
    "last": "the last thing achieved was: {0}",
}
MARKS: dict[str, str] = {
    "event": "A bar: something that the player did, and the recognisers saw.",
    "said": "A dot: somebody said something.",
    "goal": "A diamond: a goal was achieved.",
    "bad": "A cross: a death.",
    "game": "A triangle: the game gave a task or a hint, or changed what things pay.",
}


def wants(goal: str) -> str:
    """Return the words that complete "you want to".

    >>> wants("town"), wants("read-up")
    ('go home', 'read up')
    """
    return GOALS[goal][0] if goal in GOALS else goal.replace("_", " ").replace("-", " ")


_ATOM = re.compile(r"(\w+)\(t(-\d+)?,?([^()]*)\)")  # "state(t-1,0110)"


def describe_cause(cause: str) -> str:
    """Return a cause of a belief in plain words: what was seen, or a condition of formulas.

    >>> describe_cause("to_monster"), describe_cause("loc(t,infirmary) ^ state(t-1,0110)")
    ('walks to a monster', 'is at infirmary, and just before has reached 2 of 4 milestones')
    """
    if cause in SEEN:
        return SEEN[cause]
    if _ATOM.search(cause):
        return ", and ".join(_describe_atom(each) for each in cause.split(" ^ "))
    return cause.replace("_", " ")


def _describe_atom(atom: str) -> str:
    found = _ATOM.fullmatch(atom)
    if found is None or found[1] not in PREDICATES:
        return atom
    first, *_ = found[3].split(",")
    if found[1] == "state":
        first = str(first.count("1"))
    said = PREDICATES[found[1]].format(first.replace("-", " "))
    return f"just before {said}" if found[2] else said


def describe_names(
    readers: Texts, goals: Iterable[str], counts: Iterable[str], rows: Iterable[str], more: Texts
) -> dict[str, dict[str, str]]:
    """Return the sentences of a game by kind of name; ``readers`` are those of its models, ``more`` its stage's own.

    >>> describe_names({"ffbm": "The designer's model."}, ["level"], [], [], {})["goals"]
    {'level': 'Level: fight monsters, to gain points.'}
    """
    goal_texts = {goal: more.get(goal) or GOALS.get(goal, ("", ""))[1] for goal in goals}
    row_texts = {row: more.get(row) or ROWS.get(row, "") for row in ("truth", *rows)}
    count_texts = {count: more.get(count, text) for count, text in {**dict.fromkeys(counts, ""), **COUNTS}.items()}
    found = {"readers": readers, "goals": goal_texts, "counts": count_texts, "rows": row_texts, "marks": MARKS}
    return {kind: {name: text for name, text in texts.items() if text} for kind, texts in found.items()}
