"""One recogniser of every registered kind, with events to observe, for tests of saving and of sharing a model."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import telos
from recognition.ensembles import events_of, random_model
from recognition.readings import flairs, play
from telos.core.event import Event
from telos.logic.syntax import parse_mln
from telos.recognition.by_planning.reader import PlanModel, PlanReader
from telos.recognition.concurrent import ConcurrentGoalModel, ConcurrentLogicModel
from telos.recognition.ffbm import ConstantT
from telos.recognition.files.load import create_recognizer
from telos.recognition.filtering import Clock
from telos.recognition.fsm import FLAIRS_RULES, FSMModel
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.iohmm import IOHMM
from telos.recognition.markov_logic import MarkovLogicModel

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"
GOALS = ("level", "explore", "town")
RULES = """
action(time, action)
loc(time, place)
dark(time)
last(time, goal)
goal(time, goal!)
0.3 goal(t, Learn)
1.5 action(t, Chew) => goal(t, Eat)
1.1 action(t, Read) => goal(t, Learn)
0.4 action(t, Walk) => goal(t, Rest)
0.8 loc(t, Hall) => goal(t, Eat)
0.6 loc(t-1, Hall) => goal(t, Rest)
2.0 goal(t-1, Eat) => goal(t, Eat)
2.0 goal(t-1, Learn) => goal(t, Learn)
last(t, g) => !goal(t, g).
-0.5 dark(t) => goal(t, Learn)
"""
SEVERAL = """
action(time, action)
loc(time, place)
goal(time, goal)
goal = {Eat, Learn}
-1.0 goal(t, g)
1.5 action(t, Chew) => goal(t, Eat)
1.1 action(t, Read) => goal(t, Learn)
0.8 loc(t, Hall) => goal(t, Eat)
2.0 goal(t-1, Eat) => goal(t, Eat)
2.0 goal(t-1, Learn) => goal(t, Learn)
"""
GRAMMAR = """\
recognizer: grammar
goals: {key: 0.5, force: 0.3, trade: 0.2}
noise: 0.05
open_goals: 2
tasks:
  key:
    forged: {chance: 0.7, steps: [make_key, goto(door), unlock]}
    spare: {steps: [ask, goto(door), unlock]}
  make_key: {smithy: {steps: [get_gold, goto(forge), light_fire, hammer]}}
  get_gold: {mine: {steps: [goto(mine), dig]}, more: {chance: 0.3, steps: [get_gold, dig]}, chest: {steps: take_gold}}
  force: {shoulder: {steps: [goto(door), push]}}
  trade: {sell: {steps: [get_gold, goto(market), sell]}}
"""


@dataclass(frozen=True)
class SavedCase:
    """A kind of recogniser: a shared model, how a recogniser is made from it, and the events of one player."""

    model: Any
    make: Callable[[Any], Any]
    events: tuple[Event, ...]

    def start(self) -> Any:
        return self.make(self.model)

    def resume(self, saved: Any) -> Any:
        """Return a recogniser that continues from a snapshot."""
        made = self.start()
        if hasattr(made, "restore"):
            made.restore(saved)
            return made
        return type(made).resume(self.model, saved)

    def saved(self, count: int) -> Any:
        """Return the snapshot after so many events, as it is read from a file."""
        reader = self.start()
        for event in self.events[:count]:
            reader.observe(event)
        return json.loads(json.dumps(reader.save(), allow_nan=False))


def _events(
    actions: Mapping[str, Mapping[str, tuple[Any, ...]]], goals: tuple[str, ...], seed: int
) -> tuple[Event, ...]:
    rng, events = Random(seed), []
    for number in range(120):
        action = rng.choice(list(actions))
        context = {name: rng.choice(values) for name, values in actions[action].items()}
        goal = rng.choice(goals) if goals and rng.random() < 0.1 else None
        events.append(Event(action, context, time=number / 2, goal=goal))
    return tuple(events)


def _distance(here: str, there: str) -> float:
    return 0.0 if here == there else 3.0


@cache
def saved_cases() -> dict[str, SavedCase]:
    """Return a case for each registered kind, and for planning, which has no file."""
    machine = FSMModel(GOALS, tuple((telos.Condition.of(rule), goal) for rule, goal in FLAIRS_RULES), "town")
    counts = {goal: {"swing": 3 + len(goal)} for goal in ("explore", "level", "return")}
    moves = {"goto(mine)": {}, "goto(forge)": {}, "goto(door)": {}, "goto(market)": {}, "take_gold": {}, "dig": {}}
    moves |= {"ask": {}, "light_fire": {}, "hammer": {}, "unlock": {}, "push": {}, "sell": {}, "dance": {}}
    logic = {name: {"loc": ("Hall", "Dock", None), "dark": (True, False)} for name in ("Chew", "Read", "Walk", "Swim")}
    soldier = telos.load(DOMAINS / "soldier.yaml", functions={"distance": _distance})
    fighter = PlanModel(soldier, start={"ammo": 3, "at": "gate", "cover_node": "rock"}, lasts=20)
    ways = {name: {"ammo": (1, 3), "under_fire": (True, False)} for name in ("goto(gate)", "goto(rock)", "reload")}
    errands = PlanModel(telos.load(DOMAINS / "errands.yaml"))
    trips = {f"goto({place})": {} for place in ("mill", "forest", "mine", "inn", "forge")}
    trips |= {name: {} for name in ("load-wood", "load-iron", "tip-out", "light-fire")}
    return {
        "ffbm": SavedCase(flairs(clock=Clock(every=0.5)), create_recognizer, tuple(play(120, seed=3))),
        "constant": SavedCase(ConstantT.of(flairs()), create_recognizer, tuple(play(120, seed=4))),
        "iohmm": SavedCase(IOHMM(counts=counts), create_recognizer, tuple(play(120, seed=5))),
        "fsm": SavedCase(machine, create_recognizer, tuple(play(120, seed=6))),
        "grammar": SavedCase(loads_grammar(GRAMMAR), create_recognizer, _events(moves, (), 7)),
        "markov-logic": SavedCase(
            MarkovLogicModel(parse_mln(RULES)), create_recognizer, _events(logic, ("Eat", "Learn"), 8)
        ),
        "concurrent": SavedCase(ConcurrentGoalModel(flairs()), create_recognizer, tuple(play(120, seed=11))),
        "markov-logic-concurrent": SavedCase(
            ConcurrentLogicModel(parse_mln(SEVERAL)), create_recognizer, _events(logic, (), 12)
        ),
        "ensemble": SavedCase(random_model(), create_recognizer, tuple(events_of(13, 120))),
        "planning": SavedCase(fighter, PlanReader, _events(ways, (), 9)),
        "planning, errands": SavedCase(errands, PlanReader, _events(trips, errands.goals, 10)),
    }
