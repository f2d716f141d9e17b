"""The pictures of the study: folds as dots, accuracy as the goal unfolds, and reliability."""

from collections.abc import Iterator, Mapping, Sequence

from telos.studies.crystal_island_published import PUBLISHED
from telos.studies.figures import lines
from telos.studies.figures_svg import COLOURS, Scale, diamond, dot, stroke, svg, text, ticks
from telos.studies.markov.measures import SHARES
from telos.studies.markov.outcome import AHEAD, ONLINE, Outcome
from telos.studies.report_parts import Chart, Line, Point

SHOWN = ("unigram", "bigram", "factored", "narrative", "tailored", "sequence", "crf", "logistic")
WAYS = {ONLINE: "online", AHEAD: "look-ahead"}
_LEFT, _ROW, _WIDE = 150.0, 26.0, 470.0


def pictures(found: Outcome) -> Iterator[tuple[str, str]]:
    """Give every picture of one log, with its name."""
    for way, words in WAYS.items():
        yield f"{found.log}-folds-{way}", dots(found, way, f"F1 in each fold, {words}")
    for way, words in WAYS.items():
        yield f"{found.log}-seen-{way}", lines(_by_share(found, way, words))
    yield f"{found.log}-reliability", lines(_reliability(found))


def dots(found: Outcome, way: str, title: str) -> str:
    """Draw a row for each contender: a dot for each fold, a stroke for their mean, a diamond for what was published."""
    read = {key: each for key, each in found.scores.items() if way in each.decodings}
    values = [value for each in read.values() for value in each.decodings[way].folds]
    printed: Mapping[str, float] = PUBLISHED["f1"] if found.is_simulated and way == AHEAD else {}  # type: ignore[assignment]
    high = min(1.0, (int(10 * max([*values, *printed.values()])) + 1) / 10)
    across, top = Scale(0.0, high, _LEFT, _WIDE - 24), 44.0
    bottom = top + _ROW * len(read)
    parts = [text(8, 22, title, look="title")]
    for value in ticks(0.0, high):
        parts.append(stroke(across(value), top - 6, across(value), bottom, "rule"))
        parts.append(text(across(value), bottom + 16, f"{value:.1f}", anchor="middle", look="soft small"))
    for number, (key, score) in enumerate(read.items()):
        parts += _row(score.label, score.decodings[way].folds, number, top + _ROW * (number + 0.5), across)
        if key in printed:
            parts.append(diamond(across(printed[key]), top + _ROW * (number + 0.5), f"published: {printed[key]:.3f}"))
    who = "simulated" if found.is_simulated else "human"
    foot = f"{who} players · a dot is a fold · the stroke is the mean" + (" · ◇ published" if printed else "")
    parts.append(text(8, bottom + 36, foot, look="soft small"))
    return svg(_WIDE, bottom + 46, parts, says=f"{title}, {who} players")


def _row(label: str, folds: Sequence[float], number: int, y: float, across: Scale) -> list[str]:
    mean = sum(folds) / len(folds)
    parts = [text(_LEFT - 12, y + 4, label, anchor="end")]
    for fold, value in enumerate(folds):
        parts.append(dot(across(value), y, f"f{number % COLOURS}", f"{label}, fold {fold}: {value:.3f}", 3.6))
    return [*parts, stroke(across(mean), y - 9, across(mean), y + 9, "whisker")]


def _by_share(found: Outcome, way: str, words: str) -> Chart:
    shown = [found.scores[key] for key in SHOWN if key in found.scores and way in found.scores[key].decodings]
    curves = tuple(
        Line(
            score.label,
            tuple(Point(100 * (at + 0.5) / SHARES, value) for at, value in enumerate(score.decodings[way].by_share)),
        )
        for score in shown
    )
    title = f"Accuracy as a goal unfolds, {words}"
    return Chart(f"seen_{way}", title, "percent of the goal's actions seen", "accuracy", curves)


def _reliability(found: Outcome) -> Chart:
    shown = [found.scores[key] for key in SHOWN if key in found.scores]
    curves = [
        Line(
            f"{score.label} ({score.calibration.error:.2f})",
            tuple(Point(b, r) for b, r in zip(score.calibration.believed, score.calibration.right, strict=True)),
        )
        for score in shown
    ]
    perfect = Line("as believed", (Point(0.0, 0.0), Point(1.0, 1.0)))
    title = "Reliability, online (expected calibration error)"
    return Chart("reliability", title, "belief in the likeliest goal", "how often it is right", (*curves, perfect))
