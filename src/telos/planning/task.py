"""Compile a goal and its relevant operators into the kernel's arrays.

Start with ``compile_task``: it keeps the operators that can matter for the goal (relevance), finds what every plan must
bring about (landmarks, for the heuristic), turns expressions into programs, and lays all of it out as a ``KernelTask``.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.expressions import (
    BUILT_IN,
    functions_in,
    names_in,
)
from telos.core.state import Layout
from telos.core.values import BOOL, NUMBER
from telos.planning import kernel
from telos.planning.encoding import HandleTable, StateEncoding
from telos.planning.kernel import Floats, Ints
from telos.planning.operators import (
    AnalysedOperator,
    Atom,
    BoundAtom,
    GameCall,
    NameScope,
    Operator,
    Programs,
    Requirements,
    ValueAtom,
    analyse_condition,
)

# --- layout ---


class KernelTask(NamedTuple):
    """A planning problem without its start state: operators, goal, landmarks.

    All fields are flat; "operators × words" means one row of words for each operator.
    """

    words: int
    numbers: int
    operators: int
    need_mask: Ints  # operators × words: an operator is applicable if word & mask == value
    need_value: Ints
    clear: Ints  # operators × words: afterwards, word & clear | put
    put: Ints
    test_from: Ints  # operators + 1: which of ``tests`` (programs) must be true
    tests: Ints
    write_from: Ints  # operators + 1: which of ``writes`` are done
    writes: Ints  # five each: 1 for a field, number's slot or word, shift, mask, program
    cost: Floats  # operators
    cost_program: Ints  # operators: a program that gives the cost, or -1
    program_from: Ints  # programs + 1
    code: Ints  # three each: instruction and two operands
    constants: Floats  # one for each instruction
    goal_mask: Ints  # words
    goal_value: Ints
    goal_tests: Ints
    landmarks: int
    atom_from: Ints  # landmarks + 1: a landmark holds if one of its atoms does
    atoms: Ints  # four each: kind, word or slot, mask, value
    atom_constant: Floats
    singles: Ints  # three each landmark: word, mask, value of its only atom, if that is over a word; else zeros
    need_from: Ints  # landmarks + 1: which of ``landmark_needs`` must hold before
    landmark_needs: Ints
    goal_landmarks: int  # how many of the landmarks, from the first, are the goal's own
    weight: Floats  # the least share of a cost that achieves a landmark
    gain: Floats  # the most that one operator moves a number towards its landmark; 0 for others
    table_from: Ints  # game calls: where the values of each start in ``call_values``
    radix_from: Ints  # game calls + 1
    radix: Ints  # the number of values of each argument
    call_values: Floats  # NaN where not known yet
    questions: int  # the most game calls that wait for their values at once


def flatten(task: KernelTask) -> tuple[Ints, Floats]:
    """Return a task as one sequence of integers and one of floats; the integers start with a head."""
    ints, floats = [0] * kernel.TASK_HEAD, list[float]()
    counts = (task.words, task.numbers, task.operators, task.landmarks, task.goal_landmarks, len(task.goal_tests))
    ints[: len(counts)] = counts
    for place, part in _INT_PARTS.items():
        ints[place] = len(ints)
        ints += getattr(task, part)
    for place, part in _FLOAT_PARTS.items():
        ints[place] = len(floats)
        floats += getattr(task, part)
    return ints, floats


# The parts of a task in the order of its sequences; the kernel's constant of each has the same name.
_INT_PARTS = {
    getattr(kernel, part.upper()): part
    for part in (
        *("need_mask", "need_value", "clear", "put", "test_from", "tests", "write_from", "writes", "cost_program"),
        *("program_from", "code", "goal_mask", "goal_value", "goal_tests", "atom_from", "atoms", "singles"),
        *("need_from", "landmark_needs", "table_from", "radix_from", "radix"),
    )
}
_FLOAT_PARTS = {
    getattr(kernel, part.upper()): part
    for part in ("cost", "constants", "atom_constant", "weight", "gain", "call_values")
}


class Workspace(NamedTuple):
    """The memory of one search. It need not be cleared: its generation number marks old entries as invalid."""

    ints: Ints
    floats: Floats
    nodes: int  # capacity
    words: int  # where the start's words are in ``ints``
    steps: int  # where the plan is in ``ints``
    numbers: int  # where the start's numbers are in ``floats``
    g: int  # where the costs of nodes are in ``floats``


Zeros: TypeAlias = Callable[[int, int | float], Any]  # a sequence of zeros, integers or floats


def create_workspace(task: KernelTask, nodes: int, stack_size: int, zeros: Zeros) -> Workspace:
    """Return the memory for a search of at most ``nodes`` nodes, with a stack of ``stack_size`` values."""
    ints, floats = size_parts(task, nodes, stack_size)
    head, total_ints = _place_parts(ints, kernel.WORKSPACE_HEAD)
    float_head, total_floats = _place_parts(floats, 0)
    heap, slots = ints[kernel.HEAP_NODE], ints[kernel.SLOT_NODE]
    whole = zeros(total_ints, 0)
    for place, value in {**head, **float_head}.items():
        whole[place] = value
    whole[kernel.NODE_CAPACITY], whole[kernel.HEAP_CAPACITY], whole[kernel.SLOT_MASK] = nodes, heap, slots - 1
    return Workspace(
        whole,
        zeros(total_floats, 0.0),
        nodes,
        head[kernel.STATE_WORDS],
        head[kernel.STEPS],
        float_head[kernel.STATE_NUMBERS],
        float_head[kernel.G],
    )


def size_parts(task: KernelTask, nodes: int, stack_size: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the length of each part of a workspace: those of integers, and those of floats."""
    heap, slots = 2 * nodes + 8, 1 << (2 * nodes - 1).bit_length()
    ints = {
        kernel.STATE_WORDS: nodes * task.words,
        kernel.PARENT: nodes,
        kernel.REACHED_BY: nodes,
        kernel.NEXT_OPERATOR: nodes,
        kernel.HEAP_NODE: heap,
        kernel.SLOT_NODE: slots,
        kernel.SLOT_GENERATION: slots,
        kernel.ASKED: task.questions,
        kernel.STEPS: nodes,
        kernel.MARKS: task.landmarks,
        kernel.PENDING_LANDMARKS: task.landmarks,
    }
    floats = {
        kernel.STATE_NUMBERS: nodes * task.numbers,
        kernel.G: nodes,
        kernel.H: nodes,
        kernel.HEAP_F: heap,
        kernel.HEAP_H: heap,
        kernel.STACK: stack_size + 1,
        kernel.DROPPED_VALUE: 1,
    }
    return ints, floats


