"""What a game tells a recogniser: the names that conditions may use, and what kind of value each has."""

from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Tag

from telos.core.errors import FaultCode, Path, name_hint
from telos.core.files import leaves
from telos.core.files.leaves import Leaf
from telos.core.files.models import mark
from telos.core.files.sheet import Sheet

Kind: TypeAlias = str | tuple[str, ...]  # one of KINDS, or the labels that a text may be

KINDS = ("bool", "int", "number", "text", "edges")

_ONE, _LIST = mark("one"), mark("list")
_Word: TypeAlias = Annotated[
    str,
    # Any word will do here: which one was meant is for the loader to say. Editors get the words to complete from.
    Leaf(
        "bool, int, number, text, edges or a list of labels",
        lambda value: isinstance(value, str) and value != "",
        {"type": "string", "minLength": 1, "examples": list(KINDS)},
        "as in `monsters: int`",
    ),
]
KindShape: TypeAlias = Annotated[
    Annotated[_Word, Tag(_ONE)] | Annotated[list[leaves.Label], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


def read_kind(sheet: Sheet, path: Path, said: Any) -> Kind:
    """Return the kind of value that an entry names; a word that is none is a fault."""
    if isinstance(said, list):
        if not said:
            sheet.fault("a list of no labels", path, "write one or more, as in `[input, area]`", code=FaultCode.EMPTY)
        return tuple(said)
    if said not in KINDS:
        sheet.fault(f"unknown kind of value {said!r}", path, name_hint(said, KINDS), code=FaultCode.UNKNOWN_NAME)
    return str(said)
