"""How fast does a log of five million rows go the whole road? Beliefs, training, scores and corpora, beside polars.

    python benchmarks/telemetry.py [--rows 5000000] [--seed 7] [--format parquet|csv|jsonl] [--json] [--quick]

The log is simulated: players with sessions of some hundred actions, facts of the game, a goal that is pursued and
achieved now and then. It is written to a file first, so that reading counts. Every step runs in a process of its own
(so that its memory is its own), twice, and the faster run counts: the first may compile. Beside them: polars' own
group-by that counts actions by goal in the same file (count), and the very counts of training, written by hand in
polars (count_same); training is compared with both. Then the same beliefs one event at a time, on a sample, and a plain
loop that labels rows, which preparing is compared with. Figures are seconds by the clock on the wall, seconds of the
processors (which say what a machine would do if nobody else used it: both cores together), and the largest memory that
the process ever held.
"""

import argparse
import csv
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

import telos
from telos.recognition import create_recognizer, load_model, loads_model, named_model, save_model
from telos.telemetry import open_model_log, prepare, write_table
from telos.telemetry.bulk import ScoreCounts, TrainingCounts, create_reader, trained_model
from telos.telemetry.bulk.batches import check_frame
from telos.telemetry.bulk.live import iter_events
from telos.telemetry.bulk.reading import belief_columns
from telos.telemetry.columns import loads_columns
from telos.telemetry.writing import write_batches

ROWS, SESSION = 5_000_000, 250
GOALS = ["fish", "mine", "sell", "build"]
COLUMNS = """
columns: benchmark
time: time
player: player
session: session
action: action
achieved: achieved
truth: truth
context: {near: {column: distance, type: int}, health: int, loc: text}
features: {loc: loc, near: distance, health: health}
bins: {near: [0, 1, 3, 8]}
"""
MODEL = """
recognizer: iohmm
name: benchmark
goals: [fish, mine, sell, build]
actions: [act_0, act_1, act_2, act_3, act_4, act_5, act_6, act_7, act_8, act_9]
context: {near: int, health: int, loc: text}
transitions:
  lasts: 30 updates
  when:
    - if: goal == fish
      from any: {sell: 0.7, others: shared}
observations:
  casts: action == act_0 and near < 3
  digs: action == act_1
  offers: action == act_2 or action == act_3
  weak: health < 2
  at_home: loc == place_0
  far: near >= 10
  other: true
"""
LOGIC = """
action(time, act)
near(time, place)
goal(time, goal!)
0.0 goal(t, +g)
1.2 action(t, "act_0") => goal(t, "fish")
0.9 action(t, "act_1") => goal(t, "mine")
0.8 action(t, "act_2") => goal(t, "sell")
0.6 action(t, "act_3") => goal(t, "build")
1.5 goal(t, g) => goal(t + 1, g)
"""
AIMS = {"beliefs": 5.0, "evaluate": 5.0}  # seconds for five million rows
AIM_GIGABYTES, AIM_TRAINING, AIM_LOGIC, AIM_OBSERVE = 1.0, 10.0, 300_000.0, 3.0


