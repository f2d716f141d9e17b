"""Orderly advance in single file."""

import pytest

from squads.soldiers import Soldier, soldier, watched
from telos.core.errors import TelosError
from telos.squads.squad import BehaviourEnded, OrdersGiven


def file_of_three() -> list[Soldier]:
    return [soldier("Ann", 0.0, rank=2), soldier("Bob", 5.5), soldier("Cid", 3.0)]


def conclusions(told: list[object]) -> list[tuple[str, bool, str]]:
    return [(each.behaviour, each.fulfilled, each.why) for each in told if isinstance(each, BehaviourEnded)]


def follows(squad: list[Soldier]) -> dict[str, tuple[str, str | None]]:
    return {each.name: (each.order["task"], each.order["target"]) for each in squad if each.order is not None}


def in_passage(squad: list[Soldier], *nodes: str) -> list[Soldier]:
    """Let all of a squad know that the nodes lie in a passage."""
    for member in squad:
        for node in nodes:
            member.note("post", node, narrow=True)
    return squad


def test_squad_advances_abreast_where_there_is_room() -> None:
    squad = file_of_three()
    squad[1].note("post", "p1", narrow=False)
    red, _ = watched()
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    assert follows(squad) == {"Ann": ("lead", None), "Bob": ("abreast", "Ann"), "Cid": ("abreast", "Ann")}
    assert {each.order["node"] for each in squad if each.order is not None} == {"p1"}


def test_leader_waits_until_the_others_have_closed_up() -> None:
    squad = [soldier("Ann", 20.0, rank=2), soldier("Bob", 13.9), soldier("Cid", 16.0)]
    red, _ = watched(reach=30.0)
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    squad[0].feels(at="p1").does()
    red.tick(squad, 5.0)
    assert {each.order["node"] for each in squad if each.order is not None} == {"p1"}, "Bob is 6.1 m behind"
    squad[1].position = (14.1, 0.0)
    red.tick(squad, 5.5)
    assert {each.order["node"] for each in squad if each.order is not None} == {"p2"}


def test_squad_changes_to_single_file_when_somebody_knows_that_the_way_is_narrow() -> None:
    squad = file_of_three()
    red, told = watched()
    red.advance_to(None, ["p1"])
    red.tick(squad, 0.0)
    squad[2].note("post", "p1", narrow=True)
    red.tick(squad, 0.5)
    assert follows(squad) == {"Ann": ("lead", None), "Cid": ("follow", "Ann"), "Bob": ("guard_rear", "Cid")}
    assert told[-1].why == "the way to p1 is narrow"


def test_single_file_follows_and_the_last_guards_the_rear() -> None:
    squad = in_passage(file_of_three(), "p1")
    squad[1].note("node", "p1", x=7.0, y=3.0, room="yard", kind="patrol", distance=9.0)
    red, _ = watched()
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    assert follows(squad) == {"Ann": ("lead", None), "Cid": ("follow", "Ann"), "Bob": ("guard_rear", "Cid")}
    assert squad[0].order is not None
    assert squad[0].order["node"] == "p1"
    assert (squad[0].order["place_x"], squad[0].order["place_y"]) == (7.0, 3.0), "as Bob knows where that is"


def test_leader_advances_by_nodes_and_others_keep_their_orders() -> None:
    squad = in_passage(file_of_three(), "p1", "p2")
    red, told = watched()
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    behind = [each.order for each in squad[1:]]
    squad[0].feels(at="p1").does()
    red.tick(squad, 15.0)
    assert squad[0].order is not None
    assert squad[0].order["node"] == "p2"
    assert [each.order for each in squad[1:]] == behind
    red.tick(squad, 30.0)
    assert red.squads[0].engaged, "the time limit is for each leg"
    squad[0].does()
    red.tick(squad, 31.0)
    assert conclusions(told) == [("orderly-advance", True, "Ann is at p2")]
    for now in range(32, 50):
        red.tick(squad, float(now))
    assert len([each for each in told if isinstance(each, OrdersGiven)]) == 2, (
        "an objective that is reached is done with"
    )


