"""Pictures of a goal analysis: time, flow, weeks, segments and the story of a player, as SVG.

Each goal has one colour in all of them; what is uncertain is grey.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from telos.svg import COLOURS, Scale, box, clip_text, element, escape_text, figure, segment, tenths, text, title
from telos.telemetry.analytics.analysis import LEFT, START, GoalAnalysis, duration, percent

WIDTH = 760.0
_ROW, _LABEL = 26.0, 170.0
_MIN_BAND = 1.0  # pixels; a thinner band of the flow is not drawn
_LONGEST = 22  # characters of a label

STYLE = """
.fig .unsure { fill: var(--rule); } .fig .end { fill: var(--soft); } .fig .flow { stroke: none; opacity: .38; }
.fig .flow:hover { opacity: .75; } .fig .won { fill: var(--paper); stroke: var(--ink); stroke-width: 1.4; }
"""


def goal_look(goals: Sequence[str], goal: str | None) -> str:
    """Return the class of the colour of a goal."""
    return f"f{goals.index(goal) % COLOURS}" if goal in goals else "unsure" if goal is None else "end"


def draw_time(found: GoalAnalysis) -> str:
    """Draw the share of time in each goal as bars."""
    rows = [*found.time.select("goal", "share", "hours").rows()]
    across = Scale(0.0, max([share for _, share, _ in rows] or [1.0]), _LABEL, WIDTH - 150)
    parts = []
    for number, (goal, share, hours) in enumerate(rows):
        y = 8 + number * _ROW
        tip = f"{goal}: {percent(share)} of the time, {hours:,.1f} h"
        parts.append(_label(_LABEL - 10, y + 14, goal, "end"))
        parts.append(box(_LABEL, y, across(share) - _LABEL, 18, goal_look(found.goals, goal), tip))
        parts.append(text(across(share) + 8, y + 14, f"{percent(share)} · {hours:,.1f} h", look="soft small"))
    return figure(WIDTH, 12 + _ROW * max(1, len(rows)), parts, label="Share of time in each goal")


def draw_flow(found: GoalAnalysis) -> str:
    """Draw what players were after, on the left, and what they were after next, on the right."""
    rows = found.flow.select("source", "target", "count").rows()
    if not rows:
        return ""
    sources = [name for name in (START, *found.goals) if any(source == name for source, _, _ in rows)]
    targets = [name for name in (*found.goals, LEFT) if any(target == name for _, target, _ in rows)]
    total = sum(count for _, _, count in rows)
    height = max(220.0, 30.0 * max(len(sources), len(targets)))
    left, right = _LABEL, WIDTH - _LABEL
    per_side = {side: (height - 8.0 * (len(names) - 1)) / total for side, names in (("l", sources), ("r", targets))}
    scale = min(per_side.values())
    starts = _stack(sources, {name: sum(c for s, _, c in rows if s == name) * scale for name in sources}, height)
    ends = _stack(targets, {name: sum(c for _, t, c in rows if t == name) * scale for name in targets}, height)
    parts, at, to = [], {name: y for name, (y, _) in starts.items()}, {name: y for name, (y, _) in ends.items()}
    for source in sources:
        out = sum(count for name, _, count in rows if name == source)
        for target in targets:
            count = next((count for one, other, count in rows if (one, other) == (source, target)), 0)
            thick = count * scale
            if thick >= _MIN_BAND:
                tip = f"{source} → {target}: {count:,} times, {percent(count / out)} of what follows"
                look = f"flow {goal_look(found.goals, source)}"
                parts.append(_ribbon(left + 12, at[source], right - 12, to[target], thick, look, tip))
            at[source] += thick
            to[target] += thick
    parts += _columns(found.goals, starts, left, is_left=True) + _columns(found.goals, ends, right - 12, is_left=False)
    return figure(WIDTH, height + 20, parts, label="How goals follow one another")


def _stack(names: Sequence[str], sizes: Mapping[str, float], height: float) -> dict[str, tuple[float, float]]:
    """Return the top and the height of each part of a column, spread over the whole height."""
    room = height - sum(sizes.values())
    apart = room / max(1, len(names) - 1) if len(names) > 1 else 0.0
    found, y = {}, 10.0
    for name in names:
        found[name] = (y, sizes[name])
        y += sizes[name] + apart
    return found


def _columns(goals: Sequence[str], parts: Mapping[str, tuple[float, float]], x: float, *, is_left: bool) -> list[str]:
    drawn = []
    for name, (y, height) in parts.items():
        drawn.append(box(x, y, 12, max(1.5, height), goal_look(goals, name), name))
        place, anchor = (x - 8, "end") if is_left else (x + 20, "start")
        drawn.append(_label(place, y + height / 2 + 4, name, anchor))
    return drawn


def _ribbon(x1: float, y1: float, x2: float, y2: float, thick: float, look: str, tip: str) -> str:
    middle = (x1 + x2) / 2
    down = f"M{x1:.1f} {y1:.1f}C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}V{y2 + thick:.1f}"
    back = f"C{middle:.1f} {y2 + thick:.1f} {middle:.1f} {y1 + thick:.1f} {x1:.1f} {y1 + thick:.1f}Z"
    return element("path", title(tip), d=down + back, class_=look)


def draw_weeks(found: GoalAnalysis) -> str:
    """Draw the shares of the goals by week of play as stacked columns, with the number of players below."""
    weeks = found.weeks["week"].unique().sort().to_list() if found.weeks.height else []
    if len(weeks) < 2:
        return ""
    wide = min(64.0, (WIDTH - 60) / len(weeks))
    up = Scale(0.0, 1.0, 220.0, 10.0)
    parts = [segment(48, up(level), 48 + wide * len(weeks), up(level), "rule") for level in (0.25, 0.5, 0.75, 1.0)]
    parts += [text(40, up(level) + 4, percent(level), anchor="end", look="soft small") for level in (0.0, 0.5, 1.0)]
    for number, week in enumerate(weeks):
        rows = found.weeks.filter(pl.col("week") == week)
        x, base = 48 + number * wide, 0.0
        whole = float(rows["share"].sum()) or 1.0
        for goal, share in rows.select("goal", "share").rows():
            top = base + share / whole
            tip = f"week {week + 1}, {goal}: {percent(share)} of a player's time"
            parts.append(box(x + 2, up(top), wide - 4, up(base) - up(top), goal_look(found.goals, goal), tip))
            base = top
        middle = x + wide / 2
        parts.append(text(middle, 238, f"{week + 1}", anchor="middle", look="small"))
        parts.append(text(middle, 254, f"{rows['players'][0]:,}", anchor="middle", look="soft small"))
    parts.append(text(48, 274, "week of play, and its players", look="soft small"))
    return figure(WIDTH, 284, [*parts], label="Goals by week of play")


def draw_segments(found: GoalAnalysis) -> str:
    """Draw for each goal the share in each segment as a dot with its interval."""
    rows = found.segments.rows(named=True)
    segments = list(dict.fromkeys(row["segment"] for row in rows))
    if len(segments) < 2:
        return ""
    most = max(row["high"] for row in rows) or 1.0
    across, y, parts = Scale(0.0, most, _LABEL + 100, WIDTH - 70), 10.0, []
    for goal in found.goals:
        parts.append(_label(8, y + 13, goal, "start", bold=True))
        for row in (row for row in rows if row["goal"] == goal):
            middle = y + 9
            tip = f"{row['segment']}, {goal}: {percent(row['share'])} ({percent(row['low'])} to {percent(row['high'])})"
            parts.append(_label(_LABEL + 90, y + 13, row["segment"], "end"))
            parts.append(segment(across(0), middle, across(most), middle, "rule"))
            parts.append(segment(across(row["low"]), middle, across(row["high"]), middle, "whisker"))
            look = goal_look(found.goals, goal)
            parts.append(element("circle", title(tip), cx=tenths(across(row["share"])), cy=middle, r=4.5, class_=look))
            parts.append(text(WIDTH - 60, y + 13, percent(row["share"]), look="soft small"))
            y += 20
        y += 8
    return figure(WIDTH, y + 4, parts, label="Goals by segment, with 95 % intervals")


def draw_story(found: GoalAnalysis, player: str) -> str:
    """Draw the sessions of a player, a strip each; a diamond is a goal achieved."""
    rows = found.story(player)
    sittings = rows.partition_by("sitting", maintain_order=True)
    longest = max(float(each["seconds"].sum()) for each in sittings) or 1.0
    across, parts = Scale(0.0, longest, 70.0, WIDTH - 20), []
    for number, each in enumerate(sittings):
        parts += _strip(found.goals, each.rows(named=True), number, across)
    bottom = 14 + 30 * len(sittings)
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        parts.append(
            text(across(longest * share), bottom + 8, duration(longest * share), anchor=anchor, look="soft small")
        )
    return figure(WIDTH, bottom + 18, parts, label=f"The sessions of {player}")


def _strip(goals: Sequence[str], rows: Sequence[Mapping[str, Any]], number: int, across: Scale) -> list[str]:
    y, at = 8 + 30.0 * number, 0.0
    parts = [text(60, y + 14, f"{number + 1}", anchor="end", look="soft small")]
    wins = []
    for row in rows:
        end = at + row["seconds"]
        goal = row["goal"] or "unsure"
        tip = f"{goal}, {duration(row['seconds'])}, {percent(row['certainty'])} sure"
        tip += ", achieved" if row["achieved"] else ""
        wide = max(1.0, across(end) - across(at))
        parts.append(box(across(at), y, wide, 20, goal_look(goals, row["goal"]), tip))
        if row["achieved"]:
            wins.append(_diamond(across(end), y + 10))
        at = end
    return parts + wins


def _diamond(x: float, y: float) -> str:
    return element("path", d=f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5Z", class_="won")


def draw_legend(goals: Sequence[str]) -> str:
    """Draw the colours of the goals and of what is uncertain."""
    parts, x, y = [], 0.0, 12.0
    for goal in (*goals, None):
        name = clip_text(goal or "unsure", _LONGEST)
        wide = 20 + 6.8 * len(name) + 16
        if x and x + wide > WIDTH:
            x, y = 0.0, y + 22
        parts.append(box(x, y - 9, 12, 12, goal_look(goals, goal)))
        parts.append(text(x + 18, y + 2, name, look="small"))
        x += wide
    return figure(WIDTH, y + 10, parts, label="Colours of the goals")


def _label(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    shown = clip_text(words, _LONGEST)
    look = "title" if bold else ""
    tip = title(words) if shown != words else ""
    return element("text", escape_text(shown) + tip, x=tenths(x), y=tenths(y), text_anchor=anchor, class_=look)
