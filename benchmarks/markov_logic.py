"""How fast is Markov logic? Telos beside peers from the package index, in one run on the same models.

    python benchmarks/markov_logic.py [--seed 7] [--caviar FOLDER] [--island FILE.csv.gz] [--json] [--quick]

A chain of 100 steps with 7 goals and 19 actions (the shape of the goal recogniser): exact MAP, chances, cutting planes
over HiGHS and MaxWalkSAT; ProbLog, which is exact and general, gets a chain that it can finish. Then a corpus of the
published size (137 players, 77,182 actions; simulated, or the file given): MAP of the whole, an epoch of MIRA with all
thirteen formulas, python-crfsuite beside both, one live update; and if the file has folds, how often the live belief
is right on players who were not learned from. Then a network that is no chain: a hundred people, who smokes. With
``--caviar`` the ten activity-recognition cases of LoMRF: counts, optimum, and time beside HiGHS's as stated there.

Times are the median of several runs after a first one that is not counted, as Numba compiles in it.
"""

import argparse
import csv
import gzip
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import telos.recognition
from telos.logic.database import Database, database_from_arrays, select_worlds
from telos.logic.exact import exact_map, exact_marginals
from telos.logic.grounding import ground, sum_restated_weights, to_clauses
from telos.logic.learning import learn
from telos.logic.model import Key, MarkovLogic, Rule
from telos.logic.network import MostProbable, Network
from telos.logic.online import OnlineFilter
from telos.logic.search import cutting_planes, walksat
from telos.logic.syntax import load_db, load_mln, parse_db, parse_mln

GOALS, ACTIONS, PLACES, STATES, PLAYERS, STEPS = 7, 19, 39, 16, 137, 77_182
FORMULAS = Path(telos.recognition.__file__).with_name("data") / "island.mln"
CHAIN = """
goal = {G0, G1, G2, G3, G4, G5, G6}
action(time, action)
goal(time, goal!)
action(t, +a) ^ goal(t, +g)
goal(t-1, +g1) ^ goal(t, +g2)
"""
Figures = dict[str, Any]


def seconds(work: Callable[[], Any], runs: int) -> float:
    """Return the median time of some work after a first run that is not counted."""
    work()
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def best(answer: object) -> MostProbable:
    assert isinstance(answer, MostProbable)
    return answer


def chain(steps: int, rng: np.random.Generator) -> tuple[Network, dict[str, Any]]:
    """Return a chain with random weights, and the weights for peers."""
    model = parse_mln(CHAIN)
    by_action, by_goal = rng.normal(size=(ACTIONS, GOALS)), rng.normal(size=(GOALS, GOALS)) + 2 * np.eye(GOALS)
    tables: tuple[dict[Key, float], ...] = (
        {(f"A{a}", f"G{g}"): float(by_action[a, g]) for a in range(ACTIONS) for g in range(GOALS)},
        {(f"G{g}", f"G{h}"): float(by_goal[g, h]) for g in range(GOALS) for h in range(GOALS)},
    )
    rules = tuple(Rule(rule.formula, rule.plus, table) for rule, table in zip(model.rules, tables, strict=True))
    model = MarkovLogic(model.predicates, rules, model.functions, model.constants)
    actions = rng.integers(0, ACTIONS, size=steps)
    database = parse_db("\n".join(f"action({t}, A{a})" for t, a in enumerate(actions)), model)
    return ground(model, database, ["goal"]), {"by_action": by_action, "by_goal": by_goal, "actions": actions}


