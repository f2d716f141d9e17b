"""Random models of every kind over an invented game, and random logs of it: as events and as frames."""

from dataclasses import dataclass
from itertools import pairwise, product
from random import Random
from typing import Any

import polars as pl

from telos.core.conditions import Condition
from telos.core.event import Event
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax import parse_mln
from telos.recognition import (
    FFBM,
    IOHMM,
    Clock,
    ConstantT,
    FixedObservation,
    FSMModel,
    HeadingObservation,
    LearnedTransitions,
    MarkovLogicModel,
    ObservationRules,
    TransitionCase,
    TransitionRules,
    Vocabulary,
)
from telos.recognition.vocabulary import DIRECTIONS

ACTIONS = ("chop", "walk", "rest", "fish", *DIRECTIONS)
PLACES, EDGES = ("forest", "lake", "town"), ("north", "east", "south", "west")
GOALS = ("wood", "food", "sleep", "trade")
CAUSES = ("input", "tick", "area")
CONTEXT: dict[str, Any] = {
    "cause": CAUSES,
    "near": "bool",
    "late": "bool",
    "hurt": "bool",
    "wolves": "int",
    "wood_held": "int",
    "energy": "number",
    "place": PLACES,
    "before_place": PLACES,
    "friend": "text",
    "exits": "edges",
    "far_exits": "edges",
}
MOMENTS = ("hurt", "late")
TYPES: dict[str, Any] = {
    **dict.fromkeys(("cause", "place", "before_place", "friend"), pl.String),
    **dict.fromkeys(("near", "late", "hurt"), pl.Boolean),
    **dict.fromkeys(("wolves", "wood_held"), pl.Int64),
    "energy": pl.Float64,
    **dict.fromkeys(("exits", "far_exits"), pl.List(pl.String)),
}
ATOMS = (
    "near",
    "late",
    "hurt",
    "wolves > 1",
    "wolves == wood_held",
    "wolves + 1 < wood_held * 2",
    "wolves != 0 and wood_held / wolves >= 0.5",
    "wolves == 0 or energy / wolves > 0.2",
    "min(wolves, wood_held) == 0",
    "abs(energy - 0.5) < 0.25",
    "-energy > -0.7",
    "energy >= 0.5",
    "place == lake",
    "place != before_place",
    "action == chop",
    "action != walk",
    "friend == ann",
    "friend == none",
    "goal == wood",
    "goal == none",
    "goal != food",
    "cause == area",
)


def words(rng: Random) -> Vocabulary:
    """Return the vocabulary of the game, sometimes with any actions, or without moments."""
    return Vocabulary(rng.choice([ACTIONS, ()]), CONTEXT, moments=rng.choice([MOMENTS, ()]))


def condition(rng: Random, depth: int = 2) -> str:
    kind = rng.choice(["atom", "atom", "and", "or", "not"]) if depth else "atom"
    if kind == "atom":
        return rng.choice(ATOMS)
    if kind == "not":
        return f"not ({condition(rng, depth - 1)})"
    return f" {kind} ".join(f"({condition(rng, depth - 1)})" for _ in range(rng.randint(2, 3)))


def distribution(rng: Random, names: tuple[str, ...]) -> dict[str, float]:
    weights = [rng.choice([0.0, 1.0, 2.0, 5.0]) for _ in names]
    weights[rng.randrange(len(names))] += 1
    return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


def transitions(rng: Random, goals: tuple[str, ...]) -> TransitionRules:
    cases = []
    for _ in range(rng.randint(0, 3)):
        sources = rng.choice([["any"], rng.sample(goals, rng.randint(1, len(goals)))])
        cases.append(TransitionCase(condition(rng), {source: distribution(rng, goals) for source in sources}))
    return TransitionRules(lasts=rng.choice([1, 2.5, 10]), cases=cases)


