"""The study of Gold, FLAIRS 2010: FFBM, a finite state machine and a constant transition matrix on new and experienced
players, simulated. Start with ``run_study``.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.parallel import parallel_map
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import named_model
from telos.recognition.filtering import Chances, Reader
from telos.recognition.fsm import FSMModel
from telos.recognition.observations import FLAIRS_SYMBOLS, Symbols
from telos.recognition.recognizer import GoalModel, Recognizer
from telos.recognition.transitions import TransitionCase, TransitionRules
from telos.studies.comparisons import Experiment, Grid, experiment_result, find_agreements
from telos.studies.gold.sensitivity import FACTORS, FLAIRS_DIALS, all_at_once, flairs_model, one_at_a_time
from telos.studies.players import EXPERIENCED, EXPERIMENTER, NOVICE, Player, Preset, Session, play
from telos.studies.results import Curve, LineChart, Point, Progress, StudyResult, no_progress
from telos.studies.scoring import (
    LAGS,
    Comparison,
    Condition,
    Published,
    Reading,
    Tally,
    changes,
    compared,
    evidence_of,
    filtered_accuracy,
    lagged_accuracies,
    read,
    scored,
)
from telos.studies.statistics import interval, need_scipy
from telos.worlds.adventure.adventure import Adventure

GOALS = ("level", "explore", "town")
WALKING = "a step in a direction"
GROUPS = ("swing_still", "swing_moving", "stop", WALKING)
AROUND = 10  # updates before and after the goal change of Figure 4
METHODS = {
    "ffbm": "FFBM",
    "fsm": "FSM",
    "constant": "constant T",
    "chest_only": "FFBM, chest rule only",
    "town_only": "FFBM, town rule only",
    "any_swing": "FFBM, any swing is still",
    "arrival": "FFBM, town rule on arrival",
}


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A kind of player in the study; the paper gives new players fewer monsters."""

    name: str
    preset: Preset
    monsters: int
    is_one_person: bool = False


KINDS = (
    PlayerKind("experienced", EXPERIMENTER, 5, is_one_person=True),  # the paper's: one person, many runs
    PlayerKind("new", NOVICE, 3),
    PlayerKind("veterans", EXPERIENCED, 5),  # not in the paper: separates experience from this one person
)


@dataclass(frozen=True, slots=True)
class Run:
    """One game to play: the kind of player and the number of the run."""

    kind: PlayerKind
    number: int
    seed: int
    draws: int  # number of models with all parameters scaled at random


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """The measures of one run; ``is_done`` is false if the player did not finish, and then all else is empty."""

    kind: str
    is_done: bool
    seconds: float = 0.0
    tallies: Mapping[str, Tally] | None = None
    around: Mapping[str, tuple[Chances, ...]] | None = None  # beliefs around the change to "level"
    lags: Mapping[int, float] | None = None
    turned: Mapping[tuple[str, float], float] | None = None
    drawn: tuple[float, ...] = ()
    seen: Mapping[str, Mapping[str, tuple[int, float]]] | None = None  # by goal and group: count, bits for the goal
    in_town: tuple[int, int] = (0, 0)  # updates in phases of level: in town, and in all


ALL = "all"
Rows = tuple[tuple[LineChart, ...], ...]

NAME = "gold-flairs"
SOURCE = (
    "K. Gold: Designer-Driven Intention Recognition in an Action-Adventure Game Using Fast Forward Bayesian Models "
    "(FLAIRS 2010)"
)
AS_PUBLISHED = {"players": 10, "runs": 10}
QUICK = {"players": 8, "runs": 8, "draws": 5}
# Percents of Figure 3, and the tests of the section on results.
ACCURACIES = {
    "experienced": {"ffbm": 90.0, "fsm": 70.0, "constant": 70.0},
    "new": {"ffbm": 59.0, "fsm": 46.0, "constant": 44.0},
}
TESTS = {
    ("experienced", "ffbm", "fsm"): (0.0003, "p < 0.0003"),
    ("experienced", "ffbm", "constant"): (0.0003, "p < 0.0003"),
    ("experienced", "constant", "fsm"): (0.88, "p = 0.88"),
    ("new", "ffbm", "fsm"): (0.03, "p < 0.03"),
    ("new", "ffbm", "constant"): (0.0002, "p < 0.0002"),
    ("new", "constant", "fsm"): (0.66, "p = 0.66"),
}
NOTES = (
    "Players are simulated; no preset was set in the light of an accuracy. The original logs are not public.",
    "experienced: one player in every run (five monsters an area); new: another first-time player in every run (three "
    "monsters); veterans, which are ours: another experienced player in every run (five monsters).",
    "A method is scored at every update of the FFBM (a changed input, a changed area), by whether its likeliest goal "
    "is the one given to the player. The accuracy of a condition is the mean over its runs.",
    "An update in the very frame in which a goal is reached still belongs to the phase that it ends.",
    "Intervals are bootstrap percentiles over runs. 'Just after a change' is the accuracy in the first ten updates "
    "after a goal has changed; 'updates until right' is how long it takes to be right after a change.",
    "'Chest rule only' and 'town rule only' are the FFBM with one of its two extra matrices, to see what it is worth.",
    "'Any swing is still' is the FFBM for a game in which nobody walks on while swinging; the paper does not say "
    "whether one can, and in ours one can.",
    "'Town rule on arrival' is the FFBM whose town rule holds when the town is entered, and not while one stays.",
    "Sensitivity: a number that cannot be doubled because it is a chance has its complement halved instead.",
)


