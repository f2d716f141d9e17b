"""``Body``: the class to start from for characters of your own game; ``Failed``, ``wait``, ``sensor`` for its methods.

A body has one method per action of its character. A method that takes time is a generator and yields once a frame.
"""

import math
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from telos.agents.memory import Attends, WorkingMemory
from telos.core.errors import TelosError
from telos.core.values import Value, check_not_negative
from telos.files.snapshots import snapshot_error

if TYPE_CHECKING:
    from telos.agents.embedding.member import Member
    from telos.agents.mind import Mind

Method = TypeVar("Method", bound=Callable[..., Any])


class Failed(TelosError):
    """Raised by an action that cannot be done; the mind remembers the reason and plans around it.

    ``thing`` is what it failed with. Then only steps that involve the thing are avoided, as an argument or because a
    variable has that value.

    >>> error = Failed("taken", thing="oak")
    >>> error.message, error.thing
    ('taken', 'oak')
    """

    def __init__(self, reason: str, *, thing: Value = None) -> None:
        super().__init__(reason)
        self.thing = thing


@dataclass(frozen=True, slots=True)
class Wait:
    """What a generator yields to be left alone for some seconds of the game's time."""

    seconds: float


class Waiting:
    """What ``wait`` returns, for ``yield from``; without that, nobody waits, and a ``RuntimeWarning`` says so."""

    def __init__(self, seconds: float) -> None:
        self._wait, self._is_used = Wait(check_not_negative("the seconds to wait", seconds)), False

    def __iter__(self) -> Generator[Wait, float, float]:
        self._is_used = True
        return self._pass()

    def _pass(self) -> Generator[Wait, float, float]:
        now = yield self._wait
        return now

    def __repr__(self) -> str:
        return f"telos.wait({self._wait.seconds:g})"

    def __del__(self) -> None:
        if not getattr(self, "_is_used", True):
            warnings.warn(f"{self!r} waits for nothing; write `yield from {self!r}`", RuntimeWarning, stacklevel=2)


def wait(seconds: float) -> Waiting:
    """Let seconds of the game's time pass inside an action: ``yield from telos.wait(3)``. It gives the time then."""
    return Waiting(seconds)


@dataclass(frozen=True, slots=True)
class SensorTiming:
    """How often a sensor is read, and in how many seconds what it says fades; None: it stays."""

    every: float
    fades: float | None = None


@overload
def sensor(method: Method, /) -> Method: ...
@overload
def sensor(*, every: float = 0.0, fades: float | None = None) -> Callable[[Method], Method]: ...
def sensor(
    method: Callable[..., Any] | None = None, /, *, every: float = 0.0, fades: float | None = None
) -> Callable[..., Any]:
    """Make a method of a body a sensor of its own: it is read ``every`` so many seconds (0: in each frame).

    Like ``sense``, it takes the time and returns values by variable, or facts. With ``fades``, it may return None if
    there is no news: what it said is forgotten so many seconds later, and its variables have their start values again.
    """
    timing = SensorTiming(check_not_negative("every", every), fades)
    if fades is not None and not check_not_negative("fades", fades) > 0:
        raise TelosError("fades must be more than 0 s", "leave it out for a sensor whose values stay")

    def mark(method: Method) -> Method:
        if not callable(method):
            raise TelosError(f"{method!r} is not a method", "write @telos.sensor(every=0.5) above a method of a body")
        method.__dict__["telos_sensor"] = timing
        return method

    return mark if method is None else mark(method)


