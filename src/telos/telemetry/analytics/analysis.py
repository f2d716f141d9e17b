"""What players pursue, counted: time in each goal, how goals follow one another, where players linger, stop and leave.

Start with ``analyse``, which turns stretches into a ``GoalAnalysis``: tables for a program, findings in words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from telos.core.errors import TelosError, name_hint
from telos.telemetry.analytics.stretches import DAY, Stretches, StretchRules, as_rows

START, LEFT = "begins to play", "leaves"
MAX_SESSIONS = 10  # to look at, of each kind
MIN_SESSIONS = 20  # at a place, before its share of exits is a finding
MIN_PLAYERS = 5  # in a week or segment, before it is a row
_Z = 1.959964  # of a 95 % interval
_SURE = pl.col("goal").is_not_null()


@dataclass(frozen=True, slots=True)
class GoalAnalysis:
    """All tables of one log under one model; ``goals`` are in the order of the model, so that colours are stable."""

    goals: tuple[str, ...]
    rules: StretchRules
    overview: Mapping[str, Any]
    time: pl.DataFrame
    flow: pl.DataFrame
    places: pl.DataFrame
    weeks: pl.DataFrame
    segments: pl.DataFrame
    sessions: pl.DataFrame
    stretches: pl.DataFrame

    def story(self, player: str) -> pl.DataFrame:
        """Return the stretches of one player in order, each with its session's ``number`` and the seconds into it."""
        rows = self.stretches.filter(pl.col("player") == player)
        if rows.is_empty():
            known = self.stretches["player"].unique().to_list()
            raise TelosError(f"no player {player!r} in this log", name_hint(player, known))
        number = (pl.col("sitting") != pl.col("sitting").shift()).fill_null(True).cum_sum()
        return rows.with_columns(number=number, after=pl.col("begin") - pl.col("begin").first().over("sitting"))

    def most_surprising(self) -> pl.DataFrame:
        """Return the sessions in which hindsight most often corrected the reading."""
        known = self.sessions.filter(pl.col("surprise") > 0)
        return known.sort("surprise", "player", "begin", descending=[True, False, False]).head(MAX_SESSIONS)

    def most_stuck(self) -> pl.DataFrame:
        """Return the sessions with the longest stretch, in medians of its goal, that did not achieve it."""
        known = self.sessions.filter(pl.col("stuck") > 1)
        return known.sort("stuck", "player", "begin", descending=[True, False, False]).head(MAX_SESSIONS)

    def as_object(self, player: str | None = None) -> dict[str, Any]:
        """Return everything as JSON data; the stretches of one player if asked for."""
        found: dict[str, Any] = {
            "goals": list(self.goals),
            "rules": {"gap": self.rules.gap, "unsure": self.rules.unsure},
            "overview": dict(self.overview),
        }
        for name in ("time", "flow", "places", "weeks", "segments"):
            found[name] = as_rows(getattr(self, name))
        found["surprising"], found["stuck"] = as_rows(self.most_surprising()), as_rows(self.most_stuck())
        found["findings"] = list(self.why())
        if player is not None:
            found["story"] = as_rows(self.story(player))
        return found

    def why(self) -> tuple[str, ...]:
        """Return what stands out, in words, each with its numbers."""
        return (*_time_findings(self), *_flow_findings(self), *_place_findings(self), *_segment_findings(self))


def analyse(found: Stretches, goals: Sequence[str], rules: StretchRules | None = None) -> GoalAnalysis:
    """Count stretches and stays.

    >>> rows = pl.DataFrame({"player": ["ann"] * 3, "time": [0.0, 60.0, 90.0], "read": ["fish", "sell", "sell"],
    ...     "certainty": 0.9})
    >>> from telos.telemetry.analytics.stretches import find_stretches
    >>> analyse(find_stretches(rows), ["fish", "sell"]).time.select("goal", "hours", "stretches").rows()
    [('fish', 0.016666666666666666, 1), ('sell', 0.008333333333333333, 1)]
    """
    rules = rules or StretchRules()
    stretches = found.stretches
    if stretches.is_empty():
        raise TelosError("there are no readings to analyse", "look at the log and at the clock of the model")
    order = pl.Enum([*dict.fromkeys([*goals, *stretches["goal"].drop_nulls().unique(maintain_order=True)])])
    reports = bool(stretches["achieved"].any())
    sessions = _sessions(stretches)
    return GoalAnalysis(
        tuple(order.categories),
        rules,
        _overview(stretches, sessions, reports),
        _time(stretches, order),
        _flow(stretches, order),
        _places(found.stays, stretches, order),
        _shares(stretches, "week", order),
        _shares(stretches, "segment", order),
        sessions,
        stretches,
    )


# --- tables -----------------------------------------------------------------------------------------------------------


def _overview(stretches: pl.DataFrame, sessions: pl.DataFrame, reports: bool) -> dict[str, Any]:
    seconds = float(stretches["seconds"].sum())
    unsure = float(stretches.filter(~_SURE)["seconds"].sum())
    return {
        "players": stretches["player"].n_unique(),
        "sessions": sessions.height,
        "events": int(stretches["events"].sum()),
        "hours": seconds / 3600,
        "unsure": unsure / seconds if seconds else 0.0,
        "session_minutes": _number(sessions["seconds"].median()) / 60,
        "reports_achievements": reports,
    }


