"""The shape of a file of lines: which keys stand where, and what kind of entry each is."""

import re
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag

from telos.core.files import leaves
from telos.core.files.leaves import Leaf
from telos.core.files.models import FileShape, mark, name_leaf, schema_text, text_leaf
from telos.core.files.times import Moment
from telos.squads.lines_exchange import COOLDOWN, PAUSE
from telos.squads.lines_words import CASTING, RESERVED
from telos.squads.utterances import OCCASIONS

_ONE, _LIST = mark("one"), mark("list")


def _is_chance(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _word(wanted: str, words: dict[str, str]) -> Leaf:
    # Any text will do here: which word was meant is for the loader to say. Editors get the words to complete from.
    return Leaf(wanted, lambda value: isinstance(value, str), {"type": "string", "examples": list(words)})


def _role_leaf() -> Leaf:
    pattern = f"(?!(?:{'|'.join(sorted(RESERVED))})$)[A-Za-z][A-Za-z0-9_]*"
    remedy = f"use letters, digits and _, and none of {', '.join(sorted(RESERVED))}"
    # Wrapped in allOf for the same reason as other names: a bare pattern would let every other key through.
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    return Leaf("the name of a role", lambda value: bool(re.fullmatch(pattern, str(value))), schema, remedy)


ExchangeName: TypeAlias = Annotated[str, name_leaf("the name of an exchange")]
RoleName: TypeAlias = Annotated[str, _role_leaf()]
_Occasion: TypeAlias = Annotated[str, _word("an occasion such as hit", OCCASIONS)]
_Casting: TypeAlias = Annotated[str, _word("a way to find somebody, such as who or comrade", CASTING)]
_Chance: TypeAlias = Annotated[
    float, Leaf("a number above 0, at most 1", _is_chance, {"type": "number", "exclusiveMinimum": 0, "maximum": 1})
]
_Text: TypeAlias = Annotated[str, text_leaf("what is said, or a list of variations of it", "put it in quotes")]
_Variations: TypeAlias = Annotated[
    Annotated[_Text, Tag(_ONE)] | Annotated[list[_Text], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


class TurnShape(FileShape):
    """One line: `role: [variations]`, and when it is said."""

    model_config = ConfigDict(extra="allow")  # the role's name is a key
    __pydantic_extra__: dict[str, _Variations]

    if_: leaves.ConditionText = Field(default=True, alias="if")
    """When it is said; otherwise the turn is skipped: `hurt_health < 40`."""
    to: Annotated[str, text_leaf("a role, or squad")] = ""
    """Who is spoken to: a role, or `squad`. If left out, the one who spoke before, or else who speaks next."""
    after: Moment = PAUSE
    """The pause before it, once the line before has ended."""


class ExchangeShape(FileShape):
    """Turns that belong together, and the occasion for them."""

    on: _Occasion = Field(examples=["hit"])
    """What must have happened."""
    roles: dict[RoleName, _Casting] = Field(examples=["{hurt: who, asker: comrade}"])
    """Who takes part, and how each is found: `{hurt: who, asker: comrade}`."""
    if_: leaves.ConditionText = Field(default=True, alias="if")
    """When it fits: `hurt_health > 0 and comrades >= 1`."""
    cooldown: Moment = COOLDOWN
    """For how long a squad does not repeat it."""
    chance: _Chance = 1.0
    """How often it is taken when it fits, 0 to 1."""
    lines: list[TurnShape] = Field(examples=["[{asker: Status?}]"])
    """The turns, in order."""
    unanswered: list[TurnShape] = Field(default_factory=list)
    """What is said instead of the rest if the next to speak has died."""


class LinesShape(FileShape):
    """Everything that a side has to say, the most important first."""

    exchanges: dict[ExchangeName, ExchangeShape] = Field(examples=["{status: {on: hit, …}}"])
    """Exchanges by name; of those that fit, the first listed is taken."""


def lines_schema() -> str:
    """Return the JSON Schema of a file of lines."""
    return schema_text(LinesShape, "Telos lines file")
