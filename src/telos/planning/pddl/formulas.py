"""Syntax trees to literals: preconditions, goals and effects."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
from telos.planning.pddl.grammar import unsupported
from telos.planning.pddl.model import Atom, Literals
from telos.planning.pddl.source import Source

MOST_FAULTS = 200  # in one section: nobody reads on, and looking for the names that were meant is slow
_BEYOND = {
    "or": "disjunctions (or) are",
    "imply": "implications (imply) are",
    "exists": "quantifiers (exists) are",
    "forall": "quantifiers (forall) are",
    "when": "conditional effects (when) are",
    "oneof": "effects by chance (oneof) are",
}


class Formulas:
    """Reads the formulas of one section, and keeps everything that is wrong with them."""

    def __init__(self, source: Source, start: int, predicates: Mapping[str, int], functions: Mapping[str, int]) -> None:
        self.source, self.start = source, start
        self.predicates, self.functions = predicates, functions
        self.objects: Collection[str] = ()
        self.variables: Collection[str] = ()
        self.faults: list[Fault] = []

    def fault(self, token: Any, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        self.note(self.source.fault(self.start + token.start_pos, message, suggestion, code=code))

    def beyond(self, token: Any, what: str) -> None:
        self.note(unsupported(self.source, self.start + token.start_pos, what))

    def note(self, fault: Fault) -> None:
        self.faults.append(fault)
        if len(self.faults) >= MOST_FAULTS:
            raise DefinitionError(self.faults)

    def condition(self, tree: Any) -> Literals:
        """Read a conjunction of atoms, negated atoms and equalities."""
        found: dict[str, list[Any]] = {"positive": [], "negative": [], "same": [], "different": []}
        self._condition(tree, found, negated=False)
        return Literals(**{key: tuple(dict.fromkeys(each)) for key, each in found.items()})

    def _condition(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = inner(tree)
        if not parts:
            return  # `()` and `(and)` ask for nothing
        first = parts[0]
        if not is_token(first):
            if first.data == "atomic_formula_term":
                self._literal(first, found, negated=negated)
            else:
                self._condition(first, found, negated=negated)
        elif first == "not":
            self._condition(parts[1], found, negated=not negated)
        elif first == "and" and (not negated or len(parts) == 2):
            for part in parts[1:]:
                self._condition(part, found, negated=negated)
        elif first in _BEYOND or first == "and":
            self.beyond(first, _BEYOND.get(str(first), "negations of a whole (and …) are"))
        else:
            self.beyond(first, "numeric conditions are")

    def _literal(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = inner(tree)
        if parts[0] == "=":
            pair = tuple(self._term(part) for part in parts[1:])
            found["different" if negated else "same"].append(pair)
        elif (atom := self.atom(parts)) is not None:
            found["negative" if negated else "positive"].append(atom)

    def effects(self, tree: Any) -> tuple[list[Atom], list[Atom], list[float | Atom]]:
        """Read a conjunction of effects: what is added, what is deleted, and what it adds to the total cost."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        costs: list[float | Atom] = []
        for effect in self._simple_effects(tree):
            parts = inner(effect)
            if effect.data == "num_effect":
                costs += self._cost(parts)
            elif parts[0] == "=":
                self.fault(parts[0], "an effect cannot make things equal", code=FaultCode.UNSUPPORTED)
            else:
                is_delete = parts[0] == "not"
                atom = self.atom(inner(parts[1]) if is_delete else parts)
                if atom is not None:
                    (deletes if is_delete else adds).append(atom)
        return adds, deletes, costs

    def _simple_effects(self, tree: Any) -> Iterator[Any]:
        """Yield the negated atoms, atoms and numeric effects inside ``tree``."""
        if tree.data in ("atomic_formula_term", "num_effect"):
            yield tree
            return
        parts = inner(tree)
        if parts and is_token(parts[0]) and str(parts[0]) in _BEYOND:
            self.beyond(parts[0], _BEYOND[str(parts[0])])
        elif parts and is_token(parts[0]) and parts[0] == "not":
            yield tree
        else:
            for part in parts:
                if not is_token(part):
                    yield from self._simple_effects(part)

    def _cost(self, parts: list[Any]) -> list[float | Atom]:
        operator, head, amount = parts
        if operator != "increase" or inner(head)[0] != "total-cost":
            self.beyond(operator, "numeric effects other than (increase (total-cost) …) are")
            return []
        value = amount.children[0]
        if is_token(value) or value.data not in ("num_literal", "f_head"):
            self.beyond(operator, "calculated costs are")
            return []
        if value.data == "num_literal":
            number = self.number(value.children[0])
            return [] if number is None else [number]
        function = self.atom(inner(value), self.functions, "function")
        return [] if function is None else [function]

    def number(self, token: Any) -> float | None:
        """Read a number."""
        try:
            return float(token)
        except ValueError:  # the grammar takes 1.2.3 for a number
            self.fault(token, f"{str(token)!r} is not a number", code=FaultCode.WRONG_TYPE)
            return None

    def atom(self, parts: list[Any], known: Mapping[str, int] | None = None, what: str = "predicate") -> Atom | None:
        """Read a predicate or function and its terms; None if it is not declared so."""
        known = self.predicates if known is None else known
        name, terms = str(parts[0]), tuple(self._term(part) for part in parts[1:])
        if name not in known:
            self.fault(parts[0], f"unknown {what} {name!r}", name_hint(name, known), code=FaultCode.UNKNOWN_NAME)
            return None
        if len(terms) != known[name]:
            self.fault(
                parts[0],
                f"{what} {name!r} takes {counted(known[name], 'argument')}, not {len(terms)}",
                code=FaultCode.WRONG_COUNT,
            )
            return None
        return (name, *terms)

    def _term(self, part: Any) -> str:
        # In formulas a bare token is a variable, without its ?, and a tree holds a constant; in facts all are tokens.
        before = self.start + part.start_pos - 1 if is_token(part) else 0
        if self.source.text[before] == "?":
            name = f"?{part}"
            if name not in self.variables:
                suggestion = name_hint(name, self.variables)
                self.note(
                    self.source.fault(before, f"{name} is not a parameter", suggestion, code=FaultCode.UNKNOWN_NAME)
                )
            return name
        token = part if is_token(part) else part.children[0]
        if str(token) not in self.objects:
            self.fault(
                token,
                f"unknown object {str(token)!r}",
                name_hint(str(token), self.objects),
                code=FaultCode.UNKNOWN_NAME,
            )
        return str(token)


def is_token(part: Any) -> bool:
    """Whether a part of a syntax tree is a word, rather than a tree."""
    return isinstance(part, str)


def inner(tree: Any) -> list[Any]:
    """Return the parts of a tree without its brackets."""
    return [part for part in tree.children if part is not None and not (is_token(part) and part in ("(", ")"))]


def counted(number: int, word: str) -> str:
    """Write ``2 arguments`` or ``1 argument``."""
    return f"{number} {word}{'' if number == 1 else 's'}"
