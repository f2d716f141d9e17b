"""The chapter's models over several seeds, for both variants of the players: published, ours, and whether they agree.

Every seed is a study of its own: players are simulated, every model is trained on the other folds and reads the players
of its fold with look-ahead, as in the chapter. ``Scores`` keeps what is done in a file, so that a long run may be
stopped and continued. Start with ``run_over_seeds``.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import TypeAdapter, ValidationError

from telos.core.errors import TelosError
from telos.files import check_output, read_text, write_text
from telos.parallel import parallel_map
from telos.studies.crystal_island.folds import score_ahead
from telos.studies.crystal_island.logs import island_log
from telos.studies.crystal_island.models import COMPARED, MAJORITY, lineup_for
from telos.studies.crystal_island.study import FOLDS
from telos.studies.results import Block, Progress, Section, StudyResult, Table, no_progress, round_figure
from telos.studies.seeds import (
    Agreement,
    Measured,
    Reported,
    agreement_data,
    agreement_table,
    count_verdicts,
    judge,
    seeds_from,
    sentence_table,
    subtract_by_seed,
)
from telos.studies.statistics import f_test, repeated_measures, tukey
from telos.worlds.island.variants import TEXT, TEXT_SENTENCES, TODAY, load_variant, name_without

SHOWN = {TEXT: "from the text", TODAY: "today's variant"}
CHAPTER = (MAJORITY, *COMPARED)
# Tables 3 and 5 of the chapter, and the tests of its section on results. Shares are per cent, differences are points.
FIGURES = (
    Reported("majority", "F1, most frequent goal", 26.6),
    Reported("unigram", "F1, unigram", 39.6),
    Reported("bigram", "F1, bigram", 33.0),
    Reported("factored", "F1, factored MLN", 48.4),
)
DIFFERENCES = (
    Reported("factored-unigram", "factored MLN over unigram", 8.8, p=0.01, says="p < .01"),
    Reported("factored-bigram", "factored MLN over bigram", 15.4, p=0.01, says="p < .01"),
    Reported("unigram-bigram", "unigram over bigram", 6.6, p=0.01, says="p < .01"),
)
PUBLISHED_F, PUBLISHED_DF = 71.87, (2, 18)
ANOVA = Reported("anova", "F(2, 18) of the analysis of variance", PUBLISHED_F, unit="")
COUNTS = (
    Reported("actions", "actions (set on it)", 77_182.0, unit=""),
    Reported("goals", "goals achieved (set on it)", 893.0, unit=""),
    Reported("actions-a-goal", "actions a goal (set on it)", 86.4, unit=""),
)
# What the table of sentences shows: F1 in points, and counts.
CHANGED = {
    "majority": "most frequent",
    "unigram": "unigram",
    "bigram": "bigram",
    "factored": "factored MLN",
    "factored-unigram": "factored over unigram",
    "goals": "goals",
    "actions-a-goal": "actions a goal",
}


@dataclass(frozen=True, slots=True)
class SeedScore:
    """What one study of one seed found: F1 by model in per cent, counts, and the p of each pair by Tukey's test.

    ``players`` are all that were simulated, also those who achieved nothing and have no row in the log.
    """

    variant: str
    seed: int
    players: int
    folds: int
    f1: dict[str, float]
    actions: int
    goals: int
    p: dict[str, float | None]
    anova_f: float | None

    @property
    def setting(self) -> tuple[str, int, int, int]:
        """Return what identifies the score: variant, seed, players and folds."""
        return self.variant, self.seed, self.players, self.folds


# --- scores -----------------------------------------------------------------------------------------------------------


class Scores:
    """Scores by setting; with a file, they are read from it at first and written to it as they come."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._found: dict[tuple[str, int, int, int], SeedScore] = {}
        if self._path is not None:
            check_output(self._path)  # before anything runs
        if self._path is not None and self._path.exists():
            self._found = {each.setting: each for each in _read_scores(self._path)}

    def find(self, variant: str, seed: int, players: int, folds: int) -> SeedScore | None:
        """Return the score of a setting, or None."""
        return self._found.get((variant, seed, players, folds))

    def add(self, score: SeedScore) -> None:
        """Keep a score."""
        self._found[score.setting] = score
        if self._path is not None:
            write_text(self._path, json.dumps([asdict(each) for each in self._found.values()], indent=1) + "\n")


