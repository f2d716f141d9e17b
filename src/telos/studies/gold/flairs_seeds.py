"""The first study over several seeds, with players and games as before and from the text. Start with
``run_flairs_seeds``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.parallel import parallel_map
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import named_model
from telos.recognition.filtering import Reader
from telos.recognition.fsm import FSMModel
from telos.recognition.recognizer import Recognizer
from telos.studies.gold import flairs
from telos.studies.gold.over_seeds import SeedStudy, Sentences, collect_samples, plan_variants, seeds_result
from telos.studies.gold.variants import FLAIRS_SENTENCES, flairs_variant
from telos.studies.players import Player, Session, play
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.scoring import Tally, read
from telos.studies.seeds import Measured, Reported, seeds_from
from telos.studies.statistics import need_scipy, paired
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules import FRAMES_A_SECOND

AS_PUBLISHED = {"players": 10, "runs": 10}
QUICK = {"players": 3, "runs": 3}


def _flairs_reported() -> tuple[Reported, ...]:
    found = []
    for kind, accuracies in flairs.ACCURACIES.items():
        for method, percent in accuracies.items():
            found.append(Reported(f"{kind}/{method}", f"{_WHO[kind]}: {_METHODS[method]}", percent))
    gap = flairs.ACCURACIES["experienced"]["ffbm"] - flairs.ACCURACIES["new"]["ffbm"]
    found.append(Reported("experienced-new", "FFBM: experienced player above new players", gap, unit=" points"))
    for (kind, a, b), (p, says) in flairs.TESTS.items():
        gap = flairs.ACCURACIES[kind][a] - flairs.ACCURACIES[kind][b]
        label = f"{_WHO[kind]}: {_METHODS[a]} − {_METHODS[b]}"
        found.append(Reported(f"{kind}/{a}-{b}", label, gap, p=p, says=says))
    return tuple(found)


_WHO = {"experienced": "experienced player", "new": "new players"}
_METHODS = {"ffbm": "FFBM", "fsm": "FSM", "constant": "constant T"}
_SHORT = {**_METHODS, "constant": "const. T"}  # in figures
_BEFORE_THE_SWING = {"early": "at the last update before its first swing", "ever": "at any update before it"}
FLAIRS = SeedStudy(
    flairs.NAME,
    "Reading experienced and new players over several seeds: FFBM, FSM and constant T",
    flairs.SOURCE,
    FLAIRS_SENTENCES,
    _flairs_reported(),
    {
        **{
            f"{kind}/{method}/{goal}": f"{_WHO[kind]}: {_METHODS[method]} in phases of {goal}"
            for kind in _WHO
            for method in _METHODS
            for goal in flairs.GOALS
        },
        **{
            f"{kind}/{when}/{method}": f"{_WHO[kind]}: runs in which {_METHODS[method]} believes level {words}"
            for kind in _WHO
            for when, words in _BEFORE_THE_SWING.items()
            for method in ("ffbm", "constant")
        },
        "experienced/updates": "experienced player: updates a run",
        "new/updates": "new players: updates a run",
    },
    {f"{kind}/{method}": f"{kind}, {short}" for kind in _WHO for method, short in _SHORT.items()},
)
# The sentences about one kind of player; the others are about the game and how it is read.
_ABOUT = {"maze": "experienced", "stands": "experienced", "newcomers": "new"}


@dataclass(frozen=True, slots=True)
class FlairsTask:
    """One game of the first study to play and to read."""

    sentences: Sentences
    seed: int
    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class FlairsRun:
    """A game of the first study as the three methods read it; empty if it was not finished.

    ``early`` holds, for both Bayesian models, whether *level* was believed at each update of its phase before the first
    swing.
    """

    tallies: Mapping[str, Tally]
    early: Mapping[str, tuple[bool, ...]]


def play_flairs(task: FlairsTask) -> FlairsRun:
    """Simulate a game and let the three methods read it."""
    variant, run = flairs_variant(task.sentences), _flairs_run(task)
    session = flairs_session(task)
    if not session.is_done:
        return FlairsRun({}, {})
    moments = score_moments(session, new_goal=variant.scores_new_goal)
    machine = named_model("flairs-fsm")
    assert isinstance(machine, FSMModel)
    model = _ffbm(variant.model)
    methods: dict[str, Recognizer] = {
        "ffbm": Reader(model),
        "fsm": machine.recognizer(Random(flairs.run_seed(run, "fsm"))),
        "constant": Reader(ConstantT.of(model)),
    }
    reading = read(methods, moments, clock="ffbm")
    early = {
        name: _believed_early(each, moments) for name, each in (("ffbm", model), ("constant", ConstantT.of(model)))
    }
    return FlairsRun({name: reading.tally(name) for name in methods}, early)


def flairs_session(task: FlairsTask) -> Session:
    """Simulate the game of a task; seeds of games and players are those of the study with one seed."""
    variant, run = flairs_variant(task.sentences), _flairs_run(task)
    is_one = run.kind.is_one_person
    seed = run.seed if is_one else flairs.run_seed(run, "player")
    player = Player(seed, variant.presets[task.kind], maze=variant.rules.map)
    for _ in range(run.number if is_one else 0):
        player.after_run()
    game = Adventure(variant.rules, monsters=run.kind.monsters, seed=flairs.run_seed(run, "game"))
    return play(game, player, name=f"{task.kind} {task.number}")


def score_moments(session: Session, *, new_goal: bool) -> list[tuple[Event, str | None]]:
    """Return the events of a session with the goals to score by.

    With ``new_goal``, an event in the very frame in which a goal is reached belongs to the goal that begins there, if
    there is one; else to the one that ends.
    """
    truths = list(session.truths)
    end = 0
    for phase, after in zip(session.phases, (*session.phases[1:], None), strict=True):
        end += phase.frames
        last = phase.end - 1
        if new_goal and last >= phase.start and round(session.events[last].time * FRAMES_A_SECOND) == end:
            truths[last] = None if after is None else after.goal
    return list(zip(session.events, truths, strict=True))


def _flairs_run(task: FlairsTask) -> flairs.Run:
    kind = next(kind for kind in flairs.KINDS if kind.name == task.kind)
    return flairs.Run(kind, task.number, task.seed, draws=0)


@cache
def _ffbm(name: str) -> FFBM:
    model = named_model(name)
    assert isinstance(model, FFBM)
    return model


def _believed_early(model: FFBM, moments: Iterable[tuple[Event, str | None]]) -> tuple[bool, ...]:
    """Return whether level is believed at each update of its phase before the first swing, as in Figure 4."""
    reader = Reader(model)
    found: list[bool] = []
    for event, truth in moments:
        before = reader.updates
        if truth == "level" and event.action == "swing":
            break
        belief = reader.observe(event)
        if truth == "level" and reader.updates > before:
            found.append(belief.top == "level")
    return tuple(found)


def run_flairs_seeds(
    *,
    rules: str = "both",
    seeds: int = 10,
    seed: int = 1,
    players: int = 10,
    runs: int = 10,
    ablation: int = 0,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the first study with each of ``seeds`` seeds, from ``seed`` on, at the size of the paper.

    ``ablation`` seeds (none by default) are also run without one sentence of the text at a time.
    """
    need_scipy()
    if players < 2 or runs < 2:
        raise TelosError(f"a paired test needs at least 2 players and 2 runs, got {players} and {runs}")
    plan = plan_variants(FLAIRS, rules, seeds_from(seed, seeds), ablation)
    tasks = [
        FlairsTask(sentences, each, kind, number)
        for name, sentences, chosen in plan
        for kind, count in (("experienced", runs), ("new", players))
        if _ABOUT.get(name, kind) == kind
        for each in chosen
        for number in range(count)
    ]
    done = dict(zip(tasks, progress(parallel_map(play_flairs, tasks, jobs=jobs), len(tasks)), strict=True))
    unfinished = sum(not each.tallies for each in done.values())
    samples: dict[str, dict[str, Measured]] = {}
    for name, sentences, chosen in plan:
        by_seed = []
        for each in chosen:
            of_seed = {
                kind: [
                    run
                    for task, run in done.items()
                    if (task.sentences, task.seed, task.kind) == (sentences, each, kind)
                ]
                for kind in _WHO
            }
            by_seed.append(_flairs_sample(of_seed, each))
        samples[name] = collect_samples(by_seed)
    setting = {"players": players, "runs": runs, "unfinished": unfinished}
    return seeds_result(FLAIRS, samples, seeds_from(seed, seeds), ablation, setting)


