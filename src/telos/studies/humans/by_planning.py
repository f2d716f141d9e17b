"""Goal recognition of human players by planning, alone and combined with a recogniser trained on other people.

Ten folds by player (or pair). Planning needs no training: a domain file states the rules of the game. Only the weight
of each expert, four numbers at most, and how common each goal is are learned, on the rows of the other folds, where
the trained recogniser was not trained on the player at hand. Start with ``run_planning``.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.files.domain_file import load
from telos.parallel import parallel_map
from telos.recognition.by_planning.reader import PlanModel, PlanModelOptions, PlanReader
from telos.recognition.feature_hmm import FeatureIOHMM
from telos.recognition.filtering import Reader
from telos.studies.comparisons import MethodAccuracy, PlayerComparison, compare_players, human_result
from telos.studies.humans import crafter, overcooked
from telos.studies.humans.crafter import THINGS
from telos.studies.humans.logs import DATA, LabelledEvent, LabelledPlay, LogSource, groups_of, read_plays
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.scoring import GroupScore, folds, teach
from telos.telemetry.logs import LogRow

# --- the games: one domain file each, and rows as events --------------------------------------------------------------


PRESS, IDLE = "press", "idle"
SIGHTS = tuple(f"d_{thing}" for thing in THINGS)  # -1 if none is in view
ACHIEVED = "achieved"  # the context entry with the achievement of the previous row, if recognisers may know it


class Standing(NamedTuple):
    """The goals at one scored row: wasted cost, remaining cost, and which goals are still possible."""

    group: str
    truth: str
    wasted: tuple[float, ...]
    to_go: tuple[float, ...]
    is_open: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PlanningGame:
    """A game for recognition by planning: its columns, its domain, and the conversion of a row to events."""

    source: LogSource
    domain: str
    options: PlanModelOptions
    events: Callable[[PlanReader, LabelledEvent], Iterator[Event]]

    def reader(self) -> PlanReader:
        """Return a new reader, without observations."""
        return PlanReader(PlanModel(load(DATA / f"{self.domain}.yaml"), **self.options))


def standings(game: PlanningGame, plays: Sequence[LabelledPlay]) -> Iterator[Standing]:
    """Read every sequence from its start and yield the standing of the goals at each scored row."""
    reader = game.reader()
    for play in plays:
        reader.reset()
        for row in play.rows:
            for event in game.events(reader, row):
                reader.observe(event)
            if row.is_scored and row.truth is not None:
                yield _standing(reader, play.group, row.truth)


def _standing(reader: PlanReader, group: str, truth: str) -> Standing:
    accounts = {each.goal: each for each in reader.why().accounts}
    found = [accounts[goal] for goal in reader.goals]
    is_open = tuple(chance > 0.0 for chance in reader.belief.values())
    to_go = tuple(0.0 if each.to_go is None else each.to_go for each in found)
    return Standing(group, truth, tuple(each.wasted for each in found), to_go, is_open)


def _look_at_life(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return the domain's variables from the columns, and the achievement of the previous row."""
    slept = before is not None and before.event.action == "sleep"
    return {**now.event.context, "asleep": slept, ACHIEVED: None if before is None else before.event.goal}


def _live(reader: PlanReader, row: LabelledEvent) -> Iterator[Event]:
    """Yield one press per key; its effect is in the next row. An achievement begins a new pursuit."""
    event = row.event
    achieved = event.context[ACHIEVED]
    if achieved is not None:
        yield Event(IDLE, player=event.player, time=event.time, goal=achieved)
    start = reader.model.start
    context = {name: start[name] if name in SIGHTS and value < 0 else value for name, value in event.context.items()}
    action = IDLE if event.action == "noop" else PRESS
    yield Event(action, context, player=event.player, time=event.time)


# What `interact` does by what is in front and what is held, and the goal that is reached by it.
USES = {
    ("onions", "nothing"): ("take-onion", "get_onion"),
    ("dishes", "nothing"): ("take-dish", "get_dish"),
    ("pot", "onion"): ("pot-onion", "pot_onion"),
    ("pot", "dish"): ("plate-soup", "plate_soup"),
    ("serving", "soup"): ("deliver", "deliver_soup"),
    ("counter", "onion"): ("put-onion", "put_onion_on_counter"),
    ("counter", "dish"): ("put-dish", "put_dish_on_counter"),
    ("counter", "soup"): ("put-soup", "put_soup_on_counter"),
    ("counter", "nothing"): (
        "pick-onion",
        "take_onion_from_counter",
    ),  # the most frequent case; the log does not show the object on the counter
}
DISTANCES = ("d_onions", "d_dishes", "d_pot", "d_serving")


