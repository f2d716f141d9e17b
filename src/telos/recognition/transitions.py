"""How goals change from one update to the next: authored rules, or counts learned on top of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.values import FrozenMap, check_finite, check_not_negative
from telos.recognition.distributions import OTHERS, SHARED, Counts, complete_distribution
from telos.recognition.recognizer import Matrix

ANY = "any"  # in a case: from any goal
Row: TypeAlias = Mapping[str, float | str]  # the chance of each goal; ``others: shared`` divides what is left


@dataclass(frozen=True, slots=True, init=False)
class TransitionCase:
    """A case: while ``condition`` holds, these rows replace the usual ones.

    >>> TransitionCase("in_town", {"any": {"level": 0.5, "explore": 0.5, "town": 0}}).sources(("level", "town"))
    ('level', 'town')
    """

    condition: Condition
    rows: FrozenMap[str, FrozenMap[str, float | str]]

    def __init__(self, condition: ConditionLike, rows: Mapping[str, Row]) -> None:
        object.__setattr__(self, "condition", Condition.of(condition))
        object.__setattr__(self, "rows", _freeze_rows(rows))

    def sources(self, goals: Sequence[str]) -> tuple[str, ...]:
        """Return the goals whose rows the case replaces."""
        return tuple(goal for goal in goals if ANY in self.rows or goal in self.rows)


@dataclass(frozen=True, slots=True, init=False)
class TransitionRules:
    """The usual transition matrix, and cases with other matrices; the first case that holds applies.

    The usual matrix is given by how many updates a goal ``lasts`` on average (one number, or one per goal: n updates
    mean that it stays with chance 1 - 1/n, and the others share the rest), or row by row.

    >>> TransitionRules(lasts=10).matrices(("level", "explore", "return"))[0][0]
    (0.9, 0.05, 0.05)
    """

    lasts: float | FrozenMap[str, float] | None
    rows: FrozenMap[str, FrozenMap[str, float | str]] | None
    cases: tuple[TransitionCase, ...]

    def __init__(
        self,
        lasts: float | Mapping[str, float] | None = None,
        rows: Mapping[str, Row] | None = None,
        cases: Sequence[TransitionCase | tuple[ConditionLike, Mapping[str, Row]]] = (),
    ) -> None:
        if (lasts is None) == (rows is None):
            raise TelosError("transitions need either lasts or rows", "give one of them, as in lasts=100 (updates)")
        object.__setattr__(self, "lasts", FrozenMap(lasts) if isinstance(lasts, Mapping) else lasts)
        object.__setattr__(self, "rows", None if rows is None else _freeze_rows(rows))
        made = tuple(case if isinstance(case, TransitionCase) else TransitionCase(*case) for case in cases)
        object.__setattr__(self, "cases", made)

    @property
    def constant(self) -> "TransitionRules":
        """Return the rules without their cases."""
        return TransitionRules(self.lasts, self.rows)

    def faults(self, goals: Sequence[str]) -> list[Fault]:
        """Return everything wrong with the rules for a model with these goals."""
        return [fault for _, found in self._tables(goals) for fault in found]

    def matrices(self, goals: Sequence[str]) -> tuple[Matrix, ...]:
        """Return the usual matrix, and then that of each case."""
        faults = self.faults(goals)
        if faults:
            raise DefinitionError(faults)
        usual, *others = (table for table, _ in self._tables(goals))
        made = [tuple(usual[goal] for goal in goals)]
        made += [tuple(table.get(goal, usual[goal]) for goal in goals) for table in others]
        return tuple(made)

    def _tables(self, goals: Sequence[str]) -> list[tuple[dict[str, tuple[float, ...]], list[Fault]]]:
        if self.rows is None:
            first = _rows_from_durations(self.lasts, goals)
        else:
            first = _rows(self.rows, goals)
            missing = [] if ANY in self.rows else [goal for goal in goals if goal not in self.rows]
            first[1].extend(
                Fault(f"no row for goal {goal!r}", path=("transitions",), code=FaultCode.INCOMPLETE) for goal in missing
            )
        tables = [first]
        for number, case in enumerate(self.cases):
            table, found = _rows(case.rows, goals)
            tables.append((table, [_in_case(fault, number, case) for fault in found]))
        return tables


def _freeze_rows(rows: Mapping[str, Row]) -> FrozenMap[str, FrozenMap[str, float | str]]:
    return FrozenMap({goal: FrozenMap(row) for goal, row in rows.items()})


def _in_case(fault: Fault, number: int, case: TransitionCase) -> Fault:
    located = fault.at("transitions", "when", number)
    return replace(located, message=f"if {case.condition}: {located.message}")


def _rows_from_durations(lasts: Any, goals: Sequence[str]) -> tuple[dict[str, tuple[float, ...]], list[Fault]]:
    rows, faults = {}, []
    spans = lasts if isinstance(lasts, Mapping) else dict.fromkeys(goals, lasts)
    for goal in (name for name in spans if name not in goals):
        faults.append(
            Fault(
                f"unknown goal {goal!r}",
                suggestion=name_hint(goal, goals),
                path=("transitions", "lasts"),
                code=FaultCode.UNKNOWN_NAME,
            )
        )
    for goal in goals:
        try:
            updates = check_finite(f"how long {goal!r} lasts", cast(float, spans.get(goal)))
        except TelosError as error:
            faults.append(Fault(error.message, suggestion=error.remedy, path=("transitions", "lasts")))
            continue
        if updates < 1:
            message = f"goal {goal!r} lasts {updates:g} updates"
            faults.append(
                Fault(message, suggestion="give at least 1", path=("transitions", "lasts"), code=FaultCode.OUT_OF_RANGE)
            )
            continue
        leave = 1.0 / updates if len(goals) > 1 else 0.0
        rows[goal] = tuple(1.0 - leave if other == goal else leave / (len(goals) - 1) for other in goals)
    return rows, faults


def _rows(rows: Mapping[str, Row], goals: Sequence[str]) -> tuple[dict[str, tuple[float, ...]], list[Fault]]:
    made, faults = {}, []
    for source, row in rows.items():
        if source != ANY and source not in goals:
            suggestion = name_hint(source, (*goals, ANY))
            faults.append(
                Fault(
                    f"unknown goal {source!r}",
                    suggestion=suggestion,
                    path=(f"from {source}",),
                    code=FaultCode.UNKNOWN_NAME,
                )
            )
            continue
        named = {goal: chance for goal, chance in row.items() if goal != OTHERS}
        chances, found = complete_distribution(named, goals, "goal", share=row.get(OTHERS) == SHARED)  # type: ignore[arg-type]
        faults += [replace(each.at(f"from {source}"), message=f"from {source}: {each.message}") for each in found]
        for goal in goals if source == ANY else (source,):
            if goal == source or goal not in rows:
                made[goal] = chances
    return made, faults


USUAL_ROW = "usual"


class LearnedTransitions:
    """Counts of which goal followed which, for the usual matrix and for each case.

    ``strength`` is how many observations the authored rows count as; with 0 only the counts matter. A row that a case
    does not replace is the usual one, and is counted with it.

    >>> learned = LearnedTransitions(strength=4)
    >>> learned.join(TransitionRules(lasts=16), ("fight", "rest"))
    >>> learned.add(0, "fight", "rest")
    >>> learned.matrices()[0][0]
    (0.75, 0.25)
    """

    def __init__(self, strength: float = 10.0, *, seen: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.strength = check_not_negative("strength", strength)
        self._given = {row: dict(counts) for row, counts in (seen or {}).items()}
        self._goals: tuple[str, ...] = ()
        self._sources: list[dict[str, str]] = []
        self._counts = Counts((), ())

    def join(self, rules: TransitionRules, goals: Sequence[str]) -> None:
        """Use a model's authored transitions as pseudo-counts; the counts are kept."""
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
            raise TelosError(f"there are counts for an unknown row {name!r}", name_hint(name, authored))
        self._counts = Counts(tuple(authored), goals, pseudo=authored, seen=before)

    def add(self, case: int, before: str, after: str, weight: float = 1.0) -> None:
        """Count that ``after`` followed ``before`` while the matrix number ``case`` applied."""
        self._counts.add(self._sources[case][before], self._goals.index(after), weight)

    def copy(self) -> "LearnedTransitions":
        """Return an independent copy."""
        return LearnedTransitions(self.strength, seen=self.seen)

    def fade(self, factor: float) -> None:
        """Multiply the counts by a factor."""
        self._counts.fade(factor)

    def matrices(self) -> tuple[Matrix, ...]:
        """Return the current usual matrix, then that of each case."""
        return tuple(tuple(self._counts.chances(sources[goal]) for goal in self._goals) for sources in self._sources)

    @property
    def counts(self) -> Counts:
        """The counts of all rows, with the authored transitions as pseudo-counts."""
        return self._counts

    @property
    def seen(self) -> dict[str, dict[str, float]]:
        """The rows with counts above 0, by name (``usual from fight``, ``case 1 from fight``)."""
        counted = self._counts.seen if self._goals else self._given
        return {row: counts for row, counts in counted.items() if any(counts.values())}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedTransitions) and (self.strength, self.seen) == (other.strength, other.seen)

    __hash__ = None  # type: ignore[assignment]


def row_name(case: int, goal: str) -> str:
    """Return the name of the row of a goal in the matrix of a case (0: the usual matrix)."""
    return f"{f'case {case}' if case else USUAL_ROW} from {goal}"
