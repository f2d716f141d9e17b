"""Group commit: requests that arrive together are kept together, by one thread, before any of them is answered."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from telos.core.errors import TelosError
from telos.service.messages import ProblemCode, ServiceError
from telos.service.players import LivePlayers, Outcome, Submission

Answer = TypeVar("Answer")

_LOG = logging.getLogger("telos.service")

MAX_WAITING = 200_000  # events that wait to be kept; beyond that, requests are refused and streams wait
MAX_BATCH = 5_000  # events of one commit: as many as are read in a fraction of a second


@dataclass(slots=True)
class Lane:
    """Submissions of one sender whose order matters: after one was not kept, none that waits behind it is read."""

    has_failed: bool = False


class _Work(NamedTuple):
    submissions: Sequence[Submission]
    lane: Lane
    done: "asyncio.Future[list[Outcome]]"
    size: int


class Committer:
    """Hands submissions to ``LivePlayers`` in batches; everything that touches players runs in its thread."""

    def __init__(self, players: LivePlayers, publish: Callable[[Submission, Outcome], None]) -> None:
        self.players = players
        self._publish = publish
        self.waiting = 0  # events
        self._queue: asyncio.Queue[_Work] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="telos-players")
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; needs a running event loop."""
        self._task = asyncio.create_task(self._work())

    def check_room(self) -> None:
        """Raise if too many events wait."""
        if self.waiting > MAX_WAITING:
            raise ServiceError(ProblemCode.UNAVAILABLE, "too many events wait to be kept", "send them again later")

    async def wait_for_room(self) -> None:
        """Wait until fewer events wait, so that a stream slows its sender down."""
        while self.waiting > MAX_WAITING // 2:
            await self._room.wait()

    def enqueue(self, submissions: Sequence[Submission], lane: Lane) -> "asyncio.Future[list[Outcome]]":
        """Let submissions be kept, in the order of these calls, and return their outcomes in future."""
        done: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        size = sum(len(each.events) for each in submissions)
        self._count(size)
        self._queue.put_nowait(_Work(submissions, lane, done, size))
        return done

    def _answer(self, work: _Work, outcomes: list[Outcome]) -> None:
        for submission, outcome in zip(work.submissions, outcomes, strict=True):
            self._publish(submission, outcome)
        if not work.done.done():  # its request may have been cancelled
            work.done.set_result(outcomes)

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
            size = batch[0].size
            while size < MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
                size += batch[-1].size
            await self._commit(batch)
            self._count(-size)

    async def _commit(self, batch: list[_Work]) -> None:
        ready = [work for work in batch if not work.lane.has_failed]
        late = [work for work in batch if work.lane.has_failed]
        for work, outcomes in zip(ready, await self._outcomes(ready), strict=True):
            self._answer(work, outcomes)
        for work in late:
            error = ServiceError(ProblemCode.UNAVAILABLE, "earlier events were not kept", "send all of them again")
            self._answer(work, [Outcome(error=error) for _ in work.submissions])

    async def _outcomes(self, batch: list[_Work]) -> list[list[Outcome]]:
        """Return the outcomes of all submissions of each."""
        try:
            outcomes = await self.run(self.players.submit, [each for work in batch for each in work.submissions])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, TelosError):  # a defect that one of them meets
                return [(await self._outcomes([work]))[0] for work in batch]
            raised = error if isinstance(error, ServiceError) else as_problem(error)
            for work in batch:
                work.lane.has_failed = raised.code is ProblemCode.UNAVAILABLE
            return [[Outcome(error=raised) for _ in work.submissions] for work in batch]
        remaining = iter(outcomes)
        return [[next(remaining) for _ in work.submissions] for work in batch]

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
