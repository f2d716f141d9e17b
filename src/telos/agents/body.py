"""The body: its states, the procedures that carry out actions through it, and performance files.

A ``Procedure`` decides which body state (``Goto``, ``Animate``, ``UseSmartObject``, ``Perform``) an action enters; a
``Performance`` is the same as data, read from a file by ``load_performances``.
"""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

from telos.agents.memory import WorkingMemory
from telos.agents.things import thing_in_focus
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import FaultCode, KeyPath, TelosError, name_hint
from telos.core.state import State
from telos.core.values import FrozenMap, Value
from telos.files.definition import Definition
from telos.files.reading import read_text
from telos.files.schema import FileModel, text_type


@dataclass(frozen=True, slots=True)
class Goto:
    """Move to a place."""

    place: Value
    pace: str = "run"


@dataclass(frozen=True, slots=True)
class Animate:
    """Play an animation, optionally aimed at something; it may move the body."""

    animation: str
    at: Value = None


@dataclass(frozen=True, slots=True)
class UseSmartObject:
    """Use an object of the world in one of the ways it offers."""

    object: Value
    use: str


@dataclass(frozen=True, slots=True)
class Perform:
    """Carry out an action as the body itself knows how to, such as by its method of that name.

    ``thing`` is what stands for the smart object of a template, such as the tree that is chopped.
    """

    action: str
    arguments: tuple[Value, ...] = ()
    thing: Value = None


BodyState: TypeAlias = Goto | Animate | UseSmartObject | Perform


class Status(Enum):
    """Status of the current body state."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """The status of a body state; if it failed, the reason, and the thing with which it did."""

    status: Status
    reason: str = ""
    thing: Value = None


RUNNING, DONE = Progress(Status.RUNNING), Progress(Status.DONE)


class Actuator(Protocol):
    """Carries out the steps of a plan in the world."""

    def enter(self, state: BodyState) -> None:
        """Enter ``state`` and abandon the previous one."""

    @property
    def progress(self) -> Progress:
        """The progress of the last state entered; ``DONE`` if there was none."""


@dataclass(frozen=True, slots=True)
class Performance:
    """The body state that carries out an action, with names in place of the world's objects.

    >>> attack = Performance(Animate("fire", at="target"))
    >>> attack.body_state({"target": "bert"}.__getitem__)
    Animate(animation='fire', at='bert')
    """

    pattern: BodyState

    def body_state(self, resolve: Callable[[str], Value]) -> BodyState:
        """Return the body state to enter; ``resolve`` maps a name to the object it stands for now."""
        match self.pattern:
            case Goto(place, pace):
                return Goto(resolve(place), pace)
            case Animate(_, None):
                return self.pattern
            case Animate(animation, at):
                return Animate(animation, resolve(at))
            case UseSmartObject(thing, use):
                return UseSmartObject(resolve(thing), use)
            case Perform():
                return self.pattern


class Actor(Protocol):
    """What a procedure may read of the character that acts."""

    @property
    def name(self) -> str:
        """The character's name."""

    @property
    def memory(self) -> WorkingMemory:
        """The character's memory."""

    @property
    def state(self) -> State:
        """The state that the planner works with."""


class Procedure:
    """Carries out an action through the body. It holds no state of a character: the actor is an argument."""

    def activate(self, actor: Actor, step: Action) -> BodyState:
        """Return the body state to enter for the step."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the body does for {step}")

    def is_valid(self, actor: Actor, step: Action, entered: BodyState) -> bool:
        """Whether the body state entered for the step is still the right one."""
        return True

    def progress(self, actor: Actor, step: Action, body: Progress, now: float) -> Progress:
        """Return the progress of the step; by default, that of the body."""
        return body


class Performed(Procedure):
    """Carries out an action as its performance says."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance

    def activate(self, actor: Actor, step: Action) -> BodyState:
        """Return the performance's body state with its names resolved."""

        def resolve(name: str) -> Value:
            if name in step.arguments:
                return step.arguments[name]
            if step.on is not None and actor.state.layout.kinds.get(step.on) == name:
                return thing_in_focus(actor.memory, step.on)
            if f"{step.on}.{name}" in actor.state.layout.slots:
                return actor.state[f"{step.on}.{name}"]
            if name in actor.memory.focus:
                return actor.memory.focus[name]
            layout = actor.state.layout
            if name in layout.slots:
                return actor.state[name]
            if name in layout.handles or any(slot.startswith(f"{name}.") for slot in layout.slots):
                return name  # a handle or a smart object is its own name
            known = name_hint(name, [*step.arguments, *actor.memory.focus, *layout.slots, *layout.handles])
            raise TelosError(f"the performance of {step.name!r} names {name!r}, which is nothing that is known", known)

        return self.performance.body_state(resolve)

    def is_valid(self, actor: Actor, step: Action, entered: BodyState) -> bool:
        """Whether the names still stand for the same objects: a shot at one enemy does not hit the next."""
        return self.activate(actor, step) == entered


