"""Runs mutated cases in worker processes with limits of time and memory, and counts what happened.

A hang, an exhausted memory or a crash ends the worker and is recorded; the next worker goes on behind that case. Any
case is run again alone by ``python tests/fuzz/runner.py TARGET --seed SEED --case NUMBER`` (with ``--keep`` the mutated
file is kept). Without a target, all targets are run: ``python tests/fuzz/runner.py --cases 100000``.
"""

import argparse
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parents[1]
CPU_SECONDS = 10  # of one case; more is a hang
WALL_SECONDS = 240  # of one case that waits, or on a busy machine
SLOW_SECONDS = 2.0  # of processor time: reported, not counted as bad
MEMORY = 2 << 30  # bytes of address space beyond what the imports take
GROWTH = 1 << 30  # bytes that the resident set may grow in one case
MAX_MESSAGE, MAX_LINE = 20_000, 650  # characters of a refusal, which names up to 50 faults, and of a line of it
MAX_HANGS = 4  # of one target: its other cases are left out, as each costs seconds
FILES, SNAPSHOTS = "files", "snapshots"


@dataclass(slots=True)
class Failure:
    """A case that neither loaded nor was refused as promised."""

    target: str
    case: int
    seed: int
    kind: str
    detail: str

    def __str__(self) -> str:
        command = f"python tests/fuzz/runner.py {self.target} --seed {self.seed} --case {self.case}"
        return f"{self.target}: {self.kind}: {self.detail}\n    {command}"


@dataclass(slots=True)
class Tally:
    """What happened to the cases of one target."""

    loaded: int = 0
    refused: int = 0
    slow: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return self.loaded + self.refused + len(self.failures)

    @property
    def hangs(self) -> int:
        return sum(failure.kind in ("hang", "died") for failure in self.failures)


@dataclass(slots=True)
class Report:
    """Tallies by target, and the good files that did not load."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    bad_seeds: list[str] = field(default_factory=list)
    tell: Callable[[Failure], object] = lambda failure: None

    def add(self, failure: Failure) -> None:
        """Note a failure, and tell of it at once."""
        self.tallies[failure.target].failures.append(failure)
        self.tell(failure)

    @property
    def runs(self) -> int:
        return sum(each.runs for each in self.tallies.values())

    @property
    def loaded(self) -> int:
        return sum(each.loaded for each in self.tallies.values())

    @property
    def failures(self) -> list[Failure]:
        return [failure for each in self.tallies.values() for failure in each.failures]

    @property
    def kinds(self) -> Counter[str]:
        return Counter(failure.kind for failure in self.failures)

    def lines(self) -> Iterator[str]:
        """Yield a line per target: runs, loaded, refused, bad."""
        for name, each in sorted(self.tallies.items()):
            share = each.loaded / each.runs if each.runs else 0.0
            yield f"{name:22} {each.runs:7} {each.loaded:7} ({share:4.0%}) {each.refused:7} {len(each.failures):5}"

    def problems(self, most: int = 40) -> str:
        """Return a text that names every different failure once, with the command that repeats it."""
        first: dict[tuple[str, str, str], Failure] = {}
        for failure in self.failures:
            first.setdefault((failure.target, failure.kind, failure.detail.rpartition(" at ")[2][:60]), failure)
        lines = [*self.bad_seeds, *map(str, list(first.values())[:most])]
        if len(first) > most:
            lines.append(f"… and {len(first) - most} more different ones")
        return "\n".join(lines)


# --- one case ---------------------------------------------------------------------------------------------------------


def targets_of(group: str) -> dict[str, Any]:
    """Return the targets of a group by name."""
    if group == SNAPSHOTS:
        from fuzz.snapshots import snapshot_targets

        return snapshot_targets()
    from fuzz.targets import file_targets

    return file_targets()


def pool_of(targets: dict[str, Any]) -> list[bytes]:
    """Return the good files of all targets that are not large, to take parts from."""
    files = [data for each in targets.values() if isinstance(each.good, dict) for data in each.good.values()]
    return [data for data in files if isinstance(data, bytes) and len(data) < 20_000]


def case_generator(target: str, seed: int, case: int) -> Random:
    """Return the generator of one case: it depends on nothing but these three."""
    return Random(f"{target} {seed} {case}")


def run_case(target: Any, rng: Random, pool: list[bytes]) -> tuple[str, str]:
    """Run one case and return what happened, ``loaded`` and ``refused`` or the kind of failure, and details."""
    from telos.core.errors import TelosError

    try:
        target.run(rng, pool)
    except TelosError as error:
        return _judge_refusal(str(error))
    except (KeyboardInterrupt, SystemExit) as error:
        return type(error).__name__, _place(error)
    except BaseException as error:  # a panic of polars is one
        return type(error).__name__, f"{str(error)[:150]!r} at {_place(error)}"
    return "loaded", ""


def _judge_refusal(message: str) -> tuple[str, str]:
    longest = max(map(len, message.split("\n")), default=0)
    if len(message) > MAX_MESSAGE or longest > MAX_LINE:
        return "long message", f"{len(message)} characters, longest line {longest}: {message[:100]!r}"
    if not message.strip():
        return "empty message", ""
    if any(ord(sign) < 32 and sign not in "\n\t" for sign in message):
        return "control characters", repr(message[:150])
    return "refused", ""


def _place(error: BaseException) -> str:
    """Return the innermost line of the package in a traceback."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "/telos/" in each.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/src/')[2]}:{last.lineno}"


