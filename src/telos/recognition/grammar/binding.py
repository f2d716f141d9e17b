"""Variables of lifted plans: united with what is seen, and bound by what must hold."""

from collections.abc import Iterator, Mapping

from telos.recognition.grammar.hddl import ANY, TOP, LiftedMethod, Literal
from telos.recognition.grammar.lifted_tables import LiftedTables
from telos.recognition.grammar.scene import Scene
from telos.recognition.grammar.stories import Bound, Node, Term, Waiting, literal_of, value_of

FEW = 4  # facts: so many ways are tried at once, more wait until something is seen
UNSEEN = 0.2  # where objects were hidden: the chance that one of them is meant

Entered = tuple[Bound, tuple[Waiting, ...], float, Mapping[str, int]]
_Way = tuple[Bound, tuple[Waiting, ...], float]


class Binder:
    """Gives objects to variables; each variable has a type."""

    def __init__(self, scene: Scene, tables: LiftedTables) -> None:
        self._scene, self._tables = scene, tables
        self._types: list[str] = []

    def type_of(self, variable: int) -> str:
        """Return the type of a variable."""
        return self._types[variable]

    def united(self, bound: Bound, terms: tuple[Term, ...], others: tuple[Term, ...]) -> Bound | None:
        """Return the bindings under which two rows of terms are the same; None if they cannot be."""
        after = dict(bound)
        for one, other in zip(terms, others, strict=True):
            one, other = value_of(after, one), value_of(after, other)
            if one == other:
                continue
            if isinstance(one, str):
                one, other = other, one
            if isinstance(one, str):
                return None  # two objects
            if isinstance(other, str):
                if not self._scene.fits(other, self._types[one]):
                    return None
                after[one] = other
            elif self._is_kind(self._types[one], self._types[other]):
                after[other] = one  # the narrower type stays
            elif self._is_kind(self._types[other], self._types[one]):
                after[one] = other
            else:
                return None
        return after

    def _is_kind(self, kind: str, of: str) -> bool:
        return of in self._scene.domain.above.get(kind, frozenset({TOP}))

    def share(self, bound: Bound, node: Node) -> float:
        """Return the chance of one set of arguments of an action, as all that are possible now are as likely."""
        operator = self._scene.domain.operators[node.name]
        pattern, types = self.pattern(bound, node)
        if None not in pattern:
            return 1.0
        return 1.0 / max(1, len(self._scene.instances(operator, types, pattern)))

    def pattern(self, bound: Bound, node: Node) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
        """Return the arguments of an action as far as they are known, and the types that they must be of."""
        operator = self._scene.domain.operators[node.name]
        values = [value_of(bound, term) for term in node.arguments]
        pattern = tuple(value if isinstance(value, str) else None for value in values)
        types = tuple(
            self._types[value] if isinstance(value, int) and self._is_kind(self._types[value], kind) else kind
            for value, (_, kind) in zip(values, operator.parameters, strict=True)
        )
        return pattern, types

    def entered(self, bound: Bound, node: Node, method: LiftedMethod) -> Iterator[Entered]:
        """Yield the ways to take up a method: its variables bound by the task, and by facts that must hold."""
        first = len(self._types)
        self._types += (kind for _, kind in method.parameters)
        names = {name: first + place for place, (name, _) in enumerate(method.parameters)}
        head = tuple(names.get(name, name) for name in method.head.arguments)
        united = self.united(bound, node.arguments, head)
        if united is None:
            return
        ways: list[_Way] = [(united, (), 1.0)]
        for literal in self._tables.needs[node.name, method.name]:
            ways = [after for way in ways for after in self._with(way, literal, names)]
        yield from ((found, waiting, share, names) for found, waiting, share in ways)

    def _with(self, way: _Way, literal: Literal, names: Mapping[str, int]) -> Iterator[_Way]:
        """Yield the ways in which a literal holds."""
        bound, waiting, share = way
        later = Waiting(literal.predicate, tuple(names.get(name, name) for name in literal.arguments), literal.positive)
        ready = literal_of(later, bound)
        values = [value_of(bound, term) for term in later.arguments]
        if literal.predicate in self._scene.hidden or self._speaks_of_hidden(values):
            yield way
        elif ready is not None:
            if self._scene.holds(ready):
                yield way
        elif not literal.positive or literal.predicate == "=":
            yield bound, (*waiting, later), share
        else:
            yield from self._chosen(way, later, values)

    def _chosen(self, way: _Way, later: Waiting, values: list[Term]) -> Iterator[_Way]:
        """Yield the ways to choose objects for which something holds; many of them wait, if it cannot change."""
        bound, waiting, share = way
        found = self._facts(later.predicate, values)
        if later.predicate in self._tables.statics and len(found) > FEW:
            yield bound, (*waiting, later), share
            return
        unseen = UNSEEN if self._may_be_hidden(values) else 0.0
        for fact in found:
            after = self.united(bound, later.arguments, fact)
            if after is not None:
                yield after, waiting, share * (1.0 - unseen) / len(found)
        if unseen:
            yield bound, waiting, share * unseen

    def _may_be_hidden(self, values: list[Term]) -> bool:
        return any(isinstance(each, int) and self._types[each] in self._scene.open_types for each in values)

    def _speaks_of_hidden(self, values: list[Term]) -> bool:
        return not all(self._scene.is_known(each) for each in values if isinstance(each, str) and each[0] != ANY)

    def _facts(self, predicate: str, values: list[Term]) -> list[tuple[str, ...]]:
        named = tuple(each if isinstance(each, str) and each[0] != ANY else None for each in values)
        kinds = tuple(
            self._types[each] if isinstance(each, int) else each if each[0] == ANY else None for each in values
        )
        return self._scene.choices(predicate, named, kinds)
