"""Run, published figures, findings, page."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.studies.crystal_island.folds import AHEAD, ONLINE, Decoding, FoldDone, Outcome, outcome, run_folds
from telos.studies.crystal_island.logs import GoalLog, find_logs, human_log, island_log
from telos.studies.crystal_island.models import BIGRAM, COMPARED, CRF, FACTORED, LOGISTIC, MAJORITY, UNIGRAM, field_for
from telos.studies.report import framed, lines, listed, table, write_page, write_pictures
from telos.studies.results import Chart, Line, Point
from telos.studies.scoring import SHARES
from telos.studies.statistics import LEVEL, Anova, said_p
from telos.svg import COLOURS, Scale, diamond, dot, figure, segment, text, ticks

# --- crystal island published -----------------------------------------------------------------------------------------
# What was published, and how this study was done: the figures that stand beside ours.


SOURCE = (
    "E. Y. Ha, J. P. Rowe, B. W. Mott and J. C. Lester: Recognizing Player Goals in Open-Ended Digital Games "
    "with Markov Logic Networks (chapter; Tables 3 to 5)"
)
# Table 5, and the tests of the section on results.
PUBLISHED = {
    "players": 137,
    "actions": 77_182,
    "goals": 893,
    "f1": {"majority": 0.266, "unigram": 0.396, "bigram": 0.330, "factored": 0.484},
    "improvement": {"unigram": 0.49, "bigram": 0.24, "factored": 0.82},
    "anova": {"f": 71.87, "df": [2, 18], "p": "< .0001"},
    "tukey": "all pairs p < .01",
}
# Measured by others on the same rows, ten folds by player, in per cent; they come with the data.
PEERS = {
    "crafter": {
        "majority": 18.4,
        "unigram naive Bayes": 21.0,
        "naive Bayes with context": 46.1,
        "logistic regression": 51.0,
        "boosted trees": 50.5,
        "recurrent network": 50.3,
        "CRF, online": 40.4,
        "CRF, look-ahead": 43.5,
    },
    "starcraft": {
        "majority": 5.1,
        "unigram naive Bayes": 16.7,
        "naive Bayes with context": 42.2,
        "logistic regression": 45.5,
        "boosted trees": 46.0,
        "recurrent network": 40.5,
    },
}
AIMS = {"crafter": 0.52, "starcraft": 0.46}  # online, of all rows
NOTES = (
    "The players of the island are simulated; no preset of theirs was set in the light of an accuracy. The logs behind "
    "the chapter are not public.",
    "Corpus as in the chapter: every action is labelled with the goal that is achieved next; the achieving actions and "
    "what comes after the last goal are left out. Nobody is in training and in a test at once.",
    "F1 as in the chapter: each action gets one prediction, so precision, recall, F1 and accuracy are the same number. "
    "It is the mean over folds. Macro-F1 is the mean of the F1 of each goal, over all rows.",
    "Look-ahead is the chapter's decoding: the most probable goals of a whole sequence at once. Online is what a game "
    "has while it runs: the belief at an action from everything up to it, and nothing later. The two are never mixed.",
    "Weights are learned by one-best MIRA as in the chapter, averaged over fifty passes (people: twenty); the "
    "majority, the formulas for human logs and the yardsticks by L-BFGS on the likelihood with a quadratic penalty.",
    "A pursuit is all actions that lead to one achievement. It has converged if its last reading is right; the "
    "convergence point is the share of its actions gone by when the right goal was first held to the end.",
    "Calibration: in ten bins of belief in the likeliest goal, how often it was right. The expected calibration error "
    "is the mean distance of the two.",
    "The yardsticks see what the formulas see: each way in which the evidence of a formula holds is one feature. "
    "They are stopped after 60 steps (quick: 15), converged or not.",
    "Human logs: on Crafter only rows with a key are counted. The chapter's models see the key or order, the tile in "
    "front (the race) and the last achievement as action, place and state. Formulas of a game's own were chosen by "
    "folds among seven of ten players (groups); 'unseen' is the accuracy on the other three, who had no say in it; "
    "but two penalties were also scored on all folds before the last run. The formulas for Crafter also read "
    "a player's earlier lives, which the figures of others do not.",
)


# --- crystal island findings ------------------------------------------------------------------------------------------
# What the numbers of the study say, in plain words, made from the numbers alone.


PRINTED: dict[str, float] = PUBLISHED["f1"]  # type: ignore[assignment]


def findings(island: Outcome) -> Iterator[str]:
    """Say how the chapter's table came out on simulated players."""
    ours = {key: island.scores[key].decodings[AHEAD].mean for key in (MAJORITY, *COMPARED)}
    listed = ", ".join(f"{key} {ours[key]:.3f} ({PRINTED[key]:.3f})" for key in ours)
    yield f"F1 with look-ahead, simulated, published in brackets: {listed}."
    order = sorted(ours, key=lambda key: -ours[key])
    printed = sorted(PRINTED, key=lambda key: -PRINTED[key])
    same = "the same as" if order == printed else f"not that of the chapter ({' > '.join(printed)}): it is"
    yield f"The order of the models is {same} {' > '.join(order)}."
    yield f"Analysis of variance, {said_anova(island.anovas[AHEAD])}; published F(2,18) = 71.87, p < .0001."
    pairs = island.pairs[AHEAD]
    told = [f"{pair.first} and {pair.second} ({said_p(pair.p)})" for pair in pairs if pair.p is None or pair.p >= LEVEL]
    apart = "all pairs differ" if not told else f"no significant difference between {', '.join(told)}"
    yield f"Tukey: {apart}; published: all pairs p < .01."
    yield from _two_ways(island)
    yield from _further(island)
    if island.microseconds is not None:
        first, again = island.microseconds
        yield f"One live update takes {again:.0f} µs, and {first:.0f} µs where everything is met for the first time."