# --- the worker -------------------------------------------------------------------------------------------------------


def work(group: str, seed: int, jobs: Iterable[tuple[str, int]]) -> None:
    """Run cases in this process and print a line of JSON after each."""
    import faulthandler

    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what loaders print is not part of the protocol
    faulthandler.register(signal.SIGXCPU, chain=True)  # the stack of a hang goes to stderr
    with tempfile.TemporaryDirectory(prefix="telos-fuzz-") as folder:
        targets, wanted = targets_of(group), list(jobs)
        pool = pool_of(targets)
        for name in dict.fromkeys(name for name, _ in wanted):
            targets[name].open(Path(folder))
            faults = targets[name].check_seeds()
            print(json.dumps({"seeds": name, "faults": faults}), file=out)
        _limit_memory()
        for name, case in wanted:
            before, peak = time.process_time(), _peak()
            _limit_time()
            kind, detail = run_case(targets[name], case_generator(name, seed, case), pool)
            used, grown = time.process_time() - before, _peak() - peak
            if kind in ("loaded", "refused") and grown > GROWTH:
                kind, detail = "memory", f"{grown >> 20} MB"
            print(json.dumps({"target": name, "case": case, "kind": kind, "detail": detail, "seconds": used}), file=out)


def _limit_memory() -> None:
    used = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    )
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))


def _limit_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + CPU_SECONDS + 1, resource.RLIM_INFINITY))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# --- the parent -------------------------------------------------------------------------------------------------------


def run(
    group: str,
    cases: int,
    *,
    seed: int = 1,
    only: Sequence[str] = (),
    jobs: int = 1,
    done: Callable[[int], object] = lambda number: None,
    tell: Callable[[Failure], object] = lambda failure: None,
) -> Report:
    """Run about ``cases`` cases, shared among the targets, in ``jobs`` worker processes."""
    targets = targets_of(group)
    wanted = {name: target for name, target in targets.items() if not only or name in only}
    total = sum(target.weight for target in wanted.values())
    queue = [
        (name, case)
        for name, target in wanted.items()
        for case in range(max(10, round(cases * target.weight / total)) if cases else 0)
    ]
    report = Report({name: Tally() for name in wanted}, tell=tell)
    Random(seed).shuffle(queue)  # slow targets are spread over the workers
    shares = [sorted(queue[number::jobs]) for number in range(jobs)]
    with ThreadPoolExecutor(jobs) as threads:
        list(threads.map(lambda share: _run_share(group, seed, share, report, done), shares))
    return report


def _run_share(
    group: str, seed: int, share: list[tuple[str, int]], report: Report, done: Callable[[int], object]
) -> None:
    while share:
        finished = _run_worker(group, seed, share, report, done)
        share = share[finished:]
        hopeless = {name for name, tally in report.tallies.items() if tally.hangs >= MAX_HANGS}
        share = [(name, case) for name, case in share if name not in hopeless]


