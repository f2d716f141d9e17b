"""The page of an evaluation: how often recognisers are right, about whom, what they mix up, and how sure they may be.

One file without network, light and dark.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from telos import web_page
from telos.files import write_text
from telos.svg import (
    COLOURS,
    Scale,
    box,
    clip_text,
    curve,
    dot,
    element,
    escape_text,
    figure,
    segment,
    text,
)
from telos.telemetry.analytics.analysis import percent
from telos.telemetry.analytics.page import PAGE_STYLE, cards
from telos.telemetry.bulk.evaluation import Evaluation

WIDTH, _LABEL, _ROW = 760.0, 190.0, 30.0
_STYLE = (
    PAGE_STYLE
    + """
.heat td { text-align: right; position: relative; } .heat td.cell { background: color-mix(in srgb,
  var(--c) calc(var(--p) * 1%), var(--paper)); } .heat .right { --c: #2a9d8f; } .heat .wrong { --c: #d9772b; }
.heat td { min-width: 4.5rem; } .heat td:first-child { text-align: left; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.2rem; }
"""
)
_HISTOGRAM_BINS = 10
_ENOUGH = 20  # updates in a bin, before its dot is filled


def save_scores(
    scores: Mapping[str, Evaluation],
    path: Path,
    *,
    log: str,
    goals: Mapping[str, Sequence[str]],
    folds: int | None = None,
) -> None:
    """Write the page to a file."""
    write_text(path, scores_page(scores, log=log, goals=goals, folds=folds))


def scores_page(
    scores: Mapping[str, Evaluation], *, log: str, goals: Mapping[str, Sequence[str]], folds: int | None = None
) -> str:
    """Return the page of some models that were scored at the same updates; ``goals`` are those of each model."""
    first = next(iter(scores.values()))
    best = max(scores.values(), key=lambda each: each.accuracy)
    shown = [
        (percent(best.accuracy), "right, by the best model"),
        (f"{first.updates:,}", "updates scored"),
        (f"{first.players.height:,}", "players"),
    ]
    if folds is not None:
        shown.append((f"{folds}", "folds of players"))
    body = [
        f"<h1>{escape_text(f'How well the goals of {log} are read')}</h1>",
        web_page.paragraph("Each model is compared with the goals that the log states, at the same updates."),
        cards(shown),
        f'<div class="findings">{web_page.bullets(findings(scores, folds))}</div>',
        web_page.heading("How often the likeliest goal was right", anchor="accuracy"),
        draw_accuracy(scores),
        _score_table(scores),
    ]
    if first.players.height > 1:
        body += [
            web_page.heading("Who is read well, and who is not", anchor="players"),
            _pictures([(name, draw_players(each, number)) for number, (name, each) in enumerate(scores.items())]),
            *_worst_players(best),
        ]
    body += [
        web_page.heading("What is taken for what", anchor="confusion"),
        web_page.paragraph("A row is a goal that players had; its cells say how its updates were read."),
        *(part for name, each in scores.items() for part in (web_page.heading(name, 3), _heat(each, goals[name]))),
        web_page.heading("Is it as sure as it may be?", anchor="calibration"),
        web_page.paragraph(
            "Of all updates at which the likeliest goal had this chance, so many were right. On the line, a belief"
            " of 80 % is right in 80 of 100 cases; below it, the model is too sure of itself."
        ),
        _pictures([(name, draw_calibration(each, number)) for number, (name, each) in enumerate(scores.items())]),
        web_page.heading("How it was counted"),
        web_page.bullets(_notes(folds)),
    ]
    return web_page.web_page(f"Scores on {log}", body, style=_STYLE)


# --- words ------------------------------------------------------------------------------------------------------------


def findings(scores: Mapping[str, Evaluation], folds: int | None = None) -> list[str]:
    """Return what stands out, in words, each with its numbers."""
    ranked = sorted(scores.values(), key=lambda each: -each.accuracy)
    best = ranked[0]
    said = [f"{best.model} is right at {percent(best.accuracy)} of the updates of a player{_interval_text(best)}."]
    for other in ranked[1:]:
        lead, low, high = best.lead_over(other)
        if math.isnan(low):
            continue
        verdict = "more often right than" if low > 0 else "not surely better than"
        said.append(
            f"{best.model} is {verdict} {other.model}: by {lead * 100:.1f} points over the same players"
            f" (95 % interval {low * 100:.1f} to {high * 100:.1f})."
        )
    mixed = best.confusion.filter(pl.col("truth") != pl.col("believed")).sort("updates", descending=True)
    if mixed.height:
        truth, believed, count = mixed.row(0)
        whole = int(best.confusion.filter(pl.col("truth") == truth)["updates"].sum())
        said.append(f"Its most frequent mistake: {truth} read as {believed}, {percent(count / whole)} of all {truth}.")
    side = sum((row["confidence"] - row["accuracy"]) * row["updates"] for row in best.calibration.to_dicts())
    if best.calibration_error > 0.05:
        said.append(
            f"It is {'too sure' if side > 0 else 'not sure enough'} of itself: its chances are off by"
            f" {percent(best.calibration_error)} in the mean."
        )
    if folds is None:
        said.append("If a model was trained on this log, these figures flatter it: see --cv and --fold.")
    return said


def _interval_text(score: Evaluation) -> str:
    low, high = score.interval
    return "" if math.isnan(low) else f" (95 % interval over players {percent(low)} to {percent(high)})"


def _notes(folds: int | None) -> list[str]:
    dealt = (
        f"Players were dealt into {folds} folds; models that count were trained, for each fold, on the players of all"
        " others."
    )
    return [
        *([] if folds is None else [dealt]),
        "Accuracy is the mean over players of the share of updates at which the likeliest goal was right; the interval"
        " is that of a mean (Student's distribution, 95 %).",
        "Log loss is the mean of minus the logarithm of the chance of the right goal; the Brier score is the mean"
        " squared distance to certainty of it. Both are better if smaller.",
        "ECE, the expected calibration error, is how far the chance of the likeliest goal is from how often it is"
        " right.",
    ]


# --- tables -----------------------------------------------------------------------------------------------------------


def _score_table(scores: Mapping[str, Evaluation]) -> str:
    heads = ["model", "mean over players", "95 % interval", "of all updates", "log loss", "Brier score", "ECE"]
    rows = []
    for name, each in scores.items():
        low, high = each.interval
        interval = "–" if math.isnan(low) else f"{low:.1%} – {high:.1%}"
        rows.append(
            [name, f"{each.accuracy:.1%}", interval, f"{each.accuracy_of_updates:.1%}", f"{each.log_loss:.3f}",
             f"{each.brier_score:.3f}", f"{each.calibration_error:.1%}"]
        )  # fmt: skip
    return web_page.table(heads, rows)


def _worst_players(score: Evaluation, most: int = 5) -> list[str]:
    rows = score.players.sort("accuracy", "player").head(most).rows()
    return [
        web_page.heading(f"Read worst by {score.model}", 3),
        web_page.table(["player", "right", "updates"], [[who, f"{right:.1%}", f"{n:,}"] for who, right, n in rows]),
    ]


def _heat(score: Evaluation, goals: Sequence[str]) -> str:
    cells = {(truth, believed): count for truth, believed, count in score.confusion.rows()}
    rows = []
    for truth in goals:
        whole = sum(cells.get((truth, believed), 0) for believed in goals)
        said = [element("td", escape_text(truth))]
        for believed in goals:
            count = cells.get((truth, believed), 0)
            share = count / whole if whole else 0.0
            look = "cell right" if truth == believed else "cell wrong"
            inside = f"{percent(share)}" if whole else "–"
            title = escape_text(f"{truth} read as {believed}: {count:,} updates")
            said.append(element("td", inside, class_=look, style=f"--p: {share * 60:.0f}", title=title))
        rows.append(element("tr", "".join(said) + element("td", f"{whole:,}", class_="soft")))
    heads = "".join(element("th", escape_text(each), class_="n") for each in (*goals, "updates"))
    head = element("thead", element("tr", element("th", "was after") + heads))
    return element("div", element("table", head + element("tbody", "".join(rows)), class_="heat"), class_="scroll")


def _pictures(named: Sequence[tuple[str, str]]) -> str:
    figures = (element("figure", f"{picture}{element('figcaption', escape_text(name))}") for name, picture in named)
    return element("div", "".join(figures), class_="pair")


# --- pictures ---------------------------------------------------------------------------------------------------------


def draw_accuracy(scores: Mapping[str, Evaluation]) -> str:
    """Draw the accuracy of each model as a dot with its interval."""
    across = Scale(0.0, 1.0, _LABEL, WIDTH - 70)
    bottom = 12 + _ROW * len(scores)
    parts = [segment(across(level / 4), 6, across(level / 4), bottom, "rule") for level in range(5)]
    parts += [
        text(across(level / 4), bottom + 16, percent(level / 4), anchor="middle", look="soft small")
        for level in range(5)
    ]
    for number, (name, each) in enumerate(scores.items()):
        y = 22 + _ROW * number
        low, high = each.interval
        parts.append(text(_LABEL - 12, y + 4, clip_text(name, 26), anchor="end"))
        if not math.isnan(low):
            parts.append(segment(across(low), y, across(high), y, "whisker"))
        parts.append(dot(across(each.accuracy), y, f"f{number % COLOURS}", f"{name}: {each.accuracy:.1%}", radius=5.5))
        parts.append(text(WIDTH - 58, y + 4, f"{each.accuracy:.1%}", look="soft small"))
    return figure(WIDTH, bottom + 24, parts, label="Accuracy of each model, with 95 % intervals")


def draw_players(score: Evaluation, number: int) -> str:
    """Draw how many players are read how well, as columns."""
    places = (score.players["accuracy"] * _HISTOGRAM_BINS).floor().clip(0, _HISTOGRAM_BINS - 1).cast(pl.Int64)
    counts = [int((places == place).sum()) for place in range(_HISTOGRAM_BINS)]
    across, up = Scale(0, _HISTOGRAM_BINS, 44, 364), Scale(0, max(counts), 170, 20)
    parts = [segment(44, 170, 364, 170, "axis")]
    for place, count in enumerate(counts):
        tip = f"{count:,} players are read right at {place * 10} to {place * 10 + 10} %"
        parts.append(
            box(across(place) + 1, up(count), across(1) - across(0) - 2, 170 - up(count), f"f{number % COLOURS}", tip)
        )
        if count:
            middle = (across(place) + across(place + 1)) / 2
            parts.append(text(middle, up(count) - 4, f"{count:,}", anchor="middle", look="soft small"))
    for level in (0, 5, 10):
        parts.append(text(across(level), 186, percent(level / 10), anchor="middle", look="soft small"))
    parts.append(text(204, 204, "share of a player's updates read right", anchor="middle", look="soft small"))
    return figure(394, 210, parts, label=f"Players by accuracy, {score.model}")


def draw_calibration(score: Evaluation, number: int) -> str:
    """Draw the reliability curve: how often the likeliest goal was right, by the chance that it had."""
    across, up = Scale(0, 1, 50, 330), Scale(0, 1, 250, 20)
    parts = [segment(across(0), up(0), across(1), up(1), "dash")]
    for level in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(segment(across(0), up(level), across(1), up(level), "rule"))
        parts.append(text(44, up(level) + 4, percent(level), anchor="end", look="soft small"))
        parts.append(text(across(level), 268, percent(level), anchor="middle", look="soft small"))
    rows = score.calibration.to_dicts()
    look = number % COLOURS
    parts.append(curve([(across(row["confidence"]), up(row["accuracy"])) for row in rows], f"curve s{look}"))
    for row in rows:
        share = row["updates"] / max(1, score.updates)
        tip = f"chance {percent(row['confidence'])}, right {percent(row['accuracy'])}, {row['updates']:,} updates"
        shade = f"f{look}" if row["updates"] >= _ENOUGH else "published"
        parts.append(dot(across(row["confidence"]), up(row["accuracy"]), shade, tip, radius=3 + 7 * math.sqrt(share)))
    parts.append(text(190, 288, "chance of the likeliest goal", anchor="middle", look="soft small"))
    parts.append(text(50, 12, "how often it was right", look="soft small"))
    return figure(350, 296, parts, label=f"Reliability curve of {score.model}")