def said_anova(found: Anova) -> str:
    """Say an analysis of variance as papers do."""
    if found.f is None:
        return "there is nothing to test: no difference varies between folds"
    return f"F({found.between},{found.within}) = {found.f:.2f}, {said_p(found.p)}"


def _two_ways(island: Outcome) -> Iterator[str]:
    for key in (UNIGRAM, BIGRAM, FACTORED):
        ways = island.scores[key].decodings
        online, ahead = ways[ONLINE].mean, ways[AHEAD].mean
        if key == FACTORED or abs(online - ahead) > 0.0005:
            yield f"{island.scores[key].label}: {online:.3f} online, {ahead:.3f} with look-ahead."


def _further(island: Outcome) -> Iterator[str]:
    """Say what each further file of formulas is worth beside the chapter's."""
    plain = island.scores[FACTORED]
    for score in island.scores.values():
        if score is plain or not score.label.startswith("factored"):
            continue
        gains = [
            f"{100 * (score.decodings[way].mean - plain.decodings[way].mean):+.1f} points {words}"
            for way, words in ((ONLINE, "online"), (AHEAD, "with look-ahead"))
        ]
        yield f"{score.label}: {' and '.join(gains)} beside the factored MLN."


def human_findings(people: Outcome) -> Iterator[str]:
    """Say how the models fared on people."""
    best = max(people.scores.values(), key=lambda score: score.decodings[ONLINE].f1)
    own = people.scores.get("tailored", best)
    way, aim = own.decodings[ONLINE], AIMS[people.log]
    kept = "met" if way.f1 >= aim else "missed"
    yield (
        f"{people.log} (human): {own.label} is right at {way.f1:.1%} of {people.actions:,} rows online "
        f"(aim {aim:.0%}: {kept}), macro-F1 {way.macro_f1:.3f}; {own.unseen or 0.0:.1%} on those who had no say in it."
    )
    listed = ", ".join(
        f"{score.label} {score.decodings[ONLINE].f1:.1%}" for score in people.scores.values() if score is not own
    )
    yield f"{people.log} (human), online: {listed}."
    ahead = {score.label: score.decodings[AHEAD].f1 for score in people.scores.values() if AHEAD in score.decodings}
    top = max(ahead, key=ahead.__getitem__)
    yield f"{people.log} (human), with look-ahead, which no game has: {top} {ahead[top]:.1%}."


# --- crystal island ---------------------------------------------------------------------------------------------------
# The study of the chapter on Markov logic: majority, unigram, bigram and factored models, on the island and on people.
#
# E. Y. Ha, J. Rowe, B. Mott and J. Lester: Recognizing Player Goals in Open-Ended Digital Games with Markov Logic
# Networks. Their
# logs are not public: the players of the island are simulated. The same models are then put to public logs of people.


