"""A state machine as a file says it: no player is read by it yet, so any number of recognisers may be made from one."""

from dataclasses import dataclass
from random import Random

from telos.core.conditions import Condition
from telos.recognition.director_rules import DirectorRule
from telos.recognition.fsm import FSM
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

RANDOM = "random"  # in a file: start with any goal


@dataclass(frozen=True, slots=True)
class Machine:
    """The goals and rules of a state machine; ``start`` is its first goal, or None for any."""

    goals: tuple[str, ...]
    rules: tuple[tuple[Condition, str], ...]
    start: str | None = None
    vocabulary: Vocabulary = ADVENTURE
    name: str = ""
    director: tuple[DirectorRule, ...] | None = None

    def recognizer(self, rng: Random) -> FSM:
        """Return a recogniser for one player; ``rng`` draws where it starts, if the rules do not say."""
        return FSM(self.goals, self.rules, start=self.start, rng=rng, vocabulary=self.vocabulary, name=self.name)
