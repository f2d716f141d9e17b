"""Labelled logs for the Markov logic studies: ``GoalLog``, from the island, Crafter and StarCraft II.

A row is one action with its goal and its facts. Facts use only information available at that row, no look-ahead. The
achieving actions and the rows after the last goal are left out, as in the chapter. Start with ``island_log``,
``human_log`` and ``find_logs``.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.logic.database import Database, FactTable
from telos.logic.model import MarkovLogic
from telos.telemetry.columns import Columns
from telos.telemetry.corpus import Corpus, prepare
from telos.telemetry.logs import align_rows, iter_play_rows, read_lines
from telos.telemetry.tables import as_file, csv_source, guard_polars, pl
from telos.worlds.island.playthrough import Progress, find_pursued, record_players
from telos.worlds.island.variants import TODAY

# --- GoalLog ----------------------------------------------------------------------------------------------------------


Ints: TypeAlias = NDArray[np.int32]
GOAL, TIME = "goal", "time"


@dataclass(frozen=True, slots=True)
class PredicateFacts:
    """The facts of one predicate: at row ``row[i]`` it holds for ``names[code[i]]``. A row may have zero or more."""

    row: Ints
    code: Ints
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalLog:
    """Actions of players in sequences: rows ``start[s]`` up to ``start[s + 1]`` (exclusive) belong to ``groups[s]``.

    A group is never split between folds: a player, or players who met. ``truth`` is the goal of each row, as an
    index into ``goals``; ``pursuit`` numbers the runs of rows that led to one achievement, which separates two
    consecutive pursuits of the same goal.
    """

    name: str
    is_simulated: bool
    goals: tuple[str, ...]
    truth: Ints  # (rows,)
    start: Ints  # (sequences + 1,)
    groups: tuple[str, ...]  # (sequences,)
    fold: Ints  # (sequences,)
    pursuit: Ints  # (rows,)
    evidence: Mapping[str, PredicateFacts]
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
        """The number of goals that were achieved after at least one action."""
        return len(np.unique(self.pursuit))

    def split(self, fold: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the sequences to train on and to test on when a fold is held out."""
        tested = np.flatnonzero(self.fold == fold)
        return tuple(np.flatnonzero(self.fold != fold).tolist()), tuple(tested.tolist())

    @property
    def folds(self) -> int:
        return int(self.fold.max()) + 1


def database(
    log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str], *, with_goals: bool
) -> Database:
    """Return the facts of some sequences that a model's predicates use, one world per sequence.

    ``with_goals`` adds the goal of each row. Only ``goals`` exist: facts about other goals, and rows that lead to other
    goals, are left out.
    """
    world = np.full(len(log.groups), -1, np.int32)
    world[list(sequences)] = np.arange(len(sequences), dtype=np.int32)
    worlds, step = world[log.sequence], np.arange(len(log.truth)) - log.start[log.sequence]
    used = {name: log.evidence[name] for name in model.predicates if name in log.evidence}
    if with_goals:
        used[GOAL] = PredicateFacts(np.arange(len(log.truth), dtype=np.int32), log.truth, log.goals)
    kinds = {name: model.predicates[name].types[1] for name in used}
    goal_kind = model.predicates[GOAL].types[1]
    constants = _constants(used, kinds, goal_kind, tuple(goals), int(step.max()) + 1)
    true, present = {}, {TIME: [np.stack([worlds, step], axis=1)]}
    for name, facts in used.items():
        place = {each: at for at, each in enumerate(constants[kinds[name]])}
        code = np.array([place.get(each, -1) for each in facts.names], np.int32)[facts.code]
        kept = (code >= 0) & (worlds[facts.row] >= 0)
        row, code = facts.row[kept], code[kept]
        true[name] = FactTable(worlds[row], np.stack([step[row], code], axis=1).astype(np.int32))
        present.setdefault(kinds[name], []).append(np.stack([worlds[row], code], axis=1))
    everywhere = np.indices((len(sequences), len(goals))).reshape(2, -1).T
    present.setdefault(goal_kind, []).append(everywhere)
    names = tuple(f"{log.groups[s]}/{s}" for s in sequences)
    return Database(names, constants, true, present={kind: _distinct_pairs(parts) for kind, parts in present.items()})


