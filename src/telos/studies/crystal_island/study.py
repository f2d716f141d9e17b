"""The study of the Crystal Island chapter: majority, unigram, bigram and factored Markov logic models, on simulated
players of the island and on public logs of people. Start with ``run_study``.

The players of the chapter's logs are not public, so those of the island are simulated.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.crystal_island.folds import AHEAD, ONLINE, Decoding, LogOutcome, measure_log, run_folds
from telos.studies.crystal_island.logs import GoalLog, find_logs, human_log, island_log
from telos.studies.crystal_island.models import BIGRAM, COMPARED, CRF, FACTORED, LOGISTIC, MAJORITY, UNIGRAM, lineup_for
from telos.studies.results import (
    Block,
    Bullets,
    ChartRow,
    Curve,
    DotChart,
    DotRow,
    LineChart,
    Paragraph,
    Point,
    Progress,
    Section,
    StudyResult,
    Table,
    no_progress,
)
from telos.studies.scoring import SHARES
from telos.studies.statistics import LEVEL, Anova, format_p
from telos.worlds.island.variants import TODAY

SOURCE = (
    "E. Y. Ha, J. P. Rowe, B. W. Mott and J. C. Lester: Recognizing Player Goals in Open-Ended Digital Games "
    "with Markov Logic Networks (chapter; Tables 3 to 5)"
)
# Table 5, and the tests of the section on results.
PRINTED = {"majority": 0.266, "unigram": 0.396, "bigram": 0.330, "factored": 0.484}  # F1
PRINTED_IMPROVEMENT = {"unigram": 0.49, "bigram": 0.24, "factored": 0.82}
PUBLISHED = {
    "players": 137,
    "actions": 77_182,
    "goals": 893,
    "f1": PRINTED,
    "improvement": PRINTED_IMPROVEMENT,
    "anova": {"f": 71.87, "df": [2, 18], "p": "< .0001"},
    "tukey": "all pairs p < .01",
}
# Accuracies published with the data: same rows, ten folds by player, in per cent.
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

NAME = "crystal-island"
TITLE = "Reading goals with Markov logic: the island, and people"
PLAYERS, FOLDS = 137, 10
QUICK_PLAYERS, QUICK_FOLDS = 40, 4
SHOWN = ("unigram", "bigram", "factored", "narrative", "tailored", "sequence", "crf", "logistic")
WAYS = {ONLINE: "online", AHEAD: "look-ahead"}
_SUMMARY_KEY = (
    "ahead: F1 with look-ahead, as in the chapter; macro, conv. (pursuits whose last reading is right) and at (where "
    "it was settled) are of the online reading"
)
QUICK = (MAJORITY, UNIGRAM, BIGRAM, FACTORED, "narrative", "tailored", CRF, LOGISTIC)


def run_study(
    *,
    players: int | None = None,
    folds: int | None = None,
    seed: int = 1,
    jobs: int = 1,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    variant: str = TODAY,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study; the result depends on ``seed`` and ``variant`` only, not on the number of ``jobs``.

    ``variant`` is how players are simulated: ``today``, or ``text``, which was decided from the published text.
    ``data`` is a folder with a log of human players, or one with several such folders in it.
    """
    if seed < 0:
        raise TelosError(f"the seed must be a whole number, zero or more; got {seed}")
    folds = (QUICK_FOLDS if quick else FOLDS) if folds is None else folds
    if folds < 2:
        raise TelosError(f"folds must be at least 2, or no players are left to train on; got {folds}")
    paths = {} if data is None else find_logs(Path(data))
    count = (QUICK_PLAYERS if quick else PLAYERS) if players is None else players
    log = island_log(count, seed, folds=folds, jobs=jobs, variant=variant)
    island = run_log(log, seed=seed, jobs=jobs, quick=quick, progress=progress)
    people = {}
    for name, path in paths.items():
        log = human_log(name, path, folds=folds, seed=seed)
        people[name] = run_log(log, seed=seed, jobs=jobs, quick=quick, progress=progress)
    return island_result(island, people, seed=seed, quick=quick, variant=variant)


def run_log(log: GoalLog, *, seed: int, jobs: int, quick: bool, progress: Progress) -> LogOutcome:
    """Cross-validate all models on one log."""
    lineup = lineup_for(log)
    lineup = lineup.quick(QUICK) if quick else lineup
    done = list(progress(run_folds(log, lineup, seed=seed, jobs=jobs), log.folds))
    return measure_log(log, lineup.labels, done)


