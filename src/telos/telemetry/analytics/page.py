"""The page of a goal analysis: one file that a producer reads, without network, light and dark."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from telos import web_page
from telos.files import write_text
from telos.svg import escape_text
from telos.telemetry.analytics import figures
from telos.telemetry.analytics.analysis import GoalAnalysis, duration, percent

Cells: TypeAlias = Callable[[Mapping[str, Any]], list[str]]

MAX_PLACES = 15
MAX_PURSUITS = 40
PAGE_STYLE = """
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.card { background: var(--wash); border-radius: .6rem; padding: .7rem 1rem; } .card b { display: block;
  font-size: 1.45rem; font-variant-numeric: tabular-nums; } .card span { color: var(--soft); font-size: .85rem; }
nav a { color: inherit; margin-right: 1rem; white-space: nowrap; } nav { font-size: .9rem; margin: 1.2rem 0 .4rem; }
.legend { position: sticky; top: 0; background: var(--paper); padding: .3rem 0; }
"""
_STYLE = figures.STYLE + PAGE_STYLE


def save_page(found: GoalAnalysis, path: Path, *, log: str, model: str, player: str | None = None) -> None:
    """Write the page to a file."""
    write_text(path, goal_page(found, log=log, model=model, player=player))


def goal_page(found: GoalAnalysis, *, log: str, model: str, player: str | None = None) -> str:
    """Return the page; with ``player`` the story of that player stands at its end."""
    sections = [part for part in _sections(found, player) if part[2]]
    links = " ".join(f'<a href="#{anchor}">{escape_text(name)}</a>' for anchor, name, _ in sections)
    body = [
        f"<h1>{escape_text(f'What the players of {log} are after')}</h1>",
        web_page.paragraph(f"Read by {model}. Every figure is an estimate of that model, not a report of the players."),
        _cards(found),
        f'<div class="findings">{web_page.bullets(found.why())}</div>',
        f"<nav>{links}</nav>",
        f'<div class="legend">{figures.draw_legend(found.goals)}</div>',
    ]
    for anchor, name, parts in sections:
        body += [web_page.heading(name, anchor=anchor), *parts]
    body += [web_page.heading("How it was counted"), web_page.bullets(_notes(found))]
    return web_page.web_page(f"Goals in {log}", body, style=_STYLE)


def _sections(found: GoalAnalysis, player: str | None) -> Iterable[tuple[str, str, list[str]]]:
    yield "time", "Time in each goal", [figures.draw_time(found), _time_table(found)]
    flow = figures.draw_flow(found)
    yield "flow", "How goals follow one another", [flow] if flow else []
    yield "places", "Where players linger, give up and leave", _places(found)
    weeks = figures.draw_weeks(found)
    yield "weeks", "By week of play", [weeks] if weeks else []
    segments = figures.draw_segments(found)
    yield "segments", f"By {found.rules.segment}", [segments] if segments else []
    yield "sessions", "Sessions to look at", _sessions(found)
    if player is not None:
        yield "story", f"The story of {player}", _story(found, player)


def _cards(found: GoalAnalysis) -> str:
    overview = found.overview
    shown = [
        (f"{overview['players']:,}", "players"),
        (f"{overview['sessions']:,}", "sessions"),
        (f"{overview['events']:,}", "events read"),
        (f"{overview['hours']:,.1f} h", "of play"),
        (duration(overview["session_minutes"] * 60), "median session"),
        (percent(overview["unsure"]), "of the time uncertain"),
    ]
    return cards(shown)


def cards(shown: Sequence[tuple[str, str]]) -> str:
    """Return figures, each with its name, as a row of cards."""
    inside = (
        f'<div class="card"><b>{escape_text(value)}</b><span>{escape_text(name)}</span></div>' for value, name in shown
    )
    return f'<div class="cards">{"".join(inside)}</div>'


def _time_table(found: GoalAnalysis) -> str:
    heads = ["goal", "players", "pursuits", "median length", "achieved", "given up", "session ends in it"]
    rows = []
    for row in found.time.rows(named=True):
        known = found.overview["reports_achievements"]
        achieved, stopped = (percent(row["achieved"]), percent(row["stopped"])) if known else ("–", "–")
        length = duration(row["median_seconds"])
        rows.append(
            [row["goal"], f"{row['players']:,}", f"{row['stretches']:,}", length, achieved, stopped,
             percent(row["left"])]
        )  # fmt: skip
    return web_page.table(heads, rows)


def _places(found: GoalAnalysis) -> list[str]:
    if found.places.is_empty():
        return []
    heads = ["place", "share of time", "mostly for", "mean stay", "given up here", "exits", "exits by time"]
    rows = [
        [row["place"], percent(row["share"]), row["goal"] or "unsure", duration(row["stay_seconds"] or 0.0),
         f"{row['stopped']:,}", f"{row['exits']:,}", "–" if row["exit_ratio"] is None else f"{row['exit_ratio']:.1f}×"]
        for row in found.places.head(MAX_PLACES).rows(named=True)
    ]  # fmt: skip
    more = found.places.height - MAX_PLACES
    note = "“Exits by time” compares the share of sessions that end at a place with the share of time spent there."
    note += f" {more:,} more places are in --json." if more > 0 else ""
    return [web_page.table(heads, rows, text_columns=(0, 2)), web_page.paragraph(note)]


def _sessions(found: GoalAnalysis) -> list[str]:
    parts = []
    surprising, stuck = found.most_surprising(), found.most_stuck()
    if surprising.height:
        parts.append(web_page.heading("Most surprising", 3))
        parts.append(web_page.paragraph("Here hindsight corrects the live reading most: good ones to watch."))
        parts.append(_session_table(surprising, ["surprise"], lambda row: [percent(row["surprise"])]))
    if stuck.height:
        parts.append(web_page.heading("Most stuck", 3))
        parts.append(web_page.paragraph("The longest pursuit without success, in medians of its goal."))
        parts.append(
            _session_table(stuck, ["stuck in", "medians"], lambda row: [row["stuck_in"] or "–", f"{row['stuck']:.1f}×"])
        )
    return parts


def _session_table(rows: pl.DataFrame, heads: Sequence[str], cells: Cells) -> str:
    shown = [
        [row["player"], row["session"] or f"from {row['begin']:g} s", duration(row["seconds"]), f"{row['changes']:,}",
         row["last_goal"] or "unsure", *cells(row)]
        for row in rows.rows(named=True)
    ]  # fmt: skip
    columns = ["player", "session", "length", "changes of goal", "ended in", *heads]
    texts = (0, 1, 4, 5) if "stuck in" in heads else (0, 1, 4)
    return web_page.table(columns, shown, text_columns=texts)


def _story(found: GoalAnalysis, player: str) -> list[str]:
    """Return the strips of the sessions, and a table of the pursuits that are long enough to be read."""
    sure = found.story(player).filter(pl.col("goal").is_not_null())
    rows = [
        [f"{row['number']}", duration(row["after"]), row["goal"], duration(row["seconds"]),
         percent(row["certainty"]), "achieved" if row["achieved"] else row["end"]]
        for row in sure.sort("seconds", descending=True).head(MAX_PURSUITS).sort("begin").rows(named=True)
    ]  # fmt: skip
    heads = ["session", "after", "goal", "length", "sure", "outcome"]
    parts = [
        web_page.paragraph("A strip is a session, a colour a goal, a diamond a goal achieved."),
        figures.draw_story(found, player),
        web_page.table(heads, rows, text_columns=(0, 2, 5)),
    ]
    if sure.height > MAX_PURSUITS:
        parts.append(
            web_page.paragraph(f"The {MAX_PURSUITS} longest of {sure.height:,} pursuits; --json has them all.")
        )
    return parts


def _notes(found: GoalAnalysis) -> list[str]:
    rules = found.rules
    return [
        f"A reading counts for a goal when the model is at least {percent(rules.unsure)} sure of it.",
        f"A pause of more than {duration(rules.gap)} begins another session, and counts as no time.",
        "A pursuit is a run of readings of one goal; it is given up if another follows and the log reports no success.",
        "Shares by week and segment are means over players, with 95 % intervals; groups of fewer than five players"
        " are left out.",
    ]
