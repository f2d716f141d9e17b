"""Formulas to text, with no more parentheses than it takes to read them back as they were."""

import re
from collections.abc import Collection

from telos.core.errors import TelosError
from telos.logic.formulas import And, Apply, Atom, Constant, Equal, Exists, ForAll, Formula, Iff, Implies, Not, Or, Term
from telos.logic.syntax.declarations import is_low
from telos.logic.syntax.lexer import TOKEN

_LOOSE, _IFF, _IMPLIES, _OR, _AND, _NOT, _ATOM = range(7)
_BARE = re.compile(r"\w[\w']*\Z")


def formula_text(formula: Formula, plus: Collection[str] = (), *, marked: bool = False) -> str:
    """Return a formula as it is written in files; the variables of ``plus`` get their ``+``.

    ``marked`` writes variables as ``?x``, and then constants may begin with a small letter without quotes.

    >>> from telos.logic.formulas import Variable
    >>> eats = Atom("action", (Variable("t", -1), Constant("Eat")))
    >>> formula_text(Implies(eats, Not(Atom("goal", (Variable("t"), Variable("g"))))), plus=["g"])
    'action(t-1,Eat) => !goal(t,+g)'
    """
    return _Writer(frozenset(plus), marked).formula(formula, _LOOSE)


def constant_text(name: str, *, marked: bool = True) -> str:
    """Return a constant as it is written in files: in quotes if it would be read as something else.

    >>> constant_text("Eat"), constant_text("eat", marked=False), constant_text("Dr. No")
    ('Eat', '"eat"', '"Dr. No"')
    """
    if _BARE.match(name) and TOKEN.fullmatch(name) and (marked or not is_low(name)):
        return name
    for quote in ('"', "'"):
        if name and quote not in name and "\n" not in name:
            return f"{quote}{name}{quote}"
    raise TelosError(f"the constant {name!r} cannot be written to a file", "leave out quotes and line ends")


class _Writer:
    def __init__(self, plus: frozenset[str], marked: bool) -> None:
        self._plus, self._marked = plus, marked

    def formula(self, formula: Formula, around: int) -> str:
        """Return a formula that stands inside something that binds as tightly as ``around``."""
        level, text = self._level(formula)
        return text if level >= around else f"({text})"

    def _level(self, formula: Formula) -> tuple[int, str]:
        match formula:
            case Atom(predicate, ()):
                return _ATOM, predicate
            case Atom(predicate, arguments):
                return _ATOM, f"{predicate}({self._terms(arguments)})"
            case Equal(left, right):
                return _NOT, f"{self._term(left)} = {self._term(right)}"
            case Not(Equal(left, right)):
                return _NOT, f"{self._term(left)} != {self._term(right)}"
            case Not(part):
                return _NOT, f"!{self.formula(part, _NOT if isinstance(part, Not) else _ATOM)}"
            case And(parts):
                return _AND, " ^ ".join([self.formula(part, _NOT) for part in parts])
            case Or(parts):
                return _OR, " v ".join([self.formula(part, _AND) for part in parts])
            case Implies(premise, conclusion):
                return _IMPLIES, f"{self.formula(premise, _OR)} => {self.formula(conclusion, _IMPLIES)}"
            case Iff(left_side, right_side):
                return _IFF, f"{self.formula(left_side, _IFF)} <=> {self.formula(right_side, _IMPLIES)}"
            case ForAll(names, part):
                return _LOOSE, f"FORALL {self._bound(names)} {self.formula(part, _LOOSE)}"
            case Exists(names, part):
                return _LOOSE, f"EXIST {self._bound(names)} {self.formula(part, _LOOSE)}"

    def _bound(self, names: tuple[str, ...]) -> str:
        return ",".join([f"?{name}" if self._marked else name for name in names])

    def _terms(self, terms: tuple[Term, ...]) -> str:
        return ",".join([self._term(term) for term in terms])

    def _term(self, term: Term) -> str:
        if isinstance(term, Apply):
            return f"{term.function}({self._terms(term.arguments)})"
        if isinstance(term, Constant):
            return constant_text(term.name, marked=self._marked)
        sign = "+" if term.name in self._plus else ""
        return f"{sign}{'?' if self._marked else ''}{term.name}{f'{term.shift:+d}' if term.shift else ''}"
