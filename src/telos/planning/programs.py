"""Expressions as programs for the kernel's stack machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.core.expressions import And, Arithmetic, Call, Compare, Expression, Handle, Literal, Name, Not, Or, text
from telos.core.values import BOOL, NUMBER, Type, Value
from telos.planning import heads
from telos.planning.conditions import Names
from telos.planning.encoding import Encoding

_OPERATIONS = {
    "+": heads.ADD,
    "-": heads.SUBTRACT,
    "*": heads.MULTIPLY,
    "/": heads.DIVIDE,
    "==": heads.EQUAL,
    "!=": heads.DIFFERENT,
    "<": heads.LESS,
    "<=": heads.AT_MOST,
    ">": heads.MORE,
    ">=": heads.AT_LEAST,
    "min": heads.SMALLER,
    "max": heads.LARGER,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """An argument of a call: a constant, the number of a handle that a parameter is bound to, or a variable."""

    value: Value = None
    kind: str = ""
    code: int = 0
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A call of one of the game's functions, which only the game can answer."""

    function: str
    arguments: tuple[Asked, ...]
    variables: tuple[str, ...]  # the arguments that can change while planning, in order


@dataclass
class Programs:
    """All programs of a task, one after the other, and the questions that they may ask."""

    encoding: Encoding
    changing: frozenset[str]  # the variables that some action changes
    start: list[int] = field(default_factory=lambda: [0])
    code: list[int] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    deepest: int = 1

    def add(self, expression: Expression, names: Names, of: Type) -> int:
        """Append the program of an expression and return its number."""
        before = len(self.constant)
        _Writer(self, names).write(expression, of)
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


class _Writer:
    def __init__(self, programs: Programs, names: Names) -> None:
        self.programs, self.names = programs, names

    def write(self, expression: Expression, of: Type) -> None:
        emit = self.programs.emit
        match expression:
            case Name() if (variable := self.names.variable(expression)) is not None:
                self._variable(variable)
            case Literal(int() | float() as value) if not isinstance(value, bool):
                emit(heads.CONSTANT, constant=float(value))
            case Name() | Handle() | Literal():
                code = self.names.code(expression, of)
                assert code is not None, "checked when the domain was made"
                emit(heads.CONSTANT, constant=float(code))
            case Not(operand):
                self.write(operand, BOOL)
                emit(heads.NOT)
            case And(parts) | Or(parts):
                self._chain(parts, heads.AND if isinstance(expression, And) else heads.OR, BOOL)
            case Compare(operator, left, right):
                self._compare(operator, left, right)
            case Arithmetic(operator, left, right):
                self.write(left, NUMBER)
                self.write(right, NUMBER)
                emit(_OPERATIONS[operator])
            case Call("abs", (argument,)):
                self.write(argument, NUMBER)
                emit(heads.MAGNITUDE)
            case Call("min" | "max" as function, arguments):
                self._chain(arguments, _OPERATIONS[function], NUMBER)
            case Call(function, arguments):
                self._ask(function, arguments)

    def _variable(self, variable: str) -> None:
        encoding = self.programs.encoding
        if variable in encoding.numbers:
            self.programs.emit(heads.NUMBER, encoding.numbers[variable])
        else:
            place = encoding.fields[variable]
            self.programs.emit(heads.FIELD, place.word << 8 | place.shift, place.mask)

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
        asked, varying = list[Asked](), list[str]()
        for argument in arguments:
            each = self._asked(function, argument)
            if each.variable in self.programs.changing:
                self._variable(each.variable)
                varying.append(each.variable)
            asked.append(each)
        self.programs.emit(heads.CALL, len(self.programs.questions))
        self.programs.questions.append(Question(function, tuple(asked), tuple(varying)))

    def _asked(self, function: str, argument: Expression) -> Asked:
        variable = self.names.variable(argument)
        if variable is not None and not (
            variable in self.programs.changing and self.names.type_of(variable).is_numeric
        ):
            return Asked(variable=variable)
        match argument:
            case Literal(value) | Handle(value):
                return Asked(value=value)
            case Name(name) if name in self.names.kinds:
                return Asked(kind=self.names.kinds[name], code=self.names.constants[name])
            case Name(name) if name in self.names.layout.handles:
                return Asked(value=name)
        raise TelosError(
            f"function {function!r} is called with {text(argument)!r}",
            "while planning, functions are asked about "
            "handles, labels, switches and constants, not about numbers that change",
        )
