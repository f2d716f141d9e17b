"""Trace records of the scene, and their description in words."""

from dataclasses import dataclass
from typing import ClassVar

from telos.agents.trace import Chose, Dropped
from telos.core.values import FrozenMap
from telos.worlds.forge.domain import TO
from telos.worlds.forge.views import clock_of

DOES = {  # actions in words
    "pan-gold": "pans gold",
    "take-wood": "gathers wood",
    "light-fire": "lights the fire",
    "feed-fire": "feeds the fire",
    "pump": "pumps the bellows",
    "work-bellows": "works the bellows",
    "forge-alone": "forges a key alone",
    "forge-key": "forges a key",
    "unlock": "turns the new key",
    "take-hammer": "takes the hammer",
    "pick-up-hammer": "picks up the hammer",
    "lay-hammer": "lays the hammer down",
    "lean-in": "leans on the door",
    "break-door": "hammers at the door",
    "break-together": "hammers, and two push",
    "heave": "heaves, one, two, three",
    "call-on-her": "calls on the neighbour",
    "pick-apples": "picks apples",
    "give-apples": "gives her a basket",
    "get-spare": "gets the spare key",
    "use-spare": "turns the spare key",
    "step-aside": "steps aside",
    "put-down": "puts down a load",
    "empty-pocket": "throws the gold away",
    "bellows": "works the bellows",
    "door": "leans on the door",
    "aside": "stands aside",
    "nothing": "stands about",
}
WANTS = {
    "make_fire": "make the fire as asked",
    "blow": "work the bellows as asked",
    "get_hammer": "fetch the hammer as asked",
    "push": "push as asked",
    "get_apples": "bring apples as asked",
    "move_over": "move over",
    "tend_fire": "have the fire ready",
    "bring_hammer": "bring the hammer",
    "lend_shoulder": "lend a shoulder",
    "do_favour": "do the favour",
    "keep_clear": "keep out of the way",
    "keep_company": "stay near",
}
PLAN_WORDS = {"key": "forge a key", "force": "force the door", "spare": "get the spare"}


@dataclass(frozen=True, slots=True)
class ForgeStarted:
    """The first record: what is needed to repeat the scene."""

    KIND: ClassVar[str] = "started"
    time: float
    world: str
    seed: int
    plan: str | None
    companion: str


@dataclass(frozen=True, slots=True)
class ForgeAction:
    """A person started an action."""

    KIND: ClassVar[str] = "did"
    time: float
    who: str
    action: str
    place: str


@dataclass(frozen=True, slots=True)
class ForgeSpeech:
    """A person said something."""

    KIND: ClassVar[str] = "said"
    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The player changed the plan; only the trace reports it."""

    KIND: ClassVar[str] = "changed"
    time: float
    who: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class BeliefUpdated:
    """The companion's belief about the player's plan after an action."""

    KIND: ClassVar[str] = "read"
    time: float
    who: str
    action: str
    belief: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Understood:
    """How the companion understood an utterance: the meaning, if it is sure, and all options."""

    time: float
    who: str
    text: str
    means: str | None
    options: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class DoorOpened:
    """The last record: the door is open."""

    KIND: ClassVar[str] = "opened"
    time: float
    who: str
    plan: str
    asked: int  # how often the player had to ask


def describe_action(action: str) -> str:
    """Return an action in words.

    >>> describe_action("to-forge"), describe_action("go door"), describe_action("pan-gold")
    ('goes to the forge', 'goes to the door', 'pans gold')
    """
    for start in (TO, "go "):
        if action.startswith(start):
            return f"goes to the {action.removeprefix(start)}"
    return DOES.get(action, action.replace("-", " "))


def format_chances(belief: dict[str, float]) -> str:
    """Format probabilities, the highest first.

    >>> format_chances({"key": 0.2, "spare": 0.8})
    'spare 80%, key 20%'
    """
    return ", ".join(f"{name} {chance:.0%}" for name, chance in sorted(belief.items(), key=lambda each: -each[1]))


def describe(record: object) -> str | None:
    """Return a record as a line of the text log, or None if it has none."""
    said = _describe(record)
    return None if said is None else f"{clock_of(getattr(record, 'time', 0.0))}  {said}"


def _describe(record: object) -> str | None:
    match record:
        case ForgeStarted():
            plan = f"the player wants to {PLAN_WORDS[record.plan]}" if record.plan else "the player is commanded"
            return f"a locked door; {plan}; companion: {record.companion} (seed {record.seed})"
        case ForgeAction():
            return f"{record.who} {describe_action(record.action)}"
        case ForgeSpeech():
            return f"{record.who}: “{record.text}”"
        case PlanChanged():
            return f"{record.who} thinks better of it: {PLAN_WORDS[record.now]}, not {PLAN_WORDS[record.was]}"
        case BeliefUpdated():
            return f"    the companion reads: {format_chances(dict(record.belief))}"
        case Understood():
            return f"    the companion understands: {format_chances(dict(record.options)) or 'nothing'}"
        case Chose():
            return f"    the companion wants to {WANTS[record.goal]} — {record.why}"
        case Dropped():
            return f"    the companion gives up to {WANTS[record.goal]}: {record.why}"
        case DoorOpened():
            times = "once" if record.asked == 1 else f"{record.asked} times"
            return f"the door is open ({record.plan}); the player asked {times if record.asked else 'for nothing'}"
    return None
