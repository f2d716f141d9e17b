"""The study of Gold, AIIDE 2010: models trained on players in their first run and when they come back, simulated.

Start with ``run_study``. Games are played once, by several processes, and coded as the model sees them (which
transition matrix applies, which of nine symbols was seen); models are trained on these codes and compared afterwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.parallel import parallel_map
from telos.recognition.files.load import named_model
from telos.recognition.filtering import Chances, EventGate, forward, used_evidence
from telos.recognition.fsm import FSMModel
from telos.recognition.iohmm import IOHMM, copy_model, find_best_strength, personalize, pool_models
from telos.recognition.recognizer import Evidence
from telos.studies.comparisons import Experiment, Grid, experiment_result, find_agreements
from telos.studies.players import EXPERIMENTER, NOVICE, Player, Session, play
from telos.studies.results import Curve, LineChart, Point, Progress, StudyResult, no_progress
from telos.studies.scoring import (
    LAGS,
    Comparison,
    Condition,
    Published,
    Tally,
    compared,
    judged_late,
    scored,
    share_right,
    tally,
    top,
)
from telos.studies.sensitivity import AIIDE_DIALS, FACTORS, aiide_model, one_at_a_time
from telos.studies.statistics import interval, need_scipy
from telos.worlds.adventure.adventure import Adventure

GOALS = ("explore", "level", "return")
TRAINING, TEST = "training", "test"
MAX_FRAMES = 72_000  # frames, forty minutes: six phases


@dataclass(frozen=True, slots=True)
class Update:
    """One update: the number of the matrix that applies (0: the usual), that of the symbol seen, and the truth."""

    case: int
    symbol: int
    truth: str


@dataclass(frozen=True, slots=True)
class Game:
    """One game of both rounds, as the model sees it; ``machine`` is what the state machine said at each test update."""

    training: tuple[Update, ...]
    test: tuple[Update, ...]
    machine: tuple[str, ...]
    seconds: float

    @property
    def fsm(self) -> Tally:
        """Return how often the state machine was right in the test round."""
        return tally([update.truth for update in self.test], self.machine)


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody to be invited: a first run always, and for those who come back a later one after so many runs."""

    number: int
    seed: int
    is_experimenter: bool = False
    runs_before: int = 0  # the later run comes after so many; 0: they do not come back


@dataclass(frozen=True, slots=True)
class Visits:
    """The games of one subject: the first, and the later one if they came back; None if they did not finish."""

    subject: Subject
    first: Game | None
    later: Game | None = None


METHODS = {
    "trained": "trained on the player",
    "fsm": "FSM",
    "experimenter": "trained on the experimenter",
    "stranger": "trained on another player",
    "pooled": "trained on all other players",
    "personal": "other players, then the player",
    "before": "trained on the player's first run",
    "itself": "trained on the test round itself",
}
LESSONS = (1, 3, 10, 30, 100, 300)  # of each goal
WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)  # of the lessons of a first run

