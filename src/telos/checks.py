"""Contract checks: run them on your own planner, recogniser, world or studio stage.

`check_planner`, `check_recognizer`, `check_world` and `check_stage` raise ``AssertionError`` at the first promise
of the protocol that an implementation breaks. Telos tests its own implementations with them.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from telos.core.belief import Belief
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.expressions import bind
from telos.core.plan import Answer, NoPlan, Plan
from telos.core.state import State
from telos.core.values import NUMBER, Value
from telos.recognition.recognizer import Recognizer
from telos.studio.stage import Happening, Inputs, Stage, StudioWorld
from telos.studio.worlds.shapes import ROLES, Picture, Symbols
from telos.worlds.registry import View, World

# --- planners ---------------------------------------------------------------------------------------------------------

Planning = Callable[[Domain, Mapping[str, Value], str], Answer]


def check_planner(plan: Planning, problems: Sequence[tuple[Domain, Mapping[str, Value], str]]) -> None:
    """Raise ``AssertionError`` at the first promise that ``plan`` breaks on problems (domain, state, goal)."""
    for domain, state, goal in problems:
        given = dict(state)
        answer = plan(domain, given, goal)
        where = f"{domain.name}, {goal}"
        assert given == dict(state), f"{where}: planning changed the state that was passed in"
        again = plan(domain, dict(state), goal)
        assert again == answer, f"{where}: the same request must get the same answer"
        assert answer.goal == goal, f"{where}: the answer names the goal {answer.goal!r}"
        assert isinstance(answer.why(), str), f"{where}: why() must return a text"
        assert answer.why(), f"{where}: why() must return a text"
        start = domain.state(state)
        wants = domain.goal(goal).wants
        assert wants is not None
        if isinstance(answer, Plan):
            check_plan(answer, start)
            assert wants.holds(_final_state(answer, start)), f"{where}: the plan does not reach its goal"
            assert bool(answer.steps) or wants.holds(start), (
                f"{where}: an empty plan is only right if the goal holds already"
            )
        else:
            assert isinstance(answer, NoPlan), f"{where}: an answer is a Plan or a NoPlan"
            assert not wants.holds(start), f"{where}: the goal holds already, so the answer must be an empty plan"
            assert answer.steps == (), f"{where}: NoPlan has no steps"


def check_plan(plan: Plan, start: State) -> None:
    """Raise ``AssertionError`` if a plan cannot be executed from ``start`` at its stated cost."""
    state, cost = start, 0.0
    for number, step in enumerate(plan.steps):
        assert not step.parameters, f"step {number}, {step}, leaves parameters open"
        assert step.is_possible(state), f"step {number}, {step}, is not possible: {step.preconditions.unmet(state)}"
        cost += float(bind(step.cost, state.layout, NUMBER)(state.array))
        state = step.result(state)
    assert math.isclose(cost, plan.cost, rel_tol=1e-9, abs_tol=1e-9), f"the plan costs {cost:g}, not {plan.cost:g}"


def _final_state(plan: Plan, state: State) -> State:
    for step in plan.steps:
        state = step.result(state)
    return state


# --- recognizers ------------------------------------------------------------------------------------------------------


def check_recognizer(make: Callable[[], Recognizer], events: Sequence[Event]) -> None:
    """Raise ``AssertionError`` at the first promise that a recogniser breaks on the events of one player."""
    one, two = make(), make()
    assert one.goals, "a recogniser must have goals"
    assert len(set(one.goals)) == len(one.goals), "each goal must be listed once"
    first = _check_belief(one, "before the first event")
    answers = []
    for number, event in enumerate(events):
        where = f"after event {number}, {event.action!r} at {event.time:g} s"
        answer = one.observe(event)
        assert answer == _check_belief(one, where), f"{where}: observe must return the belief"
        assert answer == two.observe(event), f"{where}: the same events must give the same answer"
        answers.append(answer)
    _check_reset(one, events, first, answers)
    _check_order(make(), events)
    _check_saving(make, events, answers)


def _check_belief(recognizer: Recognizer, where: str) -> Belief:
    belief = recognizer.belief
    assert tuple(belief) == tuple(recognizer.goals), f"{where}: the belief is about {tuple(belief)}"
    assert all(0 <= chance <= 1 for chance in belief.values()), (
        f"{where}: probabilities must lie between 0 and 1, not {belief}"
    )
    is_whole = belief.is_concurrent or math.isclose(math.fsum(belief.values()), 1.0, abs_tol=1e-9)
    assert is_whole, f"{where}: the belief does not sum to 1"
    assert recognizer.belief == belief, f"{where}: reading the belief changed it"
    assert belief.why(), f"{where}: why() must return a text"
    return belief


def _check_reset(recognizer: Recognizer, events: Sequence[Event], first: Belief, answers: Sequence[Belief]) -> None:
    recognizer.reset()
    assert recognizer.belief == first, "after reset() the belief must be the one before the first event"
    again = [recognizer.observe(event) for event in events]
    assert again == answers, "after reset() the same events must give the same answers"


def _check_order(recognizer: Recognizer, events: Sequence[Event]) -> None:
    """Check that an event before the last one is refused and leaves the belief unchanged."""
    if not events:
        return
    last = events[-1]
    for event in events:
        recognizer.observe(event)
    belief = recognizer.belief
    past = Event(last.action, last.context, player=last.player, time=last.time - 1.0, goal=last.goal)
    try:
        recognizer.observe(past)
    except ValueError:
        assert recognizer.belief == belief, "a refused event must not change the belief"
    else:
        raise AssertionError("an event before the last one must be refused")


def _check_saving(make: Callable[[], Recognizer], events: Sequence[Event], answers: Sequence[Belief]) -> None:
    """Check that a saved recogniser is plain data and continues exactly, and that damaged data is refused."""
    recognizer, half = make(), len(events) // 2
    save = getattr(recognizer, "save", None)
    if save is None:
        return
    for event in events[:half]:
        recognizer.observe(event)
    saved = json.loads(json.dumps(save(), allow_nan=False))
    resumed = _resume(make(), saved)
    rest = [resumed.observe(event) for event in events[half:]]
    assert rest == list(answers[half:]), "saved and resumed, a recogniser must continue exactly"
    if isinstance(saved, dict) and saved:
        _check_damaged_saves(make, events, saved)


def _resume(recognizer: Any, saved: Any) -> Any:
    """Return a recogniser that continues from ``saved``: the given one, or a new one of its class."""
    if hasattr(recognizer, "restore"):
        recognizer.restore(saved)
        return recognizer
    return type(recognizer).resume(recognizer.model, saved)


MAX_DAMAGED_NUMBERS = 40  # of a snapshot; large ones are sampled evenly


def _check_damaged_saves(make: Callable[[], Recognizer], events: Sequence[Event], saved: dict[str, Any]) -> None:
    """Check that damaged snapshots are refused without a change: an empty one, one without an entry, one with NaN.

    A snapshot without an entry, or with a number that is NaN, may also be accepted if all later beliefs are valid: an
    entry may be optional, and a number may have nothing to do with the belief.
    """
    half = len(events) // 2
    assert _try_resume(make, events[:half], {}, "an empty snapshot") is None, "an empty snapshot must be refused"
    for name in saved:
        kept = {key: value for key, value in saved.items() if key != name}
        _check_damaged(make, events, kept, f"a snapshot without {name!r}")
    paths = [path for path, value in _leaves(saved) if isinstance(value, int | float) and not isinstance(value, bool)]
    for path in paths[:: max(1, len(paths) // MAX_DAMAGED_NUMBERS)]:
        damaged = json.loads(json.dumps(saved))
        inside = damaged
        for part in path[:-1]:
            inside = inside[part]
        inside[path[-1]] = math.nan
        _check_damaged(make, events, damaged, f"a snapshot with NaN at {'/'.join(map(str, path))}")


def _check_damaged(make: Callable[[], Recognizer], events: Sequence[Event], damaged: Any, what: str) -> None:
    half = len(events) // 2
    resumed = _try_resume(make, events[:half], damaged, what)
    if resumed is None:
        return
    _check_belief(resumed, f"resumed from {what}")
    for event in events[half:]:
        try:
            resumed.observe(event)
        except Exception as error:
            raise AssertionError(f"{what} was accepted, but then {type(error).__name__}: {error}") from error
        _check_belief(resumed, f"resumed from {what}")


def _try_resume(make: Callable[[], Recognizer], events: Sequence[Event], damaged: Any, what: str) -> Any:
    """Return the recogniser that accepted a damaged snapshot; None if it was refused properly."""
    recognizer: Any = make()
    for event in events:
        recognizer.observe(event)
    before = recognizer.belief, recognizer.save()
    try:
        return _resume(recognizer, damaged)
    except ValueError:
        assert (recognizer.belief, recognizer.save()) == before, f"{what} was refused, but changed the recogniser"
        return None
    except Exception as error:
        raise AssertionError(
            f"{what} must be refused with a ValueError, not {type(error).__name__}: {error}"
        ) from error


def _leaves(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else None
    if inside is None:
        yield path, data
    else:
        for key, value in inside:
            yield from _leaves(value, (*path, key))


# --- worlds -----------------------------------------------------------------------------------------------------------

W = TypeVar("W", bound=World)
Observed = tuple[View, tuple[Event, ...]]


def check_world(
    make: Callable[[], W],
    *,
    play: Callable[[W], Mapping[str, str]] = lambda world: {},
    seed: int = 7,
    steps: int = 200,
) -> None:
    """Raise ``AssertionError`` at the first promise that a world from ``make()`` breaks.

    ``play`` returns the commands for the next step, always the same ones for the same world. Without it no player is
    commanded, which every world must allow.
    """
    one, two, idle = make(), make(), make()
    for world in (one, two, idle):
        world.reset(seed)
    first = _observe(one)
    assert _observe(two) == first, "two worlds that are reset with the same seed must have the same view"
    assert not first[1], f"after a reset there must be no events, got {first[1][:1]}"
    history, given = _play_and_observe(one, play, steps)
    for commands in given:  # `two` is not viewed on the way, so viewing `one` must have made no difference
        two.step(commands)
    assert _observe(two) == history[-1], (
        "the same seed and commands must give the same world, however often it is viewed"
    )
    assert _observe(idle) == first, "stepping one world changed another: they share state"
    _check_world_reset(one, seed, first, given, history)
    _check_refusals(one)


def _play_and_observe(
    world: W, play: Callable[[W], Mapping[str, str]], steps: int
) -> tuple[list[Observed], list[dict[str, str]]]:
    """Play a game and view it often; return the observations after each step, and the commands."""
    world.step({})  # commands are optional
    history: list[Observed] = [_observe(world)]
    given: list[dict[str, str]] = [{}]
    for _ in range(steps):
        before = _observe(world)
        commands = dict(play(world))
        assert _observe(world) == before, "viewing the world changed it"
        world.step(commands)
        after = _observe(world)
        assert _observe(world) == after, "viewing the world changed it"
        assert after[0].time >= before[0].time, f"time must not decrease, from {before[0].time} to {after[0].time}"
        _check_events(after[1], before[0].time, after[0].time)
        given.append(commands)
        history.append(after)
    return history, given


def _check_events(events: Sequence[Event], start: float, end: float) -> None:
    times = [event.time for event in events]
    assert times == sorted(times), f"events must be in the order of their times, got {times}"
    assert all(start <= time <= end for time in times), f"events of a step from {start} to {end} have times {times}"


def _check_world_reset(
    world: World, seed: int, first: Observed, given: Sequence[Mapping[str, str]], history: Sequence[Observed]
) -> None:
    world.reset(seed)
    assert _observe(world) == first, "a reset must restore the start"
    for commands, seen in zip(given, history, strict=True):
        world.step(commands)
        assert _observe(world) == seen, f"after a reset the same commands had another result at {seen[0].time}"


def _check_refusals(world: World) -> None:
    players = world.view().players
    _check_refused(world, {"nobody-of-that-name": "anything"}, "nobody-of-that-name")
    if players:
        _check_refused(world, {players[0]: "no-such-command"}, "no-such-command")


def _check_refused(world: World, commands: Mapping[str, str], named: str) -> None:
    before = _observe(world)
    refusal: Any = None
    try:
        world.step(commands)
    except ValueError as error:
        refusal = error
    assert refusal is not None, f"step({dict(commands)}) is invalid and must raise a TelosError"
    assert named in str(refusal), f"the error for {dict(commands)} must name {named!r}, but says: {refusal}"
    assert _observe(world) == before, f"step({dict(commands)}) was refused, but changed the world"


def _observe(world: World) -> Observed:
    return world.view(), tuple(world.events)


# --- stages -----------------------------------------------------------------------------------------------------------

_INVALID = Inputs(asked=("no stage knows what this is",))
_COLOURS = {
    "r": (5, 7),
    "c": (4, 5),
    "l": (5,),
    "p": (2, 3),
    "t": (4,),
}  # by kind of shape: indices


def check_stage(
    world: StudioWorld,
    settings: Mapping[str, str] | None = None,
    *,
    held: Sequence[str] = ("",),
    seed: int = 7,
    steps: int = 60,
) -> None:
    """Raise ``AssertionError`` at the first promise that a studio world breaks; ``held`` are the keys by step."""
    chosen = world.complete_settings(settings or {})
    watched, alone = world.make(seed, chosen), world.make(seed, chosen)
    _check_models(watched)
    for number in range(steps):
        inputs = Inputs(held[number % len(held)])
        before = watched.time
        _view(watched)  # one of them is viewed often, the other never
        happened, again = watched.step(inputs), alone.step(inputs)
        assert [_summary(each) for each in happened] == [_summary(each) for each in again], (
            "viewing the stage changed what happened"
        )
        assert watched.time >= before, f"time must not decrease, from {before} to {watched.time}"
        if watched.over:
            break
    assert _snapshot(watched) == _snapshot(alone), (
        "the same seed and inputs must show the same, however often the stage is viewed"
    )
    _check_refusal(watched)


def _view(stage: Stage) -> None:
    """Read everything that the studio shows, and check that it can be drawn and sent."""
    key, backdrop = stage.backdrop()
    assert (key, backdrop) == stage.backdrop(), "reading the backdrop changed it"
    for picture in (backdrop, stage.picture()):
        _check_picture(picture, stage.symbols)
    json.dumps([stage.picture(), stage.hud().task, dict(stage.bands()), list(stage.commands())], allow_nan=False)
    for group, values in stage.curves().items():
        assert all(0 <= value <= 1 for value in values.values()), f"the curves of {group!r} leave 0 to 1: {values}"
    for who in stage.characters():
        sheet = stage.mind(who)
        assert sheet is None or sheet.who, f"the mind of {who!r} has no name"
    assert stage.mind("nobody of this name") is None, "an unknown character has no mind"
    names = [poke.name for poke in stage.pokes()]
    assert len(set(names)) == len(names), f"two pokes have the same name: {names}"


def _check_picture(picture: Picture, symbols: Symbols) -> None:
    for shape in picture:
        used: list[str] = []
        if shape[0] == "g":  # a group of shapes that the page shows or hides by its name
            _check_picture(shape[2], symbols)
            continue
        if shape[0] == "s":
            assert shape[2] in symbols, f"the symbol {shape[2]!r} is not among those of the stage"
            used += [colour for fill, _, stroke, _ in symbols[shape[2]] for colour in (fill, stroke)]
            used += [str(shape[7].get(option, "")) for option in ("tint", "glow")]
        else:
            assert shape[0] in _COLOURS, f"unknown kind of shape {shape[0]!r}"
            used += [shape[at] for at in _COLOURS[shape[0]]]
        strange = [colour for colour in used if colour and colour.partition("/")[0] not in ROLES]
        assert not strange, f"{strange[0]!r} is not a role of the palette"


def _check_models(stage: Stage) -> None:
    names = [model.name for model in stage.models()]
    assert len(set(names)) == len(names), f"two models have the same name: {names}"
    for model in stage.models():
        if model.make is not None:
            assert model.make(model.text).goals, f"the model {model.name!r} has no goals"
        if model.check is not None:
            assert not model.check(model.text), f"the model {model.name!r} has faults"


def _check_refusal(stage: Stage) -> None:
    """Check that an invalid command is ignored, or refused without a change."""
    before = _snapshot(stage)
    try:
        stage.step(_INVALID)
    except TelosError:
        assert _snapshot(stage) == before, "a refused step changed the world"


def _snapshot(stage: Stage) -> Any:
    return stage.time, stage.truth, stage.backdrop(), stage.picture(), stage.hud(), dict(stage.bands())


def _summary(happening: Happening) -> Any:
    return happening.time, happening.who, happening.label, happening.kind, happening.event