NAME = "crystal-island"
PLAYERS, FOLDS = 137, 10
QUICK_PLAYERS, QUICK_FOLDS = 40, 4
QUICK = (MAJORITY, UNIGRAM, BIGRAM, FACTORED, "narrative", "tailored", CRF, LOGISTIC)
Watched = Callable[[Iterable[FoldDone], int], Iterable[FoldDone]]


@dataclass(frozen=True, slots=True)
class CrystalIsland:
    """The whole outcome: simulated players of the island, and the human logs that were brought along."""

    seed: int
    quick: bool
    simulated: Outcome
    human: Mapping[str, Outcome]

    @property
    def findings(self) -> tuple[str, ...]:
        """What the numbers say, in words."""
        told = list(findings(self.simulated))
        for each in self.human.values():
            told += human_findings(each)
        return tuple(told)

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "study": NAME,
            "source": SOURCE,
            "seed": self.seed,
            "quick": self.quick,
            "simulated": {**self.simulated.figures(), "published": PUBLISHED},
            "human": {name: {**each.figures(), "peers": PEERS[name]} for name, each in self.human.items()},
            "findings": list(self.findings),
            "notes": list(NOTES),
        }


def run_study(
    *,
    players: int | None = None,
    folds: int | None = None,
    seed: int = 1,
    jobs: int = 1,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    watched: Watched = lambda done, total: done,
) -> CrystalIsland:
    """Run the study; ``seed`` fixes it, however many ``jobs`` share the work.

    ``data`` is a folder with a log of people, or one with several such folders in it. ``watched`` is handed the folds
    as they come, with their number: a place for a progress bar.
    """
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    folds = (QUICK_FOLDS if quick else FOLDS) if folds is None else folds
    if folds < 2:
        raise TelosError(f"folds must be at least 2, so that somebody is left to train on, got {folds}")
    paths = {} if data is None else find_logs(Path(data))
    count = (QUICK_PLAYERS if quick else PLAYERS) if players is None else players
    island = run_log(
        island_log(count, seed, folds=folds, jobs=jobs), seed=seed, jobs=jobs, quick=quick, watched=watched
    )
    people = {}
    for name, path in paths.items():
        log = human_log(name, path, folds=folds, seed=seed)
        people[name] = run_log(log, seed=seed, jobs=jobs, quick=quick, watched=watched)
    return CrystalIsland(seed, quick, island, people)


def run_log(log: GoalLog, *, seed: int, jobs: int, quick: bool, watched: Watched) -> Outcome:
    """Let everybody compete on one log."""
    field = field_for(log)
    field = field.quick(QUICK) if quick else field
    done = list(watched(run_folds(log, field, seed=seed, jobs=jobs), log.folds))
    return outcome(log, field.labels, done)


# --- crystal island charts --------------------------------------------------------------------------------------------
# The pictures of the study: folds as dots, accuracy as the goal unfolds, and reliability.


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
        parts.append(segment(across(value), top - 6, across(value), bottom, "rule"))
        parts.append(text(across(value), bottom + 16, f"{value:.1f}", anchor="middle", look="soft small"))
    for number, (key, score) in enumerate(read.items()):
        parts += _row(score.label, score.decodings[way].folds, number, top + _ROW * (number + 0.5), across)
        if key in printed:
            parts.append(diamond(across(printed[key]), top + _ROW * (number + 0.5), f"published: {printed[key]:.3f}"))
    who = "simulated" if found.is_simulated else "human"
    foot = f"{who} players · a dot is a fold · the stroke is the mean" + (" · ◇ published" if printed else "")
    parts.append(text(8, bottom + 36, foot, look="soft small"))
    return figure(_WIDE, bottom + 46, parts, label=f"{title}, {who} players")


def _row(label: str, folds: Sequence[float], number: int, y: float, across: Scale) -> list[str]:
    mean = sum(folds) / len(folds)
    parts = [text(_LEFT - 12, y + 4, label, anchor="end")]
    for fold, value in enumerate(folds):
        parts.append(dot(across(value), y, f"f{number % COLOURS}", f"{label}, fold {fold}: {value:.3f}", 3.6))
    return [*parts, segment(across(mean), y - 9, across(mean), y + 9, "whisker")]


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


# --- crystal island page ----------------------------------------------------------------------------------------------
# The study as one web page that needs no network: findings, tables, pictures, and how it was done.


TITLE = "Reading goals with Markov logic: the island, and people"


