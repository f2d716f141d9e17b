"""Models are shared between threads: one reader for each thread, and the answers are those of one thread."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from recognition.saved import SavedCase, saved_cases
from telos.core.belief import Belief

THREADS = 8


@pytest.fixture(autouse=True)
def _frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def _read(case: SavedCase, shift: int) -> list[Belief]:
    """Return the beliefs about a player who does something else in each thread."""
    reader = case.start()
    beliefs = [reader.observe(event) for event in case.events[shift:]]
    resumed = case.resume(reader.save())
    assert resumed.belief == reader.belief
    return beliefs


@pytest.mark.parametrize("kind", saved_cases())
def test_readers_in_threads_share_a_model(kind: str) -> None:
    serial = [_read(saved_cases()[kind], shift) for shift in range(THREADS)]
    saved_cases.cache_clear()  # a new model, whose caches are empty
    case, together = saved_cases()[kind], Barrier(THREADS)

    def work(shift: int) -> list[Belief]:
        together.wait()
        return _read(case, shift)

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == serial