NAME = "gold-aiide"
SOURCE = "K. Gold: Training Goal Recognition Online from Low-Level Inputs in an Action-Adventure Game (AIIDE 2010)"
AS_PUBLISHED = {"players": 19, "runs": 6, "returning": 5}
QUICK = {"players": 5, "runs": 3}
FIRST_TIME, FIRST, LATER, EXPERIMENTER_GROUP = (
    "first-time",
    "returning, first run",
    "returning, later run",
    "experimenter",
)
# Percents of both experiments. For the later runs the paper prints 70 in one sentence and 74 in the next.
ACCURACIES = {
    FIRST_TIME: {"trained": 66.0, "fsm": 54.0},
    FIRST: {"trained": 60.0},
    LATER: {"trained": 70.0, "experimenter": 63.0},
    EXPERIMENTER_GROUP: {"trained": 87.0},
}
LABELS = {**METHODS, "later": "trained on the later run", "first": "trained on the first run"}
RUNS_BEFORE = (1, 1, 1, 3, 3)  # of the five who came back, three had played once before, and two three times
NOTES = (
    "Players are simulated; no preset was set in the light of an accuracy. The original logs are not public.",
    "Every game gives each goal twice. Models are trained on the first round of a game by counting, and scored on the "
    "second, at every update of the model (a changed input, or half a second of walking).",
    "All methods start the second round knowing nothing; the state machine's first guess is drawn.",
    "The experimenter is one simulated player. Their model is trained on one round of theirs; the 87% of the paper is "
    "compared with that model on the second rounds of other games of theirs.",
    "Of five players who come back, three had played once before and two three times, as in the paper. Lessons from "
    "earlier runs are not used, except where that is said.",
    "'Trained on another player' takes the next player in the list; 'all other players' pools the lessons of all but "
    "the one who is read; 'other players, then the player' adds their own lessons to the pool as a prior.",
    "'Trained on the test round itself' is no method but a limit: the best that counting could have done for that "
    "round, had it known what comes.",
    "The paper gives 70% and 74% for the same later runs, without saying why they differ; both stand here as printed.",
    "Intervals are bootstrap percentiles over players. 'Just after a change' is the accuracy in the first ten updates "
    "after a goal has changed; 'updates until right' is how long it takes to be right after a change.",
)


