"""Models to text: declarations, then rules, each table of weights under its template."""

from collections.abc import Iterator

from telos.logic.database import whole
from telos.logic.formulas import (
    Constant,
    Formula,
    Term,
    Variable,
    free_variables,
    rewritten,
    substituted,
)
from telos.logic.model import Key, MarkovLogic, Rule
from telos.logic.syntax.declarations import is_declaration, is_low, is_word
from telos.logic.syntax.lexer import TOKEN
from telos.logic.syntax.signature import Signature, signature_of
from telos.logic.syntax.typed import table_constants, typed
from telos.logic.syntax.writer import constant_text, formula_text


def mln_text(model: MarkovLogic) -> str:
    r"""Return a model as the text of an ``.mln`` file, which reads back as the same model.

    A rule with ``+`` is written as its template, without a weight, and under it one line for each weight of its table.
    Numbers keep all their digits. If constants begin with small letters, variables are written ``?x``, as in pracmln.

    >>> from telos.logic.syntax.mln import parse_mln
    >>> print(mln_text(parse_mln("goal(time, goal!)\n0.5 goal(t, Eat)\n-1 goal(t, Rest)")))
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
    marked = _needs_marks(model)
    parts = [
        ("types", [_type_line(kind, model.constants.get(kind, ())) for kind in _listed_types(model, signature)]),
        ("predicates", [_predicate_line(model, name) for name in model.predicates]),
        ("functions", [f"{each.returns} {each.name}({','.join(each.types)})" for each in model.functions.values()]),
        ("formulas", [line for rule in model.rules for line in _rule_lines(rule, signature, marked)]),
    ]
    return "\n\n".join("\n".join([f"// {title}", *lines]) for title, lines in parts if lines) + "\n"


def _predicate_line(model: MarkovLogic, name: str) -> str:
    predicate = model.predicates[name]
    types = [f"{kind}{'!' if at in predicate.exactly_one else ''}" for at, kind in enumerate(predicate.types)]
    return f"{name}({','.join(types)})" if types else name


def _type_line(kind: str, names: tuple[str, ...]) -> str:
    numbers = [int(name) for name in names if whole(name)]
    others = [constant_text(name) for name in names if not whole(name)]
    if len(numbers) > 3 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        said = [str(numbers[0]), "...", str(numbers[-1])]
    else:
        said = [str(number) for number in numbers]
    return f"{kind} = {{{','.join([*said, *others])}}}"


def _listed_types(model: MarkovLogic, signature: Signature) -> list[str]:
    """Return the types that need a list: closed ones, and those with constants that no formula names."""
    named: dict[str, set[str]] = {}
    for rule in model.rules:
        found = typed(rule.formula, signature, rule.plus)
        for _, name, kind in found.constants:
            named.setdefault(kind, set()).add(name)
        for kind, name in table_constants(rule, found.types):
            named.setdefault(kind, set()).add(name)
    return [
        kind for kind, names in model.constants.items() if kind in model.closed or set(names) - named.get(kind, set())
    ]


def _needs_marks(model: MarkovLogic) -> bool:
    """Return whether variables have to be written ``?x`` to be told from constants."""
    constants = {each for rule in model.rules for each in _constants(rule)}
    constants |= {name for kind in model.closed for name in model.constants.get(kind, ())}
    free = {name for rule in model.rules for name in free_variables(rule.formula)}
    used = free | {name for rule in model.rules for name in _bound(rule.formula)}
    if not used:
        return False
    return (
        any(is_word(name) and is_low(name) for name in constants)
        or not all(map(is_low, free))
        or bool(used & constants)
    )


def _constants(rule: Rule) -> Iterator[str]:
    found: list[str] = []

    def term(each: Variable | Constant) -> Term:
        if isinstance(each, Constant):
            found.append(each.name)
        return each

    rewritten(rule.formula, term)
    yield from found
    for key in rule.weights:
        yield from key


def _bound(formula: Formula) -> Iterator[str]:
    found: list[str] = []

    def name(said: str) -> str:
        found.append(said)
        return said

    rewritten(formula, lambda each: each, name)
    yield from found


def _rule_lines(rule: Rule, signature: Signature, marked: bool) -> list[str]:
    said = formula_text(rule.formula, rule.plus, marked=marked)
    if rule.hard:
        return [f"{said}."]
    if not rule.plus:
        weight = rule.weights.get((), None)
        return [_unweighted(said, signature) if weight is None else f"{float(weight)!r} {said}"]
    template = f"{float(rule.otherwise)!r} {said}" if rule.otherwise else _unweighted(said, signature)
    lines = [template]
    for key in sorted(rule.weights, key=_order):
        formula = substituted(rule.formula, dict(zip(rule.plus, key, strict=True)))
        weight = float(rule.weights[key]) - rule.otherwise  # lines add up with the weight of their template
        lines.append(f"{weight!r} {formula_text(formula, marked=marked)}")
    return lines


def _order(key: Key) -> list[tuple[bool, int, str]]:
    return [(not whole(name), int(name) if whole(name) else 0, name) for name in key]


def _unweighted(said: str, signature: Signature) -> str:
    """Return a formula without a weight, in parentheses if it would be read as a declaration."""
    return f"({said})" if is_declaration(TOKEN.findall(said), signature) else said
