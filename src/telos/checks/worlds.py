"""The promises of a world, as a test that anyone's world can be put to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from telos.core.event import Event
from telos.worlds.world import View, World

W = TypeVar("W", bound=World)
Seen = tuple[View, tuple[Event, ...]]


def check_world(
    make: Callable[[], W],
    *,
    play: Callable[[W], Mapping[str, str]] = lambda world: {},
    seed: int = 7,
    steps: int = 200,
) -> None:
    """Raise ``AssertionError`` at the first promise that ``make()`` breaks.

    ``play`` looks at the world and returns the commands for the next step; it must always return the same commands for
    the same world. Without it nobody is commanded, which every world must allow.
    """
    one, two, idle = make(), make(), make()
    for world in (one, two, idle):
        world.reset(seed)
    first = _seen(one)
    assert _seen(two) == first, "two worlds reset with the same seed must look the same"
    assert not first[1], f"nothing has happened after a reset, so there are no events; got {first[1][:1]}"
    history, given = _watched(one, play, steps)
    for commands in given:  # `two` is not looked at on the way, so looking at `one` must have made no difference
        two.step(commands)
    assert _seen(two) == history[-1], (
        "the same seed and commands must give the same world, however often it is looked at"
    )
    assert _seen(idle) == first, "one world was stepped and another one changed: they share something"
    _check_reset(one, seed, first, given, history)
    _check_refusals(one)


def _watched(world: W, play: Callable[[W], Mapping[str, str]], steps: int) -> tuple[list[Seen], list[dict[str, str]]]:
    """Play a game, looking at it often; return what was seen after each step, and the commands that were given."""
    world.step({})  # nobody has to be commanded
    history: list[Seen] = [_seen(world)]
    given: list[dict[str, str]] = [{}]
    for _ in range(steps):
        before = _seen(world)
        commands = dict(play(world))
        assert _seen(world) == before, "looking at the world changed it"
        world.step(commands)
        after = _seen(world)
        assert _seen(world) == after, "looking at the world changed it"
        assert after[0].time >= before[0].time, f"time ran backwards, from {before[0].time} to {after[0].time}"
        _check_events(after[1], before[0].time, after[0].time)
        given.append(commands)
        history.append(after)
    return history, given


def _check_events(events: Sequence[Event], start: float, end: float) -> None:
    times = [event.time for event in events]
    assert times == sorted(times), f"events must be in the order of their times, got {times}"
    assert all(start <= time <= end for time in times), f"events of a step from {start} to {end} have times {times}"


def _check_reset(
    world: World, seed: int, first: Seen, given: Sequence[Mapping[str, str]], history: Sequence[Seen]
) -> None:
    world.reset(seed)
    assert _seen(world) == first, "a reset must bring back the very start"
    for commands, seen in zip(given, history, strict=True):
        world.step(commands)
        assert _seen(world) == seen, f"after a reset the same commands went differently at {seen[0].time}"


def _check_refusals(world: World) -> None:
    players = world.view().players
    _refuses(world, {"nobody-of-that-name": "anything"}, "nobody-of-that-name")
    if players:
        _refuses(world, {players[0]: "no-such-command"}, "no-such-command")


def _refuses(world: World, commands: Mapping[str, str], named: str) -> None:
    before = _seen(world)
    refusal: Any = None
    try:
        world.step(commands)
    except ValueError as error:
        refusal = error
    assert refusal is not None, f"step({dict(commands)}) makes no sense and must be refused with a TelosError"
    assert named in str(refusal), f"the refusal of {dict(commands)} must name {named!r}, but says: {refusal}"
    assert _seen(world) == before, f"step({dict(commands)}) was refused, yet something happened"


def _seen(world: World) -> Seen:
    return world.view(), tuple(world.events)
