"""Playing style and skill of simulated players: novices, experienced players and the experimenter.

All numbers were set from common knowledge about people at keyboards and by watching whether the games look right,
never from the accuracy of a recogniser, and none may be changed for one: see ``docs/concepts/simulated-players.md``.
"""

from dataclasses import dataclass, fields
from random import Random

from telos.core.errors import TelosError

# --- style: habits ----------------------------------------------------------------------------------------------------


PLAIN = 0.5  # the middle of every habit: no preference


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
        """Draw a random style; every habit is uniform from 0 to 1."""
        return cls(**{habit.name: rng.random() for habit in fields(cls)})

    def shown(self, experience: float, noise: float, rng: Random) -> "Style":
        """Return the habits for the next few seconds: style times experience, plus noise.

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
    """Motor and cognitive limits of a player. Times are in seconds, rates in events per second."""

    reaction: float  # median, from the stimulus to the key press
    reaction_spread: float  # of its logarithm: reaction times are skewed to the right
    refractory: float  # time from one response until the next can be prepared
    tap: float  # how long a tapped key is down
    aim: float  # standard deviation of the direction that is pressed, in degrees
    rollover: float  # mean time between the two keys of a diagonal
    foresight: float  # share of the reaction time that is predicted, 0 to 1
    pauses: float  # rate of pauses to think
    wandering: float  # rate of aimless walks
    panic: float  # rate of panic while a monster is close
    scuffles: float  # rate of fights with nearby monsters that do not serve the goal
    wrong_turns: float  # probability of a wrong exit
    map_memory: float  # seconds until the way through a screen is forgotten
    reading: float  # time to read a new instruction
    unsteadiness: float  # standard deviation of habits, drawn again every few seconds


# A first-time player. Choosing among several keys takes about a third of a second; a tapped key is
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
# A player with nothing left to learn. Simple reactions take 0.2 to 0.25 s regardless of practice; practice improves
# anticipation, motor precision and knowledge of the map.
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
    """Interpolate the limits linearly from beginner (0) to master (1).

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
class Traits:
    """What the texts of the papers say about a kind of player; by default nothing, as for the presets below."""

    knows_maze: bool = False  # every wall, and the places where chests may be; the player is made with the map
    knows_edges: bool = True  # that one walks off an open edge; who does not know it walks about until it happens
    knows_bearings: bool = True  # in which direction the town must lie, without the way there being known
    knows_taken: bool = False  # that a chest which was taken is not there any more
    stands_to_fight: bool = False  # while killing is the goal: stands, turns and swings, and never gives way
    goes_straight: bool = False  # goes for monsters along rows and columns only


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of player, from which single players are drawn."""

    name: str
    experience: float  # in the first run
    spread: float  # half-width of the range of experience
    learning: float  # share of the missing experience gained per run
    style: Style | None = None  # of all players of this kind; None: each has their own
    traits: Traits = Traits()


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
