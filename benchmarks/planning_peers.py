"""The planning benchmark's peers: planners from the package index, given the very same problems.

pyperplan reads PDDL and knows facts only, so ``gather``, which counts, is beyond it. GTPyhop plans by methods that
somebody wrote down; here they lead straight to the cheapest plan, which is its best case, and there are none for
``gather``. Reading, grounding and declaring are done before the clock starts. A peer that is not installed is left out.
"""

import contextlib
import gc
import io
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from planning_problems import SCALES, Fields, Problem

# Measured elsewhere, on another machine, search alone (medians, ±1.7×): figures to set beside ours, no more.
ELSEWHERE: dict[str, dict[str, str]] = {
    "GPGOAP (C)": {"chain10": "1.9 µs", "toggle6": "1.25 ms", "soldier": "overflows", "multi5": "overflows"},
    "ReGoap (.NET)": {"chain10": "0.40 ms", "toggle6": "0.30 ms", "soldier": "14.6 ms", "multi5": "no plan"},
    "Fast Downward, lmcut": {"chain10": "0.31 ms", "toggle6": "0.49 ms", "soldier": "0.42 ms", "multi5": "0.66 ms"},
    "Rust goap 0.1": {
        "chain10": "0.87 ms",
        "toggle6": "113-219 ms",
        "soldier": "0.7-1.4 s",
        "multi5": "4-10 s",
        "gather": "0.95 ms",
    },
    "CPython probe": {"chain10": "25 µs", "toggle6": "23 µs", "soldier": "88 µs", "multi5": "20 ms"},
    "Numba spike": {"chain10": "2.7 µs", "toggle6": "2.8 µs", "soldier": "3.8 µs", "multi5": "706 µs"},
}


class Run(NamedTuple):
    """How a peer fared: the median time of a search, or None if it was not done in time, and the plan's cost."""

    seconds: float | None
    cost: int | None
    note: str = ""


class TooLong(Exception):
    """The time for one search is up."""


Solve = Callable[[], int]  # search once, return the plan's cost
Prepare = Callable[[Problem, float], tuple[Solve, Solve]]  # a search that stops at a limit, and the same without


def pddl(problem: Problem) -> tuple[str, str]:
    """Return the problem as PDDL: the domain, and the task."""

    def all_of(parts: Fields) -> str:
        return "(and " + " ".join(f"({name})" if value else f"(not ({name}))" for name, value in parts.items()) + ")"

    actions = "\n".join(
        f"(:action {each['name']} :parameters () :precondition {all_of(each['pre'])} :effect {all_of(each['eff'])})"
        for each in problem.actions
    )
    predicates = " ".join(f"({name})" for name in problem.start)
    true = " ".join(f"({name})" for name, value in problem.start.items() if value)
    return (
        f"(define (domain d) (:requirements :strips) (:predicates {predicates})\n{actions})\n",
        f"(define (problem p) (:domain d) (:init {true}) (:goal {all_of(problem.goal)}))\n",
    )


def grounded(problem: Problem) -> Any:
    """Return pyperplan's task for a problem."""
    planner = import_module("pyperplan.planner")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("domain.pddl", "problem.pddl")]
        for file, text in zip(files, pddl(problem), strict=True):
            file.write_text(text)
        return planner._ground(planner._parse(*map(str, files)))


def pyperplan(heuristic: str) -> Prepare:
    """Return how to prepare pyperplan's A* with one of its heuristics."""

    def prepare(problem: Problem, limit: float) -> tuple[Solve, Solve]:
        planner = import_module("pyperplan.planner")
        task = grounded(problem)
        estimate, search = planner.HEURISTICS[heuristic](task), planner.SEARCHES["astar"]

        def limited() -> int:
            deadline = time.perf_counter() + limit

            def watched(node: Any) -> Any:
                if time.perf_counter() > deadline:
                    raise TooLong
                return estimate(node)

            return len(search(task, watched))

        return limited, lambda: len(search(task, estimate))

    return prepare


def _soldier_methods(problem: Problem, act: dict[str, Fields]) -> dict[str, Callable[..., Any]]:
    # What brings a fact about: things to have or do first, the place to be at, and the action.
    ways = {
        "target_dead": (("loaded",), "roof", "shoot"),
        "loaded": (("has_rifle", "has_ammo"), "", "load"),
        "has_rifle": ((), "armory", "take_rifle"),
        "has_ammo": ((), "armory", "take_ammo"),
        "has_key": ((), "locker", "take_key"),
        "gate_open": (("has_key",), "gate", "open_gate"),
    }
    behind = {"armory": "has_key", "roof": "gate_open"}

    def have(state: Any, fact: str, own: str) -> list[tuple[str, ...]]:
        if fact + own in state.facts:
            return []
        first, place, action = ways[fact]
        there = [("be", place, own)] if place else []
        return [*(("have", each, own) for each in first), *there, ("act", action + own)]

    def be(state: Any, place: str, own: str) -> list[tuple[str, ...]]:
        if f"at_{place}{own}" in state.facts:
            return []
        first = [("have", behind[place], own)] if place in behind else []
        return [*first, ("act", f"goto_{place}{own}")]

    def win(state: Any) -> list[tuple[str, ...]]:
        return [("have", "target_dead", fact.removeprefix("target_dead")) for fact in problem.goal]

    return {"have": have, "be": be, "win": win}


def _step_methods(problem: Problem, act: dict[str, Fields]) -> dict[str, Callable[..., Any]]:
    def reach(state: Any, step: int) -> list[tuple[Any, ...]]:
        return [] if f"s{step}" in state.facts else [("reach", step - 1), ("act", f"step{step}")]

    def win(state: Any) -> list[tuple[Any, ...]]:
        return [("reach", int(fact.removeprefix("s"))) for fact in problem.goal]

    return {"reach": reach, "win": win}


