"""Negation normal form: negations stand at atoms only."""

from collections.abc import Iterator, Sequence

from telos.logic.formulas import And, Atom, Formula, Implies, Not, Or


def normal(formula: Formula) -> Formula:
    """Return a formula with negations moved inwards, and nested conjunctions and disjunctions joined."""
    match formula:
        case Implies(premise, conclusion):
            return normal(Or((Not(premise), conclusion)))
        case Not(Atom()):
            return formula
        case Not(Implies(premise, conclusion)):
            return normal(And((premise, Not(conclusion))))
        case Not(Not(inner)):
            return normal(inner)
        case Not(And(parts)):
            return normal(Or(tuple(Not(each) for each in parts)))
        case Not(Or(parts)):
            return normal(And(tuple(Not(each) for each in parts)))
        case And(parts):
            return And(tuple(_flat(And, [normal(each) for each in parts])))
        case Or(parts):
            return Or(tuple(_flat(Or, [normal(each) for each in parts])))
    return formula


def _flat(join: type[And] | type[Or], parts: Sequence[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, join):
            yield from part.parts
        else:
            yield part