def _constants(
    used: Mapping[str, PredicateFacts], kinds: Mapping[str, str], goal_kind: str, goals: tuple[str, ...], steps: int
) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for name, facts in used.items():
        found.setdefault(kinds[name], {}).update(dict.fromkeys(facts.names))
    by_kind = {kind: _sort_constants(names) for kind, names in found.items()}
    return {**by_kind, TIME: tuple(map(str, range(steps))), goal_kind: goals}


def _sort_constants(names: Mapping[str, None]) -> tuple[str, ...]:
    """Return the names in database order: whole numbers ascending, then all other names."""
    numbers = [name for name in names if name.lstrip("-").isdigit()]
    return (*sorted(numbers, key=int), *(name for name in names if not name.lstrip("-").isdigit()))


def _distinct_pairs(parts: list[NDArray[np.int64]]) -> Ints:
    """Return the sorted, distinct pairs of world and code; pairs without a world are left out."""
    joined = np.concatenate(parts)
    joined = joined[joined[:, 0] >= 0].astype(np.int64)
    found = np.unique(joined[:, 0] << 32 | joined[:, 1])
    return np.stack([found >> 32, found & 0xFFFFFFFF], axis=1).astype(np.int32)


# --- from an event table; past achievements become facts --------------------------------------------------------------


PURSUIT, LAST, DONE, SINCE = "pursuit", "last", "done", "since"
UNIT = "unit"  # the player or group that is in one fold as a whole


def with_past(table: pl.DataFrame, achieved: str, sequence: Sequence[str], edges: Sequence[int]) -> pl.DataFrame:
    """Add columns for the achievements before each row: last, done, since (actions, in bins) and the pursuit.

    ``achieved`` is the column that names the goal achieved at a row; a row's own achievement is not in its past.
    """
    keys = list(sequence)
    reached = pl.col(achieved).is_not_null()
    before = (reached.cum_sum() - reached).over(keys)
    place = pl.int_range(pl.len()).over(keys)
    stretch = [*keys, "reached before"]
    goals = sorted(table[achieved].drop_nulls().unique())
    done = [
        pl.when((pl.col(achieved) == goal).fill_null(False).cum_max().shift(1).over(keys)).then(pl.lit(goal))
        for goal in goals
    ]
    table = table.with_columns(
        before.alias("reached before"),
        place.alias("place"),
        pl.col(achieved).forward_fill().shift(1).over(keys).alias(LAST),
        (pl.concat_str(done, separator=" ", ignore_nulls=True) if done else pl.lit("")).alias(DONE),
    )
    since = pl.col("place") - pl.col("place").min().over(stretch)
    table = table.with_columns(pl.struct(stretch).rle_id().alias(PURSUIT), named(since, edges).alias(SINCE))
    return table.drop("reached before", "place")


def named(number: pl.Expr, edges: Sequence[float]) -> pl.Expr:
    """Return the name of the bin of a number: its lower edge, or ``below`` for numbers under the first edge."""
    found = pl.lit("below")
    for edge in edges:
        found = pl.when(number >= edge).then(pl.lit(f"{edge:g}")).otherwise(found)
    return pl.when(number.is_not_null()).then(found)


def read_log(
    name: str,
    table: pl.DataFrame,
    columns: Columns,
    predicates: Sequence[str],
    *,
    is_simulated: bool,
    folds: int,
    seed: int,
) -> GoalLog:
    """Return the log in a table; ``columns`` names the columns of player, session, group, action and achieved.

    ``predicates`` are the columns of facts.
    """
    kept = [each for each in predicates if each != "action"]
    features = {**{each: each for each in (*kept, PURSUIT)}, UNIT: columns.group or columns.player}
    where = replace(columns, features=FrozenMap(features), name=name)
    try:
        corpus = prepare(table, where, folds=folds, seed=seed)
    except TelosError as error:
        raise error.at(name) from error
    return goal_log(name, corpus, predicates, is_simulated=is_simulated)