def save_report(study: CrystalIsland, path: Path) -> None:
    """Write the page of the study."""
    write_page(page(study), path)


def save_figures(study: CrystalIsland, folder: Path) -> list[Path]:
    """Write every picture as a file of its own, and return where."""
    found = (pictures(each) for each in (study.simulated, *study.human.values()))
    return write_pictures("crystal-island", dict(pair for each in found for pair in each), folder)


def page(study: CrystalIsland) -> str:
    """Return the page of the study, whole."""
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        f'<p class="soft">After {escape(SOURCE)}. Seed {study.seed}{", quick" if study.quick else ""}.</p>',
        "<h2>Findings</h2>",
        f'<div class="findings">{listed(study.findings)}</div>',
        *_section("The island", study.simulated),
    ]
    for name, found in study.human.items():
        body += _section({"crafter": "Crafter", "starcraft": "StarCraft II"}[name], found)
    body += ["<h2>How it was done</h2>", listed(NOTES)]
    return framed(TITLE, body)


def _section(title: str, found: Outcome) -> Iterator[str]:
    who = "simulated players" if found.is_simulated else "human players"
    counts = f"{found.players} players, {found.actions:,} actions, {found.goals:,} goals achieved"
    yield f'<h2>{escape(title)}</h2><p class="soft"><span class="tag">{who}</span> {counts}</p>'
    for way, words in ((AHEAD, "With look-ahead, as in the chapter"), (ONLINE, "Online, as a game would read")):
        yield f"<h3>{words}</h3>{_scores(found, way)}{_tests(found, way)}"
    if not found.is_simulated:
        yield f"<h3>Measured by others on these rows, in per cent</h3>{_peers(found.log)}"
    drawn = [f"<figure>{picture}</figure>" for _, picture in pictures(found)]
    yield f'<h3>Fold by fold</h3><div class="row">{"".join(drawn[:2])}</div>'
    yield f'<h3>As the goal unfolds, and how far beliefs can be trusted</h3><div class="row">{"".join(drawn[2:])}</div>'
    if found.notes:
        yield listed(found.notes)


def _scores(found: Outcome, way: str) -> str:
    base = found.scores[MAJORITY].decodings[way].mean
    has_printed = found.is_simulated and way == AHEAD
    head = ["", "F1", "± sd", "improvement", "macro-F1", "convergence rate", "convergence point"]
    head += ["published"] if has_printed else []
    head += ["calibration error"] if way == ONLINE else []
    head += ["unseen"] if way == ONLINE and not found.is_simulated else []
    rows = []
    for key, score in found.scores.items():
        if way in score.decodings:
            row = [score.label, *_cells(score.decodings[way], base, is_base=key == MAJORITY)]
            row += [_printed(key)] if has_printed else []
            row += [f"{score.calibration.error:.3f}"] if way == ONLINE else []
            row += [f"{score.unseen:.1%}"] if way == ONLINE and score.unseen is not None else []
            rows.append(row)
    return table(head, rows)


def _cells(decoding: Decoding, base: float, *, is_base: bool) -> list[str]:
    point = decoding.convergence.point
    return [
        f"{decoding.mean:.3f}",
        f"{decoding.sd:.3f}",
        "" if is_base or not base else f"{decoding.mean / base - 1:+.0%}",
        f"{decoding.macro_f1:.3f}",
        f"{decoding.convergence.rate:.0%}",
        "" if point is None else f"{point:.0%}",
    ]


def _printed(key: str) -> str:
    share: dict[str, float] = PUBLISHED["f1"]  # type: ignore[assignment]
    better: dict[str, float] = PUBLISHED["improvement"]  # type: ignore[assignment]
    if key not in share:
        return ""
    return f"{share[key]:.3f}" + (f" ({better[key]:+.0%})" if key in better else "")


def _tests(found: Outcome, way: str) -> str:
    told = [f"{each.first} − {each.second} {each.difference:+.3f} ({said_p(each.p)})" for each in found.pairs[way]]
    said = f"Unigram, bigram and factored: {said_anova(found.anovas[way])}. {'; '.join(told)}."
    if found.is_simulated and way == AHEAD:
        said += " Published: F(2,18) = 71.87, p < .0001; all pairs p < .01."
    return f'<p class="soft">{escape(said)}</p>'


def _peers(log: str) -> str:
    return table(list(PEERS[log]), [[f"{value:.1f}" for value in PEERS[log].values()]])