def clock(rng: Random) -> Clock:
    on = rng.choice([("input",), ("input", "area"), CAUSES[::2]])
    return Clock(on, every=rng.choice([None, 0.5, 1.5]))


def ffbm(rng: Random) -> FFBM:
    goals = GOALS[: rng.randint(2, 4)]
    outcomes = [(name, condition(rng)) for name in ("one", "two", "three")[: rng.randint(0, 3)]]
    outcomes += [(name, f"action == {name}") for name in (*DIRECTIONS, "chop")]
    pairs = [*outcomes, ("other", "true")]
    names = tuple(name for name, _ in pairs)

    def look() -> FixedObservation | HeadingObservation:
        if rng.random() < 0.4:
            return HeadingObservation(rng.choice(["exits", "far_exits"]))
        return FixedObservation(distribution(rng, names))

    def rules() -> ObservationRules:
        return ObservationRules([*((condition(rng), look()) for _ in range(rng.randint(0, 2))), (None, look())])

    kind = rng.choice([FFBM, ConstantT])
    return kind(
        goals,
        transitions=transitions(rng, goals),
        observations={goal: rules() for goal in goals},
        prior=distribution(rng, goals),
        clock=clock(rng),
        outcomes=pairs,
        vocabulary=words(rng),
    )


def iohmm(rng: Random, *, discount: float = 1.0) -> IOHMM:
    goals = GOALS[: rng.randint(2, 4)]
    pairs = [(f"seen{number}", condition(rng)) for number in range(rng.randint(0, 5))]
    pairs += [("other", "true")]
    counts = {goal: {name: float(rng.randint(0, 9)) for name, _ in pairs} for goal in goals}
    return IOHMM(
        goals,
        symbols=pairs,
        transitions=transitions(rng, goals),
        counts=rng.choice([None, counts]),
        pseudo_counts=rng.choice([0.5, 1.0]),
        discount=discount,
        learned=rng.choice([None, LearnedTransitions(rng.choice([0.0, 4.0]))]),
        prior=distribution(rng, goals),
        clock=clock(rng),
        vocabulary=words(rng),
    )


def machine(rng: Random) -> FSMModel:
    goals = GOALS[: rng.randint(2, 4)]
    rules = tuple((Condition.of(condition(rng)), rng.choice(goals)) for _ in range(rng.randint(0, 4)))
    return FSMModel(goals, rules, start=rng.choice(goals), vocabulary=words(rng))


LOGIC = """
action(time, deed)
place(time, spot)
exits(time, way)
wolves(time, number)
near(time)
done(time, goal)
last(time, goal)
goal(time, goal!)
"""
FORMULAS = (
    "goal(t, +g)",
    "action(t, +a) => goal(t, +g)",
    "action(t-1, +a) => goal(t, +g)",
    "place(t-2, +p) ^ action(t, +a) => goal(t, +g)",
    "exits(t, +e) => goal(t, +g)",
    "wolves(t, +w) ^ near(t) => goal(t, +g)",
    "near(t) => goal(t, +g)",
    "!near(t-1) v goal(t, wood)",
    "done(t, +d) => goal(t, +g)",
    "last(t, +d) => goal(t, +g)",
    "last(t-1, +d) => goal(t, +g)",
    "goal(t-1, +g1) => goal(t, +g2)",
    "action(t-1, +a1) ^ goal(t-1, +g1) ^ place(t, +p) => goal(t, +g2)",
    "place(t, +p) => (goal(t-1, +g) <=> goal(t, +g))",
    "action(t, rest) ^ place(t, x) => goal(t, sleep)",
    "near(t) => !goal(t, wood).",
    "done(t, d) => !goal(t, d).",
    "goal(t-1, food) => !goal(t, wood).",
)
_CONSTANTS = {"a": ACTIONS[:3], "p": PLACES, "e": EDGES, "w": ("0", "1", "2"), "g": GOALS, "d": GOALS}


