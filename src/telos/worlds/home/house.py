"""The house as data."""

from dataclasses import dataclass, field, replace

from telos.core.action import Action, SmartObject
from telos.core.goal import Curve, Goal
from telos.core.values import Variable

# --- house ------------------------------------------------------------------------------------------------------------
# The house as its designer wrote it: the floor plan, what people need, and what each thing in it offers.
#
# Levels run from 0 (content) to 10 (desperate). Nothing stops a level at 10: the world then moves exactly as a mind
# predicts, and a person whom nobody commands just gets more and more desperate. Rates are per hour, durations in
# minutes.


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
EVENING, MORNING = 21 * 60, 4 * 60  # between these the body asks for sleep far more strongly
DELIVERY_AT = 6 * 60
FOOD_EACH = 6  # what the delivery leaves in the fridge, for each person


def beyond(comfort: float, power: int) -> Curve:
    """Return a curve that is flat up to ``comfort`` and rises from there: nobody gets up for a hunger of one.

    >>> beyond(2.0, power=2)(5.0)
    9.0
    """
    return lambda level: max(0.0, level - comfort) ** power


def _motive(name: str, hourly: float, curve: Curve, weight: float = 1.0) -> Goal:
    return Goal(name, drift=hourly / 60, curve=curve, weight=weight)


MOTIVES = (
    _motive("hunger", 0.80, beyond(4.0, power=2)),
    _motive("bladder", 0.95, beyond(4.0, power=3), weight=0.5),
    _motive("sleep", 0.25, beyond(5.0, power=2), weight=1.5),
    _motive("fun", 1.60, beyond(1.5, power=2), weight=0.3),
    _motive("company", 0.60, beyond(2.0, power=2), weight=0.5),
    _motive("hygiene", 0.22, beyond(4.0, power=2)),
)
NIGHTLY = {"sleep": 1.4}  # hourly drift between EVENING and MORNING, where it differs
STARTS_BETWEEN = {
    "hunger": (2.5, 4.5),
    "bladder": (2.0, 5.0),
    "sleep": (0.0, 0.8),
    "fun": (0.5, 3.0),
    "company": (0.5, 3.0),
    "hygiene": (1.5, 4.5),
}


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with what only the world needs: the words for it, its kind, and whether it can be broken off."""

    action: Action
    words: str
    kind: str  # eat, cook, sleep, toilet, wash, fun, company, idle
    interruptible: bool = False


@dataclass(frozen=True, slots=True)
class Thing:
    """A smart object, and the letter on the floor plan that marks it: people sit on it, or stand beside it."""

    name: str
    symbol: str
    deeds: tuple[Deed, ...]
    variables: tuple[Variable, ...] = ()
    sit: bool = False
    posted: SmartObject = field(init=False)

    def __post_init__(self) -> None:
        actions = [deed.action for deed in self.deeds]
        object.__setattr__(self, "posted", SmartObject(self.name, variables=self.variables, actions=actions))


# Variables of the character itself, which any object's conditions may ask about.
PERSON = (
    Variable("me", "person"),
    Variable("carrying", ["nothing", "raw", "meal"]),
    Variable("hands_dirty", "bool"),
)

# The way to a meal is long, so its early steps promise some of the hunger that only the last one stills. The promise
# grows along the way: who has begun is ever surer to go on.
FRIDGE = Thing(
    "fridge",
    "F",
    variables=(Variable("food", "int"),),
    deeds=(
        Deed(
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
        Deed(
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
    deeds=(
        Deed(
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
        Deed(
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
        Deed(
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
    deeds=(
        Deed(
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
    deeds=(
        Deed(
            Action("use", effects="hands_dirty = true", duration=4, changes={"bladder": -10.0, "hygiene": +0.6}),
            "uses the toilet",
            "toilet",
        ),
    ),
)
BASIN = Thing(
    "basin",
    "N",
    deeds=(
        Deed(
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
    deeds=(
        Deed(
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
    deeds=(
        Deed(
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
    deeds=(
        Deed(
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
    deeds=(Deed(Action("read", duration=45, changes={"fun": -1.6}), "reads in the study", "fun", interruptible=True),),
)
PHONE = Thing(
    "phone",
    "P",
    deeds=(Deed(Action("ring-friend", duration=15, changes={"company": -2.5}), "rings a friend", "company"),),
)
THINGS = (FRIDGE, OVEN, TABLE, TOILET, BASIN, SHOWER, SOFA, CONSOLE, BOOKSHELF, PHONE)
# T (table), V (television) and K (shelves) are drawn on the plan but offer nothing: one sits at H, L and C to use them.

# Always possible, wherever one stands, so that there is always something to choose.
POTTER = Deed(Action("potter", duration=15), "potters about", "idle", interruptible=True)


def bed_of(person: str, symbol: str) -> Thing:
    """Return the bed that only ``person`` may sleep in.

    A night is long: left to drift, hunger and the bladder would make it look unbearable. The body goes slower asleep,
    so the action says itself what a night does to every motive.
    """
    night = {"sleep": -7.2, "hunger": +2.0, "bladder": +2.5, "fun": +0.5, "company": +0.5, "hygiene": +1.0}
    sleep = Action("sleep", preconditions=f"me == {person}", duration=540, changes=night)
    return Thing(f"{person}s_bed", symbol, (Deed(sleep, "sleeps", "sleep", interruptible=True),), sit=True)


def company_of(person: str) -> Thing:
    """Return a person as others see them: somebody to talk to, while they are free. Both sides gain by it."""
    chat = Action("chat", preconditions=f"free and me != {person}", duration=20, changes={"company": -3.5, "fun": -0.8})
    deed = Deed(chat, f"talks with {person}", "company", interruptible=True)
    return Thing(person, "", (deed,), variables=(Variable("free", "bool"),))


# --- extras -----------------------------------------------------------------------------------------------------------
# Things and deeds that no house has from the start: an onlooker brings them about.


SECOND_FRIDGE = "second_fridge"
POWERED = frozenset({"sofa", "console"})  # what is no good without power: one sits on the sofa for the television

# Nobody chooses it: it is what an alarm makes everybody do.
GATHER = Deed(Action("gather", duration=10), "waits in the hall", "idle")


def second_fridge() -> Thing:
    """Return another fridge, which posts what the first one does.

    >>> [action.name for action in second_fridge().posted.actions]
    ['second_fridge.get-snack', 'second_fridge.take-ingredients']
    """
    deeds = [replace(deed, words=deed.words.replace("the fridge", "the second fridge")) for deed in FRIDGE.deeds]
    return Thing(SECOND_FRIDGE, "R", tuple(deeds), variables=FRIDGE.variables)
