"""What a model declares: types with their constants, predicates and functions. The words its formulas may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.core.errors import name_hint
from telos.logic.database import ordered, whole
from telos.logic.model import Function, MarkovLogic, Predicate


@dataclass(slots=True)
class Signature:
    """The declarations of a model while it is being read; ``joined`` are the constants that only formulas name."""

    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    declared: dict[str, dict[str, None]] = field(default_factory=dict)
    joined: dict[str, set[str]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)  # what was declared, and where, for messages

    def join(self, kind: str, constant: str) -> str:
        """Add a constant to a type; answer with what is wrong, if the type is closed to it."""
        declared = self.declared.get(kind)
        if declared is not None and constant not in declared and not (whole(constant) and all(map(whole, declared))):
            return f"{constant!r} is no {kind}"
        self.joined.setdefault(kind, set()).add(constant)
        return ""

    def nearest_constant(self, kind: str, constant: str) -> str:
        """Suggest the constant of a closed type that was meant."""
        return name_hint(constant, self.declared.get(kind, ()))

    @property
    def types(self) -> set[str]:
        """All types that some declaration names."""
        named = {kind for predicate in self.predicates.values() for kind in predicate.types}
        for function in self.functions.values():
            named |= {function.returns, *function.types}
        return named | set(self.declared)

    def constants(self) -> dict[str, tuple[str, ...]]:
        """Return the constants of each type: numbers, then declared names, then the others by the alphabet."""
        kinds = sorted(set(self.declared) | set(self.joined))
        return {kind: ordered((*self.declared.get(kind, ()), *sorted(self.joined.get(kind, ())))) for kind in kinds}


def signature_of(model: MarkovLogic) -> Signature:
    """Return the declarations of a model that is already built."""
    constants: Mapping[str, tuple[str, ...]] = model.constants
    declared = {kind: dict.fromkeys(constants.get(kind, ())) for kind in model.closed}
    joined = {kind: set(names) for kind, names in constants.items() if kind not in model.closed}
    return Signature(dict(model.predicates), dict(model.functions), declared, joined)
