"""Labelled corpora: actions of players, each with the goal that it led to, in folds.

``prepare`` makes a ``Corpus`` of an event table, as the Crystal Island chapter does: find the actions that achieve
goals, label every action with the next goal achieved in its sequence, remove the achieving actions and the tail, and
assign groups to folds.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.files.reading import FilePath
from telos.telemetry.canonical import DROPPED, context_column
from telos.telemetry.columns import Columns, named_columns, usual_columns
from telos.telemetry.event_log import Log, Progress, open_log
from telos.telemetry.fields import Fields, Schema, as_text
from telos.telemetry.report import LogReport
from telos.telemetry.sources.opening import Source, SourceLike, open_source, schema_of
from telos.telemetry.tables import guard_polars, pl

# --- bins -------------------------------------------------------------------------------------------------------------


def bin_names(edges: Sequence[float], *, whole: bool) -> tuple[str, ...]:
    """Return the names of the bins: below the first edge, between two, and from the last on.

    >>> bin_names([0, 1, 3, 8], whole=True)
    ('<0', '0', '1-2', '3-7', '8+')
    >>> bin_names([0, 0.5, 2], whole=False)
    ('<0', '0-0.5', '0.5-2', '2+')
    """
    between = [_between(low, high, whole) for low, high in pairwise(edges)]
    return (f"<{edges[0]:g}", *between, f"{edges[-1]:g}+")


def _between(low: float, high: float, whole: bool) -> str:
    if not whole:
        return f"{low:g}-{high:g}"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"


def bin_column(column: str, edges: Sequence[float], kind: pl.DataType) -> pl.Expr:
    """Return the name of the bin that each number of a column falls into."""
    if not kind.is_numeric():
        raise TelosError(
            f"bins are for numbers, and column {column!r} holds {kind}", "leave its bins out, or mend the log"
        )
    whole = kind.is_integer() and all(float(edge).is_integer() for edge in edges)
    number = pl.col(column).cast(pl.Float64).fill_nan(None)
    *lower, last = bin_names(edges, whole=whole)
    # The first edge above a number names its bin; a value that is not a number has no bin.
    below = [pl.when(number < edge).then(pl.lit(name)) for edge, name in zip(edges, lower, strict=True)]
    return pl.coalesce(*below, pl.when(number.is_not_null()).then(pl.lit(last)))


# --- columns of a corpus ----------------------------------------------------------------------------------------------


# Names with a blank, which no feature of a columns file can have.
ACHIEVED, GROUP, FIRST = "the goal", "the group", "the first"
_FEATURE = "feature "  # before the name of a feature that is read as it stands
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_PADDED = r"^[+-]?0[0-9]"  # 0010 is a name, not the number ten
_OWN_NAMES = {"player", "session", "step", "time", "action", "fold", "goal", "achieved", "truth", "human"}


def corpus_columns(source: Source) -> Columns:
    """Return the columns of a log that uses Telos' own names; every other column and entry of ``context`` is a feature.

    An entry with the name of a column becomes the feature ``context_NAME``.
    """
    found = usual_columns([name for name in source.names if name != "context"])
    entries = [entry.partition(".")[2] for entry in source.entries if entry.startswith("context.")]
    features = {
        f"context_{entry}" if entry in source.names or entry in _OWN_NAMES else entry: f"context.{entry}"
        for entry in entries
    }
    return replace(found, features=FrozenMap({**found.features, **features}))


def _checked(schema: Schema, columns: Columns) -> None:
    """Raise a ``TelosError`` for columns that cannot give the parts of a corpus, by their types."""
    if not schema:
        raise TelosError("the table has no columns", "record one event a line")
    if not columns.achieved and not columns.goals:
        raise TelosError(
            "nothing says which actions achieve goals",
            "write `achieved: COLUMN`, or `achieved: {actions: {ACTION: GOAL}}` into the column file",
        )
    kind = schema.get(columns.achieved)
    if kind is not None and kind not in _TEXTS:
        raise TelosError(
            f"column {columns.achieved!r} holds {kind}, and goals have names",
            f"if it is a flag, write `achieved: {{when: {columns.achieved} == 1, goal: …}}`",
        )


def _open(source: SourceLike, columns: Columns, **options: Any) -> Log:
    """Open a log with what a corpus needs: features in their own types, what folds keep together, achieving rows."""
    raw = {_FEATURE + name: column for name, column in columns.features.items() if not _is_fact(name, column, columns)}
    if columns.group:
        raw[GROUP] = columns.group
    is_time = columns.order in ("", columns.time)
    ordered = replace(columns, time=columns.order or columns.time, unit=columns.unit if is_time else 1.0)
    return open_log(source, ordered, raw=raw, marks_dropped=True, **options)


def _is_fact(feature: str, column: str, columns: Columns) -> bool:
    """Whether a feature is a fact whose type the column file says."""
    fact = columns.context.get(feature)
    return fact is not None and fact.value is None and fact.column == column


def _collect(log: Log, columns: Columns, progress: Progress | None) -> pl.DataFrame:
    """Return the rows of a log by sequence, in order, with features, the goal achieved and the group."""
    features = [
        pl.col(context_column(name) if _is_fact(name, column, columns) else _FEATURE + name).alias(name)
        for name, column in columns.features.items()
    ]
    group = _as_name(pl.col(GROUP), log.schema[GROUP]) if columns.group else pl.col("player")
    parts = [
        batch.select(
            pl.col("sequence").alias(FIRST),
            "player",
            pl.col("session").fill_null(""),
            "action",
            pl.col("goal").alias(ACHIEVED),
            DROPPED,
            group.fill_null("").alias(GROUP),
            *(["time"] if keeps_time(columns) else []),
            *features,
        )
        for batch in log.batches(progress)
    ]
    rows = _joined(parts)
    return rows if rows[FIRST].is_sorted() else rows.sort(FIRST, maintain_order=True)


def keeps_time(columns: Columns) -> bool:
    """Whether the rows of a corpus have the time, which models with a clock need, beside their step."""
    return bool(columns.time) and columns.order in ("", columns.time) and "time" not in columns.features


def _as_name(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if kind.is_nested():
        raise TelosError(f"the column of the group holds {kind}, and names are text", "name another column")
    return as_text(column, kind)


def _joined(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return all batches as one table; a feature that has other types in other files becomes text."""
    torn = {name for one, other in pairwise(parts) for name in one.columns if one.schema[name] != other.schema[name]}
    return pl.concat([part.with_columns(pl.col(name).cast(pl.String) for name in torn) for part in parts])


