"""Body states, procedures, performances."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Protocol, TypeAlias

from pydantic import Field

from telos.agents.memory import WorkingMemory
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import FaultCode, KeyPath, name_hint
from telos.core.state import State
from telos.core.values import FrozenMap, Value
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FileModel, text_type
from telos.files.yaml import read_text

# --- body -------------------------------------------------------------------------------------------------------------
# The body as a mind knows it: three states, and how the present one is going.


@dataclass(frozen=True, slots=True)
class Goto:
    """Head for a place."""

    place: Value
    pace: str = "run"


@dataclass(frozen=True, slots=True)
class Animate:
    """Play an animation, perhaps aimed at something; it may move the body."""

    animation: str
    at: Value = None


@dataclass(frozen=True, slots=True)
class UseSmartObject:
    """Play the animation that a thing in the world prescribes for one of its uses."""

    object: Value
    use: str


BodyState: TypeAlias = Goto | Animate | UseSmartObject


class Status(Enum):
    """How the present state is going."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """What the body feels about the state that it is in: under way, done, or failed and why."""

    status: Status
    reason: str = ""


RUNNING, DONE = Progress(Status.RUNNING), Progress(Status.DONE)


class Body(Protocol):
    """What carries out a plan. The world changes through it alone, and takes its time."""

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""

    @property
    def progress(self) -> Progress:
        """Return how the last state entered is going; ``DONE`` if there was none."""


# --- performance ------------------------------------------------------------------------------------------------------
# Performances: how a body carries out each action. The procedural side of an action, as data.


@dataclass(frozen=True, slots=True)
class Performance:
    """The body state that carries out an action, with names where the world's own things will stand.

    >>> attack = Performance(Animate("fire", at="target"))
    >>> attack.body_state({"target": "bert"}.__getitem__)
    Animate(animation='fire', at='bert')
    """

    pattern: BodyState

    def body_state(self, resolve: Callable[[str], Value]) -> BodyState:
        """Return the state to put a body into; ``resolve`` turns a name into what it stands for now."""
        match self.pattern:
            case Goto(place, pace):
                return Goto(resolve(place), pace)
            case Animate(_, None):
                return self.pattern
            case Animate(animation, at):
                return Animate(animation, resolve(at))
            case UseSmartObject(thing, use):
                return UseSmartObject(resolve(thing), use)


# --- procedure --------------------------------------------------------------------------------------------------------
# The procedural part of an action: what the body does for it, and how one tells that it goes well.


class Doer(Protocol):
    """What a procedure may know of the one who acts."""

    @property
    def name(self) -> str:
        """Who acts."""

    @property
    def memory(self) -> WorkingMemory:
        """What they know."""

    @property
    def state(self) -> State:
        """What the planner was told."""


class Procedure:
    """Carries out an action of a plan through the body. It holds nothing of a character's: the doer is an argument."""

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the body does for {step}")

    def is_valid(self, doer: Doer, step: Action, entered: BodyState) -> bool:
        """Whether it still makes sense for the body to be in the state that it entered for the step."""
        return True

    def progress(self, doer: Doer, step: Action, body: Progress, now: float) -> Progress:
        """Return whether the step is under way, done or failed: as the body feels it, if nobody knows better."""
        return body


class Performed(Procedure):
    """An action as a performance file describes it."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the file names, with its names looked up."""

        def resolve(name: str) -> Value:
            if name in step.arguments:
                return step.arguments[name]
            if name in doer.memory.focus:
                return doer.memory.focus[name]
            return doer.state[name]

        return self.performance.body_state(resolve)

    def is_valid(self, doer: Doer, step: Action, entered: BodyState) -> bool:
        """Whether the names still stand for the same: who fires at one enemy does not hit the next."""
        return self.activate(doer, step) == entered


# --- performance files ------------------------------------------------------------------------------------------------
# Performance files: how bodies carry out the actions of a domain, in YAML, read with every fault named by line.


_Name: TypeAlias = Annotated[str, text_type("a name: a parameter, what attention rests on, or a variable")]
_Word: TypeAlias = Annotated[str, text_type("a word")]


