"""From readings to stretches: what each player was after, from when to when, and how it ended.

A *reading* is a row for each event: who, when, the goal that was read, how sure it is, and what was achieved. A
*stretch* is a run of readings of one goal within one session. Everything later is counted from stretches and stays,
which are far fewer than events, and those of different players can be made apart and put together.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

try:
    import polars as pl
except ImportError as missing:  # pragma: no cover
    raise ImportError("goal analytics need polars; install telos[telemetry]") from missing

from telos.core.errors import TelosError, name_hint

DAY, WEEK = 86_400.0, 604_800.0
REQUIRED = {"player": pl.String, "time": pl.Float64, "read": pl.String, "certainty": pl.Float64}
OPTIONAL = {"session": pl.String, "achieved": pl.String, "surprise": pl.Float64}


@dataclass(frozen=True, slots=True)
class StretchRules:
    """How readings are cut into sessions and stretches.

    A pause of more than ``gap`` seconds begins another session and counts as no time. Readings less certain than
    ``unsure`` are nobody's goal. ``where`` and ``segment`` are columns of the log: where an event happened, and to
    which group its player belongs.
    """

    gap: float = 1800.0
    unsure: float = 0.5
    where: str | None = None
    segment: str | None = None

    def __post_init__(self) -> None:
        if not self.gap > 0:
            raise TelosError(f"the gap between sessions must be more than 0 seconds, got {self.gap}")
        if not 0 <= self.unsure <= 1:
            raise TelosError(f"unsure is a certainty from 0 to 1, got {self.unsure}")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the log that are read besides the readings themselves."""
        return tuple(each for each in (self.where, self.segment) if each is not None)


@dataclass(frozen=True, slots=True)
class Stretches:
    """Stretches of goals, and stays at places, of whole players; those of different players can be added."""

    stretches: pl.DataFrame
    stays: pl.DataFrame

    def __add__(self, other: "Stretches") -> "Stretches":
        stays = pl.concat([self.stays, other.stays]).group_by("place", "goal", maintain_order=True).sum()
        return Stretches(pl.concat([self.stretches, other.stretches]), stays)


def find_stretches(readings: pl.DataFrame | pl.LazyFrame, rules: StretchRules | None = None) -> Stretches:
    """Cut the readings of whole players into stretches; the rows of a player are in order of time.

    ``readings`` has the columns ``player``, ``time``, ``read`` and ``certainty``, and may have ``session``,
    ``achieved`` and ``surprise``.

    >>> seen = pl.DataFrame({"player": ["ann"] * 4, "time": [0.0, 60.0, 90.0, 100.0],
    ...     "read": ["fish", "fish", "sell", "sell"], "certainty": 0.9, "achieved": [None, None, "fish", None]})
    >>> find_stretches(seen).stretches.select("goal", "seconds", "achieved", "end").rows()
    [('fish', 90.0, True, 'changed'), ('sell', 10.0, False, 'left')]
    """
    rules = rules or StretchRules()
    events = _events(_checked(readings.lazy(), rules), rules)
    stretches, stays = pl.collect_all([_stretches(events), _stays(events)])
    return Stretches(stretches, stays)


def _checked(readings: pl.LazyFrame, rules: StretchRules) -> pl.LazyFrame:
    """Return the columns that are needed, in their types; those that the log lacks are null."""
    schema = readings.collect_schema()
    for name in (*REQUIRED, *rules.columns):
        if name not in schema:
            raise TelosError(f"the readings have no column {name!r}", name_hint(name, schema.names()))
    needed: list[pl.Expr] = [pl.col(name).cast(kind) for name, kind in REQUIRED.items()]
    for name, kind in OPTIONAL.items():
        needed.append(pl.col(name).cast(kind) if name in schema else pl.lit(None, kind).alias(name))
    for name, column in (("place", rules.where), ("segment", rules.segment)):
        value = pl.lit(None, pl.String) if column is None else pl.col(column).cast(pl.String)
        needed.append(value.alias(name))
    return readings.select(needed)


