"""The planning benchmark's five problems, and the families that they grow into.

    python benchmarks/planning_problems.py [--data FOLDER]

A problem is a plain description, made in code: names, a start, what is wanted, actions. ``domain`` says it in Telos's
words. At scale 1 it is the problem known from elsewhere by the same name, and ``--data`` compares it with the JSON
files of that folder, word for word. Every action costs 1.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import telos

SCALES = (1, 2, 4, 8)
PLACES = ("yard", "locker", "armory", "gate", "roof", "cellar")
SOLDIER_FACTS = """
    at_yard at_locker at_armory at_gate at_roof at_cellar has_key has_rifle has_ammo has_scope has_grenade has_medkit
    has_fuse has_rope loaded scoped gate_open power_on lamp_on alarm_on radio_on squad_called target_dead target_hurt
    healthy hidden cellar_open map_read rested taunted fed flare_lit
""".split()  # noqa: SIM905 - easier to read than thirty-two quoted words
# What a soldier can do besides going places: what it needs, what it makes true, what it makes false.
SOLDIER_ACTIONS = {
    "take_key": ("at_locker", "has_key", ""),
    "take_fuse": ("at_locker", "has_fuse", ""),
    "take_medkit": ("at_locker", "has_medkit", ""),
    "take_rope": ("at_yard", "has_rope", ""),
    "take_rifle": ("at_armory", "has_rifle", ""),
    "take_ammo": ("at_armory", "has_ammo", ""),
    "take_scope": ("at_armory", "has_scope", ""),
    "take_grenade": ("at_armory", "has_grenade", ""),
    "load": ("has_rifle has_ammo", "loaded", "has_ammo"),
    "mount_scope": ("has_rifle has_scope", "scoped", "has_scope"),
    "open_gate": ("at_gate has_key", "gate_open", ""),
    "open_cellar": ("at_yard has_rope", "cellar_open", ""),
    "fix_power": ("at_cellar has_fuse", "power_on", "has_fuse"),
    "lamp": ("power_on", "lamp_on", ""),
    "alarm": ("power_on", "alarm_on", ""),
    "radio": ("power_on", "radio_on", ""),
    "call_squad": ("radio_on", "squad_called", ""),
    "heal": ("has_medkit", "healthy", "has_medkit"),
    "hide": ("at_cellar", "hidden", ""),
    "read_map": ("at_yard", "map_read", ""),
    "throw": ("at_gate has_grenade", "target_hurt", "has_grenade"),
    "shoot": ("at_roof loaded", "target_dead", "loaded"),
    "taunt": ("at_roof", "taunted", ""),
    "flare": ("at_roof", "flare_lit", ""),
}
BEHIND = {"armory": "has_key", "roof": "gate_open", "cellar": "cellar_open"}  # what a place needs before one can go

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """What to plan for. Facts are true or false; a number needs ``[">=", least]`` and is moved by ``add``."""

    family: str
    scale: int
    start: Fields
    goal: Fields
    actions: tuple[Fields, ...]
    optimal: int  # the cost of the cheapest plan
    name: str = field(default="")

    @property
    def has_numbers(self) -> bool:
        """Whether it counts, which peers for facts alone cannot."""
        return any("add" in each for each in self.actions)


def _action(name: str, needs: str = "", makes: str = "", undoes: str = "") -> Fields:
    effects = {**dict.fromkeys(makes.split(), True), **dict.fromkeys(undoes.split(), False)}
    return {"name": name, "cost": 1, "pre": dict.fromkeys(needs.split(), True), "eff": effects}


def _start(true: str, *atoms: str) -> Fields:
    return {atom: atom in true.split() for atom in atoms}


def chain(scale: int = 1) -> Problem:
    """Ten steps, one after the other, beside twenty actions that never apply."""
    steps, dead = 10 * scale, 20 * scale
    actions = [_action(f"step{i + 1}", f"s{i}", f"s{i + 1}") for i in range(steps)]
    actions += [_action(f"dead{i}", f"never s{i % steps}", f"d{i}") for i in range(dead)]
    start = _start("s0", *(f"s{i}" for i in range(steps + 1)), *(f"d{i}" for i in range(dead)), "never")
    return Problem("chain", scale, start, {f"s{steps}": True}, tuple(actions), steps, "chain10")


def toggle(scale: int = 1) -> Problem:
    """The same ten steps beside six switches that do not matter."""
    switches = range(6 * scale)
    actions = [_action(f"step{i + 1}", f"s{i}", f"s{i + 1}") for i in range(10)]
    actions += [_action(f"on{i}", "", f"t{i}") for i in switches]
    actions += [_action(f"off{i}", f"t{i}", "", f"t{i}") for i in switches]
    actions += [_action(f"dead{i}", "never", f"d{i}") for i in range(8)]
    atoms = [*(f"s{i}" for i in range(11)), *(f"t{i}" for i in switches), *(f"d{i}" for i in range(8)), "never"]
    start = _start("s0", *atoms, *(f"spare{i}" for i in range(26, 32)))
    return Problem("toggle", scale, start, {"s10": True}, tuple(actions), 10, "toggle6")


def soldier(scale: int = 1) -> Problem:
    """Places, items, and a target; at larger scales so many soldiers, each with a target, in one state."""
    start, goal, actions = Fields(), Fields(), list[Fields]()
    for own in ("",) if scale == 1 else tuple(f"_{i}" for i in range(scale)):

        def named(words: str, own: str = own) -> str:
            return " ".join(word + own for word in words.split())

        start |= _start(named("at_yard"), *(fact + own for fact in SOLDIER_FACTS))
        goal["target_dead" + own] = True
        for place in PLACES:
            effects = {f"at_{each}{own}": each == place for each in PLACES}
            actions.append({**_action(f"goto_{place}{own}", named(BEHIND.get(place, ""))), "eff": effects})
        actions += [_action(name + own, *map(named, parts)) for name, parts in SOLDIER_ACTIONS.items()]
    return Problem("soldier", scale, start, goal, tuple(actions), 10 * scale, "soldier")


def multi(scale: int = 1) -> Problem:
    """Five goals that have nothing to do with each other, two ways to each."""
    goals = range(5 * scale)
    actions = []
    for i in goals:
        actions += [_action(f"prep{i}", "", f"ready{i}"), _action(f"do{i}", f"ready{i}", f"done{i}")]
        actions += [_action(f"alta{i}", "", f"x{i}"), _action(f"altb{i}", f"x{i}", f"y{i}")]
        actions += [_action(f"altc{i}", f"y{i}", f"done{i}"), _action(f"junk{i}", f"done{i}", f"z{i}")]
    atoms = [f"{fact}{i}" for i in goals for fact in ("ready", "done", "x", "y", "z")]
    start = _start("", *atoms, *(f"spare{i}" for i in range(25, 32)))
    return Problem("multi", scale, start, {f"done{i}": True for i in goals}, tuple(actions), 10 * scale, "multi5")


def gather(scale: int = 1) -> Problem:
    """Counts: a house needs five wood and three stone, or so many times as much."""
    wood, stone = 5 * scale, 3 * scale
    actions: list[Fields] = [
        {"name": "chop", "cost": 1, "pre": {}, "add": {"wood": 1}},
        {"name": "mine", "cost": 1, "pre": {}, "add": {"stone": 1}},
        {"name": "sell", "cost": 1, "pre": {"wood": [">=", 1]}, "add": {"wood": -1, "gold": 1}},
        {"name": "buy_stone", "cost": 1, "pre": {"gold": [">=", 2]}, "add": {"gold": -2, "stone": 1}},
    ]
    needs = {"wood": [">=", wood], "stone": [">=", stone]}
    actions.append({"name": "build", "cost": 1, "pre": needs, "add": {"wood": -wood, "stone": -stone, "house": 1}})
    start = dict.fromkeys(("wood", "stone", "gold", "house"), 0)
    return Problem("gather", scale, start, {"house": [">=", 1]}, tuple(actions), wood + stone + 1, "gather")


FAMILIES: dict[str, Callable[[int], Problem]] = {
    each.__name__: each for each in (chain, toggle, soldier, multi, gather)
}


def _condition(parts: Mapping[str, Any]) -> str:
    return " and ".join(
        f"{name} {value[0]} {value[1]}" if isinstance(value, list) else name if value else f"not {name}"
        for name, value in parts.items()
    )


def _effects(action: Fields) -> str:
    if "add" in action:
        return ", ".join(f"{name} {'-=' if more < 0 else '+='} {abs(more)}" for name, more in action["add"].items())
    return ", ".join(f"{name} = {str(value).lower()}" for name, value in action["eff"].items())


def domain(*problems: Problem) -> telos.Domain:
    """Return the problems as one domain of Telos; the goal of each has its name."""
    return telos.Domain(
        "-".join(each.name for each in problems),
        variables=[
            telos.Variable(name, "int" if each.has_numbers else "bool") for each in problems for name in each.start
        ],
        actions=[
            telos.Action(act["name"], preconditions=_condition(act["pre"]) or None, effects=_effects(act))
            for each in problems
            for act in each.actions
        ],
        goals=[telos.Goal(each.name, wants=_condition(each.goal)) for each in problems],
    )


def mixed(rows: int = 3, columns: int = 6) -> telos.Domain:
    """Return the soldier beside a puzzle that is hard: a press on a lamp switches it and its neighbours."""
    easy = domain(soldier())
    lamps = {(row, column): f"lamp_{row}_{column}" for row in range(rows) for column in range(columns)}
    presses = []
    for (row, column), lamp in lamps.items():
        near = [(row, column), (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        effects = ", ".join(f"{lamps[at]} = not {lamps[at]}" for at in near if at in lamps)
        presses.append(telos.Action(f"press_{lamp}", effects=effects))
    return telos.Domain(
        "mixed",
        variables=[*easy.variables, *(telos.Variable(lamp, "bool") for lamp in lamps.values())],
        actions=[*easy.actions, *presses],
        goals=[*easy.goals, telos.Goal("dark", wants=" and ".join(f"not {lamp}" for lamp in lamps.values()))],
    )


def least_cost(problem: Problem, start: Fields | None = None) -> int | None:
    """Return the cost of the cheapest plan, by plain breadth-first search: slow, and plainly right."""
    names = list(problem.start)
    slots = {name: slot for slot, name in enumerate(names)}

    def tests(parts: Fields) -> list[tuple[int, int]]:  # true is 1, so that everything wanted is "at least"
        return [(slots[name], value[1] if isinstance(value, list) else 1) for name, value in parts.items()]

    actions = [
        (tests(each["pre"]), [(slots[name], value) for name, value in (each.get("add") or each["eff"]).items()])
        for each in problem.actions
    ]
    goal, adds = tests(problem.goal), problem.has_numbers
    here = {tuple(int(value) for value in (start or problem.start).values())}
    known, cost = set(here), 0

    def after(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for needs, effects in actions:
            if all(state[slot] >= least for slot, least in needs):
                values = list(state)
                for slot, value in effects:
                    values[slot] = values[slot] + value if adds else int(value)
                yield tuple(values)

    while here:
        if any(all(state[slot] >= least for slot, least in goal) for state in here):
            return cost
        here = {child for state in here for child in after(state)} - known
        known |= here
        cost += 1
    return None


def crowd_of(agents: int, scale: int, rng: Any) -> dict[str, Any]:
    """Return the columns of so many soldiers, each somewhere, with three facts of ten true and the target alive."""
    columns: dict[str, Any] = {}
    for own in ("",) if scale == 1 else tuple(f"_{i}" for i in range(scale)):
        columns |= {fact + own: rng.random(agents) < 0.3 for fact in SOLDIER_FACTS}
        place = rng.integers(0, len(PLACES), agents)
        columns |= {f"at_{each}{own}": place == number for number, each in enumerate(PLACES)}
        columns[f"target_dead{own}"] = place < 0
    return columns


def change_of(problem: Problem, state: Mapping[str, Any], rng: Random) -> Fields:
    """Draw one fact and change it; a soldier who is somewhere else is no longer where he was."""
    name = rng.choice(list(state))
    if problem.has_numbers:
        return {name: max(0, state[name] + rng.choice((-1, 1)))}
    if name.startswith("at_"):
        own = name.removeprefix("at_").partition("_")[2]
        return {each: each == name for each in (f"at_{place}{own and '_' + own}" for place in PLACES)}
    return {name: not state[name]}


def same_as(folder: Path) -> list[str]:
    """Compare the problems at scale 1 with the files in a folder; return what was compared, or raise."""
    compared = []
    for make in FAMILIES.values():
        problem = make(1)
        there = json.loads((folder / f"{problem.name}.json").read_text())
        actions = [json.loads(json.dumps(each)) for each in problem.actions]
        if not (there["start"], there["goal"], there["actions"]) == (problem.start, problem.goal, actions):
            raise ValueError(f"{problem.name} is not the problem of {folder / problem.name}.json")
        if list(there["start"]) != list(problem.start):
            raise ValueError(f"{problem.name}: the variables are in another order than in the file")
        found, least = telos.plan(domain(problem), problem.start, problem.name).cost, least_cost(problem)
        if not found == least == problem.optimal:
            raise ValueError(f"{problem.name}: planned {found}, cheapest {least}, stated {problem.optimal}")
        compared.append(f"{problem.name}: the same problem, cheapest plan {least}")
    return compared


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="a folder with the JSON files of the problems, to compare with")
    options = parser.parse_args()
    if options.data:
        print("\n".join(same_as(options.data)))
        return 0
    for make in FAMILIES.values():
        for scale in SCALES:
            problem = make(scale)
            counts = f"{len(problem.start)} variables, {len(problem.actions)} actions"
            print(f"{problem.name} × {scale}: {counts}, cheapest plan {problem.optimal}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
