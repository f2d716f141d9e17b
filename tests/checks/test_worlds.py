"""Every registered world keeps the promises, and the check notices one that does not."""

import itertools
from collections.abc import Mapping
from random import Random

import pytest

from telos.checks import check_world
from telos.core.event import Event
from telos.worlds.home.home import Home
from telos.worlds.home.views import HomeView
from telos.worlds.registry import WORLDS


def busy(home: Home) -> dict[str, str]:
    """Command everybody who is idle, now to one thing and now to another."""
    view = home.view()
    idle = [person.name for person in view.people if person.doing is None]
    offers = {name: home.offers(name) for name in idle}
    return {name: offers[name][view.time * 7 % len(offers[name])].action.name for name in idle}


@pytest.mark.parametrize("name", WORLDS)
def test_worlds_keep_the_contract_without_commands(name: str) -> None:
    check_world(WORLDS[name])


@pytest.mark.parametrize("people", [1, 3, 6])
def test_home_keeps_the_contract_with_commands(people: int) -> None:
    check_world(lambda: Home(people), play=busy, steps=400)


class Haunted(Home):
    """Moods come out of nowhere, and no seed fixes them."""

    nights = itertools.count()

    def reset(self, seed: int) -> None:
        super().reset(next(self.nights))


class Peeping(Home):
    """Time passes when somebody looks."""

    def view(self) -> HomeView:
        self.time += 1
        return super().view()


class Forgetful(Home):
    """A reset leaves the clock where it was."""

    def reset(self, seed: int) -> None:
        now = getattr(self, "time", 0)
        super().reset(seed)
        self.time = max(now, self.time)


class Backwards(Home):
    def step(self, commands: Mapping[str, str]) -> None:
        super().step(commands)
        self.time -= 2


class Obliging(Home):
    """Does not mind commands that make no sense."""

    def step(self, commands: Mapping[str, str]) -> None:
        super().step({person: told for person, told in commands.items() if person in self.view().players})


class Hasty(Home):
    """Lets a minute pass before it finds out that a command makes no sense."""

    def step(self, commands: Mapping[str, str]) -> None:
        super().step({})
        if commands:
            raise ValueError(f"no idea what {dict(commands)} means")


class Mute(Home):
    """Refuses, but does not say what."""

    def step(self, commands: Mapping[str, str]) -> None:
        if commands:
            raise ValueError("something is wrong")
        super().step({})


class Dreaming(Home):
    """Tells of things that have not happened yet."""

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(Event(event.action, event.context, time=event.time + 60) for event in super().events)


class Gambling(Home):
    """Draws from a generator that no seed fixes."""

    dice = Random(0)

    def step(self, commands: Mapping[str, str]) -> None:
        super().step(commands)
        self.time += self.dice.randrange(1000)


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (Haunted, "same seed"),
        (Peeping, "same view|changed it"),
        (Gambling, "same world|have times"),
        (Forgetful, "restore"),
        (Backwards, "decrease|have times"),
        (Obliging, "invalid"),
        (Hasty, "was refused"),
        (Mute, "must name 'nobody-of-that-name'"),
        (Dreaming, "have times"),
    ],
)
def test_check_world_finds_a_broken_promise(broken: type[Home], word: str) -> None:
    play = busy if broken is Dreaming else (lambda home: {})
    with pytest.raises(AssertionError, match=word):
        check_world(broken, play=play)
