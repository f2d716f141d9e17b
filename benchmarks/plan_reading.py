"""How soon is it clear what somebody is after, and how fast? Characters, read with the file that they plan with.

    python benchmarks/plan_reading.py [--runs 300] [--seed 1] [--mistakes 0] [--seen 1] [--temperature 1] [--json]

Characters start somewhere, want one of the goals that take at least two steps from there, and take the cheapest way;
of several that cost the same, any. A reader sees every action and is told nothing else. A goal is found when it alone
is believed in most, and stays so until it is reached. With ``--mistakes``, that share of the steps is any action that
is possible; the character then plans anew. With ``--seen``, the reader sees only that share of the steps.

Microseconds are those of ``observe`` alone, by the processor's time, so that they are the same on a busy machine: the
median over all steps, and that of the slowest hundredth. The first runs of each domain are left out, as plans are put
together and Numba loads its kernel in them.
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

import telos
from telos.core.plan import Plan
from telos.core.state import State
from telos.recognition.by_planning.reader import PlanModel, PlanReader

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "domains"
ARENA = ROOT / "src" / "telos" / "worlds" / "arena" / "data" / "arena.yaml"
PLACES = ((0, 0), (9, 1), (3, 8), (12, 7), (6, 13), (15, 2), (1, 15), (14, 12))
NODES = dict(zip(("gate", "wall", "shed", "rock", "tower", "ditch", "hut", "well"), PLACES, strict=True))
LONGEST, WARM = 200, 5  # steps of a run; runs that are not timed


@dataclass(frozen=True, slots=True)
class Scene:
    """A domain to plan and to read with, how a character starts in it, and what it may do and want."""

    name: str
    domain: telos.Domain
    start: Callable[[Random], Mapping[str, Any]]
    actions: tuple[telos.Action, ...]
    goals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One character on the way to its goal: how many steps there were, and after how many the goal was found."""

    goal: str
    steps: int
    found: int | None
    is_shared: bool  # on top before the goal was reached, but not alone
    searches: int
    microseconds: tuple[float, ...]


def distance(here: object, there: object) -> float:
    """Return how far it is between two nodes as the crow flies; somebody who is nowhere is at the gate."""
    return math.dist(NODES.get(str(here), (0, 0)), NODES.get(str(there), (0, 0)))


def scenes() -> list[Scene]:
    """Return the domains: two that come as examples for this, the soldier of F.E.A.R., and the arena's fighters."""
    village = telos.load(EXAMPLES / "village.yaml")
    errands = telos.load(EXAMPLES / "errands.yaml")
    fear = telos.load(EXAMPLES / "fear.yaml", functions={"distance": distance, "path_to_safety": lambda me: True})
    functions: dict[str, Callable[..., Any]] = {"distance": distance, "beyond": lambda me, place: False}
    functions |= {"can_reach": lambda me, place: True, "path_to_safety": lambda me, safety: True}
    arena = telos.load(ARENA, functions=functions)
    sets = ("on_foot", "doors", "weapons", "from_cover", "by_hand", "survival")
    fighters = tuple(dict.fromkeys(action for name in sets for action in arena.actions_of(name)))
    return [
        Scene("village", village, _villager, village.actions, tuple(goal.name for goal in village.goals)),
        Scene("errands", errands, _carter, errands.actions, tuple(goal.name for goal in errands.goals)),
        Scene("soldier", fear, _soldier, fear.actions_of("soldier"), ("patrol", "kill_enemy", "cover", "escape")),
        Scene("arena", arena, _fighter, fighters, ("patrol", "kill_enemy", "heal", "stay_ready", "cover", "escape")),
    ]


def _villager(rng: Random) -> Mapping[str, Any]:
    return {"x": rng.choice([0, 1, 2, 3, 4, 5, 6, 8, 9, 10]), "y": rng.randrange(9)}


def _carter(rng: Random) -> Mapping[str, Any]:
    place = rng.choice(["yard", "mill", "forest", "mine", "inn", "forge", "market"])
    cart = rng.choice(["empty", "empty", "empty", "flour", "wood", "iron"])
    done = {name: rng.random() < 0.2 for name in ("dough", "fire", "bars")}
    return {"at": place, "cart": cart, "oven": rng.choice(["cold", "cold", "hot"]), **done}


