"""The house as data: the floor plan, the motives of its inhabitants, and the actions that each thing offers.

Levels run from 0 (content) to 10 (desperate) and are not capped, so that the world moves exactly as a mind predicts.
Rates are per hour, durations in minutes. ``THINGS`` and ``MOTIVES`` are the tables to extend.
"""

from dataclasses import dataclass, field, replace

from telos.core.action import Action, SmartObject
from telos.core.goal import Curve, Goal
from telos.core.values import Variable

PLAN = """
##############################################
#F   O      #         VVV       G#  1   2   3#
#           +                    #           #
#   HTTH    #         LLL        #           #
#   HTTH    #                    #           #
# kitchen   #     living room    #  bedroom  #
#######+###########+#################+########
#                            P               #
#      hall                                  #
#####+###############+##############+#########
#W  N     S#  K KKK         #  4   5   6     #
#          #                #                #
#          #   C    C       #                #
# bathroom #     study      #   guest room   #
##############################################
"""

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
PACE = 8  # cells a minute: time is compressed, as in most games of this kind
STARTS_AT = 7 * 60  # a run starts at seven in the morning of day 1
EVENING, MORNING = 21 * 60, 4 * 60  # the need for sleep grows faster between them
DELIVERY_AT = 6 * 60
FOOD_EACH = 6  # portions per person in a full fridge
NIGHTLY = {"sleep": 1.4}  # hourly drift between EVENING and MORNING, where it differs
STARTS_BETWEEN = {
    "hunger": (2.5, 4.5),
    "bladder": (2.0, 5.0),
    "sleep": (0.0, 0.8),
    "fun": (0.5, 3.0),
    "company": (0.5, 3.0),
    "hygiene": (1.5, 4.5),
}
# Variables of the person itself; conditions of any object may read them.
PERSON = (
    Variable("me", "person"),
    Variable("carrying", ["nothing", "raw", "meal"]),
    Variable("hands_dirty", "bool"),
)
SECOND_FRIDGE = "second_fridge"
POWERED = frozenset({"sofa", "console"})  # unusable without power; the sofa is there for the television


def rise_beyond(comfort: float, power: int) -> Curve:
    """Return a curve that is zero up to ``comfort`` and rises as a power of the excess: small needs cause no action.

    >>> rise_beyond(2.0, power=2)(5.0)
    9.0
    """
    return lambda level: max(0.0, level - comfort) ** power


def _motive(name: str, hourly: float, curve: Curve, weight: float = 1.0) -> Goal:
    return Goal(name, drift=hourly / 60, curve=curve, weight=weight)


MOTIVES = (
    _motive("hunger", 0.80, rise_beyond(4.0, power=2)),
    _motive("bladder", 0.95, rise_beyond(4.0, power=3), weight=0.5),
    _motive("sleep", 0.25, rise_beyond(5.0, power=2), weight=1.5),
    _motive("fun", 1.60, rise_beyond(1.5, power=2), weight=0.3),
    _motive("company", 0.60, rise_beyond(2.0, power=2), weight=0.5),
    _motive("hygiene", 0.22, rise_beyond(4.0, power=2)),
)


@dataclass(frozen=True, slots=True)
class HomeActivity:
    """An action of the house with its text, its kind, and whether it can be interrupted."""

    action: Action
    words: str
    kind: str  # eat, cook, sleep, toilet, wash, fun, company, idle
    interruptible: bool = False


@dataclass(frozen=True, slots=True)
class Thing:
    """A smart object and its letter on the floor plan; it is used from its own cell (``sit``) or beside it."""

    name: str
    symbol: str
    activities: tuple[HomeActivity, ...]
    variables: tuple[Variable, ...] = ()
    sit: bool = False
    posted: SmartObject = field(init=False)

    def __post_init__(self) -> None:
        actions = [activity.action for activity in self.activities]
        object.__setattr__(self, "posted", SmartObject(self.name, variables=self.variables, actions=actions))


