"""The games of the human logs as ensembles read them: columns, features and folds of Crafter, Overcooked, StarCraft II.

``GAMES`` has one entry for each log. ``read_sequences`` returns the events of a log with their labels. Only the present
row and earlier ones are ever read: features come from a ``FeatureProgram``, which sees events in order.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.ensemble.features import (
    ACHIEVED,
    TIME,
    CodedEntry,
    FeatureGroup,
    FeatureProgram,
    FilterTables,
    NumberEntry,
    entry_text,
)
from telos.recognition.feature_hmm import BackoffCounts
from telos.studies.humans.logs import DATA, LOG
from telos.telemetry.columns import load_columns
from telos.telemetry.logs import LogRow, read_log

# --- sequences of labelled events -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelledSequence:
    """The events of one sequence; ``truth`` is None where a row is not scored. A ``group`` is never in two folds."""

    player: str
    session: str
    group: str
    events: tuple[Event, ...]
    truth: tuple[str | None, ...]
    labels: tuple[str | None, ...] = ()  # the goal at each row, also where it is not scored


@dataclass(frozen=True, slots=True)
class EnsembleGame:
    """One log: its column file, how its rows become events, and the features of its ensemble.

    ``program`` makes the features from the training sequences. Each value of the context entry ``parts`` (a race) has a
    recogniser of its own.
    """

    name: str
    columns: str
    idle: tuple[str, ...]
    convert: Callable[[list[LogRow], "PlayerHistory"], tuple[list[Event], list[str | None]]]
    program: Callable[[Sequence[LabelledSequence]], FeatureProgram]
    group: str = ""  # the context entry by which folds are made; the player if empty
    parts: str = ""
    once: bool = True  # a goal that is achieved is not pursued again
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # goals that are achieved before a goal
    # Adds the belief of a hidden Markov model, counted on labelled sequences, to the features.
    with_filter: Callable[[FeatureProgram, Sequence[LabelledSequence], Sequence[str]], FeatureProgram] | None = None


def read_sequences(folder: str | os.PathLike[str], game: EnsembleGame) -> list[LabelledSequence]:
    """Return all sequences of the log in a folder (or of a file), in the order of the log."""
    place = Path(folder)
    if not place.exists():
        raise TelosError(f"{place}: no such folder", f"name the one that holds {LOG}")
    rows: dict[tuple[str, str], list[LogRow]] = {}
    for row in read_log(place / LOG if place.is_dir() else place, columns=load_columns(DATA / f"{game.columns}.yaml")):
        rows.setdefault(row.sequence, []).append(row)
    histories: dict[str, PlayerHistory] = {}
    return [
        _sequence(each, game, histories.setdefault(each[0].event.player, PlayerHistory())) for each in rows.values()
    ]


def _sequence(rows: list[LogRow], game: EnsembleGame, history: "PlayerHistory") -> LabelledSequence:
    first = rows[0].event
    group = str(first.context[game.group]) if game.group else first.player
    events, truth = game.convert(rows, history)
    history.finish_life(events)
    labels = tuple(row.truth for row in rows)
    return LabelledSequence(first.player, rows[0].session, group, tuple(events), tuple(truth), labels)


class PlayerHistory:
    """What a player achieved in earlier lives: which goal followed which, and how often each was achieved.

    A game keeps one for each player, and adds ``context`` to each event.
    """

    def __init__(self) -> None:
        self._lives = 0
        self._followed: dict[str, list[str]] = {}
        self._times: Counter[str] = Counter()
        self._before: frozenset[str] = frozenset()

    def context(self, last: str, goals: Iterable[str]) -> dict[str, Value]:
        """Return the context entries after the achievement ``last`` of this life ('' if there is none)."""
        known = self._followed.get(last, [])
        usual = max(reversed(known), key=known.count) if known else None
        found: dict[str, Value] = {"habit": known[-1] if known else None, "usual": usual, "lives": self._lives}
        for goal in goals:
            found[f"often_{goal}"] = self._times[goal] / (self._lives + 1)
            found[f"habit_{goal}"] = sum(0.7 ** (len(known) - 1 - at) for at, each in enumerate(known) if each == goal)
            found[f"before_{goal}"] = goal in self._before
        return found

    def finish_life(self, events: Iterable[Event]) -> None:
        """Note what was achieved in a life that is over."""
        achieved = [goal for event in events if event.goal for goal in event.goal.split("+")]
        for last, goal in zip(["", *achieved], achieved, strict=False):
            self._followed.setdefault(last, []).append(goal)
        self._times.update(achieved)
        self._before, self._lives = frozenset(achieved), self._lives + 1


FEWEST = 30  # rows with a value in training; rarer values have no feature of their own


def with_values(
    code: CodedEntry, sequences: Iterable[LabelledSequence], *, fewest: int = FEWEST, by_group: bool = False
) -> CodedEntry:
    """Return a coded entry with the values that enough rows of the sequences have (or groups of players)."""
    times: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for sequence in sequences:
        for event in sequence.events:
            for level in range(len(code.levels)):
                text = entry_text(code, level, event)
                if not by_group or (sequence.group, text) not in seen:
                    times[text] += 1
                    seen.add((sequence.group, text))
    return replace(code, values=tuple(sorted(value for value, count in times.items() if count >= fewest)))


# --- Crafter ----------------------------------------------------------------------------------------------------------

THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
CRAFTER_GOALS = (
    *("collect_coal", "collect_drink", "collect_iron", "collect_sapling", "collect_stone", "collect_wood"),
    *("defeat_skeleton", "defeat_zombie", "eat_cow", "make_stone_pickaxe", "make_wood_pickaxe"),
    *("make_wood_sword", "place_furnace", "place_plant", "place_table", "wake_up"),
)
CARRIED = ("sapling", "wood", "stone", "coal", "iron", "wood_pickaxe", "stone_pickaxe", "wood_sword")
VITALS = ("health", "food", "drink", "energy")
NOOP = "noop"


def _lives(rows: list[LogRow], history: PlayerHistory) -> tuple[list[Event], list[str | None]]:
    events: list[Event] = []
    truth: list[str | None] = []
    last, entries = "", history.context("", CRAFTER_GOALS)
    for row in rows:
        event = row.event
        context = {**event.context, **entries}
        events.append(Event(event.action, context, player=event.player, time=event.time, goal=event.goal))
        truth.append(None if event.goal is not None or event.action == NOOP else row.truth)
        if event.goal is not None:
            last = event.goal.rpartition("+")[2]
            entries = history.context(last, CRAFTER_GOALS)
    return events, truth


def crafter_program(sequences: Sequence[LabelledSequence]) -> FeatureProgram:
    """Return the features of a life in Crafter."""
    sights = [f"d_{thing}" for thing in THINGS]
    past = [f"{kind}_{goal}" for kind in ("habit", "often", "before") for goal in CRAFTER_GOALS]
    numbers = (
        *(NumberEntry(name, -1.0) for name in sights),
        *(NumberEntry(name) for name in (*CARRIED, *VITALS, TIME)),
        *(NumberEntry(name, optional=True) for name in ("lives", *past)),
    )
    act = CodedEntry("act", (("action",),), detail={"do": ("facing_tile",)})
    codes = (
        with_values(act, [_without_idle(each, NOOP) for each in sequences]),
        with_values(CodedEntry("facing", (("facing_tile",),)), sequences),
        CodedEntry(ACHIEVED, (), CRAFTER_GOALS),
        CodedEntry("who", (("group",), ("phase",)), ("adult", "child", "main", "trial")),
        CodedEntry("phase", (("phase",),), ("trial",)),
    )
    groups = (
        *(FeatureGroup(kind, name) for kind in ("number", "present", "since") for name in sights),
        *(FeatureGroup("trend", name, half_life=half) for half in (2.0, 6.0) for name in sights),
        *(FeatureGroup("change", name, depth=depth) for depth in (3, 8) for name in sights),
        *(FeatureGroup("number", name) for name in (*CARRIED, *VITALS, TIME, "lives", *past)),
        *(FeatureGroup("change", name, depth=10) for name in (*CARRIED, *VITALS)),
        *(FeatureGroup("gain", name) for name in (*CARRIED, *VITALS, TIME)),
        *(FeatureGroup(kind, "act") for kind in ("now", "count", "total")),
        *(FeatureGroup("recent", "act", half_life=half) for half in (2.0, 6.0, 20.0)),
        FeatureGroup("now", "facing"),
        FeatureGroup("now", "who"),
        FeatureGroup("now", "phase"),
        FeatureGroup("total", ACHIEVED),
        FeatureGroup("latest", ACHIEVED, depth=2),
        FeatureGroup("age"),
        FeatureGroup("rows"),
    )
    return FeatureProgram(numbers, codes, groups, (NOOP,))


def _without_idle(sequence: LabelledSequence, idle: str) -> LabelledSequence:
    return replace(sequence, events=tuple(event for event in sequence.events if event.action != idle))


# --- StarCraft II -----------------------------------------------------------------------------------------------------


FEWEST_PLAYERS = 8  # groups of players who gave an order; one research tells much, and is ordered once a game

# What must stand before a building can be ordered: the tech tree, as far as it is among the goals.
REQUIRES: Mapping[str, tuple[str, ...]] = {
    "Protoss_dark_shrine": ("Protoss_twilight_council",),
    "Protoss_fleet_beacon": ("Protoss_stargate",),
    "Protoss_photon_cannon": ("Protoss_forge",),
    "Protoss_robotics_bay": ("Protoss_robotics_facility",),
    "Protoss_templar_archive": ("Protoss_twilight_council",),
    "Terran_armory": ("Terran_factory",),
    "Terran_fusion_core": ("Terran_starport",),
    "Terran_starport": ("Terran_factory",),
    "Zerg_greater_spire": ("Zerg_hive", "Zerg_spire"),
    "Zerg_hive": ("Zerg_infestation_pit", "Zerg_lair"),
    "Zerg_hydralisk_den": ("Zerg_lair",),
    "Zerg_infestation_pit": ("Zerg_lair",),
    "Zerg_nydus": ("Zerg_lair",),
    "Zerg_spire": ("Zerg_lair",),
    "Zerg_ultralisk_cavern": ("Zerg_hive",),
}


def _orders(rows: list[LogRow], history: PlayerHistory) -> tuple[list[Event], list[str | None]]:
    events: list[Event] = []
    truth: list[str | None] = []
    for row in rows:
        event = row.event
        race = event.context["race"]
        goal = None if event.goal is None else f"{race}_{event.goal}"
        events.append(Event(event.action, event.context, player=event.player, time=event.time, goal=goal))
        truth.append(None if goal is not None or row.truth is None else f"{race}_{row.truth}")
    return events, truth


def starcraft_program(sequences: Sequence[LabelledSequence]) -> FeatureProgram:
    """Return the features of a game of StarCraft II."""
    goals = sorted({each for sequence in sequences for each in sequence.truth if each is not None})
    codes = (
        with_values(CodedEntry("order", (("action",),)), sequences, fewest=FEWEST_PLAYERS, by_group=True),
        with_values(CodedEntry("kind", (("kind",),)), sequences),
        CodedEntry(ACHIEVED, (), tuple(goals)),
        with_values(CodedEntry("opponent", (("opp_race",),)), sequences),
    )
    numbers = (NumberEntry(TIME), NumberEntry("clicks_before"), NumberEntry("selections_before"))
    groups = (
        FeatureGroup("number", TIME),
        FeatureGroup("gain", TIME),
        *(FeatureGroup("change", TIME, depth=depth) for depth in (5, 20)),
        FeatureGroup("number", "clicks_before"),
        FeatureGroup("number", "selections_before"),
        FeatureGroup("total", "order"),
        *(FeatureGroup(kind, "kind") for kind in ("count", "total")),
        FeatureGroup("recent", "kind", half_life=10.0),
        FeatureGroup("total", ACHIEVED),
        FeatureGroup("latest", ACHIEVED, depth=2),
        FeatureGroup("now", "opponent"),
        FeatureGroup("age"),
        FeatureGroup("rows"),
    )
    return FeatureProgram(numbers, codes, groups)


# --- Overcooked -------------------------------------------------------------------------------------------------------

STAY = "stay"
TILES = ("onions", "dishes", "pot", "serving")
PLACE = ("layout", "x", "y", "facing")


def _ticks(rows: list[LogRow], history: PlayerHistory) -> tuple[list[Event], list[str | None]]:
    events: list[Event] = []
    truth: list[str | None] = []
    for row in rows:
        event = row.event  # what was achieved does not follow from keys and position, so no recogniser is shown it
        events.append(Event(event.action, event.context, player=event.player, time=event.time))
        truth.append(None if event.goal is not None or event.action == STAY else row.truth)
    return events, truth


def overcooked_program(sequences: Sequence[LabelledSequence]) -> FeatureProgram:
    """Return the features of a cook, from keys and position alone."""
    sights = [f"d_{tile}" for tile in TILES]
    used = CodedEntry("used", (("action", "facing_tile"),), lag=1)
    tiles = tuple(f"interact {tile}" for tile in ("counter", *TILES))
    codes = (
        CodedEntry("used", used.levels, tiles, lag=1),
        with_values(CodedEntry("key", (("action", "facing_tile"),)), [_without_idle(each, STAY) for each in sequences]),
        with_values(CodedEntry("kitchen", (("layout",),)), sequences),
        with_values(CodedEntry("place", (("layout", "x", "y"),)), sequences),
        with_values(CodedEntry("spot", (("layout", "x", "y", "facing"),)), sequences, fewest=400),
        CodedEntry("heading", (("facing",),), ("up", "down", "left", "right")),
    )
    numbers = (*(NumberEntry(name) for name in sights), NumberEntry("x"), NumberEntry("y"))
    groups = (
        *(FeatureGroup("number", name) for name in (*sights, "x", "y")),
        *(FeatureGroup("trend", name, half_life=half) for half in (1.0, 4.0) for name in sights),
        *(FeatureGroup("change", name, depth=4) for name in (*sights, "x", "y")),
        FeatureGroup("latest", "used", depth=6),
        FeatureGroup("recent", "used", half_life=3.0),
        FeatureGroup("recent", "key", half_life=1.0),
        FeatureGroup("recent", "key", half_life=4.0),
        FeatureGroup("now", "key"),
        FeatureGroup("now", "kitchen"),
        FeatureGroup("now", "heading"),
        FeatureGroup("rows"),
    )
    return FeatureProgram(numbers, codes, groups, (STAY,))


# What a cook is after changes when the tile in front was used, and shows in the key pressed at a place (as in
# overcooked.py, whose weight and strengths these are). Levels from the finest to the coarsest.
CHANGE_LEVELS = (
    ("action", "facing_tile", "layout", "x", "y"),
    ("action", "facing_tile", "layout"),
    ("action", "facing_tile"),
)
KEY_LEVELS = (("action", *PLACE, "facing_tile"), ("action", "facing_tile"), ("action",))
KEY_WEIGHT, KEY_STRENGTH, CHANGE_STRENGTH, SLIP = 0.6, 10.0, 5.0, 1e-6
KEYS = ("up", "down", "left", "right", "interact")


def with_cook_filter(
    program: FeatureProgram, sequences: Sequence[LabelledSequence], goals: Sequence[str]
) -> FeatureProgram:
    """Return the features of a cook with the belief of a hidden Markov model, counted on labelled sequences."""
    size = len(goals)
    change, key = CodedEntry("change", CHANGE_LEVELS, lag=1), CodedEntry("press", KEY_LEVELS)
    follows, presses, starts = BackoffCounts(size, size), BackoffCounts(size, len(KEYS)), [1.0] * size
    changes: dict[str, list[tuple[Value, ...]]] = {}
    seen: dict[str, tuple[int, list[tuple[Value, ...]]]] = {}
    for sequence in sequences:
        before: tuple[Event, int] | None = None
        for event, label in zip(sequence.events, sequence.labels, strict=True):
            if label not in goals:
                continue
            goal = goals.index(label)
            if before is None:
                starts[goal] += 1.0
            elif before[0].action == "interact":
                texts = [entry_text(change, level, before[0]) for level in range(len(CHANGE_LEVELS))]
                follows.add(before[1], goal, [(text,) for text in texts])
                changes |= {text: [(each,) for each in texts[level:]] for level, text in enumerate(texts)}
            if event.action != STAY:
                texts = [entry_text(key, level, event) for level in range(len(KEY_LEVELS))]
                places: list[tuple[Value, ...]] = [(text.partition(" ")[2],) for text in texts]
                pressed = KEYS.index(event.action)
                presses.add(goal, pressed, places)
                seen |= {text: (pressed, places[level:]) for level, text in enumerate(texts)}
            before = event, goal
    prior = np.array(starts) / sum(starts)
    chosen = sorted(changes), sorted(seen)
    matrices = [
        [[follows.chance(one, to, changes[text], CHANGE_STRENGTH) for to in range(size)] for one in range(size)]
        for text in chosen[0]
    ]
    changed = (1.0 - SLIP) * np.array(matrices).reshape(-1, size, size) + SLIP * prior
    likelihoods = [
        [presses.chance(goal, seen[text][0], seen[text][1], KEY_STRENGTH) ** KEY_WEIGHT for goal in range(size)]
        for text in chosen[1]
    ]
    codes = replace(change, values=tuple(chosen[0])), replace(key, values=tuple(chosen[1]))
    return replace(
        program,
        codes=(*program.codes, *codes),
        groups=(*program.groups, FeatureGroup("filter", "change", seen="press")),
        tables=FilterTables(prior, changed, np.array(likelihoods).reshape(-1, size)),
        goals=tuple(goals),
    )


GAMES: Mapping[str, EnsembleGame] = {
    "crafter": EnsembleGame("crafter", "crafter-ensemble", (NOOP,), _lives, crafter_program),
    "starcraft": EnsembleGame(
        "starcraft",
        "starcraft-ensemble",
        (),
        _orders,
        starcraft_program,
        group="group",
        parts="race",
        requires=REQUIRES,
    ),
    "overcooked": EnsembleGame(
        "overcooked",
        "overcooked",
        (STAY,),
        _ticks,
        overcooked_program,
        group="pair",
        once=False,
        with_filter=with_cook_filter,
    ),
}