def _soldier(rng: Random) -> Mapping[str, Any]:
    at, post, cover = rng.sample(sorted(NODES), 3)
    return {"at": at, "post": post, "cover_node": cover, "ammo": rng.randint(1, 3), "in_danger": True}


def _fighter(rng: Random) -> Mapping[str, Any]:
    names = ("at", "post", "cover_node", "medkit", "ammo_box", "safety")
    places = dict(zip(names, rng.sample(sorted(NODES), len(names)), strict=True))
    facts = {"loaded": rng.random() < 0.3, "spare": rng.random() < 0.5, "target_seen": rng.random() < 0.5}
    return {**places, **facts, "target": "alive", "hurt": True, "in_danger": True}


def run(scene: Scene, rng: Random, *, mistakes: float = 0.0, seen: float = 1.0, temperature: float = 1.0) -> Run | None:
    """Let one character pursue a goal, and read it; None if no goal takes two steps from where it starts."""
    state = scene.domain.state(scene.start(rng))
    actions = list(scene.actions)
    rng.shuffle(actions)  # which of several cheapest plans is found depends on it
    mind = telos.Planner(scene.domain, actions)
    far = [goal for goal in scene.goals if len(mind.plan(state, goal).steps) >= 2]
    if not far:
        return None
    goal = rng.choice(far)
    model = PlanModel(scene.domain, goals=scene.goals, start=state, actions=scene.actions, temperature=temperature)
    reader, tops, times = PlanReader(model), list[str](), list[float]()
    for step in range(LONGEST):
        answer = mind.plan(state, goal)
        if not isinstance(answer, Plan) or not answer.steps:
            break
        action = answer.steps[0]
        if rng.random() < mistakes:
            action = rng.choice(possible(scene, state) or [action])
        state = action.result(state)
        if seen == 1.0 or rng.random() < seen:
            event = telos.Event(str(action), time=step)
            began = time.process_time_ns()
            reader.observe(event)
            times.append((time.process_time_ns() - began) / 1e3)
        tops.append(_place(reader.belief, goal))
    return _judged(goal, tops, reader.searches, times)


def possible(scene: Scene, state: State) -> list[telos.Action]:
    """Return what a character could do by mistake; of actions with parameters, none."""
    return [action for action in scene.actions if not action.parameters and action.is_possible(state)]


def _place(belief: telos.Belief, goal: str) -> str:
    others = max(chance for name, chance in belief.items() if name != goal)
    return "alone" if belief[goal] > others + 1e-9 else "shared" if belief[goal] > others - 1e-9 else "below"


def _judged(goal: str, tops: list[str], searches: int, times: list[float]) -> Run:
    before = tops[:-1]  # with the last step it is reached, and that is too late
    found = len(before)
    while found and before[found - 1] == "alone":
        found -= 1
    is_found = found < len(before)
    is_shared = not is_found and bool(before) and before[-1] == "shared"
    return Run(goal, len(tops), found + 1 if is_found else None, is_shared, searches, tuple(times))


def figures(scene: Scene, runs: int, rng: Random, **options: float) -> dict[str, Any]:
    """Return how soon and how fast the characters of one domain are read."""
    drawn = (run(scene, rng, **options) for _ in range(runs + WARM))
    done = [each for each in list(drawn)[WARM:] if each is not None]
    found = [each for each in done if each.found is not None]
    times = sorted(each for run in done for each in run.microseconds)
    return {
        "runs": len(done),
        "found": len(found) / len(done),
        "shared": sum(each.is_shared for each in done) / len(done),
        "needed": statistics.fmean((each.found or 0) / each.steps for each in found),
        "steps": statistics.fmean(each.steps for each in done),
        "searches a step": sum(each.searches for each in done) / len(times),
        "median us": statistics.median(times),
        "99% us": times[int(0.99 * len(times))],
    }


def main() -> None:
    """Print the table, or the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mistakes", type=float, default=0.0)
    parser.add_argument("--seen", type=float, default=1.0)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args()
    telos.warm_up()
    options = {"mistakes": said.mistakes, "seen": said.seen, "temperature": said.temperature}
    found = {each.name: figures(each, said.runs, Random(said.seed), **options) for each in scenes()}
    if said.json:
        print(json.dumps(found, indent=2))
        return
    table = Table("domain", *next(iter(found.values())), box=None)
    for name, row in found.items():
        table.add_row(name, *(f"{value:.3g}" for value in row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
