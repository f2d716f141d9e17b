"""Transitions that are learned: the authored ones count as so many sightings, and what is seen is added."""

from collections.abc import Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.numbers import not_negative
from telos.recognition.counts import Counts
from telos.recognition.model import Matrix
from telos.recognition.transitions import TransitionRules

USUAL_ROW = "usual"


class LearnedTransitions:
    """Counts of which goal followed which, kept apart for the usual matrix and for each case.

    ``strength`` is how many sightings the authored rows are worth: 0 trusts what was seen alone. A row that a case does
    not replace is the usual one, and learns with it.

    >>> learned = LearnedTransitions(strength=4)
    >>> learned.join(TransitionRules(lasts=16), ("fight", "rest"))
    >>> learned.add(0, "fight", "rest")
    >>> learned.matrices()[0][0]
    (0.75, 0.25)
    """

    def __init__(self, strength: float = 10.0, *, seen: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.strength = not_negative("strength", strength)
        self._given = {row: dict(counts) for row, counts in (seen or {}).items()}
        self._goals: tuple[str, ...] = ()
        self._sources: list[dict[str, str]] = []
        self._counts = Counts((), ())

    def join(self, rules: TransitionRules, goals: Sequence[str]) -> None:
        """Take a model's transitions as the starting point; what was seen is kept."""
        before = self.seen
        self._goals = tuple(goals)
        matrices = rules.matrices(goals)
        self._sources = [{goal: row_name(0, goal) for goal in goals}]
        for number, case in enumerate(rules.cases, 1):
            replaced = case.sources(goals)
            self._sources.append({goal: row_name(number if goal in replaced else 0, goal) for goal in goals})
        authored: dict[str, Mapping[str, float]] = {}
        for sources, matrix in zip(self._sources, matrices, strict=True):
            for goal, row in zip(goals, matrix, strict=True):
                weights = (chance * self.strength for chance in row)
                authored.setdefault(sources[goal], dict(zip(goals, weights, strict=True)))
        for name in (name for name in before if name not in authored):
            raise TelosError(f"transitions were counted in a row {name!r} that is not there", name_hint(name, authored))
        self._counts = Counts(tuple(authored), goals, pseudo=authored, seen=before)

    def add(self, case: int, before: str, after: str, weight: float = 1.0) -> None:
        """Count that ``after`` followed ``before`` while the matrix number ``case`` applied."""
        self._counts.add(self._sources[case][before], self._goals.index(after), weight)

    def copy(self) -> "LearnedTransitions":
        """Return what was learned so far, for a model of its own."""
        return LearnedTransitions(self.strength, seen=self.seen)

    def fade(self, factor: float) -> None:
        """Let what was seen fade by a factor."""
        self._counts.fade(factor)

    def matrices(self) -> tuple[Matrix, ...]:
        """Return the usual matrix and then that of each case, as they are now."""
        return tuple(tuple(self._counts.chances(sources[goal]) for goal in self._goals) for sources in self._sources)

    @property
    def counts(self) -> Counts:
        """Return all rows, the authored transitions as pseudo-counts."""
        return self._counts

    @property
    def seen(self) -> dict[str, dict[str, float]]:
        """Return what was counted, by row (``usual from fight``, ``case 1 from fight``), where anything was."""
        counted = self._counts.seen if self._goals else self._given
        return {row: counts for row, counts in counted.items() if any(counts.values())}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedTransitions) and (self.strength, self.seen) == (other.strength, other.seen)

    __hash__ = None  # type: ignore[assignment]


def row_name(case: int, goal: str) -> str:
    """Return what the row of a goal is called in the matrix of a case (0: the usual one)."""
    return f"{f'case {case}' if case else USUAL_ROW} from {goal}"