def run_study(
    *,
    players: int = 40,
    runs: int = 40,
    seed: int = 1,
    jobs: int = 1,
    draws: int = 40,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study; the result depends on ``seed`` only, not on the number of ``jobs``."""
    need_scipy()
    if players < 2 or runs < 2:
        raise TelosError(f"a paired test needs at least 2 players and 2 runs, got {players} and {runs}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    schedule = [
        Run(kind, number, seed, draws) for kind in KINDS for number in range(runs if kind.is_one_person else players)
    ]
    done = list(progress(parallel_map(play_run, schedule, jobs=jobs), len(schedule)))
    by_kind = {kind.name: [each for each in done if each.kind == kind.name and each.is_done] for kind in KINDS}
    for kind, finished in by_kind.items():
        if len(finished) < 2:
            raise TelosError(f"only {len(finished)} of the {kind!r} runs were finished", "play more of them")
    conditions = tuple(_condition(kind, by_kind[kind.name], seed) for kind in KINDS)
    tests, grids = _tests(by_kind, seed), what_players_do(by_kind)
    unfinished = sum(not each.is_done for each in done)
    return experiment_result(
        Experiment(
            NAME,
            "Reading experienced and new players: FFBM, FSM and constant T",
            SOURCE,
            seed,
            {"players": players, "runs": runs, "unfinished": unfinished},
            METHODS,
            conditions,
            tests,
            charts(by_kind, seed),
            (*find_agreements(tests, METHODS), *_further(by_kind, conditions), *_why(by_kind, grids, conditions)),
            NOTES,
            grids,
        )
    )


def _condition(kind: PlayerKind, done: Sequence[PlayedRun], seed: int) -> Condition:
    scores = {}
    for method in METHODS:
        rng = Random(f"{seed} {kind.name} {method}")
        published = ACCURACIES.get(kind.name, {}).get(method)
        tallies = [each.tallies[method] for each in done if each.tallies]
        scores[method] = scored(method, tallies, goals=GOALS, rng=rng, published=published)
    who = (
        "runs of one experienced player" if kind.is_one_person else f"different {kind.preset.name} players, a run each"
    )
    minutes = sum(each.seconds for each in done) / len(done) / 60
    updates = sum(tally.updates for tally in (each.tallies["ffbm"] for each in done if each.tallies)) / len(done)
    about = f"{len(done)} {who} (simulated); {minutes:.1f} minutes and {updates:.0f} updates a run"
    return Condition(kind.name, about, scores)


def _tests(by_kind: Mapping[str, Sequence[PlayedRun]], seed: int) -> tuple[Comparison, ...]:
    wanted = [*TESTS, *(("veterans", first, second) for _, first, second in list(TESTS)[:3])]
    tests = []
    for kind, first, second in wanted:
        published = None
        if (kind, first, second) in TESTS:
            accuracies, (p, says) = ACCURACIES[kind], TESTS[kind, first, second]
            published = Published(accuracies[first], accuracies[second], p, says)
        pairs = [(each.tallies[first], each.tallies[second]) for each in by_kind[kind] if each.tallies]
        rng = Random(f"{seed} {kind} {first} {second}")
        tests.append(compared(kind, first, second, pairs, goals=GOALS, rng=rng, published=published))
    return tuple(tests)


def _further(by_kind: Mapping[str, Sequence[PlayedRun]], conditions: Sequence[Condition]) -> list[str]:
    """Return findings that the paper asks for but does not measure, and the effect of each of its rules."""
    findings = [_experience(conditions)]
    for condition in conditions:
        accuracy = {method: score.accuracy for method, score in condition.scores.items()}
        findings.append(
            f"{condition.name}: of the {100 * (accuracy['ffbm'] - accuracy['constant']):+.1f} points between FFBM and "
            f"constant T, the town rule alone brings {100 * (accuracy['town_only'] - accuracy['constant']):+.1f} and "
            f"the chest rule alone {100 * (accuracy['chest_only'] - accuracy['constant']):+.1f}."
        )
    for kind, done in by_kind.items():
        turned = [each.turned for each in done if each.turned]
        means = {key: sum(each[key] for each in turned) / len(turned) for key in turned[0]}
        drawn = [sum(values) / len(values) for values in zip(*(each.drawn for each in done), strict=True)]
        least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        findings.append(
            f"{kind}: turning one number between half and twice its value leaves the FFBM between {means[least]:.0%} "
            f"({least[0]} x {least[1]:.2g}) and {means[most]:.0%} ({most[0]} x {most[1]:.2g}); turning all at once, "
            f"between {min(drawn):.0%} and {max(drawn):.0%} in {len(drawn)} draws."
        )
    return findings


def _experience(conditions: Sequence[Condition]) -> str:
    """Return the finding on whether experienced players are easier to recognise, as the paper reports."""
    scores = {condition.name: condition.scores["ffbm"].accuracy for condition in conditions}
    ours = 100 * (scores["experienced"] - scores["new"])
    printed = ACCURACIES["experienced"]["ffbm"] - ACCURACIES["new"]["ffbm"]
    return (
        f"The FFBM is right {ours:+.1f} points more often about the experienced player than about new ones; published: "
        f"{printed:+.0f}. These are different people, so there is no paired test."
    )


def _why(
    by_kind: Mapping[str, Sequence[PlayedRun]], grids: tuple[Grid, Grid], conditions: Sequence[Condition]
) -> list[str]:
    """Return findings on the goal with the most FFBM errors, and the observations there."""
    (did, bits), findings = (dict(grid.rows) for grid in grids), []
    there, in_all = (sum(each.in_town[at] for done in by_kind.values() for each in done) for at in (0, 1))
    findings.append(
        f"{there / (in_all or 1):.0%} of the updates in phases of level are in the town's area. There the town rule "
        "makes level and explore equally likely again at every update, so the belief has no memory."
    )
    for condition in conditions:
        by_goal = condition.scores["ffbm"].by_goal
        worst = min(by_goal, key=by_goal.__getitem__)
        place = f"{condition.name}, {worst}"
        parts = zip(grids[0].headings, did[place], bits[place], strict=False)
        updates = ", ".join(f"{name} {share:.0%} ({bits:+.1f} bits)" for name, share, bits in parts)
        findings.append(
            f"{condition.name}: the FFBM is right least often in phases of {worst} ({by_goal[worst]:.0%}). "
            f"There the updates are: {updates}; on average they tell {bits[place][-1]:+.2f} bits for {worst}."
        )
    return findings


# --- one run: simulate a game, run every method on it -----------------------------------------------------------------


def play_run(run: Run) -> PlayedRun:
    """Simulate a game and run every method on it."""
    session = session_of(run)
    if not session.is_done:
        return PlayedRun(run.kind.name, is_done=False)
    moments = tuple(zip(session.events, session.truths, strict=True))
    reading = read(methods(run), moments, clock="ffbm")
    ffbm = _ffbm()
    return PlayedRun(
        run.kind.name,
        is_done=True,
        seconds=session.events[-1].time,
        tallies={name: reading.tally(name) for name in METHODS},
        around={name: around_change(reading, name, "level") for name in ("ffbm", "constant")},
        lags=lagged_accuracies(ffbm, moments),
        turned={key: filtered_accuracy(model, moments) for key, model in _turned().items()},
        drawn=tuple(filtered_accuracy(model, moments) for model in _drawn(run.draws)),
        seen=what_was_seen(ffbm, moments),
        in_town=_in_town(ffbm, moments),
    )


def session_of(run: Run) -> Session:
    """Simulate the game of a run. If the kind is one person, run ``n`` follows ``n`` earlier runs."""
    kind = run.kind
    player = Player(run.seed if kind.is_one_person else run_seed(run, "player"), kind.preset)
    for _ in range(run.number if kind.is_one_person else 0):
        player.after_run()
    game = Adventure("flairs", monsters=kind.monsters, seed=run_seed(run, "game"))
    return play(game, player, name=f"{kind.name} {run.number}")


def methods(run: Run) -> dict[str, Recognizer]:
    """Return a new recogniser for every method; the state machine's first guess is random."""
    machine = named_model("flairs-fsm")
    assert isinstance(machine, FSMModel)
    return {
        "ffbm": Reader(_ffbm()),
        "fsm": machine.recognizer(Random(run_seed(run, "fsm"))),
        "constant": Reader(ConstantT.of(_ffbm())),
        "chest_only": Reader(_with_case(0)),
        "town_only": Reader(_with_case(1)),
        "any_swing": Reader(_any_swing()),
        "arrival": Reader(_on_arrival()),
    }


def around_change(reading: Reading, method: str, to: str) -> tuple[Chances, ...]:
    """Return the beliefs from ``AROUND`` updates before the change to a goal until as many after it.

    The result is empty if the run has no such change, or too few updates on one side of it.
    """
    for change in changes(reading.truths):
        start, end = change - AROUND, change + AROUND + 1
        if reading.truths[change] == to and start >= 0 and end <= len(reading.truths):
            return reading.beliefs[method][start:end]
    return ()


def what_was_seen(model: FFBM, moments: Iterable[tuple[Event, str | None]]) -> dict[str, dict[str, tuple[int, float]]]:
    """Count the observations of a run by true goal, and sum their evidence for that goal.

    Evidence is in bits, against the other goal that makes the observation likeliest; below zero it favours that goal.
    """
    found = {goal: dict.fromkeys(GROUPS, (0, 0.0)) for goal in GOALS}
    for evidence, truth in zip(*evidence_of(model, moments), strict=True):
        chances = dict(zip(model.goals, evidence.likelihood, strict=True))
        bits = math.log2(chances.pop(truth) / max(chances.values()))
        group = evidence.seen if evidence.seen in GROUPS else WALKING
        number, total = found[truth][group]
        found[truth][group] = number + 1, total + bits
    return found


def _in_town(model: FFBM, moments: Iterable[tuple[Event, str | None]]) -> tuple[int, int]:
    levelling = [event.context for event, truth in moments if truth == "level"]
    counted = [context for context in levelling if model.clock.counts(str(context["cause"]))]
    return sum(bool(context["in_town"]) for context in counted), len(counted)


def run_seed(run: Run, what: str) -> int:
    """Return the seed of one thing in a run: the player, the game, the state machine's first guess."""
    return Random(f"gold-flairs {run.seed} {run.kind.name} {run.number} {what}").randrange(2**32)


@cache
def _ffbm() -> FFBM:
    model = named_model("flairs")
    assert isinstance(model, FFBM)
    return model


@cache
def _with_case(number: int) -> FFBM:
    """Return the model with one of its two cases, to measure the effect of each."""
    rules = _ffbm().transitions
    return _changed(transitions=TransitionRules(rules.lasts, rules.rows, [rules.cases[number]]))


@cache
def _any_swing() -> FFBM:
    """Return the model of a game without swings while walking; the paper does not say whether these exist."""
    symbols = [
        pair
        for pair in zip(FLAIRS_SYMBOLS.names, FLAIRS_SYMBOLS.conditions, strict=True)
        if not pair[0].startswith("swing")
    ]
    return _changed(outcomes=Symbols([("swing_still", "action == swing"), *symbols]))


@cache
def _on_arrival() -> FFBM:
    """Return the model whose town rule applies only on entering the town; inside, earlier evidence counts again."""
    rules = _ffbm().transitions
    chest, town = rules.cases
    cases = [chest, TransitionCase(f"({town.condition}) and cause == area", town.rows)]
    return _changed(transitions=TransitionRules(rules.lasts, rules.rows, cases))


_KEPT = ("transitions", "observations", "prior", "clock", "outcomes", "vocabulary")


def _changed(**parts: Any) -> FFBM:
    model = _ffbm()
    kept = {name: getattr(model, name) for name in _KEPT}
    return FFBM(model.goals, **{**kept, **parts})


@cache
def _turned() -> dict[tuple[str, float], GoalModel]:
    return one_at_a_time(FLAIRS_DIALS, flairs_model)


@cache
def _drawn(draws: int) -> tuple[GoalModel, ...]:
    # The same models for every run of every study, so that runs can be averaged and studies compared.
    return all_at_once(FLAIRS_DIALS, flairs_model, draws=draws, rng=Random("gold-flairs draws"))


# --- charts: beliefs around a goal change (Figure 4), sensitivity, lag ------------------------------------------------


def charts(by_kind: Mapping[str, Sequence[PlayedRun]], seed: int) -> Rows:
    """Return the charts of the study, in rows."""
    rows: list[tuple[LineChart, ...]] = []
    experienced = by_kind["experienced"]
    samples = [each for each in experienced if each.around and all(each.around.values())]
    if samples:
        rows.append(_beliefs("sample", "Belief around a goal change: one run, as in Figure 4", samples[:1]))
        rows.append(_beliefs("mean", "Belief around a goal change: mean over runs", samples))
    rows.append(tuple(_sensitivity(kind, by_kind[kind]) for kind in ("experienced", "new")))
    rows.append((_draws(by_kind), _lag(by_kind, seed)))
    return tuple(rows)


def what_players_do(by_kind: Mapping[str, Sequence[PlayedRun]]) -> tuple[Grid, Grid]:
    """Return the observations by goal, and the evidence in each for the FFBM; both explain its errors."""
    shares, bits = [], []
    for kind, done in by_kind.items():
        for goal in GOALS:
            seen = [[each.seen[goal][group] for each in done if each.seen] for group in GROUPS]
            counts = [sum(number for number, _ in each) for each in seen]
            sums = [sum(bits for _, bits in each) for each in seen]
            total = sum(counts) or 1
            means = (bits / (count or 1) for bits, count in zip(sums, counts, strict=True))
            shares.append((f"{kind}, {goal}", tuple(count / total for count in counts)))
            bits.append((f"{kind}, {goal}", (*means, sum(sums) / total)))
    note = (
        "Mean bits for the goal that is pursued, against the other goal that makes the update likeliest. Where the "
        "mean of all is below zero, the model expects something else than what players do: only momentum can help it."
    )
    return (
        Grid("what_players_do", "What players do under each goal: shares of updates", GROUPS, tuple(shares)),
        Grid("what_it_tells", "What that tells the FFBM", (*GROUPS, ALL), tuple(bits), percent=False, note=note),
    )


def _beliefs(key: str, note: str, runs: Sequence[PlayedRun]) -> tuple[LineChart, ...]:
    made = []
    for method in ("ffbm", "constant"):
        beliefs = [each.around[method] for each in runs if each.around]
        lines = tuple(
            Curve(
                goal,
                tuple(
                    Point(place - AROUND, fmean(belief[place][at] for belief in beliefs))
                    for place in range(2 * AROUND + 1)
                ),
            )
            for at, goal in enumerate(GOALS)
        )
        made.append(
            LineChart(
                f"belief_{key}_{method}",
                METHODS[method],
                "updates from the change of goal: town to level",
                "belief",
                lines,
                marked=0,
                note=note,
            )
        )
    return tuple(made)


def _sensitivity(kind: str, done: Sequence[PlayedRun]) -> LineChart:
    turned = [each.turned for each in done if each.turned]
    lines = tuple(
        Curve(
            dial.says,
            tuple(Point(factor, fmean(each[dial.keyword, factor] for each in turned)) for factor in FACTORS),
        )
        for dial in FLAIRS_DIALS
    )
    note = "Sensitivity: one number of the FFBM at a time, times ½ to 2"
    return LineChart(
        f"sensitivity_{kind}", kind, "factor", "accuracy of the FFBM", lines, marked=1, log_x=True, note=note
    )


def _draws(by_kind: Mapping[str, Sequence[PlayedRun]]) -> LineChart:
    lines = []
    for kind, done in by_kind.items():
        means = sorted(fmean(values) for values in zip(*(each.drawn for each in done), strict=True))
        points = tuple(Point(100 * (rank + 0.5) / len(means), mean) for rank, mean in enumerate(means))
        lines.append(Curve(kind, points))
    note = "Sensitivity to all numbers at once, and accuracy against lag"
    title = "All numbers turned at random, ½ to 2"
    return LineChart("sensitivity_all", title, "percent of models", "accuracy", tuple(lines), note=note)


def _lag(by_kind: Mapping[str, Sequence[PlayedRun]], seed: int) -> LineChart:
    lines = []
    for kind, done in by_kind.items():
        points = []
        for lag in LAGS:
            values = [each.lags[lag] for each in done if each.lags]
            low, high = interval(values, rng=Random(f"{seed} {kind} lag {lag}"))
            points.append(Point(lag, fmean(values), low, high))
        lines.append(Curve(kind, tuple(points)))
    return LineChart("lag", "Waiting before answering (FFBM)", "lag in updates", "accuracy", tuple(lines))