def _typed(rows: pl.DataFrame, features: Sequence[str]) -> pl.DataFrame:
    """Return the rows of text files with features as numbers or truth values, if all of their cells are such."""
    return rows.with_columns(_typed_column(rows[name]) for name in features if rows.schema[name] == pl.String)


def _typed_column(cells: pl.Series) -> pl.Series:
    for kind in (pl.Int64, pl.Float64):
        if not _fits(cells.head(1000), kind):
            continue
        if _fits(cells, kind) and not cells.str.contains(_PADDED).any():
            return cells.cast(kind)
    words = cells.head(1000).str.to_lowercase()
    if words.null_count() < len(words) and words.drop_nulls().is_in(["true", "false"]).all():
        words = cells.str.to_lowercase()
        if words.drop_nulls().is_in(["true", "false"]).all():
            return words == "true"
    return cells


def _fits(cells: pl.Series, kind: type[pl.Int64] | type[pl.Float64]) -> bool:
    found = cells.cast(kind, strict=False)
    return found.null_count() == cells.null_count() < len(cells)


def _bins(features: Sequence[str], columns: Columns, schema: Schema) -> list[pl.Expr]:
    found = []
    for name in features:
        if name in columns.bins:
            if not schema[name].is_numeric() and schema[name] != pl.Null:
                column = columns.features[name]
                raise TelosError(
                    f"bins are for numbers, and column {column!r} holds {schema[name]}",
                    "leave its bins out, or mend the log",
                )
            found.append(bin_column(name, columns.bins[name], schema[name]).alias(name))
    return found


# --- folds ------------------------------------------------------------------------------------------------------------


def assign_folds(sizes: Mapping[str, int], folds: int, rng: Random) -> dict[str, int]:
    """Return the fold of each group; ``sizes`` are the groups' rows.

    Large groups are assigned first, each to the fold with the fewest rows. The next group is random among the largest
    left, so that another seed gives other folds, and small groups still balance the large ones.

    >>> sorted(assign_folds({"ann": 9, "bo": 5, "cy": 4}, 2, Random(1)).values())
    [0, 1, 1]
    """
    if not 2 <= folds <= len(sizes):
        raise TelosError(_refusal(sizes, folds))
    left = sorted(sizes, key=lambda group: (sizes[group], group))  # the largest last, where removal is cheap
    lightest = [(0, fold) for fold in range(folds)]
    found = {}
    while left:
        group = left.pop(-1 - rng.randrange(min(folds, len(left))))
        rows, fold = lightest[0]
        heapq.heapreplace(lightest, (rows + sizes[group], fold))
        found[group] = fold
    return found


def _refusal(sizes: Mapping[str, int], folds: int) -> str:
    if folds < 2:
        return f"folds must be at least 2, or 0 for none, got {folds}"
    if len(sizes) == 1:
        only = next(iter(sizes))
        return (
            f"no folds with one player or group ({only!r}): nobody is left to test on; record more, or ask for 0 folds"
        )
    return (
        f"{folds} folds need as many players or groups, and there are {len(sizes)}; ask for {len(sizes)} folds or fewer"
    )