def _place_parts(sizes: dict[int, int], start: int) -> tuple[dict[int, int], int]:
    """Return where each part begins, and where the last one ends."""
    places = {}
    for part, size in sizes.items():
        places[part] = start
        start += size
    return places, start


def copy_nodes(task: KernelTask, old: Workspace, new: Workspace, first: int, end: int) -> None:
    """Copy some nodes of a search into a larger workspace."""
    for part, width in (
        (kernel.STATE_WORDS, task.words),
        (kernel.PARENT, 1),
        (kernel.REACHED_BY, 1),
        (kernel.NEXT_OPERATOR, 1),
    ):
        _copy(old.ints, old, new.ints, new, part, first * width, end * width)
    for part, width in ((kernel.STATE_NUMBERS, task.numbers), (kernel.G, 1), (kernel.H, 1)):
        _copy(old.floats, old, new.floats, new, part, first * width, end * width)


def copy_heap(old: Workspace, new: Workspace, first: int, end: int) -> None:
    """Copy some entries of a search's heap into a larger workspace."""
    _copy(old.ints, old, new.ints, new, kernel.HEAP_NODE, first, end)
    for part in (kernel.HEAP_F, kernel.HEAP_H):
        _copy(old.floats, old, new.floats, new, part, first, end)


def _copy(source: Any, old: Workspace, target: Any, new: Workspace, part: int, first: int, end: int) -> None:
    start, at = int(old.ints[part]), int(new.ints[part])
    target[at + first : at + end] = source[start + first : start + end]


# --- compiling ---


@dataclass(frozen=True, slots=True)
class CompiledTask:
    """A kernel task with its encoding, its operators and the game functions that it may call."""

    kernel_task: KernelTask
    encoding: StateEncoding
    operators: tuple[Operator, ...]
    actions: tuple[Action, ...] | None  # the operators' actions, if none has parameters
    game_calls: "tuple[GameCall, ...]"
    stack_size: int  # the most values that its programs keep on the stack