def goal_log(name: str, corpus: Corpus, predicates: Sequence[str], *, is_simulated: bool) -> GoalLog:
    """Convert a corpus to a log; its features become the facts of the rows."""
    frame = corpus.frame
    starts = np.flatnonzero(frame["step"].to_numpy() == 0)
    goals = tuple(sorted(frame["goal"].unique()))
    heads = frame[starts.tolist()]
    return GoalLog(
        name,
        is_simulated,
        goals,
        _encode(frame["goal"], goals),
        np.append(starts, frame.height).astype(np.int32),
        tuple(heads[UNIT].to_list()),
        heads["fold"].to_numpy().astype(np.int32),
        frame[PURSUIT].rle_id().to_numpy().astype(np.int32),
        {each: _evidence(frame[each]) for each in predicates},
        heads["player"].n_unique(),
    )


def _evidence(column: pl.Series) -> PredicateFacts:
    parts = column if column.dtype == pl.List else column.cast(pl.String).fill_null("").str.split(" ")
    rows = pl.DataFrame({"row": np.arange(len(column), dtype=np.int32), "name": parts}).explode("name")
    rows = rows.filter(pl.col("name") != "")  # an empty text is no fact
    names = tuple(rows["name"].unique(maintain_order=True))
    return PredicateFacts(rows["row"].to_numpy(), _encode(rows["name"], names), names)