# --- checks of corpora ------------------------------------------------------------------------------------------------


def check_corpus(frame: pl.DataFrame, achieved: pl.DataFrame, columns: Columns) -> None:
    """Raise a ``TelosError`` for a corpus without goals or actions, or a player in two groups (so in two folds)."""
    where = f"column {columns.achieved or columns.action!r}"
    if not achieved.height:
        raise TelosError(f"no action achieves a goal: {where} names none", "check `achieved` in the columns file")
    if not frame.height:
        dropped = ", or `drop` may leave nothing" if columns.drop or columns.drop_values else ""
        raise TelosError(f"no action is left before a goal: {where} may hold labels, not achievements{dropped}")
    torn = frame.lazy().select("player", GROUP).unique().group_by("player").len().filter(pl.col("len") > 1).collect()
    if torn.height:
        player = min(torn["player"].to_list())
        groups = torn.filter(pl.col("player") == player)["len"].item()
        raise TelosError(f"player {player!r} is in {groups} groups", "a player belongs to one, so name another column")


# --- statistics -------------------------------------------------------------------------------------------------------


Table: TypeAlias = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The figures of Tables 3 and 4 of the chapter, and some more.

    ``goals`` counts the achievements of each goal, ``rows`` the actions that led to each; both most frequent first.
    """

    players: int
    sequences: int
    actions: int
    achieved: int
    goals: Mapping[str, int]
    rows: Mapping[str, int]
    types: Mapping[str, int]  # rows by action
    folds: tuple[int, ...]  # rows in each
    rows_read: int
    players_read: int

    @property
    def actions_per_goal(self) -> float:
        """Return the mean number of actions per achieved goal."""
        return self.actions / self.achieved if self.achieved else 0.0

    def lines(self) -> Iterator[str]:
        """Yield the tables as plain lines."""
        for i, (_, heads, rows) in enumerate(self.tables()):
            shown = [row for row in (heads, *rows) if any(row)]
            widths = [max(len(row[place]) for row in shown) for place in range(len(heads))]
            yield from [""] * bool(i)
            for first, *rest in shown:
                cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
                yield "  ".join([f"{first:<{widths[0]}}", *cells])

    def tables(self) -> Iterator[Table]:
        """Yield the tables to print: title, column headings and rows."""
        read = f" of {self.players_read:,}" if self.players_read != self.players else ""
        totals = [
            ("Total number of players", f"{self.players:,}{read}"),
            ("Total number of observed player actions", f"{self.actions:,}"),
            ("Total number of goals achieved", f"{self.achieved:,}"),
            ("Average number of player actions per goal", f"{self.actions_per_goal:.1f}"),
        ]
        yield "Observed actions and goals", ("", ""), totals
        yield "Distribution of goals", ("goal", "achieved", "share", "actions", "share"), list(self._goal_rows())
        types = [(name, f"{rows:,}", _share(rows, self.actions)) for name, rows in self.types.items()]
        yield "Actions by type", ("action", "rows", "share"), types

    def _goal_rows(self) -> Iterator[tuple[str, ...]]:
        for goal in dict.fromkeys([*self.goals, *self.rows]):
            times, rows = self.goals.get(goal, 0), self.rows.get(goal, 0)
            yield goal, f"{times:,}", _share(times, self.achieved), f"{rows:,}", _share(rows, self.actions)

    def as_object(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        said = asdict(self)
        return {**said, "folds": list(self.folds), "actions_per_goal": self.actions_per_goal}


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.1%}"


def statistics_of(
    frame: pl.DataFrame, achieved: pl.DataFrame, *, rows_read: int, players_read: int
) -> CorpusStatistics:
    """Compute the statistics of labelled actions and achieved goals."""
    sequences = frame.select(pl.struct("player", "session").rle_id().max() + 1).item() if frame.height else 0
    return CorpusStatistics(
        players=frame["player"].n_unique(),
        sequences=sequences,
        actions=frame.height,
        achieved=achieved.height,
        goals=_counts(achieved, "goal"),
        rows=_counts(frame, "goal"),
        types=_counts(frame, "action"),
        folds=tuple(_counts(frame.sort("fold"), "fold", by="fold").values()),
        rows_read=rows_read,
        players_read=players_read,
    )


def _counts(frame: pl.DataFrame, column: str, by: str = "") -> dict[Any, int]:
    counted = frame.group_by(column).len()
    # Most frequent first, ties by name, so that the order is deterministic.
    ordered = counted.sort(by) if by else counted.sort(["len", column], descending=[True, False])
    return dict(zip(ordered[column].to_list(), ordered["len"].to_list(), strict=True))


# --- Corpus -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Corpus:
    """Labelled actions, and the goals that were achieved.

    ``frame`` has the columns player, session, step (from 0, in its sequence), action, the time in seconds if the
    columns say which it is, the features, goal and fold; the rows of a sequence stand together. ``achieved`` has a row
    for each achieving action: player, session, goal, fold.
    """

    frame: pl.DataFrame
    achieved: pl.DataFrame
    features: tuple[str, ...] = ()
    rows_read: int = 0
    players_read: int = 0
    report: LogReport | None = None  # what was found in the log

    @property
    def folds(self) -> int:
        return self.frame["fold"].n_unique()

    def split(self, fold: int) -> tuple["Corpus", "Corpus"]:
        """Return the training corpus and the test corpus with one fold held out."""
        held = pl.col("fold") == fold
        return self._only(~held), self._only(held)

    def _only(self, rows: pl.Expr) -> "Corpus":
        frame = self.frame.filter(rows)
        return Corpus(frame, self.achieved.filter(rows), self.features, frame.height, frame["player"].n_unique())

    @guard_polars("the corpus cannot be counted")
    def statistics(self) -> CorpusStatistics:
        return statistics_of(self.frame, self.achieved, rows_read=self.rows_read, players_read=self.players_read)


# --- preparing --------------------------------------------------------------------------------------------------------


NOTHING = ""  # the goal of rows after the last achievement


@guard_polars("no corpus can be made of the table", "mend it first")
def prepare(
    source: SourceLike,
    columns: Columns | FilePath | None = None,
    *,
    folds: int = 10,
    seed: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Corpus:
    """Build a corpus of the log of any game: a file, a folder, a pattern or a frame; see ``open_log``.

    ``options`` are those of ``open_log``: ``skip_bad``, ``sort`` and ``drop_duplicates``. Folds are assigned by player
    (or group), balanced by rows; with ``folds=0`` all rows are in fold 0.
    """
    opened = open_source(source)
    if columns is None:
        columns = corpus_columns(opened)
    elif not isinstance(columns, Columns):
        columns = named_columns(columns)
    if columns.delimiter:
        opened = open_source(source, delimiter=columns.delimiter)
    _checked(Fields(schema_of(opened)), columns)
    log = _open(opened, columns, **options)
    rows = _collect(log, columns, progress)
    text_files = opened.files and not all(name.lower().endswith(".parquet") for name in opened.files)
    if text_files:
        rows = _typed(rows, [name for name, column in columns.features.items() if not _is_fact(name, column, columns)])
    rows = rows.with_columns(_bins(tuple(columns.features), columns, rows.schema))
    achieved = rows.filter(pl.col(ACHIEVED).is_not_null()).select("player", "session", GROUP, goal=ACHIEVED)
    frame = label_rows(rows)
    del rows  # halves the memory for ten million rows
    check_corpus(frame, achieved, columns)
    by_group = _folds(frame, folds, seed)
    # A player with achieving actions only has no rows, and so no fold.
    frame, achieved = (
        each.join(by_group, on=GROUP, how="left", maintain_order="left").drop(GROUP) for each in (frame, achieved)
    )
    read = log.report.rows - log.report.bad_rows
    return Corpus(frame, achieved, tuple(columns.features), read, log.report.players, log.report)


def label_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the actions that led to a goal, each with the goal, without those that achieved it."""
    is_last = pl.col(FIRST).ne_missing(pl.col(FIRST).shift(-1))
    # The end of a sequence counts as a goal of its own; otherwise these rows would get the next player's goal.
    goal = pl.coalesce(ACHIEVED, pl.when(is_last).then(pl.lit(NOTHING))).backward_fill()
    kept = pl.col(ACHIEVED).is_null() & (pl.col("goal") != NOTHING) & ~pl.col(DROPPED)
    frame = rows.lazy().with_columns(goal=goal).filter(kept).drop(ACHIEVED, DROPPED)
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    is_first = pl.col(FIRST).ne_missing(pl.col(FIRST).shift(1))
    step = (place - pl.when(is_first).then(place).forward_fill()).cast(pl.Int32)
    frame = frame.with_columns(step=step)
    own = ["player", "session", "step", "action", "goal", GROUP, FIRST]
    return frame.select(*own[:4], pl.all().exclude(own), "goal", GROUP).collect()


def _folds(frame: pl.DataFrame, folds: int, seed: int) -> pl.DataFrame:
    """Return the fold of each group."""
    sizes = frame.group_by(GROUP).len()
    if folds == 0:
        return sizes.select(GROUP, fold=pl.lit(0, pl.Int32))
    found = assign_folds(dict(sizes.iter_rows()), folds, Random(seed))
    return pl.DataFrame({GROUP: list(found), "fold": list(found.values())}, schema={GROUP: pl.String, "fold": pl.Int32})