def compile_task(
    wants: Condition, steps: Sequence[AnalysedOperator], layout: Layout, handles: HandleTable, fixed: Mapping[str, int]
) -> CompiledTask:
    """Compile the task of reaching ``wants``; ``fixed`` holds the codes of variables that no action changes."""
    known = NameScope(layout, handles, fixed)
    goal = analyse_condition(wants, known)
    reads = {name for each in goal.opaque for name in names_in(each) if name in layout.slots and name not in fixed}
    kept, variables = find_relevant(steps, goal, reads)
    kept.sort(key=_calls_game)  # operators that call the game are tried last, so that it is called less often
    encoding = StateEncoding([each for each in layout.variables if each.name in variables], handles.counts())
    changing = frozenset(
        name for step in kept for name in (*step.effects.sets, *step.effects.adds, *step.effects.computed)
    )
    programs = Programs(encoding, changing)
    columns = _OperatorArrays(encoding, programs)
    for step in kept:
        columns.add(step)
    goal_mask, goal_value = columns.masks(goal)
    goal_tests = [programs.add(each, known, BOOL) for each in goal.tests]
    landmarks, own = find_landmarks(goal, kept)
    tables = programs.tables()
    parts: dict[str, Any] = {**columns.arrays, **_landmark_arrays(landmarks, own, encoding)}
    task = KernelTask(
        words=encoding.words,
        numbers=len(encoding.numbers),
        operators=len(kept),
        **parts,
        program_from=programs.start,
        code=programs.code,
        constants=programs.constants,
        goal_mask=goal_mask,
        goal_value=goal_value,
        goal_tests=goal_tests,
        table_from=tables["table_from"],
        radix_from=tables["radix_from"],
        radix=tables["radix"],
        call_values=[math.nan] * tables["call_values"][0],
        questions=2 * len(programs.game_calls),
    )
    operators = tuple(step.operator for step in kept)
    actions = None if any(each.arguments for each in operators) else tuple(each.action for each in operators)
    return CompiledTask(task, encoding, operators, actions, tuple(programs.game_calls), programs.stack_size)


def _calls_game(step: AnalysedOperator) -> bool:
    cost = () if isinstance(step.cost, float) else (step.cost,)
    return any(functions_in(each) - BUILT_IN.keys() for each in (*step.needs.opaque, *cost))


