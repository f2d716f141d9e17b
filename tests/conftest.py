"""What every test may use: golden files, a flag for the slow ones, and all cores to run them on."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from compiling import compile_in_turns

# The same cases every time, so that a change is judged by what it changed; --slow draws new ones. No example has to be
# ready by a deadline: the first one may load a library or compile a kernel, and machines may be busy.
UNHURRIED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, **UNHURRIED)
settings.register_profile("new", **UNHURRIED)

GOLDEN = Path(__file__).parent / "golden"
MOST_WORKERS = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden from what the code does now")
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads its options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run folders of tests on all cores, unless told otherwise; named files, and what is debugged, in this process."""
    options = config.option
    if not config.pluginmanager.has_plugin("xdist") or hasattr(config, "workerinput"):
        return
    if options.numprocesses is not None or options.dist != "no" or options.collectonly:
        return
    if options.usepdb or options.trace or options.capture == "no":
        return
    if not all(Path(each.partition("::")[0]).is_file() for each in config.args):
        # One more than cores: tests with a browser, a service or Spark spend much of their time waiting.
        options.numprocesses, options.dist = min(_cores() + 1, MOST_WORKERS), "worksteal"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("new" if config.getoption("--slow") else "same")
    if hasattr(config, "workerinput"):
        compile_in_turns(Path(config.workerinput["locks"]))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Name the file by which the workers of this run take turns."""
    if not hasattr(node.config, "locks"):
        node.config.locks = tempfile.NamedTemporaryFile(prefix="telos-tests-")  # noqa: SIM115 (closed below)
        node.config.add_cleanup(node.config.locks.close)
    node.workerinput["locks"] = node.config.locks.name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # The longest first, so that one worker has them all: each that runs some starts a driver of its own.
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent / "spark")
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run it with --slow"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the one on record, or put it on record."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{name} is not on record; make it with: pytest --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"{name} differs; if that is right: pytest --update-golden"

    return compare


@pytest.fixture
def full_device() -> Path:
    """Return a device that takes no byte."""
    device = Path("/dev/full")
    if not device.is_char_device():
        pytest.skip("this system has no /dev/full")
    return device
