"""Group commit: requests that arrive together are kept together, by one thread, before any of them is answered."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from telos.core.errors import TelosError
from telos.service.messages import BeliefMessage, ProblemCode, ServiceError
from telos.service.players import LivePlayers, Outcome, Submission

Answer = TypeVar("Answer")

_LOG = logging.getLogger("telos.service")

MAX_WAITING = 200_000  # events that wait to be kept; beyond that, requests are refused and streams wait
MAX_BATCH = 20_000  # events of one commit


class Committer:
    """Hands submissions to ``LivePlayers`` in batches; everything that touches players runs in its thread."""

    def __init__(self, players: LivePlayers) -> None:
        self.players = players
        self.waiting = 0  # events
        self._queue: asyncio.Queue[tuple[Submission, asyncio.Future[Outcome]]] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="telos-players")
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; needs a running event loop."""
        self._task = asyncio.create_task(self._work())

    async def submit(self, submission: Submission) -> list[BeliefMessage]:
        """Keep the events and return the beliefs after them; raises what is wrong with them."""
        if self.waiting > MAX_WAITING:
            raise ServiceError(ProblemCode.UNAVAILABLE, "too many events wait to be kept", "send them again later")
        return (await self._enqueue(submission)).result()

    async def submit_when_free(self, submission: Submission) -> Outcome:
        """As ``submit``, but wait for room, so that a stream slows its sender down, and return the outcome."""
        await self._room.wait()
        return await self._enqueue(submission)

    async def _enqueue(self, submission: Submission) -> Outcome:
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._count(len(submission.events))
        self._queue.put_nowait((submission, future))
        return await future

    def _count(self, change: int) -> None:
        self.waiting += change
        if self.waiting > MAX_WAITING // 2:
            self._room.clear()
        else:
            self._room.set()

    async def run(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """Run a function on players between two commits."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def _work(self) -> None:
        while True:
            batch = [await self._queue.get()]
            size = len(batch[0][0].events)
            while size < MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
                size += len(batch[-1][0].events)
            await self._commit(batch)
            self._count(-size)

    async def _commit(self, batch: list[tuple[Submission, "asyncio.Future[Outcome]"]]) -> None:
        try:
            outcomes = await self.run(self.players.submit, [submission for submission, _ in batch])
        except Exception as error:
            raised = error if isinstance(error, ServiceError) else as_problem(error)
            outcomes = [Outcome(error=raised) for _ in batch]
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if not future.done():  # its request may have been cancelled
                future.set_result(outcome)

    async def stop(self) -> None:
        """Keep what waits, write snapshots, and end the thread."""
        while self.waiting:
            await asyncio.sleep(0.01)
        if self._task is not None:
            self._task.cancel()
        await self.run(self.players.close)
        self._thread.shutdown()


def as_problem(error: Exception) -> ServiceError:
    """Return any error as one that can be answered; what is unexpected is logged with its traceback."""
    if not isinstance(error, TelosError):
        _LOG.error("unexpected error", exc_info=error)
        return ServiceError(ProblemCode.INTERNAL, f"the service has failed: {type(error).__name__}", "see its log")
    return ServiceError(ProblemCode.UNAVAILABLE, error.message or str(error), error.remedy)
