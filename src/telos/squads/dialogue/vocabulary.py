"""The vocabulary of dialogue: occasions, ways to find who takes a role, variables of conditions, and slots of texts.

``GENERAL`` holds what every game has. A line file or a game adds its own occasions and variables with ``extended``;
``COMBAT`` (combat.py) is the vocabulary of squads in a fight.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.state import Layout
from telos.core.values import INT, KEYWORDS, NUMBER, FrozenMap, Type, TypeLike, Value, ValueKind, Variable
from telos.squads.dialogue.occasions import Occasion

if TYPE_CHECKING:
    from telos.squads.dialogue.context import DialogueContext, Situation

SQUAD = "squad"  # the hearer of a turn that is not a role
TURN_KEYS = frozenset({"if", "to", "after"})  # keys of a turn beside its role
FAR = 999.0  # metres to somebody who is not there
GIVEN = "given with every tick"  # what a declared variable is
SPEAKER, TEXT = "speaker", "text"  # what an occasion may be about, beside the types of variables

FindSpeaker: TypeAlias = "Callable[[Occasion, DialogueContext, Mapping[str, str]], str | None]"
ReasonForSilence: TypeAlias = "Callable[[Occasion, DialogueContext], str | None]"


@dataclass(frozen=True, slots=True)
class OccasionKind:
    """A kind of occasion: what happened, as text after a name, and what the game tells of it, each with its type.

    One that ``is_urgent`` interrupts other talk; after one that ``mutes``, the one it happened to can no longer speak.
    It is not talked about again for the same person for ``settled`` seconds, nor while ``silence`` returns a reason.
    """

    text: str
    about: FrozenMap[str, Type] = field(default_factory=FrozenMap)
    is_urgent: bool = False
    mutes: bool = False
    settled: float = 0.0
    silence: "ReasonForSilence | None" = None


@dataclass(frozen=True, slots=True)
class RoleWay:
    """A way to find who takes a role; one that ``fills_up`` takes who is left when the others are cast."""

    about: str
    find: FindSpeaker
    fills_up: bool = False


@dataclass(frozen=True, slots=True)
class SituationVariable:
    """A variable of conditions; ``default`` is its value while the one that it is about is not there."""

    type: Type
    about: str
    value: "Callable[[Situation], Value]"
    default: Value


@dataclass(frozen=True, slots=True)
class RoleVariable:
    """A variable of each role, as in ``hurt_health``."""

    type: Type
    about: str
    value: "Callable[[Situation, str], Value]"
    default: Value


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of texts beside the names of roles: its words for a speaker, and the occasions on which it is known."""

    about: str
    words: "Callable[[Situation, str], str | None]"
    occasions: frozenset[str] | None = None  # None: all


