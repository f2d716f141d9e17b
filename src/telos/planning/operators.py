"""Ground actions analysed: preconditions, effects, costs."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import Arithmetic, Compare, Expression, Handle, Literal, Name, Not, names_in
from telos.core.state import Layout
from telos.core.values import INT, Type, Value, ValueKind
from telos.planning.encoding import Handles

# --- grounding --------------------------------------------------------------------------------------------------------
# Actions with open parameters become one operator for each choice of handles.


MOST = 100_000  # operators; more than that would not fit the memory of a game, let alone its time


@dataclass(frozen=True, slots=True)
class Operator:
    """An action, and the number of the handle that each of its parameters is bound to."""

    action: Action
    arguments: tuple[tuple[str, str, int], ...]  # parameter, kind, number

    def __str__(self) -> str:
        return self.action.name


def ground(actions: Iterable[Action], counts: Mapping[str, int]) -> tuple[Operator, ...]:
    """Return every action with every choice of handles for its parameters."""
    operators = tuple(itertools.islice(_ground(actions, counts), MOST + 1))
    if len(operators) > MOST:
        raise TelosError(f"the actions come to more than {MOST:,} with all choices of handles", "give fewer handles")
    return operators


def _ground(actions: Iterable[Action], counts: Mapping[str, int]) -> Iterator[Operator]:
    for action in actions:
        kinds = [(name, of.handle) for name, of in action.parameters.items()]
        choices = [range(1, counts.get(kind, 0) + 1) for _, kind in kinds]
        for codes in itertools.product(*choices):
            yield Operator(action, tuple((name, kind, code) for (name, kind), code in zip(kinds, codes, strict=True)))


# --- conditions -------------------------------------------------------------------------------------------------------
# Conditions and effects as the planner sees them: atoms where possible, expressions where not.


@dataclass(frozen=True, slots=True)
class Is:
    """A switch, label or handle has a certain value, given by its code."""

    variable: str
    code: int


@dataclass(frozen=True, slots=True)
class Reaches:
    """A number is at least (``up``) or at most a constant."""

    variable: str
    up: bool
    constant: float


Atom: TypeAlias = Is | Reaches


@dataclass(frozen=True, slots=True)
class Needs:
    """A condition: the atoms that must hold if it holds, and the expressions that must be worked out to judge it.

    ``counted`` are comparisons of a number with a constant, of which the atoms say all that matters for relevance;
    ``opaque`` are expressions of which they say nothing.
    """

    atoms: tuple[Atom, ...]
    counted: tuple[Expression, ...]
    opaque: tuple[Expression, ...]

    @property
    def tests(self) -> tuple[Expression, ...]:
        """Return all that must be worked out."""
        return (*self.counted, *self.opaque)


@dataclass(frozen=True, slots=True)
class Does:
    """What an operator does: codes that it puts, constants that it adds, and values that must be worked out."""

    puts: Mapping[str, int]
    adds: Mapping[str, float]
    works_out: Mapping[str, Expression]


class Names:
    """What a name means for one operator or goal: a constant's code, or a variable."""

    def __init__(
        self,
        layout: Layout,
        handles: Handles,
        constants: Mapping[str, int] | None = None,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.layout = layout
        self.handles = handles
        self.constants = dict(constants or {})  # codes of parameters, and of variables that stay as they are
        self.kinds = dict(kinds or {})  # the kind of handle of each parameter

    def variable(self, expression: Expression) -> str | None:
        """Return the variable that an expression names, if it does and it can change."""
        if isinstance(expression, Name) and expression.name in self.layout.slots:
            return None if expression.name in self.constants else expression.name
        return None

    def code(self, expression: Expression, of: Type) -> int | None:
        """Return the code of a constant of a finite type, or None if the expression is no constant."""
        match expression:
            case Literal(bool() as value):
                return int(value)
            case Literal(None):
                return 0
            case Handle(value):
                return self.handles.code(of.handle, value)
            case Name(name) if name in self.constants:
                return self.constants[name]
            case Name(name) if name in self.layout.slots:
                return None
            case Name(name) if name in self.layout.handles:
                return self.handles.code(self.layout.handles[name].handle, name)
            case Name(name) if name in of.labels:
                return of.labels.index(name)
        return None

    def type_of(self, variable: str) -> Type:
        """Return a variable's type."""
        return self.layout.variable(variable).type


def needs_of(condition: Condition, known: Names) -> Needs:
    """Take a condition apart."""
    atoms: list[Atom] = []
    judged: dict[_Judged, list[Expression]] = {each: [] for each in _Judged}
    for part in condition.parts:
        found, how = _atoms(part.expression, known)
        atoms += found
        judged[how].append(part.expression)
    counted, opaque = judged[_Judged.BY_COUNTING], judged[_Judged.BY_WORKING_OUT]
    return Needs(tuple(dict.fromkeys(atoms)), tuple(counted), tuple(opaque))


class _Judged(Enum):
    """What it takes to tell whether a part of a condition holds."""

    BY_WORDS = "masks over the words suffice"
    BY_COUNTING = "a number is compared with a constant"
    BY_WORKING_OUT = "an expression must be worked out"


_OPAQUE: "tuple[list[Atom], _Judged]" = ([], _Judged.BY_WORKING_OUT)


def _atoms(expression: Expression, known: Names) -> tuple[list[Atom], _Judged]:
    """Return the atoms that a condition implies, and what it takes to judge it."""
    match expression:
        case Name() if (variable := known.variable(expression)) is not None:
            return [Is(variable, 1)], _Judged.BY_WORDS
        case Not(Name() as inner) if (variable := known.variable(inner)) is not None:
            return [Is(variable, 0)], _Judged.BY_WORDS
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


def _comparison(variable: str, operator: str, right: Expression, known: Names) -> tuple[list[Atom], _Judged]:
    of = known.type_of(variable)
    if of.is_numeric:
        constant = number(right)
        if constant is None or operator == "!=":
            return _OPAQUE
        return _reaches(variable, operator, constant, of), _Judged.BY_COUNTING
    code = known.code(right, of)
    if code is None:
        return _OPAQUE
    if operator == "==":
        return [Is(variable, code)], _Judged.BY_WORDS
    two = of.kind is ValueKind.BOOL or len(of.labels) == 2
    return ([Is(variable, 1 - code)], _Judged.BY_WORDS) if two else _OPAQUE


def _reaches(variable: str, operator: str, constant: float, of: Type) -> list[Atom]:
    step = 1.0 if of == INT and constant == int(constant) else 0.0  # `ammo > 2` is `ammo >= 3` for whole numbers
    match operator:
        case ">=":
            return [Reaches(variable, True, constant)]
        case ">":
            return [Reaches(variable, True, constant + step)]
        case "<=":
            return [Reaches(variable, False, constant)]
        case "<":
            return [Reaches(variable, False, constant - step)]
        case _:
            return [Reaches(variable, True, constant), Reaches(variable, False, constant)]


def number(expression: Expression) -> float | None:
    """Return the value of a numeric constant, or None."""
    match expression:
        case Literal(int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case Arithmetic("-", Literal(0), Literal(int() | float() as value)):
            return -float(value)
    return None


def does_of(action: Action, known: Names) -> Does:
    """Take an action's effects apart."""
    puts: dict[str, int] = {}
    adds: dict[str, float] = {}
    works_out: dict[str, Expression] = {}
    for effect in action.effects:
        of = known.type_of(effect.variable)
        code = None if of.is_numeric else known.code(effect.value, of)
        amount = _added(effect.variable, effect.value) if of.is_numeric else None
        if code is not None:
            puts[effect.variable] = code
        elif amount is not None:
            adds[effect.variable] = amount
        else:
            works_out[effect.variable] = effect.value
    return Does(puts, adds, works_out)


def _added(variable: str, value: Expression) -> float | None:
    """Return by how much an effect such as ``ammo = ammo - 1`` moves its variable, if that is a constant."""
    if isinstance(value, Arithmetic) and value.operator in "+-" and value.left == Name(variable):
        amount = number(value.right)
        return amount if value.operator == "+" or amount is None else -amount
    return None


@dataclass(frozen=True, slots=True)
class Step:
    """An operator, taken apart."""

    operator: Operator
    names: Names
    needs: Needs
    does: Does
    cost: float | Expression

    @property
    def least_cost(self) -> float:
        """Return a cost that this operator never undercuts."""
        return self.cost if isinstance(self.cost, float) else 0.0

    def reads(self) -> frozenset[str]:
        """Return the variables that must be known in full to judge the condition and the cost."""
        expressions = [*self.needs.opaque, *([] if isinstance(self.cost, float) else [self.cost])]
        return frozenset(name for each in expressions for name in names_in(each) if name in self.names.layout.slots)


def step_of(operator: Operator, layout: Layout, handles: Handles) -> Step:
    """Take an operator apart."""
    codes = {parameter: code for parameter, _, code in operator.arguments}
    known = Names(layout, handles, codes, {parameter: kind for parameter, kind, _ in operator.arguments})
    action = operator.action
    cost = number(action.cost)
    return Step(
        operator,
        known,
        needs_of(action.preconditions, known),
        does_of(action, known),
        action.cost if cost is None else cost,
    )


def value_of(variable_type: Type, code: int, handles: Handles) -> Value:
    """Return the value that a code stands for."""
    if variable_type.kind is ValueKind.BOOL:
        return bool(code)
    if variable_type.kind is ValueKind.ENUM:
        return variable_type.labels[code]
    return handles.handle(variable_type.handle, code)
