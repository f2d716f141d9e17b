"""The planner's benchmark, second half: crowds, frames and first use; and how figures are judged."""

import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
from first_plan import first_use
from planning_peers import span, without_gc
from planning_problems import crowd_of, domain, mixed, soldier

import telos

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
        if scale > 1 and threads == 2:
            rate = agents / planning
            aim = "10,000 different soldiers, plans built lazily, ≥ 500,000 a second"
            judged(figures, say, aim, 500_000 / rate, 1, f"{rate:,.0f}")
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
    while (frame := len(over) + extra) < effort.frames or len(work):
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
    plain = figures["plain Python"]["from_import"]
    judged(figures, say, "first plan of a process, from import, ≤ 200 ms", plain, 0.2, span(plain))
    warm = figures["compiled, warm"]["from_start"]
    judged(figures, say, "first plan, kernel cache warm, ≤ 1 s from process start", warm, 1.0, span(warm))
    return figures