def _flairs_sample(runs_by_kind: Mapping[str, Sequence[FlairsRun]], seed: int) -> dict[str, tuple[float, float | None]]:
    """Return every quantity of one seed with its p, in per cent and points."""
    found: dict[str, tuple[float, float | None]] = {}
    for kind, runs in runs_by_kind.items():
        finished = [run for run in runs if run.tallies]
        if not finished:
            continue
        values = {method: [run.tallies[method].accuracy for run in finished] for method in _METHODS}
        for method, each in values.items():
            found[f"{kind}/{method}"] = (100 * fmean(each), None)
            for goal in flairs.GOALS:
                parts = [run.tallies[method].by_goal[goal] for run in finished if goal in run.tallies[method].by_goal]
                found[f"{kind}/{method}/{goal}"] = (100 * fmean(right / seen for right, seen in parts), None)
        for a, b in (("ffbm", "fsm"), ("ffbm", "constant"), ("constant", "fsm")):
            test = paired(values[a], values[b], rng=Random(f"{seed} {kind} {a} {b}"))
            found[f"{kind}/{a}-{b}"] = (100 * test.difference, test.p)
        found[f"{kind}/updates"] = (fmean(run.tallies["ffbm"].updates for run in finished), None)
        for method in ("ffbm", "constant"):
            early = [run.early[method] for run in finished if run.early[method]]
            if early:
                found[f"{kind}/early/{method}"] = (100 * fmean(each[-1] for each in early), None)
                found[f"{kind}/ever/{method}"] = (100 * fmean(any(each) for each in early), None)
    if {"experienced/ffbm", "new/ffbm"} <= set(found):
        found["experienced-new"] = (found["experienced/ffbm"][0] - found["new/ffbm"][0], None)
    return found
