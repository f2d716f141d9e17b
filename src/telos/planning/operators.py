"""Ground operators: actions with a choice of handles, their conditions and effects analysed.

Start with ``ground_actions`` and ``analyse_operator``. A condition becomes atoms (comparisons with constants) as far as
possible; the rest stays as expressions, which ``Programs`` compiles for the kernel's stack machine.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from telos.core.action import Action
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
    names_in,
    to_text,
)
from telos.core.state import Layout
from telos.core.values import BOOL, INT, NUMBER, Type, Value, ValueKind
from telos.planning import kernel
from telos.planning.encoding import HandleTable, StateEncoding
from telos.planning.functions import GameFunction

# --- grounding ---

MAX_OPERATORS = 100_000  # more would exceed the memory and the time of a game


@dataclass(frozen=True, slots=True)
class Operator:
    """An action with a handle, given by its number, for each of its parameters."""

    action: Action
    arguments: tuple[tuple[str, str, int], ...]  # parameter, kind, number

    def __str__(self) -> str:
        return self.action.name


def ground_actions(actions: Iterable[Action], counts: Mapping[str, int]) -> tuple[Operator, ...]:
    """Return every action with every combination of handles for its parameters."""
    operators = tuple(itertools.islice(_ground(actions, counts), MAX_OPERATORS + 1))
    if len(operators) > MAX_OPERATORS:
        raise TelosError(f"the actions have more than {MAX_OPERATORS:,} combinations of handles", "give fewer handles")
    return operators


def _ground(actions: Iterable[Action], counts: Mapping[str, int]) -> Iterator[Operator]:
    for action in actions:
        kinds = [(name, of.handle) for name, of in action.parameters.items()]
        choices = [range(1, counts.get(kind, 0) + 1) for _, kind in kinds]
        for codes in itertools.product(*choices):
            yield Operator(action, tuple((name, kind, code) for (name, kind), code in zip(kinds, codes, strict=True)))


# --- conditions and effects ---


@dataclass(frozen=True, slots=True)
class ValueAtom:
    """A bool, label or handle has a value, given by its code."""

    variable: str
    code: int


@dataclass(frozen=True, slots=True)
class BoundAtom:
    """A number is at least (``up``) or at most a constant."""

    variable: str
    up: bool
    constant: float


Atom: TypeAlias = ValueAtom | BoundAtom


@dataclass(frozen=True, slots=True)
class Requirements:
    """A condition: the atoms that it implies, and the expressions that must be evaluated to decide it.

    ``counted`` are comparisons of a number with a constant: for relevance, their atoms say everything. ``opaque`` are
    expressions that have no atoms.
    """

    atoms: tuple[Atom, ...]
    counted: tuple[Expression, ...]
    opaque: tuple[Expression, ...]

    @property
    def tests(self) -> tuple[Expression, ...]:
        """Return all expressions that must be evaluated."""
        return (*self.counted, *self.opaque)


@dataclass(frozen=True, slots=True)
class OperatorEffects:
    """The effects of an operator: codes that it sets, constants that it adds, and values that must be evaluated."""

    sets: Mapping[str, int]
    adds: Mapping[str, float]
    computed: Mapping[str, Expression]


class NameScope:
    """The meaning of names in one operator or goal: a constant's code, or a variable."""

    def __init__(
        self,
        layout: Layout,
        handles: HandleTable,
        constants: Mapping[str, int] | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.layout = layout
        self.handles = handles
        self.constants = dict(constants or {})  # codes of parameters, and of variables that no action changes
        self.kinds = dict(kinds or {})  # the kind of handle of each parameter

    def variable(self, expression: Expression) -> str | None:
        """Return the variable that an expression names if it can change, else None."""
        if isinstance(expression, Name) and expression.name in self.layout.slots:
            return None if expression.name in self.constants else expression.name
        return None

    def code(self, expression: Expression, of: Type) -> int | None:
        """Return the code of a constant of a finite type, or None if the expression is not a constant."""
        match expression:
            case Literal(bool() as value):
                return int(value)
            case Literal(None):
                return 0
            case Handle(value):
                return self.handles.encode(of.handle, value)
            case Name(name) if name in self.constants:
                return self.constants[name]
            case Name(name) if name in self.layout.slots:
                return None
            case Name(name) if name in self.layout.handles:
                return self.handles.encode(self.layout.handles[name].handle, name)
            case Name(name) if name in of.labels:
                return of.labels.index(name)
        return None

    def type_of(self, variable: str) -> Type:
        return self.layout.variable(variable).type


def analyse_condition(condition: Condition, known: NameScope) -> Requirements:
    """Return the atoms and the other expressions of a condition."""
    atoms: list[Atom] = []
    by_evaluation: dict[_Evaluation, list[Expression]] = {each: [] for each in _Evaluation}
    for part in condition.parts:
        found, how = _atoms(part.expression, known)
        atoms += found
        by_evaluation[how].append(part.expression)
    counted, opaque = by_evaluation[_Evaluation.BY_COMPARISON], by_evaluation[_Evaluation.BY_EXPRESSION]
    return Requirements(tuple(dict.fromkeys(atoms)), tuple(counted), tuple(opaque))


class _Evaluation(Enum):
    """How a part of a condition is evaluated."""

    BY_MASK = "masks over the words"
    BY_COMPARISON = "a number compared with a constant"
    BY_EXPRESSION = "an expression"


_OPAQUE: "tuple[list[Atom], _Evaluation]" = ([], _Evaluation.BY_EXPRESSION)


def _atoms(expression: Expression, known: NameScope) -> tuple[list[Atom], _Evaluation]:
    """Return the atoms that a condition implies, and how it is evaluated."""
    match expression:
        case Name() if (variable := known.variable(expression)) is not None:
            return [ValueAtom(variable, 1)], _Evaluation.BY_MASK
        case Not(Name() as inner) if (variable := known.variable(inner)) is not None:
            return [ValueAtom(variable, 0)], _Evaluation.BY_MASK
        case Not(Compare("==", left, right)):
            return _atoms(Compare("!=", left, right), known)
        case Compare(operator, left, right):
            variable = known.variable(left)
            if variable is None:
                left, right, operator = right, left, _MIRRORED[operator]
                variable = known.variable(left)
            if variable is not None:
                return _comparison(variable, operator, right, known)
    return _OPAQUE


_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _comparison(variable: str, operator: str, right: Expression, known: NameScope) -> tuple[list[Atom], _Evaluation]:
    of = known.type_of(variable)
    if of.is_numeric:
        constant = as_number(right)
        if constant is None or operator == "!=":
            return _OPAQUE
        return _bound_atoms(variable, operator, constant, of), _Evaluation.BY_COMPARISON
    code = known.code(right, of)
    if code is None:
        return _OPAQUE
    if operator == "==":
        return [ValueAtom(variable, code)], _Evaluation.BY_MASK
    two = of.kind is ValueKind.BOOL or len(of.labels) == 2
    return ([ValueAtom(variable, 1 - code)], _Evaluation.BY_MASK) if two else _OPAQUE


def _bound_atoms(variable: str, operator: str, constant: float, of: Type) -> list[Atom]:
    step = 1.0 if of == INT and constant == int(constant) else 0.0  # `ammo > 2` is `ammo >= 3` for whole numbers
    match operator:
        case ">=":
            return [BoundAtom(variable, True, constant)]
        case ">":
            return [BoundAtom(variable, True, constant + step)]
        case "<=":
            return [BoundAtom(variable, False, constant)]
        case "<":
            return [BoundAtom(variable, False, constant - step)]
        case _:
            return [BoundAtom(variable, True, constant), BoundAtom(variable, False, constant)]


def as_number(expression: Expression) -> float | None:
    """Return the value of a numeric constant, or None."""
    match expression:
        case Literal(int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case Arithmetic("-", Literal(0), Literal(int() | float() as value)):
            return -float(value)
    return None


def analyse_effects(action: Action, known: NameScope) -> OperatorEffects:
    """Return the effects of an action by how they are computed."""
    sets: dict[str, int] = {}
    adds: dict[str, float] = {}
    computed: dict[str, Expression] = {}
    for effect in action.effects:
        of = known.type_of(effect.variable)
        code = None if of.is_numeric else known.code(effect.value, of)
        amount = _constant_increase(effect.variable, effect.value) if of.is_numeric else None
        if code is not None:
            sets[effect.variable] = code
        elif amount is not None:
            adds[effect.variable] = amount
        else:
            computed[effect.variable] = effect.value
    return OperatorEffects(sets, adds, computed)


def _constant_increase(variable: str, value: Expression) -> float | None:
    """Return the constant that an effect such as ``ammo = ammo - 1`` adds to its variable, or None."""
    if isinstance(value, Arithmetic) and value.operator in "+-" and value.left == Name(variable):
        amount = as_number(value.right)
        return amount if value.operator == "+" or amount is None else -amount
    return None


@dataclass(frozen=True, slots=True)
class AnalysedOperator:
    """An operator with its condition, effects and cost in the planner's form."""

    operator: Operator
    names: NameScope
    needs: Requirements
    effects: OperatorEffects
    cost: float | Expression

    @property
    def least_cost(self) -> float:
        """Return a lower bound of the cost."""
        return self.cost if isinstance(self.cost, float) else max(0.0, self._bound(self.cost))

    def _bound(self, cost: Expression) -> float:
        """Return a lower bound of an expression: of a table, its least value; minus infinity if nothing is known."""
        number = as_number(cost)
        if number is not None:
            return number
        match cost:
            case Arithmetic("+", left, right):
                return self._bound(left) + self._bound(right)
            case Arithmetic("*", left, right):
                factors = self._bound(left), self._bound(right)
                return factors[0] * factors[1] if min(factors) >= 0.0 else -math.inf
            case Call("min", arguments):
                return min(map(self._bound, arguments))
            case Call("max", arguments):
                return max(map(self._bound, arguments))
            case Call(name, arguments):
                return self._least_value(self.names.layout.functions.get(name), arguments)
        return -math.inf

    def _least_value(self, function: object, arguments: Sequence[Expression]) -> float:
        """Return the least value of a table among those that can matter.

        Going to the place where one is changes nothing: if that is all that the operator does, no plan has it.
        """
        if not isinstance(function, GameFunction) or function.values is None:
            return -math.inf
        places = {each.name: place for place, each in enumerate(arguments) if isinstance(each, Name)}
        if len(self.operator.action.effects) == 1 and len(self.effects.sets) == 1:
            ((variable, code),) = self.effects.sets.items()
            kind = self.names.type_of(variable).handle
            for name, place in places.items():
                if variable in places and self.names.kinds.get(name) == kind and self.names.constants[name] == code:
                    return _least_value_between(function, places[variable], place)
        return _least_value_between(function, 0, None)

    def reads(self) -> frozenset[str]:
        """Return the variables that the opaque conditions and the cost read."""
        expressions = [*self.needs.opaque, *([] if isinstance(self.cost, float) else [self.cost])]
        return frozenset(name for each in expressions for name in names_in(each) if name in self.names.layout.slots)


@lru_cache(maxsize=64)
def _least_value_between(function: GameFunction, one: int, other: int | None) -> float:
    """Return the least value of a table; with ``other``, only of arguments that differ in the two places."""
    values = function.values or {}
    if other is None:
        return min(values.values(), default=-math.inf)
    last = max(one, other)  # keys that are shorter are never looked up
    return min(
        (value for key, value in values.items() if last < len(key) and key[one] != key[other]), default=-math.inf
    )


def analyse_operator(operator: Operator, layout: Layout, handles: HandleTable) -> AnalysedOperator:
    """Return an operator in the planner's form."""
    codes = {parameter: code for parameter, _, code in operator.arguments}
    known = NameScope(layout, handles, codes, {parameter: kind for parameter, kind, _ in operator.arguments})
    action = operator.action
    cost = as_number(action.cost)
    return AnalysedOperator(
        operator,
        known,
        analyse_condition(action.preconditions, known),
        analyse_effects(action, known),
        action.cost if cost is None else cost,
    )


def decode_value(variable_type: Type, code: int, handles: HandleTable) -> Value:
    """Return the value that a code stands for."""
    if variable_type.kind is ValueKind.BOOL:
        return bool(code)
    if variable_type.kind is ValueKind.ENUM:
        return variable_type.labels[code]
    return handles.decode(variable_type.handle, code)


# --- programs: expressions for the kernel's stack machine ---

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


MAX_CALL_VALUES = 10_000_000  # each search has a place for each of them


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument of a game call: a constant, the number of a parameter's handle, or a variable."""

    value: Value = None
    kind: str = ""
    code: int = 0
    variable: str = ""


@dataclass(frozen=True, slots=True)
class GameCall:
    """A call of a function that the game provides."""

    function: str
    arguments: tuple[CallArgument, ...]
    variables: tuple[str, ...]  # the arguments that can change while planning, in order


@dataclass
class Programs:
    """All programs of a task, one after the other, and the game calls in them."""

    encoding: StateEncoding
    changing: frozenset[str]  # the variables that some operator changes
    start: list[int] = field(default_factory=lambda: [0])
    code: list[int] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    game_calls: list[GameCall] = field(default_factory=list)
    stack_size: int = 1

    def add(self, expression: Expression, names: NameScope, of: Type) -> int:
        """Append the program of an expression; return its number."""
        before = len(self.constants)
        _ProgramWriter(self, names).write(expression, of)
        self.stack_size = max(self.stack_size, len(self.constants) - before + 1)
        self.start.append(len(self.constants))
        return len(self.start) - 2

    def emit(self, instruction: int, a: int = 0, b: int = 0, constant: float = 0.0) -> None:
        """Append one instruction."""
        self.code += (instruction, a, b)
        self.constants.append(constant)

    def tables(self) -> Mapping[str, list[int]]:
        """Return where the values of each game call are stored, and how its arguments form an index."""
        table_from, radix_from, radix, total = list[int](), [0], list[int](), 0
        for question in self.game_calls:
            sizes = [self.encoding.sizes[name] for name in question.variables]
            table_from.append(total)
            radix += sizes
            radix_from.append(len(radix))
            room = 1
            for size in sizes:
                room *= size
            total += room
        if total > MAX_CALL_VALUES:
            functions = ", ".join(dict.fromkeys(each.function for each in self.game_calls))
            raise TelosError(
                f"the calls of {functions} have more than {MAX_CALL_VALUES:,} combinations of arguments",
                "pass fewer arguments that actions change, or give fewer handles",
            )
        return {"table_from": table_from, "radix_from": radix_from, "radix": radix, "call_values": [total]}


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
                self._call(function, arguments)

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
        """Return the type of a side of a comparison if that side determines it, else None."""
        match expression:
            case Name(name) if name in self.names.layout.slots:
                return self.names.type_of(name)
            case Name(name) if name in self.names.kinds:
                return Type(ValueKind.HANDLE, handle=self.names.kinds[name])
            case Name(name) if name in self.names.layout.handles:
                return self.names.layout.handles[name]
        return None

    def _call(self, function: str, arguments: tuple[Expression, ...]) -> None:
        call_arguments, varying = list[CallArgument](), list[str]()
        for argument in arguments:
            each = self._argument(function, argument)
            if each.variable in self.programs.changing:
                self._variable(each.variable)
                varying.append(each.variable)
            call_arguments.append(each)
        self.programs.emit(kernel.CALL, len(self.programs.game_calls))
        self.programs.game_calls.append(GameCall(function, tuple(call_arguments), tuple(varying)))

    def _argument(self, function: str, argument: Expression) -> CallArgument:
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
            case Name(name) if name in self.names.constants:
                return CallArgument(variable=name)  # of a goal: no action changes it
            case Name(name) if name in self.names.layout.handles:
                return CallArgument(value=name)
        raise TelosError(
            f"function {function!r} is called with {to_text(argument)!r}",
            "while planning, pass functions only handles, labels, bools and constants, not numbers that change",
        )