def island_result(
    island: LogOutcome, people: Mapping[str, LogOutcome], *, seed: int, quick: bool, variant: str = TODAY
) -> StudyResult:
    """Return the result on simulated players of the island and on logs of people."""
    findings = (*island_findings(island), *(finding for each in people.values() for finding in human_findings(each)))
    data = {
        "study": NAME,
        "source": SOURCE,
        "seed": seed,
        "quick": quick,
        "variant": variant,
        "simulated": {**island.data(), "published": PUBLISHED},
        "human": {name: {**each.data(), "peers": PEERS[name]} for name, each in people.items()},
        "findings": list(findings),
        "notes": list(NOTES),
    }
    details = list(_log_details("The island", island))
    for name, found in people.items():
        details += _log_details({"crafter": "Crafter", "starcraft": "StarCraft II"}[name], found)
    summary = [block for found in (island, *people.values()) for block in _log_summary(found)]
    return StudyResult(
        NAME,
        TITLE,
        f"{NAME}: {island.players} simulated players{', and people' if people else ''} (seed {seed}"
        f"{f', players {variant}' if variant != TODAY else ''})",
        seed,
        data,
        tuple(summary),
        tuple(details),
        source=SOURCE,
        setting=f"seed {seed}{f', players {variant}' if variant != TODAY else ''}{', quick' if quick else ''}",
        findings=findings,
        notes=NOTES,
    )


# --- findings ---------------------------------------------------------------------------------------------------------


def island_findings(island: LogOutcome) -> Iterator[str]:
    """Yield findings that compare the chapter's table with the result on simulated players."""
    ours = {key: island.scores[key].decodings[AHEAD].mean for key in (MAJORITY, *COMPARED)}
    listed = ", ".join(f"{key} {ours[key]:.3f} ({PRINTED[key]:.3f})" for key in ours)
    yield f"F1 with look-ahead, simulated, published in brackets: {listed}."
    order = sorted(ours, key=lambda key: -ours[key])
    printed = sorted(PRINTED, key=lambda key: -PRINTED[key])
    same = "the same as" if order == printed else f"not that of the chapter ({' > '.join(printed)}): it is"
    yield f"The order of the models is {same} {' > '.join(order)}."
    yield f"Analysis of variance, {format_anova(island.anovas[AHEAD])}; published F(2,18) = 71.87, p < .0001."
    pairs = island.pairs[AHEAD]
    alike = [
        f"{pair.first} and {pair.second} ({format_p(pair.p)})" for pair in pairs if pair.p is None or pair.p >= LEVEL
    ]
    apart = "all pairs differ" if not alike else f"no significant difference between {', '.join(alike)}"
    yield f"Tukey: {apart}; published: all pairs p < .01."
    yield from _two_ways(island)
    yield from _further(island)
    if island.microseconds is not None:
        first, again = island.microseconds
        yield f"One live update takes {again:.0f} µs, and {first:.0f} µs where everything is met for the first time."


def format_anova(found: Anova) -> str:
    """Format an analysis of variance as in papers."""
    if found.f is None:
        return "there is nothing to test: no difference varies between folds"
    return f"F({found.between},{found.within}) = {found.f:.2f}, {format_p(found.p)}"


def _two_ways(island: LogOutcome) -> Iterator[str]:
    for key in (UNIGRAM, BIGRAM, FACTORED):
        ways = island.scores[key].decodings
        online, ahead = ways[ONLINE].mean, ways[AHEAD].mean
        if key == FACTORED or abs(online - ahead) > 0.0005:
            yield f"{island.scores[key].label}: {online:.3f} online, {ahead:.3f} with look-ahead."


def _further(island: LogOutcome) -> Iterator[str]:
    """Yield findings on the further files of formulas, compared with the chapter's."""
    plain = island.scores[FACTORED]
    for score in island.scores.values():
        if score is plain or not score.label.startswith("factored"):
            continue
        gains = [
            f"{100 * (score.decodings[way].mean - plain.decodings[way].mean):+.1f} points {words}"
            for way, words in ((ONLINE, "online"), (AHEAD, "with look-ahead"))
        ]
        yield f"{score.label}: {' and '.join(gains)} beside the factored MLN."


def human_findings(people: LogOutcome) -> Iterator[str]:
    """Yield findings on one log of human players."""
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


# --- tables -----------------------------------------------------------------------------------------------------------


def _log_summary(found: LogOutcome) -> Iterator[Block]:
    printed = PRINTED if found.is_simulated else {}
    rows = []
    for key, score in found.scores.items():
        online, ahead = score.decodings[ONLINE], score.decodings.get(AHEAD)
        point = online.convergence.point
        rows.append(
            (
                score.label,
                *(("-", "") if ahead is None else (f"{ahead.mean:.3f}", f"{ahead.sd:.3f}")),
                f"{printed[key]:.3f}" if key in printed else "",
                f"{online.mean:.3f}",
                f"{online.sd:.3f}",
                f"{online.macro_f1:.3f}",
                f"{online.convergence.rate:.0%}",
                "" if point is None else f"{point:.0%}",
            )
        )
    columns = (f"{found.log}, {_who(found)}: F1", "ahead", "± sd", "publ.", "online", "± sd", "macro", "conv.", "at")
    counts = f"{found.players} players, {found.actions:,} actions, {found.goals:,} goals achieved"
    yield Table(columns, tuple(rows), f"{counts}; {_SUMMARY_KEY}")
    for note in found.notes:
        yield Paragraph(note, soft=True)


