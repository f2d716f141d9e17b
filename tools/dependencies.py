"""What each dependency costs, and whether the oldest versions that are allowed still work.

    python tools/dependencies.py [--json]               # size on disk and import time of each, as installed here
    python tools/dependencies.py [FOLDER] --lowest      # install the oldest allowed versions, and run tests with them

Sizes are of a package's own files; what it brings along counts for itself. Import times are medians of new processes,
without the start of Python, in time of the processor, which a busy machine does not change much. ``--lowest`` needs
``uv``: it resolves the direct dependencies to their lower bounds, installs that into a new environment, and runs a
sample of the tests with it.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# What is imported, where it is not named like the package. None: a program, or types only.
MODULES: dict[str, str | None] = {
    "axe-playwright-python": "axe_playwright_python",
    "build": None,
    "hypothesis": "hypothesis",
    "import-linter": None,
    "mkdocs-material": None,
    "mkdocstrings": None,
    "mypy": None,
    "nats-py": "nats",
    "pillow": "PIL",
    "prometheus-client": "prometheus_client",
    "protobuf": "google.protobuf",
    "psycopg": "psycopg",
    "py-trees": "py_trees",
    "pygame-ce": "pygame",
    "pytest-xdist": None,
    "python-crfsuite": "pycrfsuite",
    "pyyaml": "yaml",
    "ruff": None,
    "scikit-learn": "sklearn",
    "types-jsonschema": None,
    "types-pyyaml": None,
}
EXTRAS = (
    "planning",
    "recognition",
    "logic",
    "telemetry",
    "worlds",
    "gym",
    "studies",
    "service",
    "postgres",
    "nats",
    "studio",
)
TOOLS = ("pytest>=8.2", "hypothesis>=6.100", "jsonschema>=4.21", "httpx2>=2.0")  # for the tests; of any version
# A sample of every room, without browsers and servers.
SAMPLE = (
    "tests/test_public_api.py", "tests/core", "tests/files", "tests/choosing", "tests/planning", "tests/logic",
    "tests/recognition", "tests/agents", "tests/telemetry", "tests/service", "tests/studies/test_report.py",
    "tests/cli/test_check.py", "tests/cli/test_plan.py", "tests/cli/test_recognize.py", "tests/cli/test_schema.py",
)  # fmt: skip


def list_dependencies() -> dict[str, list[str]]:
    """Return the direct dependencies, each with the extras that ask for it; none for the core."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, list[str]] = {}
    for extra, wanted in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for each in wanted:
            name = re.split(r"[<>=\[;! ]", each)[0].lower()
            if name != "telos":
                found.setdefault(name, []).append(extra)
    return found


def measure(name: str) -> dict[str, Any] | None:
    """Return version, megabytes and import time of an installed package; None if it is not installed."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    paths = [Path(str(found.locate_file(each))) for each in found.files or ()]
    size = sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")
    module = MODULES.get(name, name.replace("-", "_"))
    return {"version": found.version, "megabytes": size / 1e6, "import_ms": import_time(module) if module else None}


def import_time(module: str) -> float:
    """Return the median milliseconds of importing a module in a new process."""

    def seconds(code: str) -> float:
        times = []
        for _ in range(3):
            before = os.times()
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return statistics.median(times)

    seconds(f"import {module}")  # what is read now is in the cache for the others
    return max(0.0, seconds(f"import {module}") - seconds("pass")) * 1e3


def print_costs(as_json: bool) -> None:
    """Print a line for each dependency, as soon as it is measured."""
    found: dict[str, dict[str, Any]] = {}
    if not as_json:
        print(f"{'package':24}{'version':14}{'MB':>8}{'import ms':>11}  extras")
    for name, extras in sorted(list_dependencies().items()):
        each = found[name] = {"extras": extras, **(measure(name) or {})}
        if not as_json:
            print(_format_line(name, each), flush=True)
    if as_json:
        print(json.dumps(found, indent=2))


def _format_line(name: str, each: dict[str, Any]) -> str:
    if "version" not in each:
        return f"{name:24}not installed"
    loads = "" if each["import_ms"] is None else f"{each['import_ms']:.0f}"
    extras = ", ".join(filter(None, each["extras"])) or "core"
    return f"{name:24}{each['version']:14}{each['megabytes']:8.1f}{loads:>11}  {extras}"


def try_lowest(folder: Path, tests: Sequence[str]) -> int:
    """Install the oldest allowed versions, run the sample of the tests, and return pytest's exit code."""
    uv = [sys.executable, "-m", "uv"]
    lowest, python = folder / "lowest.txt", folder / "environment" / "bin" / "python"
    compile_options = [word for extra in EXTRAS for word in ("--extra", extra)]
    compiled = ["-q", "--resolution", "lowest-direct", *compile_options, "-o", str(lowest), "pyproject.toml"]
    subprocess.run([*uv, "pip", "compile", *compiled], cwd=ROOT, check=True)
    subprocess.run([*uv, "venv", "-q", str(folder / "environment")], check=True)
    subprocess.run(
        [*uv, "pip", "install", "-q", "--python", str(python), "-r", str(lowest), *TOOLS, "-e", str(ROOT)], check=True
    )
    direct = list_dependencies()
    for line in lowest.read_text(encoding="utf-8").splitlines():
        if line.partition("==")[0].partition("[")[0].lower() in direct:
            print(line)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # warnings of old libraries on a newer Python are theirs
    command = [str(python), "-m", "pytest", "-q", "-W", "default", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Print costs, or try the oldest versions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the costs as one JSON object")
    parser.add_argument("--lowest", action="store_true", help="install the oldest versions, and run tests with them")
    parser.add_argument("--tests", nargs="+", default=SAMPLE, help="with --lowest: which tests instead of the sample")
    parser.add_argument("folder", nargs="?", type=Path, help="with --lowest: where to install, instead of a new folder")
    options = parser.parse_args(arguments)
    if not options.lowest:
        print_costs(options.json)
        return 0
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return try_lowest(options.folder, options.tests)
    with tempfile.TemporaryDirectory() as folder:
        return try_lowest(Path(folder), options.tests)


if __name__ == "__main__":
    raise SystemExit(main())
