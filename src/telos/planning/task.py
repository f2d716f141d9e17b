"""Compile a goal and its relevant operators into kernel arrays."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from telos.core.action import Action
from telos.core.binding import BUILT_IN
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import (
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    Handle,
    Literal,
    Name,
    Not,
    Or,
    functions_in,
    names_in,
    to_text,
)
from telos.core.state import Layout
from telos.core.values import BOOL, NUMBER, Type, Value
from telos.planning import kernel
from telos.planning.encoding import HandleTable, StateEncoding
from telos.planning.kernel import Floats, Ints
from telos.planning.operators import (
    AnalysedOperator,
    Atom,
    BoundAtom,
    NameScope,
    Operator,
    Requirements,
    ValueAtom,
    analyse_condition,
)

# --- relevance --------------------------------------------------------------------------------------------------------
# Which actions and variables can matter for a goal at all.
#
# An action matters if it can bring about something that the goal, or another action that matters, asks for. Whatever
# plan there is, leaving the other actions out of it leaves a plan that is no dearer, so the search need not know them.


def find_relevant(
    steps: Sequence[AnalysedOperator], goal: Requirements, goal_reads: Iterable[str]
) -> tuple[list[AnalysedOperator], set[str]]:
    """Return the steps that can matter for a goal, in order, and the variables that do."""
    wanted = _Relevance(steps)
    wanted.atoms(goal.atoms)
    wanted.whole(goal_reads)
    while wanted.open:
        step = steps[wanted.open.pop()]
        wanted.atoms(step.needs.atoms)
        wanted.whole(step.reads())
        for variable, value in step.does.works_out.items():
            if variable in wanted.variables:
                wanted.whole([variable, *(name for name in names_in(value) if name in step.names.layout.slots)])
    return [steps[number] for number in sorted(wanted.kept)], wanted.variables


class _Relevance:
    """What is asked for so far, and the steps that serve it; ``open`` are those not yet asked for their own needs."""

    def __init__(self, steps: Sequence[AnalysedOperator]) -> None:
        self.variables: set[str] = set()
        self.kept: set[int] = set()
        self.open: list[int] = []
        self._asked: set[Hashable] = set()
        # Which steps bring about what: a value of a variable, a number's move up or down, anything of a variable.
        self._makers: dict[Hashable, list[int]] = defaultdict(list)
        self._writers: dict[str, list[int]] = defaultdict(list)
        self._working: dict[str, list[int]] = defaultdict(list)
        for number, step in enumerate(steps):
            for name, code in step.does.puts.items():
                self._makers[name, "is", code].append(number)
                self._writers[name].append(number)
            for name, by in step.does.adds.items():
                if by:
                    self._makers[name, "moves", by > 0].append(number)
                    self._writers[name].append(number)
            for name in step.does.works_out:
                self._working[name].append(number)
                self._writers[name].append(number)

    def atoms(self, atoms: Iterable[Atom]) -> None:
        """Ask for atoms: whoever can make them true matters."""
        for atom in atoms:
            key = (atom.variable, "is", atom.code) if isinstance(atom, ValueAtom) else (atom.variable, "moves", atom.up)
            if key not in self._asked:
                self._asked.add(key)
                self._ask(atom.variable, self._makers[key])

    def whole(self, variables: Iterable[str]) -> None:
        """Ask for all there is to know of variables: whoever writes them matters."""
        for name in variables:
            if name not in self._asked:
                self._asked.add(name)
                self._ask(name, self._writers[name])

    def _ask(self, variable: str, makers: Iterable[int]) -> None:
        is_new = variable not in self.variables
        self.variables.add(variable)
        for number in (*makers, *self._working[variable]):
            # A step that works out a variable which was not known to matter has to be asked what it reads for it.
            if number not in self.kept or (is_new and number in self._working[variable]):
                self.kept.add(number)
                self.open.append(number)


# --- landmarks --------------------------------------------------------------------------------------------------------
# What every plan must bring about on its way: the search's estimate of what is still to pay.
#
# From a goal's atoms backwards: if all actions that can make an atom true need another one, every plan makes that true
# as well, unless it holds. If they share no need, one need of each is taken together: one of these must be made true.
# An
# action that makes several such facts true has its cost shared out among them, so that their sum stays a lower bound.


MAX_LANDMARKS = 1_000  # facts: more would make every node slow
MAX_ACHIEVERS = 8  # of a fact, for looking at one need of each


@dataclass(frozen=True, slots=True)
class Landmark:
    """Something that every plan must make true: one of some atoms, almost always a single one."""

    atoms: tuple[Atom, ...]
    needs: tuple[int, ...]  # places of the facts that must have held before
    weight: float
    gain: float


def find_landmarks(goal: Requirements, steps: Sequence[AnalysedOperator]) -> tuple[list[Landmark], int]:
    """Return the facts, the goal's own first, and how many of them are the goal's own."""
    found: list[tuple[Atom, ...]] = [(atom,) for atom in goal.atoms[:MAX_LANDMARKS]]
    own, place = len(found), {atoms: number for number, atoms in enumerate(found)}
    needs: list[tuple[int, ...]] = []
    makers: list[list[AnalysedOperator]] = []
    for atoms in found:  # grows while it is gone through
        makers.append([step for step in steps if any(_achieves(step, atom) for atom in atoms)])
        before = []
        for wanted in _shared_needs(makers[-1]):
            if wanted not in place and len(found) < MAX_LANDMARKS:
                place[wanted] = len(found)
                found.append(wanted)
            if wanted in place:
                before.append(place[wanted])
        needs.append(tuple(dict.fromkeys(before)))
    shares = Counter(id(step) for each in makers for step in each)
    facts = [
        Landmark(atoms, needs[number], *_price(atoms, makers[number], shares)) for number, atoms in enumerate(found)
    ]
    return facts, own


def _achieves(step: AnalysedOperator, atom: Atom) -> bool:
    if atom in step.needs.atoms:
        return False  # it holds already wherever this step is possible
    if isinstance(atom, ValueAtom):
        return step.does.puts.get(atom.variable) == atom.code or atom.variable in step.does.works_out
    by = step.does.adds.get(atom.variable, 0.0)
    return (by > 0 if atom.up else by < 0) or atom.variable in step.does.works_out


def _shared_needs(makers: Sequence[AnalysedOperator]) -> list[tuple[Atom, ...]]:
    """Return what must hold before any of the makers is possible."""
    if not makers:
        return []
    first, *others = (step.needs.atoms for step in makers)
    shared = [atom for atom in first if all(atom in each for each in others)]
    if shared:
        return [(atom,) for atom in shared]
    if len(makers) > MAX_ACHIEVERS or not all(step.needs.atoms for step in makers):
        return []
    return [tuple(dict.fromkeys(step.needs.atoms[0] for step in makers))]


def _price(
    atoms: tuple[Atom, ...], makers: Sequence[AnalysedOperator], shares: Mapping[int, int]
) -> tuple[float, float]:
    """Return the least that making a fact true costs, shared out, and the most that one action moves its number."""
    if not makers:
        return math.inf, 0.0
    weight = min(step.least_cost / shares[id(step)] for step in makers)
    (atom, *others) = atoms
    if others or not isinstance(atom, BoundAtom) or any(atom.variable in step.does.works_out for step in makers):
        return weight, 0.0
    return weight, max(abs(step.does.adds[atom.variable]) for step in makers)


# --- programs ---------------------------------------------------------------------------------------------------------
# Expressions as programs for the kernel's stack machine.


_OPERATIONS = {
    "+": kernel.ADD,
    "-": kernel.SUBTRACT,
    "*": kernel.MULTIPLY,
    "/": kernel.DIVIDE,
    "==": kernel.EQUAL,
    "!=": kernel.DIFFERENT,
    "<": kernel.LESS,
    "<=": kernel.AT_MOST,
    ">": kernel.MORE,
    ">=": kernel.AT_LEAST,
    "min": kernel.MINIMUM,
    "max": kernel.MAXIMUM,
}


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument of a call: a constant, the number of a handle that a parameter is bound to, or a variable."""

    value: Value = None
    kind: str = ""
    code: int = 0
    variable: str = ""


