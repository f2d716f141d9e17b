"""Mind-to-command adapter, planning queries."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Performed, Progress, Status
from telos.agents.memory import WorkingMemory
from telos.core.action import Action
from telos.core.errors import TelosError
from telos.core.values import Value
from telos.worlds.arena.ai.facts import barrier_known, kept_out_by, place_known
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.map import Point

# --- limbs ------------------------------------------------------------------------------------------------------------
# The body of a mind in the arena: its three states become commands, and the fighter's status what it feels.


AT_A_PLACE = frozenset({"suppress", "throw"})  # animations that are aimed where somebody is thought to be


class Limbs:
    """Turns what a mind wants of its body into the next command for a fighter."""

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._fighter, self.name = arena, arena.fighter(name), name
        self.memory = WorkingMemory()  # the mind's, once there is one
        self.command: str | None = None  # to be given with the next step of the world
        self.place: str | None = None  # where the body was last sent by name
        self.last = ""  # the last command

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""
        self.command = self._in_words(state)

    @property
    def progress(self) -> Progress:
        """Return how the last state entered is going."""
        fighter = self._fighter
        if self.command is not None or fighter.status == "running":
            return RUNNING
        return DONE if fighter.status == "done" else Progress(Status.FAILED, fighter.reason)

    def _in_words(self, state: BodyState) -> str:
        if isinstance(state, Goto):
            self.place = str(state.place)
            shut = kept_out_by(self.memory, self._arena.time)
            round_about = f" avoiding {','.join(sorted(shut))}" if shut else ""
            return f"goto {self._where(state.place)} {state.pace}{round_about}"
        if isinstance(state, Animate):
            if state.at is None:
                return f"animate {state.animation}"
            at = self._where(state.at) if state.animation in AT_A_PLACE else state.at
            return f"animate {state.animation} {at}"
        return f"use {state.object} {state.use}"

    def _where(self, place: Value) -> str:
        """Name a place for a command. People are looked for where they are thought to be."""
        others = self._arena.fighters
        if place not in others or others[place].side == self._fighter.side:
            return str(place)
        point = place_known(self._arena, self.memory, self.name, place)
        if point is None:
            raise TelosError(f"{self.name} does not know where {place} is")
        return f"{point[0]:.2f},{point[1]:.2f}"

    def take(self) -> str | None:
        """Return the command to give now, if there is a new one."""
        command, self.command = self.command, None
        self.last = command or self.last
        return command

    def crawled(self, obstacle: str) -> bool:
        """Whether the last thing done was to crawl under an obstacle."""
        return self.last == f"use {obstacle} crawl"

    def save(self) -> dict[str, str | None]:
        """Return what changes, as plain data."""
        return {"command": self.command, "place": self.place, "last": self.last}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Become what was saved."""
        self.command, self.place, self.last = saved["command"], saved["place"], saved["last"]


# --- ground -----------------------------------------------------------------------------------------------------------
# What the game answers when a plan hangs on it: how far, whether at all, and whether through that door.
#
# These are the procedural preconditions and costs of the arena's domain. They speak of what a fighter believes: a door
# that would not open is no way through for as long as they remember it.


NOWHERE = 10_000.0  # metres to a place that cannot be reached: more than any plan is worth


class Ground:
    """Answers for all fighters of one arena; ``memories`` are theirs."""

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
        """Return how many metres ``who`` has to walk to a place; to a fighter, as the crow flies."""
        goal = self._goal(who, place)
        if goal is None:
            return NOWHERE
        if place in self._arena.fighters:
            return float(round(self._arena.fighter(who).distance_to(goal)))
        return float(round(min(NOWHERE, self._metres(who, goal))))

    def can_reach(self, who: str, place: Value) -> bool:
        """Whether there is any way for ``who``, with what they know of doors."""
        goal = self._goal(who, place)
        fighter = self._arena.fighter(who)
        return goal is not None and self._arena.navigator.connected(fighter.position, goal, **self._manner(who))

    def beyond(self, who: str, place: Value) -> bool:
        """Whether the way to a place leads through the barrier that ``who`` attends to."""
        memory, goal = self._memories[who], self._goal(who, place)
        barrier = barrier_known(memory, self._arena.time)
        if goal is None or barrier is None or place == barrier.subject:
            return False
        manner = self._manner(who)
        cells = self._arena.navigator.cells(self._arena.fighter(who).position, goal, **manner)
        return cells is not None and self._arena.map.fixtures[barrier.subject].cell in cells

    def path_to_safety(self, who: str, safety: Value) -> bool:
        """Whether ``who`` can get to where they would flee; the search is made only if a plan hangs on it."""
        goal = self._goal(who, safety)
        if goal is None:
            return False
        return self._arena.navigator.way(self._arena.fighter(who).position, goal, **self._manner(who)) is not None

    def _metres(self, who: str, goal: Point) -> float:
        """Return the length of the way, or of the one there would be if no door were stuck."""
        here, manner = self._arena.fighter(who).position, self._manner(who)
        metres = self._arena.navigator.distance(here, goal, **manner)
        if metres == math.inf and manner["avoiding"]:
            return self._arena.navigator.distance(here, goal, **{**manner, "avoiding": frozenset()})
        return metres

    def _goal(self, who: str, place: Value) -> Point | None:
        if place is None:
            return None
        memory = self._memories[who]
        if place in self._arena.fighters:
            return place_known(self._arena, memory, who, place)
        return self._arena.where_to_stand(who, place, kept_out_by(memory, self._arena.time))

    def _manner(self, who: str) -> dict[str, Any]:
        fighter = self._arena.fighter(who)
        return {
            "avoiding": kept_out_by(self._memories[who], self._arena.time),
            "crawls": not fighter.flies,
            "flies": fighter.flies,
        }


# --- speech -----------------------------------------------------------------------------------------------------------
# Words that do something: a line is an action with preconditions and effects, and works only if somebody listens.


class Told(Performed):
    """An order that is called out. It is done when what it asked for has come about, which takes the other a while."""

    def progress(self, doer: Actor, step: Action, body: Progress, now: float) -> Progress:
        """Wait until the effect is there; if nobody obeys before one has forgotten asking, it has failed."""
        if body.status is not Status.DONE or step.result(doer.state) == doer.state:
            return body
        if doer.memory.recall("told", step.name, now) is not None:
            return RUNNING
        return Progress(Status.FAILED, "nobody did it")


SPEECH: dict[str, type[Performed]] = {"tell-ally-to-open": Told}
