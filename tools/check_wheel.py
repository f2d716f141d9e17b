"""Build the wheel and the sdist, install the wheel outside the checkout, and use all of it from there.

    python tools/check_wheel.py [--fresh] [--extras all] [--keep FOLDER]

The new environment borrows the dependencies of the one that runs this; with ``--fresh`` it installs them and the
extras itself, as a user would. Checked are: every file of the package in git is in the wheel, none is larger than
a megabyte, the metadata is complete, ``telos`` comes from the environment and not from the checkout, every command
and every world runs, every schema and model loads, the studio serves its page and every file that the page names. It
prints the size of the wheel, its largest files, and what ``import telos`` takes. The exit code is 0 or 1.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import site
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import venv
import zipfile
from collections.abc import Iterator, Sequence
from email import message_from_string
from pathlib import Path
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_000_000  # bytes of a file in the wheel
EXTRAS = "all,spark,postgres,nats,gym,pygame"
INSIDE = """
import json, sys
from pathlib import Path
import telos
from telos.checks import check_world
from telos.files import FORMATS, editor_schema_text, schema_text
from telos.recognition.files import named_model
from telos.worlds import WORLDS

where = Path(telos.__file__).resolve()
assert Path(sys.prefix).resolve() in where.parents, f"telos comes from {where}"
assert all(getattr(telos, name) for name in telos.__all__)
for kind in FORMATS:
    assert json.loads(schema_text(kind))["title"]
assert json.loads(editor_schema_text())["$defs"]
for name, entry in WORLDS.items():
    world = entry()
    for _ in range(5):
        world.step({})
    assert world.view() is not None, name
models = sorted(path.stem for path in (where.parent / "recognition" / "data").glob("*.yaml"))
for name in models:
    named_model(name)