class Body:
    """A character's body in your game. Everything is optional but one method for each action of the character.

    The method of the action ``go-home`` is ``go_home``; that of ``cook`` of the smart object ``oven`` is ``oven_cook``,
    or ``cook`` with the object's name as its first argument. It takes the parameters of the action. If it returns, the
    step is done; if it yields, it goes on in the next frame; if it raises ``Failed``, the step has failed. In place of
    a method there may be a class with ``begin`` and ``progress``, whose objects are saved in mid-step.

    What it does while nothing is to be done may be a method ``idle``.
    """

    sense_every: ClassVar[float] = 0.0  # seconds between two calls of ``sense``; 0: it is called in each frame
    saves: ClassVar[Sequence[str]] = ()  # attributes that are saved and restored with the crowd
    remembers: ClassVar[
        Sequence[str]
    ] = ()  # variables that nothing senses: they are what the mind's own steps made them
    attention: ClassVar[Sequence[Attends]] = ()  # a variable with the name of a focus is what attention rests on
    patience: ClassVar[float] = math.inf  # seconds after which a step that is not done has failed

    _member: "Member | None" = None

    def sense(self, now: float) -> Mapping[str, Value]:
        """Return what the character believes now, by variable; variables that are left out have their start values."""
        return {}

    def believe(self, memory: WorkingMemory, now: float) -> Mapping[str, Value]:
        """Return values of variables that follow from memory; they come before those that were sensed."""
        return {}

    def save(self) -> dict[str, Any]:
        """Return what is to be saved of the body, as plain data: the attributes named in ``saves``."""
        return {name: _to_plain(f"{type(self).__name__}.{name}", getattr(self, name)) for name in self.saves}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore what ``save`` returned."""
        for name in self.saves:
            if name not in saved:
                raise snapshot_error("body", (name,), "is missing")
        for name in saved:
            if name not in self.saves:
                raise snapshot_error("body", (name,), f"is not among the attributes that {type(self).__name__} saves")
        for name, value in saved.items():
            setattr(self, name, restored_value(value, getattr(self, name, None)))

    @property
    def mind(self) -> "Mind":
        """The mind of the body."""
        return self._joined().mind

    @property
    def failed_things(self) -> frozenset[Value]:
        """The things with which a step has failed, as long as that is remembered: skip them where you sense."""
        member = self._member
        if member is None:
            return frozenset()
        failures = member.mind.memory.all_of("failure", member.now)
        return frozenset(fact["thing"] for fact in failures if fact.get("thing") is not None)

    def _joined(self) -> "Member":
        if self._member is None:
            raise TelosError(f"{type(self).__name__} is not in a crowd yet", "add it: crowd.add(name, body)")
        return self._member


# --- saved values -----------------------------------------------------------------------------------------------------

_KINDS: dict[str, type[Any]] = {"$tuple": tuple, "$set": set, "$frozenset": frozenset}  # JSON has lists only
_NUMBERS: dict[str, type[Any]] = {"$float": float, "$int": int}  # and neither infinity nor more than 2**53 exactly
_TAGS = frozenset({*_KINDS, *_NUMBERS})


def _to_plain(what: str, value: Any) -> Any:
    """Return a value as plain data; what JSON lacks says what it is: ``{"$tuple": [1, 2]}``, ``{"$float": "inf"}``."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, int) and abs(value) > 2**53:
        return {"$int": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_to_plain(what, each) for each in value]
    for tag, kind in _KINDS.items():
        if isinstance(value, kind):
            entries = [_to_plain(what, each) for each in value]
            return {tag: entries if kind is tuple else sorted(entries, key=repr)}
    if isinstance(value, Mapping) and all(isinstance(key, str) and key not in _TAGS for key in value):
        return {key: _to_plain(what, each) for key, each in value.items()}
    raise TelosError(
        f"{what} holds {value!r}, which cannot be saved",
        "keep names and numbers there, or write `save` and `restore` of your own",
    )


def plain_attributes(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object as plain data."""
    return {name: _to_plain(f"{type(thing).__name__}.{name}", value) for name, value in vars(thing).items()}


def restored_value(value: Any, present: object = None) -> Any:
    """Return the value that was saved as plain data; a collection is new, so that it can be changed.

    ``present`` is the value that it replaces: saves in which tuples and sets do not say what they are have its type.
    """
    if isinstance(value, Mapping):
        if len(value) == 1:
            ((tag, entries),) = value.items()
            try:
                if tag in _KINDS and isinstance(entries, tuple | list):
                    return _KINDS[tag](map(restored_value, entries))
                if tag in _NUMBERS and isinstance(entries, str):
                    return _NUMBERS[tag](entries)
            except (TypeError, ValueError) as error:  # a list in a set, or a text that is no number
                raise snapshot_error("value", (tag,), f"cannot be read: {error}") from None
        known = present if isinstance(present, Mapping) else {}
        return {key: restored_value(each, known.get(key)) for key, each in value.items()}
    if isinstance(value, tuple | list):
        found = [restored_value(each) for each in value]
        kind: type[Any] = type(present)
        return kind(found) if kind in (tuple, set, frozenset) else found
    return value
