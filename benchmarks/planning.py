"""How fast is planning? Telos beside planners from the package index, on the same problems, in one run.

    python benchmarks/planning.py [--data FOLDER] [--seed 7] [--json] [--plot FILE] [--quick]

Machines are shared, so times are medians over many calls with the garbage collector held off; "least" is the quickest
batch. Every aim is printed with the figure that meets or misses it. ``--plot`` draws how the families grow.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numba
import numpy as np
from first_plan import first_use
from planning_peers import ELSEWHERE, PEERS, clocked, draw, missing, span, timed, without_gc
from planning_problems import FAMILIES, SCALES, Problem, change_of, crowd_of, domain, least_cost
from planning_problems import mixed, same_as, soldier

import telos
from telos.planning import kernel, native
from telos.planning.plan import planner_of
from telos.planning.planner import Prepared

AIMS = {"chain10": 2e-6, "toggle6": 2e-6, "soldier": 4e-6, "multi5": 100e-6, "gather": 20e-6}
FRAME = 4e-3  # seconds
Figures = dict[str, Any]
Say = Callable[[str], None]


class Effort(NamedTuple):
    """How much to measure."""

    least: float  # seconds for a figure
    limit: float  # seconds for one search of a peer
    changes: int
    frames: int
    repeats: int


FULL, QUICK = Effort(0.3, 3.0, 120, 3000, 5), Effort(0.05, 0.5, 30, 600, 2)


def judged(figures: Figures, say: Say, what: str, value: float, limit: float, shown: str) -> None:
    """Print an aim beside its figure, and note whether it is met; at most ``limit`` is meant."""
    met = value <= limit
    figures.setdefault("aims", []).append({"aim": what, "value": value, "limit": limit, "met": met})
    say(f"  {'met   ' if met else 'MISSED'} {what}: {shown}")


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


def prepared_for(problem: Problem, made: telos.Domain) -> tuple[Prepared, Any, Any]:
    planner, state = planner_of(made, None), made.state(problem.start)
    handles = planner.handles(state, {})
    prepared = planner.prepared(made.goal(problem.name), state, handles)
    words, numbers = prepared.reader.read(state.array, handles)
    return prepared, np.array(words, np.int64), np.array(numbers, np.float64)


def inside(problem: Problem, made: telos.Domain, loop: Any, least: float) -> tuple[float, float]:
    """Return the median and the least time of one search, measured inside compiled code."""
    prepared, words, numbers = prepared_for(problem, made)
    runner = prepared.engine.compiled
    space = runner.room()

    def search(count: int) -> int:
        given = (words, numbers, space.words, space.numbers, count)
        return int(loop(*runner.task(), space.ints, space.floats, *given))

    while search(1) == kernel.FULL:
        space = runner.room(larger=True)
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
        forget = planner_of(made, None)._remembered.clear
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
        judged(figures, say, f"{name} telos.plan ≤ 10 µs more", whole - middle, 10e-6, span(whole - middle))
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
                    f"{problem.name:8} × {scale} {kind:7} {len(some):4}: {middle:6.1f}× median, {mean:6.1f}× mean,"
                    f" {kept:4.0%} without a search"
                )
                if kind == "all":
                    judged(figures, say, f"{problem.name} × {scale} ≥ 5×, median", 5 / middle, 1, f"{middle:.1f}×")
    return figures


def one_change(problem: Problem, made: telos.Domain, route: Any, rng: Random) -> tuple[float, float, bool, bool]:
    """Return the times of an update and of planning afresh, whether the change matters, and needs no search."""
    state = made.state(problem.start)
    for step in route.steps[: rng.randrange(len(route.steps))]:
        state = step.result(state)
    before = dict(state)
    change = change_of(problem, before, rng)
    after = {**before, **change}
    mind, forget = telos.Replanner(made, problem.name, before), planner_of(made, None)._remembered.clear
    known, back = dict(mind._seen), {name: before[name] for name in change}

    def put_back() -> None:
        mind._seen = dict(known)
        mind.update(back)
        mind._seen = {}

    put_back()
    searches = mind.searches
    mind.update(change)
    kept = mind.searches == searches
    own = clocked(lambda: mind.update(change), put_back, 0.0)[0]
    fresh = clocked(lambda: telos.plan(made, after, problem.name), forget, 0.0)[0]
    assert mind.answer.cost == telos.plan(made, after, problem.name).cost, f"{problem.name}: {change} from {before}"
    return own, fresh, any(name in mind._relevant for name in change), kept


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


def crowd(agents: int, scale: int, effort: Effort, seed: int, say: Say) -> Figures:
    """Return how long a crowd takes, with one thread and two, and to look at all of its plans."""
    problem = soldier(scale)
    made, columns = domain(problem), crowd_of(agents, scale, np.random.default_rng(seed))
    figures: Figures = {}
    for threads in (1, 2):
        times: list[tuple[float, float]] = []
        for _ in range(4 * effort.repeats + 1):  # the first one is not counted
            with without_gc():
                start = time.perf_counter()
                plans = telos.plan_many(made, columns, problem.name, threads=threads)
                planned = time.perf_counter()
                answers = list(plans)
                times.append((planned - start, time.perf_counter() - planned))
        planning, looking = (statistics.median(column) for column in zip(*times[1:], strict=True))
        figures[f"threads {threads}"] = {"plan_many": planning, "look": looking, "rate": agents / (planning + looking)}
        say(
            f"soldier × {scale}, {agents:,} agents, {threads} threads: {span(planning)}, and {span(looking)} to look at"
            f" all plans: {agents / (planning + looking):,.0f} plans a second"
        )
        if (agents, scale, threads) == (10_000, 1, 2):
            total = planning + looking
            judged(figures, say, "10,000 soldiers, full plans out, ≤ 10 ms on two cores", total, 10e-3, span(total))
    for agent in range(0, agents, max(1, agents // 50)):
        alone = telos.plan(made, {name: bool(column[agent]) for name, column in columns.items()}, problem.name)
        assert alone.cost == answers[agent].cost, f"agent {agent}: {alone.cost} alone, {answers[agent].cost} in a crowd"
    figures["situations"] = len({id(answer) for answer in answers})
    say(f"  {figures['situations']:,} different situations; a sample of 50 agents costs the same as planned alone")
    return figures


def scheduler(effort: Effort, rng: Random, say: Say) -> Figures:
    """Return how well frames keep their budget under soldiers in each and a hard puzzle now and then."""
    made = mixed()
    lamps = [each.name for each in made.variables if each.name.startswith("lamp_") and each.name != "lamp_on"]
    work = telos.Scheduler(telos.Planner(made))
    tickets, over, extra = [], list[float](), 0
    while extra == 0 or len(work):
        frame = len(over) + extra
        if frame < effort.frames:
            tickets += [work.ask({"has_key": rng.random() < 0.5}, "soldier") for _ in range(4)]
            if frame % 200 == 0:
                tickets.append(work.ask({lamp: rng.random() < 0.5 for lamp in lamps}, "dark"))
        with without_gc():
            start = time.perf_counter()
            work.run(FRAME * 1e6)
            used = time.perf_counter() - start
        if len(work):  # otherwise there was nothing left to do, and the frame ended early
            over.append(used / FRAME - 1.0)
        else:
            extra += 1
    half, most, worst = (float(np.percentile(over, share)) for share in (50, 99, 100))
    waited = max(ticket.waited for ticket in tickets)
    figures: Figures = {"p50": half, "p99": most, "max": worst, "waited": waited, "tickets": len(tickets)}
    figures["answered"], figures["busy frames"] = sum(ticket.done for ticket in tickets), len(over)
    say(f"{len(over):,} frames of 4 ms worked to the end, {extra:,} ended early; overshoot {half:.1%} at p50,")
    say(f"  {most:.1%} at p99, {worst:.0%} at most; the longest wait was {waited} frames;")
    say(f"  {figures['answered']:,} of {len(tickets):,} requests answered")
    judged(figures, say, "overshoot p99 < 10 %", most, 0.1, f"{most:.1%}")
    judged(figures, say, "all answered", len(tickets) - figures["answered"], 0, f"{figures['answered']:,}")
    return figures


def first(effort: Effort, say: Say) -> Figures:
    """Return how long a fresh process takes to its first plan."""
    figures: Figures = dict(first_use(effort.repeats))
    for way, each in figures.items():
        warming = f", of which warm_up() {span(each['warm_up'])}" if each["warm_up"] else ", Numba not loaded"
        say(f"{way:22} {span(each['from_start'])} from process start, {span(each['from_import'])} from import{warming}")
    warm = figures["compiled, warm"]["from_start"]
    judged(figures, say, "first plan, kernel cache warm, ≤ 1 s from process start", warm, 1.0, span(warm))
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
    loop = loop_of(native.load().begin_search)
    sections: dict[str, Callable[[], Figures]] = {
        "one plan": lambda: single(effort, loop, say),
        "one changed fact": lambda: changed(effort, rng, say),
        "growth at 1×, 2×, 4×, 8×": lambda: growth(effort, loop, say),
        "a crowd": lambda: crowd(10_000, 1, effort, options.seed, say),
        "a crowd whose situations differ": lambda: crowd(10_000, 2, effort, options.seed, say),
        "scheduler": lambda: scheduler(effort, rng, say),
        "first use": lambda: first(effort, say),
    }
    figures: Figures = {}
    for title, section in sections.items():
        print(f"... {title}", file=sys.stderr)
        say(f"\n{title}")
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