def _time(stretches: pl.DataFrame, order: pl.Enum) -> pl.DataFrame:
    """Return for each goal its time and share, how often and how long it is pursued, and how that ends."""
    total = stretches["seconds"].sum() or 1.0
    sure = stretches.filter(_SURE)
    if sure.is_empty():
        rows = sure.select("goal")
    is_stopped = ~pl.col("achieved") & (pl.col("end") == "changed")
    rows = sure.group_by("goal").agg(
        hours=pl.col("seconds").sum() / 3600,
        share=pl.col("seconds").sum() / total,
        players=pl.col("player").n_unique(),
        stretches=pl.len(),
        median_seconds=pl.col("seconds").median(),
        achieved=pl.col("achieved").mean(),
        stopped=is_stopped.mean(),
        left=(pl.col("end") == "left").mean(),
    )
    return _ordered(rows, "goal", order)


def _flow(stretches: pl.DataFrame, order: pl.Enum) -> pl.DataFrame:
    """Return how often each goal came after each, with the beginnings and ends of sessions."""
    sure = stretches.filter(_SURE)
    moves = sure.filter(pl.col("end") != "resumed").select(
        source="goal", target=pl.col("next").fill_null(LEFT), seconds="seconds"
    )
    first = sure.group_by("player", "sitting", maintain_order=True).first()
    starts = first.select(source=pl.lit(START), target="goal", seconds=pl.lit(0.0))
    names = pl.Enum([START, *order.categories, LEFT]) if LEFT not in order.categories else order
    counted = pl.concat([starts, moves]).group_by("source", "target").agg(count=pl.len())
    return counted.with_columns(share=pl.col("count") / pl.col("count").sum().over("source")).sort(
        pl.col("source").cast(names), pl.col("target").cast(names)
    )


def _places(stays: pl.DataFrame, stretches: pl.DataFrame, order: pl.Enum) -> pl.DataFrame:
    """Return for each place the time there, how sessions end there, and how many pursuits are given up there."""
    if stays.is_empty():
        return pl.DataFrame(schema={"place": pl.String, "hours": pl.Float64, "share": pl.Float64})
    total, exits = stays["seconds"].sum() or 1.0, stays["exits"].sum() or 1
    known = stays.filter(_SURE).with_columns(rank=pl.col("goal").cast(order))
    top = known.sort("seconds", "rank", descending=[True, False]).group_by("place").agg(goal=pl.col("goal").first())
    stopped = stretches.filter(_SURE, ~pl.col("achieved"), pl.col("end") == "changed").group_by("place").len("stopped")
    rows = stays.group_by("place").agg(pl.col("seconds", "visits", "exits").sum())
    return (
        rows.join(top, on="place", how="left")
        .join(stopped, on="place", how="left")
        .select(
            "place",
            "goal",
            hours=pl.col("seconds") / 3600,
            share=pl.col("seconds") / total,
            visits="visits",
            stay_seconds=pl.when(pl.col("visits") > 0).then(pl.col("seconds") / pl.col("visits")),
            stopped=pl.col("stopped").fill_null(0),
            exits="exits",
            exit_share=pl.col("exits") / exits,
        )
        .with_columns(exit_ratio=pl.when(pl.col("share") > 0).then(pl.col("exit_share") / pl.col("share")))
        .sort("hours", "place", descending=[True, False])
    )


def _shares(stretches: pl.DataFrame, by: str, order: pl.Enum) -> pl.DataFrame:
    """Return the mean over players of the share of time in each goal, by week or segment, with 95 % intervals.

    A player counts as one, however long they played; groups of too few players are left out.
    """
    empty = pl.DataFrame(schema={by: stretches.schema[by], "goal": pl.String, "share": pl.Float64})
    sure = stretches.filter(_SURE, pl.col(by).is_not_null())
    each = sure.group_by(by, "player", "goal").agg(pl.col("seconds").sum())
    each = each.with_columns(whole=pl.col("seconds").sum().over(by, "player")).filter(pl.col("whole") > 0)
    if each.is_empty():
        return empty
    players = each.group_by(by).agg(players=pl.col("player").n_unique()).filter(pl.col("players") >= MIN_PLAYERS)
    share = pl.col("seconds") / pl.col("whole")
    sums = each.group_by(by, "goal").agg(total=share.sum(), squares=(share**2).sum())
    rows = players.join(pl.DataFrame({"goal": order.categories}), how="cross").join(sums, on=[by, "goal"], how="left")
    count, mean = pl.col("players"), pl.col("total").fill_null(0.0) / pl.col("players")
    spread = ((pl.col("squares").fill_null(0.0) / count - mean**2).clip(0) / (count - 1).clip(1)).sqrt() * _Z
    return rows.select(
        by, "goal", "players", share=mean, low=(mean - spread).clip(0, 1), high=(mean + spread).clip(0, 1)
    ).sort(by, pl.col("goal").cast(order))


