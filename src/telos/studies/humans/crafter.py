"""``telos study crafter``: test the AIIDE paper's claim that models trained on later play are better.

The paper trains and tests on the same run, once for first runs and once for later ones (60 and 70 per cent), and sets
them beside models trained on another player (74 and 63). Later runs can score better because training on them is
better, or because they are easier to recognise. Models of first and of later play are therefore both tested on both.
Start with ``run_crafter``.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.parallel import parallel_map
from telos.recognition.feature_hmm import Feature, FeatureIOHMM, GoalChanges
from telos.studies.comparisons import MethodAccuracy, PlayerComparison, compare_players, human_result
from telos.studies.humans.logs import LabelledPlay, LogSource, read_plays
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.scoring import GroupScore, Taught, folds, score, teach
from telos.studies.statistics import format_p
from telos.telemetry.logs import LogRow

# --- models of a player -----------------------------------------------------------------------------------------------


THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
TILES = (*THINGS, "grass", "sand", "path", "other")
KEYS = (
    *("sleep", "place_stone", "place_table", "place_furnace", "place_plant", "make_wood_pickaxe"),
    *("make_stone_pickaxe", "make_iron_pickaxe", "make_wood_sword", "make_stone_sword", "make_iron_sword"),
)
GOALS = (
    *("collect_coal", "collect_drink", "collect_iron", "collect_sapling", "collect_stone", "collect_wood"),
    *("defeat_skeleton", "defeat_zombie", "eat_cow", "make_stone_pickaxe", "make_wood_pickaxe"),
    *("make_wood_sword", "place_furnace", "place_plant", "place_table", "wake_up"),
)
MOVES = ("move_left", "move_right", "move_up", "move_down")
SIGHTS = (*KEYS, *(f"do_{tile}" for tile in TILES), *(f"approach_{thing}" for thing in THINGS), "other_movement")
WAYS = ("unseen", "new", "nearer", "same", "farther")
MUCH_WOOD = 6  # more makes no difference
HAS = "has_"
IDLE = "noop"

# The next goal depends on the achievements so far. The believed goal is not used: the game knows which goal was
# achieved.
CHANGES = GoalChanges(
    "achieved",
    given=(("achieved", "done"), ("done",), ("achieved", "many"), ("achieved",)),
    strength=3.0,
    from_any=True,
)


def look(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return the context at a row, and the second paper's kind of observation: target of an action, or approach."""
    here = now.event.context
    there = None if before is None else before.event.context
    ways = {thing: _way(thing, there, here) for thing in THINGS}
    done = tuple(name.removeprefix(HAS) for name in here if name.startswith(HAS) and here[name])
    is_idle = now.event.action == IDLE  # most ticks have no key and repeat the last observation
    return {
        **{f"way_{thing}": None if is_idle else way for thing, way in ways.items()},
        "facing_tile": here["facing_tile"],
        "seen": None if is_idle else _seen(now.event.action, ways, here),
        "wood": None if is_idle else min(int(here["wood"]), MUCH_WOOD),
        "has_table": here["has_place_table"],
        "achieved": None if before is None else before.event.goal,
        "done": done,
        "many": len(done),
        "phase": here["phase"],
    }


def _way(thing: str, there: Mapping[str, Value] | None, here: Mapping[str, Value]) -> str:
    now, past = here[f"d_{thing}"], -1 if there is None else there[f"d_{thing}"]
    if now < 0:
        return "unseen"
    if past < 0:
        return "new"
    return "nearer" if now < past else "same" if now == past else "farther"


def _seen(action: str, ways: Mapping[str, str], here: Mapping[str, Value]) -> str:
    if action == "do":
        tile = here["facing_tile"]
        return f"do_{tile if tile in TILES else 'other'}"
    if action not in MOVES:
        return action
    nearer = [thing for thing in THINGS if ways[thing] == "nearer"]
    return f"approach_{min(nearer, key=lambda thing: here[f'd_{thing}'])}" if nearer else "other_movement"


SOURCE = LogSource("crafter", idle=IDLE, look=look)


def papers() -> FeatureIOHMM:
    """Return the second paper's kind of model: one observation per row, with weight 1.

    The pseudo-counts sum to those of Laplace's rule, but follow the distribution over all goals: of sixteen goals, many
    are rare in a part of one player's play, and a uniform distribution would be far from the behaviour of any player.
    """
    sight = Feature("seen", SIGHTS, strength=float(len(SIGHTS)))
    return FeatureIOHMM(GOALS, [sight], CHANGES, done="done")