def _look_at_kitchen(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return the context from the position only, without the contents of hands and pots."""
    here = now.event.context
    shown = {name: max(1, int(here[name])) for name in DISTANCES}
    return {**shown, "facing_tile": here["facing_tile"], "last": "nothing_yet"}


def _cook(reader: PlanReader, row: LabelledEvent) -> Iterator[Event]:
    """Yield the cook's events; earlier actions give the held object, and an `interact` without effect is a press."""
    event = row.event
    use = USES.get((str(event.context["facing_tile"]), str(reader.state["held"])))
    if event.action == "interact" and use is not None:
        yield Event(use[0], event.context, player=event.player, time=event.time, goal=use[1])
    else:
        action = IDLE if event.action == "stay" else PRESS
        yield Event(action, event.context, player=event.player, time=event.time)


# The log has the state after every key, and the player caused it; plays are long, and old steps are weak evidence of
# the present goal.
_MODEL_OPTIONS: PlanModelOptions = {"luck": False, "ignores": (IDLE,), "sees_all": True}
GAMES = {
    "crafter": PlanningGame(
        LogSource("crafter-planning", idle="noop", look=_look_at_life),
        "crafter-domain",
        {**_MODEL_OPTIONS, "relevance": True, "lasts": 30.0},
        _live,
    ),
    "overcooked": PlanningGame(
        LogSource("overcooked", idle="stay", look=_look_at_kitchen, group="pair"),
        "overcooked-domain",
        {**_MODEL_OPTIONS, "lasts": 30.0},
        _cook,
    ),
}


# --- the study --------------------------------------------------------------------------------------------------------


FOLDS = 10
THIN = 5  # a quick study reads every fifth sequence
LEAST = 1e-6  # minimum belief of a goal in the product, so that no expert can rule one out
FARTHEST = 200.0  # maximum plan cost; a goal without a plan has this cost
TRAINED, WASTED, TO_GO, PRIOR = range(4)
EXPERT_NAMES = ("trained", "wasted", "to go", "prior")
BOTH, ALONE, WEIGHED = "product of both", "trained alone", "trained alone, with a prior"
EXPERTS = {
    "planning alone": (WASTED, TO_GO),
    "planning alone, with a prior": (WASTED, TO_GO, PRIOR),
    ALONE: (TRAINED,),
    WEIGHED: (TRAINED, PRIOR),
    BOTH: (TRAINED, WASTED, TO_GO, PRIOR),
}
AS_THEY_ARE = {"planning": (WASTED,), "trained": (TRAINED,), "product": (TRAINED, WASTED, TO_GO)}
TRAINERS: dict[str, tuple[LogSource, Callable[[Sequence[str]], FeatureIOHMM]]] = {
    "crafter": (crafter.SOURCE, lambda goals: crafter.features()),
    "overcooked": (overcooked.SOURCE, overcooked.cook),
}


class PlanningTask(NamedTuple):
    """One fold of the study, small enough to be sent to another process."""

    name: str
    folder: str
    fold: int
    quick: bool


class FoldReading(NamedTuple):
    """The result of one fold: for each scored row the standing of the goals and the trained recogniser's belief."""

    goals: tuple[str, ...]
    standings: list[Standing]
    trained: list[tuple[float, ...]]


def run_planning(
    name: str,
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Recognise goals in the log of a game in ``folder`` by planning, by a trained recogniser, and by both."""
    if name not in GAMES:
        raise TelosError(f"there is no domain for {name!r}", name_hint(name, GAMES))
    experts = _experts()
    place = str(Path(folder))
    groups = groups_of(_plays(place, name, quick))
    if len(groups) < 2:
        raise TelosError(f"{place}: {len(groups)} group of players", "folds need at least two")
    tasks = [PlanningTask(name, place, fold, quick) for fold in range(len(folds(groups, FOLDS)))]
    done = list(progress(parallel_map(run_fold, tasks, jobs=jobs), len(tasks)))
    return _study(name, _Weighing(experts, done), seed=seed, quick=quick)


def run_fold(task: PlanningTask) -> FoldReading:
    """Read the players of one fold by planning, and with a model trained on the other folds."""
    game = GAMES[task.name]
    plays = _plays(task.folder, task.name, task.quick)
    tested = folds(groups_of(plays), FOLDS)[task.fold]
    found = list(standings(game, [play for play in plays if play.group in tested]))
    goals = game.reader().goals
    models = _taught(task.folder, task.name, task.quick)
    model = TRAINERS[task.name][1](goals).join(each for group, each in models.items() if group not in tested)
    reader, trained = Reader(model, remembers=1), []
    for play in _lessons(task.folder, task.name, task.quick):
        if play.group in tested:
            reader.reset()
            for row in play.rows:
                belief = reader.observe(row.event)
                if row.is_scored:
                    trained.append(tuple(belief.get(goal, 0.0) for goal in goals))
    return FoldReading(goals, found, trained)


class _Weighing:
    """The rows of all folds as arrays, and the beliefs of each set of experts, fitted on the other folds."""

    def __init__(self, experts: ModuleType, done: Sequence[FoldReading]) -> None:
        import numpy as np

        goals = done[0].goals
        rows = [row for each in done for row in each.standings]
        trained = np.log(np.maximum(np.array([row for each in done for row in each.trained]), LEAST))
        wasted = np.array([row.wasted for row in rows])
        to_go = np.minimum(np.array([row.to_go for row in rows]), FARTHEST)
        truth = np.array([goals.index(row.truth) for row in rows])
        self.experts, self.truth = experts, truth
        self.said = experts.Said(np.stack([trained, -wasted, -to_go]), np.array([row.is_open for row in rows]), truth)
        self.groups = [row.group for row in rows]
        self.folds = np.repeat(np.arange(len(done)), [len(each.standings) for each in done])

    def fitted(self, chosen: Sequence[int]) -> tuple[Any, list[list[float]]]:
        """Return the beliefs at all rows, and the weights of each fold."""
        import numpy as np

        found, weights = np.zeros(self.said.is_open.shape), []
        for fold in np.unique(self.folds):
            tested = self.folds == fold
            said = self.said.with_prior(~tested).experts(list(chosen))
            weights.append(self.experts.fit(said.rows(~tested)))
            found[tested] = self.experts.beliefs(said.rows(tested), weights[-1])
        return found, [[round(float(each), 4) for each in of] for of in weights]

    def plain(self, chosen: Sequence[int]) -> Any:
        """Return the beliefs with all weights at 1: temperature 1, and nothing fitted."""
        import numpy as np

        return self.experts.beliefs(self.said.experts(list(chosen)), np.ones(len(chosen)))

    def score(self, chances: Any) -> GroupScore:
        """Count by group how often the likeliest goal was right."""
        found = GroupScore()
        for group, is_right in zip(self.groups, (chances.argmax(axis=1) == self.truth).tolist(), strict=True):
            found.add(group, is_right)
        return found

    def quality(self, chances: Any) -> dict[str, float]:
        """Return the calibration error of the belief and its log loss."""
        error = self.experts.calibration_error(chances, self.truth)
        return {"ece": round(error, 4), "log_loss": round(self.experts.log_loss(chances, self.truth), 4)}


def _study(name: str, weighing: _Weighing, *, seed: int, quick: bool) -> StudyResult:
    rng, figures, scores = Random(seed), list[MethodAccuracy](), dict[str, GroupScore]()
    weights = dict[str, list[list[float]]]()
    plain = {method: weighing.quality(weighing.plain(chosen)) for method, chosen in AS_THEY_ARE.items()}
    fitted = dict[str, dict[str, float]]()
    for method, chosen in EXPERTS.items():
        chances, weights[method] = weighing.fitted(chosen)
        fitted[method] = weighing.quality(chances)
        scores[method] = weighing.score(chances)
        figures.append(MethodAccuracy.from_score(method, scores[method], rng=rng))
    tests = tuple(_compared(BOTH, other, scores, rng) for other in (ALONE, WEIGHED))
    details = {
        "calibration": {"all weights 1": plain, "fitted": fitted},
        "experts": {method: [EXPERT_NAMES[each] for each in chosen] for method, chosen in EXPERTS.items()},
        "weights": weights,
    }
    return human_result(f"{name}-planning", seed, quick, tuple(figures), tests, _findings(plain, fitted), details)


def _compared(a: str, b: str, scores: dict[str, GroupScore], rng: Random) -> PlayerComparison:
    shares = [scores[each].by_group for each in (a, b)]
    return compare_players(a, b, *([each[group] for group in sorted(each)] for each in shares), rng=rng)


def _findings(plain: dict[str, dict[str, float]], fitted: dict[str, dict[str, float]]) -> tuple[str, ...]:
    """Return findings on the effect of the weights on calibration and log loss."""
    surprise = ", ".join(f"{method} {each['log_loss']:.3f}" for method, each in fitted.items())
    trained = plain["trained"]
    return (
        f"Expected calibration error of the product: {plain['product']['ece']:.3f} with all weights at 1, "
        f"{fitted[BOTH]['ece']:.3f} with fitted ones; of the trained recogniser as it is: {trained['ece']:.3f}.",
        f"Surprise at the truth, in nats: {surprise}; the trained recogniser as it is {trained['log_loss']:.3f}.",
    )


def _experts() -> ModuleType:
    try:
        from telos.studies.humans import experts
    except ImportError:
        raise TelosError("a product of experts needs numpy", "install it with: pip install 'telos[studies]'") from None
    return experts


@lru_cache(maxsize=2)  # one process runs several folds, and reading is slow
def _read(folder: str, source: LogSource, quick: bool) -> list[LabelledPlay]:
    plays = read_plays(folder, source)
    return plays[::THIN] if quick else plays


def _plays(folder: str, name: str, quick: bool) -> list[LabelledPlay]:
    return _read(folder, GAMES[name].source, quick)


def _lessons(folder: str, name: str, quick: bool) -> list[LabelledPlay]:
    return _read(folder, TRAINERS[name][0], quick)


@lru_cache(maxsize=1)
def _taught(folder: str, name: str, quick: bool) -> dict[str, FeatureIOHMM]:
    """Return one model per group; counts add up, so a model of any set of groups is a cheap sum."""
    plays, goals = _lessons(folder, name, quick), GAMES[name].reader().goals
    models = {group: TRAINERS[name][1](goals) for group in groups_of(plays)}
    for play in plays:
        teach(models[play.group], [play])
    return models


run_overcooked_planning = partial(run_planning, "overcooked")
run_crafter_planning = partial(run_planning, "crafter")
