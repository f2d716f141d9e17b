"""How fast is planning? Telos beside planners from the package index, on the same problems, in one run.

    python benchmarks/planning.py [--data FOLDER] [--seed 7] [--json] [--plot FILE] [--quick]

Machines are shared, so times are medians over many calls with the garbage collector held off; "least" is the quickest
batch. Every aim is printed with the figure that meets or misses it. ``--plot`` draws how the families grow.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numba
import numpy as np
from planning_crowds import FULL, QUICK, Effort, Figures, Say, crowd, first, judged, scheduler
from planning_functions import functions
from planning_peers import ELSEWHERE, PEERS, clocked, draw, missing, span, timed
from planning_problems import FAMILIES, SCALES, Problem, change_of, domain, least_cost, same_as

import telos
from telos.planning import kernel, search
from telos.planning.planner import PreparedGoal, get_planner

AIMS = {"chain10": 2e-6, "toggle6": 2e-6, "soldier": 4e-6, "multi5": 100e-6, "gather": 20e-6}


def loop_of(begin: Any) -> Any:
    """Return a compiled loop around the compiled search, so that no call from Python is counted."""

    def loop(ti: Any, tf: Any, wi: Any, wf: Any, words: Any, numbers: Any, at: int, to: int, count: int) -> int:
        status = 0
        for _ in range(count):
            wi[at : at + len(words)] = words
            wf[to : to + len(numbers)] = numbers
            status = begin(ti, tf, wi, wf, 1.0, 200_000)
        return status

    return numba.njit(loop)


def prepared_for(problem: Problem, made: telos.Domain) -> tuple[PreparedGoal, Any, Any]:
    planner, state = get_planner(made, None), made.state(problem.start)
    handles = planner.handles(state, {})
    prepared = planner.prepare(made.goal(problem.name), state, handles)
    words, numbers = prepared.reader.read(state.array, handles)
    return prepared, np.array(words, np.int64), np.array(numbers, np.float64)


def inside(problem: Problem, made: telos.Domain, loop: Any, least: float) -> tuple[float, float]:
    """Return the median and the least time of one search, measured inside compiled code."""
    prepared, words, numbers = prepared_for(problem, made)
    runner = prepared.engine.compiled
    space = runner.acquire_workspace()

    def search(count: int) -> int:
        given = (words, numbers, space.words, space.numbers, count)
        return int(loop(*runner.task(), space.ints, space.floats, *given))

    while search(1) == kernel.WORKSPACE_FULL:
        move = runner.grow(space)
        move.resume(space.nodes)
        space = move.workspace
    start = time.perf_counter()
    search(10)
    count = max(1, int(2e-3 / ((time.perf_counter() - start) / 10)))
    middle, quickest = clocked(lambda: search(count), lambda: None, least)
    return middle / count, quickest / count


def single(effort: Effort, loop: Any, say: Say) -> Figures:
    """Return the figures of the five problems at scale 1, peers beside them."""
    figures: Figures = {}
    say(f"{'':8} {'inside':>9} {'least':>9} {'telos.plan':>10} {'around it':>9} {'cache hit':>9}  cost (nodes)")
    for make in FAMILIES.values():
        problem = make(1)
        made = domain(problem)
        forget = get_planner(made, None)._remembered.clear
        name, start = problem.name, problem.start
        middle, quickest = inside(problem, made, loop, effort.least)
        whole, _ = clocked(lambda m=made, s=start, n=name: telos.plan(m, s, n), forget, effort.least)  # type: ignore[misc]
        hit, _ = clocked(lambda m=made, s=start, n=name: telos.plan(m, s, n), list, effort.least, 1000)  # type: ignore[misc]
        answer, oracle = telos.plan(made, start, name), least_cost(problem)
        assert answer.cost == oracle, f"{name}: {answer} against {oracle}"
        peers = {peer: timed(peer, problem, limit=20.0, least=effort.least) for peer in PEERS}
        say(
            f"{name:8} {span(middle):>9} {span(quickest):>9} {span(whole):>10} {span(whole - middle):>9} {span(hit):>9}"
            f"  {answer.cost:g} ({answer.expanded}), the oracle's: proven optimal"
        )
        judged(figures, say, f"{name} inside the search ≤ {span(AIMS[name])}", middle, AIMS[name], span(middle))
        judged(figures, say, f"{name} telos.plan ≤ 5 µs around it", whole - middle, 5e-6, span(whole - middle))
        judged(figures, say, f"{name} cache hit ≤ 2 µs", hit, 2e-6, span(hit))
        for peer, run in peers.items():
            ratio = (
                f"{run.seconds / whole:,.0f}× telos.plan, {run.seconds / middle:,.0f}× inside" if run.seconds else ""
            )
            say(f"         {peer:20} {run.note or span(run.seconds):>12}  {ratio}")
        own = {"inside": middle, "inside_least": quickest, "plan": whole, "hit": hit, "nodes": answer.expanded}
        figures[name] = {**own, "cost": answer.cost, "peers": {peer: run._asdict() for peer, run in peers.items()}}
    say("Measured elsewhere, on another machine, search alone (±1.7×; not from this run):")
    for planner, row in ELSEWHERE.items():
        say(f"         {planner:20} " + " ".join(f"{row.get(make(1).name, '-'):>12}" for make in FAMILIES.values()))
    return figures


def changed(effort: Effort, rng: Random, say: Say) -> Figures:
    """Return what one changed fact costs a replanner, beside planning afresh, somewhere along a plan."""
    figures: Figures = {}
    for scale in (1, 8):
        for make in FAMILIES.values():
            problem = make(scale)
            made = domain(problem)
            route = telos.plan(made, problem.start, problem.name, budget=2000)
            if not route.found:
                say(f"{problem.name:8} × {scale}: left out, no plan within 2,000 nodes")
                continue
            rows = [one_change(problem, made, route, rng) for _ in range(effort.changes)]
            every = {"all": rows, "matter": [r for r in rows if r[2]], "do not": [r for r in rows if not r[2]]}
            for kind, some in ((kind, some) for kind, some in every.items() if some):
                middle = statistics.median(fresh / own for own, fresh, _, _ in some)
                mean = sum(row[1] for row in some) / sum(row[0] for row in some)
                kept = sum(row[3] for row in some) / len(some)
                figures[f"{problem.name} × {scale}, {kind}"] = {"median": middle, "mean": mean, "kept": kept}
                say(
                    f"{problem.name:8} × {scale} {kind:7} {len(some):4}: {middle:6.1f}× median, {mean:6.1f}× by sums,"
                    f" {kept:4.0%} without a search"
                )
                for way, ratio in (("median", middle), ("by sums", mean)) if kind == "all" else ():
                    judged(figures, say, f"{problem.name} × {scale} ≥ 5×, {way}", 5 / ratio, 1, f"{ratio:.1f}×")
    return figures


def one_change(problem: Problem, made: telos.Domain, route: Any, rng: Random) -> tuple[float, float, bool, bool]:
    """Return the times of an update and of planning afresh, whether the change matters, and needs no search."""
    state = made.state(problem.start)
    for step in route.steps[: rng.randrange(len(route.steps))]:
        state = step.result(state)
    before = dict(state)
    change = change_of(problem, before, rng)
    after = {**before, **change}
    mind, forget = telos.Replanner(made, problem.name, before), get_planner(made, None)._remembered.clear
    back = {name: before[name] for name in change}

    def put_back() -> None:
        mind.update(back)
        mind.forget()

    put_back()
    searches = mind.searches
    mind.update(change)
    kept = mind.searches == searches
    own = clocked(lambda: mind.update(change), put_back, 0.0)[0]
    fresh = clocked(lambda: telos.plan(made, after, problem.name), forget, 0.0)[0]
    alone = telos.plan(made, after, problem.name)
    is_same = mind.answer.cost == alone.cost or (alone.found, mind.answer.found) == (False, True)  # its budget is spent
    assert is_same, f"{problem.name}: {change} from {before}"
    return own, fresh, any(map(mind.depends_on, change)), kept


def growth(effort: Effort, loop: Any, say: Say) -> Figures:
    """Return times by family, planner and scale; None where a search was not done in time."""
    figures: Figures = {}
    for family, make in FAMILIES.items():
        rows: dict[str, list[float | None]] = {name: [] for name in ("Telos", *PEERS)}
        for scale in SCALES:
            problem = make(scale)
            made = domain(problem)
            answer = telos.plan(made, problem.start, problem.name, microseconds=effort.limit * 1e6, budget=10**7)
            assert not answer.found or answer.cost == problem.optimal
            rows["Telos"].append(inside(problem, made, loop, effort.least)[0] if answer.found else None)
            for peer in PEERS:
                gone = rows[peer] and rows[peer][-1] is None  # what was too much at half the size is so now
                run = None if gone else timed(peer, problem, limit=effort.limit, least=0.02)
                rows[peer].append(run.seconds if run else None)
            print(f"  {family} × {scale}: {answer.expanded} nodes", file=sys.stderr)
            figures.setdefault("nodes", {}).setdefault(family, []).append(answer.expanded)
        figures[family] = rows
        for name, row in rows.items():
            say(f"{family:8} {name:20} " + " ".join(f"{span(each):>9}" for each in row))
        say(f"{family:8} {'  nodes of Telos':20} " + " ".join(f"{each:>9,}" for each in figures["nodes"][family]))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="a folder with the JSON files of the problems, to compare with")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, help="where to draw how the families grow")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, under a minute")
    options = parser.parse_args()
    effort, rng = QUICK if options.quick else FULL, Random(options.seed)
    say: Say = (lambda line: None) if options.json else print
    for line in same_as(options.data) if options.data else ():
        say(line)
    for package in missing():
        say(f"{package} is not installed, and left out (pip install {package})")
    telos.warm_up()
    loop = loop_of(search.load_compiled().begin_search)
    sections: dict[str, Callable[[], Figures]] = {
        "one plan": lambda: single(effort, loop, say),
        "one changed fact": lambda: changed(effort, rng, say),
        "growth at 1×, 2×, 4×, 8×": lambda: growth(effort, loop, say),
        "a crowd": lambda: crowd(10_000, 1, effort, options.seed, say),
        "a crowd whose situations differ": lambda: crowd(10_000, 2, effort, options.seed, say),
        "functions of the game": lambda: functions(effort, options.seed, say),
        "scheduler": lambda: scheduler(effort, rng, say),
        "first use": lambda: first(effort, say),
    }
    figures: Figures = {}
    for title, section in sections.items():
        print(f"... {title}", file=sys.stderr)
        say(f"\n{title}")
        gc.collect()
        figures[title] = section()
    if options.plot:
        draw(figures["growth at 1×, 2×, 4×, 8×"], effort.limit, options.plot)
    aims = [aim for section in figures.values() for aim in section.get("aims", ())]
    say(f"\n{sum(aim['met'] for aim in aims)} of {len(aims)} aims met")
    if options.json:
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