class _OperatorArrays:
    """The operators' arrays under construction."""

    def __init__(self, encoding: StateEncoding, programs: "Programs") -> None:
        self.encoding, self.programs = encoding, programs
        self.arrays: dict[str, list[Any]] = {
            name: [] for name in ("need_mask", "need_value", "clear", "put", "tests", "writes", "cost", "cost_program")
        }
        self.arrays.update(test_from=[0], write_from=[0])

    def add(self, step: AnalysedOperator) -> None:
        arrays, encoding = self.arrays, self.encoding
        mask, value = self.masks(step.needs)
        arrays["need_mask"] += mask
        arrays["need_value"] += value
        clear, put = [-1] * encoding.words, [0] * encoding.words
        for name, code in step.effects.sets.items():
            if name in encoding.fields:
                place = encoding.fields[name]
                clear[place.word] &= ~place.mask_in_word
                put[place.word] |= code << place.shift
        arrays["clear"] += clear
        arrays["put"] += put
        arrays["tests"] += [self.programs.add(each, step.names, BOOL) for each in step.needs.tests]
        arrays["test_from"].append(len(arrays["tests"]))
        self._writes(step)
        arrays["write_from"].append(len(arrays["writes"]) // 5)
        arrays["cost"].append(step.least_cost)
        arrays["cost_program"].append(
            -1 if isinstance(step.cost, float) else self.programs.add(step.cost, step.names, NUMBER)
        )

    def masks(self, needs: Requirements) -> tuple[list[int], list[int]]:
        """Return the mask and the value of each word; a contradiction gives a value that never matches."""
        mask, value = [0] * self.encoding.words, [0] * self.encoding.words
        for atom in needs.atoms:
            if isinstance(atom, ValueAtom):
                place = self.encoding.fields[atom.variable]
                bits = atom.code << place.shift
                if mask[place.word] & place.mask_in_word and value[place.word] & place.mask_in_word != bits:
                    value[place.word] = -1  # `target == alive and target == dead`
                mask[place.word] |= place.mask_in_word
                if value[place.word] >= 0:
                    value[place.word] |= bits
        return mask, value

    def _writes(self, step: AnalysedOperator) -> None:
        effects = {effect.variable: effect.value for effect in step.operator.action.effects}
        for name in (*step.effects.adds, *step.effects.computed):
            if name in self.encoding.numbers:
                program = self.programs.add(effects[name], step.names, NUMBER)
                self.arrays["writes"] += (0, self.encoding.numbers[name], 0, 0, program)
            elif name in self.encoding.fields:
                place = self.encoding.fields[name]
                program = self.programs.add(effects[name], step.names, step.names.type_of(name))
                self.arrays["writes"] += (1, place.word, place.shift, place.mask, program)


def _landmark_arrays(landmarks: "Sequence[Landmark]", own: int, encoding: StateEncoding) -> dict[str, Any]:
    atom_from, atoms, constants, singles = [0], list[int](), list[float](), list[int]()
    for landmark in landmarks:
        singles += _single(landmark, encoding)
        for atom in landmark.atoms:
            if isinstance(atom, ValueAtom):
                place = encoding.fields[atom.variable]
                atoms += (kernel.IS, place.word, place.mask_in_word, atom.code << place.shift)
                constants.append(0.0)
            else:
                kind = kernel.AT_LEAST_ATOM if atom.up else kernel.AT_MOST_ATOM
                atoms += (kind, encoding.numbers[atom.variable], 0, 0)
                constants.append(atom.constant)
        atom_from.append(len(constants))
    return {
        "landmarks": len(landmarks),
        "atom_from": atom_from,
        "atoms": atoms,
        "atom_constant": constants,
        "singles": singles,
        "need_from": [0, *itertools.accumulate(len(landmark.needs) for landmark in landmarks)],
        "landmark_needs": [need for landmark in landmarks for need in landmark.needs],
        "goal_landmarks": own,
        "weight": [landmark.weight for landmark in landmarks],
        "gain": [landmark.gain for landmark in landmarks],
    }


def _single(landmark: "Landmark", encoding: StateEncoding) -> tuple[int, int, int]:
    (atom, *others) = landmark.atoms
    if others or not isinstance(atom, ValueAtom):
        return 0, 0, 0
    place = encoding.fields[atom.variable]
    return place.word, place.mask_in_word, atom.code << place.shift


# --- relevance ---


def find_relevant(
    steps: Sequence[AnalysedOperator], goal: Requirements, goal_reads: Iterable[str]
) -> tuple[list[AnalysedOperator], set[str]]:
    """Return the operators that can matter for a goal, in order, and the variables that do.

    An operator matters if it can bring about something that the goal, or another operator that matters, needs. Every
    plan stays a plan, at no higher cost, without the other operators, so the search need not know them.
    """
    wanted = _Relevance(steps)
    wanted.add_atoms(goal.atoms)
    wanted.add_variables(goal_reads)
    while wanted.unvisited:
        step = steps[wanted.unvisited.pop()]
        wanted.add_atoms(step.needs.atoms)
        wanted.add_variables(step.reads())
        for variable, value in step.effects.computed.items():
            if variable in wanted.variables:
                wanted.add_variables([variable, *(name for name in names_in(value) if name in step.names.layout.slots)])
    return [steps[number] for number in sorted(wanted.kept)], wanted.variables


class _Relevance:
    """The needs so far and the operators that serve them; the needs of those in ``unvisited`` are not yet added."""

    def __init__(self, steps: Sequence[AnalysedOperator]) -> None:
        self.variables: set[str] = set()
        self.kept: set[int] = set()
        self.unvisited: list[int] = []
        self._seen_needs: set[Hashable] = set()
        # Which operators bring about what: a value of a variable, a number's move up or down, any value of a variable.
        self._achievers: dict[Hashable, list[int]] = defaultdict(list)
        self._writers: dict[str, list[int]] = defaultdict(list)
        self._computing: dict[str, list[int]] = defaultdict(list)
        for number, step in enumerate(steps):
            for name, code in step.effects.sets.items():
                self._achievers[name, "is", code].append(number)
                self._writers[name].append(number)
            for name, by in step.effects.adds.items():
                if by:
                    self._achievers[name, "moves", by > 0].append(number)
                    self._writers[name].append(number)
            for name in step.effects.computed:
                self._computing[name].append(number)
                self._writers[name].append(number)

    def add_atoms(self, atoms: Iterable[Atom]) -> None:
        """Add needed atoms: operators that can make them true matter."""
        for atom in atoms:
            key = (atom.variable, "is", atom.code) if isinstance(atom, ValueAtom) else (atom.variable, "moves", atom.up)
            if key not in self._seen_needs:
                self._seen_needs.add(key)
                self._add(atom.variable, self._achievers[key])

    def add_variables(self, variables: Iterable[str]) -> None:
        """Add variables whose exact values are needed: operators that write them matter."""
        for name in variables:
            if name not in self._seen_needs:
                self._seen_needs.add(name)
                self._add(name, self._writers[name])

    def _add(self, variable: str, achievers: Iterable[int]) -> None:
        is_new = variable not in self.variables
        self.variables.add(variable)
        for number in (*achievers, *self._computing[variable]):
            # If a variable is new, the operators that compute it need the variables that they read for it.
            if number not in self.kept or (is_new and number in self._computing[variable]):
                self.kept.add(number)
                self.unvisited.append(number)


# --- landmarks ---

MAX_LANDMARKS = 1_000  # more would make every node slow
MAX_ACHIEVERS = 8  # of a landmark, for a disjunctive landmark from one need of each


@dataclass(frozen=True, slots=True)
class Landmark:
    """Something that every plan must make true: one of some atoms, usually a single one."""

    atoms: tuple[Atom, ...]
    needs: tuple[int, ...]  # the landmarks, by index, that must hold before
    weight: float
    gain: float


def find_landmarks(goal: Requirements, steps: Sequence[AnalysedOperator]) -> tuple[list[Landmark], int]:
    """Return the landmarks, the goal's own first, and how many are the goal's own.

    From the goal's atoms backwards: if all operators that achieve an atom need another one, every plan makes that true
    as well, unless it holds. If they share no need, one need of each is taken together: a disjunctive landmark. The
    cost of an operator that achieves several landmarks is divided among them, so that their sum stays a lower bound.
    """
    found: list[tuple[Atom, ...]] = [(atom,) for atom in goal.atoms[:MAX_LANDMARKS]]
    own, place = len(found), {atoms: number for number, atoms in enumerate(found)}
    needs: list[tuple[int, ...]] = []
    achievers: list[list[AnalysedOperator]] = []
    for atoms in found:  # grows during the loop
        achievers.append([step for step in steps if any(_achieves(step, atom) for atom in atoms)])
        before = []
        for wanted in _shared_needs(achievers[-1]):
            if wanted not in place and len(found) < MAX_LANDMARKS:
                place[wanted] = len(found)
                found.append(wanted)
            if wanted in place:
                before.append(place[wanted])
        needs.append(tuple(dict.fromkeys(before)))
    shares = Counter(id(step) for each in achievers for step in each)
    landmarks = [
        Landmark(atoms, needs[number], *_price(atoms, achievers[number], shares)) for number, atoms in enumerate(found)
    ]
    return landmarks, own


def _achieves(step: AnalysedOperator, atom: Atom) -> bool:
    if atom in step.needs.atoms:
        return False  # it holds already wherever the operator is applicable
    if isinstance(atom, ValueAtom):
        return step.effects.sets.get(atom.variable) == atom.code or atom.variable in step.effects.computed
    by = step.effects.adds.get(atom.variable, 0.0)
    return (by > 0 if atom.up else by < 0) or atom.variable in step.effects.computed


def _shared_needs(achievers: Sequence[AnalysedOperator]) -> list[tuple[Atom, ...]]:
    """Return what must hold before any of the achievers is applicable."""
    if not achievers:
        return []
    first, *others = (step.needs.atoms for step in achievers)
    shared = [atom for atom in first if all(atom in each for each in others)]
    if shared:
        return [(atom,) for atom in shared]
    if len(achievers) > MAX_ACHIEVERS or not all(step.needs.atoms for step in achievers):
        return []
    return [tuple(dict.fromkeys(step.needs.atoms[0] for step in achievers))]


def _price(
    atoms: tuple[Atom, ...], achievers: Sequence[AnalysedOperator], shares: Mapping[int, int]
) -> tuple[float, float]:
    """Return the least share of a cost that achieves a landmark, and the most that one operator moves its number."""
    if not achievers:
        return math.inf, 0.0
    weight = min(step.least_cost / shares[id(step)] for step in achievers)
    (atom, *others) = atoms
    if others or not isinstance(atom, BoundAtom) or any(atom.variable in step.effects.computed for step in achievers):
        return weight, 0.0
    return weight, max(abs(step.effects.adds[atom.variable]) for step in achievers)