def chains(rng: np.random.Generator, runs: int) -> list[Figures]:
    network, weights = chain(100, rng)
    exact = best(exact_map(network))
    rows: list[Figures] = [
        {"what": "Telos, exact MAP", "seconds": seconds(lambda: exact_map(network), runs), "score": exact.score},
        {"what": "Telos, exact chances", "seconds": seconds(lambda: exact_marginals(network), runs)},
    ]
    planes = best(cutting_planes(network))
    rows.append(
        {
            "what": f"Telos, cutting planes over HiGHS ({planes.rounds} rounds)",
            "seconds": seconds(lambda: cutting_planes(network), min(runs, 5)),
            "score": planes.score,
        }
    )
    walked = best(walksat(network, seed=1))
    rows.append(
        {"what": "Telos, MaxWalkSAT", "seconds": seconds(lambda: walksat(network, seed=1), 3), "score": walked.score}
    )
    if find_spec("problog") is not None:
        rows.append({"what": "ProbLog, 10 steps of 3 goals", "seconds": problog_seconds(weights, 10, 3)})
    return rows


def problog_seconds(weights: dict[str, Any], steps: int, goals: int) -> float:
    """Return how long ProbLog takes for the chances of the last goal of a short chain, weights as odds."""
    from problog import get_evaluatable
    from problog.program import PrologString

    lines = []
    for t in range(steps):
        lines.append("; ".join(f"{1 / goals}::goal({t},{g})" for g in range(goals)) + ".")
        for g in range(goals):
            chance = _chance(weights["by_action"][weights["actions"][t], g])
            lines.append(f"{chance}::seen({t},{g}) :- goal({t},{g}).")
            lines += [
                f"{_chance(weights['by_goal'][h, g])}::after({t},{h},{g}) :- goal({t - 1},{h}), goal({t},{g})."
                for h in range(goals)
                if t
            ]
        lines.append(f"ok({t}) :- goal({t},G), seen({t},G){f', goal({t - 1},H), after({t},H,G)' if t else ''}.")
        lines.append(f"evidence(ok({t})).")
    lines += [f"query(goal({steps - 1},{g}))." for g in range(goals)]
    start = time.perf_counter()
    get_evaluatable().create_from(PrologString("\n".join(lines))).evaluate()
    return time.perf_counter() - start


def _chance(weight: float) -> float:
    return 1 / (1 + math.exp(-weight))


