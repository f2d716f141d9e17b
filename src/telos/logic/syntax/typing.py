"""Declarations and types: the signature of a model, and the type check of its formulas.

One check (``check_types``) serves files and models built in Python: known predicates, the number of arguments, one
type for each variable. It counts atoms, equations, terms and quantifiers from left to right; the parser has noted the
token of each, so that a fault has its line and column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from telos.core.errors import FaultCode, name_hint
from telos.logic.database import is_whole_number, order_constants
from telos.logic.formulas import (
    Atom,
    Constant,
    Equal,
    Exists,
    ForAll,
    Formula,
    Term,
    Variable,
    rewrite_terms,
    subformulas,
)
from telos.logic.model import Function, MarkovLogic, Predicate, Rule

_USE_OTHER_TERM = "use another one here, or change the declaration"


@dataclass(slots=True)
class Signature:
    """The declarations of a model while it is read; ``mentioned`` are constants that only formulas name."""

    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    declared: dict[str, dict[str, None]] = field(default_factory=dict)
    mentioned: dict[str, set[str]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)  # name -> place of its declaration, for messages
    _types: set[str] = field(default_factory=set, compare=False)
    _counted: tuple[int, int] = (0, 0)  # predicates and functions in ``_types``
    _lists: int = 0  # lists of constants in ``_types``
    _numeric: dict[str, tuple[int, bool]] = field(
        default_factory=dict, compare=False
    )  # by type: constants seen, answer

    def add_constant(self, kind: str, constant: str) -> str:
        """Add a constant to a type; return an error message if the type is closed, else an empty string."""
        declared = self.declared.get(kind)
        if (
            declared is not None
            and constant not in declared
            and not (is_whole_number(constant) and self.is_numeric(kind))
        ):
            return f"{kind} has no constant {constant!r}"
        self.mentioned.setdefault(kind, set()).add(constant)
        return ""

    def suggest_constant(self, kind: str, constant: str) -> str:
        """Return a suggestion for an unknown constant of a closed type."""
        return name_hint(constant, self.declared.get(kind, ()))

    def is_numeric(self, kind: str) -> bool:
        """Whether all declared constants of a type are whole numbers."""
        declared = self.declared.get(kind, {})
        seen, answer = self._numeric.get(kind, (0, True))
        if seen < len(declared):  # constants are only ever added, at the end
            answer = answer and all(map(is_whole_number, islice(reversed(declared), len(declared) - seen)))
            self._numeric[kind] = len(declared), answer
        return answer

    @property
    def types(self) -> set[str]:
        """All types that occur in a declaration."""
        predicates, functions = self._counted
        if self._counted != (len(self.predicates), len(self.functions)):  # declarations are only ever added
            for predicate in islice(reversed(self.predicates.values()), len(self.predicates) - predicates):
                self._types.update(predicate.types)
            for function in islice(reversed(self.functions.values()), len(self.functions) - functions):
                self._types.update((function.returns, *function.types))
            self._counted = len(self.predicates), len(self.functions)
        if self._lists < len(self.declared):
            self._types.update(islice(reversed(self.declared), len(self.declared) - self._lists))
            self._lists = len(self.declared)
        return self._types

    def constants(self) -> dict[str, tuple[str, ...]]:
        """Return the constants of each type: numbers, then declared names, then the others, sorted."""
        kinds = sorted(set(self.declared) | set(self.mentioned))
        return {
            kind: order_constants((*self.declared.get(kind, ()), *sorted(self.mentioned.get(kind, ()))))
            for kind in kinds
        }


def signature_of(model: MarkovLogic) -> Signature:
    """Return the declarations of a complete model."""
    constants: Mapping[str, tuple[str, ...]] = model.constants
    declared = {kind: dict.fromkeys(constants.get(kind, ())) for kind in model.closed}
    mentioned = {kind: set(names) for kind, names in constants.items() if kind not in model.closed}
    return Signature(dict(model.predicates), dict(model.functions), declared, mentioned)


@dataclass(frozen=True, slots=True)
class TypeFault:
    """A fault at the ``mark``-th part of a formula."""

    mark: int
    message: str
    suggestion: str = ""
    code: FaultCode = FaultCode.INVALID


@dataclass(slots=True)
class FormulaTypes:
    """The types of a formula's free variables and constants, and its faults."""

    types: dict[str, str] = field(default_factory=dict)
    constants: list[tuple[int, str, str]] = field(default_factory=list)  # mark, constant, type ("": not known)
    findings: list[TypeFault] = field(default_factory=list)


