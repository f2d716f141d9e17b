"""Who competes: formula files of the package, how their weights are learned, and yardsticks from outside."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from telos import recognition
from telos.logic.model import MarkovLogic
from telos.logic.syntax import load_mln
from telos.studies.markov.goal_log import GoalLog

DATA = Path(recognition.__file__).parent / "data"
CRF, LOGISTIC = "crf", "logistic"
MAJORITY, UNIGRAM, BIGRAM, FACTORED = "majority", "unigram", "bigram", "factored"
COMPARED = (UNIGRAM, BIGRAM, FACTORED)  # in the chapter's analysis of variance


@dataclass(frozen=True, slots=True)
class Contender:
    """A file of formulas and how its weights are learned: ``epochs`` passes of MIRA, or steps of L-BFGS."""

    key: str
    label: str
    file: str
    by: Literal["mira", "perceptron", "likelihood", "prefix"] = "mira"
    epochs: int = 50
    l2: float = 1.0

    def quick(self) -> "Contender":
        """Return the same with less learning."""
        return replace(self, epochs=min(self.epochs, 30 if self.by == "mira" else 20))

    @property
    def formulas(self) -> MarkovLogic:
        """The formulas, without weights."""
        return load_mln(DATA / self.file)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A method from outside, which sees the same features as the formulas of a file."""

    key: str
    label: str
    file: str
    l2: float = 1.0
    iterations: int = 60

    @property
    def formulas(self) -> MarkovLogic:
        """The formulas whose evidence is its features."""
        return load_mln(DATA / self.file)


@dataclass(frozen=True, slots=True)
class Field:
    """All who compete on one log."""

    contenders: tuple[Contender, ...]
    yardsticks: tuple[Yardstick, ...]

    def quick(self, kept: tuple[str, ...]) -> "Field":
        """Return fewer contenders with less learning."""
        chosen = tuple(each.quick() for each in self.contenders if each.key in kept)
        return Field(chosen, tuple(replace(each, iterations=15) for each in self.yardsticks if each.key in kept))

    @property
    def labels(self) -> dict[str, str]:
        """What each is called in words."""
        ours = {each.key: each.label for each in self.contenders}
        return {**ours, **{each.key: each.label for each in self.yardsticks}}


_CHAPTER = (
    Contender(MAJORITY, "majority", "majority.mln", by="likelihood", epochs=20),
    Contender(UNIGRAM, "unigram", "unigram.mln"),
    Contender(BIGRAM, "bigram", "bigram.mln"),
    Contender(FACTORED, "factored MLN", "island.mln"),
)
_FURTHER = (
    Contender("arguments", "factored + arguments", "island-arguments.mln"),
    Contender("window", "factored + window", "island-window.mln"),
    Contender("duration", "factored + duration", "island-duration.mln"),
    Contender("narrative", "factored + narrative", "island-narrative.mln"),
    Contender("prefix", "factored, for online", "island.mln", by="prefix", epochs=40),
)


def field_for(log: GoalLog) -> Field:
    """Return who competes on a log.

    On logs of people, the chapter's models see an action, a place (what is in front; the race) and a state (what was
    achieved last); ``tailored`` is a file of formulas for that game.
    """
    if log.is_simulated:
        return Field((*_CHAPTER, *_FURTHER), _yardsticks("island.mln", 1.0))
    l2 = {"crafter": 200.0, "starcraft": 400.0}[log.name]
    own = Contender("tailored", f"{log.name}.mln", f"{log.name}.mln", "likelihood", 40, l2)
    joined = Contender("sequence", f"{log.name}-sequence.mln", f"{log.name}-sequence.mln", "likelihood", 40, l2)
    chapter = (replace(each, epochs=20) for each in _CHAPTER)  # so many goals make a pass slow
    return Field((*chapter, own, joined), _yardsticks(own.file, l2))


def _yardsticks(file: str, l2: float) -> tuple[Yardstick, ...]:
    return Yardstick(CRF, "linear-chain CRF", file, l2), Yardstick(LOGISTIC, "logistic regression", file, l2)