def _run_worker(
    group: str, seed: int, share: list[tuple[str, int]], report: Report, done: Callable[[int], object]
) -> int:
    """Run cases in a new process until it is through or one of them ends it; return how many were finished."""
    command = [sys.executable, "-W", "ignore", __file__, "--work", group, "--seed", str(seed)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE.parent / "src"), str(HERE)]),
        "POLARS_MAX_THREADS": "2",
    }
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
        ) as worker,
    ):
        assert worker.stdin is not None
        with suppress(BrokenPipeError):
            worker.stdin.write(json.dumps(share).encode())
            worker.stdin.close()
        finished, is_ready = 0, False
        for line in _lines(worker):
            said = json.loads(line)
            if "seeds" in said:
                new = [f"{said['seeds']}: the good file {each[:300]}" for each in said["faults"]]
                report.bad_seeds += [each for each in new if each not in report.bad_seeds]
                is_ready = True
                continue
            _count(report, said, seed)
            finished += 1
            done(1)
        worker.kill()
        code = worker.wait()
        errors.seek(0)
        if not is_ready:
            raise RuntimeError(f"a worker did not start: {errors.read().decode(errors='replace')[-2000:]}")
        if finished < len(share):
            name, case = share[finished]
            detail = _last_words(errors.read().decode(errors="replace"))
            kind = "hang" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "died"
            report.add(Failure(name, case, seed, kind, f"exit {code} {detail}"))
            finished += 1
            done(1)
        return finished


def _lines(worker: "subprocess.Popen[bytes]") -> Iterator[bytes]:
    """Yield the lines that a worker prints, until it ends or says nothing for too long."""
    assert worker.stdout is not None
    patience = 2 * WALL_SECONDS  # for the imports and the good files
    rest = b""
    while select.select([worker.stdout], [], [], patience)[0]:
        data = os.read(worker.stdout.fileno(), 1 << 16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines
        if any(b'"target"' in line for line in lines):
            patience = WALL_SECONDS


def _count(report: Report, said: dict[str, Any], seed: int) -> None:
    tally = report.tallies[said["target"]]
    if said["seconds"] > SLOW_SECONDS:
        tally.slow.append(f"{said['target']} --seed {seed} --case {said['case']}: {said['seconds']:.1f} s")
    if said["kind"] == "loaded":
        tally.loaded += 1
    elif said["kind"] == "refused":
        tally.refused += 1
    else:
        report.add(Failure(said["target"], said["case"], seed, said["kind"], said["detail"]))


def _last_words(text: str) -> str:
    """Return the place where a worker was when it ended, from the stack that it printed."""
    places = [line.strip() for line in text.splitlines() if "/telos/" in line and "line" in line]
    return places[0].rpartition("/src/")[2] if places else (text.strip().splitlines() or [""])[-1][:200]


# --- the command ------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run all targets, one of them, or one case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="*", help="targets; all without one")
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this case, in this process, with its traceback")
    parser.add_argument("--keep", type=Path, help="with --case: write the mutated file here")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--snapshots", action="store_true", help="snapshots instead of files")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.seed, [(name, case) for name, case in json.load(sys.stdin)])
        return 0
    group = SNAPSHOTS if given.snapshots or any(each.startswith("save-") for each in given.target) else FILES
    if given.case is not None:
        return _repeat(group, given.target[0], given.seed, given.case, given.keep)
    report = run(
        group,
        given.cases,
        seed=given.seed,
        only=given.target,
        jobs=given.jobs,
        tell=lambda failure: print(failure, file=sys.stderr, flush=True),
    )
    print(f"{'target':22} {'runs':>7} {'loaded':>14} {'refused':>7} {'bad':>5}")
    print("\n".join(report.lines()))
    print(f"{report.runs} runs, {report.loaded} loaded, {len(report.failures)} bad: {dict(report.kinds)}")
    slow = [each for tally in report.tallies.values() for each in tally.slow]
    print("\n".join([*(f"slow: {each}" for each in slow[:20]), report.problems(200)]))
    return 1 if report.failures or report.bad_seeds else 0


def _repeat(group: str, name: str, seed: int, case: int, keep: Path | None) -> int:
    targets = targets_of(group)
    target, rng = targets[name], case_generator(name, seed, case)
    pool = pool_of(targets)
    with tempfile.TemporaryDirectory(prefix="telos-fuzz-") as folder:
        target.open(Path(folder))
        target.check_seeds()
        if keep is not None:
            file, data = target.make_case(case_generator(name, seed, case), pool)
            keep.write_bytes(data)
            print(f"the mutated {file} is written to {keep}")
        started = time.process_time()
        try:
            target.run(rng, pool)
        except Exception:
            traceback.print_exc()
        print(f"{time.process_time() - started:.2f} s")
        kind, detail = run_case(target, case_generator(name, seed, case), pool)
    print(kind, detail)
    return 0 if kind in ("loaded", "refused") else 1


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
    sys.exit(main())
