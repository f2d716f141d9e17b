"""An ensemble: linear scores, decision trees and paths of milestones, combined and calibrated in one softmax.

    event ──▶ FeatureStream ──▶ LinearScores ─┐
                           ├──▶ TreeScores   ─┤
                           └──▶ PathScores   ─┴─▶ weights, offsets ──▶ Belief

The belief in a goal is proportional to ``exp(a * linear + b * trees + c * paths + offset)``; a part may have no paths.
The weights, which are also the temperature, and the offsets are learned on players that the components were not trained
on. Scores add up, so ``why`` names what each feature added through each component.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.files.snapshots import (
    SNAPSHOT_FORMAT,
    Chances,
    Finite,
    Items,
    PlainValue,
    SnapshotPart,
    check_known,
    check_length,
    read_snapshot,
    snapshot_error,
)
from telos.recognition.ensemble.features import Array, FeatureProgram, FeatureStream
from telos.recognition.ensemble.paths import PathScores, describe_paths
from telos.recognition.ensemble.scores import LinearScores, TreeScores
from telos.recognition.filtering import check_event_order
from telos.recognition.recognizer import ModelReader, PlayerSnapshot, check_saved_goals, saved_time

LINEAR, TREES, PATHS, COMMON = "linear", "trees", "paths", "how common the goal is"
MAX_SHOWN = 8
LARGEST_WHOLE = 2**53  # of a save; larger numbers are read as floats anyway


@dataclass(frozen=True, eq=False)
class EnsemblePart:
    """The recogniser of one part of the players, as of one race: its goals, its components, and how they combine."""

    value: str  # of the context entry by which players are parted; '' if they are not
    goals: tuple[int, ...]  # places in the goals of the model
    linear: LinearScores
    trees: TreeScores
    weights: tuple[float, ...]  # of the linear scores, the trees and, if there are any, the paths
    offsets: Array
    paths: PathScores | None = None

    @property
    def components(self) -> tuple[LinearScores | TreeScores | PathScores, ...]:
        """The components, in the order of the weights."""
        return (self.linear, self.trees) if self.paths is None else (self.linear, self.trees, self.paths)

    def scores(self, row: Array) -> Array:
        """Return the combined score of each goal of this part for one row."""
        found: list[Array] = []
        for component in self.components:
            scores = np.zeros(len(self.goals))
            component.add_to(row, scores)
            found.append(scores)
        return self._combine(found)

    def of_rows(self, rows: Array) -> Array:
        """Return the combined scores of many rows."""
        return self._combine([component.of_rows(rows) for component in self.components])

    def _combine(self, scores: Sequence[Array]) -> Array:
        found: Array = self.weights[0] * scores[0]
        for weight, each in zip(self.weights[1:], scores[1:], strict=True):
            found = found + weight * each
        return found + self.offsets

    def check(self, features: int, goals: int) -> None:
        """Refuse a part whose arrays do not fit the features and goals of the model."""
        size = len(self.goals)
        if not size or len(set(self.goals)) < size or not all(0 <= goal < goals for goal in self.goals):
            raise TelosError(f"part {self.value!r}: its goals are not goals of the model")
        if {len(self.offsets), *(component.goals for component in self.components)} != {size}:
            raise TelosError(f"part {self.value!r}: its components have other numbers of goals than {size}")
        if self.linear.features != features:
            raise TelosError(f"part {self.value!r}: {self.linear.features} weights for {features} features")
        self.linear.check()
        self.trees.check(features)
        if self.paths is not None:
            self.paths.check(features)
        if len(self.weights) != len(self.components):
            count = {2: "two", 3: "three"}[len(self.components)]
            raise TelosError(f"part {self.value!r}: {len(self.weights)} weights for {count} components")


@dataclass(frozen=True, eq=False)
class EnsembleModel:
    """A trained ensemble; it holds no belief, so readers of many players may share it.

    With ``parted_by``, the value of that context entry decides which part reads a player. With ``once``, a goal that
    was achieved is not believed again until ``reset``. A goal in ``requires`` is not believed before the goals that it
    requires were achieved, as by the tech tree of a game.
    """

    goals: tuple[str, ...]
    program: FeatureProgram
    parts: tuple[EnsemblePart, ...]
    parted_by: str = ""
    once: bool = False
    name: str = ""
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.program.check()
        if not self.parts:
            raise TelosError("an ensemble has at least one part")
        if len({part.value for part in self.parts}) < len(self.parts):
            raise TelosError("two parts of the ensemble are for the same players", "train it anew")
        for part in self.parts:
            part.check(len(self.program.names), len(self.goals))
        for goal, required in self.requires.items():
            for name in (goal, *required):
                if name not in self.goals:
                    raise TelosError(f"requires: unknown goal {name!r}", name_hint(name, self.goals))
            if goal in required:
                raise TelosError(f"requires: {goal!r} requires itself, so it could never be believed")

    @property
    def context(self) -> frozenset[str]:
        """The context entries that the model reads."""
        return self.program.entries | ({self.parted_by} if self.parted_by else frozenset())

    @property
    def optional_context(self) -> frozenset[str]:
        """Those of them that a log may lack."""
        return self.program.optional

    def part_of(self, event: Event) -> EnsemblePart:
        """Return the part that reads a player, by an event."""
        if not self.parted_by:
            return self.parts[0]
        value = event.context.plain.get(self.parted_by)
        for part in self.parts:
            if part.value == value:
                return part
        raise TelosError(
            f"{self.parted_by} {value!r} is none that the model was trained on",
            name_hint(str(value), [part.value for part in self.parts]),
        )

    def read(self, sequences: Sequence[Sequence[Event]]) -> Array:
        """Return the belief after each event of some sequences, one row each: the bulk form of ``EnsembleReader``."""
        encoded = self.program.encode(sequences)
        return self.read_rows(self.program.extract(encoded), sequences)

    def read_rows(self, rows: Array, sequences: Sequence[Sequence[Event]]) -> Array:
        """Return the beliefs for features that were extracted before."""
        parts = np.array([self.parts.index(self.part_of(event)) for events in sequences for event in events], np.int64)
        is_open = find_open(sequences, self.goals, self.once, self.requires)
        found = np.zeros((len(rows), len(self.goals)))
        for number, part in enumerate(self.parts):
            chosen = parts == number
            if chosen.any():
                scores = part.of_rows(rows[chosen])
                found[np.ix_(chosen, part.goals)] = softmax(scores, is_open[np.ix_(chosen, part.goals)])
        return found

    def __repr__(self) -> str:
        return f"EnsembleModel({self.name or 'unnamed'}: {len(self.goals)} goals, {len(self.program.names)} features)"


class EnsembleReasons(NamedTuple):
    """What speaks for one goal over another, as log-odds by component and feature; they sum to ``total``."""

    goal: str
    over: str
    parts: tuple[tuple[str, str, float], ...]  # component, feature, log-odds; the strongest first
    total: float

    def __str__(self) -> str:
        lines = [f"{self.goal} over {self.over}: {self.total:+.2f}"]
        lines += [f"  {added:+.2f}  {cause} ({component})" for component, cause, added in self.parts[:MAX_SHOWN]]
        rest = self.parts[MAX_SHOWN:]
        if rest:
            lines.append(f"  {sum(added for _, _, added in rest):+.2f}  {len(rest)} weaker causes")
        return "\n".join(lines)


class SavedEvent(SnapshotPart):
    """The last event of a saved reader, with the context entries that the model reads."""

    action: Annotated[str, Field(min_length=1)]
    goal: str | None
    context: dict[str, PlainValue]


class EnsembleReaderSnapshot(PlayerSnapshot):
    """The data of a saved ``EnsembleReader``; None stands for a number that is missing."""

    goals: Items[str]
    achieved: Items[str]
    part: str
    chances: Chances
    state: Items[Finite | None]
    row: Items[Finite | None]
    before: SavedEvent | None


class EnsembleReader(ModelReader[EnsembleModel]):
    """A recogniser: the belief from all events so far, in constant time per event.

    A goal that an event achieves is known from the next event on.
    """

    def __init__(self, model: EnsembleModel) -> None:
        self.model = model
        self._stream = FeatureStream(model.program)
        self.reset()

    def reset(self) -> None:
        """Forget the player: return to the belief before the first event."""
        self._stream.reset()
        self._player: str | None = None
        self._time = -math.inf
        self._achieved: set[str] = set()
        self._part = self.model.parts[0]
        size = len(self.goals)
        self._belief = Belief.of(self.goals, (1.0 / size,) * size, ("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        if event.player != self._player or event.time < self._time:
            check_event_order(event, self._player, self._time)
        part = self.model.part_of(event)
        row = self._stream.update(event)
        self._time, self._player, self._part = event.time, event.player, part
        scores = part.scores(row)
        is_open = self._is_open(part)
        own = softmax(scores[None], is_open[None])[0]
        chances = [0.0] * len(self.goals)
        for goal, chance in zip(part.goals, own.tolist(), strict=True):
            chances[goal] = chance
        self._belief = Belief.of(self.goals, tuple(chances), (f"last seen: {event.action}",))
        if self.model.once or self.model.requires:
            self._achieved.update(achieved_goals(event))
        return self._belief

    def _is_open(self, part: EnsemblePart) -> Any:
        model, goals = self.model, self.model.goals
        is_open = [is_goal_open(goals[goal], self._achieved, model.once, model.requires) for goal in part.goals]
        return np.array(is_open, np.bool_)

    def why(self, goal: str | None = None, over: str | None = None) -> EnsembleReasons:
        """Explain the belief in a goal (default: the likeliest) over another (the next) by what each feature added."""
        part, goals = self._part, self.model.goals
        known = [goals[each] for each in part.goals]
        ranked = sorted(known, key=lambda name: -self._belief[name])
        for said in (goal, over):
            if said is not None and said not in known:
                raise TelosError(f"unknown goal {said!r}", name_hint(said, known))
        goal = goal or next(name for name in ranked if name != over)
        over = over or next((name for name in ranked if name != goal), goal)
        one, two = known.index(goal), known.index(over)
        row, names = self._stream.row, self.model.program.names
        found = [(COMMON, COMMON, float(part.offsets[one] - part.offsets[two]))]
        components: tuple[tuple[str, float, LinearScores | TreeScores, Array], ...] = (
            (LINEAR, part.weights[0], part.linear, part.linear.intercepts),
            (TREES, part.weights[1], part.trees, part.trees.baseline),
        )
        for component, weight, scores, base in components:
            parts = scores.parts(row)
            added = weight * (parts[one] - parts[two])
            found += [(component, names[at], float(added[at])) for at in np.flatnonzero(added).tolist()]
            found.append((component, COMMON, float(weight * (base[one] - base[two]))))
            if isinstance(scores, TreeScores):
                roots = np.bincount(scores.tree_goals, scores.values[scores.roots], len(known))
                found.append((component, COMMON, float(weight * (roots[one] - roots[two]))))
        if part.paths is not None:
            weighed = part.paths.weights_of(row)
            odds = float(part.weights[2] * (np.log(weighed[one]) - np.log(weighed[two])))
            found.append((PATHS, describe_paths(weighed, one, two, (goal, over)), odds))
        causes = tuple(sorted((each for each in found if each[2]), key=lambda each: -abs(each[2])))
        return EnsembleReasons(goal, over, causes, sum(added for _, _, added in causes))

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        last, context = self._stream.before, self.model.context
        before: dict[str, Any] | None = None
        if last is not None:
            shown = {name: _plain(last.context[name]) for name in sorted(context) if name in last.context}
            before = {"action": last.action, "goal": last.goal, "context": shown}
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "achieved": sorted(self._achieved),
            "part": self._part.value,
            "chances": list(self._belief.values()),
            "state": _with_none(self._stream.state),
            "row": _with_none(self._stream.row),
            "before": before,
        }

    @classmethod
    def resume(cls, model: EnsembleModel, saved: Mapping[str, Any]) -> "EnsembleReader":
        """Return a reader that continues from a saved state; one with a fault is refused with its place."""
        read = read_snapshot(EnsembleReaderSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, model.goals)
        reader = cls(model)
        stream = reader._stream
        check_length("reader", "chances", read.chances, len(model.goals))
        check_length("reader", "state", read.state, len(stream.state))
        check_length("reader", "row", read.row, len(stream.row))
        state = _with_nan(read.state)
        place = model.program.find_bad_place(state)
        if place is not None:
            raise snapshot_error("reader", ("state", place), f"is {state[place]:g}, which no events lead to")
        parts = {part.value: part for part in model.parts}
        check_known("reader", ("part",), read.part, tuple(parts))
        reader._time, reader._player, reader._part = saved_time("reader", read), read.player, parts[read.part]
        last = read.before
        before = None if last is None else Event(last.action, last.context, goal=last.goal)
        stream.continue_from(state, _with_nan(read.row), before)
        reader._achieved = set(read.achieved)
        seen = "nothing was seen yet" if before is None else f"last seen: {before.action}"
        reader._belief = Belief.of(model.goals, tuple(read.chances), (seen,))
        return reader


def _plain(value: Value) -> Any:
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_WHOLE:
        return float(value)
    return list(value) if isinstance(value, tuple) else value


def _with_none(array: Array) -> list[float | None]:
    return [None if math.isnan(number) else number for number in array.tolist()]


def _with_nan(numbers: Sequence[float | None]) -> Array:
    return np.array([math.nan if number is None else number for number in numbers], np.float64)


def achieved_goals(event: Event) -> tuple[str, ...]:
    """Return the goals that an event achieves; logs join several with a plus sign."""
    return () if event.goal is None else tuple(goal.strip() for goal in event.goal.split("+"))


def is_goal_open(goal: str, achieved: Set[str], once: bool, requires: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell whether a goal can be pursued after some others were achieved.

    >>> is_goal_open("hive", {"lair"}, True, {"hive": ("lair",)}), is_goal_open("lair", {"lair"}, True, {})
    (True, False)
    """
    return not (once and goal in achieved) and all(each in achieved for each in requires.get(goal, ()))


def find_open(
    sequences: Sequence[Sequence[Event]], goals: Sequence[str], once: bool, requires: Mapping[str, tuple[str, ...]]
) -> NDArray[np.bool_]:
    """Return which goals can be pursued at each event; what an event achieves counts from the next one on."""
    found = np.ones((sum(map(len, sequences)), len(goals)), np.bool_)
    row = 0
    for events in sequences:
        achieved: set[str] = set()
        last = row + len(events)
        if requires:
            found[row:last] = [is_goal_open(goal, achieved, once, requires) for goal in goals]
        for event in events:
            row += 1
            if event.goal is not None:
                achieved.update(achieved_goals(event))
                found[row:last] = [is_goal_open(goal, achieved, once, requires) for goal in goals]
    return found


def softmax(scores: Array, is_open: Any) -> Array:
    """Return the chances of each row; goals that are not open have none, unless no goal is open."""
    none_open = ~is_open.any(axis=1, keepdims=True)
    logs = np.where(is_open | none_open, scores, -np.inf)
    weighed = np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Array = weighed / weighed.sum(axis=1, keepdims=True)
    return found
