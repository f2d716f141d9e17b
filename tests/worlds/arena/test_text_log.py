"""The text log tells each thing once, in one line, with its reason."""

from telos.agents.trace import Chose, Dropped, Forgot, Idle, Noticed, Planned, StepFailed
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.squads.squad import BehaviourEnded, LineSpoken, OrdersGiven, SquadsFormed
from telos.worlds.arena.replay import FightEnded, FightLog, FightStarted
from worlds.arena.pictures import fighter


def told(*records: object) -> list[str]:
    log = FightLog()
    return [line for line in map(log.line, records) if line is not None]


def test_log_begins_with_the_sides_and_ends_with_the_winner() -> None:
    sides = FrozenMap({"red": ("Ann", "Bob"), "blue": ("Una",)})
    assert told(FightStarted(0.0, "arena", "flank", 3, sides), FightEnded(41.2, "red", "nobody else is left")) == [
        "  0.0  flank, seed 3: red (Ann, Bob) against blue (Una)",
        " 41.2  red  wins: nobody else is left",
    ]
    assert told(FightEnded(60.0, None, "time is up")) == [" 60.0  nobody  wins: time is up"]


def test_log_tells_a_goal_once_with_reason_and_plan() -> None:
    chosen = Chose(12.3, "Ann", "cover", "kill_enemy", "under fire")
    planned = Planned(12.3, "Ann", "cover", ("goto(c3)", "hide"), 4.0, 9)
    assert told(chosen, planned, chosen, planned) == [" 12.3  Ann  takes up cover: under fire — goto(c3), hide"]


def test_log_tells_why_a_plan_was_replaced() -> None:
    records = (
        Chose(1.0, "Ann", "cover", None, "under fire"),
        Planned(1.0, "Ann", "cover", ("goto(c3)",), 1.0, 3),
        Dropped(2.0, "Ann", "cover", ("goto(c3)",), "c3 is taken"),
        Chose(2.1, "Ann", "cover", None, "under fire"),
        Planned(2.1, "Ann", "cover", ("goto(c4)",), 2.0, 3),
    )
    assert told(*records)[1:] == ["  2.1  Ann  plans anew for cover: c3 is taken — goto(c4)"]


def test_log_tells_a_failure_once() -> None:
    records = (
        Planned(1.0, "Ann", "cover", ("open(d1)",), 1.0, 3),
        StepFailed(2.0, "Ann", "open(d1)", "d1 is locked"),
        Dropped(2.0, "Ann", "cover", ("open(d1)",), "open(d1) failed: d1 is locked"),
        Planned(2.0, "Ann", "cover", ("kick(d1)",), 2.0, 3),
    )
    assert told(*records)[1:] == [
        "  2.0  Ann  fails to open(d1): d1 is locked",
        "  2.0  Ann  plans anew for cover — kick(d1)",
    ]


def test_log_tells_an_idle_fighter_once() -> None:
    log = FightLog()
    log.line(Chose(1.0, "Ann", "cover", None, "under fire"))
    assert log.why == {"Ann": "under fire"}
    assert log.line(Idle(5.0, "Ann")) == "  5.0  Ann  has nothing to do"
    assert log.line(Idle(6.0, "Ann")) is None
    assert log.why == {}


def test_log_tells_changed_squads_and_orders_with_reasons() -> None:
    one = FrozenMap({"red-1": ("Ann", "Bob"), "red-2": ("Cid",)})
    orders = FrozenMap({"Ann": "suppresses", "Bob": "to c3"})
    assert told(
        SquadsFormed(0.0, "red", one),
        SquadsFormed(3.0, "red", one),
        SquadsFormed(6.0, "red", FrozenMap({"red-3": ("Ann", "Bob", "Cid")})),
        OrdersGiven(6.5, "red-3", "get-to-cover", orders, "two are exposed"),
        BehaviourEnded(9.0, "red-3", "get-to-cover", True, "all are in cover"),
        BehaviourEnded(9.0, "red-3", "search", False, "Ann died"),
    ) == [
        "  0.0  red  groups as Ann, Bob; Cid",
        "  6.0  red  groups as Ann, Bob, Cid",
        "  6.5  red-3  get-to-cover: two are exposed — Ann suppresses, Bob to c3",
        "  9.0  red-3  get-to-cover is done: all are in cover",
        "  9.0  red-3  search fails: Ann died",
    ]


def test_log_quotes_speech_with_its_hearer() -> None:
    assert told(
        LineSpoken(12.9, "Ann", "Bob", "Status?", "status", "Bob was hit"),
        LineSpoken(13.5, "Bob", None, "Grenade!", "grenade", "it lies there"),
    ) == [" 12.9  Ann → Bob: “Status?”", " 13.5  Bob: “Grenade!”"]


def test_log_tells_events_that_change_the_fight() -> None:
    assert told(
        Event("hit", {"target": "Bob", "damage": 18.0}, player="Ann", time=1.0),
        Event("dead", {"target": "Bob"}, player="Ann", time=2.0),
        Event("dead", {"by": "Una"}, player="Bob", time=2.0),
        Event("dead", player="Cid", time=3.0),
        Event("exploded", player="Vic", time=4.0),
        Event("kicked", {"door": "d1"}, player="Ann", time=5.0),
    ) == [
        "  1.0  Ann  hits Bob for 18",
        "  2.0  Bob  is dead, killed by Ann",
        "  2.0  Bob  is dead, killed by Una",
        "  3.0  Cid  is dead",
        "  4.0  Vic’s grenade goes off",
        "  5.0  Ann  kicks d1",
    ]


def test_log_skips_minor_events() -> None:
    assert told(
        Noticed(1.0, "Ann", "enemy", "Una"),
        Forgot(1.0, "Ann", "enemy", "Una"),
        Event("shot", player="Ann", time=1.0),
        Event("step", player="Ann", time=1.0),
        fighter(),
    ) == []  # fmt: skip