def _encode(column: pl.Series, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    coded = column.replace_strict(list(names), list(range(len(names))), return_dtype=pl.Int32)
    return coded.to_numpy().astype(np.int32)


# --- the island, simulated players ------------------------------------------------------------------------------------


LENGTHS = (0, 10, 30, 60, 100, 200)  # actions since the last goal, in a few steps
ISLAND_PREDICATES = ("action", "loc", "state", "argument", SINCE, LAST, DONE)
ISLAND_COLUMNS = Columns(player="player", action="action", achieved="achieved")


def island_log(
    players: int,
    seed: int,
    *,
    folds: int,
    jobs: int = 1,
    progress: Progress | None = None,
    variant: str = TODAY,
    intentions: bool = False,
) -> GoalLog:
    """Simulate players and return their actions, each with the goal that was achieved next.

    With ``intentions``, the fact ``truth`` of a row names all goals that the player pursued.
    """
    games = record_players(players, seed, jobs, progress, variant=variant)
    table = pl.DataFrame(align_rows(iter_play_rows(games)), infer_schema_length=None)
    predicates: tuple[str, ...] = ISLAND_PREDICATES
    if intentions:
        pursued = [" ".join(goals) for game in games for goals in find_pursued(game)]
        table = table.with_columns(pl.Series("truth", pursued))
        predicates += ("truth",)
    table = table.with_columns(pl.col("achieved").cast(pl.String))  # the column has no type if no goal is achieved
    table = with_past(table, "achieved", ["player"], LENGTHS)
    return read_log("island", table, ISLAND_COLUMNS, predicates, is_simulated=True, folds=folds, seed=seed)


# --- Crafter: the next achievement of a life, one row per key ---------------------------------------------------------


THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
CARRIED = {"wood": 7, "stone": 4, "sapling": 2, "coal": 1, "iron": 1}  # more makes no difference
USED_ON = ("tree", "water", "stone", "cow", "zombie", "grass", "plant", "skeleton", "coal")
NEAR = (0, 1, 2, 3, 4, 6)
TICKS = (0, 3, 8, 15, 25, 40, 60, 90, 130, 200)
CRAFTER_CLOCK = (0, 10, 25, 50, 80, 120, 170, 220, 300)
TIMES = (0, 1, 2, 4, 8)
IDLE, BEGIN = "noop", "start"
LIFE = ["player", "episode"]
CRAFTER_COLUMNS = Columns(player="player", session="episode", action="action", achieved="unlock")
CRAFTER_NEEDED = (
    *("player", "group", "phase", "episode", "step", "action", "facing_tile", "n_unlocked", "unlock"),
    *(f"d_{thing}" for thing in THINGS),
    *CARRIED,
)
CRAFTER_PREDICATES = (
    *("action", "loc", "state", "near", "way", "trend", "carries", "used", DONE, LAST, "many", SINCE, "clock", "who"),
    *("before", "habit", "usual"),
)


def crafter_log(path: Path, *, folds: int, seed: int) -> GoalLog:
    """Return the log in ``events.csv.gz`` of human players of Crafter."""
    table = _read_csv(path, sample=10_000)
    table = table.with_columns(pl.col("unlock").cast(pl.String).replace("", None))
    habits = _predict_habits(table)
    table = with_past(table, "unlock", LIFE, TICKS)
    table = table.with_columns(pl.col(LAST).fill_null(BEGIN), _count_uses().alias("used"))
    table = table.filter((pl.col("action") != IDLE) | pl.col("unlock").is_not_null())
    table = table.join(habits, on=["episode", LAST], how="left", maintain_order="left").with_columns(*_crafter_facts())
    return read_log("crafter", table, CRAFTER_COLUMNS, CRAFTER_PREDICATES, is_simulated=False, folds=folds, seed=seed)


def _crafter_facts() -> list[pl.Expr]:
    """Return the facts of a row that follow from it and the rows before it."""
    tile = pl.concat_str(pl.lit("do_"), "facing_tile")
    return [
        pl.when(pl.col("action") == "do").then(tile).otherwise(pl.col("action")).alias("action"),
        pl.col("facing_tile").alias("loc"),
        pl.col(LAST).alias("state"),
        _join_names(pl.concat_str(pl.lit(f"{each}_"), named(pl.col(f"d_{each}"), NEAR)) for each in THINGS).alias(
            "near"
        ),
        _join_names(_distance_change(each, 1) for each in THINGS).alias("way"),
        _join_names(_distance_change(each, 3) for each in THINGS).alias("trend"),
        _join_names(
            pl.concat_str(pl.lit(f"{each}_"), pl.col(each).clip(0, most)) for each, most in CARRIED.items()
        ).alias("carries"),
        pl.col("n_unlocked").cast(pl.String).alias("many"),
        named(pl.col("step"), CRAFTER_CLOCK).alias("clock"),
        pl.concat_str("group", "phase", separator=" ").alias("who"),
    ]


def _join_names(parts: Iterable[pl.Expr]) -> pl.Expr:
    return pl.concat_str(list(parts), separator=" ", ignore_nulls=True)


def _distance_change(thing: str, keys: int) -> pl.Expr:
    """Return how the distance to the nearest ``thing`` has changed over the last ``keys`` keys."""
    now, then = pl.col(f"d_{thing}"), pl.col(f"d_{thing}").shift(keys).over(LIFE)
    gone = pl.when(then >= 0).then(pl.lit("gone"))
    way = (
        pl.when(now < 0)
        .then(gone)
        .when(then.is_null() | (then < 0))
        .then(pl.lit("new"))
        .when(now < then)
        .then(pl.lit("nearer"))
        .when(now > then)
        .then(pl.lit("farther"))
        .otherwise(pl.lit("same"))
    )
    return pl.concat_str(pl.lit(f"{thing}_"), way)


def _count_uses() -> pl.Expr:
    """Return the targets of the player's use action since the last achievement, with binned counts."""
    parts = []
    for tile in USED_ON:
        is_used = (pl.col("action") == "do") & (pl.col("facing_tile") == tile)
        times = (is_used.cum_sum() - is_used).over("pursuit")
        parts.append(pl.when(times > 0).then(pl.concat_str(pl.lit(f"{tile}_"), named(times, TIMES))))
    return _join_names(parts)


def _predict_habits(table: pl.DataFrame) -> pl.DataFrame:
    """Return the next achievement that the player's earlier lives suggest, for each life and achievement.

    ``habit`` is the achievement that followed last time, ``usual`` the most frequent one, and ``before`` all
    achievements of the previous life.
    """
    rows: list[dict[str, str | None]] = []
    followed: dict[tuple[str, str], list[str]] = {}
    before: dict[str, list[str]] = {}
    lives = table.group_by(LIFE, maintain_order=True).agg(pl.col("unlock").drop_nulls())
    for player, life, achieved in lives.iter_rows():
        joined = " ".join(sorted(before.get(player, ())))
        for last in (BEGIN, *achieved):
            known = followed.get((player, last), [])
            usual = max(reversed(known), key=known.count) if known else None
            row = {"episode": life, LAST: last, "habit": known[-1] if known else None, "usual": usual}
            rows.append({**row, "before": joined})
        steps = list(zip((BEGIN, *achieved), achieved, strict=False))
        for last, following in steps:
            followed.setdefault((player, last), []).append(following)
        before[player] = achieved
    return pl.DataFrame(rows, schema=dict.fromkeys(("episode", LAST, "habit", "usual", "before"), pl.String))


# --- StarCraft II: the next building ordered for the first time -------------------------------------------------------


STARCRAFT_CLOCK = (0, 60, 120, 180, 240, 300, 360, 420, 480, 600, 720, 900, 1200, 1500)
SECONDS = (0, 10, 20, 40, 60, 90, 120, 180, 240, 360, 600)
ORDERS = (1, 2, 3, 5, 9, 17, 33)
LATELY = (1, 2, 4, 9, 21)
COMMON = 400  # orders that are rarer than this in the whole log are replaced by their kind in the chapter's models
GAME = ["game", "player"]
STARCRAFT_COLUMNS = Columns(player="player", session="game", group="group", action="common", achieved="milestone")
STARCRAFT_NEEDED = ("group", "game", "player", "race", "opp_race", "t", "action", "kind", "done", "milestone")
STARCRAFT_PREDICATES = (
    *("action", "loc", "state", "order", "ordered", "lately", "match", "path", DONE, LAST, "many", SINCE, "clock"),
    "barred",
)
NOTHING = "none"


def starcraft_log(path: Path, *, folds: int, seed: int) -> GoalLog:
    """Return the log in ``events.csv.gz`` of human players of StarCraft II."""
    table = _read_csv(path, sample=100_000)
    table = table.rename({"action": "order", "done": "order done"})
    milestone = pl.when(pl.col("milestone") != "").then(pl.concat_str("race", "milestone", separator="_"))
    table = with_past(table.with_columns(milestone.alias("milestone")), "milestone", GAME, (0,))
    table = table.with_columns(*_starcraft_facts()).with_columns(
        _count_orders(table, GAME, ORDERS).alias("ordered"), _count_orders(table, ["pursuit"], LATELY).alias("lately")
    )
    table = table.with_columns(_impossible_goals(table).alias("barred"))
    return read_log(
        "starcraft", table, STARCRAFT_COLUMNS, STARCRAFT_PREDICATES, is_simulated=False, folds=folds, seed=seed
    )


def _starcraft_facts() -> list[pl.Expr]:
    start = pl.col("t").shift(1).over(GAME).fill_null(0)
    since = pl.col("t") - start.first().over("pursuit")
    return [
        pl.when(pl.len().over("order") >= COMMON).then("order").otherwise("kind").alias("common"),
        pl.col("race").alias("loc"),
        pl.col(LAST).fill_null(NOTHING).alias("state"),
        pl.col(LAST).fill_null(NOTHING).alias(LAST),
        pl.concat_str("race", "opp_race", separator="_").alias("match"),
        pl.col(DONE).str.replace_all(" ", "+").replace("", NOTHING).alias("path"),
        pl.col(DONE).str.split(" ").list.filter(pl.element() != "").list.len().cast(pl.String).alias("many"),
        named(since, SECONDS).alias(SINCE),
        named(pl.col("t"), STARCRAFT_CLOCK).alias("clock"),
    ]


def _count_orders(table: pl.DataFrame, over: list[str], edges: tuple[int, ...]) -> pl.Series:
    """Return binned counts of the orders up to each row, by game or since the last milestone: ``MorphDrone_9``."""
    orders = table["order"].unique(maintain_order=True)
    code = table["order"].replace_strict(orders, range(len(orders)), return_dtype=pl.Int32).to_numpy()
    begins = np.flatnonzero(table.select(pl.struct(over).rle_id().diff().fill_null(1) != 0).to_series().to_numpy())
    times = np.zeros((table.height, len(orders)), np.int32)
    times[np.arange(table.height), code] = 1
    for begin, end in zip(begins, np.append(begins[1:], table.height), strict=True):
        np.cumsum(times[begin:end], axis=0, out=times[begin:end])
    row, given = np.nonzero(times)
    reached = np.searchsorted(edges, times[row, given], side="right") - 1
    names = pl.Series([f"{order}_{edge}" for order in orders for edge in edges])
    counts = pl.DataFrame({"row": row, "name": names[given * len(edges) + reached]})
    return counts.group_by("row", maintain_order=True).agg("name")[
        "name"
    ]  # each row counts its own order, so none is empty


def _impossible_goals(table: pl.DataFrame) -> pl.Series:
    """Return the goals that are impossible at each row: those of another race and those already achieved."""
    parts = []
    for goal in sorted(table["milestone"].drop_nulls().unique()):
        is_other = pl.col("race") != goal.split("_")[0]
        is_done = pl.col(DONE).str.split(" ").list.contains(goal)
        parts.append(pl.when(is_other | is_done).then(pl.lit(goal)))
    return table.select(pl.concat_str(parts, separator=" ", ignore_nulls=True)).to_series()


# --- finding the logs of human players in a folder, by columns --------------------------------------------------------


TABLES = ("events.csv.gz", "events.csv")
KNOWN = {
    "crafter": (crafter_log, CRAFTER_NEEDED),
    "starcraft": (starcraft_log, STARCRAFT_NEEDED),
}


def find_logs(folder: Path) -> dict[str, Path]:
    """Return the tables in a folder and its direct subfolders, by the name of their game."""
    if not folder.is_dir():
        raise TelosError(f"{folder}: no such folder", f"name one that holds {TABLES[0]}, or several such folders")
    found: dict[str, Path] = {}
    seen = []
    for path in _tables(folder):
        seen.append(path)
        columns = _columns(path)
        for name, (_, wanted) in KNOWN.items():
            if set(wanted) <= columns:
                found.setdefault(name, path)
    if not found:
        held = f"{seen[0]} is none" if seen else f"there is no {TABLES[0]} in it or in a folder of it"
        raise TelosError(f"{folder}: no log of {' or '.join(KNOWN)}: {held}")
    return found


def human_log(name: str, path: Path, *, folds: int, seed: int) -> GoalLog:
    """Read the log of human players of one game, by its name in ``KNOWN``."""
    read, _ = KNOWN[name]
    with guard_polars(f"{path}: not the table that its columns promise"):
        return read(path, folds=folds, seed=seed)


def _read_csv(path: Path, *, sample: int) -> pl.DataFrame:
    source, _, _ = csv_source(str(path))
    return pl.read_csv(as_file(source), infer_schema_length=sample)


def _tables(folder: Path) -> Iterator[Path]:
    for place in (folder, *sorted(each for each in folder.iterdir() if each.is_dir())):
        yield from (place / name for name in TABLES if (place / name).is_file())


def _columns(path: Path) -> set[str]:
    try:
        return set(next(csv.reader(read_lines(path)), []))
    except csv.Error as error:
        raise TelosError(f"{path}:1: {error}", "is it a table, as the name says?") from None