def _events(readings: pl.LazyFrame, rules: StretchRules) -> pl.LazyFrame:
    """Add to each reading its session and stretch, and the seconds until the next of its session."""
    time, player = pl.col("time"), pl.col("player")
    begins = (
        player.ne_missing(player.shift())
        | pl.col("session").ne_missing(pl.col("session").shift())
        | (time - time.shift() > rules.gap)
    ).fill_null(True)
    sure = pl.when(pl.col("certainty") >= rules.unsure).then(pl.col("read"))
    return (
        readings.with_columns(sitting=begins.cum_sum(), goal=sure, week=_week())
        .with_columns(
            stretch=(begins | pl.col("goal").ne_missing(pl.col("goal").shift())).cum_sum(),
            seconds=pl.when(pl.col("sitting") == pl.col("sitting").shift(-1))
            .then(time.shift(-1) - time)
            .otherwise(0.0)
            .fill_null(0.0),
        )
        .with_columns(reported=_reported())
    )


def _week() -> pl.Expr:
    """Return the player's week of play: 0 from the first event on."""
    first = pl.col("time").first().over("player")
    return ((pl.col("time") - first) / WEEK).floor().cast(pl.Int32)


def _reported() -> pl.Expr:
    """Return what was achieved by the time of the next event: games often report it with the next thing done."""
    following = pl.when(pl.col("sitting") == pl.col("sitting").shift(-1)).then(pl.col("achieved").shift(-1))
    return (pl.col("achieved") == pl.col("goal")).fill_null(False) | (following == pl.col("goal")).fill_null(False)


def _stretches(events: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row for each stretch and what followed: ``changed`` to another goal, ``resumed`` or ``left``.

    Uncertain readings have no goal and are skipped: what follows a stretch is the next that has one.
    """
    rows = events.group_by("stretch", maintain_order=True).agg(
        pl.col("player", "session", "sitting", "goal", "week", "segment").first(),
        begin=pl.col("time").first(),
        seconds=pl.col("seconds").sum(),
        events=pl.len(),
        certainty=pl.col("certainty").mean(),
        surprise=pl.col("surprise").mean(),
        achieved=pl.col("reported").any(),
        place=pl.col("place").last(),
    )
    known = pl.col("goal").is_not_null()
    following = pl.when(known).then(pl.col("goal")).shift(-1).backward_fill().over("sitting")
    is_last = pl.col("stretch") == pl.col("stretch").last().over("sitting")
    resumes = pl.when(following == pl.col("goal")).then(pl.lit("resumed")).otherwise(pl.lit("changed"))
    ends = pl.when(following.is_null()).then(pl.lit("left")).otherwise(resumes)
    return rows.with_columns(
        next=pl.when(known).then(following),
        end=pl.when(known).then(ends),
        is_last=is_last,
    ).select(
        "player", "session", "sitting", "segment", "week", "begin", "seconds", "events", "goal", "certainty",
        "surprise", "achieved", "end", "next", "place", "is_last",
    )  # fmt: skip


def _stays(events: pl.LazyFrame) -> pl.LazyFrame:
    """Return for each place and goal the seconds, the visits, and the sessions that ended there."""
    place = pl.col("place")
    arrives = place.ne_missing(place.shift()) | (pl.col("sitting") != pl.col("sitting").shift())
    leaves = pl.col("sitting").ne_missing(pl.col("sitting").shift(-1))
    return (
        events.with_columns(arrives=arrives.fill_null(True), leaves=leaves)
        .filter(place.is_not_null())
        .group_by("place", "goal")
        .agg(
            seconds=pl.col("seconds").sum(),
            visits=pl.col("arrives").sum().cast(pl.Int64),
            exits=pl.col("leaves").sum().cast(pl.Int64),
        )
        .sort("place", "goal", nulls_last=True)
    )


def check_columns(names: Mapping[str, str | None], known: Collection[str], log: str) -> None:
    """Refuse options that name a column which the log has not, before any work."""
    for option, name in names.items():
        if name is not None and name not in known:
            raise TelosError(f"{log}: no column {name!r}, which {option} asks for", name_hint(name, known))


def as_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON data, numbers rounded to six places."""
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    return frame.with_columns(pl.col(name).round(6) for name in floats).to_dicts()