def corpus(file: Path | None, rng: np.random.Generator) -> dict[str, Any]:
    """Return the columns of a corpus of the published size, from a file or made up on the spot."""
    if file is not None:
        with gzip.open(file, "rt") as stream:
            rows = list(csv.DictReader(stream))
        return {name: np.array([int(row[name]) for row in rows]) for name in rows[0]}
    player = np.sort(rng.integers(0, PLAYERS, size=STEPS))
    t = np.arange(STEPS) - np.searchsorted(player, player)
    goal = np.minimum(t // 80, GOALS - 1)
    made = {"action": ACTIONS, "loc": PLACES, "state": STATES}
    likes = {name: rng.dirichlet(np.full(count, 0.3), size=GOALS) for name, count in made.items()}
    seen = {
        name: (rng.random(STEPS)[:, None] > likes[name][goal].cumsum(axis=1)).sum(axis=1).clip(0, made[name] - 1)
        for name in made
    }
    return {"player": player, "t": t, **seen, "goal": goal}


def database_of(columns: dict[str, Any], model: MarkovLogic) -> Database:
    names = {"action": ("A", ACTIONS), "place": ("L", PLACES), "state": ("S", STATES), "goal": ("G", GOALS)}
    constants = {sort: [f"{letter}{i}" for i in range(count)] for sort, (letter, count) in names.items()}
    constants["time"] = [str(i) for i in range(int(columns["t"].max()) + 1)]
    facts = {
        name: (columns["player"], np.column_stack([columns["t"], columns[name]]))
        for name in ("action", "loc", "state", "goal")
    }
    types = {name: model.predicates[name].types for name in facts}
    return database_from_arrays([str(i) for i in range(PLAYERS)], constants, facts, types=types)


def corpora(file: Path | None, rng: np.random.Generator, runs: int) -> list[Figures]:
    columns, model = corpus(file, rng), load_mln(FORMULAS)
    database = database_of(columns, model)
    network = ground(model, database, ["goal"], learning=True)
    weights = rng.normal(size=len(network.weights))
    grounded = seconds(lambda: ground(model, database, ["goal"]), 3)
    solved = seconds(lambda: exact_map(network, weights=weights), runs)
    rows: list[Figures] = [
        {"what": "Telos, grounding of 77,182 steps", "seconds": grounded},
        {"what": "Telos, exact MAP of the corpus", "seconds": solved},
    ]
    one = seconds(lambda: learn(model, database, ["goal"], by="mira", epochs=1), 1)
    many = seconds(lambda: learn(model, database, ["goal"], by="mira", epochs=21), 1)
    rows.append({"what": "Telos, an epoch of MIRA, all formulas", "seconds": (many - one) / 20})
    learned = learn(model, database, ["goal"], by="mira", epochs=2).model
    rows.append({"what": "Telos, one live update", "seconds": live_seconds(learned, columns)})
    if find_spec("pycrfsuite") is not None:
        rows += crfsuite(columns)
    if "fold" in columns:
        rows += prefix_accuracy(columns, model)
    return rows


def prefix_accuracy(columns: dict[str, Any], model: MarkovLogic) -> list[Figures]:
    """Return how often the live belief is right, with weights by likelihood from the players of the other folds."""
    right = 0
    for fold in np.unique(columns["fold"]):
        mine = columns["fold"] != fold
        facts = database_of({name: column[mine] for name, column in columns.items()}, model)
        played = sorted(set(columns["player"][mine].tolist()))
        learned = learn(model, select_worlds(facts, played), ["goal"], by="likelihood").model
        online, before = OnlineFilter(learned), -1
        for row in np.flatnonzero(~mine):
            if columns["player"][row] != before:
                online.reset()
                before = columns["player"][row]
            chances = online.step(
                {
                    "action": f"A{columns['action'][row]}",
                    "loc": f"L{columns['loc'][row]}",
                    "state": f"S{columns['state'][row]}",
                }
            )
            right += online.values[int(np.argmax(chances))] == f"G{columns['goal'][row]}"
    return [{"what": "live belief, likelihood, players not learned from", "right": right / len(columns["goal"])}]


def live_seconds(model: MarkovLogic, columns: dict[str, Any]) -> float:
    """Return the time of one live update over the first players' steps, as they come: nothing was seen before."""
    online = OnlineFilter(model)
    steps = [
        {"action": f"A{a}", "loc": f"L{place}", "state": f"S{state}"}
        for a, place, state in zip(columns["action"], columns["loc"], columns["state"], strict=True)
    ][:20_000]
    start = time.perf_counter()
    for facts in steps:
        online.step(facts)
    return (time.perf_counter() - start) / len(steps)


def crfsuite(columns: dict[str, Any]) -> list[Figures]:
    """Return what python-crfsuite takes for an iteration and for tagging, with the features of the formulas."""
    import pycrfsuite

    sequences, labels = [], []
    for player in range(PLAYERS):
        rows = np.flatnonzero(columns["player"] == player)
        a, place, state = (columns[name][rows] for name in ("action", "loc", "state"))
        features = [[f"a{a[i]}", f"l{place[i]}", f"s{state[i]}", f"a{a[i]}s{state[i]}"] for i in range(len(rows))]
        for i in range(1, len(rows)):
            before = features[i - 1][:4]
            features[i] = [*features[i], *(f"-{each}" for each in before), f"a{a[i - 1]}a{a[i]}"]
        sequences.append(features)
        labels.append([f"G{goal}" for goal in columns["goal"][rows]])
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "model")
        for iterations in (1, 11):
            trainer = pycrfsuite.Trainer(algorithm="pa", params={"max_iterations": iterations}, verbose=False)
            for features, goals in zip(sequences, labels, strict=True):
                trainer.append(features, goals)
            start = time.perf_counter()
            trainer.train(file)
            taken[iterations] = time.perf_counter() - start
        tagger = pycrfsuite.Tagger()
        tagger.open(file)
        start = time.perf_counter()
        for features in sequences:
            tagger.tag(features)
        tagged = time.perf_counter() - start
    return [
        {"what": "python-crfsuite, an iteration (passive-aggressive, no F13)", "seconds": (taken[11] - taken[1]) / 10},
        {"what": "python-crfsuite, Viterbi of the corpus", "seconds": tagged},
    ]