def features() -> FeatureIOHMM:
    """Return a model of the key, every thing in view and the wood, each with a low weight.

    Observations during one walk are strongly correlated, and there are many between two achievements.
    """
    keys = Feature("action", (*MOVES, "do", *KEYS), (("facing_tile",), ()), 0.2, 5.0, ignores=(IDLE,))
    wood = Feature("wood", tuple(range(MUCH_WOOD + 1)), (("has_table",), ()), 0.1, 5.0)
    ways = [Feature(f"way_{thing}", WAYS, weight=0.05, strength=5.0) for thing in THINGS]
    return FeatureIOHMM(GOALS, [keys, wood, *ways], CHANGES, done="done")


# --- first and later play of a player, to train and to test on --------------------------------------------------------


# Where the parts end, as shares of all scored rows. Episodes are not cut: each goes to the part that its middle is in.
ENDS = (0.3, 0.5, 0.8, 1.0)
FEWEST = 20  # lessons and scored rows; players with less in any part are left out


class Lesson(NamedTuple):
    """One key press of a player whose goal is known."""

    event: Event
    goal: str


@dataclass(frozen=True, slots=True)
class Career:
    """The play of one player from the first episode to the last, divided into parts."""

    player: str
    plays: tuple[LabelledPlay, ...]
    first: tuple[Lesson, ...]
    first_test: tuple[LabelledPlay, ...]
    later: tuple[Lesson, ...]
    later_test: tuple[LabelledPlay, ...]
    trial: tuple[Lesson, ...]  # in the first two minutes, before the game began in earnest

    @property
    def amount(self) -> int:
        """Return the number of lessons that both first and later play have."""
        return min(len(self.first), len(self.later))

    @property
    def is_long(self) -> bool:
        """Whether every part has at least ``FEWEST`` lessons or scored rows."""
        tests = (self.first_test, self.later_test)
        return self.amount >= FEWEST and all(sum(map(scored, plays)) >= FEWEST for plays in tests)


def careers(plays: Iterable[LabelledPlay]) -> list[Career]:
    """Return the career of each player, by name."""
    by_player: dict[str, list[LabelledPlay]] = {}
    for play in plays:
        by_player.setdefault(play.player, []).append(play)
    return [_career(player, sorted(theirs, key=_session)) for player, theirs in sorted(by_player.items())]


def _career(player: str, plays: Sequence[LabelledPlay]) -> Career:
    total, passed = max(1, sum(map(scored, plays))), 0
    parts: list[list[LabelledPlay]] = [[] for _ in ENDS]
    for play in plays:
        middle = (passed + scored(play) / 2) / total
        passed += scored(play)
        parts[sum(middle >= end for end in ENDS[:-1])].append(play)
    trial = [lesson for lesson in lessons(plays) if lesson.event.context["phase"] == "trial"]
    first, first_test, later, later_test = map(tuple, parts)
    return Career(player, tuple(plays), lessons(first), first_test, lessons(later), later_test, tuple(trial))


def lessons(plays: Iterable[LabelledPlay]) -> tuple[Lesson, ...]:
    """Return every key press whose goal is known, ordered by time."""
    rows = (row for play in plays for row in play.rows)
    return tuple(Lesson(row.event, row.truth) for row in rows if row.truth is not None and row.event.action != IDLE)


def scored(play: LabelledPlay) -> int:
    """Count the scored rows of a sequence."""
    return sum(row.is_scored for row in play.rows)


def drill(model: Taught, taught: Iterable[Lesson]) -> None:
    """Train the observations of a model; goal changes cannot be learned, since lessons are not consecutive."""
    for event, goal in taught:
        model.learn(event, goal, goal)


def _session(play: LabelledPlay) -> str:
    return play.session


# --- comparisons and findings -----------------------------------------------------------------------------------------


# Accuracies published with the data: same rows and folds.
PEERS = {"majority": 18.4, "naive Bayes with context": 46.1, "logistic regression": 51.0, "boosted trees": 50.5}

