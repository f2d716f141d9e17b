"""One run of the first study: a player plays the adventure once, and every method reads it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from telos.core.event import Event
from telos.recognition.constant import ConstantT
from telos.recognition.ffbm import FFBM
from telos.recognition.files.front import named_model
from telos.recognition.files.machine import Machine
from telos.recognition.forward import Chances
from telos.recognition.model import GoalModel
from telos.recognition.reader import Reader
from telos.recognition.recognizer import Recognizer
from telos.recognition.symbols import ELEVEN, Symbols
from telos.recognition.transitions import TransitionCase, TransitionRules
from telos.studies.players import EXPERIENCED, EXPERIMENTER, NOVICE, Player, Preset, Session, play
from telos.studies.scoring import Reading, Tally, changes, evidence_of, filtered_accuracy, read
from telos.studies.scoring_lag import lagged_accuracies
from telos.studies.sensitivity import FLAIRS_DIALS, all_at_once, flairs_model, one_at_a_time
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
class Kind:
    """A kind of player in the study; the paper gives new players fewer monsters."""

    name: str
    preset: Preset
    monsters: int
    is_one_person: bool = False


KINDS = (
    Kind("experienced", EXPERIMENTER, 5, is_one_person=True),  # the paper's: one person, many runs
    Kind("new", NOVICE, 3),
    Kind("veterans", EXPERIENCED, 5),  # ours: is it this one person, or experience?
)


@dataclass(frozen=True, slots=True)
class Run:
    """One game to be played: by whom, and which."""

    kind: Kind
    number: int
    seed: int
    draws: int  # models with all numbers turned at random


@dataclass(frozen=True, slots=True)
class Played:
    """What one run has shown; ``is_done`` is false if the player never finished, and then there is nothing else."""

    kind: str
    is_done: bool
    seconds: float = 0.0
    tallies: Mapping[str, Tally] | None = None
    around: Mapping[str, tuple[Chances, ...]] | None = None  # beliefs around the change to "level"
    lags: Mapping[int, float] | None = None
    turned: Mapping[tuple[str, float], float] | None = None
    drawn: tuple[float, ...] = ()
    seen: Mapping[str, Mapping[str, tuple[int, float]]] | None = None  # by goal and group: how many, how telling
    in_town: tuple[int, int] = (0, 0)  # updates in phases of level: in town, and in all


def played(run: Run) -> Played:
    """Play a game and let every method read it."""
    session = session_of(run)
    if not session.is_done:
        return Played(run.kind.name, is_done=False)
    moments = tuple(zip(session.events, session.truths, strict=True))
    reading = read(methods(run), moments, clock="ffbm")
    ffbm = _ffbm()
    return Played(
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
    """Let the player of a run play it. One person plays every run as the next of their own."""
    kind = run.kind
    player = Player(run.seed if kind.is_one_person else _own_seed(run, "player"), kind.preset)
    for _ in range(run.number if kind.is_one_person else 0):
        player.after_run()
    game = Adventure("flairs", monsters=kind.monsters, seed=_own_seed(run, "game"))
    return play(game, player, name=f"{kind.name} {run.number}")


def methods(run: Run) -> dict[str, Recognizer]:
    """Return a fresh recogniser for every method; the machine's first guess is drawn."""
    machine = named_model("flairs-fsm")
    assert isinstance(machine, Machine)
    return {
        "ffbm": Reader(_ffbm()),
        "fsm": machine.recognizer(Random(_own_seed(run, "fsm"))),
        "constant": Reader(ConstantT.of(_ffbm())),
        "chest_only": Reader(_with_case(0)),
        "town_only": Reader(_with_case(1)),
        "any_swing": Reader(_any_swing()),
        "arrival": Reader(_on_arrival()),
    }


def around_change(reading: Reading, method: str, to: str) -> tuple[Chances, ...]:
    """Return the beliefs from ``AROUND`` updates before the change to a goal until as many after it.

    It is empty if the run has no such change, or too few updates on one side of it.
    """
    for change in changes(reading.truths):
        start, end = change - AROUND, change + AROUND + 1
        if reading.truths[change] == to and start >= 0 and end <= len(reading.truths):
            return reading.beliefs[method][start:end]
    return ()


def what_was_seen(model: FFBM, moments: Iterable[tuple[Event, str | None]]) -> dict[str, dict[str, tuple[int, float]]]:
    """Count what the updates of a run were, by the goal that was pursued, and how much they told for that goal.

    What one tells is in bits, against the other goal that makes it likeliest: below zero it speaks for that one.
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


def _own_seed(run: Run, what: str) -> int:
    return Random(f"gold-flairs {run.seed} {run.kind.name} {run.number} {what}").randrange(2**32)


@cache
def _ffbm() -> FFBM:
    model = named_model("flairs")
    assert isinstance(model, FFBM)
    return model


@cache
def _with_case(number: int) -> FFBM:
    """Return the model with one of its two cases, to see which of them it owes its accuracy to."""
    rules = _ffbm().transitions
    return _changed(transitions=TransitionRules(rules.lasts, rules.rows, [rules.cases[number]]))


@cache
def _any_swing() -> FFBM:
    """Return the model of a game in which nobody walks on while swinging: the paper does not say whether one can."""
    symbols = [pair for pair in zip(ELEVEN.names, ELEVEN.conditions, strict=True) if not pair[0].startswith("swing")]
    return _changed(outcomes=Symbols([("swing_still", "action == swing"), *symbols]))


@cache
def _on_arrival() -> FFBM:
    """Return the model whose town rule holds on entering the town only: in it, what was seen before counts again."""
    rules = _ffbm().transitions
    chest, town = rules.cases
    cases = [chest, TransitionCase(f"({town.condition}) and cause == area", town.rows)]
    return _changed(transitions=TransitionRules(rules.lasts, rules.rows, cases))


def _changed(**parts: Any) -> FFBM:
    model = _ffbm()
    kept = {name: getattr(model, name) for name in ("transitions", "observations", "prior", "clock", "outcomes")}
    return FFBM(model.goals, **{**kept, **parts})


@cache
def _turned() -> dict[tuple[str, float], GoalModel]:
    return one_at_a_time(FLAIRS_DIALS, flairs_model)


@cache
def _drawn(draws: int) -> tuple[GoalModel, ...]:
    # The same models for every run of every study, so that runs can be averaged and studies compared.
    return all_at_once(FLAIRS_DIALS, flairs_model, draws=draws, rng=Random("gold-flairs draws"))
