"""Commands that write a file, small enough to be run, killed and run again often; and the folder that they work in."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz import seeds

OLD = b"the old file\n" * 50


@dataclass(frozen=True, slots=True)
class Writer:
    """A command and the file that it writes. ``may_exist`` are files of earlier runs that it goes on from."""

    arguments: tuple[str, ...]
    output: str
    may_exist: tuple[str, ...] = ()


WRITERS: dict[str, Writer] = {
    "train": Writer(("train", "play.jsonl", "--model", "aiide", "-o", "me.yaml"), "me.yaml"),
    "recognize": Writer(("recognize", "play.jsonl", "--model", "flairs", "-o", "beliefs.jsonl"), "beliefs.jsonl"),
    "prepare csv": Writer(
        ("corpus", "prepare", "log.csv", "--columns", "camp.yaml", "--folds", "2", "-o", "o.csv"), "o.csv"
    ),
    "prepare parquet": Writer(
        ("corpus", "prepare", "log.csv", "--columns", "camp.yaml", "--folds", "2", "-o", "o.parquet"), "o.parquet"
    ),
    "prepare jsonl.gz": Writer(
        ("corpus", "prepare", "log.csv", "--columns", "camp.yaml", "--folds", "2", "-o", "o.jsonl.gz"), "o.jsonl.gz"
    ),
    "prepare db": Writer(
        ("corpus", "prepare", "log.csv", "--columns", "camp.yaml", "--folds", "2", "-o", "o.db", "--model", "camp.mln"),
        "o.db",
    ),
    "island": Writer(("corpus", "island", "--players", "2", "-o", "island.csv"), "island.csv"),
    "learn": Writer(
        (
            "logic",
            "learn",
            "goals.mln",
            "day.db",
            "-q",
            "goal",
            "-o",
            "out.mln",
            "--resume",
            "state.json",
            "--epochs",
            "12",
        ),
        "out.mln",
        ("state.json",),
    ),
    "graph": Writer(("plan", "--pddl", "blocks.pddl", "blocks-sussman.pddl", "--graph", "graph.svg"), "graph.svg"),
    "tournament": Writer(
        ("tournament", "--fights", "2", "--layer", "squads", "--seconds", "3", "--plot", "fights.png"), "fights.png"
    ),
    "report": Writer(
        ("study", "gold-flairs", "--quick", "--players", "2", "--runs", "2", "--report", "page.html"), "page.html"
    ),
}
CAMP = (
    "goal(time, goal!)\naction(time, action)\nloc(time, loc)\naction(t, +a) => goal(t, +g)\nloc(t, +l) => goal(t, +g)\n"
)


def fill(folder: Path) -> Path:
    """Write the inputs of all writers into a folder."""
    texts = {
        "play.jsonl": seeds.adventure_log(200).replace('"truth": "town"', '"truth": "level"'),
        "log.csv": _long_log(),
        "camp.yaml": seeds.CORPUS_COLUMNS,
        "camp.mln": CAMP,
        "goals.mln": seeds.GOALS,
        "day.db": seeds.DAY,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("blocks.pddl", "blocks-sussman.pddl"):
        (folder / name).write_bytes((seeds.PDDL / name).read_bytes())
    return folder


def _long_log() -> str:
    head, *rows = seeds.CORPUS_LOG.splitlines()
    return "\n".join([head, *(row.replace(",", f"{number},", 1) for number in range(200) for row in rows)]) + "\n"


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a command: this tree, no terminal."""
    return {**os.environ, "PYTHONPATH": str(seeds.ROOT / "src"), "COLUMNS": "120", "TERM": "dumb", **changes}


def start(arguments: Sequence[str], folder: Path, **options: object) -> "subprocess.Popen[bytes]":
    """Start a command in a folder, in a process group of its own."""
    settings: dict[str, object] = {
        "cwd": folder, "env": environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE,
        "stdin": subprocess.DEVNULL,
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "telos", *arguments], start_new_session=True, **{**settings, **options}
    )  # type: ignore[call-overload,no-any-return]


def run(arguments: Sequence[str], folder: Path, *, timeout: float = 300, **options: object) -> tuple[int, bytes]:
    """Run a command to its end; return its exit code and what it said on stderr."""
    with start(arguments, folder, **options) as process:
        try:
            said = process.communicate(timeout=timeout)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return 124, b"timeout"
        return process.returncode, said or b""


@dataclass(slots=True)
class Baseline:
    """What a writer writes when nobody disturbs it, and how long that takes."""

    new: bytes
    seconds: float


def measure(writer: Writer, folder: Path) -> Baseline:
    """Run a writer undisturbed."""
    for name in (writer.output, *writer.may_exist):
        (folder / name).unlink(missing_ok=True)
    started = time.perf_counter()
    code, said = run(writer.arguments, folder)
    assert code == 0, said.decode()
    return Baseline((folder / writer.output).read_bytes(), time.perf_counter() - started)


def kill_once(writer: Writer, folder: Path, baseline: Baseline, rng: Random, how: signal.Signals) -> str:
    """Kill a writer at a random moment; return what is wrong with its file afterwards, or nothing.

    In half of the cases the moment is soon after the first change of the folder, when the writer is at work.
    """
    target = folder / writer.output
    target.write_bytes(OLD)
    delay, is_aimed = rng.uniform(0.05, 1.05 * baseline.seconds), rng.random() < 0.5
    with start(writer.arguments, folder) as process:
        if is_aimed:
            _wait_for_change(folder, process, 4 * baseline.seconds)
            time.sleep(rng.choice((0.0, 0.0, 0.001, 0.005, 0.02)))
        else:
            time.sleep(delay)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        said = process.communicate(timeout=300)[1] or b""
    content = target.read_bytes() if target.exists() else None
    if content is None:
        return f"{how.name}: the file is gone"
    if content not in (OLD, baseline.new):
        return f"{how.name}: {len(content)} bytes, neither the old {len(OLD)} nor the new {len(baseline.new)}"
    if b"Traceback" in said or b"internal error" in said:
        return f"{how.name}: {said.decode(errors='replace')[-300:]}"
    left = [each.name for each in folder.iterdir() if each.name.endswith(".part")]
    for name in left:
        (folder / name).unlink()
    if left and how is not signal.SIGKILL:
        return f"{how.name}: {', '.join(left)} stayed behind"
    return ""


def _wait_for_change(folder: Path, process: "subprocess.Popen[bytes]", patience: float) -> None:
    def look() -> tuple[object, ...]:
        return tuple(
            sorted((each.name, each.stat().st_size) for each in os.scandir(folder) if not each.name.endswith(".json"))
        )

    end, before = time.perf_counter() + patience, look()
    while process.poll() is None and time.perf_counter() < end:
        try:
            if look() != before:
                return
        except FileNotFoundError:  # a temporary file was renamed while it was looked at
            return
        time.sleep(0.0005)