@dataclass(frozen=True, slots=True)
class GameCall:
    """A call of one of the game's functions, which only the game can answer."""

    function: str
    arguments: tuple[CallArgument, ...]
    variables: tuple[str, ...]  # the arguments that can change while planning, in order


@dataclass
class Programs:
    """All programs of a task, one after the other, and the questions that they may ask."""

    encoding: StateEncoding
    changing: frozenset[str]  # the variables that some action changes
    start: list[int] = field(default_factory=lambda: [0])
    code: list[int] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)
    questions: list[GameCall] = field(default_factory=list)
    deepest: int = 1

    def add(self, expression: Expression, names: NameScope, of: Type) -> int:
        """Append the program of an expression and return its number."""
        before = len(self.constant)
        _ProgramWriter(self, names).write(expression, of)
        self.deepest = max(self.deepest, len(self.constant) - before + 1)
        self.start.append(len(self.constant))
        return len(self.start) - 2

    def emit(self, instruction: int, a: int = 0, b: int = 0, constant: float = 0.0) -> None:
        """Append one instruction."""
        self.code += (instruction, a, b)
        self.constant.append(constant)

    def tables(self) -> Mapping[str, list[int]]:
        """Return where the answers to each question stand, and how its arguments are counted."""
        table_from, radix_from, radix, total = list[int](), [0], list[int](), 0
        for question in self.questions:
            sizes = [self.encoding.sizes[name] for name in question.variables]
            table_from.append(total)
            radix += sizes
            radix_from.append(len(radix))
            room = 1
            for size in sizes:
                room *= size
            total += room
        return {"table_from": table_from, "radix_from": radix_from, "radix": radix, "answers": [total]}


