"""The second study over several seeds, with players and games as before and from the text. Start with
``run_aiide_seeds``.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

from telos.core.errors import TelosError
from telos.parallel import parallel_map
from telos.recognition.files.load import named_model
from telos.recognition.iohmm import IOHMM
from telos.studies.gold import aiide
from telos.studies.gold.over_seeds import SeedStudy, Sentences, collect_samples, plan_variants, seeds_result
from telos.studies.gold.variants import AIIDE_SENTENCES, Variant, aiide_variant
from telos.studies.players import Player, play
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.scoring import Tally
from telos.studies.seeds import Reported, seeds_from
from telos.studies.statistics import need_scipy, paired
from telos.worlds.adventure.adventure import Adventure

AS_PUBLISHED = aiide.AS_PUBLISHED
QUICK = {"players": 3, "runs": 1, "returning": 2}
AIIDE = SeedStudy(
    aiide.NAME,
    "Training on players over several seeds: first-time players, and those who came back",
    aiide.SOURCE,
    AIIDE_SENTENCES,
    (
        Reported("first/trained", "first run: trained on the player", 66.0),
        Reported("first/fsm", "first run: FSM", 54.0),
        Reported("returning/trained", "first run of those who came back: trained on the player", 60.0),
        Reported("later/trained", "later run: trained on the player (also printed as 74)", 70.0),
        Reported("later/experimenter", "later run: trained on the experimenter", 63.0),
        Reported("experimenter/trained", "the experimenter: trained on the experimenter", 87.0),
        Reported("first/trained-fsm", "first run: player − FSM", 12.0, p=0.01, says="p < 0.01"),
        Reported("first/trained-experimenter", "first run: player − experimenter", None, p=0.18, says="p = 0.18"),
        Reported("later-first", "later − first run, each trained on its own", 10.0, p=0.01, says="p = 0.01"),
        Reported("later/trained-experimenter", "later run: player − experimenter", 11.0, p=0.03, says="p = 0.03"),
    ),
    {
        **{f"first/trained/{goal}": f"first run: trained on the player, in phases of {goal}" for goal in aiide.GOALS},
        "first/experimenter": "first run: trained on the experimenter",
        "first/itself": "first run: trained on the test round itself (a limit)",
        "later/fsm": "later run: FSM",
        "later/itself": "later run: trained on the test round itself (a limit)",
        "first/updates": "first run: updates in a test round",
        **{
            f"first/unexplored/{goal}/{name}": f"first run, {name} round: updates of {goal} that approach unexplored"
            for goal in aiide.GOALS
            for name in (aiide.TRAINING, aiide.TEST)
        },
    },
    {
        "first/trained": "first run, player",
        "first/fsm": "first run, FSM",
        "first/experimenter": "first, experimenter",
        "returning/trained": "came back, first run",
        "later/trained": "later run, player",
        "later/experimenter": "later, experimenter",
        "experimenter/trained": "the experimenter",
    },
)


@dataclass(frozen=True, slots=True)
class AiideTask:
    """The games of one subject of the second study."""

    sentences: Sentences
    subject: aiide.Subject


def play_aiide(task: AiideTask) -> aiide.Visits:
    """Simulate all games of a subject; seeds are those of the study with one seed."""
    variant, subject = aiide_variant(task.sentences), task.subject
    player = _aiide_player(variant, subject)
    first = _aiide_game(variant, subject, player)
    for _ in range(subject.runs_before):
        player.after_run()
    later = _aiide_game(variant, subject, player) if subject.runs_before else None
    return aiide.Visits(subject, first, later)


def _aiide_player(variant: Variant, subject: aiide.Subject) -> Player:
    if not subject.is_experimenter:
        return Player(aiide.subject_seed(subject, "player"), variant.presets["new"], maze=variant.rules.map)
    player = Player(subject.seed, variant.presets["experimenter"], maze=variant.rules.map)
    for _ in range(subject.number):
        player.after_run()
    return player


def _aiide_game(variant: Variant, subject: aiide.Subject, player: Player) -> aiide.Game | None:
    game = Adventure(variant.rules, seed=aiide.subject_seed(subject, f"game {player.runs}"))
    session = play(game, player, max_frames=aiide.MAX_FRAMES)
    if not session.is_done:
        return None
    return aiide.encode_session(
        session, Random(aiide.subject_seed(subject, f"fsm {player.runs}")), _iohmm(variant.model)
    )


@cache
def _iohmm(name: str) -> IOHMM:
    model = named_model(name)
    assert isinstance(model, IOHMM)
    return model


def run_aiide_seeds(
    *,
    rules: str = "both",
    seeds: int = 10,
    seed: int = 1,
    players: int = 19,
    runs: int = 6,
    returning: int | None = 5,
    ablation: int = 0,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the second study with each of ``seeds`` seeds, from ``seed`` on, at the size of the paper.

    ``ablation`` seeds (none by default) are also run without one sentence of the text at a time.
    """
    need_scipy()
    coming = players if returning is None else returning
    if players < 2 or runs < 1 or not 2 <= coming <= players:
        raise TelosError(
            f"the study needs 2 players, 2 of them who come back, and 1 run of the experimenter, got {players}, "
            f"{coming} and {runs}"
        )
    plan = plan_variants(AIIDE, rules, seeds_from(seed, seeds), ablation)
    tasks = [
        AiideTask(sentences, subject)
        for _, sentences, chosen in plan
        for each in chosen
        for subject in _subjects(each, players, runs, coming)
    ]
    done = list(progress(parallel_map(play_aiide, tasks, jobs=jobs), len(tasks)))
    grouped: dict[tuple[Sentences, int], list[aiide.Visits]] = defaultdict(list)
    for task, visits in zip(tasks, done, strict=True):
        grouped[task.sentences, task.subject.seed].append(visits)
    unfinished = sum(each.first is None or bool(each.subject.runs_before and not each.later) for each in done)
    samples = {
        name: collect_samples([_aiide_sample(grouped[sentences, each], each) for each in chosen])
        for name, sentences, chosen in plan
    }
    setting = {"players": players, "returning": coming, "experimenter runs": runs, "unfinished": unfinished}
    return seeds_result(AIIDE, samples, seeds_from(seed, seeds), ablation, setting)


