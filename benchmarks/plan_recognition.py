"""How good and how fast is recognition by planning on public problems? Telos, its bounds alone, and a plain method.

    python benchmarks/plan_recognition.py FOLDER [--only quick.csv] [--most 200] [--work 1000000] [--json]

FOLDER is a collection of goal-recognition problems with index.csv and labels.jsonl. Three ways run side by side on
every problem: Telos as it comes, Telos without searches, and the set of all goals whose cost difference is least
(Ramírez and Geffner, 2009), computed on the same bounds. Times are for a whole problem, files and grounding included,
by the clock on the wall and by the processor; compiling is not counted. With --work a search counts its work instead
of reading the clock, so that the answers are the same on every machine, however busy. *Proved* is the share of
problems of which no further search can change the goals that are returned.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from telos.recognition.strips.benchmark import PUBLISHED_SCORES, RecognitionSettings, recognize_case
from telos.recognition.strips.costs import GoalCosts
from telos.recognition.strips.problem import CaseLabel, RecognitionCase, read_cases, read_labels, read_shared_problem
from telos.recognition.strips.recognize import recognize

Answer = tuple[tuple[int, ...], bool]  # the goals, and whether they are proved


def by_telos(case: RecognitionCase, work: int | None) -> Answer:
    """Return the goals that Telos returns."""
    reading = recognize(read_shared_problem(case.place), case.observations, work=work)
    return reading.chosen, reading.complete


def by_bounds(case: RecognitionCase, work: int | None) -> Answer:
    """Return the goals that Telos returns without searching."""
    problem = read_shared_problem(case.place)
    if work is None:
        reading = recognize(problem, case.observations, budget=0)
    else:
        reading = recognize(problem, case.observations, work=0)
    return reading.chosen, reading.complete


def by_difference(case: RecognitionCase, work: int | None) -> Answer:
    """Return the goals for which following the observations costs least more than the best way, by bounds."""
    problem = read_shared_problem(case.place)
    observed = [choices for choices in map(problem.explaining, case.observations) if choices]
    best, seen = GoalCosts(problem).bounds, GoalCosts(problem, observed).bounds
    infinite = float("inf")
    extra = [high - low if high < infinite else infinite for low, high in zip(best, seen, strict=True)]
    return tuple(goal for goal, each in enumerate(extra) if each == min(extra) < infinite), False


WAYS: dict[str, Callable[[RecognitionCase, int | None], Answer]] = {
    "Telos": by_telos,
    "Telos, bounds only": by_bounds,
    "least cost difference": by_difference,
}


def measure(cases: Sequence[RecognitionCase], labels: dict[str, CaseLabel], work: int | None) -> list[dict[str, Any]]:
    """Return a row of figures for each way and kind of problem."""
    runs: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    recognize_case(cases[0], RecognitionSettings())  # compiles the kernels
    for case in track(cases, "recognising", transient=True, console=Console(stderr=True)):
        for way, choose in WAYS.items():
            start, used = time.perf_counter(), time.process_time()
            chosen, is_proved = choose(case, work)
            wall, used = time.perf_counter() - start, time.process_time() - used
            hit = bool(labels[case.id].real & set(chosen))
            kind = f"{case.source} {'noisy' if case.noisy else 'clean'}"
            runs.setdefault((kind, way), []).append(
                (hit, len(chosen), hit / max(1, len(chosen)), is_proved, wall, used)
            )
    return [_row(kind, way, rows) for (kind, way), rows in sorted(runs.items())]


def _row(kind: str, way: str, rows: list[tuple[float, ...]]) -> dict[str, Any]:
    hits, sizes, credits, proved, walls, used = zip(*rows, strict=True)
    quality = {"accuracy": fmean(hits), "spread": fmean(sizes), "credit": fmean(credits), "proved": fmean(proved)}
    return {
        "kind": kind,
        "way": way,
        "n": len(rows),
        **quality,
        "median_s": median(walls),
        "median_cpu_s": median(used),
    }


def show(rows: list[dict[str, Any]]) -> None:
    """Print the figures as a table, with the published ones."""
    table = Table(title="Recognition by planning", box=None, pad_edge=False)
    for heading in ("problems", "way", "n", "accuracy", "spread", "credit", "proved", "s", "cpu s", "ratio"):
        table.add_column(heading, justify="left" if heading in ("problems", "way") else "right", no_wrap=True)
    plain = {row["kind"]: row for row in rows if row["way"] == "least cost difference"}
    for row in rows:
        quality = f"{row['accuracy']:.3f}", f"{row['spread']:.2f}", f"{row['credit']:.3f}", f"{row['proved']:.0%}"
        ratio = row["credit"] / plain[row["kind"]]["credit"] if plain[row["kind"]]["credit"] else float("nan")
        times = f"{row['median_s']:.3f}", f"{row['median_cpu_s']:.3f}", f"{ratio:.2f}"
        table.add_row(row["kind"], row["way"], str(row["n"]), *quality, *times)
    for each in PUBLISHED_SCORES:
        table.add_row("lp clean", each.name, "", f"{each.accuracy:.3f}", f"{each.spread:.2f}", f"{each.credit:.3f}")
    console = Console(width=120, highlight=False)
    console.print(table)
    console.print(
        "s, cpu s: medians; ratio: of credit to that of the least cost difference; published figures: on other samples"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=Path, help="a table whose column id names the problems to take")
    parser.add_argument("--most", type=int, default=200, help="problems, evenly spread over those there are")
    parser.add_argument("--work", type=int, help="count the work of searches instead of 250,000 microseconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = read_cases(options.folder, options.only)
    cases = cases[:: max(1, len(cases) // options.most)]
    rows = measure(cases, read_labels(options.folder / "labels.jsonl"), options.work)
    if options.json:
        print(json.dumps(rows))
    else:
        show(rows)


if __name__ == "__main__":
    main()
