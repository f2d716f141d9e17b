"""How fast is choosing? Telos beside the lecture's pseudo-code, transcribed plainly, in one run.

    python benchmarks/choosing.py [--seed 7] [--json]

Two questions: one choice among 100 actions by 20 goals, and looking 4 actions ahead over 12 actions and 8 goals. Both
sides get the same problems and must come to the same least discontentment (of sequences that end equally well the
pseudo-code takes the first it meets, Telos the one that brings relief sooner); printed are times and their ratio.
"""

import argparse
import copy
import json
import statistics
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import telos


class PlainModel:
    """The lecture's WorldModel: goal values and variables in dictionaries, copied before an action is applied."""

    def __init__(self, values: dict[str, float], variables: dict[str, int], actions: list[dict[str, Any]]) -> None:
        self.values, self.variables, self.actions, self.next = values, variables, actions, 0

    def copied(self) -> "PlainModel":
        return PlainModel(copy.copy(self.values), copy.copy(self.variables), self.actions)

    def discontentment(self) -> float:
        total = 0.0
        for value in self.values.values():
            total += value * value
        return total

    def next_action(self) -> dict[str, Any] | None:
        while self.next < len(self.actions):
            action = self.actions[self.next]
            self.next += 1
            if self.variables["energy"] >= action["energy"]:
                return action
        return None

    def apply(self, action: dict[str, Any]) -> None:
        for goal in self.values:
            self.values[goal] = max(0.0, self.values[goal] + action["changes"].get(goal, 0.0))
        self.variables["energy"] -= action["energy"]


def plain_look_ahead(model: PlainModel, depth: int) -> tuple[list[str], float]:
    """Return the best sequence, found as on the lecture's slide (sequences that end early count too)."""
    models, actions = [model], list[dict[str, Any]]()
    followed = [False]
    best, best_value = list[str](), float("inf")
    while models:
        value = models[-1].discontentment()
        action = models[-1].next_action() if len(actions) < depth else None
        if action is None:
            if not followed[-1] and value < best_value:
                best, best_value = [each["name"] for each in actions], value
            models.pop()
            followed.pop()
            if actions:
                actions.pop()
            continue
        followed[-1] = True
        models.append(models[-1].copied())
        models[-1].apply(action)
        actions.append(action)
        followed.append(False)
    return best, best_value


def plain_choose(actions: list[dict[str, Any]], goals: dict[str, float]) -> tuple[str, float]:
    """Return the action of least discontentment, found as on the lecture's slide."""
    best, best_value = "", float("inf")
    for action in actions:
        total = 0.0
        for goal, value in goals.items():
            after = max(0.0, value + action["changes"].get(goal, 0.0))
            total += after * after
        if total < best_value:
            best, best_value = action["name"], total
    return best, best_value


def problem(rng: Random, actions: int, goals: int) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Draw actions that each help two goals, harm one and use up some energy."""
    names = [f"goal-{i}" for i in range(goals)]
    drawn = []
    for i in range(actions):
        harmed, *helped = rng.sample(names, 3)
        changes = {harmed: float(rng.randint(1, 3)), **{goal: -float(rng.randint(1, 5)) for goal in helped}}
        drawn.append({"name": f"action-{i}", "changes": changes, "energy": rng.randint(0, 2)})
    return drawn, {name: float(rng.randint(0, 10)) for name in names}


def as_telos(actions: list[dict[str, Any]], goals: dict[str, float]) -> tuple[list[telos.Action], list[telos.Goal]]:
    """Say the same problem in Telos's words."""
    mine = [
        telos.Action(
            each["name"],
            preconditions=f"energy >= {each['energy']}",
            effects=f"energy -= {each['energy']}",
            changes=each["changes"],
        )
        for each in actions
    ]
    return mine, [telos.Goal(name, value) for name, value in goals.items()]


def timed(work: Callable[[], Any], least: float = 0.2) -> float:
    """Return the median time of one call, from as many calls as fit into ``least`` seconds (three at least)."""
    times: list[float] = []
    while sum(times) < least or len(times) < 3:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def one_choice(rng: Random) -> dict[str, Any]:
    plain, values = problem(rng, actions=100, goals=20)
    actions, goals = as_telos(plain, values)
    choice = telos.choose(actions, goals)
    same = (choice.action.name, choice.value) == plain_choose(plain, values)
    ours, theirs = timed(lambda: telos.choose(actions, goals)), timed(lambda: plain_choose(plain, values))
    return {"question": "one choice, 100 actions × 20 goals", "same": same, "telos": ours, "plain": theirs}


def look_ahead(rng: Random) -> dict[str, Any]:
    plain, values = problem(rng, actions=12, goals=8)
    actions, goals = as_telos(plain, values)
    model = telos.WorldModel(actions, goals, state={"energy": 6})
    found = telos.look_ahead(model, depth=4)
    slow = plain_look_ahead(PlainModel(values, {"energy": 6}, plain), depth=4)
    same = found.value == slow[1] and found.table[-1].value == slow[1]
    ours = timed(lambda: telos.look_ahead(model, depth=4))
    theirs = timed(lambda: plain_look_ahead(PlainModel(values, {"energy": 6}, plain), depth=4))
    return {"question": "look-ahead, depth 4, 12 actions × 8 goals", "same": same, "telos": ours, "plain": theirs}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--problems", type=int, default=9, help="random problems for each question")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rng = Random(options.seed)
    all_same = True
    for question in (one_choice, look_ahead):
        runs = [question(rng) for _ in range(options.problems)]
        ratios = sorted(run["plain"] / run["telos"] for run in runs)
        summary = {
            "question": runs[0]["question"],
            "problems": len(runs),
            "same_answer": all(run["same"] for run in runs),
            "telos_ms": statistics.median(run["telos"] for run in runs) * 1e3,
            "plain_ms": statistics.median(run["plain"] for run in runs) * 1e3,
            "ratio_median": statistics.median(ratios),
            "ratio_least": ratios[0],
            "ratio_most": ratios[-1],
        }
        all_same = all_same and bool(summary["same_answer"])
        if options.json:
            print(json.dumps(summary))
        else:
            print(f"{summary['question']} ({summary['problems']} problems)")
            print(f"  plain {summary['plain_ms']:.3f} ms, Telos {summary['telos_ms']:.3f} ms, same answer: {all_same}")
            print(f"  ratio {ratios[len(ratios) // 2]:.1f}× (from {ratios[0]:.1f}× to {ratios[-1]:.1f}×)\n")
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
