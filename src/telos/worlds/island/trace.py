"""Records and text log."""

from dataclasses import dataclass

from telos.worlds.island import story as words
from telos.worlds.island.state import clock_of

# --- records ----------------------------------------------------------------------------------------------------------
# The trace of a visit: what the player wanted and why, what they did, and what came of it.


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of a visit: all that is needed to repeat it."""

    time: float
    world: str
    seed: int
    player: str
    style: str


@dataclass(frozen=True, slots=True)
class Chose:
    """The player turned to a goal: how insistent it was, what came second, and the plan."""

    time: float
    player: str
    goal: str
    about: str
    level: float
    runner_up: str | None
    plan: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Did:
    """One action, where it was taken, what it taught, and the goal that it achieved, if it did."""

    time: float
    player: str
    action: str
    argument: str
    loc: str
    area: str
    state: str
    intention: str
    learned: tuple[str, ...]
    goal: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The last record of a visit."""

    time: float
    player: str
    actions: int
    goals: int
    solved: bool


# --- log --------------------------------------------------------------------------------------------------------------
# The trace of a visit in words: a line for each thing worth telling.


# What a player wants, and what they do, as one would say it; {} is what it is about.
WANTS = {
    "talk-nurse": "hear the nurse on the illness",
    "talk-patient": "ask a patient how they feel",
    "talk-cook": "ask the cook what people ate",
    "talk-virus-expert": "learn about viruses",
    "talk-bacteria-expert": "learn about bacteria",
    words.TEST_GOAL: "find out which food is bad",
    words.SUBMIT_GOAL: "hand in the diagnosis",
    "explore": "see more of the island",
    "read-up": "read something",
    "handle": "have a look at things",
    "chat": "talk about this and that",
    "see-slide": "look at the slide",
    "review": "go through the notes",
}
DOES = {
    words.MOVE: "goes to {}",
    words.OPEN: "opens {}",
    words.CLOSE: "closes {}",
    words.PICK_UP: "picks up {}",
    words.DROP: "puts down {}",
    words.EXAMINE: "examines {}",
    words.LOOK: "looks around",
    words.TALK: "greets {}",
    words.ASK: "asks about {}",
    words.ANSWER: "answers: {}",
    words.PART: "says goodbye to {}",
    words.READ_BOOK: "reads the book {}",
    words.READ_POSTER: "reads the poster {}",
    words.TAKE_NOTE: "takes a note",
    words.READ_NOTES: "reads the notes",
    words.TEST: "tests {}",
    words.LABEL: "labels the slide: {}",
    words.FILL: "writes {}",
    words.SUBMIT: "hands in the worksheet",
}


def deed(action: str, argument: str) -> str:
    """Say what an action is.

    >>> deed("move", "fire-pit"), deed("test-object", "milk-jug")
    ('goes to fire pit', 'tests milk jug')
    """
    return DOES[action].format(plain(argument))


def plain(name: str) -> str:
    """Write a name as words: hyphens are for files."""
    return name.replace("-", " ").replace("=", ": ")


def describe(record: object) -> str | None:
    """Return the line for a record, or None if it is not worth one."""
    match record:
        case Started():
            return f"00:00  {record.player}, {record.style}, arrives (seed {record.seed})"
        case Chose():
            ahead = f", ahead of {record.runner_up}" if record.runner_up else ""
            why = f"{record.goal} {record.level:.1f}{ahead}"
            return f"{clock_of(record.time)}  wants to {WANTS[record.goal]} — {why}: {' → '.join(record.plan)}"
        case Did():
            learned = f" ({', '.join(record.learned)})" if record.learned else ""
            achieved = f"  ★ {record.goal}" if record.goal else ""
            return f"{clock_of(record.time)}    {deed(record.action, record.argument)}{learned}{achieved}"
        case Ended():
            result = "the mystery is solved" if record.solved else "the visit is over, and nobody knows"
            return f"{clock_of(record.time)}  {result}: {record.goals} goals in {record.actions} actions"
    return None