def _read_scores(path: Path) -> list[SeedScore]:
    """Return the scores in a file; the error names the first entry that is none."""
    text = read_text(path)
    try:
        found = TypeAdapter(list[SeedScore]).validate_json(text, strict=True)
    except ValidationError as error:
        place = error.errors()[0]["loc"][:1]
        where = f": entry {place[0] + 1} is no score" if place and isinstance(place[0], int) else ""
        raise TelosError(f"{path}: not a file of scores of this study{where}", "name another file") from error
    for number, score in enumerate(found, start=1):
        if set(score.f1) != set(CHAPTER) or not all(map(math.isfinite, score.f1.values())) or score.goals < 1:
            raise TelosError(
                f"{path}: not a file of scores of this study: entry {number} lacks figures", "name another file"
            )
    return found


def score_seed(variant: str, seed: int, *, players: int, folds: int, jobs: int = 1) -> SeedScore:
    """Simulate the players of one seed and score the chapter's models on them."""
    log = island_log(players, seed, folds=folds, jobs=jobs, variant=variant)
    specs = tuple(each for each in lineup_for(log).models if each.key in CHAPTER)
    by_fold = list(parallel_map(partial(score_ahead, log, specs, seed), range(log.folds), jobs=jobs))
    compared = {key: [each[key] for each in by_fold] for key in COMPARED}
    return SeedScore(
        variant,
        seed,
        players,
        len(by_fold),
        {spec.key: 100.0 * fmean(each[spec.key] for each in by_fold) for spec in specs},
        len(log.truth),
        log.pursuits,
        {f"{pair.first}-{pair.second}": pair.p for pair in tukey(compared)},
        repeated_measures(compared).f,
    )


def judge_scores(scores: Sequence[SeedScore]) -> list[Agreement]:
    """Judge the published figures by the scores of one variant."""
    measured = {key: Measured(tuple(each.f1[key] for each in scores)) for key in CHAPTER}
    found = [judge(each, measured[each.key]) for each in FIGURES]
    for each in DIFFERENCES:
        one, _, other = each.key.partition("-")
        values = tuple(score.f1[one] - score.f1[other] for score in scores)
        ps = tuple(_pair_p(score, one, other) for score in scores)
        found.append(judge(each, Measured(values, ps)))
    fs = [each.anova_f for each in scores if each.folds == FOLDS and each.anova_f is not None]
    if len(fs) == len(scores):  # F depends on the number of folds
        found.append(judge(ANOVA, Measured(tuple(fs))))
    counts = {
        "actions": [float(each.actions) for each in scores],
        "goals": [float(each.goals) for each in scores],
        "actions-a-goal": [each.actions / each.goals for each in scores],
    }
    return found + [judge(each, Measured(tuple(counts[each.key]))) for each in COUNTS]


def _pair_p(score: SeedScore, one: str, other: str) -> float | None:
    return score.p.get(f"{one}-{other}", score.p.get(f"{other}-{one}"))


# --- runs -------------------------------------------------------------------------------------------------------------