class PerformanceShape(FileModel):
    """How an action is carried out: exactly one of `goto`, `animate` and `use`."""

    goto: _Name = ""
    """Head for the place of that name; `pace` says how."""
    pace: _Word = "run"
    animate: _Word = ""
    """Play this animation; `at` names what it is aimed at."""
    at: _Name = ""
    use: _Name = ""
    """Use the thing of that name; `how` says what for."""
    how: _Word = ""


class PerformancesShape(FileModel):
    """A performance file."""

    performances: dict[str, PerformanceShape] = Field(examples=[{"reload": {"animate": "reload"}}])
    """By the name of the action: `reload: {animate: reload}`."""


# Each state's keys, the first of which tells the state, and the pattern that they make.
_STATES: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], BodyState]]] = {
    "goto": (("goto", "pace"), lambda said: Goto(said["goto"], said.get("pace", "run"))),
    "animate": (("animate", "at"), lambda said: Animate(said["animate"], said.get("at"))),
    "use": (("use", "how"), lambda said: UseSmartObject(said["use"], said["how"])),
}


def load_performances(
    path: str | os.PathLike[str], domain: Domain, *, focus: Collection[str] | None = None
) -> FrozenMap[str, Performance]:
    """Read the performance file at ``path``, for actions of ``domain``.

    ``focus`` are the names under which attention rests on something. Where it is given, every name in the file must
    be one of these, a parameter of the action, or a variable of the domain.
    """
    return loads_performances(read_text(path), domain, focus=focus, name=os.fspath(path))


def loads_performances(
    text: str, domain: Domain, *, focus: Collection[str] | None = None, name: str = "<text>"
) -> FrozenMap[str, Performance]:
    r"""Read performances from the text of a performance file; ``name`` stands for it in faults.

    >>> from telos.core.action import Action
    >>> loads_performances("performances:\n  relaod: {animate: reload}", Domain(actions=[Action("reload")]))
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:2:3: unknown action 'relaod'; did you mean 'reload'?
    """
    sheet = Definition(text, name, PerformancesShape, "a performance file")
    made = dict(_performances(sheet, domain, focus))
    if sheet.faults:
        raise_faults(sheet.faults)
    return FrozenMap(made)


def _performances(
    sheet: Definition, domain: Domain, focus: Collection[str] | None
) -> Iterator[tuple[str, Performance]]:
    actions = {action.name: action for action in domain.all_actions}
    for where, said in list(sheet.items("performances")):
        action = str(where[-1])
        performance = None if sheet.is_touched(*where) else _performance(sheet, where, said)
        if action not in actions:
            sheet.fault(
                f"unknown action {action!r}",
                where,
                name_hint(action, actions),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif performance is not None:
            if focus is not None:
                _check_names(sheet, where, said, {*actions[action].parameters, *focus, *domain.layout.slots})
            yield action, performance


def _performance(sheet: Definition, where: KeyPath, said: Mapping[str, Any]) -> Performance | None:
    states = [state for state in _STATES if state in said]
    if len(states) != 1:
        given = " and ".join(states) or "none"
        sheet.fault(
            f"exactly one of goto, animate and use is wanted, got {given}",
            where,
            "as in `{animate: reload}`",
            code=FaultCode.WRONG_COUNT,
        )
        return None
    keys, make = _STATES[states[0]]
    strange = [key for key in said if key not in keys]
    for key in strange:
        sheet.fault(
            f"{key!r} does not go with {states[0]}",
            (*where, key),
            name_hint(key, keys),
            at_key=True,
            code=FaultCode.UNKNOWN_KEY,
        )
    if "use" in said and "how" not in said:
        sheet.fault(
            "'how' is missing", where, "say what for, as in `{use: door, how: open}`", code=FaultCode.MISSING_KEY
        )
        return None
    return None if strange else Performance(make(said))


def _check_names(sheet: Definition, where: KeyPath, said: Mapping[str, Any], known: Collection[str]) -> None:
    for key in (key for key in ("goto", "at", "use") if key in said and said[key] not in known):
        sheet.fault(
            f"unknown name {said[key]!r}", (*where, key), name_hint(said[key], known), code=FaultCode.UNKNOWN_NAME
        )
