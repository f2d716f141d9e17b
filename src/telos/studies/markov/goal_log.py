"""Labelled logs as the studies of Markov logic read them: rows in sequences, each with its goal and its facts.

A row is one action. Its facts are what a game knows at that moment: nothing in them looks ahead. The achieving actions
themselves and what came after the last goal are not among the rows, as in the chapter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.logic.database import Database, Facts
from telos.logic.model import MarkovLogic

Ints: TypeAlias = NDArray[np.int32]
GOAL, TIME = "goal", "time"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts of one predicate: at row ``row[i]`` it holds of ``names[code[i]]``. A row may have several, or none."""

    row: Ints
    code: Ints
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalLog:
    """What players did, in sequences: rows ``start[s]`` to before ``start[s + 1]`` are of ``groups[s]``.

    A group is what is in one fold as a whole: a player, or players who met. ``truth`` is the goal of each row, as a
    place in ``goals``; ``pursuit`` numbers the stretches of rows that led to one achievement, so two in a row for the
    same goal are told apart.
    """

    name: str
    is_simulated: bool
    goals: tuple[str, ...]
    truth: Ints  # (rows,)
    start: Ints  # (sequences + 1,)
    groups: tuple[str, ...]  # (sequences,)
    fold: Ints  # (sequences,)
    pursuit: Ints  # (rows,)
    evidence: Mapping[str, Evidence]
    players: int

    @property
    def sequence(self) -> Ints:
        """The sequence of each row."""
        return np.repeat(np.arange(len(self.groups), dtype=np.int32), np.diff(self.start))

    def rows(self, sequences: Sequence[int]) -> Ints:
        """Return the rows of some sequences, in order."""
        return np.flatnonzero(np.isin(self.sequence, sequences)).astype(np.int32)

    @property
    def pursuits(self) -> int:
        """How many goals were achieved after at least one action."""
        return len(np.unique(self.pursuit))

    def split(self, fold: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the sequences to train on and to test on when a fold is held out."""
        tested = np.flatnonzero(self.fold == fold)
        return tuple(np.flatnonzero(self.fold != fold).tolist()), tuple(tested.tolist())

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1


def database(
    log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str], *, told: bool
) -> Database:
    """Return the facts of some sequences that a model speaks of, one world a sequence; the goals too if ``told``.

    Only ``goals`` exist: facts about others, and rows that lead to others, are left out of what is told.
    """
    world = np.full(len(log.groups), -1, np.int32)
    world[list(sequences)] = np.arange(len(sequences), dtype=np.int32)
    worlds, step = world[log.sequence], np.arange(len(log.truth)) - log.start[log.sequence]
    spoken = {name: log.evidence[name] for name in model.predicates if name in log.evidence}
    if told:
        spoken[GOAL] = Evidence(np.arange(len(log.truth), dtype=np.int32), log.truth, log.goals)
    kinds = {name: model.predicates[name].types[1] for name in spoken}
    goal_kind = model.predicates[GOAL].types[1]
    constants = _constants(spoken, kinds, goal_kind, tuple(goals), int(step.max()) + 1)
    true, present = {}, {TIME: [np.stack([worlds, step], axis=1)]}
    for name, facts in spoken.items():
        place = {each: at for at, each in enumerate(constants[kinds[name]])}
        code = np.array([place.get(each, -1) for each in facts.names], np.int32)[facts.code]
        kept = (code >= 0) & (worlds[facts.row] >= 0)
        row, code = facts.row[kept], code[kept]
        true[name] = Facts(worlds[row], np.stack([step[row], code], axis=1).astype(np.int32))
        present.setdefault(kinds[name], []).append(np.stack([worlds[row], code], axis=1))
    everywhere = np.indices((len(sequences), len(goals))).reshape(2, -1).T
    present.setdefault(goal_kind, []).append(everywhere)
    names = tuple(f"{log.groups[s]}/{s}" for s in sequences)
    return Database(names, constants, true, present={kind: _distinct(parts) for kind, parts in present.items()})


def _constants(
    spoken: Mapping[str, Evidence], kinds: Mapping[str, str], goal_kind: str, goals: tuple[str, ...], steps: int
) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for name, facts in spoken.items():
        found.setdefault(kinds[name], {}).update(dict.fromkeys(facts.names))
    by_kind = {kind: _ordered(names) for kind, names in found.items()}
    return {**by_kind, TIME: tuple(map(str, range(steps))), goal_kind: goals}


def _ordered(names: Mapping[str, None]) -> tuple[str, ...]:
    """Return whole numbers in ascending order first, as databases have them, then the other names."""
    numbers = [name for name in names if name.lstrip("-").isdigit()]
    return (*sorted(numbers, key=int), *(name for name in names if not name.lstrip("-").isdigit()))


def _distinct(parts: list[NDArray[np.int64]]) -> Ints:
    """Return pairs of world and code, sorted, each once; pairs of no world are left out."""
    joined = np.concatenate(parts)
    joined = joined[joined[:, 0] >= 0].astype(np.int64)
    found = np.unique(joined[:, 0] << 32 | joined[:, 1])
    return np.stack([found >> 32, found & 0xFFFFFFFF], axis=1).astype(np.int32)