def _subjects(seed: int, players: int, runs: int, coming: int) -> list[aiide.Subject]:
    before = aiide.RUNS_BEFORE
    return [aiide.Subject(number, seed, is_experimenter=True) for number in range(runs + 1)] + [
        aiide.Subject(number, seed, runs_before=before[number % len(before)] if number < coming else 0)
        for number in range(players)
    ]


def _aiide_sample(visits: Sequence[aiide.Visits], seed: int) -> dict[str, tuple[float, float | None]]:
    """Return every quantity of one seed with its p, in per cent and points."""
    own = [each.first for each in visits if each.subject.is_experimenter and each.first]
    if len(own) < 2:
        raise TelosError("the experimenter has not finished two games", "give --runs a larger number")
    model = aiide.train_model(own[0].training)
    firsts = [each.first for each in visits if not each.subject.is_experimenter and each.first]
    pairs = [(each.first, each.later) for each in visits if each.first and each.later]
    groups = {
        "first": [_score(game, model) for game in firsts],
        "returning": [_score(game, model) for game, _ in pairs],
        "later": [_score(game, model) for _, game in pairs],
    }
    if len(groups["first"]) < 2 or len(pairs) < 2:
        raise TelosError(f"only {len(firsts)} players finished, and {len(pairs)} twice", "invite more of them")
    found: dict[str, tuple[float, float | None]] = {}
    for group, scores in groups.items():
        values = {method: [score[method].accuracy for score in scores] for method in scores[0]}
        found |= {f"{group}/{method}": (100 * fmean(each), None) for method, each in values.items()}
        for a, b in (("trained", "fsm"), ("trained", "experimenter")):
            test = paired(values[a], values[b], rng=Random(f"{seed} {group} {a} {b}"))
            found[f"{group}/{a}-{b}"] = (100 * test.difference, test.p)
    for goal in aiide.GOALS:
        parts = [score["trained"].by_goal[goal] for score in groups["first"] if goal in score["trained"].by_goal]
        found[f"first/trained/{goal}"] = (100 * fmean(right / seen for right, seen in parts), None)
    found["first/updates"] = (fmean(score["trained"].updates for score in groups["first"]), None)
    for name, rounds in (
        (aiide.TRAINING, [game.training for game in firsts]),
        (aiide.TEST, [game.test for game in firsts]),
    ):
        counts = aiide.count_symbols(update for each in rounds for update in each)
        for goal, seen in counts.items():
            unexplored = sum(number for symbol, number in seen.items() if symbol.startswith("approach_unexplored"))
            found[f"first/unexplored/{goal}/{name}"] = (100 * unexplored / (sum(seen.values()) or 1.0), None)
    found["experimenter/trained"] = (
        100 * fmean(aiide.score_model(model, game.test).accuracy for game in own[1:]),
        None,
    )
    before, after = ([score["trained"].accuracy for score in groups[name]] for name in ("returning", "later"))
    test = paired(after, before, rng=Random(f"{seed} later first"))
    found["later-first"] = (100 * test.difference, test.p)
    return found


def _score(game: aiide.Game, experimenter: IOHMM) -> dict[str, Tally]:
    models = {
        "trained": aiide.train_model(game.training),
        "experimenter": experimenter,
        "itself": aiide.train_model(game.test),
    }
    return {**{name: aiide.score_model(model, game.test) for name, model in models.items()}, "fsm": game.fsm}
