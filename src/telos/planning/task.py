"""A planning problem without its start, and how it is laid out for the kernel."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from telos.planning import heads
from telos.planning.heads import Floats, Ints


class Task(NamedTuple):
    """Operators, goal and estimate. All fields are flat; "operators × words" means one row of words an operator."""

    words: int
    numbers: int
    operators: int
    need_mask: Ints  # operators × words: an operator is possible if word & mask == value
    need_value: Ints
    clear: Ints  # operators × words: afterwards, word & clear | put
    put: Ints
    test_from: Ints  # operators + 1: which of ``tests`` (programs) must come to something true
    tests: Ints
    write_from: Ints  # operators + 1: which of ``writes`` happen
    writes: Ints  # five each: 1 for a field, number's slot or word, shift, mask, program
    cost: Floats  # operators
    cost_program: Ints  # operators: a program that gives the cost, or -1
    program_from: Ints  # programs + 1
    code: Ints  # three each: instruction and two operands
    constant: Floats  # one for each instruction
    goal_mask: Ints  # words
    goal_value: Ints
    goal_tests: Ints
    facts: int
    atom_from: Ints  # facts + 1: a fact holds if one of its atoms does
    atoms: Ints  # four each: kind, word or slot, mask, value
    atom_constant: Floats
    singles: Ints  # three each fact: word, mask, value of its only atom, if that is over a word; else zeros
    need_from: Ints  # facts + 1: which of ``fact_needs`` must have held before a fact can be made true
    fact_needs: Ints
    goal_facts: int  # how many of the facts, from the first, are the goal's own
    weight: Floats  # the least that making a fact true costs, shared out
    gain: Floats  # by how much one operator can move a number towards its fact; 0 for others
    table_from: Ints  # tables: where the answers of a game's function start in ``answers``
    radix_from: Ints  # tables + 1
    radix: Ints  # how many values each argument can have
    answers: Floats  # NaN where not yet known


def flat(task: Task) -> tuple[Ints, Floats]:
    """Return a task as the kernel takes it: one sequence of integers, one of floats, with a head in the first."""
    ints, floats = [0] * heads.TASK_HEAD, list[float]()
    counts = (task.words, task.numbers, task.operators, task.facts, task.goal_facts, len(task.goal_tests))
    ints[: len(counts)] = counts
    for place, part in _INT_PARTS.items():
        ints[place] = len(ints)
        ints += getattr(task, part)
    for place, part in _FLOAT_PARTS.items():
        ints[place] = len(floats)
        floats += getattr(task, part)
    return ints, floats


_INT_PARTS = {
    heads.NEED_MASK: "need_mask",
    heads.NEED_VALUE: "need_value",
    heads.CLEAR: "clear",
    heads.PUT: "put",
    heads.TEST_FROM: "test_from",
    heads.TESTS: "tests",
    heads.WRITE_FROM: "write_from",
    heads.WRITES: "writes",
    heads.COST_PROGRAM: "cost_program",
    heads.PROGRAM_FROM: "program_from",
    heads.CODE: "code",
    heads.GOAL_MASK: "goal_mask",
    heads.GOAL_VALUE: "goal_value",
    heads.GOAL_TESTS: "goal_tests",
    heads.ATOM_FROM: "atom_from",
    heads.ATOMS: "atoms",
    heads.SINGLES: "singles",
    heads.NEED_FROM: "need_from",
    heads.FACT_NEEDS: "fact_needs",
    heads.TABLE_FROM: "table_from",
    heads.RADIX_FROM: "radix_from",
    heads.RADIX: "radix",
}
_FLOAT_PARTS = {
    heads.COST: "cost",
    heads.CONSTANTS: "constant",
    heads.ATOM_CONSTANT: "atom_constant",
    heads.WEIGHT: "weight",
    heads.GAIN: "gain",
    heads.ANSWERS: "answers",
}


class Workspace(NamedTuple):
    """Room for one search. Nothing in it need be cleared: its generation tells old entries from new."""

    ints: Ints
    floats: Floats
    nodes: int  # how many there is room for
    words: int  # where the start's words go in ``ints``
    steps: int  # and where the plan is found there
    numbers: int  # where the start's numbers go in ``floats``
    g: int  # and where costs are found there


Zeros: TypeAlias = Callable[[int, int | float], Any]  # a sequence of so many zeros, whole or not


def workspace(task: Task, nodes: int, deepest: int, zeros: Zeros) -> Workspace:
    """Return room for a search of at most ``nodes`` nodes, whose programs stack up at most ``deepest`` values."""
    ints, floats = parts_of(task, nodes, deepest)
    head, total_ints = _places(ints, heads.SPACE_HEAD)
    float_head, total_floats = _places(floats, 0)
    heap, slots = ints[heads.HEAP_NODE], ints[heads.SLOT_NODE]
    whole = zeros(total_ints, 0)
    for place, value in {**head, **float_head}.items():
        whole[place] = value
    whole[heads.ROOM], whole[heads.HEAP_ROOM], whole[heads.SLOT_MASK] = nodes, heap, slots - 1
    return Workspace(
        whole,
        zeros(total_floats, 0.0),
        nodes,
        head[heads.STATE_WORDS],
        head[heads.STEPS],
        float_head[heads.STATE_NUMBERS],
        float_head[heads.G],
    )


def parts_of(task: Task, nodes: int, deepest: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return how long each part of a workspace is: those of integers, and those of floats."""
    heap, slots = 2 * nodes + 8, 1 << (2 * nodes - 1).bit_length()
    ints = {
        heads.STATE_WORDS: nodes * task.words,
        heads.PARENT: nodes,
        heads.BY: nodes,
        heads.NEXT: nodes,
        heads.HEAP_NODE: heap,
        heads.SLOT_NODE: slots,
        heads.SLOT_GENERATION: slots,
        heads.STEPS: nodes,
        heads.MARKS: task.facts,
        heads.TO_DO: task.facts,
    }
    floats = {
        heads.STATE_NUMBERS: nodes * task.numbers,
        heads.G: nodes,
        heads.H: nodes,
        heads.HEAP_F: heap,
        heads.HEAP_H: heap,
        heads.STACK: deepest + 1,
    }
    return ints, floats


def _places(sizes: dict[int, int], start: int) -> tuple[dict[int, int], int]:
    """Return where each part begins, one after the other, and where the last one ends."""
    places = {}
    for part, size in sizes.items():
        places[part] = start
        start += size
    return places, start


def copy_nodes(task: Task, old: Workspace, new: Workspace, first: int, end: int) -> None:
    """Copy some nodes of a search into a larger room."""
    for part, width in ((heads.STATE_WORDS, task.words), (heads.PARENT, 1), (heads.BY, 1), (heads.NEXT, 1)):
        _copy(old.ints, old, new.ints, new, part, first * width, end * width)
    for part, width in ((heads.STATE_NUMBERS, task.numbers), (heads.G, 1), (heads.H, 1)):
        _copy(old.floats, old, new.floats, new, part, first * width, end * width)


def copy_heap(old: Workspace, new: Workspace, first: int, end: int) -> None:
    """Copy some entries of a search's heap into a larger room."""
    _copy(old.ints, old, new.ints, new, heads.HEAP_NODE, first, end)
    for part in (heads.HEAP_F, heads.HEAP_H):
        _copy(old.floats, old, new.floats, new, part, first, end)


def _copy(source: Any, old: Workspace, target: Any, new: Workspace, part: int, first: int, end: int) -> None:
    start, at = int(old.ints[part]), int(new.ints[part])
    target[at + first : at + end] = source[start + first : start + end]
