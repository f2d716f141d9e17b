"""Room for searches: lists for the kernel as Python, arrays for the kernel compiled."""

from collections.abc import Callable
from typing import Any

from telos.planning.kernel import Task, Workspace

Maker = Callable[[int, Any], Any]  # a sequence of so many zeros (0 or 0.0)


def workspace(task: Task, nodes: int, deepest: int, zeros: Maker) -> Workspace:
    """Return room for a search of at most ``nodes`` nodes."""
    heap, slots = 2 * nodes + 8, 1 << (2 * nodes - 1).bit_length()
    return Workspace(
        head=zeros(9, 0),
        words=zeros(nodes * task.words + 1, 0),
        numbers=zeros(nodes * task.numbers + 1, 0.0),
        g=zeros(nodes, 0.0),
        h=zeros(nodes, 0.0),
        parent=zeros(nodes, 0),
        by=zeros(nodes, 0),
        next_operator=zeros(nodes, 0),
        heap_f=zeros(heap, 0.0),
        heap_h=zeros(heap, 0.0),
        heap_g=zeros(heap, 0.0),
        heap_order=zeros(heap, 0),
        heap_node=zeros(heap, 0),
        slot_node=zeros(slots, 0),
        slot_generation=zeros(slots, 0),
        stack=zeros(deepest + 1, 0.0),
    )


def lists(count: int, zero: Any) -> list[Any]:
    """Return a list of zeros."""
    return [zero] * count


def arrays(count: int, zero: Any) -> Any:
    """Return an array of zeros."""
    import numpy as np

    return np.zeros(count, dtype=np.int64 if isinstance(zero, int) else np.float64)


def as_arrays(task: Task) -> Task:
    """Return a task whose sequences are arrays."""
    import numpy as np

    floats = {"cost", "constant", "atom_constant", "weight", "gain", "answers"}
    return Task._make(
        value if isinstance(value, int) else np.array(value, dtype=np.float64 if name in floats else np.int64)
        for name, value in zip(Task._fields, task, strict=True)
    )
