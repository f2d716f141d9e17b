"""One small run of every command, and what a run of a command must be like, whatever is done to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crash.writers import environment, fill
from fuzz import seeds

MAX_LINE, MAX_SAID = 1_000, 25_000  # characters of what is said on stderr
CODES = (0, 1, 2, 130)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that succeeds in the folder of `fill_folder`; ``inputs`` and ``output`` are files in it."""

    arguments: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    output: str = ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COMMANDS: dict[str, Command] = {
    "check": Command(
        _words("check soldier.yaml hunter.yaml goals.mln camp.yaml"), ("soldier.yaml", "hunter.yaml", "goals.mln")
    ),
    "check --json": Command(_words("check soldier.yaml --json"), ("soldier.yaml",)),
    "check --schema": Command(_words("check --schema scene")),
    "schema install": Command(_words("schema install"), (), ".vscode/settings.json"),
    "plan": Command(_words("plan errands.yaml"), ("errands.yaml",)),
    "plan --pddl": Command(
        _words("plan --pddl blocks.pddl blocks-sussman.pddl --json"), ("blocks.pddl", "blocks-sussman.pddl")
    ),
    "plan --graph": Command(
        _words("plan --pddl blocks.pddl blocks-sussman.pddl --graph graph.svg"), ("blocks.pddl",), "graph.svg"
    ),
    "recognize": Command(_words("recognize hunt.jsonl --model hunter.yaml"), ("hunt.jsonl", "hunter.yaml")),
    "recognize -o": Command(
        _words("recognize play.jsonl --model flairs -o beliefs.jsonl"), ("play.jsonl",), "beliefs.jsonl"
    ),
    "recognize gz": Command(_words("recognize hunt.jsonl.gz --model hunter.yaml --json"), ("hunt.jsonl.gz",)),
    "train": Command(_words("train play.jsonl --model aiide -o me.yaml"), ("play.jsonl",), "me.yaml"),
    "evaluate": Command(_words("evaluate play.jsonl --model flairs --model flairs-fsm --json"), ("play.jsonl",)),
    "corpus prepare": Command(
        _words("corpus prepare log.csv --columns camp.yaml --folds 2 -o o.parquet"),
        ("log.csv", "camp.yaml"),
        "o.parquet",
    ),
    "corpus prepare gz": Command(
        _words("corpus prepare log.csv.gz --columns camp.yaml --folds 2 -o o.jsonl.gz"), ("log.csv.gz",), "o.jsonl.gz"
    ),
    "corpus prepare db": Command(
        _words("corpus prepare log.csv --columns camp.yaml --folds 2 -o o.db --model camp.mln"),
        ("log.csv", "camp.mln"),
        "o.db",
    ),
    "corpus island": Command(_words("corpus island --players 2 -o island.csv"), (), "island.csv"),
    "logic infer": Command(_words("logic infer smoking.mln people.db --query Smokes"), ("smoking.mln", "people.db")),
    "logic infer --marginal": Command(
        _words("logic infer smoking.mln people.db -q Cancer --marginal --json"), ("smoking.mln", "people.db")
    ),
    "logic learn": Command(
        _words("logic learn goals.mln day.db -q goal -o out.mln --resume state.json --epochs 6"),
        ("goals.mln", "day.db"),
        "out.mln",
    ),
    "recognize-plan": Command(
        _words("recognize-plan problems --labels problems/labels.jsonl --json"),
        ("problems/index.csv", "problems/labels.jsonl"),
    ),
    "recognize-plan tar": Command(_words("recognize-plan case.tar.gz"), ("case.tar.gz",)),
    "study": Command(_words("study gold-flairs --quick --players 2 --runs 2 --report page.html"), (), "page.html"),
    "study played": Command(_words("study played game.jsonl"), ("game.jsonl",)),
    "tournament": Command(
        _words("tournament --fights 2 --layer squads --seconds 3 --plot fights.svg"), (), "fights.svg"
    ),
    "recognize columns": Command(
        _words("recognize keys.csv --columns keys.yaml --model aiide -o beliefs.parquet"),
        ("keys.csv", "keys.yaml"),
        "beliefs.parquet",
    ),
    "evaluate --report": Command(
        _words("evaluate play.jsonl --model flairs --model flairs-fsm --report scores.html"),
        ("play.jsonl",),
        "scores.html",
    ),
    "goals": Command(_words("goals play.jsonl --model flairs --json"), ("play.jsonl",)),
    "goals --report": Command(
        _words("goals play.jsonl --model flairs --report goals.html"), ("play.jsonl",), "goals.html"
    ),
    "new": Command(_words("new game hamlets")),
    "new character": Command(_words("new character guard --domain soldier.yaml"), ("soldier.yaml",)),
    "watch home": Command(_words("watch home --days 0.1 --json")),
    "watch arena": Command(_words("watch arena --scene flank --seconds 2 --json")),
    "watch arena --replay": Command(_words("watch arena --replay fight.jsonl"), ("fight.jsonl",)),
    "watch island": Command(_words("watch island --json")),
    "watch forge": Command(_words("watch forge --json")),
}


