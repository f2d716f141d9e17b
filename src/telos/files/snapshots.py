"""Snapshots, the plain data that ``save()`` returns and ``restore`` or ``resume`` reads, checked as data from outside.

A class that can be saved declares a `SnapshotModel` of its data. Its restore has three steps: `read_snapshot` checks
types, numbers and keys of the whole snapshot; the class checks what only it knows (names, lengths, order) with
`snapshot_error` and builds the new parts; it assigns them last. So a fault leaves the object as it was:

    class CounterSnapshot(SnapshotModel):
        goals: Items[str]
        chances: Chances
        time: Finite | None

    def restore(self, saved: object) -> None:
        read = read_snapshot(CounterSnapshot, saved, of="counter")
        check_length("counter", "chances", read.chances, len(self.goals))
        self._chances, self._time = tuple(read.chances), read.time

Where the parts restore themselves one after the other, `unchanged_on_error` takes back what was assigned.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSet, Sequence, Sized
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap

SNAPSHOT_FORMAT = 1  # what save() writes as "format"; data without it has this format too
CHANCES_TOLERANCE = 1e-6  # by how much saved chances may miss a sum of 1
EXACT_TOLERANCE = 1e-9  # up to this they are taken as they are, beyond it they are scaled
MAX_COUNT = 2**53
MAX_DEPTH = 32  # of lists in lists, in a value
MAX_SHOWN = 60  # characters of a text that a message quotes
REMEDY = "give what save() returned, unchanged"

# --- field types ------------------------------------------------------------------------------------------------------

T = TypeVar("T")
Key = str | int


def _to_list(value: Any) -> Any:
    return list(value) if type(value) is tuple else value


def _to_tuple(value: Any) -> Any:
    return tuple(value) if type(value) is list else value


def _wanted(wanted: str) -> PydanticCustomError:
    return PydanticCustomError("snapshot", "{wanted}", {"wanted": wanted})


def _check_sum(chances: list[float]) -> list[float]:
    total = math.fsum(chances)
    if abs(total - 1.0) > CHANCES_TOLERANCE:
        raise _wanted(f"numbers that sum to 1 (these sum to {total:.9g})")
    return chances if abs(total - 1.0) <= EXACT_TOLERANCE else [chance / total for chance in chances]


def _to_value(value: Any, depth: int = 0, *, objects: bool = False, mappings: bool = False) -> Any:
    """Return plain data as a game holds it: lists are tuples, mappings are frozen, if they are allowed.

    ``objects`` allows hashable objects of the game.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        if not -MAX_COUNT <= value <= MAX_COUNT and not (isinstance(value, float) and math.isfinite(value)):
            raise _wanted("a whole number up to 2**53" if isinstance(value, int) else "a finite number")
        return value
    if depth == MAX_DEPTH:
        raise _wanted(f"a value of at most {MAX_DEPTH} lists in lists")
    if isinstance(value, list | tuple):
        return tuple([_to_value(each, depth + 1, objects=objects, mappings=mappings) for each in value])
    if mappings and isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise _wanted("a mapping with texts as keys")
        entries = {key: _to_value(each, depth + 1, objects=objects, mappings=True) for key, each in value.items()}
        return FrozenMap(entries)
    if objects and _is_hashable(value):
        return value
    raise _wanted("plain data: text, a number, true, false, null or a list of them")


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
NonNegative: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Chance: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
# JSON knows one kind of list; a snapshot that was never a text may have tuples.
Items: TypeAlias = Annotated[list[T], Field(fail_fast=True), BeforeValidator(_to_list)]
# One list with entries of different types: Row[tuple[Finite, str]].
Row: TypeAlias = Annotated[T, BeforeValidator(_to_tuple)]
# Probabilities that sum to 1; their number is checked by the reader, with check_length.
Chances: TypeAlias = Annotated[Items[Chance], AfterValidator(_check_sum)]
PlainValue: TypeAlias = Annotated[Any, AfterValidator(_to_value)]
# A value of a variable, an attribute or an argument: the same, or an object of the game if it was never a text.
SavedValue: TypeAlias = Annotated[Any, AfterValidator(partial(_to_value, objects=True))]
# The same, or a mapping of them, which ``save()`` must make a plain dictionary again.
SavedTree: TypeAlias = Annotated[Any, AfterValidator(partial(_to_value, objects=True, mappings=True))]

