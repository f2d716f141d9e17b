"""Models and formulas to text: ``format_mln`` writes a model, ``format_formula`` one formula."""

import re
from collections.abc import Collection, Iterator

from telos.core.errors import TelosError
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
    free_variables,
    rewrite_terms,
    substitute,
)
from telos.logic.model import Key, MarkovLogic, Rule
from telos.logic.syntax.parser import is_declaration, is_lowercase, is_word
from telos.logic.syntax.statements import TOKEN
from telos.logic.syntax.typing import Signature, check_types, iter_table_constants, signature_of

_LOOSE, _IFF, _IMPLIES, _OR, _AND, _NOT, _ATOM = range(7)
_BARE = re.compile(r"\w[\w']*\Z")


def format_mln(model: MarkovLogic) -> str:
    r"""Return a model as the text of an ``.mln`` file, which parses back to the same model.

    A rule with ``+`` is written as its template, without a weight, followed by one line for each weight. Numbers keep
    all their digits. If constants begin with lower-case letters, variables are written ``?x``, as in pracmln.

    >>> from telos.logic.syntax.mln import parse_mln
    >>> print(format_mln(parse_mln("goal(time, goal!)\n0.5 goal(t, Eat)\n-1 goal(t, Rest)")))
    // predicates
    goal(time,goal!)
    <BLANKLINE>
    // formulas
    goal(t,+g)
    0.5 goal(t,Eat)
    -1.0 goal(t,Rest)
    <BLANKLINE>
    """
    signature = signature_of(model)
    marked = _needs_marked_variables(model)
    parts = [
        ("types", [_type_line(kind, model.constants.get(kind, ())) for kind in _types_to_list(model, signature)]),
        ("predicates", [*(_predicate_line(model, name) for name in model.predicates), *_open_line(model)]),
        ("functions", [f"{each.returns} {each.name}({','.join(each.types)})" for each in model.functions.values()]),
        ("formulas", [line for rule in model.rules for line in _rule_lines(rule, signature, marked)]),
    ]
    return "\n\n".join("\n".join([f"// {title}", *lines]) for title, lines in parts if lines) + "\n"


def _predicate_line(model: MarkovLogic, name: str) -> str:
    predicate = model.predicates[name]
    types = [f"{kind}{'!' if at in predicate.exactly_one else ''}" for at, kind in enumerate(predicate.types)]
    return f"{name}({','.join(types)})" if types else name


def _open_line(model: MarkovLogic) -> list[str]:
    opened = [name for name in model.predicates if name in model.opened]
    return [f"#open {', '.join(opened)}"] if opened else []


def _type_line(kind: str, names: tuple[str, ...]) -> str:
    numbers = [int(name) for name in names if is_whole_number(name)]
    others = [format_constant(name) for name in names if not is_whole_number(name)]
    if len(numbers) > 3 and numbers[-1] - numbers[0] + 1 == len(numbers):  # they are in ascending order
        listed = [str(numbers[0]), "...", str(numbers[-1])]
    else:
        listed = [str(number) for number in numbers]
    return f"{kind} = {{{','.join([*listed, *others])}}}"


def _types_to_list(model: MarkovLogic, signature: Signature) -> list[str]:
    """Return the types that need a list of constants: closed ones, and those with constants outside formulas."""
    named: dict[str, set[str]] = {}
    for rule in model.rules:
        found = check_types(rule.formula, signature, rule.plus)
        for _, name, kind in found.constants:
            named.setdefault(kind, set()).add(name)
        for kind, name in iter_table_constants(rule, found.types):
            named.setdefault(kind, set()).add(name)
    return [
        kind for kind, names in model.constants.items() if kind in model.closed or set(names) - named.get(kind, set())
    ]


