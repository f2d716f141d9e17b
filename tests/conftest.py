"""What every test may use: golden files, and a flag for the slow ones."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same cases every time, so that a change is judged by what it changed; --slow draws new ones.
settings.register_profile("same", derandomize=True)

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden from what the code does now")
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--slow"):
        settings.load_profile("same")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
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
