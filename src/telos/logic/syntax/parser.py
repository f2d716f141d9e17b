"""The parser of declarations and formulas of Markov logic, on the tokens of statements.

Start with ``declare`` and ``FormulaParser``.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from telos.core.errors import FaultCode, name_hint
from telos.logic.database import is_whole_number
from telos.logic.formulas import (
    And,
    Apply,
    Atom,
    Constant,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Term,
    Variable,
)
from telos.logic.model import Function, Predicate
from telos.logic.syntax.statements import StatementError, check_depth, is_weight_name
from telos.logic.syntax.typing import Signature

MAX_RANGE = 1_000_000  # numbers in ``{0,...,n}``; more is surely a mistake
MAX_TOKENS = 20_000  # of one formula: some thousand atoms
MAX_FAULTS = 100  # reported of one model or database
_WORD = re.compile(r"[^\W\d]\w*\Z")
QUANTIFIERS = {"exist": False, "exists": False, "forall": True}  # name -> whether it is universal
_SIGNS = {"∧": "^", "&": "^", "&&": "^", "∨": "v", "¬": "!", "~": "!", "⇒": "=>", "→": "=>", "->": "=>", "⇔": "<=>"}
_EQUALS = {"=": True, "!=": False, "=/=": False}


# --- declarations -----------------------------------------------------------------------------------------------------


def is_word(token: str) -> bool:
    """Return whether a token can name a predicate, function, type or variable."""
    return _WORD.match(token) is not None


def is_lowercase(name: str) -> bool:
    """Return whether a name is written like a variable: with a lower-case letter or underscore first."""
    return name[0].islower() or name[0] == "_"


def unquote(token: str) -> str:
    """Return the name of a constant without its quotes."""
    return token[1:-1] if token[0] in "\"'" else token


def is_atom(tokens: Sequence[str]) -> bool:
    """Return whether a statement is a single atom: a word, perhaps with words in parentheses."""
    if not is_word(tokens[0]):
        return False
    return len(tokens) == 1 or (tokens[1] == "(" and tokens[-1] == ")" and tokens.count("(") == 1)


def is_declaration(tokens: Sequence[str], signature: Signature) -> bool:
    """Return whether a statement is a declaration and not a formula.

    A single atom without a weight declares its predicate if its arguments are types: lower-case words, or marked ``!``.
    Once the predicate is declared, the atom is a formula to be learned, unless all its arguments are types again.
    """
    if len(tokens) > 2 and is_word(tokens[0]) and not is_weight_name(tokens[0]):
        if tokens[1] == "=" and tokens[2] == "{":
            return True
        if is_word(tokens[1]) and tokens[2] == "(" and tokens[1] != "v" and tokens[0].lower() not in QUANTIFIERS:
            return tokens[0] not in signature.predicates
    if not is_atom(tokens):
        return False
    arguments = tokens[2:-1:2] if "!" not in tokens else ()
    if tokens[0] in signature.predicates:
        types = signature.types
        return all(each in types for each in arguments)
    types = signature.types
    return all(is_word(each) and (is_lowercase(each) or each in types) for each in arguments)


def declare(tokens: Sequence[str], signature: Signature, where: str) -> None:
    """Add a declaration to the signature, or raise ``StatementError``."""
    if tokens[1:2] == ["="]:
        _declare_type(tokens, signature)
        return
    returns = "" if len(tokens) == 1 or tokens[1] == "(" else tokens[0]
    at = 1 if returns else 0
    name = tokens[at]
    if name in signature.where:
        learned = f"if it is a formula to be learned, write 0 before it: 0 {''.join(tokens)}"
        remedy = "leave out one of them" if returns else learned
        raise StatementError(
            at, f"{name} is declared twice, first in {signature.where[name]}", remedy, code=FaultCode.DUPLICATE
        )
    types, marked = _parse_types(tokens, at + 1)
    signature.where[name] = where
    if returns:
        if marked:
            raise StatementError(
                at,
                f"function {name} marks an argument with '!', which only predicates can do",
                code=FaultCode.UNSUPPORTED,
            )
        signature.functions[name] = Function(name, returns, types)
    else:
        signature.predicates[name] = Predicate(name, types, marked)


def _parse_types(tokens: Sequence[str], at: int) -> tuple[tuple[str, ...], frozenset[int]]:
    types: list[str] = []
    marked: set[int] = set()
    if at == len(tokens) or (tokens[at : at + 2] == ["(", ")"] and at + 2 == len(tokens)):
        return (), frozenset()
    while at < len(tokens) and tokens[at] in "(,":
        at += 1
        if at == len(tokens) or not is_word(tokens[at]):
            raise StatementError(
                at, "an argument of a declaration is the name of a type", "for example goal(time, goal!)"
            )
        types.append(tokens[at])
        at += 1
        if at < len(tokens) and tokens[at] == "!":
            marked.add(len(types) - 1)
            at += 1
    if tokens[at:] != [")"]:
        raise StatementError(at, "a declaration lists types with commas between them", "for example goal(time, goal!)")
    return tuple(types), frozenset(marked)


def _declare_type(tokens: Sequence[str], signature: Signature) -> None:
    kind = tokens[0]
    names = signature.declared.setdefault(kind, {})  # several lists for one type are joined, as in Alchemy
    names.update(dict.fromkeys(parse_constants(tokens)))


def parse_constants(tokens: Sequence[str]) -> list[str]:
    """Return the constants of ``person = {Anna, Bob}`` or ``time = {0,...,13}``."""
    if tokens[-1] != "}":
        raise StatementError(len(tokens), "the list of constants does not end with '}'")
    names: list[str] = []
    at = 3
    while at < len(tokens) - 1:
        if tokens[at] == "...":
            names += _parse_range(tokens, at, names)
            at += 3
        else:
            name, at = _parse_constant(tokens, at)
            names.append(name)
        if tokens[at] not in (",", "}"):
            raise StatementError(
                at, f"found {tokens[at]!r} in a list of constants", "separate names with commas, or quote them"
            )
        at += 1
    return names


def _parse_constant(tokens: Sequence[str], at: int) -> tuple[str, int]:
    if tokens[at] == "-" and tokens[at + 1][0].isdigit():
        return f"-{tokens[at + 1]}", at + 2
    if tokens[at][0].isalnum() or tokens[at][0] in "_\"'":
        return unquote(tokens[at]), at + 1
    raise StatementError(at, f"found {tokens[at]!r} instead of a constant", "quote names with other signs")


def _parse_range(tokens: Sequence[str], at: int, names: list[str]) -> list[str]:
    last = tokens[at + 2] if tokens[at + 1] == "," and at + 2 < len(tokens) else ""
    if not names or not is_whole_number(names[-1]) or not is_whole_number(last):
        raise StatementError(at, "'...' stands between two whole numbers", "for example {0,...,13}")
    if not 0 <= int(last) - int(names[-1]) <= MAX_RANGE:
        raise StatementError(
            at, f"a range from {names[-1]} to {last} has no numbers, or too many", code=FaultCode.OUT_OF_RANGE
        )
    return [str(number) for number in range(int(names[-1]) + 1, int(last) + 1)]


# --- formulas ---------------------------------------------------------------------------------------------------------
# Recursive descent, one method for each level of precedence, loosest first: quantifiers, ``<=>``, ``=>`` and ``:-``,
# ``v``, ``^``, ``!``. A quantifier reaches as far to the right as it can (Alchemy's rule); parentheses stop it:
# ``(EXIST y likes(x,y)) => happy(x)``.


@dataclass(frozen=True, slots=True)
class FormulaPattern:
    """A formula with its constants left out: lines of a learned model that share it are parsed once.

    In ``formula`` the constant at token ``slots[k]`` is ``placeholder(k)``. ``marks`` are the tokens of its atoms,
    equations, terms and quantifiers, in the order of the formula, for the positions of faults.
    """

    formula: Formula
    plus: tuple[str, ...]
    slots: tuple[int, ...]
    marks: tuple[int, ...]


def placeholder(slot: int) -> Constant:
    """Return the constant that stands for slot k; no text can spell it."""
    return Constant(f"\0{slot}")


class FormulaParser:
    """A recursive-descent parser over the tokens of one formula."""

    def __init__(self, tokens: Sequence[str], signature: Signature, *, marked: bool = False) -> None:
        """Start at the first token. With ``marked``, variables are written ``?x`` and all other names are constants."""
        self._tokens, self._at, self._end = tokens, 0, len(tokens)
        self._signature, self._marked = signature, marked
        self._bound: Counter[str] = Counter()
        self._plus: dict[str, None] = {}
        self._slots: list[int] = []
        self._marks: list[int] = []
        self._depth = 0

    def read(self) -> FormulaPattern:
        """Return the formula, or raise ``StatementError`` at the first unexpected token."""
        if self._end > MAX_TOKENS:
            raise StatementError(
                0, f"the formula has more than {MAX_TOKENS:,} words and signs", "split it", code=FaultCode.TOO_LARGE
            )
        formula = self._iff()
        if self._at < self._end:
            self._raise_unexpected("the end of the formula")
        return FormulaPattern(formula, tuple(self._plus), tuple(self._slots), tuple(self._marks))

    @property
    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < self._end else ""

    def _take(self, *signs: str) -> bool:
        found = self._peek in signs
        self._at += found
        return found

    def _raise_unexpected(self, wanted: str, suggestion: str = "") -> None:
        token = self._peek
        if token in _SIGNS:
            raise StatementError(self._at, f"{token!r} is not an operator of this language", f"write {_SIGNS[token]!r}")
        raise StatementError(self._at, f"expected {wanted}, found {repr(token) if token else 'nothing'}", suggestion)

    def _iff(self) -> Formula:
        left = self._implies()
        depth = self._depth
        while self._take("<=>"):
            self._enter()  # each one is a level of the formula
            left = Iff(left, self._implies())
        self._depth = depth
        return left

    def _implies(self) -> Formula:
        start = len(self._marks)
        left = self._chain(self._and, ("v", "|"), Or)
        if self._take("=>"):
            return Implies(left, self._nested(self._implies))
        middle = len(self._marks)
        if self._take(":-"):
            premise = self._nested(self._implies)
            # The premise comes first in the formula, so its marks do too.
            self._marks[start:] = self._marks[middle:] + self._marks[start:middle]
            return Implies(premise, left)
        return left

    def _and(self) -> Formula:
        return self._chain(self._unary, ("^",), And)

    def _chain(self, part: Callable[[], Formula], signs: tuple[str, ...], join: type[And] | type[Or]) -> Formula:
        parts = [part()]
        while self._take(*signs):
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _unary(self) -> Formula:
        if self._take("!"):
            return Not(self._nested(self._unary))
        if self._peek.lower() in QUANTIFIERS and self._at + 1 < self._end and self._tokens[self._at + 1] != "(":
            return self._quantified()
        if self._take("("):
            inside = self._nested(self._iff)
            if not self._take(")"):
                self._raise_unexpected("')'")
            return inside
        return self._atom()

    def _nested(self, part: Callable[[], Formula]) -> Formula:
        self._enter()
        formula = part()
        self._depth -= 1
        return formula

    def _enter(self) -> None:
        self._depth += 1
        check_depth(self._at, self._depth, "formula")

    def _quantified(self) -> Formula:
        self._marks.append(self._at)
        join = ForAll if QUANTIFIERS[self._peek.lower()] else Exists
        self._at += 1
        names = [self._bound_name()]
        while self._take(","):
            names.append(self._bound_name())
        self._bound.update(names)
        formula = self._nested(self._iff)
        self._bound.subtract(names)
        return join(tuple(names), formula)

    def _bound_name(self) -> str:
        name = self._peek.removeprefix("?")
        if not is_word(name):
            self._raise_unexpected("the name of a variable")
        self._at += 1
        return name

    def _atom(self) -> Formula:
        token = self._peek
        following = self._tokens[self._at + 1] if self._at + 1 < self._end else ""
        called = token in self._signature.functions or (token == "succ" and token not in self._signature.predicates)
        if following == "(" and is_word(token) and not called:
            return self._predicate(token)
        if is_word(token) and following not in _EQUALS and following not in ("+", "-", "++", "--") and not called:
            self._marks.append(self._at)
            self._check_predicate(token)
            self._at += 1
            return Atom(token, ())
        return self._equation()

    def _check_predicate(self, token: str) -> None:
        if token not in self._signature.predicates:
            known = self._signature.predicates
            raise StatementError(
                self._at,
                f"unknown predicate {token!r}",
                name_hint(token, known) or "declare it: name(type, …)",
                code=FaultCode.UNKNOWN_NAME,
            )

    def _predicate(self, name: str) -> Formula:
        self._check_predicate(name)
        self._marks.append(self._at)
        self._at += 1
        return Atom(name, self._arguments(self._signature.predicates[name].types))

    def _arguments(self, types: tuple[str, ...]) -> tuple[Term, ...]:
        self._take("(")
        terms: list[Term] = []
        while not self._take(")"):
            if terms and not self._take(","):
                self._raise_unexpected("',' or ')'", "put names with other signs in quotes")
            terms.append(self._term(types[len(terms)] if len(terms) < len(types) else ""))
        return tuple(terms)

    def _equation(self) -> Formula:
        self._marks.append(self._at)
        left = self._term("")
        sign = self._peek
        if not self._take(*_EQUALS):
            self._raise_unexpected("'=' or '!='")
        equation = Equal(left, self._term(""))
        return equation if _EQUALS[sign] else Not(equation)

    def _term(self, kind: str) -> Term:
        start = self._at
        plus = self._take("+")
        self._marks.append(self._at)
        token = self._peek
        function = self._signature.functions.get(token)
        if function is not None and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            self._at += 1
            self._enter()
            arguments = self._arguments(function.types)
            self._depth -= 1
            return Apply(token, arguments)
        if token == "succ" and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            return self._successor(kind)
        term = self._simple(token, kind)
        if plus:
            if not isinstance(term, Variable):
                raise StatementError(start, f"'+' marks a variable, and {token!r} is a constant")
            if self._bound[term.name] > 0:
                raise StatementError(
                    start,
                    f"'+' marks {term.name!r}, which a quantifier binds",
                    "leave out one of them",
                    code=FaultCode.CONFLICT,
                )
            self._plus[term.name] = None
        return term

    def _successor(self, kind: str) -> Term:
        self._at += 2
        self._marks.pop()
        self._enter()
        inner = self._term(kind)
        self._depth -= 1
        if not self._take(")"):
            self._raise_unexpected("')'")
        if not isinstance(inner, Variable):
            raise StatementError(self._at - 1, "succ(…) takes a variable", "write the number itself")
        return Variable(inner.name, inner.shift + 1)

    def _simple(self, token: str, kind: str) -> Term:
        if token == "-" and self._tokens[self._at + 1][0].isdigit():
            raise StatementError(
                self._at, "negative numbers are written in quotes", f'write "-{self._tokens[self._at + 1]}"'
            )
        if not token or not (token[0].isalnum() or token[0] in "_?\"'"):
            self._raise_unexpected("a variable or a constant")
        if token == "?":
            raise StatementError(self._at, "a variable needs a name", "write ?t, with the name right after the sign")
        self._at += 1
        if self._is_variable(token, kind):
            return Variable(token.removeprefix("?"), self._shift())
        if token not in ('""', "''"):
            self._slots.append(self._at - 1)
            return placeholder(len(self._slots) - 1)
        raise StatementError(self._at - 1, "a constant needs a name")

    def _is_variable(self, token: str, kind: str) -> bool:
        if token[0] == "?" or self._bound[token] > 0:
            return True
        if not is_word(token) or self._marked:
            return False
        return is_lowercase(token) and token not in self._signature.declared.get(kind, ())

    def _shift(self) -> int:
        if self._take("++"):
            return 1
        if self._take("--"):
            return -1
        if self._peek not in ("+", "-"):
            return 0
        sign = 1 if self._peek == "+" else -1
        number = self._tokens[self._at + 1] if self._at + 1 < self._end else ""
        if not is_whole_number(number):
            self._at += 1
            self._raise_unexpected("a whole number, as in t-1")
        self._at += 2
        return sign * int(number)


def constant_names(tokens: Sequence[str], shape: FormulaPattern) -> tuple[str, ...]:
    """Return the constants of a line with a given pattern."""
    return tuple([unquote(tokens[slot]) for slot in shape.slots])
