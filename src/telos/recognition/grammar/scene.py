"""What is known of the world while a plan is read: objects, facts, and what has been hidden from the reader."""

from collections.abc import Iterable, Iterator
from itertools import product

from telos.recognition.grammar.hddl import ANY, TOP, HddlDomain, HddlProblem, Literal, Operator

Pattern = tuple[str | None, ...]  # arguments, None where anything may stand


class Scene:
    """Facts that change with the actions seen. Of hidden predicates and objects nothing is known, so nothing fails."""

    def __init__(
        self,
        domain: HddlDomain,
        problem: HddlProblem,
        *,
        hidden_predicates: Iterable[str] = (),
        hidden_objects: Iterable[str] = (),
    ) -> None:
        self.domain = domain
        self.hidden = frozenset(hidden_predicates)
        unseen = frozenset(hidden_objects)
        self.kinds = {
            name: kind for name, kind in {**domain.constants, **problem.objects}.items() if name not in unseen
        }
        given = {**problem.objects}
        self.open_types = frozenset(
            above for name in unseen for above in domain.above.get(given.get(name, TOP), frozenset({TOP}))
        )
        self._facts: dict[str, set[tuple[str, ...]]] = {}
        for predicate, *arguments in problem.facts:
            if predicate not in self.hidden and not unseen.intersection(arguments):
                self._facts.setdefault(predicate, set()).add(tuple(arguments))
        self._of_type: dict[str, tuple[str, ...]] = {}
        self._matches: dict[str, dict[object, list[tuple[str, ...]]]] = {}  # by predicate, as each changes by itself
        self._instances: dict[tuple[str, tuple[str, ...], Pattern], list[tuple[str, ...]]] = {}

    def is_known(self, name: str) -> bool:
        """Whether an object was shown to the reader."""
        return name in self.kinds

    def fits(self, name: str, kind: str) -> bool:
        """Whether an object is of a type, or may be."""
        known = self.kinds.get(name)
        return known is None or kind in self.domain.above.get(known, frozenset({TOP}))

    def of_type(self, kind: str) -> tuple[str, ...]:
        """Return the known objects of a type."""
        if kind not in self._of_type:
            self._of_type[kind] = tuple(sorted(name for name in self.kinds if self.fits(name, kind)))
        return self._of_type[kind]

    def matches(self, predicate: str, pattern: Pattern) -> list[tuple[str, ...]]:
        """Return the facts that a pattern fits, in a fixed order."""
        known = self._matches.setdefault(predicate, {})
        if pattern not in known:
            fixed = [(place, name) for place, name in enumerate(pattern) if name is not None]
            facts = self._facts.get(predicate, ())
            known[pattern] = sorted(fact for fact in facts if all(fact[place] == name for place, name in fixed))
        return known[pattern]

    def choices(self, predicate: str, pattern: Pattern, kinds: Pattern) -> list[tuple[str, ...]]:
        """Return the facts that a pattern fits, with objects of the types given; `_type` stands where any will do."""
        known = self._matches.setdefault(predicate, {})
        key = pattern, kinds
        if key not in known:
            found: dict[tuple[str, ...], None] = {}
            for fact in self.matches(predicate, pattern):
                said = [(name, kind) for name, kind in zip(fact, kinds, strict=True)]
                if all(kind is None or self.fits(name, kind.removeprefix(ANY)) for name, kind in said):
                    found[tuple(kind if kind and kind.startswith(ANY) else name for name, kind in said)] = None
            known[key] = list(found)
        return known[key]

    def holds(self, literal: Literal) -> bool:
        """Whether a literal without variables holds; one that speaks of something hidden may always hold."""
        if literal.predicate in self.hidden:
            return True
        if literal.predicate == "=":
            return (literal.arguments[0] == literal.arguments[1]) == literal.positive
        named = [name for name in literal.arguments if not name.startswith(ANY)]
        if not all(map(self.is_known, named)):
            return True
        if len(named) == len(literal.arguments):
            return (literal.arguments in self._facts.get(literal.predicate, ())) == literal.positive
        if self.open_types.intersection(name[1:] for name in literal.arguments if name.startswith(ANY)):
            return True
        pattern = tuple(None if name.startswith(ANY) else name for name in literal.arguments)
        found = any(
            all(
                not of.startswith(ANY) or self.fits(name, of[1:])
                for name, of in zip(fact, literal.arguments, strict=True)
            )
            for fact in self.matches(literal.predicate, pattern)
        )
        return found == literal.positive

    def apply(self, operator: Operator, arguments: tuple[str, ...]) -> None:
        """Let an action that was seen happen."""
        given = {name: value for (name, _), value in zip(operator.parameters, arguments, strict=True)}
        for literal in sorted(operator.effects, key=lambda each: each.positive):  # what is made true wins
            fact = tuple(given.get(name, name) for name in literal.arguments)
            facts = self._facts.setdefault(literal.predicate, set())
            facts.add(fact) if literal.positive else facts.discard(fact)
            self._matches.pop(literal.predicate, None)
        if operator.effects:
            self._instances.clear()

    def instances(self, operator: Operator, types: tuple[str, ...], pattern: Pattern) -> list[tuple[str, ...]]:
        """Return the arguments with which an action is possible now, of the types given, that a pattern fits."""
        key = operator.name, types, pattern
        if key not in self._instances:
            names = [name for name, _ in operator.parameters]
            start = {name: value for name, value in zip(names, pattern, strict=True) if value is not None}
            kinds = dict(zip(names, types, strict=True))
            found = [tuple(each[name] for name in names) for each in self._joined(list(operator.needs), start, kinds)]
            self._instances[key] = found
        return self._instances[key]

    def _joined(self, needs: list[Literal], given: dict[str, str], kinds: dict[str, str]) -> Iterator[dict[str, str]]:
        """Yield all ways to give objects to parameters so that needs hold; first those that bind something."""
        usable = [each for each in needs if self._is_table(each, given)]
        if not usable:
            yield from self._filled(needs, given, kinds)
            return
        # The literal with the fewest facts first: it leaves the fewest ways to go on.
        first = min(usable, key=lambda each: len(self.matches(each.predicate, self._pattern(each, given))))
        rest = [each for each in needs if each is not first]
        for fact in self.matches(first.predicate, self._pattern(first, given)):
            bound = dict(given)
            for name, value in zip(first.arguments, fact, strict=True):
                if name.startswith("?"):
                    bound[name] = value
            pairs = zip(first.arguments, fact, strict=True)
            if any(bound.get(name, value) != value for name, value in pairs):
                continue  # a variable that stands there twice, for two things
            if all(name not in kinds or self.fits(value, kinds[name]) for name, value in bound.items()):
                yield from self._joined(rest, bound, kinds)

    def _is_table(self, literal: Literal, given: dict[str, str]) -> bool:
        """Whether the facts that are known can tell which objects a literal holds for."""
        if not literal.positive or literal.predicate in self.hidden or literal.predicate == "=":
            return False
        return all(self.is_known(given[name]) for name in literal.arguments if name in given)

    @staticmethod
    def _pattern(literal: Literal, given: dict[str, str]) -> Pattern:
        return tuple(given.get(name) if name[0] in ("?", ANY) else name for name in literal.arguments)

    def _filled(self, needs: list[Literal], given: dict[str, str], kinds: dict[str, str]) -> Iterator[dict[str, str]]:
        free = [name for name in kinds if name not in given]
        for values in product(*(self.of_type(kinds[name]) for name in free)):
            bound = {**given, **dict(zip(free, values, strict=True))}
            said = (each._replace(arguments=tuple(bound.get(name, name) for name in each.arguments)) for each in needs)
            if all(map(self.holds, said)):
                yield bound