def _multi_methods(problem: Problem, act: dict[str, Fields]) -> dict[str, Callable[..., Any]]:
    def win(state: Any) -> list[tuple[str, str]]:
        numbers = (fact.removeprefix("done") for fact in problem.goal if fact not in state.facts)
        return [("act", name + number) for number in numbers for name in ("prep", "do")]

    return {"win": win}


METHODS = {"chain": _step_methods, "toggle": _step_methods, "soldier": _soldier_methods, "multi": _multi_methods}


def gtpyhop(problem: Problem, limit: float) -> tuple[Solve, Solve]:
    """Prepare GTPyhop, with methods written by hand; it does not search, so it needs no limit."""
    with contextlib.redirect_stdout(io.StringIO()):
        hop = import_module("gtpyhop")
        hop.set_verbose_level(0)
        hop.Domain(f"{problem.family}-{problem.scale}")
        table = {each["name"]: each for each in problem.actions}

        def act(state: Any, name: str) -> Any:
            action = table[name]
            if not all(fact in state.facts for fact in action["pre"]):
                return False
            for fact, value in action["eff"].items():
                (state.facts.add if value else state.facts.discard)(fact)
            return state

        hop.declare_actions(act)
        for task, method in METHODS[problem.family](problem, table).items():
            hop.declare_task_methods(task, method)
        domain = hop.get_current_domain()
    start = hop.State("start", facts={name for name, value in problem.start.items() if value})

    def solve() -> int:
        hop.set_current_domain(domain)
        found = hop.find_plan(start, [("win",)])
        return len(found) if found is not False and found is not None else -1

    return solve, solve


PEERS: dict[str, tuple[str, Prepare]] = {
    "pyperplan A* blind": ("pyperplan", pyperplan("blind")),
    "pyperplan A* hFF": ("pyperplan", pyperplan("hff")),
    "pyperplan A* lmcut": ("pyperplan", pyperplan("lmcut")),
    "GTPyhop, methods": ("gtpyhop", gtpyhop),
}


def missing() -> list[str]:
    """Return the packages that are not installed."""
    return sorted({package for package, _ in PEERS.values() if find_spec(package) is None})


@contextlib.contextmanager
def without_gc() -> Iterator[None]:
    """Keep the garbage collector out of a measurement."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def clocked(work: Callable[[], Any], before: Callable[[], Any], least: float, calls: int = 1) -> tuple[float, float]:
    """Return the median and the least time of one call; ``before`` each batch of calls is off the clock."""
    times: list[float] = []
    with without_gc():
        end = time.perf_counter() + least
        while time.perf_counter() < end or len(times) < 5:
            before()
            start = time.perf_counter()
            for _ in range(calls):
                work()
            times.append((time.perf_counter() - start) / calls)
    return statistics.median(times), min(times)


def span(seconds: float | None) -> str:
    """Return a time in the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def timed(peer: str, problem: Problem, *, limit: float, least: float) -> Run:
    """Time one peer on one problem: once with a limit, and if it keeps that, the median of ``least`` seconds' worth."""
    package, prepare = PEERS[peer]
    if find_spec(package) is None:
        return Run(None, None, "not installed")
    if problem.has_numbers:
        return Run(None, None, "no numbers" if package == "pyperplan" else "no methods")
    limited, solve = prepare(problem, limit)
    try:
        with without_gc():
            cost = limited()
    except TooLong:
        return Run(None, None, f"> {limit:g} s")
    except RecursionError:
        return Run(None, None, "too deep")
    times: list[float] = []
    with without_gc():
        while sum(times) < least or len(times) < 3:
            start = time.perf_counter()
            solve()
            times.append(time.perf_counter() - start)
    return Run(statistics.median(times), cost)


def draw(growth: dict[str, Any], limit: float, file: Path) -> None:
    """Draw times against scale, one panel a family; a cross marks what was not done within the limit."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    colours = dict(zip(("Telos", *PEERS), ("#0b6e4f", "#8d99ae", "#e07a5f", "#b5838d", "#3d5a80"), strict=True))
    figure, panels = pyplot.subplots(1, len(METHODS) + 1, figsize=(13, 4.2), sharey=True, layout="constrained")
    for panel, family in zip(panels, (*METHODS, "gather"), strict=True):
        for name, colour in colours.items():
            done = [(scale, each) for scale, each in zip(SCALES, growth[family][name], strict=True) if each]
            style = {"lw": 3, "zorder": 3} if name == "Telos" else {"lw": 1.6}
            panel.plot([x for x, _ in done], [y for _, y in done], "o-", color=colour, label=name, ms=5, **style)
            late = [scale for scale, each in zip(SCALES, growth[family][name], strict=True) if not each]
            if done and late:
                aside = late[0] * 0.92 ** list(colours).index(name)  # side by side, so that none hides another
                panel.plot([aside], [limit], "x", color=colour, ms=8, mew=2.2, clip_on=False)
        if family not in METHODS:
            panel.text(
                0.5, 0.6, "counts: no peer here\nhandles it", ha="center", transform=panel.transAxes, color="#777"
            )
        panel.set(title=family, xscale="log", yscale="log", xlabel="size", ylim=(3e-7, limit * 1.6))
        panel.set_xticks(SCALES, [f"{scale}×" for scale in SCALES], minor=False)
        panel.minorticks_off()
        panel.grid(color="#e6e6e6")
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(
        [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1], ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "0.1 s", "1 s"]
    )
    panels[0].set_ylabel("one search (median)")
    figure.suptitle(f"How planning grows with the problem (× : not done within {limit:g} s)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(file, dpi=100)
