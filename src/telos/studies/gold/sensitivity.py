"""Parameter sensitivity: every number chosen by the designer of a model, scaled between half and twice its value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from telos.core.errors import TelosError
from telos.recognition.ffbm import FFBM
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.observations import (
    BESIDE_CLOSEST_WEIGHT,
    BESIDE_OTHER_WEIGHT,
    CLOSEST_WEIGHT,
    OTHER_WEIGHT,
    FixedObservation,
    HeadingObservation,
    ObservationRules,
)
from telos.recognition.recognizer import GoalModel
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import DIRECTIONS

FACTORS = (0.5, 0.5**0.5, 1.0, 2**0.5, 2.0)


@dataclass(frozen=True, slots=True)
class Dial:
    """One number of a model; ``keyword`` is what the model's maker calls it."""

    keyword: str
    says: str
    value: float
    is_chance: bool = True

    def turned(self, factor: float) -> float:
        """Return the number times a factor; if that is no chance any more, its complement is divided instead.

        >>> Dial("swing", "swings", 0.8).turned(0.5), Dial("swing", "swings", 0.8).turned(2)
        (0.4, 0.9)
        """
        if factor <= 0:
            raise TelosError(f"a number is turned by a factor above 0, got {factor!r}")
        scaled = self.value * factor
        return scaled if scaled < 1 or not self.is_chance else 1 - (1 - self.value) / factor


FLAIRS_DIALS = (
    Dial("ends", "a goal ends by itself", 0.01),
    Dial("explores_on", "after a chest, still explore", 1 / 3),
    Dial("levels_next", "in town, level is next", 0.5),
    Dial("swings_still", "level: a swing while still", 0.8),
    Dial("closest", "weight of the closest edge", CLOSEST_WEIGHT, is_chance=False),
    Dial("beside_closest", "weight of diagonals beside it", BESIDE_CLOSEST_WEIGHT, is_chance=False),
    Dial("other", "weight of other edges", OTHER_WEIGHT, is_chance=False),
    Dial("beside_other", "weight of diagonals beside those", BESIDE_OTHER_WEIGHT, is_chance=False),
)
AIIDE_DIALS = (
    Dial("ends", "a goal ends by itself", 0.1),
    Dial("explores_next", "after returning, explore is next", 0.5),
    Dial("goes_home", "after a chest, return is next", 0.95),
    Dial("pseudo", "pseudo-count of each pair", 1.0, is_chance=False),
)


@dataclass(frozen=True, slots=True)
class WeightedHeading(HeadingObservation):
    """Heading observation with weights that differ from the first paper."""

    closest: float = CLOSEST_WEIGHT
    beside_closest: float = BESIDE_CLOSEST_WEIGHT
    other: float = OTHER_WEIGHT
    beside_other: float = BESIDE_OTHER_WEIGHT

    def weights(self, acceptable: Sequence[str], names: Sequence[str]) -> list[float]:
        """Return the weight of each outcome while these directions are acceptable, the closest first."""
        weight = dict.fromkeys(names, 1.0)
        for rank, direction in enumerate(acceptable):
            here, beside = (self.other, self.beside_other) if rank else (self.closest, self.beside_closest)
            at = DIRECTIONS.index(direction)
            weight[direction] += here
            for near in (DIRECTIONS[at - 1], DIRECTIONS[(at + 1) % len(DIRECTIONS)]):
                weight[near] += beside
        return [weight[name] for name in names]


def flairs_model(
    *,
    ends: float = 0.01,
    explores_on: float = 1 / 3,
    levels_next: float = 0.5,
    swings_still: float = 0.8,
    closest: float = CLOSEST_WEIGHT,
    beside_closest: float = BESIDE_CLOSEST_WEIGHT,
    other: float = OTHER_WEIGHT,
    beside_other: float = BESIDE_OTHER_WEIGHT,
) -> FFBM:
    """Return the model of the first paper with some of its numbers changed."""

    def towards(exits: str) -> WeightedHeading:
        return WeightedHeading(exits, closest, beside_closest, other, beside_other)

    leaves = (1 - explores_on) / 2
    return FFBM(
        ("level", "explore", "town"),
        transitions=TransitionRules(
            lasts=1 / ends,
            cases=[
                ("chest_taken", {"explore": {"level": leaves, "explore": explores_on, "town": leaves}}),
                ("in_town", {"any": {"level": levels_next, "explore": 1 - levels_next, "town": 0}}),
            ],
        ),
        observations={
            "level": ObservationRules(
                [("monsters > 0", FixedObservation({"swing_still": swings_still})), (None, towards("exits"))]
            ),
            "explore": towards("unvisited_exits"),
            "town": towards("exits_nearer_town"),
        },
        name="flairs, turned",
    )


def aiide_model(
    trained: IOHMM,
    *,
    ends: float = 0.1,
    explores_next: float = 0.5,
    goes_home: float = 0.95,
    pseudo: float = 1.0,
) -> IOHMM:
    """Return a trained model of the second paper with some of its numbers changed; what was counted stays."""
    leaves = (1 - goes_home) / 2
    cases = [
        ("goal == return", {"any": {"explore": explores_next, "level": 1 - explores_next, "return": 0}}),
        ("goal == explore", {"any": {"return": goes_home, "explore": leaves, "level": leaves}}),
    ]
    rules = TransitionRules(lasts=1 / ends, cases=cases)
    return copy_model(trained, transitions=rules, pseudo_counts=pseudo)


def one_at_a_time(dials: Sequence[Dial], make: Callable[..., GoalModel]) -> dict[tuple[str, float], GoalModel]:
    """Return a model for each dial and factor, by both; with the factor 1 it is the model as published."""
    return {
        (dial.keyword, factor): make(**({} if factor == 1 else {dial.keyword: dial.turned(factor)}))
        for dial in dials
        for factor in FACTORS
    }


def all_at_once(
    dials: Sequence[Dial], make: Callable[..., GoalModel], *, draws: int, rng: Random
) -> tuple[GoalModel, ...]:
    """Return models with every number turned by a factor of its own, drawn between a half and two."""
    return tuple(make(**{dial.keyword: dial.turned(2 ** rng.uniform(-1, 1)) for dial in dials}) for _ in range(draws))
