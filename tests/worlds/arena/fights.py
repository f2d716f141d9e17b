"""Helpers: scenes of the package, changed if needed, played out and read back from their trace."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from telos.agents.mind import Mind
from telos.agents.trace import Began, Planned
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.planning.planner import Planner
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import CastMember, Cue, Scene, load_scene
from telos.worlds.arena.sim.views import ArenaView

R = TypeVar("R")

SEEDS = tuple(range(5))


class Fight:
    """A finished battle with its trace."""

    def __init__(self, scene: Scene, seed: int = 0, seconds: float | None = None) -> None:
        self.records: list[object] = []
        self.battle = Battle(scene, seed=seed, trace=self.records.append)
        self.views = [self.battle.view, *self.battle.seconds(seconds)]

    def of(self, kind: type[R], who: str | None = None) -> list[R]:
        """Return the records of a class, of one fighter or of all."""
        found = [each for each in self.records if isinstance(each, kind)]
        return [each for each in found if who is None or getattr(each, "who", None) == who]

    def steps(self, who: str) -> list[str]:
        """Return the steps that a fighter began, without repetitions."""
        return squeezed(each.step.partition("(")[0] for each in self.of(Began, who))

    def events(self, *actions: str, by: str | None = None) -> list[Event]:
        """Return the events with these actions."""
        events = (each for each in self.of(Event) if by in (None, each.player))
        return [each for each in events if not actions or each.action in actions]

    def goals(self, who: str) -> list[str]:
        """Return the goals that a fighter planned for, in order."""
        return squeezed(each.goal for each in self.of(Planned, who))


def squeezed(names: Iterable[str]) -> list[str]:
    """Return the names without immediate repetitions.

    >>> squeezed("aabba")
    ['a', 'b', 'a']
    """
    kept: list[str] = []
    for name in names:
        if kept[-1:] != [name]:
            kept.append(name)
    return kept


def in_order(wanted: Sequence[str], found: Iterable[str]) -> bool:
    """Whether ``wanted`` is a subsequence of the names.

    >>> in_order("ac", "abc"), in_order("ca", "abc")
    (True, False)
    """
    left = iter(found)
    return all(name in left for name in wanted)


@lru_cache(maxsize=64)  # fights are shared by tests
def fought(scene: str, seed: int = 0, seconds: float | None = None) -> Fight:
    """Return a scene of the package, played out."""
    return Fight(load_scene(scene), seed, seconds)


def member(scene: Scene, name: str) -> CastMember:
    """Return a member of the cast."""
    return next(each for each in scene.cast if each.name == name)


def changed(scene: Scene, who: str, /, **changes: Any) -> Scene:
    """Return a scene with one changed member."""
    return replace(scene, cast=tuple(replace(each, **changes) if each.name == who else each for each in scene.cast))


def script(*cues: tuple[float, str]) -> tuple[Cue, ...]:
    """Return a script."""
    return tuple(Cue(at, do) for at, do in cues)


def body(**about: Any) -> FrozenMap[str, Any]:
    """Return changed body properties."""
    return FrozenMap(about)


class Stillness:
    """Measures how long each mind has been inactive although one of its goals has a plan."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle
        self._since = dict.fromkeys(battle.minds, 0.0)
        self._places = dict.fromkeys(battle.minds, (0.0, 0.0))
        self.longest = 0.0
        self.who = ""  # the longest inactive mind, and its state

    def look(self, view: ArenaView) -> None:
        """Process one step."""
        busy = {event.player for event in self._battle.arena.events}
        for each in view.fighters:
            mind = self._battle.minds.get(each.name)
            if mind is None:
                continue
            is_acting = each.status == "running" and each.state in ("animate", "use") and each.doing != "animate idle"
            has_moved = math.dist(self._places[each.name], (each.x, each.y)) > 0.1
            if has_moved or is_acting or each.name in busy:
                self._since[each.name], self._places[each.name] = view.time, (each.x, each.y)
            elif round(view.time * 10) % 10 == 0 and not self._could_act(mind):
                self._since[each.name] = view.time
            elif view.time - self._since[each.name] > self.longest:
                self.longest = view.time - self._since[each.name]
                self.who = f"{each.name} at {view.time} s: {mind.goal} {mind.steps} {each.doing!r} {each.reason!r}"

    def _could_act(self, mind: Mind) -> bool:
        """Whether a relevant, unfulfilled goal has a plan."""
        goals = mind.arbiter.in_line(mind.state, mind.goal)
        planner = Planner(mind.domain, mind.character.actions)
        answers = (planner.plan(mind.state, goal.name) for goal in goals)
        return mind.goal is not None or any(answer.found and answer.steps for answer in answers)
