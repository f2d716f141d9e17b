"""Labelled corpora: actions of players, each with the goal that it led to, in folds.

``prepare`` makes a ``Corpus`` of an event table, as the Crystal Island chapter does: find the actions that achieve
goals, label every action with the next goal achieved in its sequence, remove the achieving actions and the tail, and
assign groups to folds.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.telemetry.columns import Columns
from telos.telemetry.fields import Schema, as_expression
from telos.telemetry.tables import collect_table, guard_polars, pl

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
ROW, ORDER, ACHIEVED, GROUP, DROPPED, FIRST = "the row", "the order", "the goal", "the group", "is dropped", "the first"

_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)


def parts_of(schema: Schema, columns: Columns) -> list[pl.Expr]:
    """Return the expressions to select from a table; raise a ``TelosError`` for a missing column or a wrong type."""
    if not schema:
        raise TelosError("the table has no columns", "record one event a line")
    for column in columns.corpus_columns:
        if column not in schema:
            raise TelosError(f"there is no column {column!r}", name_hint(column, schema))
    for column in columns.name_columns:
        if schema[column].is_nested() and column != columns.achieved:
            raise TelosError(f"column {column!r} holds {schema[column]}, and names are text", "name another column")
    return [pl.int_range(pl.len(), dtype=pl.UInt32).alias(ROW), *_names(columns), *_own(schema, columns)]


def _names(columns: Columns) -> Iterator[pl.Expr]:
    player = pl.col(columns.player).cast(pl.String) if columns.player else pl.lit("player")
    yield player.alias("player")
    session = pl.col(columns.session).cast(pl.String).fill_null("") if columns.session else pl.lit("")
    yield session.alias("session")
    action = pl.col(columns.action).cast(pl.String)
    yield (action.replace(dict(columns.actions)) if columns.actions else action).alias("action")
    yield (pl.col(columns.group).cast(pl.String) if columns.group else player).alias(GROUP)


def _own(schema: Schema, columns: Columns) -> Iterator[pl.Expr]:
    if columns.order:
        yield _order(columns.order, schema[columns.order]).alias(ORDER)
    yield _achieved(schema, columns).alias(ACHIEVED)
    yield _dropped(schema, columns).alias(DROPPED)
    for feature, column in columns.features.items():
        yield _feature(column, schema[column], columns.bins.get(feature)).alias(feature)


def _dropped(schema: Schema, columns: Columns) -> pl.Expr:
    drop = pl.lit(False) if columns.drop is None else as_expression(columns.drop, schema)
    for column, values in columns.drop_values.items():
        drop |= pl.col(column).cast(pl.String).is_in(values).fill_null(False)
    return drop


def _feature(column: str, kind: pl.DataType, edges: Sequence[float] | None) -> pl.Expr:
    if edges is not None:
        return bin_column(column, edges, kind)
    # An empty cell is a missing value in every format, because CSV cannot distinguish the two.
    return pl.when(pl.col(column) != "").then(pl.col(column)) if kind == pl.String else pl.col(column)


def _order(column: str, kind: pl.DataType) -> pl.Expr:
    if kind.is_numeric() or kind.is_temporal():
        return pl.col(column)
    if kind != pl.String:
        raise TelosError(f"column {column!r} holds {kind}, which has no order", "name one with numbers or times")
    number = pl.col(column).cast(pl.Float64, strict=False)
    time = pl.col(column).str.to_datetime(strict=False, time_unit="us", format="%+").dt.epoch("us") / 1e6
    plain = (
        pl.col(column).str.to_datetime(strict=False, time_unit="us", format="%Y-%m-%d %H:%M:%S%.f").dt.epoch("us") / 1e6
    )
    return pl.coalesce(number, time, plain)


def _achieved(schema: Schema, columns: Columns) -> pl.Expr:
    if not columns.achieved:
        if not columns.goals:
            raise TelosError("nothing says which actions achieve goals", "name a column, or actions and their goals")
        return (
            pl.col(columns.action)
            .cast(pl.String)
            .replace_strict(dict(columns.goals), default=None, return_dtype=pl.String)
        )
    kind = schema[columns.achieved]
    if kind not in _TEXTS:
        raise TelosError(
            f"column {columns.achieved!r} holds {kind}, and goals have names",
            f"if it is a flag, write `achieved: {{when: {columns.achieved} == 1, goal: …}}`",
        )
    name = pl.col(columns.achieved).cast(pl.String).str.strip_chars()
    holds = as_expression(columns.when, schema)
    return pl.when((name != "") & holds).then(name)


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


# --- checks of rows ---------------------------------------------------------------------------------------------------


def check_rows(rows: pl.DataFrame, columns: Columns) -> None:
    """Raise a ``TelosError`` for a table without rows, or a row without a player, an action, a group or a time."""
    if not rows.height:
        raise TelosError("the table has no rows", "record one event a line")
    parts = {"player": columns.player, "action": columns.action, GROUP: columns.group, ORDER: columns.order}
    for part, column in parts.items():
        if not column:
            continue
        empty = rows[part].is_null()
        if rows[part].dtype == pl.String:
            empty |= rows[part] == ""
        elif rows[part].dtype.is_float():
            empty |= ~rows[part].is_finite().fill_null(False)
        if empty.any():
            row = rows.row(int(empty.arg_max() or 0), named=True)[ROW] + 1
            what = "nothing that can be put in order" if part == ORDER else "nothing"
            raise TelosError(f"row {row}: column {column!r} says {what}", "mend the row or leave it out")


def check_order(rows: pl.DataFrame, columns: Columns) -> None:
    """Raise a ``TelosError`` for a sequence whose time runs backwards."""
    is_same = pl.col(FIRST) == pl.col(FIRST).shift(1)
    backwards = rows.select(is_same & (pl.col(ORDER) < pl.col(ORDER).shift(1))).to_series().fill_null(False)
    if not backwards.any():
        return
    at = int(backwards.arg_max() or 0)
    before, row = rows.row(at - 1, named=True), rows.row(at, named=True)
    remedy = f"name the column of the session, or write `order: {{column: {columns.order}, sort: true}}`"
    raise TelosError(
        f"row {row[ROW] + 1}: {columns.order!r} runs backwards for player {row['player']!r}, "
        f"from {before[ORDER]} to {row[ORDER]}",
        remedy,
    )


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

    ``frame`` has the columns player, session, step (from 0, in its sequence), action, the features, goal and fold; the
    rows of a sequence stand together. ``achieved`` has a row for each achieving action: player, session, goal, fold.
    """

    frame: pl.DataFrame
    achieved: pl.DataFrame
    features: tuple[str, ...] = ()
    rows_read: int = 0
    players_read: int = 0

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
def prepare(table: pl.LazyFrame | pl.DataFrame, columns: Columns, *, folds: int = 10, seed: int = 1) -> Corpus:
    """Build a corpus from an event table.

    Folds are assigned by player (or group), balanced by rows; with ``folds=0`` all rows are in fold 0.
    """
    rows = collect_table(table.lazy().select(parts_of(table.lazy().collect_schema(), columns)))
    check_rows(rows, columns)
    rows = in_sequence(rows, columns)
    read, players = rows.height, rows["player"].n_unique()
    achieved = rows.filter(pl.col(ACHIEVED).is_not_null()).select("player", "session", GROUP, goal=ACHIEVED)
    frame = label_rows(rows)
    del rows  # halves the memory for ten million rows
    check_corpus(frame, achieved, columns)
    by_group = _folds(frame, folds, seed)
    # A player with achieving actions only has no rows, and so no fold.
    frame, achieved = (
        each.join(by_group, on=GROUP, how="left", maintain_order="left").drop(GROUP) for each in (frame, achieved)
    )
    return Corpus(frame, achieved, tuple(columns.features), read, players)


def in_sequence(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Return the rows grouped by sequence, in order; ``FIRST`` identifies the sequence."""
    keys = ["player", "session"] if columns.session else ["player"]
    rows = rows.with_columns(pl.col(ROW).first().over(keys).alias(FIRST))
    if columns.order and columns.sort:
        return rows.sort(FIRST, ORDER, maintain_order=True).drop(ROW, ORDER)
    if not rows[FIRST].is_sorted():
        rows = rows.sort(FIRST, maintain_order=True)
    if columns.order:
        check_order(rows, columns)
        rows = rows.drop(ORDER)
    return rows.drop(ROW)


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
