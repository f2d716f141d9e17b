"""The body of a mind in the arena: its three states become commands, and the fighter's status what it feels."""

from collections.abc import Mapping
from typing import Any

from telos.agents.body import DONE, RUNNING, Animate, BodyState, Goto, Progress, Status
from telos.agents.memory import WorkingMemory
from telos.core.errors import TelosError
from telos.core.values import Value
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.knowledge import kept_out_by, place_known

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