def run_over_seeds(
    *,
    seeds: int = 10,
    seed: int = 1,
    players: int = 137,
    folds: int = 10,
    variants: Sequence[str] = (TEXT, TODAY),
    ablation: int = 0,
    scores: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Score the chapter's models over several seeds, the first of which is ``seed``, for each variant of the players.

    ``ablation`` seeds (none by default) are also run without one sentence of the text at a time. ``scores`` is a file
    that keeps what is done; settings that are in it are not run again.
    """
    if seeds < 2:
        raise TelosError(f"an interval over seeds needs at least 2 of them, got {seeds}")
    if folds < 2:
        raise TelosError(f"folds must be at least 2, or no players are left to train on; got {folds}")
    wanted = plan_runs(variants, seeds_from(seed, seeds), ablation)
    kept = Scores(scores)
    found: dict[str, list[SeedScore]] = {}
    for score in progress(_score_all(wanted, kept, players=players, folds=folds, jobs=jobs), len(wanted)):
        found.setdefault(score.variant, []).append(score)
    return seeds_result(found, seed=seed, players=players, folds=folds, variants=variants, ablation=ablation)


def plan_runs(variants: Sequence[str], seeds: tuple[int, ...], ablation: int) -> list[tuple[str, int]]:
    """Return what is run: variants with all seeds, then, seed by seed, the text without each of its sentences."""
    for variant in variants:
        load_variant(variant)  # an unknown one is refused before anything runs
    if not 0 <= ablation <= len(seeds):
        raise TelosError(f"sentences are left out with 0 to {len(seeds)} of the seeds, got {ablation}")
    if ablation and TEXT not in variants:
        raise TelosError("only the variant from the text has sentences to leave out", "say --variant text, or none")
    plan = [(variant, each) for variant in variants for each in seeds]
    return plan + [(name_without(sentence), each) for each in seeds[:ablation] for sentence in TEXT_SENTENCES]


def _score_all(
    wanted: Sequence[tuple[str, int]], kept: Scores, *, players: int, folds: int, jobs: int
) -> Iterator[SeedScore]:
    for variant, seed in wanted:
        score = kept.find(variant, seed, players, folds)
        if score is None:
            score = score_seed(variant, seed, players=players, folds=folds, jobs=jobs)
            kept.add(score)
        yield score


# --- results ----------------------------------------------------------------------------------------------------------


def fold_tests(scores: Sequence[SeedScore]) -> dict[str, Any]:
    """Return the tests over folds for JSON, by seed: F and p of the analysis of variance, Tukey's p of each pair."""
    df = 2, 2 * (scores[0].folds - 1)
    fs = [each.anova_f for each in scores]
    return {
        "df": list(df),
        "f": fs,
        "p": [None if f is None else f_test(f, *df) for f in fs],
        "tukey": {each.key: [_pair_p(score, *each.key.split("-")) for score in scores] for each in DIFFERENCES},
    }


def fold_tests_table(found: Mapping[str, Sequence[SeedScore]]) -> Table:
    """Return the chapter's tests over folds beside ours."""
    tests = {variant: fold_tests(scores) for variant, scores in found.items()}
    df = next(iter(tests.values()))["df"]
    rows = [
        ("analysis of variance: F", f"{PUBLISHED_F}, F(2, 18)", *(_spread_text(each["f"]) for each in tests.values())),
        ("… its p", "p < .0001", *(_p_text(each["p"], 0.0001) for each in tests.values())),
    ]
    rows += [
        (f"Tukey: {pair.label}", pair.says, *(_p_text(each["tukey"][pair.key], 0.01) for each in tests.values()))
        for pair in DIFFERENCES
    ]
    note = f"Folds are the subjects; ours are F({df[0]}, {df[1]}), the mean over seeds, lowest to highest."
    if df[1] != PUBLISHED_DF[1]:
        note += " The chapter has ten folds, so that its F and p cannot be compared with these."
    columns = ("test over folds", "published", *(SHOWN.get(variant, variant) for variant in tests))
    return Table(columns, tuple(rows), note=note, text_columns=tuple(range(len(columns))))


def _spread_text(values: Sequence[float | None]) -> str:
    known = [each for each in values if each is not None]
    return f"{fmean(known):.1f} ({min(known):.1f} to {max(known):.1f})" if known else ""


def _p_text(values: Sequence[float | None], limit: float) -> str:
    known = [each for each in values if each is not None]
    below = sum(each < limit for each in known)
    return f"p < {limit:g} in {below} of {len(values)} seeds"


def find_changes(found: Mapping[str, Sequence[SeedScore]]) -> dict[str, dict[str, Measured]]:
    """Return what each sentence adds to the figures of ``CHANGED``, seed by seed."""

    def values(variant: str) -> dict[str, list[float]]:
        scores = found[variant]
        return {key: [_figures(each)[key] for each in scores] for key in CHANGED}

    whole = values(TEXT)
    return {
        sentence: {key: subtract_by_seed(whole[key], each) for key, each in values(name_without(sentence)).items()}
        for sentence in TEXT_SENTENCES
    }


def _figures(score: SeedScore) -> dict[str, float]:
    return {
        **score.f1,
        "factored-unigram": score.f1["factored"] - score.f1["unigram"],
        "goals": float(score.goals),
        "actions-a-goal": score.actions / score.goals,
    }


def _one_by_one(judged: Mapping[str, Sequence[Agreement]]) -> list[Table]:
    """Return a table for each variant, which fits a terminal; the criterion stands below the last one."""
    tables = [agreement_table({SHOWN.get(name, name): each}) for name, each in judged.items()]
    return [*(replace(table, note="") for table in tables[:-1]), *tables[-1:]]


def seeds_result(
    found: Mapping[str, Sequence[SeedScore]],
    *,
    seed: int,
    players: int,
    folds: int,
    variants: Sequence[str] = (TEXT, TODAY),
    ablation: int = 0,
) -> StudyResult:
    """Return the result: published, ours and verdict; tests over folds; what each sentence changes; scores by seed."""
    whole = {variant: found[variant] for variant in variants if variant in found}
    judged = {variant: judge_scores(scores) for variant, scores in whole.items()}
    table = agreement_table({SHOWN.get(variant, variant): each for variant, each in judged.items()})
    size = f"{players} players, {folds} folds, seeds {seed} to {seed + len(next(iter(whole.values()))) - 1}"
    findings = tuple(f"{SHOWN.get(variant, variant)}: {count_verdicts(each)}" for variant, each in judged.items())
    changes = find_changes(found) if ablation else {}
    further: tuple[Block, ...] = (Section("Tests over folds"), fold_tests_table(whole))
    if ablation:
        note = (
            "Points of F1, and counts, that the sentence brings: with all sentences, minus all but this one; "
            + ("one seed" if ablation == 1 else f"the mean over {ablation} seeds with the 95% interval of the mean")
            + ". The same seeds are the same players and games. "
            "What was set on the published counts stays as it is, so that counts move too."
        )
        further += (
            Section("What each sentence changes"),
            sentence_table(TEXT_SENTENCES, CHANGED, changes, note=note),
        )
    data: dict[str, Any] = {
        "study": "crystal-island",
        "seed": seed,
        "players": players,
        "folds": folds,
        "variants": {
            variant: {
                "agreement": agreement_data(judged[variant]),
                "tests": fold_tests(scores),
                "scores": [asdict(each) for each in scores],
            }
            for variant, scores in whole.items()
        },
        "sentences": dict(TEXT_SENTENCES),
        "changes": {
            name: {key: [round_figure(value) for value in change.values] for key, change in each.items()}
            for name, each in changes.items()
        },
        "findings": list(findings),
    }
    return StudyResult(
        "crystal-island",
        "Reading goals with Markov logic: the chapter beside simulated players",
        f"crystal-island over seeds: {size}, simulated",
        seed,
        data,
        (*_one_by_one(judged), *further),
        (table, *further),
        source="Ha, Rowe, Mott and Lester, Tables 3 and 5",
        players="simulated players",
        setting=size,
        findings=findings,
        notes=("F1 with look-ahead, one prediction an action, mean over folds by player; differences in points.",),
    )