def simulated(rows: int, seed: int) -> pl.DataFrame:
    """Return a table of ``rows`` invented events; actions lean to the goal that is pursued."""
    rng = np.random.default_rng(seed)
    place = np.arange(rows)
    session = place // SESSION
    truth = rng.integers(0, len(GOALS), rows // 50 + 1)[place // 50]
    action = np.where(rng.random(rows) < 0.4, truth, rng.integers(0, 10, rows))
    labels = pl.Series(GOALS).gather(truth)
    names = pl.DataFrame({"session": session, "player": session // 4}).select(
        player=pl.format("player-{}", "player"), session=pl.format("s{}", "session")
    )
    return names.with_columns(
        time=pl.Series((place % SESSION) * 0.5),
        action=_labels("act", action),
        loc=_labels("place", rng.integers(0, 8, rows)),
        distance=pl.Series(rng.integers(0, 12, rows)),
        health=pl.Series(rng.integers(0, 5, rows)),
        truth=labels,
        achieved=pl.select(pl.when(pl.Series(place % 50 == 49)).then(labels)).to_series(),
    )


def _labels(word: str, codes: Any) -> pl.Series:
    return pl.select(pl.format(f"{word}_{{}}", pl.Series(codes))).to_series()


# --- steps ------------------------------------------------------------------------------------------------------------


def make(folder: Path, name: str, rows: int, seed: int) -> dict[str, Any]:
    """Write the log, the column file and the models; the model of the beliefs is trained on a small log."""
    write_table(simulated(rows, seed), folder / name)
    (folder / "columns.yaml").write_text(COLUMNS, encoding="utf-8")
    (folder / "start.yaml").write_text(MODEL, encoding="utf-8")
    (folder / "goals.mln").write_text(LOGIC, encoding="utf-8")
    small = simulated(50_000, seed + 1)
    save_model(telos.train(loads_model(MODEL), small, columns=loads_columns(COLUMNS)), folder / "model.yaml")
    return {}


def count(folder: Path, name: str) -> None:
    """Let polars count actions by goal and place by goal: what training by counting has to do at the least."""
    table = _scan(folder / name)
    table.group_by("truth", "action", "loc").len().collect(engine="streaming")


def count_same(folder: Path, name: str) -> None:
    """Count by hand in polars what training counts: symbols by goal, and which goal followed which."""
    action, near = pl.col("action"), pl.col("distance")
    symbol = (
        pl.when((action == "act_0") & (near < 3)).then(pl.lit("casts"))
        .when(action == "act_1").then(pl.lit("digs"))
        .when(action.is_in(["act_2", "act_3"])).then(pl.lit("offers"))
        .when(pl.col("health") < 2).then(pl.lit("weak"))
        .when(pl.col("loc") == "place_0").then(pl.lit("at_home"))
        .when(near >= 10).then(pl.lit("far"))
        .otherwise(pl.lit("other"))
    )  # fmt: skip
    before = pl.col("truth").shift(1).over("player", "session")
    case = (pl.col("achieved") == "fish").fill_null(False)
    table = _scan(folder / name).select("truth", symbol.alias("symbol"), before.alias("before"), case.alias("case"))
    seen = table.group_by("truth", "symbol").len()
    followed = table.group_by("case", "before", "truth").len()
    found = dict(zip(("seen", "followed"), pl.collect_all([seen, followed]), strict=True))
    if (folder / "trained.yaml").exists():  # they have to be the same counts
        counted = load_model(folder / "trained.yaml").counts.seen  # type: ignore[union-attr]
        ours = {(goal, symbol): count for goal, row in counted.items() for symbol, count in row.items() if count}
        if ours != {(goal, symbol): count for goal, symbol, count in found["seen"].rows()}:
            raise SystemExit("polars and Telos do not count the same")


def _scan(file: Path) -> pl.LazyFrame:
    if file.suffix == ".parquet":
        return pl.scan_parquet(file)
    return pl.scan_csv(file) if file.suffix == ".csv" else pl.scan_ndjson(file)


def beliefs(folder: Path, name: str, model: str = "model.yaml") -> None:
    """Read all players, and write the belief after each event as Parquet."""
    loaded = named_model(folder / model)
    log = open_model_log(folder / name, [loaded], folder / "columns.yaml")
    reader = create_reader(loaded)

    def found() -> Any:
        for batch in log.batches():
            checked = check_frame(batch)
            found, _ = reader.beliefs(checked)
            yield checked.select("row", "player", "time").with_columns(belief_columns(reader.goals, found))

    write_batches(found(), folder / "beliefs.parquet")


def train(folder: Path, name: str) -> None:
    """Train the model by counting."""
    model = load_model(folder / "start.yaml")
    counts = TrainingCounts(model)  # type: ignore[arg-type]
    for batch in open_model_log(folder / name, [model], folder / "columns.yaml", labelled=True).batches():
        counts.count(batch)
    save_model(trained_model(model, counts.table), folder / "trained.yaml")  # type: ignore[arg-type]


def evaluate(folder: Path, name: str) -> None:
    """Score the model."""
    model = load_model(folder / "model.yaml")
    counts = ScoreCounts({"model": model})
    for batch in open_model_log(folder / name, [model], folder / "columns.yaml", labelled=True).batches():
        counts.count(batch)
    _ = counts.table


def make_corpus(folder: Path, name: str) -> None:
    """Prepare a corpus."""
    prepare(folder / name, folder / "columns.yaml")


def logic(folder: Path, name: str) -> None:
    """Read all players by formulas of Markov logic."""
    beliefs(folder, name, "goals.mln")


STEPS: dict[str, Callable[[Path, str], None]] = {
    "count": count,
    "count_same": count_same,
    "beliefs": beliefs,
    "train": train,
    "evaluate": evaluate,
    "prepare": make_corpus,
    "logic": logic,
}


def run_step(step: str, folder: Path, name: str) -> dict[str, float]:
    """Run a step twice in this process; the faster run counts."""
    seconds, processors = [], []
    for _ in range(2):
        start, used = time.perf_counter(), time.process_time()
        STEPS[step](folder, name)
        seconds.append(time.perf_counter() - start)
        processors.append(time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    times = {"seconds": min(seconds), "first_seconds": seconds[0], "processor_seconds": min(processors)}
    return {**times, "peak_gigabytes": peak}


def in_own_process(step: str, folder: Path, name: str, rows: int, seed: int) -> dict[str, float]:
    """Run a step in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--name", name]
    command += ["--rows", str(rows), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{step} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


# --- one event at a time ----------------------------------------------------------------------------------------------


def by_event(folder: Path, rows: int, seed: int) -> dict[str, float]:
    """Read a sample one event at a time: microseconds an event, and how far the beliefs are from those in columns."""
    model = load_model(folder / "model.yaml")
    frame = check_frame(open_model_log(simulated(rows, seed), [model], folder / "columns.yaml").collect())
    events = list(iter_events(frame, ("near", "health", "loc")))
    live: dict[tuple[str, str], Any] = {}
    readers = [live.setdefault((event.player, session), create_recognizer(model)) for session, event in events]
    best = used = math.inf
    for _ in range(5):
        for reader in live.values():
            reader.reset()
        start, started = time.perf_counter(), time.process_time()
        for reader, (_, event) in zip(readers, events, strict=True):
            reader.observe(event)
        best, used = min(best, time.perf_counter() - start), min(used, time.process_time() - started)
    for reader in live.values():
        reader.reset()
    said = np.array([tuple(reader.observe(event).values()) for reader, (_, event) in zip(readers, events, strict=True)])
    columns, _ = create_reader(model).beliefs(frame)
    times = {"observe_microseconds": best, "observe_processor_microseconds": used}
    times = {name: seconds / len(events) * 1e6 for name, seconds in times.items()}
    return {**times, "largest_difference": float(np.abs(said - columns).max())}


def by_loop(path: Path) -> int:
    """Label the rows of a CSV file with the next goal achieved, the plain way; return how many are kept."""
    sequences: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sequences.setdefault((row["player"], row["session"]), []).append(row)
    found = []
    for (player, session), events in sequences.items():
        goal, kept = "", []
        for event in reversed(events):
            if event["achieved"]:
                goal = event["achieved"]
            elif goal:
                near = bin_of(int(event["distance"]))
                kept.append({"player": player, "session": session, "near": near, "loc": event["loc"], "goal": goal})
        found += kept[::-1]
    return len(found)


def bin_of(distance: int) -> str:
    """Return the name of the bin of a distance."""
    return "0" if distance < 1 else "1-2" if distance < 3 else "3-7" if distance < 8 else "8+"


def sampled(folder: Path, rows: int, seed: int) -> dict[str, float]:
    """Prepare a sample as CSV, and by the loop; both in rows a second."""
    path = folder / "sample.csv"
    write_table(simulated(rows, seed), path)
    start = time.perf_counter()
    corpus = prepare(path, folder / "columns.yaml", folds=2)
    ours = rows / (time.perf_counter() - start)
    start = time.perf_counter()
    kept = by_loop(path)
    loop = rows / (time.perf_counter() - start)
    if kept != corpus.frame.height:
        sys.exit("the loop and Telos do not agree")
    return {"sample_rows_a_second": ours, "loop_rows_a_second": loop}


# --- showing ----------------------------------------------------------------------------------------------------------


def measure(folder: Path, name: str, rows: int, seed: int) -> dict[str, Any]:
    """Run all steps."""
    in_own_process("make", folder, name, rows, seed)
    order = ["train", *(step for step in STEPS if step != "train")]
    found = {step: in_own_process(step, folder, name, rows, seed) for step in order}
    steps = {step: found[step] for step in STEPS}
    sample = min(rows, 100_000)
    return {"rows": rows, "steps": steps, **by_event(folder, sample, seed), **sampled(folder, sample, seed)}


def show(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    rows, steps = figures["rows"], figures["steps"]
    table = Table(title=f"{rows:,} rows of a simulated log, file to file", title_justify="left")
    for head in ("step", "seconds", "of processors", "M rows/s", "peak GB", "× count", "× count_same", "aim"):
        table.add_column(head, justify="left" if head in ("step", "aim") else "right")
    for step, found in steps.items():
        aim = f"≤ {AIMS[step] * rows / ROWS:.1f} s" if step in AIMS else ""
        if step == "beliefs":
            aim += f", ≤ {AIM_GIGABYTES:g} GB"
        aim = {"train": f"≤ {AIM_TRAINING:g} × count", "logic": f"≥ {AIM_LOGIC / 1e6:g} M rows/s"}.get(step, aim)
        ratios = [f"{found['seconds'] / steps[each]['seconds']:.1f}" for each in ("count", "count_same")]
        times = f"{found['seconds']:.2f}", f"{found['processor_seconds']:.2f}"
        shown = (*times, f"{rows / found['seconds'] / 1e6:.2f}", f"{found['peak_gigabytes']:.2f}")
        table.add_row(step, *shown, *ratios, aim)
    console = Console()
    console.print(table)
    live, used = figures["observe_microseconds"], figures["observe_processor_microseconds"]
    console.print(f"live observe: {live:.2f} µs, {used:.2f} of the processor (aim ≤ {AIM_OBSERVE:g})")
    console.print(
        f"beliefs in columns differ from those of live readers by {figures['largest_difference']:.0e} at most"
    )
    console.print(
        f"prepare, 100,000 rows as CSV: {figures['sample_rows_a_second'] / 1e6:.2f} M rows/s; a plain loop:"
        f" {figures['loop_rows_a_second'] / 1e6:.2f} M rows/s"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--format", choices=["parquet", "csv", "jsonl"], default="parquet")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--step", choices=["make", *STEPS], help="run one step in this process (internal)")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--name", default="")
    options = parser.parse_args()
    if options.step == "make":
        print(json.dumps(make(options.folder, options.name, options.rows, options.seed)))
        return
    if options.step:
        print(json.dumps(run_step(options.step, options.folder, options.name)))
        return
    rows = options.rows // 10 if options.quick else options.rows
    with tempfile.TemporaryDirectory(prefix="telos-benchmark-") as folder:
        figures = measure(Path(folder), f"events.{options.format}", rows, options.seed)
    if options.json:
        print(json.dumps(figures))
    else:
        show(figures)


if __name__ == "__main__":
    main()
