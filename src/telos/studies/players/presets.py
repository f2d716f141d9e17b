"""Playing style and skill of simulated players: novices, experienced players and the experimenter.

All numbers were set from common knowledge about people at keyboards and by watching whether the games look right,
never from the accuracy of a recogniser, and none may be changed for one: see ``docs/concepts/simulated-players.md``.
"""

from dataclasses import dataclass, fields
from random import Random

from telos.core.errors import TelosError

# --- style: habits ----------------------------------------------------------------------------------------------------


PLAIN = 0.5  # the middle of every habit: what somebody does who has none yet


@dataclass(frozen=True, slots=True)
class Style:
    """Habits, each from 0 to 1.

    >>> Style.drawn(Random(1)) == Style.drawn(Random(1)) != Style.drawn(Random(2))
    True
    """

    distance: float = PLAIN  # keeps far from monsters (1), or brushes past them (0)
    baiting: float = PLAIN  # lets monsters come (1), or goes for them (0)
    stillness: float = PLAIN  # stands to swing (1), or swings on the run (0)
    boldness: float = PLAIN  # fights what is in the way (1), or goes round it (0)
    edges: float = PLAIN  # walks along the edges of the screen (1), or through the middle (0)
    diagonals: float = PLAIN  # goes as the crow flies (1), or along one axis and then the other (0)
    greed: float = PLAIN  # collects every gem (1), or lets them lie (0)
    mashing: float = PLAIN  # hammers the sword key (1), or swings once and looks (0)
    halting: float = PLAIN  # lets go of the keys before every turn (1), or rolls from key to key (0)
    roaming: float = PLAIN  # goes to the next screen for more monsters (1), or waits until they are back (0)

    @classmethod
    def drawn(cls, rng: Random) -> "Style":
        """Return a style by chance: every habit with the same chance everywhere between its ends."""
        return cls(**{habit.name: rng.random() for habit in fields(cls)})

    def shown(self, experience: float, noise: float, rng: Random) -> "Style":
        """Return how the habits show for a while: style times experience, plus noise.

        >>> Style(greed=0.9).shown(0.0, 0.0, Random(1)).greed, Style(greed=0.9).shown(1.0, 0.0, Random(1)).greed
        (0.5, 0.9)
        """
        return Style(
            **{
                habit.name: _unit(PLAIN + (getattr(self, habit.name) - PLAIN) * experience + rng.gauss(0.0, noise))
                for habit in fields(self)
            }
        )


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


# --- presets: abilities -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """What hands and head are capable of. Times are in seconds, rates in events a second."""

    reaction: float  # median, from seeing that something else must be done to the key
    reaction_spread: float  # of its logarithm: reaction times lean to the right
    refractory: float  # how long one is busy with a response before the next can be thought of
    tap: float  # how long a key is down that is only tapped
    aim: float  # standard deviation of the direction that is pressed, in degrees
    rollover: float  # mean time between the two keys of a diagonal
    foresight: float  # which share of the own reaction time is thought ahead, 0 to 1
    pauses: float  # how often one stops to think
    wandering: float  # how often one walks off aimlessly
    panic: float  # how often one loses one's head, while a monster is close
    scuffles: float  # how often a monster nearby is fought though something else was wanted
    wrong_turns: float  # the chance to take another exit than meant
    map_memory: float  # in how many seconds the way through a screen is forgotten
    reading: float  # how long a new instruction is read
    unsteadiness: float  # standard deviation of habits, drawn anew every few seconds


# Somebody who plays for the first time. Choosing among several keys takes about a third of a second; a tapped key is
# down for an eighth; the keys of a diagonal come apart by two frames; one press in forty goes to a direction beside the
# right one; a screen is forgotten within one and a half minutes; an instruction takes two seconds to read.
BEGINNER = Limits(
    reaction=0.33,
    reaction_spread=0.30,
    refractory=0.27,
    tap=0.13,
    aim=10.0,
    rollover=0.060,
    foresight=0.80,
    pauses=0.10,
    wandering=0.06,
    panic=0.4,
    scuffles=0.25,
    wrong_turns=0.15,
    map_memory=90.0,
    reading=1.8,
    unsteadiness=0.25,
)
# Somebody who has nothing left to learn. Simple reactions take 0.2 to 0.25 s, and no practice changes that; what it
# does change is that things are seen coming, that hands do as they are told, and that the map is known.
MASTER = Limits(
    reaction=0.22,
    reaction_spread=0.18,
    refractory=0.16,
    tap=0.08,
    aim=6.0,
    rollover=0.025,
    foresight=0.95,
    pauses=0.01,
    wandering=0.0,
    panic=0.05,
    scuffles=0.02,
    wrong_turns=0.0,
    map_memory=900.0,
    reading=0.4,
    unsteadiness=0.03,
)


def limits_at(experience: float) -> Limits:
    """Return what somebody is capable of, on the straight line from beginner (0) to master (1).

    >>> round(limits_at(0.5).reaction, 3)
    0.275
    """
    if not 0 <= experience <= 1:
        raise TelosError(f"experience goes from 0 to 1, got {experience!r}")
    mixed = {
        limit.name: getattr(BEGINNER, limit.name) * (1 - experience) + getattr(MASTER, limit.name) * experience
        for limit in fields(Limits)
    }
    return Limits(**mixed)


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of player, from whom single players are drawn."""

    name: str
    experience: float  # in the first run
    spread: float  # players of this kind differ by so much to both sides
    learning: float  # which share of what is left to learn is learned in a run
    style: Style | None = None  # of everybody of this kind; None: each has their own


# First-time players of very different skill (those of the second paper ranged "from complete novices to experienced"
# with games), all of them new to this one. A small game: half of what there is to learn is learned by playing it once.
NOVICE = Preset("novice", experience=0.25, spread=0.2, learning=0.5)
# Players who have played it for an evening or two; there is still something left to learn.
EXPERIENCED = Preset("experienced", experience=0.85, spread=0.08, learning=0.2)
# One person, who wrote the game: nothing new to learn, and always the same habits. They stand to strike and let
# monsters come, go round what is in the way, and do not bother about gems.
EXPERIMENTER = Preset(
    "experimenter",
    experience=0.97,
    spread=0.0,
    learning=0.0,
    style=Style(
        distance=0.6,
        baiting=0.6,
        stillness=0.85,
        boldness=0.3,
        edges=0.3,
        diagonals=0.6,
        greed=0.3,
        mashing=0.3,
        halting=0.4,
        roaming=0.4,
    ),
)
PRESETS = {preset.name: preset for preset in (NOVICE, EXPERIENCED, EXPERIMENTER)}