# The second condition, the first, and the paper's values: two accuracies and a p.
PAIRS: tuple[tuple[str, str, tuple[float, float] | None, float | None], ...] = (
    ("own later on later", "own first on first", (70.0, 60.0), 0.01),
    ("own later on later", "own first on later", None, None),
    ("own first on later", "own first on first", None, None),
    ("own later on first", "own first on first", None, None),
    ("own later, as much", "another's later", (74.0, 63.0), 0.03),
    ("pooled later", "pooled first", None, None),
    ("pooled after trial", "pooled trial", None, None),
)
CLAIM, TRAINING, READABILITY = PAIRS[0][:2], PAIRS[1][:2], PAIRS[2][:2]
STYLE, POOLED = PAIRS[4][:2], PAIRS[5][:2]


def study(
    totals: Mapping[str, GroupScore], shares: Mapping[tuple[str, str], Mapping[str, float]], *, seed: int, quick: bool
) -> StudyResult:
    """Return the study's outcome from the shares of rows that were right, by kind of model, condition and player."""
    rng = Random(seed)
    figures = tuple(
        MethodAccuracy.from_score(f"{kind}, trained on all play of others", each, rng=rng)
        for kind, each in totals.items()
    )
    comparisons: list[PlayerComparison] = []
    findings: list[str] = []
    for kind in totals:
        made = _comparisons(kind, shares, rng)
        comparisons += made.values()
        findings += _findings(kind, made)
    details = {"peers": PEERS}
    return human_result("crafter", seed, quick, figures, tuple(comparisons), tuple(findings), details)


def _comparisons(
    kind: str, shares: Mapping[tuple[str, str], Mapping[str, float]], rng: Random
) -> dict[tuple[str, str], PlayerComparison]:
    found = {}
    for a, b, published, p in PAIRS:
        first, second = shares.get((kind, a), {}), shares.get((kind, b), {})
        players = sorted(first.keys() & second.keys())
        if players:
            values = [[each[player] for player in players] for each in (first, second)]
            names = (f"{kind}: {a}", b)
            found[a, b] = compare_players(*names, *values, rng=rng, published=published, published_p=p)
    return found


def _findings(kind: str, made: Mapping[tuple[str, str], PlayerComparison]) -> Sequence[str]:
    """Return one finding per comparison, worded from its numbers alone."""
    said = {
        CLAIM: "later play, read with models of later play, beside first play read with models of first play",
        TRAINING: "on the same later play, training on later play instead of first play",
        READABILITY: "for one and the same model, later play instead of first play",
        STYLE: "a player's own model instead of another player's",
        POOLED: "for players never seen, training on others' later play instead of their first play",
    }
    return [f"{kind} model: {words}: {_verdict(made[pair])}." for pair, words in said.items() if pair in made]


def _verdict(comparison: PlayerComparison) -> str:
    test = comparison.test
    points = f"{100 * test.difference:+.1f} points, {format_p(test.p)}"
    if not test.is_significant:
        return f"no difference that could not be chance ({points})"
    return f"{'better' if test.difference > 0 else 'worse'} ({points})"


# --- the study --------------------------------------------------------------------------------------------------------


FOLDS = 10
OTHERS, FEW_OTHERS = 8, 2  # models of other players that are also tested on each player
KINDS: dict[str, Callable[[], FeatureIOHMM]] = {"paper": papers, "features": features}
QUICK_KINDS = ("paper",)


class CrafterTask(NamedTuple):
    """One fold of the study, small enough to be sent to another process."""

    folder: str
    fold: int
    seed: int
    quick: bool


class Done(NamedTuple):
    """The result of one fold, by kind of model and condition: all rows, and the accuracy by player."""

    scores: dict[str, GroupScore]
    shares: dict[tuple[str, str], dict[str, float]]