def check_types(formula: Formula, signature: Signature, plus: Sequence[str] = ()) -> FormulaTypes:
    """Return the types in a formula, and all its faults.

    >>> from telos.logic.model import Predicate
    >>> words = Signature({"goal": Predicate("goal", ("time", "aim"))})
    >>> check_types(Atom("goal", (Variable("t", -1), Variable("g"))), words).types
    {'t': 'time', 'g': 'aim'}
    """
    checker = _TypeChecker(signature)
    checker.formula(formula)
    return checker.finish(plus)


def iter_table_constants(rule: Rule, types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the constants in a rule's table of weights, with types; for ``+t`` and ``t-1``, both."""
    shifts: dict[str, set[int]] = {name: set() for name in rule.plus}

    def note(term: Variable | Constant) -> Term:
        if isinstance(term, Variable) and term.shift and term.name in shifts:
            shifts[term.name].add(term.shift)
        return term

    rewrite_terms(rule.formula, note)
    for place, name in enumerate(rule.plus):
        for constant in dict.fromkeys(key[place] for key in rule.weights if len(key) == len(rule.plus)):
            yield types[name], constant
            yield from (
                (types[name], str(int(constant) + shift)) for shift in shifts[name] if is_whole_number(constant)
            )


@dataclass(slots=True)
class _VariableType:
    """A variable and the type found so far."""

    name: str
    mark: int
    kind: str = ""
    shifted: int = -1


class _TypeChecker:
    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self._mark = -1
        self._free: dict[str, _VariableType] = {}
        self._bound: dict[str, list[_VariableType]] = {}  # innermost last
        self._variables: list[_VariableType] = []
        self._equations: list[tuple[int, _VariableType | str, _VariableType | str]] = []
        self._equated_constants: list[
            tuple[int, str, _VariableType | str]
        ] = []  # constants in equations, and the other side
        self._result = FormulaTypes()

    def _report(self, mark: int, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        self._result.findings.append(TypeFault(mark, message, suggestion, code))

    def formula(self, formula: Formula) -> None:
        match formula:
            case Atom(predicate, arguments):
                self._atom(predicate, arguments)
            case Equal(left, right):
                self._equal(left, right)
            case ForAll(names, part) | Exists(names, part):
                self._quantified(names, part)
            case _:
                for each in subformulas(formula):
                    self.formula(each)

    def _atom(self, name: str, arguments: tuple[Term, ...]) -> None:
        self._mark += 1
        predicate = self._signature.predicates.get(name)
        if predicate is None:
            known = self._signature.predicates
            self._report(
                self._mark,
                f"unknown predicate {name!r}",
                name_hint(name, known) or "declare it: name(type, …)",
                code=FaultCode.UNKNOWN_NAME,
            )
        self._arguments(name, arguments, None if predicate is None else predicate.types)

    def _arguments(self, name: str, arguments: tuple[Term, ...], types: tuple[str, ...] | None) -> None:
        if types is not None and len(types) != len(arguments):
            wanted = f"{name}({', '.join(types)})"
            self._report(
                self._mark,
                f"{name} takes {_format_count(len(types))}, not {len(arguments)}",
                f"declared as {wanted}",
                code=FaultCode.WRONG_COUNT,
            )
            types = None
        for place, each in enumerate(arguments):
            self._term(each, "" if types is None else types[place])

    def _term(self, term: Term, kind: str) -> _VariableType | str:
        """Check a term at a place with a type; return the variable, or the type of any other term."""
        self._mark += 1
        if isinstance(term, Variable):
            return self._variable(term, kind)
        if isinstance(term, Constant):
            if kind:
                self._result.constants.append((self._mark, term.name, kind))
            return kind
        function = self._signature.functions.get(term.function)
        mark = self._mark
        if function is None:
            self._report(
                mark,
                f"unknown function {term.function!r}",
                name_hint(term.function, self._signature.functions),
                code=FaultCode.UNKNOWN_NAME,
            )
        elif kind and kind != function.returns:
            self._report(
                mark,
                f"{term.function} has type {function.returns}, but type {kind} is expected here",
                _USE_OTHER_TERM,
                code=FaultCode.WRONG_TYPE,
            )
        self._arguments(term.function, term.arguments, None if function is None else function.types)
        return kind or (function.returns if function else "")

    def _variable(self, term: Variable, kind: str) -> _VariableType:
        bound = self._bound.get(term.name)
        scope = bound[-1] if bound else self._free.get(term.name)
        if scope is None:
            scope = self._free[term.name] = _VariableType(term.name, self._mark)
            self._variables.append(scope)
        if term.shift:
            scope.shifted = self._mark
        self._unify(scope, kind, self._mark)
        scope.mark = self._mark if scope.mark < 0 else scope.mark
        return scope

    def _unify(self, scope: _VariableType, kind: str, mark: int) -> None:
        if kind and scope.kind and kind != scope.kind:
            message = f"variable {scope.name!r} has type {scope.kind}, but type {kind} is expected here"
            self._report(mark, message, _USE_OTHER_TERM, code=FaultCode.WRONG_TYPE)
        scope.kind = scope.kind or kind

    def _equal(self, left: Term, right: Term) -> None:
        self._mark += 1
        mark = self._mark
        sides = []
        for term in (left, right):
            side = self._term(term, "")
            sides.append((self._mark, term, side))
        (_, _, one), (_, _, other) = sides
        self._equations.append((mark, one, other))
        for (at, term, _), (_, _, beside) in (sides, sides[::-1]):
            if isinstance(term, Constant):
                self._equated_constants.append((at, term.name, beside))

    def _quantified(self, names: tuple[str, ...], part: Formula) -> None:
        self._mark += 1
        mark = self._mark
        scopes = [_VariableType(name, -1) for name in names]
        for scope in scopes:
            self._bound.setdefault(scope.name, []).append(scope)
        self._variables += scopes
        self.formula(part)
        for scope in scopes:
            self._bound[scope.name].pop()
        for scope in scopes:
            if scope.mark < 0:
                self._report(
                    mark,
                    f"the quantified variable {scope.name!r} is not used",
                    "leave it out",
                    code=FaultCode.UNREACHABLE,
                )

    def finish(self, plus: Sequence[str]) -> FormulaTypes:
        self._unify_equations()
        for scope in self._variables:
            if not scope.kind and scope.mark >= 0 and not self._result.findings:
                self._report(
                    scope.mark,
                    f"variable {scope.name!r} has no type",
                    "use it in a predicate as well",
                    code=FaultCode.WRONG_TYPE,
                )
            if scope.shifted >= 0 and not self._signature.is_numeric(scope.kind):
                message = f"{scope.name!r} is shifted by a number, but {scope.kind} is not a type of numbers"
                self._report(
                    scope.shifted,
                    message,
                    "give it whole numbers as constants, or leave out the number",
                    code=FaultCode.WRONG_TYPE,
                )
        for mark, name, beside in self._equated_constants:
            self._result.constants.append((mark, name, beside if isinstance(beside, str) else beside.kind))
        for name in plus:
            if name not in self._free:
                self._report(
                    0,
                    f"'+{name}' marks a variable that is not in the formula",
                    name_hint(name, self._free),
                    code=FaultCode.UNKNOWN_NAME,
                )
        self._result.types = {name: scope.kind for name, scope in self._free.items()}
        self._result.findings.sort(key=lambda finding: finding.mark)
        return self._result

    def _unify_equations(self) -> None:
        beside: dict[int, list[_VariableType]] = {}  # by the identity of a variable, those that it is equated with
        known: list[_VariableType] = []
        for _, one, other in self._equations:
            for side, opposite in ((one, other), (other, one)):
                if not isinstance(side, _VariableType):
                    continue
                if isinstance(opposite, str):
                    side.kind = side.kind or opposite
                else:
                    beside.setdefault(id(side), []).append(opposite)
                if side.kind:
                    known.append(side)
        while known:  # types propagate along chains of equations: x = y, y = z
            side = known.pop()
            for each in beside.pop(id(side), ()):
                if not each.kind:
                    each.kind = side.kind
                    known.append(each)
        for mark, one, other in self._equations:
            kinds = [side if isinstance(side, str) else side.kind for side in (one, other)]
            if all(kinds) and kinds[0] != kinds[1]:
                self._report(
                    mark,
                    f"terms of types {kinds[0]} and {kinds[1]} are never equal",
                    "compare terms of one type",
                    code=FaultCode.WRONG_TYPE,
                )


def _format_count(arguments: int) -> str:
    return "no arguments" if arguments == 0 else f"{arguments} argument{'s' if arguments > 1 else ''}"