def run_study(
    *,
    players: int = 40,
    runs: int = 12,
    returning: int | None = None,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run both experiments; ``seed`` fixes them, however many ``jobs`` share the work.

    Of the ``players``, so many come back (``returning``; all, if it is not said); ``runs`` are the experimenter's.
    """
    coming = players if returning is None else returning
    _check(players, runs, coming, seed)
    need_scipy()
    subjects = [Subject(number, seed, is_experimenter=True) for number in range(runs + 1)]
    subjects += [
        Subject(number, seed, runs_before=RUNS_BEFORE[number % len(RUNS_BEFORE)] if number < coming else 0)
        for number in range(players)
    ]
    done = list(progress(parallel_map(visited, subjects, jobs=jobs), len(subjects)))
    model, own = _experimenter(done)
    firsts = [each.first for each in done if not each.subject.is_experimenter and each.first]
    pairs = [(each.first, each.later) for each in done if each.first and each.later]
    later = [each for _, each in pairs]
    if len(firsts) < 2 or len(pairs) < 2:
        raise TelosError(f"only {len(firsts)} players finished, and {len(pairs)} twice", "invite more of them")
    runs_by = _runs(firsts, pairs, model, own)
    conditions = tuple(_condition(name, each, seed) for name, each in runs_by.items())
    tests = _tests(runs_by, seed)
    unfinished = sum(each.first is None or bool(each.subject.runs_before and not each.later) for each in done)
    return experiment_result(
        Experiment(
            NAME,
            "Training on players: first-time players, and those who came back",
            SOURCE,
            seed,
            {"players": players, "returning": coming, "experimenter runs": runs, "unfinished": unfinished},
            LABELS,
            conditions,
            tests,
            charts(firsts, pairs, seed),
            (*find_agreements(tests, LABELS), *_further(conditions), *_why(conditions, firsts, later)),
            NOTES,
            (what_players_do(firsts, later),),
        )
    )


def _check(players: int, runs: int, coming: int, seed: int) -> None:
    if players < 2 or runs < 1:
        raise TelosError(f"the study needs at least 2 players and 1 run of the experimenter, got {players} and {runs}")
    if not 2 <= coming <= players:
        raise TelosError(f"at least 2 and at most all {players} players can come back, got {coming}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")


def _experimenter(done: Sequence[Visits]) -> tuple[IOHMM, list[Tally]]:
    """Return the model that was trained on the experimenter, and how it reads other games of theirs."""
    games = [each.first for each in done if each.subject.is_experimenter and each.first]
    if len(games) < 2:
        raise TelosError("the experimenter has not finished two games", "give --runs a larger number")
    model = trained(games[0].training)
    return model, [scored_by(model, game.test) for game in games[1:]]


def _runs(
    firsts: Sequence[Game], pairs: Sequence[tuple[Game, Game]], model: IOHMM, own: Sequence[Tally]
) -> dict[str, list[dict[str, Tally]]]:
    later = tallies([each for _, each in pairs], model)
    for read, (before, after) in zip(later, pairs, strict=True):
        read["before"] = scored_by(trained(before.training), after.test)
    return {
        FIRST_TIME: tallies(firsts, model),
        FIRST: tallies([each for each, _ in pairs], model),
        LATER: later,
        EXPERIMENTER_GROUP: [{"trained": each} for each in own],
    }


def _condition(name: str, runs: Sequence[Mapping[str, Tally]], seed: int) -> Condition:
    scores = {}
    for method in runs[0]:
        rng = Random(f"{seed} {name} {method}")
        published = ACCURACIES[name].get(method)
        tallied = [each[method] for each in runs]
        scores[method] = scored(method, tallied, goals=GOALS, rng=rng, published=published)
    updates = sum(each["trained"].updates for each in runs) / len(runs)
    who = {
        FIRST_TIME: "players in their first run",
        FIRST: "players who came back, in their first run",
        LATER: "players who came back, in their later run",
        EXPERIMENTER_GROUP: "games of the experimenter",
    }[name]
    return Condition(name, f"{len(runs)} {who} (simulated); {updates:.0f} updates in a test round", scores)


def _tests(runs_by: Mapping[str, Sequence[Mapping[str, Tally]]], seed: int) -> tuple[Comparison, ...]:
    published = {
        (FIRST_TIME, "trained", "fsm"): Published(66.0, 54.0, 0.01, "p < 0.01"),
        (FIRST_TIME, "trained", "experimenter"): Published(66.0, None, 0.18, "p = 0.18"),
        (LATER, "trained", "experimenter"): Published(74.0, 63.0, 0.03, "p = 0.03"),
    }
    ours = [
        (FIRST_TIME, "trained", "stranger"),
        (FIRST_TIME, "personal", "trained"),
        (LATER, "trained", "stranger"),
        (LATER, "trained", "fsm"),
        (LATER, "trained", "before"),
        (LATER, "personal", "trained"),
    ]
    tests = [_later_against_first(runs_by, seed)]
    for name, first, second in [*published, *ours]:
        both = [(each[first], each[second]) for each in runs_by[name]]
        rng, said = Random(f"{seed} {name} {first} {second}"), published.get((name, first, second))
        tests.append(compared(name, first, second, both, goals=GOALS, rng=rng, published=said))
    return (*tests[1:3], tests[0], *tests[3:])


def _later_against_first(runs_by: Mapping[str, Sequence[Mapping[str, Tally]]], seed: int) -> Comparison:
    both = [(b["trained"], a["trained"]) for a, b in zip(runs_by[FIRST], runs_by[LATER], strict=True)]
    said = Published(70.0, 60.0, 0.01, "p = 0.01")
    rng = Random(f"{seed} later first")
    return compared("returning", "later", "first", both, goals=GOALS, rng=rng, published=said)


def _further(conditions: Sequence[Condition]) -> list[str]:
    """Say what the paper's questions come to with models that it did not try."""
    said = []
    for condition in conditions[0], conditions[2]:
        accuracy = {method: score.accuracy for method, score in condition.scores.items()}
        ranked = sorted(accuracy, key=lambda method: -accuracy[method])
        said.append(
            f"{condition.name}, from best to worst: "
            + ", ".join(f"{METHODS[method]} {accuracy[method]:.0%}" for method in ranked)
            + "."
        )
    return said


def _why(conditions: Sequence[Condition], firsts: Sequence[Game], later: Sequence[Game]) -> list[str]:
    """Say what limits the models: what they can see at all, how alike players are, and where they fail."""
    said = []
    for condition in conditions[0], conditions[2]:
        own, limit = condition.scores["trained"], condition.scores["itself"]
        worst = min(own.by_goal, key=own.by_goal.__getitem__)
        said.append(
            f"{condition.name}: a model that was trained on the very round it is tested on is right at "
            f"{limit.accuracy:.0%}, {100 * (limit.accuracy - own.accuracy):+.1f} points from the one trained on the "
            f"round before. Phases of {worst} are read worst ({own.by_goal[worst]:.0%}, with such hindsight "
            f"{limit.by_goal[worst]:.0%})."
        )
    said.append(
        f"How alike players are in the nine observations: what all others did is worth {likeness(firsts):g} lessons of "
        f"each goal about one player in a first run, and {likeness(later):g} in a later one; the fewer, the more style."
    )
    return said


# --- one player: the rounds, coded ------------------------------------------------------------------------------------


def visited(subject: Subject) -> Visits:
    """Let a subject play all their games."""
    player = player_of(subject)
    first = _game(subject, player)
    for _ in range(subject.runs_before):
        player.after_run()  # games in between are practice: nobody looks at them, so they need not be played out
    later = _game(subject, player) if subject.runs_before else None
    return Visits(subject, first, later)


def player_of(subject: Subject) -> Player:
    """Return the player; the experimenter is one person, whose runs are told apart by their number."""
    if not subject.is_experimenter:
        return Player(_own_seed(subject, "player"), NOVICE)
    player = Player(subject.seed, EXPERIMENTER)
    for _ in range(subject.number):
        player.after_run()
    return player


def _game(subject: Subject, player: Player) -> Game | None:
    game = Adventure("aiide", seed=_own_seed(subject, f"game {player.runs}"))
    session = play(game, player, max_frames=MAX_FRAMES)
    return coded(session, Random(_own_seed(subject, f"fsm {player.runs}"))) if session.is_done else None


def coded(session: Session, rng: Random) -> Game:
    """Return a session as the model sees it; ``rng`` draws the state machine's first guess."""
    training, test = (_moments(session, name) for name in (TRAINING, TEST))
    updates, machine = _read(test, rng)
    return Game(tuple(_updates(training)), updates, machine, session.events[-1].time)


def _moments(session: Session, name: str) -> list[tuple[Event, str]]:
    return [
        (session.events[place], phase.goal)
        for phase in session.phases
        if phase.round == name and phase.goal is not None
        for place in range(phase.start, phase.end)
    ]


def _updates(moments: Iterable[tuple[Event, str]]) -> list[Update]:
    model, found = untrained(), []
    gate = EventGate(model)
    for event, truth in moments:
        counted = gate.admit(event)
        placed = None if counted is None else model.locate(counted)
        if placed is not None:
            found.append(Update(*placed, truth))
    return found


def _read(moments: Sequence[tuple[Event, str]], rng: Random) -> tuple[tuple[Update, ...], tuple[str, ...]]:
    """Return the updates of a test round, with what the state machine believed at each."""
    model, updates, said = untrained(), [], []
    rules = named_model("aiide-fsm")
    assert isinstance(rules, FSMModel)
    machine, gate = rules.recognizer(rng), EventGate(model)
    for event, truth in moments:
        believed = machine.observe(event).top
        counted = gate.admit(event)
        placed = None if counted is None else model.locate(counted)
        if placed is not None:
            updates.append(Update(*placed, truth))
            said.append(believed)
    return tuple(updates), tuple(said)


@cache
def untrained() -> IOHMM:
    """Return the model of the paper before any training."""
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    return model


def counts_of(updates: Iterable[Update]) -> dict[str, dict[str, float]]:
    """Return how often each symbol was seen under each goal: the whole of what training is."""
    names = untrained().symbols.names
    counts: dict[str, dict[str, float]] = {goal: {} for goal in GOALS}
    for update in updates:
        seen = counts[update.truth]
        seen[names[update.symbol]] = seen.get(names[update.symbol], 0.0) + 1.0
    return counts


def trained(updates: Iterable[Update]) -> IOHMM:
    """Return the model trained on these updates."""
    return copy_model(untrained(), counts=counts_of(updates))


def evidence(model: IOHMM, updates: Sequence[Update]) -> list[Evidence]:
    """Return what a model takes coded updates to say; the same as it says of the events themselves."""
    matrices, names = model.matrices, model.symbols.names
    chances = {goal: model.counts.chances(goal) for goal in model.goals}
    likelihoods = [tuple(chances[goal][symbol] for goal in model.goals) for symbol in range(len(names))]
    return [Evidence(matrices[each.case], likelihoods[each.symbol], names[each.symbol]) for each in updates]


def scored_by(model: IOHMM, updates: Sequence[Update]) -> Tally:
    """Return how often a model is right about a round."""
    steps = forward(model.prior, evidence(model, updates))
    return tally([each.truth for each in updates], [model.goals[top(after)] for _, after, _ in steps])


def filtered(model: IOHMM, updates: Sequence[Update]) -> tuple[list[Chances], list[Evidence]]:
    """Return the beliefs of a model about a round, with the evidence as it was weighed, for smoothing."""
    evidences = evidence(model, updates)
    steps = forward(model.prior, evidences)
    return [after for _, after, _ in steps], used_evidence(evidences, steps)


def first_of_each(updates: Iterable[Update], most: int) -> list[Update]:
    """Return the first lessons of each goal, so many at most."""
    seen: dict[str, int] = dict.fromkeys(GOALS, 0)
    kept = []
    for update in updates:
        if seen[update.truth] < most:
            seen[update.truth] += 1
            kept.append(update)
    return kept


def weighted_counts(parts: Iterable[tuple[Sequence[Update], float]]) -> dict[str, dict[str, float]]:
    """Return the counts of several rounds, each with a weight."""
    total: dict[str, dict[str, float]] = {goal: {} for goal in GOALS}
    for updates, weight in parts:
        for goal, seen in counts_of(updates).items():
            for symbol, count in seen.items():
                total[goal][symbol] = total[goal].get(symbol, 0.0) + weight * count
    return total


def _own_seed(subject: Subject, what: str) -> int:
    who = "experimenter" if subject.is_experimenter else "player"
    return Random(f"gold-aiide {subject.seed} {who} {subject.number} {what}").randrange(2**32)


# --- models, by whom they were trained on -----------------------------------------------------------------------------


def tallies(games: Sequence[Game], experimenter: IOHMM) -> list[dict[str, Tally]]:
    """Return how every method reads the test round of each game; the games are of different players."""
    own = [trained(game.training) for game in games]
    said = []
    for at, game in enumerate(games):
        models = {"trained": own[at], "experimenter": experimenter, "itself": trained(game.test)}
        others = [*own[at + 1 :], *own[:at]]
        if others:
            models["stranger"] = others[0]
            pool = pool_models(others)
            models["pooled"] = pool
            prior = personalize(pool, find_best_strength(pool, others))
            models["personal"] = copy_model(prior, counts=own[at].counts.seen)
        read = {name: scored_by(model, game.test) for name, model in models.items()}
        said.append({name: {**read, "fsm": game.fsm}[name] for name in METHODS if name in read or name == "fsm"})
    return said


def likeness(games: Sequence[Game]) -> float:
    """Return how alike players are: what all of them did is worth so many lessons about one of them."""
    models = [trained(game.training) for game in games]
    return find_best_strength(pool_models(models), models)


def by_lessons(games: Sequence[Game]) -> dict[int, list[float]]:
    """Return the accuracies of models that were trained on only the first lessons of each goal."""
    return {
        most: [scored_by(trained(first_of_each(game.training, most)), game.test).accuracy for game in games]
        for most in LESSONS
    }


def by_lag(games: Sequence[Game]) -> dict[int, list[float]]:
    """Return the accuracies of models trained on the player that may wait before they answer."""
    accuracies: dict[int, list[float]] = {lag: [] for lag in LAGS}
    for game in games:
        model = trained(game.training)
        beliefs, evidences = filtered(model, game.test)
        truths = [update.truth for update in game.test]
        for lag in LAGS:
            judged = judged_late(beliefs, evidences, lag)
            accuracies[lag].append(share_right(model.goals, judged, truths))
    return accuracies


def by_weight(pairs: Sequence[tuple[Game, Game]]) -> dict[float, list[float]]:
    """Return the accuracies on the later run if the lessons of the first are kept, with a weight."""
    return {
        weight: [
            scored_by(
                copy_model(untrained(), counts=weighted_counts([(first.training, weight), (later.training, 1.0)])),
                later.test,
            ).accuracy
            for first, later in pairs
        ]
        for weight in WEIGHTS
    }


def by_dial(games: Sequence[Game]) -> Mapping[tuple[str, float], float]:
    """Return the mean accuracy with one number of the model turned, by number and factor."""
    values: dict[tuple[str, float], list[float]] = {}
    for game in games:
        own = trained(game.training)

        def make(own: IOHMM = own, **numbers: float) -> IOHMM:
            return aiide_model(own, **numbers)

        for key, model in one_at_a_time(AIIDE_DIALS, make).items():
            assert isinstance(model, IOHMM)
            values.setdefault(key, []).append(scored_by(model, game.test).accuracy)
    return {key: fmean(each) for key, each in values.items()}


# --- charts: amount of training, lag, first lessons, sensitivity ------------------------------------------------------


def charts(firsts: Sequence[Game], pairs: Sequence[tuple[Game, Game]], seed: int) -> tuple[tuple[LineChart, ...], ...]:
    """Return the charts of the study, in rows."""
    later = [each for _, each in pairs]
    kinds = {"first run": firsts, "later run": later}
    lessons = LineChart(
        "training",
        "Amount of training",
        "lessons of each goal",
        "accuracy",
        tuple(_line(kind, by_lessons(games), seed) for kind, games in kinds.items()),
        log_x=True,
        note="Accuracy against amount of training, and what first lessons are worth later",
    )
    weights = LineChart(
        "first_lessons",
        "Keeping the lessons of the first run",
        "weight of the first run's lessons",
        "accuracy",
        (_line("later run", by_weight(pairs), seed),),
    )
    lag = LineChart(
        "lag",
        "Waiting before answering",
        "lag in updates",
        "accuracy",
        tuple(_line(kind, by_lag(games), seed) for kind, games in kinds.items()),
        note="Accuracy against lag, and sensitivity",
    )
    return ((lessons, weights), (lag, _sensitivity(firsts)))


def what_players_do(firsts: Sequence[Game], later: Sequence[Game]) -> Grid:
    """Return what updates of the test rounds are under each goal, in first and in later runs."""
    names = untrained().symbols.names
    rows = []
    for kind, games in {"first run": firsts, "later run": later}.items():
        counts = counts_of(update for game in games for update in game.test)
        for goal, seen in counts.items():
            total = sum(seen.values()) or 1.0
            rows.append((f"{kind}, {goal}", tuple(seen.get(name, 0.0) / total for name in names)))
    headings = tuple(name.replace("_", " ") for name in names)
    return Grid("what_players_do", "What players do under each goal: shares of updates", headings, tuple(rows))


def _line(name: str, values: Mapping[float, Sequence[float]] | Mapping[int, Sequence[float]], seed: int) -> Curve:
    points = []
    for x, each in values.items():
        low, high = interval(each, rng=Random(f"{seed} {name} {x}"))
        points.append(Point(x, fmean(each), low, high))
    return Curve(name, tuple(points))


def _sensitivity(games: Sequence[Game]) -> LineChart:
    means = by_dial(games)
    lines = tuple(
        Curve(dial.says, tuple(Point(factor, means[dial.keyword, factor]) for factor in FACTORS))
        for dial in AIIDE_DIALS
    )
    return LineChart(
        "sensitivity", "One number times ½ to 2 (first run)", "factor", "accuracy", lines, marked=1, log_x=True
    )
