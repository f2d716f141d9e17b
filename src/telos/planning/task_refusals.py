"""Why tasks could not be done: which task was stuck, by which methods, and what each of them lacked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from telos.core.binding import Slots
from telos.core.conditions import Condition
from telos.core.plan import Diagnosis, NoPlan, Stop
from telos.planning.task_plan import Move
from telos.planning.task_steps import Handles, OpenAction, OpenMethod
from telos.planning.tasks import Task

MOST_CHOICES = 3  # of handles for one method, and of tasks that lead to another


@dataclass(frozen=True, slots=True)
class Refusal:
    """A task that could not go on in a state: the tasks it was a part of, and every way that was tried."""

    task: Task
    array: Slots
    trail: tuple[str, ...]
    ways: tuple[tuple[OpenAction | OpenMethod, tuple[Handles, ...]], ...]

    @property
    def lacking(self) -> list[tuple[OpenAction | OpenMethod, tuple[Handles, ...]]]:
        """Return the ways that could not be gone, with the handles that each was tried with."""
        return [(way, tried) for way, tried in self.ways if not any(way.applies(self.array, each) for each in tried)]

    @property
    def missing(self) -> tuple[Condition, ...]:
        """Return what the first of these ways lacked."""
        return next((way.lacks(self.array, tried[0]).missing for way, tried in self.lacking if tried), ())

    def lines(self) -> Iterator[str]:
        """Yield what was stuck, and below it what each way lacked."""
        stuck = f"{self.task}, for {', for '.join(self.trail)}" if self.trail else str(self.task)
        verdict = "no method applies" if len(self.lacking) == len(self.ways) else "not every method applies"
        for number, (way, tried) in enumerate(self.lacking):
            if isinstance(way, OpenAction):
                yield f"{stuck}: it needs {way.lacks(self.array, tried[0]).said}"
                continue
            if number == 0:
                yield f"{stuck}: {verdict}"
            yield from (f"  {way.method.name}{line}" for line in self._lacks(way, tried))

    def _lacks(self, way: OpenMethod, tried: tuple[Handles, ...]) -> Iterator[str]:
        method = way.method
        if not tried:
            yield f": there is no {' or '.join(dict.fromkeys(map(str, method.choose.values())))} to choose"
        for handles in tried[:MOST_CHOICES]:
            chosen = handles[len(method.parameters) :]
            given = ", ".join(f"{name} = {handle}" for name, handle in zip(method.choose, chosen, strict=True))
            yield f"{f' with {given}' if given else ''}: it needs {way.lacks(self.array, handles).said}"
        if len(tried) > MOST_CHOICES:
            yield f": nor with {len(tried) - MOST_CHOICES} other choices"


def trail_of(who: int, moves: Sequence[Move]) -> tuple[str, ...]:
    """Return the tasks that a task was a part of, the nearest first, each with its method."""
    whole = {part: move for move in moves for part in move.parts}
    trail: list[str] = []
    while who in whole and len(trail) < MOST_CHOICES:
        move = whole[who]
        trail.append(f"{move.task} by {move.method.name}" if move.method else str(move.task))
        who = move.who
    return tuple(trail)


def diagnosis(refusals: Sequence[Refusal]) -> Callable[[NoPlan], Diagnosis]:
    """Return the function that says what an answer without a plan lacked, the deepest refusal first."""

    def diagnose(answer: NoPlan) -> Diagnosis:
        reason = "no choice of methods can be carried out" if answer.stop is Stop.UNREACHABLE else answer.stop.value
        said = [f"{answer.goal}: {reason}"]
        said += (f"  {line}" for refusal in refusals for line in refusal.lines())
        return Diagnosis(refusals[0].missing if refusals else (), "\n".join(said))

    return diagnose