def run_crafter(
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study on the log in ``folder``; ``quick`` uses only the paper's kind of model and fewer other players."""
    place = str(Path(folder))
    players = [career.player for career in _careers(place)]
    if len(players) < 2:
        raise TelosError(f"{place}: {len(players)} player", "folds by player need at least two")
    tasks = [CrafterTask(place, fold, seed, quick) for fold in range(len(folds(players, FOLDS)))]
    done = list(progress(parallel_map(run_fold, tasks, jobs=jobs), len(tasks)))
    totals = {kind: GroupScore() for kind in done[0].scores}
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for each in done:
        for kind, found in each.scores.items():
            totals[kind].join(found)
        for key, by_player in each.shares.items():
            shares.setdefault(key, {}).update(by_player)
    return study(totals, shares, seed=seed, quick=quick)


def run_fold(task: CrafterTask) -> Done:
    """Test models of all kinds on the players of one fold; goal changes are learned from the other folds."""
    everybody = _careers(task.folder)
    tested = folds([career.player for career in everybody], FOLDS)[task.fold]
    rest = [career for career in everybody if career.player not in tested]
    mine = [career for career in everybody if career.player in tested]
    done = Done({}, {})
    for kind in KINDS if not task.quick else QUICK_KINDS:
        make, taught = KINDS[kind], _taught(task.folder, kind)
        whole = make().join(taught[career.player] for career in rest)
        done.scores[kind] = score(whole, [play for career in mine for play in career.plays])
        bench = Bench(kind, make, whole, done)
        _pooled(bench, mine, rest)
        for career in mine:
            if career.is_long:
                _personal(bench, career)
                others = [each for each in rest if each.is_long]
                rng = Random(f"{task.seed} {career.player}")
                count = min(len(others), FEW_OTHERS if task.quick else OTHERS)
                _against_others(bench, career, rng.sample(others, count))
    return done


class Bench(NamedTuple):
    """Trains and tests models: observations from the lessons, goal changes from ``whole``."""

    kind: str
    make: Callable[[], FeatureIOHMM]
    whole: FeatureIOHMM
    done: Done

    def drilled(self, taught: Sequence[Lesson]) -> FeatureIOHMM:
        """Return a model of these lessons. As in the paper, only its observations are trained on them."""
        model = self.make()
        drill(model, taught)
        return model.with_changes_of(self.whole)

    def note(self, condition: str, player: str, share: float) -> None:
        """Store the accuracy of a condition for a player."""
        self.done.shares.setdefault((self.kind, condition), {})[player] = share


def _pooled(bench: Bench, mine: Sequence[Career], rest: Sequence[Career]) -> None:
    """Train on equal amounts of first and later play of others; test on later play of the held-out players."""
    first = chain.from_iterable(each.first[: each.amount] for each in rest)
    later = chain.from_iterable(each.later[-each.amount :] for each in rest if each.amount)
    early = {each.player: min(len(each.trial), len(each.later)) for each in rest}
    trial = chain.from_iterable(each.trial[: early[each.player]] for each in rest)
    main = chain.from_iterable(each.later[-early[each.player] :] for each in rest if early[each.player])
    models = {"pooled first": first, "pooled later": later, "pooled trial": trial, "pooled after trial": main}
    for condition, taught in models.items():
        model = bench.drilled(list(taught))
        for career in mine:
            if career.is_long:
                bench.note(condition, career.player, _share(model, career.later_test))


def _personal(bench: Bench, career: Career) -> None:
    """Train on equal amounts of a player's own first and later play; test on both."""
    first = bench.drilled(career.first[: career.amount])
    later = bench.drilled(career.later[-career.amount :])
    bench.note("own first on first", career.player, _share(first, career.first_test))
    bench.note("own first on later", career.player, _share(first, career.later_test))
    bench.note("own later on first", career.player, _share(later, career.first_test))
    bench.note("own later on later", career.player, _share(later, career.later_test))


def _against_others(bench: Bench, career: Career, others: Sequence[Career]) -> None:
    """Test models of others' later play, and of an equal amount of the player's own, on later play."""
    own, foreign = [], []
    for other in others:
        amount = min(career.amount, other.amount)
        own.append(_share(bench.drilled(career.later[-amount:]), career.later_test))
        foreign.append(_share(bench.drilled(other.later[-amount:]), career.later_test))
    if others:
        bench.note("own later, as much", career.player, fmean(own))
        bench.note("another's later", career.player, fmean(foreign))


def _share(model: FeatureIOHMM, plays: Sequence[LabelledPlay]) -> float:
    return score(model, plays).accuracy


@lru_cache(maxsize=1)  # one process runs several folds, and reading is slow
def _careers(folder: str) -> list[Career]:
    return careers(read_plays(folder, SOURCE))


@lru_cache(maxsize=len(KINDS))
def _taught(folder: str, kind: str) -> dict[str, FeatureIOHMM]:
    """Return one model per player; counts add up, so a model of any set of players is a cheap sum."""
    models = {}
    for career in _careers(folder):
        models[career.player] = KINDS[kind]()
        teach(models[career.player], career.plays)
    return models
