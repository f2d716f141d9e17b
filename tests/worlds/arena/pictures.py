"""Helpers: a hand-made fight for drawing tests: a map, a moment of it, and minds."""

from dataclasses import dataclass, replace
from typing import Any

from telos.agents.trace import Chose, Planned
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.squads.squad import LineSpoken, OrdersGiven
from telos.worlds.arena.replay import FightStarted
from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, GrenadeView, ShotView
from telos.worlds.arena.terminal import ArenaScreen, TraceNotes

ROWS = (
    "########################################",
    "#  A  ^    #        o  o        #      #",
    "#     o    =   oo               + !    #",
    "# B   v    #        <o>    _    #   Y  #",
    "#          +               _    #      #",
    "#  oo   >  #   ###=###     _    ########",
    "#  C       #   #     #          #      #",
    "#    1     /   #  *  #     2    %   Z  #",
    "########################################",
)
NAMES = ("Ann", "Bob", "Cid", "Dee", "Una", "Vic", "Wes", "Xia", "Yan", "Zoe", "Eva", "Max")


@dataclass(frozen=True, slots=True)
class Thoughts:
    goal: str | None
    steps: tuple[str, ...] = ()
    index: int = 0


STANDING = FighterView(
    "Ann", "red", "soldier", x=3.5, y=1.5, facing=0.0, health=100.0, alive=True, state="", doing="", status="done",
    reason="", rounds=24, magazines=3, grenades=0, at=None, in_cover=False, crouched=False, cloaked=False,
    on_wall=False, suppressed=0.0,
)  # fmt: skip
QUIET = ArenaView(12.3, (), (), (), (), (), (), (), over=False, winner=None)


def fighter(**changed: Any) -> FighterView:
    """Return Ann, unhurt and idle, with the given changes."""
    return replace(STANDING, **changed)


def moment(*fighters: FighterView, **changed: Any) -> ArenaView:
    """Return a view in which nothing happens, with the given changes."""
    return replace(QUIET, players=tuple(each.name for each in fighters), fighters=fighters, **changed)


def crowd(number: int, *, dead: int = 0) -> tuple[FighterView, ...]:
    """Return ``count`` fighters on two sides, the last of them dead."""
    return tuple(
        fighter(
            name=NAMES[each], side=("red", "blue")[each >= number // 2], x=2.5 + 3 * each, y=1.5 + each % 6,
            facing=each * 0.8,
            health=0.0 if each >= number - dead else 100.0 - 9 * each, alive=each < number - dead,
            rounds=24 - 3 * each, grenades=each % 3, in_cover=each == 1, suppressed=0.6 * (each == 2),
        )
        for each in range(number)
    )  # fmt: skip


def busy(number: int = 8, *, dead: int = 1) -> ArenaView:
    """Return a view with one of everything."""
    return moment(
        *crowd(number, dead=dead),
        doors=(DoorView("d1", 32.5, 2.5, "closed", held_by="Yan"), DoorView("d2", 11.5, 4.5, "open")),
        broken_windows=("w1",), dark_rooms=("r3",),
        grenades=(GrenadeView("g1", 26.5, 6.5, 1.2),), shots=(ShotView("Ann", 2.5, 1.5, 9.5, 3.5, "Cid"),),
    )  # fmt: skip


def thoughts(view: ArenaView) -> dict[str, Thoughts]:
    return {each.name: Thoughts("kill_enemy", ("goto(c3)", "reload", "attack"), 1) for each in view.fighters[:-2]}


def room_at(place: tuple[float, float]) -> str:
    x, _ = place
    return "r1" if x < 11 else "r2" if x < 32 else "r3"


def noted() -> TraceNotes:
    """Return notes after some talk, some plans and an explosion."""
    notes = TraceNotes()
    for record in (
        FightStarted(0.0, "arena", "flank", 3, FrozenMap({"red": ("Ann", "Bob"), "blue": ("Una", "Vic")})),
        Chose(11.0, "Ann", "kill_enemy", "patrol", "sees Una"),
        Planned(11.0, "Ann", "kill_enemy", ("goto(c3)", "reload", "attack"), 5.0, 12),
        OrdersGiven(11.5, "red-1", "get-to-cover", FrozenMap({"Ann": "suppresses", "Bob": "to c3"}), "two are exposed"),
        LineSpoken(12.0, "Ann", "Bob", "Status?", "status-1", "Bob was hit"),
        Event("hit", {"target": "Bob", "damage": 18.0, "x": 3.0, "y": 1.0}, player="Una", time=12.0),
        Event("exploded", {"x": 20.5, "y": 3.5}, player="Vic", time=12.1),
        Event("dead", {"target": "Zoe", "x": 3.0, "y": 1.0}, player="Ann", time=12.2),
        LineSpoken(12.2, "Bob", None, "I'm hit, still standing.", "status-1", "asked"),
    ):
        notes.note(record)
    return notes


def screen(rows: tuple[str, ...] = ROWS) -> ArenaScreen:
    title = "arena · seed 3 · 1 s/s · Ctrl-C ends"
    return ArenaScreen(rows, noted(), room_at=room_at, scene="flank", title=title)