_Name: TypeAlias = Annotated[str, text_type("a name: a parameter, what attention rests on, or a variable")]
_Word: TypeAlias = Annotated[str, text_type("a word")]


class PerformanceShape(FileModel):
    """How an action is carried out: exactly one of `goto`, `animate` and `use`."""

    goto: _Name = ""
    """Head for the place of that name; `pace` says how."""
    pace: _Word = "run"
    """How it moves: `run`, or a word that the body knows."""
    animate: _Word = ""
    """Play this animation; `at` names what it is aimed at."""
    at: _Name = ""
    """The name of what the animation is aimed at."""
    use: _Name = ""
    """Use the thing of that name; `how` says what for."""
    how: _Word = ""
    """What the thing is used for: `dive`."""


class PerformancesShape(FileModel):
    """A performance file."""

    performances: dict[str, PerformanceShape] = Field(examples=[{"reload": {"animate": "reload"}}])
    """By the name of the action: `reload: {animate: reload}`."""


# The keys of each body state and the pattern that they make; the first key identifies the state.
_STATES: dict[str, tuple[tuple[str, ...], Callable[[PerformanceShape], BodyState]]] = {
    "goto": (("goto", "pace"), lambda entry: Goto(entry.goto, entry.pace)),
    "animate": (("animate", "at"), lambda entry: Animate(entry.animate, entry.at or None)),
    "use": (("use", "how"), lambda entry: UseSmartObject(entry.use, entry.how)),
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
    definition = Definition(text, name, PerformancesShape, "a performance file")
    performances = dict(_performances(definition, domain, focus))
    definition.raise_if_faulty()
    return FrozenMap(performances)


def _performances(
    definition: Definition[PerformancesShape], domain: Domain, focus: Collection[str] | None
) -> Iterator[tuple[str, Performance]]:
    known = _known_names(domain)
    entries = definition.model.performances if definition.model else {}
    for action, entry in entries.items():
        where = ("performances", action)
        if definition.is_broken(*where):
            continue
        performance = None if definition.is_touched(*where) else _performance(definition, where, entry)
        if action not in known:
            definition.fault(
                f"unknown action {action!r}",
                where,
                name_hint(action, known),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif performance is not None:
            if focus is not None:
                _check_names(definition, where, entry, {*known[action], *focus, *domain.layout.slots})
            yield action, performance


def _known_names(domain: Domain) -> dict[str, set[str]]:
    """Return the names that the performance of each action may use, but for variables and what attention rests on.

    An action of a template has one performance for all things: it may name the thing and what the thing has.
    """
    known = {action.name: {*action.parameters} for action in domain.all_actions}
    for template in domain.templates:
        for action in template.actions:
            known[f"{template.name}.{action.name}"] = {*action.parameters, *template.vocabulary}
    return known


def _performance(definition: Definition, where: KeyPath, entry: PerformanceShape) -> Performance | None:
    written = [key for key in definition.entry(*where) if key in entry.model_fields_set]  # in the order of the file
    states = [state for state in _STATES if state in written]
    if len(states) != 1:
        given = " and ".join(states) or "none"
        definition.fault(
            f"exactly one of goto, animate and use is wanted, got {given}",
            where,
            "as in `{animate: reload}`",
            code=FaultCode.WRONG_COUNT,
        )
        return None
    keys, make = _STATES[states[0]]
    strange = [key for key in written if key not in keys]
    for key in strange:
        definition.fault(
            f"{key!r} does not go with {states[0]}",
            (*where, key),
            name_hint(key, keys),
            at_key=True,
            code=FaultCode.UNKNOWN_KEY,
        )
    if entry.use and not entry.how:
        definition.fault(
            "'how' is missing", where, "say what for, as in `{use: door, how: open}`", code=FaultCode.MISSING_KEY
        )
        return None
    return None if strange else Performance(make(entry))


def _check_names(definition: Definition, where: KeyPath, entry: PerformanceShape, known: Collection[str]) -> None:
    for key in ("goto", "at", "use"):
        name = getattr(entry, key)
        if name and name not in known:
            message, remedy = f"unknown name {name!r}", name_hint(name, known)
            definition.fault(message, (*where, key), remedy, code=FaultCode.UNKNOWN_NAME)
