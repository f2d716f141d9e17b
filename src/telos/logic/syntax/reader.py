"""Tokens to a formula: recursive descent, one method for each level of precedence, loosest first.

From loose to tight: quantifiers, ``<=>``, ``=>`` and ``:-``, ``v``, ``^``, ``!``. So a quantifier reaches as far to the
right as it can (Alchemy's rule); put ``(EXIST y likes(x,y)) => happy(x)`` in parentheses to stop it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from telos.core.errors import FaultCode, name_hint
from telos.logic.database import whole
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
from telos.logic.syntax.declarations import QUANTIFIERS, is_low, is_word, unquoted
from telos.logic.syntax.lexer import Wrong
from telos.logic.syntax.signature import Signature

DEEPEST = 100  # parentheses and negations inside each other: keeps a hostile text from exhausting Python's stack
_SIGNS = {"∧": "^", "&": "^", "&&": "^", "∨": "v", "¬": "!", "~": "!", "⇒": "=>", "→": "=>", "->": "=>", "⇔": "<=>"}
_EQUALS = {"=": True, "!=": False, "=/=": False}


@dataclass(frozen=True, slots=True)
class Shape:
    """A formula with its constants left out, so that the lines of a learned model are parsed once for all.

    In ``formula`` the constant that stood at token ``slots[k]`` is ``blank(k)``. ``marks`` are the tokens at which its
    atoms, equations, terms and quantifiers stand, in the order of the formula, for messages.
    """

    formula: Formula
    plus: tuple[str, ...]
    slots: tuple[int, ...]
    marks: tuple[int, ...]


def blank(slot: int) -> Constant:
    """Return what stands for a constant that was left out; no text can spell it."""
    return Constant(f"\0{slot}")


class FormulaReader:
    """A cursor over the tokens of one formula."""

    def __init__(self, tokens: Sequence[str], signature: Signature, *, marked: bool = False) -> None:
        """Start before the first token. ``marked``: variables are written ``?x``, every other name is a constant."""
        self._tokens, self._at, self._end = tokens, 0, len(tokens)
        self._signature, self._marked = signature, marked
        self._bound: list[str] = []
        self._plus: dict[str, None] = {}
        self._slots: list[int] = []
        self._marks: list[int] = []
        self._depth = 0

    def read(self) -> Shape:
        """Return the formula, or raise ``Wrong`` at the first token that does not fit."""
        formula = self._iff()
        if self._at < self._end:
            self._unexpected("the end of the formula")
        return Shape(formula, tuple(self._plus), tuple(self._slots), tuple(self._marks))

    @property
    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < self._end else ""

    def _take(self, *signs: str) -> bool:
        found = self._peek in signs
        self._at += found
        return found

    def _unexpected(self, wanted: str, suggestion: str = "") -> None:
        token = self._peek
        if token in _SIGNS:
            raise Wrong(
                self._at,
                f"{token!r} is no sign of this language",
                f"write {_SIGNS[token]!r}",
                code=FaultCode.BAD_SYNTAX,
            )
        raise Wrong(
            self._at,
            f"expected {wanted}, found {repr(token) if token else 'nothing'}",
            suggestion,
            code=FaultCode.BAD_SYNTAX,
        )

    def _iff(self) -> Formula:
        left = self._implies()
        while self._take("<=>"):
            left = Iff(left, self._implies())
        return left

    def _implies(self) -> Formula:
        start = len(self._marks)
        left = self._chain(self._and, ("v", "|"), Or)
        if self._take("=>"):
            return Implies(left, self._deeper(self._implies))
        middle = len(self._marks)
        if self._take(":-"):
            premise = self._deeper(self._implies)
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
            return Not(self._deeper(self._unary))
        if self._peek.lower() in QUANTIFIERS and self._at + 1 < self._end and self._tokens[self._at + 1] != "(":
            return self._quantified()
        if self._take("("):
            inside = self._deeper(self._iff)
            if not self._take(")"):
                self._unexpected("')'")
            return inside
        return self._atom()

    def _deeper(self, part: Callable[[], Formula]) -> Formula:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Wrong(
                self._at,
                f"the formula is nested more than {DEEPEST} deep",
                "split it into several",
                code=FaultCode.TOO_LARGE,
            )
        formula = part()
        self._depth -= 1
        return formula

    def _quantified(self) -> Formula:
        self._marks.append(self._at)
        join = ForAll if QUANTIFIERS[self._peek.lower()] else Exists
        self._at += 1
        names = [self._bound_name()]
        while self._take(","):
            names.append(self._bound_name())
        self._bound += names
        formula = self._deeper(self._iff)
        del self._bound[-len(names) :]
        return join(tuple(names), formula)

    def _bound_name(self) -> str:
        name = self._peek.removeprefix("?")
        if not is_word(name):
            self._unexpected("the name of a variable")
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
            self._known(token)
            self._at += 1
            return Atom(token, ())
        return self._equation()

    def _known(self, token: str) -> None:
        if token not in self._signature.predicates:
            known = self._signature.predicates
            raise Wrong(
                self._at,
                f"unknown predicate {token!r}",
                name_hint(token, known) or "declare it: name(type, …)",
                code=FaultCode.UNKNOWN_NAME,
            )

    def _predicate(self, name: str) -> Formula:
        self._known(name)
        self._marks.append(self._at)
        self._at += 1
        return Atom(name, self._arguments(self._signature.predicates[name].types))

    def _arguments(self, types: tuple[str, ...]) -> tuple[Term, ...]:
        self._take("(")
        terms: list[Term] = []
        while not self._take(")"):
            if terms and not self._take(","):
                self._unexpected("',' or ')'", "put names with other signs in quotes")
            terms.append(self._term(types[len(terms)] if len(terms) < len(types) else ""))
        return tuple(terms)

    def _equation(self) -> Formula:
        self._marks.append(self._at)
        left = self._term("")
        sign = self._peek
        if not self._take(*_EQUALS):
            self._unexpected("'=' or '!='")
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
            return Apply(token, self._arguments(function.types))
        if token == "succ" and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            return self._successor(kind)
        term = self._simple(token, kind)
        if plus:
            if not isinstance(term, Variable):
                raise Wrong(start, f"'+' marks a variable, and {token!r} is a constant", code=FaultCode.BAD_SYNTAX)
            if term.name in self._bound:
                raise Wrong(
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
        inner = self._term(kind)
        if not self._take(")"):
            self._unexpected("')'")
        if not isinstance(inner, Variable):
            raise Wrong(self._at - 1, "succ(…) takes a variable", "write the number itself", code=FaultCode.BAD_SYNTAX)
        return Variable(inner.name, inner.shift + 1)

    def _simple(self, token: str, kind: str) -> Term:
        if token == "-" and self._tokens[self._at + 1][0].isdigit():
            raise Wrong(
                self._at,
                "negative numbers are written in quotes",
                f'write "-{self._tokens[self._at + 1]}"',
                code=FaultCode.BAD_SYNTAX,
            )
        if not token or not (token[0].isalnum() or token[0] in "_?\"'"):
            self._unexpected("a variable or a constant")
        if token == "?":
            raise Wrong(
                self._at,
                "a variable needs a name",
                "write ?t, with the name right after the sign",
                code=FaultCode.BAD_SYNTAX,
            )
        self._at += 1
        if self._is_variable(token, kind):
            return Variable(token.removeprefix("?"), self._shift())
        if token not in ('""', "''"):
            self._slots.append(self._at - 1)
            return blank(len(self._slots) - 1)
        raise Wrong(self._at - 1, "a constant needs a name", code=FaultCode.BAD_SYNTAX)

    def _is_variable(self, token: str, kind: str) -> bool:
        if token[0] == "?" or token in self._bound:
            return True
        if not is_word(token) or self._marked:
            return False
        return is_low(token) and token not in self._signature.declared.get(kind, ())

    def _shift(self) -> int:
        if self._take("++"):
            return 1
        if self._take("--"):
            return -1
        if self._peek not in ("+", "-"):
            return 0
        sign = 1 if self._peek == "+" else -1
        number = self._tokens[self._at + 1] if self._at + 1 < self._end else ""
        if not whole(number):
            self._at += 1
            self._unexpected("a whole number, as in t-1")
        self._at += 2
        return sign * int(number)


def constant_names(tokens: Sequence[str], shape: Shape) -> tuple[str, ...]:
    """Return the constants of a line that has a given shape."""
    return tuple([unquoted(tokens[slot]) for slot in shape.slots])
