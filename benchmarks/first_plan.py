"""How long until the first plan in a fresh process? Plain Python at once, compiled from the cache, compiled anew.

    python benchmarks/first_plan.py [--repeats 5] [--json]

Each figure comes from processes of their own. "Cold" gives Numba an empty folder for its cache, "warm" the same folder
again. Times are medians from the start of the process, the interpreter's own included, and from ``import telos`` on;
building the soldier domain is part of both.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any


def in_this_process(started: float, *, compiled: bool) -> dict[str, Any]:
    """Plan for the soldier for the first time, and say when what was done; ``started`` is by the wall clock."""
    begun = time.perf_counter()
    before = time.time() - started
    import telos

    warmed = 0.0
    if compiled:
        at = time.perf_counter()
        telos.warm_up()
        warmed = time.perf_counter() - at
    from planning_problems import domain, soldier

    problem = soldier()
    answer = telos.plan(domain(problem), problem.start, problem.name)
    done = time.perf_counter() - begun
    return {
        "from_start": before + done,
        "from_import": done,
        "warm_up": warmed,
        "cost": answer.cost,
        "numba_loaded": "numba" in sys.modules,
    }


def fresh(*, compiled: bool, cache: str) -> dict[str, Any]:
    """Do that in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    words = [sys.executable, __file__, "--child", "compiled" if compiled else "plain", "--started", repr(time.time())]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    if found["cost"] != 10.0 or found["numba_loaded"] != compiled:
        raise RuntimeError(f"the first plan was not as it should be: {found}")
    return found


def first_use(repeats: int = 5, colds: int = 1) -> dict[str, dict[str, float]]:
    """Return the medians of every way to a first plan."""
    runs: dict[str, list[Mapping[str, Any]]] = {"plain Python": [], "compiled, cache cold": [], "compiled, warm": []}
    for cold in range(colds):
        with tempfile.TemporaryDirectory() as cache:
            runs["compiled, cache cold"].append(fresh(compiled=True, cache=cache))
            for _ in range(repeats if cold == 0 else 0):
                runs["compiled, warm"].append(fresh(compiled=True, cache=cache))
                runs["plain Python"].append(fresh(compiled=False, cache=cache))
    parts = ("from_start", "from_import", "warm_up")
    return {way: {part: statistics.median(run[part] for run in each) for part in parts} for way, each in runs.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=("plain", "compiled"), help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(in_this_process(options.started, compiled=options.child == "compiled")))
        return 0
    found = first_use(options.repeats)
    if options.json:
        print(json.dumps(found))
        return 0
    for way, each in found.items():
        print(f"{way:22} {each['from_start']:.2f} s from process start, {each['from_import']:.2f} s from import")
        if each["warm_up"]:
            print(f"{'':22} of which warm_up() {each['warm_up']:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