class _ProgramWriter:
    def __init__(self, programs: Programs, names: NameScope) -> None:
        self.programs, self.names = programs, names

    def write(self, expression: Expression, of: Type) -> None:
        emit = self.programs.emit
        match expression:
            case Name() if (variable := self.names.variable(expression)) is not None:
                self._variable(variable)
            case Literal(int() | float() as value) if not isinstance(value, bool):
                emit(kernel.CONSTANT, constant=float(value))
            case Name() | Handle() | Literal():
                code = self.names.code(expression, of)
                assert code is not None, "checked when the domain was made"
                emit(kernel.CONSTANT, constant=float(code))
            case Not(operand):
                self.write(operand, BOOL)
                emit(kernel.NOT)
            case And(parts) | Or(parts):
                self._chain(parts, kernel.AND if isinstance(expression, And) else kernel.OR, BOOL)
            case Compare(operator, left, right):
                self._compare(operator, left, right)
            case Arithmetic(operator, left, right):
                self.write(left, NUMBER)
                self.write(right, NUMBER)
                emit(_OPERATIONS[operator])
            case Call("abs", (argument,)):
                self.write(argument, NUMBER)
                emit(kernel.ABSOLUTE)
            case Call("min" | "max" as function, arguments):
                self._chain(arguments, _OPERATIONS[function], NUMBER)
            case Call(function, arguments):
                self._ask(function, arguments)

    def _variable(self, variable: str) -> None:
        encoding = self.programs.encoding
        if variable in encoding.numbers:
            self.programs.emit(kernel.NUMBER, encoding.numbers[variable])
        else:
            place = encoding.fields[variable]
            self.programs.emit(kernel.FIELD, place.word << 8 | place.shift, place.mask)

    def _chain(self, parts: tuple[Expression, ...], instruction: int, of: Type) -> None:
        for number, part in enumerate(parts):
            self.write(part, of)
            if number:
                self.programs.emit(instruction)

    def _compare(self, operator: str, left: Expression, right: Expression) -> None:
        of = self._type(left) or self._type(right) or BOOL
        self.write(left, of)
        self.write(right, of)
        self.programs.emit(_OPERATIONS[operator])

    def _type(self, expression: Expression) -> Type | None:
        """Return the type of a side of a comparison, if it alone tells."""
        match expression:
            case Name(name) if name in self.names.layout.slots:
                return self.names.type_of(name)
            case Name(name) if name in self.names.layout.handles:
                return self.names.layout.handles[name]
        return None

    def _ask(self, function: str, arguments: tuple[Expression, ...]) -> None:
        asked, varying = list[CallArgument](), list[str]()
        for argument in arguments:
            each = self._asked(function, argument)
            if each.variable in self.programs.changing:
                self._variable(each.variable)
                varying.append(each.variable)
            asked.append(each)
        self.programs.emit(kernel.CALL, len(self.programs.questions))
        self.programs.questions.append(GameCall(function, tuple(asked), tuple(varying)))

    def _asked(self, function: str, argument: Expression) -> CallArgument:
        variable = self.names.variable(argument)
        if variable is not None and not (
            variable in self.programs.changing and self.names.type_of(variable).is_numeric
        ):
            return CallArgument(variable=variable)
        match argument:
            case Literal(value) | Handle(value):
                return CallArgument(value=value)
            case Name(name) if name in self.names.kinds:
                return CallArgument(kind=self.names.kinds[name], code=self.names.constants[name])
            case Name(name) if name in self.names.layout.handles:
                return CallArgument(value=name)
        raise TelosError(
            f"function {function!r} is called with {to_text(argument)!r}",
            "while planning, functions are asked about "
            "handles, labels, switches and constants, not about numbers that change",
        )


