"""The body of a fighter with a mind, and the functions that its planning domain calls.

`FighterBody` turns body states into commands; `PlanningFunctions` answers procedural preconditions and costs.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Perform, Performed, Progress, Status
from telos.agents.memory import WorkingMemory
from telos.core.action import Action
from telos.core.errors import TelosError
from telos.core.values import Value
from telos.worlds.arena.ai.facts import avoided_doors, known_place, latest_barrier
from telos.worlds.arena.ai.whereabouts import suppression_point
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.map import Point
from telos.worlds.arena.sim.navigation import Walker

UNREACHABLE = 10_000.0  # metres: more than any plan may cost
PLACE_ANIMATIONS = frozenset({"suppress", "throw"})  # animations aimed at a believed position


class FighterBody:
    """Adapter from the body states of a mind to commands of a fighter."""

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._fighter, self.name = arena, arena.fighter(name), name
        self.memory = WorkingMemory()  # replaced by the mind's memory
        self.command: str | None = None  # for the next step of the arena
        self.place: str | None = None  # the last named destination
        self.last = ""  # the last command

    def enter(self, state: BodyState) -> None:
        """Interrupt the current state and enter ``state``."""
        self.command = self._to_command(state)

    @property
    def progress(self) -> Progress:
        """Return the progress of the state entered last."""
        fighter = self._fighter
        if self.command is not None or fighter.status == "running":
            return RUNNING
        return DONE if fighter.status == "done" else Progress(Status.FAILED, fighter.reason)

    def _to_command(self, state: BodyState) -> str:
        if isinstance(state, Goto):
            self.place = str(state.place)
            shut = avoided_doors(self.memory, self._arena.time)
            detour = f" avoiding {','.join(sorted(shut))}" if shut else ""
            return f"goto {self._format_place(state.place)} {state.pace}{detour}"
        if isinstance(state, Animate):
            if state.at is None:
                return f"animate {state.animation}"
            at = self._format_aim(state.at) if state.animation in PLACE_ANIMATIONS else state.at
            return f"animate {state.animation} {at}"
        if isinstance(state, Perform):
            raise TelosError(f"a fighter has no method {state.action!r}", "write a performance for the action")
        return f"use {state.object} {state.use}"

    def _format_place(self, place: Value) -> str:
        """Return a place as commands write it; enemies are looked for where the fighter believes them to be."""
        others = self._arena.fighters
        if place not in others or others[place].side == self._fighter.side:
            return str(place)
        point = known_place(self._arena, self.memory, self.name, place)
        if point is None:
            raise TelosError(f"{self.name} does not know where {place} is")
        return f"{point[0]:.2f},{point[1]:.2f}"

    def _format_aim(self, target: Value) -> str:
        """Return where to fire or throw: at an enemy out of sight, where the fighter infers it to be, if it does."""
        sign = self.memory.recall("enemy", target, self._arena.time)
        point = None if sign is not None and sign["seen"] else suppression_point(self.memory, target, self._arena.time)
        return self._format_place(target) if point is None else f"{point[0]:.2f},{point[1]:.2f}"

    def take_command(self) -> str | None:
        """Return the new command, if there is one."""
        command, self.command = self.command, None
        self.last = command or self.last
        return command

    def has_crawled(self, obstacle: str) -> bool:
        """Whether the last command was to crawl under an obstacle."""
        return self.last == f"use {obstacle} crawl"

    def save(self) -> dict[str, str | None]:
        """Return the mutable state as plain data."""
        return {"command": self.command, "place": self.place, "last": self.last}

    def put(self, saved: "SavedLimbs") -> None:
        """Restore saved state that was checked."""
        self.command, self.place, self.last = saved.command, saved.place, saved.last


class SavedLimbs(Protocol):
    """Saved state of a body."""

    @property
    def command(self) -> str | None: ...
    @property
    def place(self) -> str | None: ...
    @property
    def last(self) -> str: ...


# --- planning functions ---


class PlanningFunctions:
    """Procedural preconditions and costs of the arena domain: distance, reachability, blocked doors.

    They reflect what a fighter believes: a door that did not open is closed to paths for as long as it is remembered.
    ``memories`` are those of all fighters of the arena, by name.
    """

    def __init__(self, arena: Arena, memories: Mapping[str, WorkingMemory]) -> None:
        self._arena, self._memories = arena, memories

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that the arena's domain calls, by name."""
        return {
            "distance": self.distance,
            "beyond": self.beyond,
            "can_reach": self.can_reach,
            "path_to_safety": self.path_to_safety,
        }

    def distance(self, who: str, place: Value) -> float:
        """Return the metres that ``who`` has to walk to a place; to a fighter, the straight distance."""
        goal = self._goal(who, place)
        if goal is None:
            return UNREACHABLE
        if place in self._arena.fighters:
            return float(round(self._arena.fighter(who).distance_to(goal)))
        return float(round(min(UNREACHABLE, self._metres(who, goal))))

    def can_reach(self, who: str, place: Value) -> bool:
        """Whether ``who`` has any path to a place, given what it knows of doors."""
        goal = self._goal(who, place)
        fighter = self._arena.fighter(who)
        return goal is not None and self._arena.navigator.is_connected(fighter.position, goal, self._walker(who))

    def beyond(self, who: str, place: Value) -> bool:
        """Whether the path to a place leads through the barrier that ``who`` remembers."""
        memory, goal = self._memories[who], self._goal(who, place)
        barrier = latest_barrier(memory, self._arena.time)
        if goal is None or barrier is None or place == barrier.subject:
            return False
        walker = self._walker(who)
        cells = self._arena.navigator.find_cells(self._arena.fighter(who).position, goal, walker)
        return cells is not None and self._arena.map.fixtures[barrier.subject].cell in cells

    def path_to_safety(self, who: str, safety: Value) -> bool:
        """Whether ``who`` can reach its refuge; the path is searched only when a plan needs it."""
        goal = self._goal(who, safety)
        if goal is None:
            return False
        return self._arena.navigator.find_path(self._arena.fighter(who).position, goal, self._walker(who)) is not None

    def _metres(self, who: str, goal: Point) -> float:
        """Return the length of the path, or of the path without stuck doors if there is none."""
        here, walker = self._arena.fighter(who).position, self._walker(who)
        metres = self._arena.navigator.distance(here, goal, walker)
        if metres == math.inf and walker.avoiding:
            return self._arena.navigator.distance(here, goal, walker._replace(avoiding=frozenset()))
        return metres

    def _goal(self, who: str, place: Value) -> Point | None:
        if place is None:
            return None
        memory = self._memories[who]
        if place in self._arena.fighters:
            return known_place(self._arena, memory, who, place)
        return self._arena.standing_point(who, place, avoided_doors(memory, self._arena.time))

    def _walker(self, who: str) -> Walker:
        avoided = avoided_doors(self._memories[who], self._arena.time)
        flies = self._arena.fighter(who).flies
        return Walker(avoided, crawls=not flies, flies=flies)


# --- spoken requests ---


class SpokenRequest(Performed):
    """An order spoken to a comrade. It is done when its effect has come about, which takes the comrade a while."""

    def progress(self, actor: Actor, step: Action, body: Progress, now: float) -> Progress:
        """Wait for the effect; fail if it has not come about by the time the request is forgotten."""
        if body.status is not Status.DONE or step.result(actor.state) == actor.state:
            return body
        if actor.memory.recall("told", step.name, now) is not None:
            return RUNNING
        return Progress(Status.FAILED, "nobody did it")


SPOKEN_ACTIONS: dict[str, type[Performed]] = {"tell-ally-to-open": SpokenRequest}
