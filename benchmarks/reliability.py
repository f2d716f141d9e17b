"""Attacks Telos and counts what breaks: mutated files and snapshots, command lines, Ctrl-C, kills, determinism.

``python benchmarks/reliability.py`` prints one row per attack: runs, how many were bad, and what the bad ones were.
``--cases N`` sets the number of mutated files (a tenth of it are snapshots), ``--only ROW`` runs one row, ``--json``
prints one object. It exits with 1 if anything was bad. The attacks share their engine with ``tests/fuzz`` and
``tests/crash``.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]
fuzz: Any = import_module("fuzz.commands")
runner: Any = import_module("fuzz.runner")
mutations: Any = import_module("fuzz.mutations")
writers: Any = import_module("crash.writers")

SECONDS = 90.0  # for a command on a busy machine; more is a hang


@dataclass(slots=True)
class Row:
    """The counts of one attack."""

    title: str
    runs: int = 0
    bad: list[str] = field(default_factory=list)
    note: str = ""

    def of_these(self) -> str:
        """Return what the bad runs were, the most frequent first."""
        kinds = Counter(each.partition(": ")[2].partition(":")[0][:60] for each in self.bad)
        return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(6)) or "none"


@dataclass(slots=True)
class Attack:
    """What every row is given: how much to do, with which seed, and what tells of progress."""

    cases: int
    seed: int
    jobs: int
    advance: Callable[[str, int], None]


Case = tuple[str, Callable[[Path], str]]  # a name that repeats the case, and what runs it and returns the fault


def run_cases(title: str, cases: Sequence[Case], attack: Attack) -> Row:
    """Run cases, each in a folder of its own with the inputs of all commands."""
    row = Row(title)

    def run(case: Case) -> str:
        with tempfile.TemporaryDirectory(prefix="telos-reliability-") as folder:
            shutil.copytree(filled(), folder, dirs_exist_ok=True)
            fault = case[1](Path(folder))
        attack.advance(title, len(cases))
        return f"{case[0]}: {fault}" if fault else ""

    with ThreadPoolExecutor(attack.jobs) as threads:
        found = list(threads.map(run, cases))
    row.runs, row.bad = len(cases), [each for each in found if each]
    return row


_filled: list[Path] = []


def filled() -> Path:
    """Return a folder with the inputs of all commands; it is made once."""
    if not _filled:
        _filled.append(fuzz.fill_folder(Path(tempfile.mkdtemp(prefix="telos-inputs-"))))
    return _filled[0]


def outcome(arguments: Sequence[str], folder: Path, codes: Sequence[int] = (0, 1, 2), **how: Any) -> str:
    """Run a command and return its fault."""
    fault: str = fuzz.run_command(arguments, folder, timeout=SECONDS, **how).fault(codes)
    return fault


def calling(arguments: Sequence[str], codes: Sequence[int] = (0, 1, 2), **how: Any) -> Callable[[Path], str]:
    """Return a case that runs a command."""
    return lambda folder: outcome(arguments, folder, codes, **how)


def calls(names: Iterable[str] = ()) -> dict[str, Any]:
    """Return the commands of these names; all without any."""
    wanted = list(names)
    return {name: each for name, each in fuzz.COMMANDS.items() if not wanted or name in wanted}


# --- rows -------------------------------------------------------------------------------------------------------------


def attack_loaders(attack: Attack) -> Row:
    """Load mutated files of every format in processes with limits."""
    return _fuzzed("loader mutations in process", runner.FILES, attack.cases, attack)


def attack_snapshots(attack: Attack) -> Row:
    """Restore mutated snapshots of every kind."""
    return _fuzzed("snapshot mutations", runner.SNAPSHOTS, max(1, attack.cases // 10), attack)


def _fuzzed(title: str, group: str, cases: int, attack: Attack) -> Row:
    report = runner.run(
        group, cases, seed=attack.seed, jobs=attack.jobs, done=lambda number: attack.advance(title, cases)
    )
    bad = [
        f"{each.target} --seed {each.seed} --case {each.case}: {each.kind}: {each.detail}" for each in report.failures
    ]
    slow = sum(len(tally.slow) for tally in report.tallies.values())
    note = (
        f"{len(report.tallies)} targets, {report.loaded:,} loaded, {report.runs - report.loaded - len(bad):,} refused"
    )
    return Row(title, report.runs, [*bad, *report.bad_seeds], f"{note}, {slow} over {runner.SLOW_SECONDS:g} s")


def attack_inputs(attack: Attack) -> Row:
    """Give mutated inputs to commands."""

    def case(name: str, command: Any, number: int) -> Case:
        def run(folder: Path) -> str:
            rng = Random(f"{attack.seed} {name} {number}")
            file = folder / rng.choice(command.inputs)
            pool = [each.read_bytes() for each in sorted(folder.iterdir()) if each.is_file()]
            file.write_bytes(mutations.mutate_file(file.read_bytes(), rng, pool, file.name))
            return outcome(command.arguments, folder)

        return f"{name} --seed {attack.seed} number {number}", run

    each = max(1, attack.cases // 1_000)
    reading = {name: command for name, command in calls().items() if command.inputs}
    cases = [case(name, command, number) for name, command in reading.items() for number in range(min(each, 12))]
    return run_cases(f"CLI, mutated inputs ({len(reading)} commands)", cases, attack)


def attack_stdout(attack: Attack) -> Row:
    """Run every command as it is, with a full standard output, and with an output in a missing folder."""
    cases: list[Case] = []
    for name, command in calls().items():
        cases.append((name, calling(command.arguments, (0,))))
        cases.append((f"{name} > /dev/full", calling(command.arguments, shell='exec "$@" > /dev/full')))
        if command.output:
            moved = _with_output(command, f"missing/{command.output}")
            cases.append((f"{name} into a missing folder", calling(moved, (2,))))
    return run_cases("CLI, baseline + full stdout + missing folder", cases, attack)


def _with_output(command: Any, output: str) -> list[str]:
    return [output if word == command.output else word for word in command.arguments]


def attack_outputs(attack: Attack) -> Row:
    """Outputs that are inputs, links to them, folders, unwritable or full; inputs that are missing or no files."""
    cases: list[Case] = []
    for name, command in calls().items():
        if command.output:
            cases += [(f"{name}, {what}", run) for what, run in _bad_outputs(command).items()]
        for put, what in (
            (_missing, "missing"),
            (_folder, "a folder"),
            (_empty, "empty"),
            (_zeros, "/dev/zero"),
            (_pipe, "a closed pipe"),
        ):
            for file in command.inputs[:1] if command.inputs else ():
                cases.append(
                    (
                        f"{name}, {file} is {what}",
                        partial(_bad_input, command, file, put),
                    )
                )
    return run_cases("CLI, bad outputs and inputs", cases, attack)


def _bad_outputs(command: Any) -> dict[str, Callable[[Path], str]]:
    def onto(folder: Path, target: str, codes: Sequence[int], **how: Any) -> str:
        before = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
        fault = outcome(_with_output(command, target), folder, codes, **how)
        after = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
        changed = [name for name in before if after.get(name) != before[name] and name != "state.json"]
        left = [name for name in after if name not in before and name != "state.json"]
        if not fault and (changed or left):
            return f"changed {changed}, left {left}"
        return fault

    def old(folder: Path) -> None:
        (folder / command.output).write_bytes(writers.OLD)

    def full(folder: Path) -> str:
        old(folder)
        return onto(folder, command.output, (2,), preexec_fn=_limit_files, change={"NUMBA_DISABLE_JIT": "1"})

    def make_folder(folder: Path) -> str:
        (folder / "a-folder").mkdir()
        return onto(folder, f"a-folder/../a-folder{Path(command.output).suffix}/x{Path(command.output).suffix}", (2,))

    def is_folder(folder: Path) -> str:
        (folder / command.output).mkdir()
        return onto(folder, command.output, (2,))

    ending = "".join(Path(command.output).suffixes)
    found: dict[str, Callable[[Path], str]] = {
        "output is a folder": is_folder,
        "output in a missing folder": make_folder,
        "full disk": full,
        "name too long": lambda folder: onto(folder, "x" * 300 + ending, (2,)),
        "unwritable": lambda folder: onto(folder, f"/proc/telos{ending}", (2,)),
        "output is /dev/full": lambda folder: _to_device(folder, ending, onto),
    }
    for file in command.inputs:

        def same(folder: Path, file: str = file) -> str:
            return onto(folder, file, (2,))

        def linked(folder: Path, file: str = file) -> str:
            (folder / f"link{ending}").symlink_to(folder / file)
            return onto(folder, f"link{ending}", (2,))

        def hard(folder: Path, file: str = file) -> str:
            os.link(folder / file, folder / f"hard{ending}")
            return onto(folder, f"hard{ending}", (2,))

        found |= {
            f"output is {file}": same,
            f"output is a link to {file}": linked,
            f"output is a hard link to {file}": hard,
        }
    return found


def _to_device(folder: Path, ending: str, onto: Callable[..., str]) -> str:
    """Write to a device that is always full: one of its own for root, who could replace the one of the system."""
    file = folder / f"full{ending}"
    try:
        os.mknod(file, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    except OSError:
        file.symlink_to("/dev/full")
    fault = onto(folder, file.name, (2,))
    return fault or ("" if file.is_char_device() else "the device was replaced")


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def _missing(file: Path) -> None:
    file.unlink()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _zeros(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def _pipe(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/stdin")  # which is empty


def _bad_input(command: Any, file: str, put: Callable[[Path], None], folder: Path) -> str:
    put(folder / file)
    return outcome(command.arguments, folder, (0, 1, 2), preexec_fn=_limit_memory)


def attack_environment(attack: Attack) -> Row:
    """Odd locales, terminals, homes and standard streams."""
    changes: dict[str, dict[str, str | None]] = {
        "LC_ALL=C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
        "ascii": {"PYTHONIOENCODING": "ascii:strict"},
        "no TERM": {"TERM": None},
        "TERM=x": {"TERM": "no-such-terminal", "COLUMNS": "abc"},
        "COLUMNS=1": {"COLUMNS": "1"},
        "COLUMNS=0": {"COLUMNS": "0", "LINES": "-3"},
        "no HOME": {"HOME": None},
        "HOME missing": {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"},
        "Numba cache unwritable": {"NUMBA_CACHE_DIR": "/proc/nothing"},
    }
    shells = {
        "closed stdout": 'exec "$@" >&-',
        "closed stderr": 'exec "$@" 2>&-',
        "closed stdin": 'exec "$@" <&-',
        "all closed": 'exec "$@" <&- >&- 2>&-',
        "| head -1": '"$@" | head -1 > /dev/null',
        "| true": '"$@" | true',
    }
    cases: list[Case] = []
    for name in (
        "check",
        "plan --pddl",
        "recognize",
        "evaluate",
        "corpus prepare",
        "logic infer",
        "watch home",
        "recognize-plan tar",
    ):
        command = calls()[name]
        for what, change in changes.items():
            cases.append(
                (
                    f"{name}, {what}",
                    calling(command.arguments, (0,), change=change),
                )
            )
        for what, shell in shells.items():
            cases.append(
                (
                    f"{name}, {what}",
                    calling(command.arguments, shell=shell),
                )
            )
        cases.append((f"{name}, -O", calling(command.arguments, (0,), python=["-O"])))
        cases.append((f"{name}, damaged Numba cache", partial(_damaged_cache, command)))
    return run_cases("CLI, locale/TERM/HOME/-O/cache/pipe/closed streams", cases, attack)


def _damaged_cache(command: Any, folder: Path) -> str:
    """Run with a copy of the Numba cache whose files are cut or garbage."""
    cache = folder / "cache"
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and Path(given).is_dir():
        shutil.copytree(given, cache)
    rng = Random(1)
    for file in sorted(cache.rglob("*.nb?")) if cache.is_dir() else []:
        data = file.read_bytes()
        file.write_bytes(rng.choice((b"", data[: len(data) // 2], rng.randbytes(200), data[:-1])))
    return outcome(command.arguments, folder, (0,), change={"NUMBA_CACHE_DIR": str(cache)})


def attack_interrupts(attack: Attack) -> Row:
    """Ctrl-C at several moments, to the process and to its whole group."""
    jobs = {
        "tournament --jobs 2": ("tournament", "--fights", "40", "--jobs", "2"),
        "corpus island --jobs 2": ("corpus", "island", "--players", "40", "--jobs", "2", "-o", "island.csv"),
        "study --jobs 2": ("study", "gold-flairs", "--quick", "--jobs", "2"),
        "recognize-plan --jobs 2": ("recognize-plan", "problems", "--jobs", "2"),
        "watch home": ("watch", "home", "--days", "300", "--json"),
        "logic learn": ("logic", "learn", "goals.mln", "day.db", "-q", "goal", "-o", "out.mln", "--epochs", "5000"),
    }
    plain = {
        name: command.arguments
        for name, command in calls().items()
        if name in ("check", "plan --pddl", "train", "corpus prepare", "evaluate", "logic infer")
    }
    cases: list[Case] = []
    for name, arguments in {**jobs, **plain}.items():
        for moment in (0.02, 0.06, 0.12, 0.3, 0.7, 1.5, 3.0, 5.0):
            for group in (False, True):
                what = f"{name}, {'group' if group else 'process'} at {moment} s"
                cases.append(
                    (
                        what,
                        partial(_interrupted, arguments, moment, group),
                    )
                )
    return run_cases("CLI, Ctrl-C at 0.02 to 5 s, process and group", cases, attack)


def _interrupted(arguments: Sequence[str], moment: float, group: bool, folder: Path) -> str:
    ended = fuzz.run_command(arguments, folder, timeout=SECONDS, interrupt=moment, whole_group=group)
    if ended.code in (1, -2) and _is_starting(ended.stderr):
        return ""
    fault: str = ended.fault((0, 1, 130))
    if not fault and len(ended.stderr.splitlines()) > 3:
        return f"{len(ended.stderr.splitlines())} lines on stderr"
    return fault


def _is_starting(said: bytes) -> bool:
    """Whether Ctrl-C came while Python itself was starting, before it runs a line of the command."""
    return b"telos/cli" not in said and (not said or b"frozen runpy" in said or b"site" in said)


CODES = (0, 1, 2, 130)
NUMBERS = (
    "-1", "0", "99999999999999999999999", "9223372036854775808", "abc", "", "nan", "inf", "-inf", "1e308", "1e-320", "٣"
)  # fmt: skip
TEXTS = ("", "x" * 3000, "\x1b[31m", "../..", "-", "/dev/null/x", "é", "a,b", "=", "nan=nan")


def attack_options(attack: Attack) -> Row:
    """Odd values for every option of every command."""
    rng, cases = Random(attack.seed), list[Case]()
    for name, arguments, options in _options():
        for option, is_number in options:
            values = list(NUMBERS if is_number else TEXTS)
            rng.shuffle(values)
            for value in values[: max(2, min(len(values), attack.cases // 5_000))]:
                words = [*arguments, option, value]
                cases.append(
                    (
                        f"{name} {option} {value[:30]!r}",
                        calling(words, preexec_fn=_limit_memory),
                    )
                )
    return run_cases("CLI, odd option values, all commands", cases, attack)


def _options() -> list[tuple[str, Sequence[str], list[tuple[str, bool]]]]:
    """Return each command with the arguments of a small run, and its options with whether they take a number."""
    from telos.cli.main import COMMANDS as MAIN
    from telos.cli.main import load_command

    runs = {
        " ".join(each.arguments[:2])
        if each.arguments[0] in ("corpus", "logic", "watch", "study")
        else each.arguments[0]: each.arguments
        for each in calls().values()
    }
    found: list[tuple[str, Sequence[str], list[tuple[str, bool]]]] = []
    for name in MAIN:
        if name in ("play", "serve"):
            continue  # they serve until they are stopped; see attack_serve
        command = load_command(name)
        for sub, each in getattr(command, "commands", {"": command}).items():
            label = f"{name} {sub}".strip()
            options = [
                (parameter.opts[0], any(kind in _kind(parameter) for kind in ("int", "float")))
                for parameter in each.params
                if parameter.opts[0].startswith("--") and "bool" not in _kind(parameter)
            ]
            found.append((label, runs.get(label, [*label.split(), *(["--quick"] if name == "study" else [])]), options))
    return found


def _kind(parameter: Any) -> str:
    """Return the type of an option as a word, for the versions of Typer with and without Click."""
    described = getattr(parameter, "type_descriptor", None)
    return str(described.annotation if described is not None else parameter.type.name).replace("integer", "int")


def attack_serve(attack: Attack) -> Row:
    """The service: odd values of every option, bad inputs, closed streams, Ctrl-C; it is ended if it serves."""
    from telos.cli.main import load_command

    serve = fuzz.SERVE

    def ended(
        arguments: Sequence[str], codes: Sequence[int], seconds: float = 12.0, **how: Any
    ) -> Callable[[Path], str]:
        return lambda folder: outcome(arguments, folder, codes, interrupt=seconds, **how)

    def spoilt(file: str, put: Callable[[Path], None]) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            put(folder / file)
            return outcome(serve.arguments, folder, (2, 130), interrupt=12.0, preexec_fn=_limit_memory)

        return run

    cases: list[Case] = [
        (f"serve, Ctrl-C at {at} s", ended(serve.arguments, (130,), at)) for at in (0.3, 0.7, 1.5, 4.0)
    ]
    shells = {"stdout full": 'exec "$@" > /dev/full', "stdout closed": 'exec "$@" >&-', "| true": '"$@" | true'}
    cases += [(f"serve, {what}", ended(serve.arguments, CODES, shell=shell)) for what, shell in shells.items()]
    places = {"missing": _missing, "a folder": _folder, "empty": _empty, "/dev/zero": _zeros, "a closed pipe": _pipe}
    cases += [(f"serve, {file} is {what}", spoilt(file, put)) for file in serve.inputs for what, put in places.items()]
    rng = Random(attack.seed)
    for parameter in load_command("serve").params:
        option = parameter.opts[0]
        if not option.startswith("--") or "bool" in _kind(parameter):
            continue
        is_number = any(kind in _kind(parameter) for kind in ("int", "float"))
        for value in rng.sample(NUMBERS if is_number else TEXTS, max(2, min(10, attack.cases // 5_000))):
            cases.append((f"serve {option} {value[:30]!r}", ended([*serve.arguments, option, value], CODES)))
    return run_cases("telos serve: odd options, bad inputs, streams, Ctrl-C", cases, attack)


def attack_determinism(attack: Attack) -> Row:
    """The same output with other hash seeds, with -O, and without Numba."""
    ways: dict[str, dict[str, Any]] = {
        "PYTHONHASHSEED=1": {"change": {"PYTHONHASHSEED": "1"}},
        "PYTHONHASHSEED=12345": {"change": {"PYTHONHASHSEED": "12345"}},
        "-O": {"python": ["-O"]},
        "without Numba": {"change": {"NUMBA_DISABLE_JIT": "1"}},
    }
    names = (
        "check --json",
        "plan --pddl",
        "recognize gz",
        "evaluate",
        "corpus prepare",
        "logic infer --marginal",
        "watch home",
        "watch arena",
        "watch island",
        "watch forge",
        "study",
    )
    first: dict[str, bytes] = {}

    def said(command: Any, folder: Path, how: dict[str, Any]) -> bytes:
        ended = fuzz.run_command(command.arguments, folder, timeout=2 * SECONDS, **how)
        written = (
            (folder / command.output).read_bytes() if command.output and (folder / command.output).exists() else b""
        )
        return b"".join((bytes([ended.code]), ended.stdout, written))

    def case(name: str, what: str, how: dict[str, Any]) -> Case:
        def run(folder: Path) -> str:
            return "" if said(calls()[name], folder, how) == first[name] else "differs"

        return f"{name}, {what}", run

    def begin(name: str) -> Case:
        def run(folder: Path) -> str:
            first[name] = said(calls()[name], folder, {"change": {"PYTHONHASHSEED": "0"}})
            return "" if first[name][0] == 0 else f"exit code {first[name][0]}"

        return name, run

    title = f"CLI, determinism ({len(names)} commands)"
    row = run_cases(title, [begin(name) for name in names], attack)
    more = run_cases(title, [case(name, what, how) for name in names for what, how in ways.items()], attack)
    return Row(title, row.runs + more.runs, [*row.bad, *more.bad])


def attack_kills(attack: Attack) -> Row:
    """Kill writers at random moments: the old file or the new one is there, whole."""
    import signal

    number = max(2, min(20, attack.cases // 5_000))
    title = f"kill -9, SIGTERM, SIGINT while writing ({len(writers.WRITERS)} commands)"
    row = Row(title)
    for name, writer in writers.WRITERS.items():
        with tempfile.TemporaryDirectory(prefix="telos-kills-") as place:
            folder = writers.fill(Path(place))
            baseline, rng = writers.measure(writer, folder), Random(f"{attack.seed} {name}")
            for count in range(number):
                how = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[count % 4]
                fault = writers.kill_once(writer, folder, baseline, rng, how)
                row.runs += 1
                row.bad += [f"{name}: {fault}"] if fault else []
                attack.advance(title, number * len(writers.WRITERS))
    return row


ROWS: dict[str, Callable[[Attack], Row]] = {
    "loaders": attack_loaders,
    "snapshots": attack_snapshots,
    "inputs": attack_inputs,
    "stdout": attack_stdout,
    "outputs": attack_outputs,
    "environment": attack_environment,
    "interrupts": attack_interrupts,
    "options": attack_options,
    "serve": attack_serve,
    "determinism": attack_determinism,
    "kills": attack_kills,
}


# --- the table --------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the attacks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000, help="mutated files; the other rows grow with it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", choices=ROWS, help="this row; may be repeated")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    console = Console(stderr=True)
    rows: list[Row] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for name in given.only or ROWS:
            task = progress.add_task(name, total=None)

            def advance(title: str, total: int, task: Any = task) -> None:
                progress.update(task, advance=1, total=total, description=title)

            rows.append(ROWS[name](Attack(given.cases, given.seed, given.jobs, advance)))
            progress.remove_task(task)
    for folder in _filled:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    if given.json:
        print(
            json.dumps(
                [
                    {"what": row.title, "runs": row.runs, "bad": len(row.bad), "of_these": row.bad, "note": row.note}
                    for row in rows
                ],
                indent=1,
            )
        )
    else:
        _print(rows)
    return 1 if any(row.bad for row in rows) else 0


def _print(rows: list[Row]) -> None:
    table = Table("what", "runs", "bad", "of these", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row.title, f"{row.runs:,}", str(len(row.bad)), row.note if not row.bad else row.of_these())
    Console().print(table)
    for row in rows:
        for each in row.bad[:50]:
            print(f"  {each[:300]}")


if __name__ == "__main__":
    sys.exit(main())