# --- task -------------------------------------------------------------------------------------------------------------
# A planning problem without its start, and how it is laid out for the kernel.


class KernelTask(NamedTuple):
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


def flatten(task: KernelTask) -> tuple[Ints, Floats]:
    """Return a task as the kernel takes it: one sequence of integers, one of floats, with a head in the first."""
    ints, floats = [0] * kernel.TASK_HEAD, list[float]()
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
    kernel.NEED_MASK: "need_mask",
    kernel.NEED_VALUE: "need_value",
    kernel.CLEAR: "clear",
    kernel.PUT: "put",
    kernel.TEST_FROM: "test_from",
    kernel.TESTS: "tests",
    kernel.WRITE_FROM: "write_from",
    kernel.WRITES: "writes",
    kernel.COST_PROGRAM: "cost_program",
    kernel.PROGRAM_FROM: "program_from",
    kernel.CODE: "code",
    kernel.GOAL_MASK: "goal_mask",
    kernel.GOAL_VALUE: "goal_value",
    kernel.GOAL_TESTS: "goal_tests",
    kernel.ATOM_FROM: "atom_from",
    kernel.ATOMS: "atoms",
    kernel.SINGLES: "singles",
    kernel.NEED_FROM: "need_from",
    kernel.LANDMARK_NEEDS: "fact_needs",
    kernel.TABLE_FROM: "table_from",
    kernel.RADIX_FROM: "radix_from",
    kernel.RADIX: "radix",
}
_FLOAT_PARTS = {
    kernel.COST: "cost",
    kernel.CONSTANTS: "constant",
    kernel.ATOM_CONSTANT: "atom_constant",
    kernel.WEIGHT: "weight",
    kernel.GAIN: "gain",
    kernel.CALL_VALUES: "answers",
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


def create_workspace(task: KernelTask, nodes: int, deepest: int, zeros: Zeros) -> Workspace:
    """Return room for a search of at most ``nodes`` nodes, whose programs stack up at most ``deepest`` values."""
    ints, floats = size_parts(task, nodes, deepest)
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


def size_parts(task: KernelTask, nodes: int, deepest: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return how long each part of a workspace is: those of integers, and those of floats."""
    heap, slots = 2 * nodes + 8, 1 << (2 * nodes - 1).bit_length()
    ints = {
        kernel.STATE_WORDS: nodes * task.words,
        kernel.PARENT: nodes,
        kernel.REACHED_BY: nodes,
        kernel.NEXT_OPERATOR: nodes,
        kernel.HEAP_NODE: heap,
        kernel.SLOT_NODE: slots,
        kernel.SLOT_GENERATION: slots,
        kernel.STEPS: nodes,
        kernel.MARKS: task.facts,
        kernel.PENDING_LANDMARKS: task.facts,
    }
    floats = {
        kernel.STATE_NUMBERS: nodes * task.numbers,
        kernel.G: nodes,
        kernel.H: nodes,
        kernel.HEAP_F: heap,
        kernel.HEAP_H: heap,
        kernel.STACK: deepest + 1,
    }
    return ints, floats


def _place_parts(sizes: dict[int, int], start: int) -> tuple[dict[int, int], int]:
    """Return where each part begins, one after the other, and where the last one ends."""
    places = {}
    for part, size in sizes.items():
        places[part] = start
        start += size
    return places, start


def copy_nodes(task: KernelTask, old: Workspace, new: Workspace, first: int, end: int) -> None:
    """Copy some nodes of a search into a larger room."""
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
    """Copy some entries of a search's heap into a larger room."""
    _copy(old.ints, old, new.ints, new, kernel.HEAP_NODE, first, end)
    for part in (kernel.HEAP_F, kernel.HEAP_H):
        _copy(old.floats, old, new.floats, new, part, first, end)


def _copy(source: Any, old: Workspace, target: Any, new: Workspace, part: int, first: int, end: int) -> None:
    start, at = int(old.ints[part]), int(new.ints[part])
    target[at + first : at + end] = source[start + first : start + end]


# --- assembly ---------------------------------------------------------------------------------------------------------
# A goal and the actions that can matter for it, put together into a task for the kernel.


@dataclass(frozen=True, slots=True)
class CompiledTask:
    """A task, and what is needed to talk about it: its encoding, its operators, and what it may ask the game."""

    task: KernelTask
    encoding: StateEncoding
    operators: tuple[Operator, ...]
    actions: tuple[Action, ...] | None  # the operators' actions, if none of them has parameters to fill in
    questions: tuple[GameCall, ...]
    deepest: int  # how many values its programs stack up at most


def compile_task(
    wants: Condition, steps: Sequence[AnalysedOperator], layout: Layout, handles: HandleTable, fixed: Mapping[str, int]
) -> CompiledTask:
    """Put together the task of reaching ``wants``; ``fixed`` holds the codes of variables that nothing changes."""
    known = NameScope(layout, handles, fixed)
    goal = analyse_condition(wants, known)
    reads = {name for each in goal.opaque for name in names_in(each) if name in layout.slots and name not in fixed}
    kept, variables = find_relevant(steps, goal, reads)
    kept.sort(key=_calls_game)  # what only the game can tell is tried last, so that it is asked less often
    encoding = StateEncoding([each for each in layout.variables if each.name in variables], handles.counts())
    changing = frozenset(name for step in kept for name in (*step.does.puts, *step.does.adds, *step.does.works_out))
    programs = Programs(encoding, changing)
    columns = _OperatorArrays(encoding, programs)
    for step in kept:
        columns.add(step)
    goal_mask, goal_value = columns.masks(goal)
    goal_tests = [programs.add(each, known, BOOL) for each in goal.tests]
    facts, own = find_landmarks(goal, kept)
    tables = programs.tables()
    parts: dict[str, Any] = {**columns.arrays, **_landmark_arrays(facts, own, encoding)}
    task = KernelTask(
        words=encoding.words,
        numbers=len(encoding.numbers),
        operators=len(kept),
        **parts,
        program_from=programs.start,
        code=programs.code,
        constant=programs.constant,
        goal_mask=goal_mask,
        goal_value=goal_value,
        goal_tests=goal_tests,
        table_from=tables["table_from"],
        radix_from=tables["radix_from"],
        radix=tables["radix"],
        answers=[math.nan] * tables["answers"][0],
    )
    operators = tuple(step.operator for step in kept)
    actions = None if any(each.arguments for each in operators) else tuple(each.action for each in operators)
    return CompiledTask(task, encoding, operators, actions, tuple(programs.questions), programs.deepest)


def _calls_game(step: AnalysedOperator) -> bool:
    cost = () if isinstance(step.cost, float) else (step.cost,)
    return any(functions_in(each) - BUILT_IN.keys() for each in (*step.needs.opaque, *cost))


class _OperatorArrays:
    """The operators' arrays while they grow."""

    def __init__(self, encoding: StateEncoding, programs: Programs) -> None:
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
        for name, code in step.does.puts.items():
            if name in encoding.fields:
                place = encoding.fields[name]
                clear[place.word] &= ~place.in_place
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
        """Return what to look at in each word, and what must stand there; a contradiction can never be met."""
        mask, value = [0] * self.encoding.words, [0] * self.encoding.words
        for atom in needs.atoms:
            if isinstance(atom, ValueAtom):
                place = self.encoding.fields[atom.variable]
                bits = atom.code << place.shift
                if mask[place.word] & place.in_place and value[place.word] & place.in_place != bits:
                    value[place.word] = -1  # `target == alive and target == dead`
                mask[place.word] |= place.in_place
                if value[place.word] >= 0:
                    value[place.word] |= bits
        return mask, value

    def _writes(self, step: AnalysedOperator) -> None:
        effects = {effect.variable: effect.value for effect in step.operator.action.effects}
        for name in (*step.does.adds, *step.does.works_out):
            if name in self.encoding.numbers:
                program = self.programs.add(effects[name], step.names, NUMBER)
                self.arrays["writes"] += (0, self.encoding.numbers[name], 0, 0, program)
            elif name in self.encoding.fields:
                place = self.encoding.fields[name]
                program = self.programs.add(effects[name], step.names, step.names.type_of(name))
                self.arrays["writes"] += (1, place.word, place.shift, place.mask, program)


def _landmark_arrays(facts: Sequence[Landmark], own: int, encoding: StateEncoding) -> dict[str, Any]:
    atom_from, atoms, constants, singles = [0], list[int](), list[float](), list[int]()
    for fact in facts:
        singles += _single(fact, encoding)
        for atom in fact.atoms:
            if isinstance(atom, ValueAtom):
                place = encoding.fields[atom.variable]
                atoms += (kernel.IS, place.word, place.in_place, atom.code << place.shift)
                constants.append(0.0)
            else:
                kind = kernel.AT_LEAST_ATOM if atom.up else kernel.AT_MOST_ATOM
                atoms += (kind, encoding.numbers[atom.variable], 0, 0)
                constants.append(atom.constant)
        atom_from.append(len(constants))
    return {
        "facts": len(facts),
        "atom_from": atom_from,
        "atoms": atoms,
        "atom_constant": constants,
        "singles": singles,
        "need_from": [0, *itertools.accumulate(len(fact.needs) for fact in facts)],
        "fact_needs": [need for fact in facts for need in fact.needs],
        "goal_facts": own,
        "weight": [fact.weight for fact in facts],
        "gain": [fact.gain for fact in facts],
    }


def _single(fact: Landmark, encoding: StateEncoding) -> tuple[int, int, int]:
    (atom, *others) = fact.atoms
    if others or not isinstance(atom, ValueAtom):
        return 0, 0, 0
    place = encoding.fields[atom.variable]
    return place.word, place.in_place, atom.code << place.shift