# A meal takes five actions, so the early ones promise part of the relief that only the last one gives. The promise
# grows along the chain, so that a person who has started is increasingly likely to continue.
FRIDGE = Thing(
    "fridge",
    "F",
    variables=(Variable("food", "int"),),
    activities=(
        HomeActivity(
            Action(
                "get-snack",
                preconditions="food >= 1 and carrying != meal and oven.owner != me",
                effects="food -= 1",
                duration=10,
                changes={"hunger": -2.5, "bladder": +0.5},
            ),
            "has a snack at the fridge",
            "eat",
        ),
        HomeActivity(
            Action(
                "take-ingredients",
                preconditions="food >= 1 and carrying == nothing and oven.contents == nothing",
                effects="food -= 1, carrying = raw",
                duration=2,
                promises={"hunger": -4.0},
            ),
            "takes ingredients from the fridge",
            "cook",
        ),
    ),
)
OVEN = Thing(
    "oven",
    "O",
    variables=(Variable("contents", ["nothing", "raw", "cooked"]), Variable("owner", "person")),
    activities=(
        HomeActivity(
            Action(
                "insert",
                preconditions="carrying == raw and contents == nothing",
                effects="contents = raw, carrying = nothing, owner = me",
                duration=4,
                promises={"hunger": -4.5},
            ),
            "puts the ingredients into the oven",
            "cook",
        ),
        HomeActivity(
            Action(
                "cook",
                preconditions="contents == raw and owner == me",
                effects="contents = cooked",
                duration=20,
                promises={"hunger": -5.0},
            ),
            "cooks at the oven",
            "cook",
        ),
        HomeActivity(
            Action(
                "take-out",
                preconditions="contents == cooked and owner == me and carrying == nothing",
                effects="contents = nothing, owner = none, carrying = meal",
                duration=1,
                promises={"hunger": -6.0},
            ),
            "takes the meal out of the oven",
            "cook",
        ),
    ),
)
TABLE = Thing(
    "table",
    "H",
    sit=True,
    activities=(
        HomeActivity(
            Action(
                "eat",
                preconditions="carrying == meal",
                effects="carrying = nothing",
                duration=25,
                changes={"hunger": -7.0, "bladder": +1.0, "fun": -0.5},
            ),
            "eats at the table",
            "eat",
        ),
    ),
)
TOILET = Thing(
    "toilet",
    "W",
    sit=True,
    activities=(
        HomeActivity(
            Action("use", effects="hands_dirty = true", duration=4, changes={"bladder": -10.0, "hygiene": +0.6}),
            "uses the toilet",
            "toilet",
        ),
    ),
)
BASIN = Thing(
    "basin",
    "N",
    activities=(
        HomeActivity(
            Action(
                "wash-hands",
                preconditions="hands_dirty",
                effects="hands_dirty = false",
                duration=2,
                changes={"hygiene": -0.6},
            ),
            "washes hands",
            "wash",
        ),
    ),
)
SHOWER = Thing(
    "shower",
    "S",
    sit=True,
    activities=(
        HomeActivity(
            Action(
                "shower",
                effects="hands_dirty = false",
                duration=15,
                changes={"hygiene": -10.0, "fun": +0.4, "sleep": +0.2},
            ),
            "takes a shower",
            "wash",
        ),
    ),
)
SOFA = Thing(
    "sofa",
    "L",
    sit=True,
    activities=(
        HomeActivity(
            Action("watch-tv", duration=60, changes={"fun": -2.0}),
            "watches television",
            "fun",
            interruptible=True,
        ),
    ),
)
CONSOLE = Thing(
    "console",
    "G",
    activities=(
        HomeActivity(
            Action("play", duration=45, changes={"fun": -2.5, "company": +0.8, "sleep": +0.3}),
            "plays on the console",
            "fun",
            interruptible=True,
        ),
    ),
)
BOOKSHELF = Thing(
    "bookshelf",
    "C",
    sit=True,
    activities=(
        HomeActivity(
            Action("read", duration=45, changes={"fun": -1.6}), "reads in the study", "fun", interruptible=True
        ),
    ),
)
PHONE = Thing(
    "phone",
    "P",
    activities=(
        HomeActivity(Action("ring-friend", duration=15, changes={"company": -2.5}), "rings a friend", "company"),
    ),
)
THINGS = (FRIDGE, OVEN, TABLE, TOILET, BASIN, SHOWER, SOFA, CONSOLE, BOOKSHELF, PHONE)
# T (table), V (television) and K (shelves) are drawn on the plan and offer nothing: they are used from H, L and C.

# Possible everywhere, so that a choice always has an option.
POTTER = HomeActivity(Action("potter", duration=15), "potters about", "idle", interruptible=True)


def create_bed(person: str, symbol: str) -> Thing:
    """Return the bed of ``person``, in which only they may sleep.

    Over nine hours the normal drift of hunger and bladder would make sleep look unattractive. The body slows down
    at night, so the action states its own change for every motive.
    """
    night = {"sleep": -7.2, "hunger": +2.0, "bladder": +2.5, "fun": +0.5, "company": +0.5, "hygiene": +1.0}
    sleep = Action("sleep", preconditions=f"me == {person}", duration=540, changes=night)
    return Thing(f"{person}s_bed", symbol, (HomeActivity(sleep, "sleeps", "sleep", interruptible=True),), sit=True)


def create_companion_object(person: str) -> Thing:
    """Return a person as an object for the others: they can be talked to while they are free, and both gain."""
    chat = Action("chat", preconditions=f"free and me != {person}", duration=20, changes={"company": -3.5, "fun": -0.8})
    activity = HomeActivity(chat, f"talks with {person}", "company", interruptible=True)
    return Thing(person, "", (activity,), variables=(Variable("free", "bool"),))


# --- what interventions add ---


# No mind chooses this one: the fire alarm assigns it to everybody.
GATHER = HomeActivity(Action("gather", duration=10), "waits in the hall", "idle")


def create_second_fridge() -> Thing:
    """Return a second fridge with the same actions as the first.

    >>> [action.name for action in create_second_fridge().posted.actions]
    ['second_fridge.get-snack', 'second_fridge.take-ingredients']
    """
    renamed = [replace(each, words=each.words.replace("the fridge", "the second fridge")) for each in FRIDGE.activities]
    return Thing(SECOND_FRIDGE, "R", tuple(renamed), variables=FRIDGE.variables)