@dataclass(frozen=True, slots=True)
class DialogueVocabulary:
    """What the lines of a game may speak of.

    >>> shop = GENERAL.extended({"sold": OccasionKind("sold something", FrozenMap({"price": Type.of("int")}))})
    >>> sorted(shop.slots_on("sold")), [each.name for each in shop.layout("sold", ("seller",)).variables]
    (['price'], ['comrades', 'price', 'seller_away'])
    """

    occasions: FrozenMap[str, OccasionKind] = field(default_factory=FrozenMap)
    ways: FrozenMap[str, RoleWay] = field(default_factory=FrozenMap)
    variables: FrozenMap[str, SituationVariable] = field(default_factory=FrozenMap)
    role_variables: FrozenMap[str, RoleVariable] = field(default_factory=FrozenMap)
    slots: FrozenMap[str, Slot] = field(default_factory=FrozenMap)
    cache: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def extended(
        self,
        occasions: Mapping[str, OccasionKind] | None = None,
        variables: Mapping[str, TypeLike] | None = None,
        role_variables: Mapping[str, TypeLike] | None = None,
    ) -> "DialogueVocabulary":
        """Return the vocabulary with more occasions and variables.

        ``variables`` are given with every tick, and may be slots, too; ``role_variables`` are attributes of the
        speakers.
        """
        types = {name: Type.of(spec) for name, spec in (variables or {}).items()}
        given = {name: _given_variable(name, kind) for name, kind in types.items()}
        slots = {name: Slot(GIVEN, partial(_given_words, name)) for name in types}
        own = {name: _attribute(name, Type.of(spec)) for name, spec in (role_variables or {}).items()}
        return DialogueVocabulary(
            FrozenMap({**self.occasions, **(occasions or {})}),
            self.ways,
            FrozenMap({**self.variables, **given}),
            FrozenMap({**self.role_variables, **own}),
            FrozenMap({**self.slots, **slots}),
        )

    @property
    def reserved(self) -> frozenset[str]:
        """Return the words that cannot be roles."""
        return frozenset({SQUAD, *TURN_KEYS, *KEYWORDS, *self.slots})

    def check_given(self, name: str) -> None:
        """Raise a ``TelosError`` if the game gives a variable that the lines do not declare."""
        if name not in self.variables:
            given = [each for each, variable in self.variables.items() if variable.about == GIVEN]
            remedy = name_hint(name, given) or "declare it under `variables` of the lines"
            raise TelosError(f"the lines declare no variable {name!r}", remedy)

    def kind(self, occasion: str) -> OccasionKind:
        """Return a kind of occasion."""
        if occasion not in self.occasions:
            raise TelosError(f"unknown occasion {occasion!r}", name_hint(occasion, self.occasions))
        return self.occasions[occasion]

    def about(self, occasion: str) -> Mapping[str, Type]:
        """Return what the game tells of a kind of occasion; nothing of an unknown one."""
        return self.occasions[occasion].about if occasion in self.occasions else {}

    def ways_on(self, occasion: str) -> dict[str, RoleWay]:
        """Return the ways to find who takes a role; one is to be named by the occasion."""
        named = (name for name, kind in self.about(occasion).items() if kind.handle == SPEAKER)
        return {**self.ways, **{name: RoleWay("named by the occasion", partial(find_named, name)) for name in named}}

    def slots_on(self, occasion: str) -> Mapping[str, Slot]:
        """Return the slots that are known on an occasion."""
        found: Mapping[str, Slot] | None = self.cache.get(("slots", occasion))
        if found is None:
            found = self.cache["slots", occasion] = self._slots_on(occasion)
        return found

    def _slots_on(self, occasion: str) -> dict[str, Slot]:
        known = {
            name: slot for name, slot in self.slots.items() if slot.occasions is None or occasion in slot.occasions
        }
        return {**known, **{name: Slot("told", partial(_told_words, name)) for name in self.about(occasion)}}

    def variables_on(self, occasion: str) -> Mapping[str, SituationVariable]:
        """Return the variables of conditions on an occasion, apart from those of roles."""
        found: Mapping[str, SituationVariable] | None = self.cache.get(("variables", occasion))
        if found is None:
            found = self.cache["variables", occasion] = self._variables_on(occasion)
        return found

    def _variables_on(self, occasion: str) -> dict[str, SituationVariable]:
        told = {
            name: SituationVariable(kind, "told", partial(_told_value, name), kind.start)
            for name, kind in self.about(occasion).items()
            if kind.kind is not ValueKind.HANDLE
        }
        return {**self.variables, **told}

    def layout(self, occasion: str, roles: tuple[str, ...]) -> Layout:
        """Return the variables that conditions may use; the same object each time, so that they are compiled once."""
        found: Layout | None = self.cache.get((occasion, roles))
        if found is None:
            own = {f"{role}_{name}": each.type for role in roles for name, each in self.role_variables.items()}
            common = {name: each.type for name, each in self.variables_on(occasion).items()}
            variables = [Variable(name, kind) for name, kind in {**common, **own}.items()]
            found = self.cache[occasion, roles] = Layout(variables)
        return found

    def check(self, occasion: Occasion) -> Occasion:
        """Return an occasion if it is of a known kind and tells what it should; raise a ``TelosError`` otherwise."""
        for name, kind in self.kind(occasion.kind).about.items():
            if name not in occasion.about:
                raise TelosError(f"the occasion {occasion.kind!r} lacks {name!r}", f"add about={{{name!r}: …}}")
            value = occasion.about[name]
            if not (isinstance(value, str) if kind.kind is ValueKind.HANDLE else kind.accepts(value)):
                raise TelosError(f"{name!r} of the occasion {occasion.kind!r} is {kind}, not {value!r}")
        return occasion

    def describe(self, occasion: Occasion) -> str:
        """Return what happened as text."""
        return f"{occasion.who} {self.kind(occasion.kind).text}"