# Serves until it is ended. Its inputs are read before it listens; --port 0 is any free port.
SERVE = Command(
    _words("serve --model hunter.yaml --domain soldier.yaml --tokens tokens.txt --data kept --port 0"),
    ("hunter.yaml", "soldier.yaml", "tokens.txt"),
)


def fill_folder(folder: Path) -> Path:
    """Write the inputs of all commands into a folder."""
    import shutil

    fill(folder)
    for name in ("domains/soldier.yaml", "domains/errands.yaml", "recognizers/hunter.yaml", "recognizers/hunt.jsonl"):
        shutil.copy(seeds.ROOT / "examples" / name, folder)
    shutil.copytree(seeds.STRIPS, folder / "problems")
    hunt = (folder / "hunt.jsonl").read_text(encoding="utf-8")
    parts = {
        "hunt.jsonl.gz": seeds.packed(hunt),
        "log.csv.gz": seeds.packed((folder / "log.csv").read_text(encoding="utf-8")),
        "case.tar.gz": seeds.strips_archive("w:gz"),
        "smoking.mln": seeds.SMOKING.encode(),
        "people.db": seeds.PEOPLE.encode(),
        "game.jsonl": seeds.played_recording(),
        "fight.jsonl": seeds.arena_recording(),
        "keys.csv": seeds.KEYS_LOG.encode(),
        "keys.yaml": seeds.KEYS_COLUMNS.encode(),
        "tokens.txt": b"write,read rJ3kV0yYt6QzAbCdEf\n",
    }
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    return folder


@dataclass(frozen=True, slots=True)
class Run:
    """How a run of a command ended. The exit code is 124 if it was stopped because it took too long."""

    code: int
    stdout: bytes
    stderr: bytes

    def fault(self, codes: Sequence[int] = CODES) -> str:
        """Return what is wrong with the run, or nothing."""
        said = self.stderr.decode(errors="replace")
        if self.code == 124:
            return "hang"
        if "Traceback" in said or "Exception ignored" in said:
            return f"traceback: {said.strip().splitlines()[-1][:200]}"
        if "internal error" in said:
            return said.strip()[:250]
        if self.code not in codes:
            return f"exit code {self.code}: {said.strip()[-200:]}"
        if len(said) > MAX_SAID or max(map(len, said.split("\n"))) > MAX_LINE:
            return f"{len(said)} characters on stderr"
        return ""


def run_command(
    arguments: Sequence[str],
    folder: Path,
    *,
    timeout: float = 60,
    python: Sequence[str] = (),
    shell: str = "",
    change: Mapping[str, str | None] = {},
    interrupt: float | None = None,
    whole_group: bool = False,
    **options: object,
) -> Run:
    """Run ``telos`` in a folder, and return how it ended.

    ``shell`` is a line in which ``"$@"`` stands for the command; after ``interrupt`` seconds comes a Ctrl-C.
    """
    command = [sys.executable, *python, "-m", "telos", *arguments]
    if shell:
        command = ["bash", "-c", shell, "bash", *command]
    settings = environment()
    for name, value in change.items():
        settings.pop(name, None)
        if value is not None:
            settings[name] = value
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    with subprocess.Popen(command, cwd=folder, env=settings, start_new_session=True, **given) as process:  # type: ignore[call-overload]
        try:
            if interrupt is not None:
                try:
                    out, err = process.communicate(timeout=interrupt)
                    return Run(process.returncode, out or b"", err or b"")
                except subprocess.TimeoutExpired:
                    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Run(124, out or b"", err or b"")
        return Run(process.returncode, out or b"", err or b"")