def logic(rng: Random) -> MarkovLogicModel:
    """Return a Markov logic model; its weights are sometimes so large that their exponentials underflow."""
    scale = rng.choice([1.0, 3.0, 300.0])
    parsed = parse_mln("goal = {wood, food, sleep, trade}" + LOGIC + "\n".join(rng.sample(FORMULAS, rng.randint(1, 5))))
    rules = []
    for rule in parsed.rules:
        keys = product(*(_CONSTANTS[name.rstrip("12")] for name in rule.plus))
        weights = {key: round(rng.gauss(0, scale), 2) for key in keys}
        rules.append(rule if rule.hard else Rule(rule.formula, rule.plus, weights, text=rule.text))
    return MarkovLogicModel(MarkovLogic(parsed.predicates, tuple(rules), parsed.functions, parsed.constants))


MODELS = {"ffbm": ffbm, "iohmm": iohmm, "machine": machine, "logic": logic}


@dataclass(frozen=True)
class Row:
    """One event with its session and the goal pursued."""

    event: Event
    session: str
    truth: str | None


def log(rng: Random, goals: tuple[str, ...], most: int = 60) -> list[Row]:
    """Return a log of several players in several sessions, interleaved or one after the other."""
    sequences = [(who, session) for who in ("ann", "bo", "cy") for session in ("", "s1")][: rng.randint(1, 6)]
    times = dict.fromkeys(sequences, 0.0)
    rows = []
    who = sequences[0]
    is_mixed = rng.random() < 0.5
    for _ in range(rng.randint(1, most)):
        if is_mixed or rng.random() < 0.1:
            who = rng.choice(sequences)
        times[who] += rng.choice([0.0, 0.1, 0.4, 0.5, 1.5])
        event = Event(
            rng.choice(ACTIONS),
            context(rng),
            player=who[0],
            time=times[who],
            goal=rng.choice([None, None, None, rng.choice(goals)]),
        )
        rows.append(Row(event, who[1], rng.choice([None, *goals])))
    return rows


def context(rng: Random) -> dict[str, Any]:
    """Return what the game knew: some entries are missing."""
    values = {
        "cause": rng.choice(["input", "tick", "tick", "area"]),
        "near": rng.random() < 0.5,
        "late": rng.random() < 0.2,
        "hurt": rng.random() < 0.2,
        "wolves": rng.randint(0, 3),
        "wood_held": rng.randint(0, 3),
        "energy": round(rng.random(), 2),
        "place": rng.choice(PLACES),
        "before_place": rng.choice(PLACES),
        "friend": rng.choice(["ann", "bo", "cyd"]),
        "exits": tuple(rng.sample(EDGES, rng.randint(0, 4))),
        "far_exits": tuple(rng.sample(EDGES, rng.randint(0, 2))),
    }
    return {name: value for name, value in values.items() if rng.random() > 0.1}


def to_frame(rows: list[Row]) -> pl.DataFrame:
    """Return a log as a frame."""
    events = [row.event for row in rows]
    return pl.DataFrame(
        {
            "player": pl.Series([event.player for event in events], dtype=pl.String),
            "session": pl.Series([row.session for row in rows], dtype=pl.String),
            "time": pl.Series([event.time for event in events], dtype=pl.Float64),
            "action": pl.Series([event.action for event in events], dtype=pl.String),
            "goal": pl.Series([event.goal for event in events], dtype=pl.String),
            "truth": pl.Series([row.truth for row in rows], dtype=pl.String),
            **{
                name: pl.Series([_plain(event.context.get(name)) for event in events], dtype=kind)
                for name, kind in TYPES.items()
            },
        }
    )


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def batches(rng: Random, frame: pl.DataFrame) -> list[pl.DataFrame]:
    """Return a frame cut into batches anywhere."""
    cuts = sorted({0, frame.height, *(rng.randint(0, frame.height) for _ in range(rng.randint(0, 3)))})
    return [frame[first:end] for first, end in pairwise(cuts)]