# --- what is declared -------------------------------------------------------------------------------------------------


def find_named(name: str, occasion: Occasion, _: "DialogueContext", __: Mapping[str, str]) -> str | None:
    """Return the speaker that an occasion names under a word."""
    named = occasion.about.get(name)
    return str(named) if named is not None else None


def _told_value(name: str, situation: "Situation") -> Value:
    return situation.occasion.about[name]


def _told_words(name: str, situation: "Situation", _: str) -> str | None:
    return to_words(situation.occasion.about.get(name))


def _given_variable(name: str, kind: Type) -> SituationVariable:
    return SituationVariable(kind, GIVEN, partial(_given_value, name, kind), kind.start)


def _given_value(name: str, kind: Type, situation: "Situation") -> Value:
    values = situation.context.values
    if name not in values:
        raise TelosError(f"the lines read {name!r}, which was not given", f"tick with values={{{name!r}: …}}")
    return Variable(name, kind).checked(values[name])


def _given_words(name: str, situation: "Situation", _: str) -> str | None:
    return to_words(situation.context.vocabulary.variables[name].value(situation))


def _attribute(name: str, kind: Type) -> RoleVariable:
    return RoleVariable(kind, "an attribute of the speaker", partial(_attribute_value, name, kind), kind.start)


def _attribute_value(name: str, kind: Type, situation: "Situation", who: str) -> Value:
    speaker = situation.context.speakers[who]
    if not hasattr(speaker, name):
        raise TelosError(f"the lines read {name!r} of {who!r}, which has none", f"give speakers an attribute {name!r}")
    return Variable(name, kind).checked(getattr(speaker, name))


def to_words(value: Value) -> str | None:
    """Return a value as it is said; None for nothing.

    >>> to_words("red-apple"), to_words(2.5), to_words(3)
    ('red apple', '2.5', '3')
    """
    if value is None or value == "":
        return None
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).replace("-", " ").replace("_", " ") if isinstance(value, str) else str(value)


# --- what every game has ----------------------------------------------------------------------------------------------


def _find_leader(occasion: Occasion, context: "DialogueContext", _: Mapping[str, str]) -> str | None:
    ranked = sorted(context.squad_members(occasion.who), key=lambda mate: (-mate.rank, mate.name))
    return next((mate.name for mate in ranked if context.can_speak(mate.name)), None)


def _find_comrade(occasion: Occasion, context: "DialogueContext", found: Mapping[str, str]) -> str | None:
    taken = {occasion.who, *found.values()}
    return next((mate.name for mate in context.comrades(occasion.who) if mate.name not in taken), None)


def _away(situation: "Situation", who: str) -> float:
    speakers = situation.context.speakers
    return math.dist(speakers[situation.occasion.who].position, speakers[who].position)


GENERAL = DialogueVocabulary(
    ways=FrozenMap(
        {
            "who": RoleWay("the one it happened to", lambda occasion, _, __: occasion.who),
            "leader": RoleWay("the highest in rank of the squad", _find_leader),
            "comrade": RoleWay("the nearest comrade within earshot", _find_comrade, fills_up=True),
        }
    ),
    variables=FrozenMap(
        {
            "comrades": SituationVariable(
                INT,
                "how many of the side who can speak are within earshot of the one it happened to",
                lambda it: len(it.context.comrades(it.occasion.who)),
                0,
            ),
        }
    ),
    role_variables=FrozenMap(
        {
            "away": RoleVariable(NUMBER, "metres from the one it happened to", _away, FAR),
        }
    ),
)
