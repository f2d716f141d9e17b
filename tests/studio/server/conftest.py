"""A studio in its own process, without a browser."""

import re
from collections.abc import Iterator

import pytest

from browser.conftest import Studio


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    pytest.importorskip("nicegui")
    started = Studio(tmp_path_factory.mktemp("models"), "--port", "0")
    yield started
    started.end()
    said = (started.folder / "studio.log").read_text()
    assert "Traceback" not in said
    assert "never retrieved" not in said


def begun(studio: Studio, address: str) -> str:
    """Open a page as a browser would, and return the address of its WebSocket."""
    page = studio.fetch(address).read().decode()
    found = re.search(r"/link/[\w-]+", page)
    assert found, page[:500]
    return studio.site.replace("http", "ws", 1) + found[0]