def _needs_marked_variables(model: MarkovLogic) -> bool:
    """Return whether variables must be written ``?x`` to differ from constants."""
    constants = {each for rule in model.rules for each in _iter_constants(rule)}
    constants |= {name for kind in model.closed for name in model.constants.get(kind, ())}
    free = {name for rule in model.rules for name in free_variables(rule.formula)}
    used = free | {name for rule in model.rules for name in _iter_bound(rule.formula)}
    if not used:
        return False
    return (
        any(is_word(name) and is_lowercase(name) for name in constants)
        or not all(map(is_lowercase, free))
        or bool(used & constants)
    )


def _iter_constants(rule: Rule) -> Iterator[str]:
    found: list[str] = []

    def term(each: Variable | Constant) -> Term:
        if isinstance(each, Constant):
            found.append(each.name)
        return each

    rewrite_terms(rule.formula, term)
    yield from found
    for key in rule.weights:
        yield from key


def _iter_bound(formula: Formula) -> Iterator[str]:
    found: list[str] = []

    def name(old: str) -> str:
        found.append(old)
        return old

    rewrite_terms(formula, lambda each: each, name)
    yield from found


def _rule_lines(rule: Rule, signature: Signature, marked: bool) -> list[str]:
    text = format_formula(rule.formula, rule.plus, marked=marked)
    if rule.hard:
        return [f"{text}."]
    if not rule.plus:
        weight = rule.weights.get((), None)
        return [_format_unweighted(text, signature) if weight is None else f"{float(weight)!r} {text}"]
    template = f"{float(rule.otherwise)!r} {text}" if rule.otherwise else _format_unweighted(text, signature)
    lines = [template]
    for key in sorted(rule.weights, key=_sort_key):
        formula = substitute(rule.formula, dict(zip(rule.plus, key, strict=True)))
        weight = float(rule.weights[key]) - rule.otherwise  # the weight of the template is added again on reading
        lines.append(f"{weight!r} {format_formula(formula, marked=marked)}")
    return lines


def _sort_key(key: Key) -> list[tuple[bool, int, str]]:
    return [(not is_whole_number(name), int(name) if is_whole_number(name) else 0, name) for name in key]


def _format_unweighted(text: str, signature: Signature) -> str:
    """Return a formula without a weight, in parentheses if it would parse as a declaration."""
    return f"({text})" if is_declaration(TOKEN.findall(text), signature) else text


# --- formulas ---------------------------------------------------------------------------------------------------------


def format_formula(formula: Formula, plus: Collection[str] = (), *, marked: bool = False) -> str:
    """Return a formula as text; the variables of ``plus`` get their ``+``.

    With ``marked``, variables are written ``?x``, and constants may begin with a lower-case letter without quotes.

    >>> from telos.logic.formulas import Variable
    >>> eats = Atom("action", (Variable("t", -1), Constant("Eat")))
    >>> format_formula(Implies(eats, Not(Atom("goal", (Variable("t"), Variable("g"))))), plus=["g"])
    'action(t-1,Eat) => !goal(t,+g)'
    """
    return _FormulaWriter(frozenset(plus), marked).formula(formula, _LOOSE)


def format_constant(name: str, *, marked: bool = True) -> str:
    """Return a constant as text, in quotes if it would parse as something else.

    >>> format_constant("Eat"), format_constant("eat", marked=False), format_constant("Dr. No")
    ('Eat', '"eat"', '"Dr. No"')
    """
    if _BARE.match(name) and TOKEN.fullmatch(name) and (marked or not is_lowercase(name)):
        return name
    for quote in ('"', "'"):
        if name and quote not in name and "\n" not in name:
            return f"{quote}{name}{quote}"
    raise TelosError(f"the constant {name!r} cannot be written to a file", "remove quotes and line ends from it")


class _FormulaWriter:
    def __init__(self, plus: frozenset[str], marked: bool) -> None:
        self._plus, self._marked = plus, marked

    def formula(self, formula: Formula, around: int) -> str:
        """Return a formula as text, in parentheses if it binds less tightly than ``around``."""
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
            return format_constant(term.name, marked=self._marked)
        sign = "+" if term.name in self._plus else ""
        return f"{sign}{'?' if self._marked else ''}{term.name}{f'{term.shift:+d}' if term.shift else ''}"