def _log_details(title: str, found: LogOutcome) -> Iterator[Block]:
    counts = f"{found.players} players, {found.actions:,} actions, {found.goals:,} goals achieved"
    yield Section(title, counts, tag=f"{_who(found)} players")
    for way, words in ((AHEAD, "With look-ahead, as in the chapter"), (ONLINE, "Online, as a game would read")):
        yield Section(words, level=3)
        yield _score_table(found, way)
    if not found.is_simulated:
        peers = PEERS[found.log]
        yield Section("Measured by others on these rows, in per cent", level=3)
        yield Table(tuple(peers), (tuple(f"{value:.1f}" for value in peers.values()),))
    yield Section("Fold by fold", level=3)
    yield ChartRow(tuple(_fold_dots(found, way, words) for way, words in WAYS.items()))
    yield Section("As the goal unfolds, and how far beliefs can be trusted", level=3)
    yield ChartRow((*(_by_share(found, way, words) for way, words in WAYS.items()), _reliability(found)))
    if found.notes:
        yield Bullets(found.notes)


def _who(found: LogOutcome) -> str:
    return "simulated" if found.is_simulated else "human"


def _score_table(found: LogOutcome, way: str) -> Table:
    base = found.scores[MAJORITY].decodings[way].mean
    has_printed = found.is_simulated and way == AHEAD
    columns = ["", "F1", "± sd", "improvement", "macro-F1", "convergence rate", "convergence point"]
    columns += ["published"] if has_printed else []
    columns += ["calibration error"] if way == ONLINE else []
    columns += ["unseen"] if way == ONLINE and not found.is_simulated else []
    rows = []
    for key, score in found.scores.items():
        if way in score.decodings:
            row = [score.label, *_cells(score.decodings[way], base, is_base=key == MAJORITY)]
            row += [_printed(key)] if has_printed else []
            row += [f"{score.calibration.error:.3f}"] if way == ONLINE else []
            row += [f"{score.unseen:.1%}"] if way == ONLINE and score.unseen is not None else []
            rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), note=_format_tests(found, way))


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
    if key not in PRINTED:
        return ""
    return f"{PRINTED[key]:.3f}" + (f" ({PRINTED_IMPROVEMENT[key]:+.0%})" if key in PRINTED_IMPROVEMENT else "")


def _format_tests(found: LogOutcome, way: str) -> str:
    pairs = [f"{each.first} − {each.second} {each.difference:+.3f} ({format_p(each.p)})" for each in found.pairs[way]]
    text = f"Unigram, bigram and factored: {format_anova(found.anovas[way])}. {'; '.join(pairs)}."
    if found.is_simulated and way == AHEAD:
        text += " Published: F(2,18) = 71.87, p < .0001; all pairs p < .01."
    return text


# --- charts -----------------------------------------------------------------------------------------------------------


def _fold_dots(found: LogOutcome, way: str, words: str) -> DotChart:
    printed = PRINTED if found.is_simulated and way == AHEAD else {}
    rows = tuple(
        DotRow(score.label, score.decodings[way].folds, printed.get(key))
        for key, score in found.scores.items()
        if way in score.decodings
    )
    return DotChart(f"{found.log}-folds-{way}", f"F1 in each fold, {words}", rows, _who(found))


def _by_share(found: LogOutcome, way: str, words: str) -> LineChart:
    shown = [found.scores[key] for key in SHOWN if key in found.scores and way in found.scores[key].decodings]
    curves = tuple(
        Curve(
            score.label,
            tuple(Point(100 * (at + 0.5) / SHARES, value) for at, value in enumerate(score.decodings[way].by_share)),
        )
        for score in shown
    )
    title = f"Accuracy as a goal unfolds, {words}"
    return LineChart(f"{found.log}-seen-{way}", title, "percent of the goal's actions seen", "accuracy", curves)


def _reliability(found: LogOutcome) -> LineChart:
    shown = [found.scores[key] for key in SHOWN if key in found.scores]
    curves = [
        Curve(
            f"{score.label} ({score.calibration.error:.2f})",
            tuple(Point(b, r) for b, r in zip(score.calibration.believed, score.calibration.right, strict=True)),
        )
        for score in shown
    ]
    perfect = Curve("as believed", (Point(0.0, 0.0), Point(1.0, 1.0)))
    title = "Reliability, online (expected calibration error)"
    return LineChart(
        f"{found.log}-reliability", title, "belief in the likeliest goal", "how often it is right", (*curves, perfect)
    )