def test_next_in_rank_leads_after_the_leader_dies() -> None:
    squad = in_passage(file_of_three(), "p1", "p2")
    red, told = watched()
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    squad[0].feels(at="p1").does()
    red.tick(squad, 1.0)
    squad[0].alive = False
    red.tick(squad, 1.1)
    assert follows(squad) == {"Bob": ("lead", None), "Cid": ("guard_rear", "Bob")}
    assert squad[1].order is not None
    assert squad[1].order["node"] == "p2", "not back to where the dead man has led them"
    assert red.squads[0].leader.name == "Bob"
    assert not conclusions(told)


def test_single_file_closes_up_after_a_death() -> None:
    squad = in_passage(file_of_three(), "p1", "p2")
    red, _ = watched()
    red.advance_to(None, ["p1"])
    red.tick(squad, 0.0)
    lead = squad[0].order
    squad[2].alive = False
    red.tick(squad, 1.0)
    assert follows(squad) == {"Ann": ("lead", None), "Bob": ("guard_rear", "Ann")}
    assert squad[0].order is lead


def test_contact_ends_the_advance_and_keeps_its_progress() -> None:
    squad = in_passage(file_of_three(), "p1", "p2")
    red, told = watched()
    red.advance_to(None, ["p1", "p2"])
    red.tick(squad, 0.0)
    squad[0].feels(at="p1").does()
    red.tick(squad, 1.0)
    squad[2].sees(time=2.0)
    red.tick(squad, 2.0)
    assert conclusions(told) == [("orderly-advance", False, "contact: bert")]
    assert follows(squad) == {}
    for each in squad:  # the others know of it from Cid
        assert each.memory.forget("enemy", "bert")
    red.tick(squad, 9.0)
    assert squad[0].order is not None
    assert squad[0].order["node"] == "p2"


def test_refusal_ends_the_advance() -> None:
    squad = file_of_three()
    red, told = watched()
    red.advance_to(None, ["p1"])
    red.tick(squad, 0.0)
    squad[1].refuses("a grenade")
    red.tick(squad, 1.0)
    assert conclusions(told) == [("orderly-advance", False, "Bob refuses: a grenade")]


def test_new_objective_ends_the_advance() -> None:
    squad = file_of_three()
    red, told = watched()
    red.advance_to(None, ["p1"])
    red.tick(squad, 0.0)
    red.advance_to("red-1", ["p7"])
    red.tick(squad, 1.0)
    assert conclusions(told) == [("orderly-advance", False, "there is another objective")]
    red.tick(squad, 5.0)
    assert squad[0].order is not None
    assert squad[0].order["node"] == "p7"


def test_objective_applies_to_one_squad_only() -> None:
    near, far = soldier("Ann"), soldier("Bob", 100.0)
    red, _ = watched()
    red.tick([near, far], 0.0)
    red.advance_to("red-2", ["p1"])
    red.tick([near, far], 1.0)
    assert (near.task, far.task) == (None, "lead")


def test_new_members_get_the_objective_of_the_side() -> None:
    red, _ = watched()
    red.advance_to(None, ["p1"])
    red.tick([], 0.0)
    late = soldier("Ann")
    red.tick([late], 3.0)
    assert late.task == "lead"


@pytest.mark.parametrize(
    ("squad", "objective", "message"),
    [
        ("red-9", {"advance": ["p1"]}, "unknown squad 'red-9'"),
        (None, {"advnce": ["p1"]}, "did you mean 'advance'"),
        (None, {"advance": "p1"}, "give a list"),
        (None, {"advance": None}, "'advance' is None; give a list"),
    ],
)
def test_invalid_objective_raises_an_error(squad: str | None, objective: object, message: str) -> None:
    red, _ = watched()
    with pytest.raises(TelosError, match=message):
        red.set_objective(squad, objective)  # type: ignore[arg-type]