# --- models -----------------------------------------------------------------------------------------------------------


class SnapshotPart(BaseModel):
    """A mapping inside a snapshot: strict types, finite numbers, unknown keys refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=())


class SnapshotModel(SnapshotPart):
    """A whole snapshot; ``FORMAT`` is the newest format that it reads, and that its ``save()`` writes."""

    FORMAT: ClassVar[int] = SNAPSHOT_FORMAT

    format: Annotated[Count, Field(ge=1)] = 1


Model = TypeVar("Model", bound=SnapshotPart)


def read_snapshot(model: type[Model], saved: object, *, of: str) -> Model:
    """Return the checked snapshot of a thing called ``of``; every fault is a ``TelosError`` that says where it is.

    >>> class Kept(SnapshotModel):
    ...     chances: Chances
    >>> read_snapshot(Kept, {"chances": [0.25, 0.75]}, of="reader").chances
    [0.25, 0.75]
    >>> try:
    ...     read_snapshot(Kept, {"chances": [float("nan"), 1]}, of="reader")
    ... except TelosError as error:
    ...     error.message, error.remedy
    ('saved reader: chances[0] must be a finite number, got nan', 'give what save() returned, unchanged')
    """
    if not isinstance(saved, Mapping):
        raise snapshot_error(of, (), f"must be a mapping, got {_show(saved)}")
    newest = getattr(model, "FORMAT", None)
    written = saved.get("format")
    if newest is not None and type(written) is int and written > newest:
        message = f"has the format {_show(written)}, and this version of Telos reads up to {newest}"
        raise snapshot_error(of, (), message, "load it with the version of Telos that saved it, or a newer one")
    try:
        return model.model_validate(saved if type(saved) is dict else dict(saved))
    except ValidationError as error:
        raise _to_error(model, error, saved, of) from None


def snapshot_error(of: str, path: Sequence[Key], message: str, remedy: str = REMEDY) -> TelosError:
    """Return the error of a fault at ``path`` in a snapshot; ``message`` completes "saved reader: chances …"."""
    where = format_path(path)
    return TelosError(f"saved {of}: {where} {message}" if where else f"saved {of}: it {message}", remedy)


def check_length(of: str, path: str | Sequence[Key], entries: Sized, length: int) -> None:
    """Refuse entries of another number than ``length``."""
    if len(entries) != length:
        where = (path,) if isinstance(path, str) else path
        raise snapshot_error(of, where, f"must have {length} entries, got {len(entries)}")


def check_known(of: str, path: Sequence[Key], name: str, known: Sequence[str] | Mapping[str, Any]) -> None:
    """Refuse a name that is not among the known ones."""
    if name not in known:
        hint = name_hint(name, known)
        raise snapshot_error(of, path, f"names {name!r}, which does not exist", hint or REMEDY)


def format_path(path: Sequence[Key]) -> str:
    """Return the path to an entry as Python would write it.

    >>> format_path(("minds", 3, "memory", "no name"))
    "minds[3].memory['no name']"
    """
    text = ""
    for part in path:
        if isinstance(part, str) and part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text


# --- faults in words --------------------------------------------------------------------------------------------------

_WORDS = {
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "a mapping",
    "none_required": "null",
    "string_type": "a text",
    "string_unicode": "a text",
    "tuple_type": "a list",
}
_MAX_ERRORS = 20  # of one entry, whose wanted types are joined


def _to_error(model: type[SnapshotPart], error: ValidationError, saved: Mapping[Any, Any], of: str) -> TelosError:
    errors = error.errors(include_url=False)
    first = errors[0]
    kind, path = first["type"], _path(saved, first["loc"], first["type"])
    if kind == "missing":
        return snapshot_error(of, path, "is missing")
    if kind == "extra_forbidden":
        hint = name_hint(str(path[-1]), model.model_fields) if len(path) == 1 else ""
        return snapshot_error(of, path, "is an unknown entry", f"{REMEDY} ({hint})" if hint else REMEDY)
    if kind == "invalid_key":
        return snapshot_error(of, path, f"must have texts as keys, got {_show(first['input'])}")
    same = [each for each in errors[:_MAX_ERRORS] if _path(saved, each["loc"], each["type"]) == path]
    wanted = " or ".join(dict.fromkeys(_describe(each) for each in same))
    return snapshot_error(of, path, f"must be {wanted}, got {_show(first['input'])}")


def _describe(error: Any) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "snapshot":
            return str(context["wanted"])
        case "greater_than_equal":
            return f"at least {context['ge']}"
        case "greater_than":
            return f"more than {context['gt']}"
        case "less_than_equal":
            return f"at most {context['le']}"
        case "less_than":
            return f"less than {context['lt']}"
        case "literal_error" | "enum":
            return f"one of {context['expected']}"
        case "too_short":
            return f"a list of at least {context['min_length']}"
        case "too_long":
            return f"a list of at most {context['max_length']}"
        case kind:
            return _WORDS.get(kind, "of another type")


def _path(saved: object, location: Sequence[Key], kind: str) -> tuple[Key, ...]:
    """Return the path of an error; parts that only name a branch of a union are left out."""
    path: list[Key] = []
    here: Any = saved
    for number, part in enumerate(location):
        if _has(here, part):
            here = here[part]
        elif kind not in ("missing", "invalid_key") or number < len(location) - 1:
            continue
        path.append(part)
    return tuple(path[:-1]) if kind == "invalid_key" else tuple(path)


def _has(entries: object, key: Key) -> bool:
    if isinstance(entries, list | tuple):
        return isinstance(key, int) and key < len(entries)
    return isinstance(entries, Mapping) and key in entries


def _show(value: object) -> str:
    """Return a short text of any object, however large, deep or cyclic it is."""
    match value:
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case int() if abs(value) > MAX_COUNT:
            return f"a whole number of {value.bit_length()} bits"
        case int() | float():
            return repr(value)
        case str() | bytes():
            return repr(value) if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]!r}…"
        case list() | tuple():
            return f"a list of {len(value)}"
        case Mapping():
            return "a mapping"
        case _:
            return f"an object of the type {type(value).__name__}"


# --- restoring all or nothing -----------------------------------------------------------------------------------------


@contextmanager
def unchanged_on_error(*parts: object) -> Iterator[None]:
    """If the block raises, set the attributes of the given objects back, and the entries of given containers.

    It keeps references, not copies: name every object whose attributes the block assigns, and every list, deque, set or
    dictionary that it edits in place.

    >>> from types import SimpleNamespace
    >>> battle = SimpleNamespace(time=1.0)
    >>> try:
    ...     with unchanged_on_error(battle):
    ...         battle.time = 2.0
    ...         raise TelosError("no")
    ... except TelosError:
    ...     battle.time
    1.0
    """
    undo = [_keep(part) for part in parts]
    try:
        yield
    except BaseException:
        for take_back in undo:
            take_back()
        raise


def _keep(part: Any) -> Callable[[], None]:
    if isinstance(part, MutableMapping | MutableSet):
        entries: Any = dict(part) if isinstance(part, MutableMapping) else set(part)

        def refill() -> None:
            part.clear()
            part.update(entries) if isinstance(part, MutableMapping) else part.__ior__(entries)

        return refill
    if isinstance(part, list | deque):
        kept = list(part)

        def replace() -> None:
            part.clear()
            part.extend(kept)

        return replace
    slots = [name for kind in type(part).__mro__ for name in _slots(kind)]
    values = {name: getattr(part, name) for name in slots if hasattr(part, name)}
    attributes = dict(getattr(part, "__dict__", {}))

    def reset() -> None:
        if hasattr(part, "__dict__"):
            part.__dict__.clear()
            part.__dict__.update(attributes)
        for name in slots:
            if name in values:
                object.__setattr__(part, name, values[name])
            elif hasattr(part, name):
                object.__delattr__(part, name)

    return reset


def _slots(kind: type) -> tuple[str, ...]:
    names = kind.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
