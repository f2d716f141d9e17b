"""``BodyActuator``: carries out the steps of a mind by the methods of its body, a part of them in each frame."""

import inspect
import keyword
import math
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from telos.agents.body import DONE, RUNNING, Actor, BodyState, Perform, Procedure, Progress, Status
from telos.agents.embedding.body import Body, Failed, Wait, Waiting, plain_attributes, restored_value
from telos.agents.problems import format_error
from telos.agents.things import thing_in_focus
from telos.core.action import Action
from telos.core.errors import TelosError
from telos.core.values import Value

_RESERVED = frozenset(name for name in dir(Body) if not name.startswith("_"))
_NOT_A_WORD = re.compile(r"\W")


class StepObject(Protocol):
    """An action as an object: one is made for each step, and its attributes are saved, so it goes on in mid-step.

    It may have ``end(body)``, which is called when the step is given up.
    """

    def begin(self, body: Any, now: float) -> None:
        """Begin the step; parameters of the action are further arguments."""

    def progress(self, body: Any, now: float) -> bool | None:
        """Go on for a frame; return whether the step is done."""


class StepByBody(Procedure):
    """Leaves each action to the body itself."""

    def activate(self, actor: Actor, step: Action) -> BodyState:
        thing = thing_in_focus(actor.memory, step.on) if step.on in actor.state.layout.kinds else None
        return Perform(step.name, tuple(step.arguments.values()), thing)

    def is_valid(self, actor: Actor, step: Action, entered: BodyState) -> bool:
        """Whether the step is still about the same thing."""
        return self.activate(actor, step) == entered


# --- which method -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ActionMethod:
    """What carries out an action: a method of the body, or a class of step objects."""

    name: str  # of the attribute
    call: Callable[..., Any]
    things: tuple[Value, ...] = ()  # arguments before the parameters: the smart object
    parameters: tuple[str, ...] = ()

    @property
    def is_class(self) -> bool:
        """Whether steps are objects with ``begin`` and ``progress``."""
        return isinstance(self.call, type)

    def arguments(self, values: tuple[Value, ...]) -> dict[str, Value]:
        """Return the values of the parameters by name."""
        return dict(zip(self.parameters, values, strict=True))


def method_names(action: Action) -> tuple[str, ...]:
    """Return the names under which a body may carry out an action, the expected one first.

    >>> method_names(Action("go-home")), method_names(Action("save"))
    (('go_home',), ('save_',))
    """
    names = [action.name]
    if action.on is not None:
        names.append(action.name.removeprefix(f"{action.on}."))
    return tuple(_method_name(name) for name in names)


def _method_name(action: str) -> str:
    word = _NOT_A_WORD.sub("_", action)
    return f"{word}_" if keyword.iskeyword(word) or word in _RESERVED else word


def find_method(body: Body, action: Action) -> ActionMethod | None:
    """Return what carries out an action, if the body has it."""
    parameters = tuple(action.parameters)
    for number, name in enumerate(method_names(action)):
        found = getattr(body, name, None)
        if callable(found):
            return ActionMethod(name, found, (action.on,) if number else (), parameters)
    return None


def signature_fault(method: ActionMethod) -> str:
    """Return what is wrong with the arguments that a method takes; "" if nothing is."""
    call: Any = method.call
    before: tuple[object, ...] = method.things
    if method.is_class:
        missing = [part for part in ("begin", "progress") if not callable(getattr(call, part, None))]
        if missing:
            return f"the class {call.__name__} has no {' and no '.join(missing)}"
        if not call.__dictoffset__:
            return f"the class {call.__name__} has __slots__, so its objects cannot be saved: leave them out"
        call, before = call.begin, (None, None, 0.0, *before)  # the object, the body and the time
    if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call):
        return "it is async, and bodies are generators: write `def` and `yield`"
    try:
        inspect.signature(call).bind(*before, **dict.fromkeys(method.parameters))
    except TypeError as error:
        wanted = ", ".join([*map(str, method.things and ["thing"]), *method.parameters]) or "no arguments"
        return f"it must take {wanted}: {error}"
    except ValueError:  # a built-in without a signature
        return ""
    return ""


# --- steps in progress ------------------------------------------------------------------------------------------------


class _GeneratorStep:
    """A step that is a generator; it is resumed once a frame."""

    def __init__(self, generator: Generator[Any, float, Any]) -> None:
        self._generator, self._until = generator, -math.inf
        self._is_fresh, self._is_running = True, False

    def advance(self, body: Body, now: float) -> bool:
        if now < self._until:
            return False
        self._is_running = True
        try:
            asked = next(self._generator) if self._is_fresh else self._generator.send(now)
        except StopIteration:
            return True
        finally:
            self._is_fresh = self._is_running = False
        if isinstance(asked, Waiting):  # `yield` is as good as `yield from`
            asked = next(iter(asked))
        if isinstance(asked, Wait):
            self._until = now + asked.seconds
        elif asked is not None:
            remedy = "write `yield` to go on in the next frame, or `yield from telos.wait(seconds)`"
            raise TelosError(f"the body's method yielded {asked!r}", remedy)
        return False

    def end(self, body: Body) -> None:
        if not self._is_running:  # else it has itself brought about its end, and is never resumed
            self._generator.close()

    def save(self) -> None:
        return None  # a generator cannot be saved; the step begins again