def smokers(people: int, rng: np.random.Generator) -> list[Figures]:
    model = parse_mln(
        "Friends(person, person)\nSmokes(person)\nCancer(person)\n"
        "1.5 Smokes(x) => Cancer(x)\n1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n-0.4 Smokes(x)\n-0.2 Cancer(x)"
    )
    pairs = {tuple(sorted(rng.choice(people, 2, replace=False).tolist())) for _ in range(2 * people)}
    facts = [f"Friends(P{a}, P{b})\nFriends(P{b}, P{a})" for a, b in sorted(pairs)]
    facts += [f"{'' if rng.random() < 0.5 else '!'}Smokes(P{i})" for i in range(0, people, 8)]
    database = parse_db("\n".join(facts), model)
    network = ground(model, database, ["Smokes", "Cancer"])
    planes, walked = best(cutting_planes(network)), best(walksat(network, seed=1))
    return [
        {
            "what": f"smokers, {people} people: cutting planes",
            "seconds": seconds(lambda: cutting_planes(network), 3),
            "score": planes.score,
            "exact": planes.exact,
        },
        {
            "what": f"smokers, {people} people: MaxWalkSAT",
            "seconds": seconds(lambda: walksat(network, seed=1), 3),
            "score": walked.score,
        },
    ]


def caviar(folder: Path) -> list[Figures]:
    """Return the cases of LoMRF: counts, optimum, and time with and without finding the structure."""
    cases = folder / "lomrf" / "Unit_Tests" / "inference" / "caviar" / "MM" / "SI" / "meet"
    with (folder / "own" / "lomrf_caviar_known_optima.csv").open() as stream:
        stated = list(csv.DictReader(stream))
    rows = []
    for known in stated:
        fold, name = known["case"].split("/")
        model = load_mln(cases / fold / "meet_trained_func.mln")
        database = load_db(cases / fold / f"{name}.db.gz", model)
        network = ground(model, database, ["HoldsAt"])
        rows.append({"what": known["case"], **case(network, known)})
    return rows


def case(network: Network, known: dict[str, str]) -> Figures:
    counted, planes = to_clauses(network), best(cutting_planes(network))
    stated = (int(known["stat_atoms"]), int(known["stat_clauses"]))
    score = planes.score - sum_restated_weights(network)
    return {
        "counts": "as stated" if (counted.atoms, len(counted)) == stated else f"{counted.atoms}, {len(counted)}",
        "score": score,
        "over stated": f"{score - float(known['optimum_soft_weight']):+.4f}",
        "cutting planes": seconds(lambda: cutting_planes(network), 3),
        "exact": seconds(lambda: exact_map(network), 3),
        "HiGHS, stated": float(known["highs_s"]),
    }


def told(console: Console, title: str, rows: list[Figures]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold")
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        table.add_column(name, justify="left" if name == "what" else "right")
    for row in rows:
        table.add_row(*(_said(row.get(name)) for name in names))
    console.print(table)


def _said(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) >= 0.01 or abs(value) < 1e-9 else f"{value * 1e6:,.1f} µs"
    return "" if value is None else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--caviar", type=Path, help="the folder with lomrf/ and own/ in it")
    parser.add_argument("--island", type=Path, help="a corpus: player, t, action, loc, state, goal as numbers")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    said = parser.parse_args()
    rng, runs = np.random.default_rng(said.seed), 3 if said.quick else 15
    results = {"chain of 100 steps, 7 goals": chains(rng, runs)}
    results["a corpus of the published size"] = corpora(said.island, rng, min(runs, 5))
    results["no chain"] = smokers(100, rng)
    if said.caviar:
        results["CAVIAR, as LoMRF ships it"] = caviar(said.caviar)
    if said.json:
        print(json.dumps(results, indent=2))
        return
    for title, rows in results.items():
        told(Console(), title, rows)


if __name__ == "__main__":
    main()
