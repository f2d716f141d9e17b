"""Blocks that hard rules spell out: one rule says that there is a value, another that there are not two."""

from collections.abc import Iterator, Mapping

from telos.logic.formulas import Atom, Equal, Exists, ForAll, Formula, Not, Or, Variable, atoms
from telos.logic.grounding.domains import Domains
from telos.logic.grounding.normal import normal
from telos.logic.model import MarkovLogic

Place = tuple[str, int]  # a predicate and one of its arguments


def with_blocks(
    hidden: Mapping[str, frozenset[int]], model: MarkovLogic, domains: Domains
) -> dict[str, frozenset[int]]:
    """Return the hidden predicates with the block places that hard rules spell out.

    ``EXIST g P(x,g).`` and ``P(x,g1) ^ !(g1 = g2) => !P(x,g2).`` together are ``P(x, g!)``, if every world has the same
    constants for ``g``. The rules then forbid nothing any more, and inference works on one variable for each ``x``.
    """
    rules = [_stripped(rule.formula) for rule in model.rules if rule.hard]
    some = {place for formula in rules for place in _some(formula)}
    one = {place for formula in rules for place in _at_most_one(formula)}
    found = dict(hidden)
    for name, place in sorted(some & one):
        if name in found and not found[name] and domains.everywhere(model.predicates[name].types[place]):
            found[name] = frozenset({place})
    return found


def _stripped(formula: Formula) -> Formula:
    while isinstance(formula, ForAll):
        formula = formula.part
    return formula


def _some(formula: Formula) -> Iterator[Place]:
    """Give the argument for which a rule says that there is a value."""
    match formula:
        case Exists((name,), Atom(predicate, arguments)) if _are_distinct(arguments):
            if Variable(name) in arguments:
                yield predicate, arguments.index(Variable(name))


def _at_most_one(formula: Formula) -> Iterator[Place]:
    """Give the argument for which a rule says that there are not two values."""
    plain = normal(formula)
    leaves = list(atoms(plain))
    equations = [leaf for leaf in leaves if isinstance(leaf, Equal)]
    both = [leaf for leaf in leaves if isinstance(leaf, Atom)]
    if not isinstance(plain, Or) or len(equations) != 1 or len(both) != 2 or both[0].predicate != both[1].predicate:
        return
    if set(plain.parts) != {Not(both[0]), Not(both[1]), equations[0]}:
        return
    one, two = both[0].arguments, both[1].arguments
    differ = [place for place in range(len(one)) if one[place] != two[place]]
    if len(differ) == 1 and _are_distinct(one) and _are_distinct(two):
        place = differ[0]
        if {one[place], two[place]} == {equations[0].left, equations[0].right}:
            yield both[0].predicate, place


def _are_distinct(arguments: tuple[object, ...]) -> bool:
    plain = all(isinstance(term, Variable) and not term.shift for term in arguments)
    return plain and len(set(arguments)) == len(arguments)
