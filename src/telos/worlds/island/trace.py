"""Trace records of a game on the island, and their description in words."""

from dataclasses import dataclass
from typing import ClassVar

from telos.worlds.island import story as words
from telos.worlds.island.state import clock_of

# Goals and actions in words; {} is the argument.
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


@dataclass(frozen=True, slots=True)
class IslandStarted:
    """The first record of a game: what is needed to repeat it."""

    KIND: ClassVar[str] = "started"
    time: float
    world: str
    seed: int
    player: str
    style: str


@dataclass(frozen=True, slots=True)
class IslandGoalChosen:
    """The player chose a goal: its insistence, the runner-up and the plan."""

    KIND: ClassVar[str] = "chose"
    time: float
    player: str
    goal: str
    about: str
    level: float
    runner_up: str | None
    plan: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IslandAction:
    """One action: where, its lessons, and the goal it achieved, if any."""

    KIND: ClassVar[str] = "did"
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
class IslandLineSpoken:
    """A person of the camp said something, where the story has words."""

    KIND: ClassVar[str] = "said"
    time: float
    player: str
    person: str
    says: str


@dataclass(frozen=True, slots=True)
class IslandTutorSpoke:
    """The tutor made somebody speak: by which rule, what they suggest, and why."""

    KIND: ClassVar[str] = "tutor"
    time: float
    player: str
    rule: str
    person: str
    says: str
    suggests: str | None
    because: str


@dataclass(frozen=True, slots=True)
class IslandEnded:
    """The last record of a game."""

    KIND: ClassVar[str] = "ended"
    time: float
    player: str
    actions: int
    goals: int
    solved: bool


def describe_action(action: str, argument: str) -> str:
    """Return an action in words.

    >>> describe_action("move", "fire-pit"), describe_action("test-object", "milk-jug")
    ('goes to fire pit', 'tests milk jug')
    """
    return DOES[action].format(to_words(argument))


def to_words(name: str) -> str:
    """Return a name of the files as words."""
    return name.replace("-", " ").replace("=", ": ")


def describe(record: object) -> str | None:
    """Return a record as a line of the text log, or None if it has none."""
    match record:
        case IslandStarted():
            return f"00:00  {record.player}, {record.style}, arrives (seed {record.seed})"
        case IslandGoalChosen():
            ahead = f", ahead of {record.runner_up}" if record.runner_up else ""
            why = f"{record.goal} {record.level:.1f}{ahead}"
            return f"{clock_of(record.time)}  wants to {WANTS[record.goal]} — {why}: {' → '.join(record.plan)}"
        case IslandAction():
            learned = f" ({', '.join(record.learned)})" if record.learned else ""
            achieved = f"  ★ {record.goal}" if record.goal else ""
            return f"{clock_of(record.time)}    {describe_action(record.action, record.argument)}{learned}{achieved}"
        case IslandTutorSpoke():
            return f"{clock_of(record.time)}  » {to_words(record.person)}: “{record.says}” ({record.because})"
        case IslandLineSpoken():
            return f"{clock_of(record.time)}      {to_words(record.person)}: “{record.says}”"
        case IslandEnded():
            result = "the mystery is solved" if record.solved else "the visit is over, and nobody knows"
            return f"{clock_of(record.time)}  {result}: {record.goals} goals in {record.actions} actions"
    return None
