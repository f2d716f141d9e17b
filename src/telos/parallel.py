"""One ordered parallel map for everything that runs in several processes."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

from telos.core.errors import TelosError

Item = TypeVar("Item")
Result = TypeVar("Result")


def parallel_map(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    initializer: Callable[..., object] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[Result]:
    """Yield the result for each item, in the order of the items, computed by ``jobs`` processes.

    With one job everything runs in this process, and ``initializer`` is not called. With several, functions, items and
    results must be picklable. When the caller stops early or an item fails, items that have not started are cancelled.

    >>> list(parallel_map(abs, [-3, 2, -1], jobs=1))
    [3, 2, 1]
    """
    if jobs < 1:
        raise TelosError(f"jobs must be at least 1, got {jobs}")
    if jobs == 1 or len(items) < 2:
        yield from map(function, items)
        return
    # Spawned, not forked: a progress bar has threads, and a fork while one holds a lock may hang.
    with ProcessPoolExecutor(
        min(jobs, len(items)),
        mp_context=get_context("spawn"),
        initializer=_start_worker,
        initargs=(initializer, initargs),
    ) as pool:
        try:
            yield from pool.map(function, items)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start_worker(initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    if initializer is not None:
        initializer(*initargs)
