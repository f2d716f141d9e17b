"""Records and text log."""

from dataclasses import dataclass

from telos.agents.trace import Chose, Dropped
from telos.core.values import FrozenMap
from telos.worlds.forge.domain import TO
from telos.worlds.forge.views import clock_of

# --- records ----------------------------------------------------------------------------------------------------------
# The trace of the scene: who sets about what, who says what, and what the companion makes of it.


@dataclass(frozen=True, slots=True)
class Started:
    """The first record: all that is needed to play it again."""

    time: float
    world: str
    seed: int
    plan: str | None
    companion: str


@dataclass(frozen=True, slots=True)
class Did:
    """Somebody set about something."""

    time: float
    who: str
    action: str
    place: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The player has another plan now; nobody is told but the trace."""

    time: float
    who: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Read:
    """What the companion thinks of the player's plan after a deed, and what it takes it to be, if it is sure."""

    time: float
    who: str
    action: str
    belief: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Understood:
    """What the companion took something to mean, and all that it might have meant."""

    time: float
    who: str
    text: str
    means: str | None
    options: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Opened:
    """The last record: the door is open."""

    time: float
    who: str
    plan: str
    asked: int  # how often the player had to ask


# --- log --------------------------------------------------------------------------------------------------------------
# The trace of the scene in words: a line for each thing worth telling.


DOES = {  # what somebody does, as one would say it
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
PLANS = {"key": "forge a key", "force": "force the door", "spare": "get the spare"}


def deed(action: str) -> str:
    """Say what an action is.

    >>> deed("to-forge"), deed("go door"), deed("pan-gold")
    ('goes to the forge', 'goes to the door', 'pans gold')
    """
    for start in (TO, "go "):
        if action.startswith(start):
            return f"goes to the {action.removeprefix(start)}"
    return DOES.get(action, action.replace("-", " "))


def chances(belief: dict[str, float]) -> str:
    """Say how likely each of several is, the likeliest first.

    >>> chances({"key": 0.2, "spare": 0.8})
    'spare 80%, key 20%'
    """
    return ", ".join(f"{name} {chance:.0%}" for name, chance in sorted(belief.items(), key=lambda each: -each[1]))


def describe(record: object) -> str | None:
    """Return the line for a record, or None if it is not worth one."""
    said = _said(record)
    return None if said is None else f"{clock_of(getattr(record, 'time', 0.0))}  {said}"


def _said(record: object) -> str | None:
    match record:
        case Started():
            plan = f"the player wants to {PLANS[record.plan]}" if record.plan else "the player is commanded"
            return f"a locked door; {plan}; companion: {record.companion} (seed {record.seed})"
        case Did():
            return f"{record.who} {deed(record.action)}"
        case Said():
            return f"{record.who}: “{record.text}”"
        case Changed():
            return f"{record.who} thinks better of it: {PLANS[record.now]}, not {PLANS[record.was]}"
        case Read():
            return f"    the companion reads: {chances(dict(record.belief))}"
        case Understood():
            return f"    the companion understands: {chances(dict(record.options)) or 'nothing'}"
        case Chose():
            return f"    the companion wants to {WANTS[record.goal]} — {record.why}"
        case Dropped():
            return f"    the companion gives up to {WANTS[record.goal]}: {record.why}"
        case Opened():
            times = "once" if record.asked == 1 else f"{record.asked} times"
            return f"the door is open ({record.plan}); the player asked {times if record.asked else 'for nothing'}"
    return None