assert telos.recognizer("island.mln")
print(len(telos.__all__), "names,", len(FORMATS), "schemas,", len(WORLDS), "worlds,", len(models) + 1, "models")
"""
DOMAIN = (
    "domain: camp\nvariables: {wood: int}\nactions: {chop: {effects: wood += 1}}\ngoals: {stock: {wants: wood >= 2}}\n"
)
LOG = '{"player": "ann", "time": 0.0, "action": "swing", "context": {"monsters": 1}, "truth": "level"}\n'
MLN = "Smokes(person)\nCancer(person)\n1.5 Smokes(x) => Cancer(x)\n"
GRAMMAR_PDDL = (
    "(define (domain lamp) (:requirements :strips) (:predicates (on)) (:action press :parameters () :precondition (and)"
    " :effect (on)))",
    "(define (problem p) (:domain lamp) (:init) (:goal (on)))",
)
# Every command with the code that it must end with. {folder} is the folder of `fill_folder`.
RUNS: tuple[tuple[str, int], ...] = (
    ("--version", 0),
    ("check camp.yaml", 0),
    ("check --schema scene", 0),
    ("schema install", 0),
    ("new domain bakery", 0),
    ("new recognizer angler", 0),
    ("new game hamlet2", 0),
    ("plan camp.yaml --goal stock", 0),
    ("plan --pddl lamp.pddl task.pddl", 0),
    ("columns presets", 0),
    ("recognize log.jsonl --model adventure", 0),
    ("train log.jsonl --model aiide -o me.yaml", 0),
    ("evaluate log.jsonl --model flairs --model flairs-fsm", 0),
    ("goals log.jsonl --model flairs --report goals.html", 0),
    ("corpus island --players 2 -o island.csv", 0),
    ("logic infer smoking.mln people.db --query Cancer", 0),
    ("watch home --seed 1 --json", 0),
    ("watch arena --scene door-held --seed 1 --json", 0),
    ("tournament --fights 2 --seconds 1 --json", 0),
    ("study forge --quick --runs 2 --json", 0),
    ("recognize-plan nowhere", 2),
    ("serve --port 0 --model nowhere.yaml", 2),
)


# --- build ------------------------------------------------------------------------------------------------------------


def build(folder: Path) -> tuple[Path, Path]:
    """Build both into a folder, the wheel from the sdist, and return their paths."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def find_faults(wheel: Path, sdist: Path) -> Iterator[str]:
    """Yield what is wrong with the files and the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {each.filename: each.file_size for each in archive.infolist()}
        metadata = next(name for name in inside if name.endswith(".dist-info/METADATA"))
        about = message_from_string(archive.read(metadata).decode("utf-8"))
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src/telos"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, listed):
        if name.removeprefix("src/") not in inside:
            yield f"{name} is not in the wheel"
    for name, size in inside.items():
        if size > LARGEST:
            yield f"{name} has {size:,} bytes"
        if not name.startswith(("telos/", "telos-")) or "__pycache__" in name:
            yield f"{name} should not be in the wheel"
    classifiers = about.get_all("Classifier", [])
    for version in ("3.11", "3.12", "3.13"):
        if f"Programming Language :: Python :: {version}" not in classifiers:
            yield f"no classifier for Python {version}"
    for field in ("Summary", "License-Expression", "Requires-Python", "Keywords", "Author", "Description-Content-Type"):
        if not about.get(field):
            yield f"the metadata have no {field}"
    with tarfile.open(sdist) as archive_of_sources:
        names = {name.partition("/")[2] for name in archive_of_sources.getnames()}
    for name in (
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "CITATION.cff",
        "pyproject.toml",
        "mkdocs.yml",
        "tests/conftest.py",
    ):
        if name not in names:
            yield f"{name} is not in the sdist"


# --- use --------------------------------------------------------------------------------------------------------------


def create_environment(folder: Path, wheel: Path, extras: str | None) -> Path:
    """Return the Python of a new environment with the wheel in it; without ``extras`` its dependencies are borrowed."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if extras is None:
        subprocess.run([*install, "--no-deps", str(wheel)], check=True, capture_output=True)
        there = subprocess.run(
            [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()  # fmt: skip
        # .pth files in there are not followed, so that an editable install of the checkout stays out of sight
        borrowed = [each for each in site.getsitepackages() if Path(each).is_dir()]
        Path(there, "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    else:
        subprocess.run([*install, f"{wheel}[{extras}]"], check=True)
    return python


def clean_environment() -> dict[str, str]:
    """Return the environment without what points Python at the checkout."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }


def fill_folder(folder: Path) -> None:
    """Write what the commands read."""
    texts = {
        "camp.yaml": DOMAIN, "log.jsonl": LOG * 3, "smoking.mln": MLN, "people.db": "Smokes(Ann)\n",
        "lamp.pddl": GRAMMAR_PDDL[0], "task.pddl": GRAMMAR_PDDL[1],
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def use(python: Path, folder: Path) -> Iterator[str]:
    """Run everything in a folder outside the checkout, and yield what went wrong."""
    fill_folder(folder)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), *words], cwd=folder, env=clean_environment(), capture_output=True, text=True,
            encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip

    inside = run("-c", INSIDE)
    print("installed:", inside.stdout.strip() or "nothing that runs")
    if inside.returncode:
        yield inside.stderr.strip().splitlines()[-1]
        return
    listed = run("-c", "from telos.cli.app import COMMANDS; print(*COMMANDS)").stdout.split()
    for name in listed:
        if run("-m", "telos", name, "--help").returncode:
            yield f"telos {name} --help fails"
        if name != "play" and not any(line.split()[0] == name for line, _ in RUNS):
            yield f"telos {name} is not run; add it to RUNS"
    for line, code in RUNS:
        try:
            done = run("-m", "telos", *line.split())
        except subprocess.TimeoutExpired:
            yield f"telos {line} takes more than five minutes"
            continue
        if done.returncode != code:
            said = done.stderr.strip().splitlines() or ["no message"]
            yield f"telos {line} ended with {done.returncode}: {said[-1]}"
    print(f"{len(listed)} commands, {len(RUNS)} runs")
    yield from find_studio_faults(python, folder)


def find_studio_faults(python: Path, folder: Path) -> Iterator[str]:
    """Start the studio, and fetch its page and every file that the page names."""
    command = [str(python), "-m", "telos", "play", "--no-browser", "--port", "0", "--json", "--folder", str(folder)]
    said = folder / "studio.json"
    with said.open("w", encoding="utf-8") as output:
        studio = subprocess.Popen(command, cwd=folder, env=clean_environment(), stdout=output, stderr=output)
    try:
        for _ in range(600):
            if (said.stat().st_size and said.read_text(encoding="utf-8").endswith("\n")) or studio.poll() is not None:
                break
            time.sleep(0.1)
        try:
            address = json.loads(said.read_text(encoding="utf-8").splitlines()[-1])["address"]
        except (ValueError, IndexError):
            yield f"the studio did not start: {said.read_text(encoding='utf-8')[:200]}"
            return
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())  # the page's token is in a cookie
        with browser.open(address, timeout=30) as page:
            text = page.read().decode("utf-8")
        assets = sorted(set(re.findall(r"""(?:src|href)=["']([^"'#]+\.(?:js|css|svg|png|ico|woff2)[^"']*)""", text)))
        for asset in assets:
            if asset.startswith(("http:", "https:", "//")):
                yield f"the studio's page asks for {asset}"
                continue
            with browser.open(urljoin(address, asset), timeout=30) as answer:
                if answer.status != 200:
                    yield f"{asset}: {answer.status}"
        print(f"the studio's page and {len(assets)} files that it names are served")
        if not assets:
            yield "the studio's page names no files"
    except OSError as error:
        yield f"the studio: {error}"
    finally:
        studio.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            studio.wait(20)
        studio.kill()


def import_time(python: Path, statement: str) -> float:
    """Return the median seconds of a statement in new processes, without the start of Python."""

    def seconds(code: str) -> float:
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            subprocess.run([str(python), "-c", code], env=clean_environment(), check=True, cwd=tempfile.gettempdir())
            times.append(time.perf_counter() - begun)
        return statistics.median(times)

    return max(0.0, seconds(statement) - seconds("pass"))


def check(folder: Path, extras: str | None) -> list[str]:
    """Build, install and use; print what was measured, and return what is wrong."""
    wheel, sdist = build(folder)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; {sdist.name}: {sdist.stat().st_size / 1e6:.2f} MB")
    with zipfile.ZipFile(wheel) as archive:
        for each in sorted(archive.infolist(), key=lambda each: -each.file_size)[:3]:
            print(f"  {each.file_size / 1e3:6.0f} kB  {each.filename}")
    faults = list(find_faults(wheel, sdist))
    python = create_environment(folder / "environment", wheel, extras)
    outside = folder / "outside"
    outside.mkdir()
    faults += use(python, outside)
    for statement in ("import telos", "import telos.planning, telos.recognition, telos.agents"):
        print(f"{statement}: {import_time(python, statement) * 1e3:.0f} ms")
    return faults


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print faults, and return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="install the dependencies, too")
    parser.add_argument("--extras", default=EXTRAS, help="with --fresh: the extras to install")
    parser.add_argument("--keep", type=Path, help="build and install in this folder, and leave it there")
    options = parser.parse_args(arguments)
    extras = options.extras if options.fresh else None
    if options.keep:
        options.keep.mkdir(parents=True)
        faults = check(options.keep, extras)
    else:
        with tempfile.TemporaryDirectory() as folder:
            faults = check(Path(folder), extras)
    for fault in faults:
        print("FAULT", fault)
    print("all is well" if not faults else f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
