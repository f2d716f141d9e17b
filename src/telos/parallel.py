"""One ordered parallel map for everything that runs in several processes."""

import os
import pickle
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from telos.core.errors import TelosError
from telos.exits import uninterrupted

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
    results must be picklable. More processes than items, or than twice the processors, are not started. When the caller
    stops early or an item fails, the processes are stopped; they also end when this process is killed.

    >>> list(parallel_map(abs, [-3, 2, -1], jobs=1))
    [3, 2, 1]
    """
    if jobs < 1:
        raise TelosError(f"jobs must be at least 1, got {jobs}")
    if jobs == 1 or len(items) < 2:
        yield from map(function, items)
        return
    workers: list[_Worker] = []
    try:
        for _ in range(min(jobs, len(items), max_workers())):
            workers.append(_Worker(function, initializer, initargs))
        yield from _distribute(items, workers)
    finally:
        for worker in workers:
            worker.stop()


def max_workers() -> int:
    """Return how many processes are started at most: more than twice the processors only take memory."""
    return max(4, 2 * (os.cpu_count() or 1))


def _distribute(items: Sequence[Any], workers: "Sequence[_Worker]") -> Iterator[Any]:
    """Give each worker an item at a time; yield results in the order of the items."""
    waiting = deque(enumerate(items))
    busy: dict[Any, tuple[_Worker, int]] = {}  # by link
    done: dict[int, Any] = {}
    following = 0
    for worker in workers:
        place, item = waiting.popleft()
        busy[worker.link] = worker, place
        worker.give(item)
    while busy:
        for link in wait(list(busy)):
            worker, place = busy.pop(link)
            done[place] = worker.take()
            if waiting:
                after, item = waiting.popleft()
                busy[worker.link] = worker, after
                worker.give(item)
        while following in done:
            yield done.pop(following)
            following += 1


class _Worker:
    """A process that computes one result at a time, linked by a pipe.

    A pipe and no queue: queues need threads and semaphores, which make noise when the process is interrupted. Spawned,
    not forked: a progress bar has threads, and a fork while one holds a lock may hang.
    """

    def __init__(self, function: Callable[[Any], Any], *start: Any) -> None:
        context = get_context("spawn")
        task = pickle.dumps((function, *start))
        if os.name == "posix":
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # otherwise done by `start`, where it unblocks Ctrl-C
        with uninterrupted():
            self.link, theirs = context.Pipe()
            # Little is handed over at the start, so that it is in the pipe before this process can be killed.
            self._process = context.Process(target=_work, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        self._send(task)

    def give(self, item: Any) -> None:
        """Start to compute the result for an item."""
        self._send(pickle.dumps(item))

    def _send(self, data: bytes) -> None:
        try:
            self.link.send_bytes(data)
        except OSError:
            raise self._lost() from None

    def take(self) -> Any:
        """Wait for the result, or raise the error that the worker met."""
        try:
            is_result, value = pickle.loads(self.link.recv_bytes())
        except (EOFError, OSError):
            raise self._lost() from None
        if is_result:
            return value
        raise value

    def _lost(self) -> TelosError:
        self._process.join(5.0)
        return TelosError(
            f"a worker process ended unexpectedly (exit code {self._process.exitcode})", "try again with fewer jobs"
        )

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.link.close()
        self._process.kill()
        self._process.join()


# --- in the worker ---


def _work(link: Connection) -> None:
    """Compute results until the pipe is closed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the parent process has ended
        start = link.recv_bytes()
        data = link.recv_bytes()
        function, failed = _prepare(start)
        while True:
            link.send_bytes(failed or _answer(function, data))
            data = link.recv_bytes()
    os._exit(0)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _prepare(start: bytes) -> tuple[Callable[[Any], Any], bytes]:
    """Return the function to compute with, and the pickled error if the preparation fails."""
    try:
        function, initializer, initargs = pickle.loads(start)
        if initializer is not None:
            initializer(*initargs)
    except BaseException as error:
        return abs, _pickle_error(error)
    return function, b""


def _answer(function: Callable[[Any], Any], data: bytes) -> bytes:
    """Return the pickled result, or the pickled error."""
    try:
        return pickle.dumps((True, function(pickle.loads(data))))
    except BaseException as error:
        return _pickle_error(error)


def _pickle_error(error: BaseException) -> bytes:
    error.add_note(f"in a worker process:\n{''.join(traceback.format_exception(error))}")
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return answer
