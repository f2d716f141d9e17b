"""How do river and unified-planning compare? Telos beside both, in one run on the same data and problems.

    python benchmarks/peers.py [--seed 7] [--json] [--quick]

river learns and answers event by event, as a live reader does. The players are simulated: each is after one of three
goals, keeps to it for some fifty events, and does one of eight things at each. Both learn from the first half of the
players, who say what they are after, and are scored and timed on the rest, who do not. river has no model of goals that
last, so its classifiers judge each event alone; with a window they get the counts of the last twenty events as well.

unified-planning is an interface to planners; the planner here is pyperplan, which it brings as an engine. Problems are
those of ``planning_problems.py`` that pyperplan can state. Writing them down is off the clock, as it is for Telos.

Times are medians on the clock on the wall. What is not installed is left out:
``pip install river unified-planning up-pyperplan``.
"""

import argparse
import json
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from planning_problems import Problem, chain, domain, soldier, toggle

import telos
from telos.planning import get_planner
from telos.recognition import loads_model
from telos.recognition.files import create_recognizer

GOALS = ("fish", "mine", "trade")
ACTIONS = ("cast", "dig", "offer", "walk", "look", "rest", "craft", "talk")
WEIGHTS = {"fish": (4, 1, 1, 4, 3, 2, 1, 1), "mine": (1, 4, 1, 4, 3, 2, 2, 1), "trade": (1, 1, 4, 4, 3, 1, 1, 3)}
STAY = 0.98
WINDOW = 20
READER = f"""
recognizer: iohmm
goals: [{", ".join(GOALS)}]
actions: [{", ".join(ACTIONS)}]
context: {{}}
observations: {{{", ".join(f"{action}: action == {action}" for action in ACTIONS)}}}
pseudo_counts: 1
"""
Play = list[tuple[str, str]]  # action and goal
Figures = dict[str, dict[str, float]]


# --- reading players --------------------------------------------------------------------------------------------------


def simulate(players: int, events: int, rng: Random) -> list[Play]:
    """Return what simulated players do, and what they are after."""
    plays = []
    for _ in range(players):
        goal, play = rng.choice(GOALS), []
        for _ in range(events):
            goal = goal if rng.random() < STAY else rng.choice(GOALS)
            play.append((rng.choices(ACTIONS, WEIGHTS[goal])[0], goal))
        plays.append(play)
    return plays


def read_with_telos(learned: Iterable[Play], scored: Iterable[Play]) -> dict[str, float]:
    """Train an IOHMM by counting, and read the others with it."""
    reader: Any = create_recognizer(loads_model(READER))
    started, count = time.perf_counter(), 0
    for play in learned:
        reader.reset()
        for second, (action, goal) in enumerate(play):
            reader.learn(telos.Event(action, time=second), goal)
            count += 1
    learning = (time.perf_counter() - started) / count
    right, times = 0, []
    for play in scored:
        reader.reset()
        for second, (action, goal) in enumerate(play):
            event = telos.Event(action, time=second)
            begun = time.perf_counter()
            belief = reader.observe(event)
            times.append(time.perf_counter() - begun)
            right += belief.top == goal
    return {"right": right / len(times), "learn_us": learning * 1e6, "answer_us": statistics.median(times) * 1e6}


def read_with_river(make: Callable[[], Any], window: int, learned: list[Play], scored: list[Play]) -> dict[str, float]:
    """Train a classifier of river event by event, and let it judge the events of the others."""
    model, spent, count = make(), 0.0, 0
    for play in learned:
        last: deque[str] = deque(maxlen=window)
        for action, goal in play:
            last.append(action)
            features = dict(Counter(last))
            begun = time.perf_counter()
            model.learn_one(features, goal)
            spent += time.perf_counter() - begun
            count += 1
    right, times = 0, []
    for play in scored:
        last = deque(maxlen=window)
        for action, goal in play:
            last.append(action)
            features = dict(Counter(last))
            begun = time.perf_counter()
            answer = model.predict_proba_one(features)
            times.append(time.perf_counter() - begun)
            right += max(answer, key=answer.get, default=None) == goal
    return {"right": right / len(times), "learn_us": spent / count * 1e6, "answer_us": statistics.median(times) * 1e6}


def compare_readers(seed: int, players: int, events: int) -> Figures:
    """Return how often each is right, and the microseconds of learning and of answering."""
    plays = simulate(players, events, Random(seed))
    learned, scored = plays[: players // 2], plays[players // 2 :]
    figures = {"telos, IOHMM": read_with_telos(learned, scored)}
    if find_spec("river"):
        bayes, tree = import_module("river.naive_bayes").MultinomialNB, import_module("river.tree")
        for window in (1, WINDOW):
            words = "an event" if window == 1 else f"{window} events"
            figures[f"river, naive Bayes, {words}"] = read_with_river(bayes, window, learned, scored)
            figures[f"river, Hoeffding tree, {words}"] = read_with_river(
                tree.HoeffdingTreeClassifier, window, learned, scored
            )
    return figures


# --- planning ---------------------------------------------------------------------------------------------------------


def plan_with_unified(problem: Problem) -> Callable[[], int]:
    """Return a search of unified-planning's engine pyperplan, which returns the length of the plan."""
    up: Any = import_module("unified_planning.shortcuts")
    up.get_environment().credits_stream = None
    stated = up.Problem(problem.name)
    facts = {name: stated.add_fluent(name, up.BoolType(), default_initial_value=False) for name in problem.start}
    for name, value in problem.start.items():
        stated.set_initial_value(facts[name], bool(value))
    for each in problem.actions:
        action = up.InstantaneousAction(each["name"])
        for name, value in each["pre"].items():
            action.add_precondition(facts[name] if value else up.Not(facts[name]))
        for name, value in each["eff"].items():
            action.add_effect(facts[name], bool(value))
        stated.add_action(action)
    for name in problem.goal:
        stated.add_goal(facts[name])
    planner = up.OneshotPlanner(name="pyperplan", params={"search": "astar", "heuristic": "hmax"})
    return lambda: len(planner.solve(stated).plan.actions)


def median_time(call: Callable[[], Any], seconds: float) -> float:
    """Return the median time of as many calls as fit, one at least."""
    call()
    times: list[float] = []
    until = time.perf_counter() + seconds
    while not times or time.perf_counter() < until:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def compare_planners(seconds: float) -> Figures:
    """Return the microseconds of one plan."""
    telos.warm_up()
    figures: Figures = {}
    for problem in (chain(), toggle(), soldier()):
        actors = domain(problem)
        state, forget = actors.state(problem.start), get_planner(actors, None)._remembered.clear

        def plan_anew(
            actors: telos.Domain = actors, state: telos.State = state, name: str = problem.name, forget: Any = forget
        ) -> Any:
            forget()  # or the answer to the same question would be looked up
            return telos.plan(actors, state, name)

        found = plan_anew()
        figures[problem.name] = {"telos_us": median_time(plan_anew, seconds) * 1e6}
        if find_spec("unified_planning") and find_spec("up_pyperplan"):
            search = plan_with_unified(problem)
            if found.found and search() != len(found.steps):
                raise SystemExit(f"{problem.name}: plans of different lengths")
            figures[problem.name]["unified_planning_us"] = median_time(search, seconds) * 1e6
    return figures


def main() -> None:
    """Run both, and print them with their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="fewer players, shorter measurements")
    options = parser.parse_args()
    readers = compare_readers(options.seed, 20 if options.quick else 100, 300)
    planners = compare_planners(0.3 if options.quick else 2.0)
    if options.json:
        print(json.dumps({"readers": readers, "planners": planners}, indent=2))
        return
    ours = readers["telos, IOHMM"]
    print(f"reading simulated players, seed {options.seed}        right   learn an event   answer an event")
    for name, each in readers.items():
        ratio = each["answer_us"] / ours["answer_us"]
        print(f"{name:44}{each['right']:7.1%}{each['learn_us']:13.1f} µs{each['answer_us']:12.1f} µs  {ratio:5.1f}x")
    print("\none plan                     telos   unified-planning, pyperplan")
    for name, each in planners.items():
        line = f"{name:20}{each['telos_us']:11.1f} µs"
        if "unified_planning_us" in each:
            theirs = each["unified_planning_us"]
            line += f"{theirs:14.0f} µs  {theirs / each['telos_us']:7.0f}x"
        print(line)


if __name__ == "__main__":
    main()
