"""The chapter's models over several seeds, for both variants of the players: published, ours, and whether they agree.

Every seed is a study of its own: players are simulated, every model is trained on the other folds and reads the players
of its fold with look-ahead, as in the chapter. ``Scores`` keeps what is done in a file, so that a long run may be
stopped and continued. Start with ``run_over_seeds``.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.files import read_text, write_text
from telos.studies.crystal_island.folds import AHEAD, LogOutcome, measure_log, run_folds
from telos.studies.crystal_island.logs import island_log
from telos.studies.crystal_island.models import COMPARED, MAJORITY, Lineup, lineup_for
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.seeds import Agreement, Measured, Reported, agreement_data, agreement_table, count_verdicts, judge
from telos.worlds.island.styles import TEXT, TODAY

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
COUNTS = (
    Reported("actions", "actions (set on it)", 77_182.0, unit=""),
    Reported("goals", "goals achieved (set on it)", 893.0, unit=""),
    Reported("actions-a-goal", "actions a goal (set on it)", 86.4, unit=""),
)


@dataclass(frozen=True, slots=True)
class SeedScore:
    """What one study of one seed found: F1 by model in per cent, counts, and the p of each pair by Tukey's test."""

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


class Scores:
    """Scores by setting; with a file, they are read from it at first and written to it as they come."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._found: dict[tuple[str, int, int, int], SeedScore] = {}
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


def _read_scores(path: Path) -> Iterator[SeedScore]:
    try:
        for each in json.loads(read_text(path)):
            yield SeedScore(**each)
    except (ValueError, TypeError) as error:
        if isinstance(error, TelosError):
            raise
        raise TelosError(f"{path}: not a file of scores of this study", "name another file") from error


def score_seed(variant: str, seed: int, *, players: int, folds: int, jobs: int = 1) -> SeedScore:
    """Simulate the players of one seed and score the chapter's models on them."""
    log = island_log(players, seed, folds=folds, jobs=jobs, variant=variant)
    models = tuple(each for each in lineup_for(log).models if each.key in CHAPTER)
    lineup = Lineup(models, ())
    return _to_score(measure_log(log, lineup.labels, list(run_folds(log, lineup, seed=seed, jobs=jobs))), variant, seed)


def _to_score(outcome: LogOutcome, variant: str, seed: int) -> SeedScore:
    scores = {key: score.decodings[AHEAD] for key, score in outcome.scores.items()}
    return SeedScore(
        variant,
        seed,
        outcome.players,
        len(next(iter(scores.values())).folds),
        {key: 100.0 * each.mean for key, each in scores.items()},
        outcome.actions,
        outcome.goals,
        {f"{pair.first}-{pair.second}": pair.p for pair in outcome.pairs[AHEAD]},
        outcome.anovas[AHEAD].f,
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
    counts = {
        "actions": [float(each.actions) for each in scores],
        "goals": [float(each.goals) for each in scores],
        "actions-a-goal": [each.actions / each.goals for each in scores],
    }
    return found + [judge(each, Measured(tuple(counts[each.key]))) for each in COUNTS]


def _pair_p(score: SeedScore, one: str, other: str) -> float | None:
    return score.p.get(f"{one}-{other}", score.p.get(f"{other}-{one}"))


def run_over_seeds(
    *,
    seeds: int = 10,
    seed: int = 1,
    players: int = 137,
    folds: int = 10,
    variants: Sequence[str] = (TEXT, TODAY),
    scores: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Score the chapter's models over several seeds, the first of which is ``seed``, for each variant of the players.

    ``scores`` is a file that keeps what is done; settings that are in it are not run again.
    """
    if seeds < 2:
        raise TelosError(f"an interval over seeds needs at least 2 of them, got {seeds}")
    if folds < 2:
        raise TelosError(f"folds must be at least 2, or no players are left to train on; got {folds}")
    kept = Scores(scores)
    wanted = [(variant, each) for variant in variants for each in range(seed, seed + seeds)]
    found: dict[str, list[SeedScore]] = {variant: [] for variant in variants}
    for score in progress(_score_all(wanted, kept, players=players, folds=folds, jobs=jobs), len(wanted)):
        found[score.variant].append(score)
    return seeds_result(found, seed=seed, players=players, folds=folds)


def _score_all(
    wanted: Sequence[tuple[str, int]], kept: Scores, *, players: int, folds: int, jobs: int
) -> Iterator[SeedScore]:
    for variant, seed in wanted:
        score = kept.find(variant, seed, players, folds)
        if score is None:
            score = score_seed(variant, seed, players=players, folds=folds, jobs=jobs)
            kept.add(score)
        yield score


def seeds_result(found: Mapping[str, Sequence[SeedScore]], *, seed: int, players: int, folds: int) -> StudyResult:
    """Return the result: one table of published, ours and verdict, and the scores of every seed."""
    judged = {variant: judge_scores(scores) for variant, scores in found.items() if scores}
    table = agreement_table({SHOWN.get(variant, variant): each for variant, each in judged.items()})
    size = f"{players} players, {folds} folds, seeds {seed} to {seed + len(next(iter(found.values()))) - 1}"
    findings = tuple(f"{SHOWN.get(variant, variant)}: {count_verdicts(each)}" for variant, each in judged.items())
    data: dict[str, Any] = {
        "study": "crystal-island",
        "seed": seed,
        "players": players,
        "folds": folds,
        "variants": {
            variant: {"agreement": agreement_data(judged[variant]), "scores": [asdict(each) for each in scores]}
            for variant, scores in found.items()
            if scores
        },
        "findings": list(findings),
    }
    return StudyResult(
        "crystal-island",
        "Reading goals with Markov logic: the chapter beside simulated players",
        f"crystal-island over seeds: {size}, simulated",
        seed,
        data,
        tuple(agreement_table({SHOWN.get(name, name): each}) for name, each in judged.items()),
        (table,),
        source="Ha, Rowe, Mott and Lester, Tables 3 and 5",
        players="simulated players",
        setting=size,
        findings=findings,
        notes=("F1 with look-ahead, one prediction an action, mean over folds by player; differences in points.",),
    )