class _ObjectStep:
    """A step that is an object with ``begin`` and ``progress``."""

    def __init__(self, thing: StepObject) -> None:
        self._thing, self._is_begun = thing, False

    def advance(self, body: Body, now: float) -> bool:
        done = self._thing.progress(body, now)
        if done is None or isinstance(done, bool):
            return bool(done)
        raise TelosError(f"{type(self._thing).__name__}.progress returned {done!r}", "return whether the step is done")

    def end(self, body: Body) -> None:
        end = getattr(self._thing, "end", None)
        if end is not None:
            end(body)

    def save(self) -> dict[str, Any]:
        return plain_attributes(self._thing)


class BodyActuator:
    """Carries out steps by the methods of a body: ``enter`` begins one, ``advance`` goes on with it for a frame.

    What the body raises is kept in ``error``, with the step that raised it, until it is reported; ``Failed`` is an
    answer.
    """

    def __init__(self, body: Body, methods: Mapping[str, ActionMethod], clock: Callable[[], float]) -> None:
        self.progress: Progress = DONE
        self.error: tuple[str, Exception] | None = None
        self._body, self._methods, self._clock = body, methods, clock
        self._state: BodyState | None = None
        self._step: _GeneratorStep | _ObjectStep | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a step, or the body's ``idle``, has to go on in the next frame."""
        return self.progress.status is Status.RUNNING

    @property
    def is_stepping(self) -> bool:
        """Whether a step of a plan is under way."""
        return self.is_busy and isinstance(self._state, Perform)

    def enter(self, state: BodyState) -> None:
        """Begin a step, or ``idle``; what was under way is given up."""
        self.stop()
        self._state, self.progress = state, RUNNING
        self._guard(self._begin)

    def advance(self) -> None:
        """Go on for a frame; a step that was restored without its generator begins again."""
        if self.is_busy:
            self._guard(self._begin if self._step is None else self._go_on)

    def stop(self) -> None:
        """Give up what is under way."""
        step, self._step, self.progress = self._step, None, DONE
        if step is not None:
            try:
                step.end(self._body)
            except Exception as error:
                self.error = (self._place, error)
        self._state = None

    def _guard(self, work: Callable[[], None]) -> None:
        """Do a part of a step; what it raises makes the step fail."""
        try:
            work()
        except Failed as failure:
            self._fail(Progress(Status.FAILED, failure.message, failure.thing))
        except Exception as error:
            self.error = (self._place, error)
            self._fail(Progress(Status.FAILED, format_error(error)))

    @property
    def _place(self) -> str:
        """The step that is under way, as text."""
        state = self._state
        if not isinstance(state, Perform):
            return "idle"
        return f"{state.action}({', '.join(map(str, state.arguments))})" if state.arguments else state.action

    def _fail(self, progress: Progress) -> None:
        self._step, self.progress = None, progress

    def _begin(self) -> None:
        state, body, now = self._state, self._body, self._clock()
        if not isinstance(state, Perform):
            made = _call_idle(body, self._methods)
        else:
            method = self._methods[state.action]
            arguments = method.arguments(state.arguments)
            things = method.things if state.thing is None else method.things and (state.thing,)
            if method.is_class:
                thing = method.call()
                thing.begin(body, now, *things, **arguments)
                self._step = _ObjectStep(thing)
                return
            made = method.call(*things, **arguments)
        if made is None:
            self.progress = DONE
        elif isinstance(made, Generator):
            self._step = _GeneratorStep(made)
            self._go_on()
        else:
            name = "idle" if not isinstance(state, Perform) else self._methods[state.action].name
            remedy = "yield once a frame, return nothing when it is done, or make it a class with begin and progress"
            raise TelosError(f"{type(body).__name__}.{name} returned {made!r}", remedy)

    def _go_on(self) -> None:
        step = self._step
        if step is not None and step.advance(self._body, self._clock()) and self._step is step:
            self._step, self.progress = None, DONE

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return how the present step stands, as plain data."""
        progress = self.progress
        made = None if self._step is None else self._step.save()
        return {"status": progress.status.value, "reason": progress.reason, "thing": progress.thing, "step": made}

    def restore(self, state: BodyState | None, progress: Progress, made: Mapping[str, Any] | None) -> None:
        """Go on with a step as it was saved: exactly if it is an object, else from its beginning."""
        self._state, self.progress, self._step, self.error = state, progress, None, None
        if made is not None and isinstance(state, Perform):
            kind = self._methods[state.action].call
            thing = kind()
            vars(thing).update({name: restored_value(value) for name, value in made.items()})
            self._step = _ObjectStep(thing)

    def can_hold(self, state: BodyState | None) -> bool:
        """Whether a step is carried out by an object, which is saved."""
        return isinstance(state, Perform) and self._methods[state.action].is_class

    def unfit_attribute(self, state: BodyState | None, made: Mapping[str, Any]) -> str | None:
        """Return the name of a saved attribute that would replace a part of the class of the step's object."""
        if not isinstance(state, Perform):
            return None
        kind = self._methods[state.action].call
        return next((name for name in made if name.startswith("__") or callable(getattr(kind, name, None))), None)


def _call_idle(body: Body, methods: Mapping[str, ActionMethod]) -> Any:
    """Call the body's ``idle``, which it may have for the time in which it has nothing to do."""
    idle = getattr(body, "idle", None)
    is_action = any(method.name == "idle" for method in methods.values())
    return idle() if callable(idle) and not is_action else None
