"""One rule made ready for grounding: no quantifiers, no functions, and its variables sorted by what binds them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from telos.logic.formulas import Atom, Constant, Equal, Formula, Variable, atoms, free_variables
from telos.logic.grounding.binding import Scope
from telos.logic.grounding.quantifiers import Unquantified, shifted_terms
from telos.logic.grounding.relations import Relations
from telos.logic.grounding.residual import Leaf, fold
from telos.logic.grounding.terms import Hoist, apart, kinds_of
from telos.logic.model import MarkovLogic, Rule


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rule as grounding works on it.

    ``choices`` are the variables that stand only in block places of hidden atoms: no row binds them, they run over the
    values of a table. ``guards`` are the values of functions that have to exist. ``scope`` has the other variables.
    """

    formula: Formula | bool
    guards: tuple[Atom, ...]
    scope: Scope
    choices: tuple[str, ...]
    kinds: Mapping[str, str]

    def is_evidence(self, leaf: Leaf, hidden: Mapping[str, frozenset[int]]) -> bool:
        """Whether an atom or equation is decided by the row."""
        if isinstance(leaf, Atom):
            return leaf.predicate not in hidden
        return not any(isinstance(term, Variable) and term.name in self.choices for term in (leaf.left, leaf.right))


def prepare(
    rule: Rule,
    model: MarkovLogic,
    hidden: Mapping[str, frozenset[int]],
    relations: Relations,
    allow: Callable[[float, int], None],
) -> Prepared:
    """Return a rule without quantifiers and functions. ``hidden`` holds the block places of each hidden predicate."""
    formula = apart(rule.formula)
    kinds = kinds_of(formula, model)
    formula, guards = Hoist(model, kinds).out_of(formula)
    chosen = _in_blocks(formula, hidden)
    free = dict.fromkeys(name for part in (formula, *guards) for name in free_variables(part))
    own = {name: kinds[name] for name in free}
    shifted = shifted_terms([formula, *guards], own)
    plain = Unquantified(relations, kinds, chosen, frozenset(hidden), allow).of(formula)
    left = fold(plain, _settled(plain, relations, hidden))
    choices = _choices(left, guards, shifted, chosen & set(own), hidden)
    scope = Scope({name: kind for name, kind in own.items() if name not in choices}, chosen, shifted)
    return Prepared(left, guards, scope, choices, own)


def _in_blocks(formula: Formula, hidden: Mapping[str, frozenset[int]]) -> frozenset[str]:
    """Return the variables that stand in a block place of a hidden atom."""
    return frozenset(
        term.name
        for atom in atoms(formula)
        if isinstance(atom, Atom)
        for place in hidden.get(atom.predicate, ())
        if isinstance(term := atom.arguments[place], Variable) and not term.shift
    )


def _settled(formula: Formula, relations: Relations, hidden: Mapping[str, frozenset[int]]) -> dict[Leaf, bool]:
    """Return what is true or false in every row: equations of constants, and ground evidence of a single world."""
    settled: dict[Leaf, bool] = {}
    for leaf in dict.fromkeys(atoms(formula)):
        if isinstance(leaf, Equal):
            if leaf.left == leaf.right:
                settled[leaf] = True
            elif isinstance(leaf.left, Constant) and isinstance(leaf.right, Constant):
                settled[leaf] = False
        elif leaf.predicate not in hidden and all(isinstance(term, Constant) for term in leaf.arguments):
            truth = relations.settled(leaf)
            if truth is not None:
                settled[leaf] = truth
    return settled


def _choices(
    formula: Formula | bool,
    guards: tuple[Atom, ...],
    shifted: frozenset[tuple[str, int]],
    chosen: frozenset[str],
    hidden: Mapping[str, frozenset[int]],
) -> tuple[str, ...]:
    """Return the variables that only block places and equations among such variables mention."""
    bound = {name for name, _ in shifted} | {name for guard in guards for name in free_variables(guard)}
    leaves = [] if isinstance(formula, bool) else list(dict.fromkeys(atoms(formula)))
    for leaf in leaves:
        if isinstance(leaf, Atom):
            blocks = hidden.get(leaf.predicate, frozenset())
            bound |= {
                term.name
                for place, term in enumerate(leaf.arguments)
                if isinstance(term, Variable) and place not in blocks
            }
    equations = [free_variables(leaf) for leaf in leaves if isinstance(leaf, Equal)]
    while True:
        tied = {name for names in equations if not set(names) <= chosen - bound for name in names}
        if tied <= bound:
            return tuple(sorted(chosen - bound))
        bound |= tied
