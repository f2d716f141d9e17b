"""Work that is shared out to processes: the answers come in the order of the tasks, whoever is done first."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from telos.core.errors import TelosError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def shared_out(work: Callable[[Task], Answer], tasks: Sequence[Task], *, jobs: int) -> Iterator[Answer]:
    """Yield the answer to each task. With several ``jobs``, ``work`` and the tasks must survive pickling."""
    if jobs < 1:
        raise TelosError(f"a study needs at least 1 job, got {jobs}")
    if jobs == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    # Started afresh, not forked: a progress bar has threads, and a fork in the middle of one may hang.
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            yield from pool.map(work, tasks)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # whoever stops early need not wait for the rest


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits
