"""Grounding: a model and a database made into a network of tables and clauses over what is not known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database
from telos.logic.formulas import Atom, Constant, atoms
from telos.logic.grounding.assembly import RuleGround, assembled
from telos.logic.grounding.binding import Binder
from telos.logic.grounding.blocks import with_blocks
from telos.logic.grounding.domains import Domains
from telos.logic.grounding.hidden import Family, atom_names, blocks_of
from telos.logic.grounding.known import given_values
from telos.logic.grounding.openings import Group, Opener
from telos.logic.grounding.prepare import prepare
from telos.logic.grounding.relations import Relations
from telos.logic.grounding.residual import cases
from telos.logic.grounding.weighing import WeightNames
from telos.logic.model import MarkovLogic, Rule
from telos.logic.network import Clauses, Factors, Ints, Network

MOST_CELLS = 50_000_000  # numbers in the bindings of one rule: 200 megabytes


def ground(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    opened: Sequence[str] = (),
    closed: Sequence[str] = (),
    learning: bool = False,
    most_cells: int = MOST_CELLS,
) -> Network:
    """Return what a model says about the hidden atoms, once the facts of a database are known.

    A predicate is hidden if it is queried or ``opened``, or if the database says nothing of it and it is not
    ``closed``. With ``learning`` every weight that occurs is numbered, and facts about queried predicates are kept
    back as the truth to learn from. Ground formulas that evidence alone decides are left out, hard ones that it breaks
    among them. A rule whose bindings would take more than ``most_cells`` numbers is refused.
    """
    _check(model, [*query, *opened, *closed])
    domains = Domains(model, database, _named(model))
    hidden = with_blocks(blocks_of(model, database, query, opened, closed), model, domains)
    relations = Relations(model, database, domains)
    families = {name: Family(name, model.predicates[name].types, hidden[name], domains) for name in hidden}
    for name in dict.fromkeys(query):
        families[name].add_all(_limit(f"predicate {_placed(name, model.source)}", most_cells, "atoms"))
    setting = _Setting(model, hidden, families, relations, most_cells)
    found = [setting.ground(number, rule) for number, rule in enumerate(model.rules)]
    total = 0
    for family in families.values():
        total = family.number(total)
    _refuse_empty_blocks(families.values())
    given, denied = given_values(list(families.values()), database, total, set(query) if learning else set())
    factors, clauses, weights = assembled(found, families, domains, learning=learning)
    return _network(families.values(), given, (*factors, *denied), tuple(clauses), WeightNames(weights, domains))


def _network(
    families: Iterable[Family],
    given: Ints,
    factors: tuple[Factors, ...],
    clauses: tuple[Clauses, ...],
    names: WeightNames,
) -> Network:
    kept = [family for family in families if len(family)]
    return Network(
        sizes=np.concatenate([np.zeros(0, np.int32), *(np.full(len(each), each.size, np.int32) for each in kept)]),
        world=np.concatenate([np.zeros(0, np.int32), *(each.arguments()[0] for each in kept)]),
        given=given,
        factors=factors,
        clauses=clauses,
        weights=names.values(),
        names=names,
        atoms=atom_names(kept),
    )


class _TooLarge(TelosError):
    """A rule or predicate has more groundings than there is room for."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """What all rules are grounded in; ``hidden`` has the places of each predicate's exactly-one arguments."""

    model: MarkovLogic
    hidden: Mapping[str, frozenset[int]]
    families: Mapping[str, Family]
    relations: Relations
    most_cells: int

    def ground(self, number: int, rule: Rule) -> RuleGround:
        """Ground one rule, and tell the families which of their atoms it touches."""
        what = f"rule {_placed(f'`{rule.text or rule.formula}`', rule.source)}"
        try:
            ground = self._groups(number, rule, _limit(what, self.most_cells))
        except _TooLarge:  # names the rule already
            raise
        except TelosError as error:
            raise error.at(what) from None
        for group in ground.groups:
            for predicate, keys in group.scope:
                self.families[predicate].touched.append(keys)
        return ground

    def _groups(self, number: int, rule: Rule, allow: Callable[[float, int], None]) -> RuleGround:
        prepared = prepare(rule, self.model, self.hidden, self.relations, allow)
        plus = () if rule.hard else rule.plus
        opener = Opener(prepared, plus, self.families, self.relations)
        binder = Binder(self.relations, prepared.scope, allow)
        guards = tuple((guard, True) for guard in prepared.guards)
        groups: list[Group] = []
        for case in cases(prepared.formula, lambda leaf: prepared.is_evidence(leaf, self.hidden)):
            rows = binder.bind((*guards, *case.literals))
            if len(rows) and not isinstance(case.open, bool):
                groups += opener.groups(rows, case.open, case.undecided)
        return RuleGround(number, rule, {name: prepared.kinds[name] for name in plus}, prepared.choices, tuple(groups))


def _named(model: MarkovLogic) -> list[tuple[str, str]]:
    """Return the constants that formulas name, with their types."""
    return [
        (kind, term.name)
        for rule in model.rules
        for atom in atoms(rule.formula)
        if isinstance(atom, Atom)
        for term, kind in zip(atom.arguments, model.predicates[atom.predicate].types, strict=True)
        if isinstance(term, Constant)
    ]


def _check(model: MarkovLogic, names: Sequence[str]) -> None:
    for name in names:
        if name not in model.predicates:
            raise TelosError(f"the model has no predicate {name!r}", name_hint(name, model.predicates))


def _refuse_empty_blocks(families: Iterable[Family]) -> None:
    for family in families:
        if len(family) and not family.size:
            kinds = " or ".join(sorted({family.kinds[place] for place in family.blocks}))
            raise TelosError(
                f"{family.name} needs a value, and {kinds} has no constants", f"declare `{kinds} = {{A, B}}`"
            )


def _placed(name: str, source: str) -> str:
    return f"{name} ({source})" if source else name


def _limit(what: str, most_cells: int, made: str = "ground formulas") -> Callable[[float, int], None]:
    advice = "bind its variables with evidence predicates, or " if made == "ground formulas" else ""

    def allow(total: float, width: int) -> None:
        if total * (width + 1) > most_cells:
            raise _TooLarge(
                f"{what} would have {total:.1e} {made}, and there is room for {most_cells / (width + 1):.1e}",
                f"{advice}declare fewer constants",
            )

    return allow