def _sessions(stretches: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each session, with how much hindsight corrects its readings and how stuck its player was."""
    usual = pl.col("seconds").median().over("goal")
    stuck = pl.when(_SURE & ~pl.col("achieved") & (usual > 0)).then(pl.col("seconds") / usual)
    rows = stretches.with_columns(stuck=stuck)
    at = pl.col("stuck").arg_max()
    return rows.group_by("player", "sitting", maintain_order=True).agg(
        pl.col("session").first(),
        begin=pl.col("begin").first(),
        seconds=pl.col("seconds").sum(),
        events=pl.col("events").sum(),
        changes=(pl.col("end") == "changed").sum(),
        surprise=(pl.col("surprise") * pl.col("events")).sum() / pl.col("events").sum(),
        stuck=pl.col("stuck").max(),
        stuck_in=pl.col("goal").get(at, null_on_oob=True),
        last_goal=pl.col("goal").drop_nulls().last(),
    )


def _ordered(rows: pl.DataFrame, column: str, order: pl.Enum) -> pl.DataFrame:
    return rows.sort(pl.col(column).cast(order))


def _number(value: Any) -> float:
    return 0.0 if value is None else float(value)


# --- findings in words ------------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """Return a share as people read it.

    >>> percent(0.4149), percent(0.004), percent(0.0)
    ('41 %', '0.4 %', '0 %')
    """
    return f"{share:.0%}".replace("%", " %") if share >= 0.095 or share == 0 else f"{share * 100:.2g} %"


def duration(seconds: float) -> str:
    """Return a time as people read it.

    >>> duration(42), duration(150), duration(7_500), duration(400_000)
    ('42 s', '2.5 min', '2.08 h', '4.63 days')
    """
    for size, name in ((DAY, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size * 1.5:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds:.3g} s"


def _time_findings(found: GoalAnalysis) -> list[str]:
    rows = found.time.sort("share", descending=True).to_dicts()
    said = []
    if rows:
        top = " and ".join(f"{each['goal']} ({percent(each['share'])})" for each in rows[:2])
        said.append(f"Most of the time goes into {top}; {percent(found.overview['unsure'])} is too uncertain to say.")
    if found.overview["reports_achievements"]:
        hard = [each for each in rows if each["stretches"] >= MIN_SESSIONS and each["stopped"] >= 0.3]
        for each in sorted(hard, key=lambda each: -each["stopped"])[:2]:
            said.append(
                f"{each['goal']} is given up in {percent(each['stopped'])} of {each['stretches']:,} pursuits"
                f" and achieved in {percent(each['achieved'])}."
            )
    return said


def _flow_findings(found: GoalAnalysis) -> list[str]:
    """Return the goal in which sessions end more often than its time suggests, and the clearest next goal."""
    said = []
    ends = found.flow.filter(pl.col("target") == LEFT)
    total = int(ends["count"].sum())
    times = dict(found.time.select("goal", "share").rows())
    rows = [(count / total, source) for source, count in ends.select("source", "count").rows()]
    often = [(share / times[goal], share, goal) for share, goal in rows if times[goal] and share >= 0.05]
    if total >= MIN_SESSIONS and often and max(often)[0] >= 1.3:
        _, share, goal = max(often)
        said.append(
            f"{percent(share)} of sessions end in pursuit of {goal}, which takes {percent(times[goal])} of time."
        )
    moves = found.flow.filter(pl.col("source") != START, pl.col("target") != LEFT, pl.col("count") >= MIN_SESSIONS)
    best = moves.filter(pl.col("share") >= 0.4).sort("share", descending=True).head(1).to_dicts()
    return said + [f"After {each['source']}, {percent(each['share'])} go on to {each['target']}." for each in best]


def _place_findings(found: GoalAnalysis) -> list[str]:
    if "exits" not in found.places.columns:
        return []
    often = found.places.filter(pl.col("exits") >= MIN_SESSIONS, pl.col("exit_ratio") >= 1.5)
    return [
        f"Sessions end at {each['place']} {each['exit_ratio']:.1f} times as often as the time spent there suggests"
        f" ({each['exits']:,} exits)."
        for each in often.sort("exit_ratio", descending=True).head(2).to_dicts()
    ]


def _segment_findings(found: GoalAnalysis) -> list[str]:
    """Return the clearest difference between two segments: the largest for the width of its interval."""
    best: tuple[float, str] = (0.0, "")
    for goal in found.goals:
        rows = found.segments.filter(pl.col("goal") == goal).to_dicts()
        for one in rows:
            for other in rows:
                apart = one["share"] - other["share"]
                width = math.hypot(one["high"] - one["share"], other["share"] - other["low"])
                if apart > max(0.02, width) and width > 0 and apart / width > best[0]:
                    best = (
                        apart / width,
                        f"{one['segment']} spends {percent(one['share'])} of its time on {goal},"
                        f" {other['segment']} {percent(other['share'])}.",
                    )
    return [best[1]] if best[1] else []
