"""Get-to-cover and advance-cover: some run, one suppresses, and no two share a node."""

import itertools
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squads.soldiers import Soldier, soldier, tasks, watched
from telos.agents.memory import WorkingMemory
from telos.squads.behaviours import assign_nodes, select_behaviours
from telos.squads.behaviours.slots import EXPOSING_WORTH, VIEW_WORTH, find_free_cover, run_cost
from telos.squads.squad import BehaviourEnded, OrdersGiven


def conclusions(told: list[object]) -> list[tuple[str, bool, str]]:
    return [(each.behaviour, each.fulfilled, each.why) for each in told if isinstance(each, BehaviourEnded)]


def two_under_fire() -> tuple[Soldier, Soldier]:
    """Ann in good cover, Bob in the open who knows cover."""
    return soldier("Ann", rank=1).sees().stands_at("c1"), soldier("Bob", 4.0).sees().knows("c3", 6.0)


def test_get_to_cover_has_one_suppress_while_the_other_runs() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    assert tasks([ann, bob]) == {"Ann": ("suppress", None), "Bob": ("cover", "c3")}
    assert ann.order is not None
    assert bob.order is not None
    assert (ann.order["target"], ann.order.time, ann.order["behaviour"]) == ("bert", 1.0, "get-to-cover")
    assert (bob.order["place_x"], bob.order["place_y"]) == (6.0, 1.0)
    ordered = next(each for each in told if isinstance(each, OrdersGiven))
    assert dict(ordered.orders) == {"Ann": "suppress bert", "Bob": "take cover at c3"}


def test_get_to_cover_is_fulfilled_in_valid_cover() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    red.tick([ann, bob], 2.0)
    assert red.squads[0].engaged
    bob.stands_at("c3")
    red.tick([ann, bob], 3.0)
    assert conclusions(told) == [("get-to-cover", True, "everyone who was to run is there")]
    assert tasks([ann, bob]) == {}


def test_get_to_cover_fails_when_cover_no_longer_protects() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    bob.knows("c3", 3.0, valid=False)
    red.tick([ann, bob], 2.0)
    assert conclusions(told) == [("get-to-cover", False, "c3 no longer protects Bob")]


def test_refused_order_fails_the_behaviour() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    bob.refuses("a grenade", 1.5)
    red.tick([ann, bob], 2.0)
    assert conclusions(told) == [("get-to-cover", False, "Bob refuses: a grenade")]
    assert tasks([ann, bob]) == {}


def test_death_of_a_runner_fails_the_behaviour() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    bob.alive = False
    red.tick([ann, bob], 1.1)
    assert conclusions(told) == [("get-to-cover", False, "Bob is dead")]
    assert tasks([ann, bob]) == {}


def test_behaviour_fails_at_its_time_limit() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    for now in range(1, 17):
        red.tick([ann, bob], float(now))
    assert conclusions(told) == [("get-to-cover", False, "no headway for 15 s")]


def test_another_member_suppresses_after_the_leader_dies() -> None:
    ann, bob = two_under_fire()
    cid = soldier("Cid", 2.0).sees().stands_at("c2").feels(health=50.0)
    red, told = watched()
    red.tick([ann, bob, cid], 1.0)
    assert cid.order is None
    run = bob.order
    ann.alive = False
    red.tick([ann, bob, cid], 1.1)
    assert red.squads[0].names == ("Bob", "Cid"), "there is a new leader at once"
    assert tasks([ann, bob, cid]) == {"Cid": ("suppress", None), "Bob": ("cover", "c3")}
    assert bob.order is run, "whoever goes on as before is not ordered anew"
    assert not conclusions(told)


def test_behaviour_fails_without_a_suppressor() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    ann.alive = False
    red.tick([ann, bob], 1.1)
    assert conclusions(told) == [("get-to-cover", False, "Ann is dead, and nobody else can suppress")]
    assert tasks([ann, bob]) == {}


def test_refused_suppression_is_not_passed_back_and_forth() -> None:
    ann, bob = two_under_fire()
    cid = soldier("Cid", 2.0).sees().stands_at("c2")
    red, told = watched()
    red.tick([ann, bob, cid], 1.0)
    ann.refuses("a grenade", 1.1)
    red.tick([ann, bob, cid], 1.2)
    assert cid.task == "suppress"
    cid.refuses("a grenade", 1.3)
    red.tick([ann, bob, cid], 1.4)
    assert conclusions(told) == [("get-to-cover", False, "Cid refuses: a grenade, and nobody else can suppress")]


def test_suppressor_changes_to_a_known_enemy() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    ann.memory.forget("enemy", "bert")
    ann.sees("carl", 2.0)
    red.tick([ann, bob], 2.0)
    assert ann.order is not None
    assert (ann.order["task"], ann.order["target"]) == ("suppress", "carl")
    assert not conclusions(told)


def test_forgotten_order_fails_the_behaviour() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    bob.memory.forget("order", "current")
    red.tick([ann, bob], 1.1)
    assert conclusions(told) == [("get-to-cover", False, "Bob has dropped the order")]


def test_standing_order_is_refreshed_and_later_ones_are_kept() -> None:
    ann, bob = two_under_fire()
    bob.memory.fades["order"] = 4.0
    red, told = watched()
    for now in range(1, 13):
        red.tick([ann, bob], float(now))
    assert bob.memory.recall("order", "current", 12.0) is not None
    bob.note("order", "current", 12.0, serial=-7, task="cover", node="elsewhere")
    red.tick([ann, bob], 12.5)
    assert conclusions(told) == [("get-to-cover", False, "Bob has dropped the order")]
    assert tasks([ann, bob]) == {"Bob": ("cover", "elsewhere")}


def test_member_in_cover_suppresses_before_a_healthier_one() -> None:
    ann, cid = soldier("Ann").sees().knows("c3", 5.0), soldier("Cid").sees().knows("c4", 5.0)
    bob = soldier("Bob").sees().stands_at("c1").feels(health=20.0)
    red, _ = watched()
    red.tick([ann, bob, cid], 0.0)
    assert tasks([ann, bob, cid]) == {"Ann": ("cover", "c3"), "Bob": ("suppress", None), "Cid": ("cover", "c4")}


def test_everybody_runs_if_nobody_can_suppress_from_cover() -> None:
    squad = [soldier(name).sees().knows(node, 5.0) for name, node in (("Ann", "c1"), ("Bob", "c2"), ("Cid", "c3"))]
    squad[0].sees("carl")
    red, told = watched()
    red.tick(squad, 0.0)
    assert tasks(squad) == {"Ann": ("cover", "c1"), "Bob": ("cover", "c2"), "Cid": ("cover", "c3")}
    assert red.squads[0].assignment is not None
    assert red.squads[0].assignment.why.endswith("nobody can suppress from cover")
    for each, node in zip(squad, ("c1", "c2", "c3"), strict=True):
        each.stands_at(node)
    red.tick(squad, 1.0)
    assert conclusions(told) == [("get-to-cover", True, "everyone who was to run is there")]


def test_healthiest_member_suppresses_a_single_enemy_without_cover() -> None:
    squad = [soldier(name).sees().knows(node, 5.0) for name, node in (("Ann", "c1"), ("Bob", "c2"), ("Cid", "c3"))]
    squad[0].feels(health=90.0)
    red, _ = watched()
    red.tick(squad, 0.0)
    assert tasks(squad) == {"Ann": ("cover", "c1"), "Bob": ("suppress", None), "Cid": ("cover", "c3")}


def test_who_sees_the_enemy_suppresses_before_a_healthier_one() -> None:
    ann, bob = two_under_fire()
    cid = soldier("Cid", 2.0).stands_at("c2").note("enemy", "bert", x=30.0, y=0.0, seen=False)
    red, _ = watched()
    red.tick([ann.feels(health=20.0), bob, cid], 0.0)
    assert tasks([ann, bob, cid]) == {"Ann": ("suppress", None), "Bob": ("cover", "c3")}


def test_enemy_near_the_runner_is_suppressed() -> None:
    ann, bob = two_under_fire()
    ann.sees("zoe", x=5.0)  # nearer to her, but Bob does not see it
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert ann.order is not None
    assert ann.order["target"] == "bert"


def test_run_out_of_sight_needs_no_suppressive_fire() -> None:
    ann, bob = two_under_fire()
    bob.knows("c3", 6.0, in_view=1.0)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert tasks([ann, bob]) == {"Bob": ("cover", "c3")}


def test_who_is_not_threatened_is_not_sent() -> None:
    ann, bob = two_under_fire()
    bob.note("enemy", "bert", x=30.0, y=0.0, seen=False)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert "  not get-to-cover: Bob is in the open, but not threatened" in red.squads[0].why().splitlines()
    bob.feels(under_fire=True)
    red.tick([ann, bob], 1.0)
    assert tasks([ann, bob])["Bob"] == ("cover", "c3")


def test_nobody_is_sent_to_the_same_node_again() -> None:
    ann, bob = two_under_fire()
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    bob.stands_at("c3")
    red.tick([ann, bob], 1.0)
    bob.feels(at=None, in_cover=False, cover_valid=False)  # he has walked off
    bob.sees(time=14.0)
    red.tick([ann, bob], 14.0)
    assert bob.order is None
    bob.knows("c4", 30.0)
    red.tick([ann, bob], 14.5)
    assert tasks([ann, bob])["Bob"] == ("cover", "c4")


def test_cover_is_held_where_a_run_has_ended() -> None:
    ann, bob = two_under_fire()
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert bob.memory.recall("hold", "current", 0.0) is None
    bob.stands_at("c3")
    red.tick([ann, bob], 1.0)
    held = bob.memory.recall("hold", "current", 1.0)
    assert held is not None
    assert (held["node"], held.time) == ("c3", 1.0)
    assert ann.memory.recall("hold", "current", 1.0) is None


def test_runs_in_view_of_the_enemy_and_cover_without_a_view_count_as_longer() -> None:
    bob = soldier("Bob", 4.0).sees()

    def cost(**about: object) -> float:
        bob.note("cover", "c3", x=6.0, y=1.0, valid=True, distance=6.0, threat_distance=20.0, **about)
        (fact,) = find_free_cover(bob, frozenset(), 0.0)
        return run_cost(bob, fact, 0.0)

    assert cost(in_view=0.0, sees=True) == 6.0
    assert cost(in_view=5.0, sees=True) == 11.0
    assert cost(in_view=5.0, sees=False) == 11.0 + VIEW_WORTH
    assert cost(in_view=0.0, sees=True, exposes=True) == 6.0 - EXPOSING_WORTH
    bob.note("enemy", "bert", x=30.0, y=0.0, seen=False)
    assert cost(in_view=5.0, sees=False) == 11.0, "who does not fire loses no fire"


def test_members_are_not_sent_to_their_own_node() -> None:
    ann = soldier("Ann").sees().stands_at("c1")
    bob = soldier("Bob").sees().stands_at("c3", valid=False).knows("c3", 0.0).knows("c4", 9.0)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert tasks([ann, bob])["Bob"] == ("cover", "c4")


def test_only_member_with_a_node_does_not_suppress() -> None:
    ann, bob = soldier("Ann").sees().knows("c3", 5.0), soldier("Bob").sees().feels(health=20.0)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert tasks([ann, bob]) == {"Ann": ("cover", "c3"), "Bob": ("suppress", None)}


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda ann, bob: [each.memory.forget("enemy", "bert") for each in (ann, bob)], "no enemy is known"),
        (lambda ann, bob: bob.stands_at("c3"), "everyone is in valid cover"),
        (lambda ann, bob: bob.knows("c3", 6.0, valid=False), "Bob is in the open, with nowhere to go"),
        (lambda ann, bob: ann.stands_at("c3"), "Bob is in the open, with nowhere to go"),
        (
            lambda ann, bob: [each.feels(loaded=False) for each in (ann, bob)],
            "nobody who knows the enemy has a loaded weapon",
        ),
        (lambda ann, bob: setattr(ann, "alive", False), "there is nobody to suppress meanwhile"),
    ],
)
def test_squad_explains_why_it_does_not_get_to_cover(spoil: object, why: str) -> None:
    ann, bob = two_under_fire()
    assert callable(spoil)
    spoil(ann, bob)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert red.squads[0].behaviour is None
    assert f"  not get-to-cover: {why}" in red.squads[0].why().splitlines()


def test_squad_explains_its_behaviour_and_the_others() -> None:
    ann, bob = two_under_fire()
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    assert red.squads[0].why().splitlines() == [
        "red-1 (Ann, Bob): get-to-cover: Bob is in the open; Bob can run to c3 while Ann suppresses",
        "  Ann: suppress bert",
        "  Bob: take cover at c3",
        "  not advance-cover: get-to-cover comes first",
        "  not orderly-advance: get-to-cover comes first",
        "  not search: get-to-cover comes first",
    ]


def test_engaged_squad_is_not_regrouped() -> None:
    ann, bob = two_under_fire()
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    bob.position = (500.0, 0.0)
    cid = soldier("Cid")
    red.tick([ann, bob, cid], 3.0)
    assert [(squad.name, squad.names) for squad in red.squads] == [("red-1", ("Ann", "Bob")), ("red-2", ("Cid",))]


def test_squads_of_one_side_do_not_share_nodes() -> None:
    near = two_under_fire()
    far = soldier("Cid", 100.0).sees().stands_at("c9"), soldier("Dan", 100.0).sees().knows("c3", 1.0).knows("c4", 9.0)
    red, _ = watched()
    red.tick([*near, *far], 0.0)
    assert tasks([*near, *far]) == {
        "Ann": ("suppress", None),
        "Bob": ("cover", "c3"),
        "Cid": ("suppress", None),
        "Dan": ("cover", "c4"),
    }


def four_in_cover() -> list[Soldier]:
    """All in cover at 20 m from the threat, all with something nearer."""
    squad = [soldier(name).sees().stands_at(f"c{i}").knows(f"c{i}", 0.0) for i, name in enumerate("ABCD")]
    for i, each in enumerate(squad):
        each.knows(f"n{i}", 5.0 + i, threat_distance=18.0)
    return squad


def test_squad_that_does_not_outnumber_the_enemy_advances_out_of_sight_only() -> None:
    squad = four_in_cover()
    for each in squad:
        each.sees("carl")
    red, _ = watched()
    red.tick(squad, 0.0)
    assert "  not advance-cover: against 2, all 4 are needed where they are" in red.squads[0].why().splitlines()
    squad[3].knows("n3", 30.0, threat_distance=18.0, in_view=0.5)
    red.tick(squad, 1.0)
    assert tasks(squad) == {"D": ("advance", "n3")}


def test_advance_cover_moves_half_of_the_squad() -> None:
    squad = four_in_cover()
    red, told = watched()
    red.tick(squad, 0.0)
    assert red.squads[0].behaviour == "advance-cover"
    assert tasks(squad) == {"A": ("suppress", None), "B": ("advance", "n1"), "C": ("advance", "n2")}
    squad[1].stands_at("n1")
    red.tick(squad, 1.0)
    squad[2].does()
    red.tick(squad, 2.0)
    assert conclusions(told) == [("advance-cover", True, "everyone who was to run is there")]


def cut_off() -> list[Soldier]:
    """Ann sees the enemy; Bob and Cid, in cover, were told of it, and know cover with a view."""
    ann = soldier("Ann", rank=1).sees().stands_at("c1")
    bob = soldier("Bob").note("enemy", "bert", x=30.0, y=0.0, seen=False).stands_at("c2")
    cid = soldier("Cid").note("enemy", "bert", x=30.0, y=0.0, seen=False).stands_at("c3")
    bob.knows("n1", 9.0, threat_distance=25.0, sees=True)
    cid.knows("n1", 12.0, threat_distance=25.0, sees=True).knows("n2", 14.0, threat_distance=8.0, sees=True)
    return [ann, bob, cid]


def test_who_sees_no_enemy_moves_up_to_cover_with_a_view() -> None:
    squad = cut_off()
    red, told = watched()
    red.tick(squad, 0.0)
    assert tasks(squad) == {"Bob": ("advance", "n1"), "Cid": ("advance", "n2")}  # also in view, and not nearer
    (ordered,) = (each for each in told if isinstance(each, OrdersGiven))
    assert ordered.why == "comrades of Bob and Cid see an enemy; Bob can run to n1, Cid can run to n2"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ann, bob: bob.knows("n1", 9.0, threat_distance=25.0, sees=False),  # no view
        lambda ann, bob: bob.knows("n1", 9.0, threat_distance=7.5, sees=True),  # too near the enemy
        lambda ann, bob: bob.sees(),  # has fire to lose
        lambda ann, bob: bob.feels(cover_valid=False),  # in the open
        lambda ann, bob: ann.sees(time=-4.0),  # nobody sees the enemy any more
    ],
)
def test_who_would_gain_no_view_or_has_one_is_not_sent_for_it(spoil: Callable[[Soldier, Soldier], object]) -> None:
    def task_of_bob(ann: Soldier, bob: Soldier) -> tuple[str, str | None] | None:
        red, _ = watched(behaviours=select_behaviours(["advance-cover"]))
        red.tick([ann, bob], 0.0)
        return tasks([bob]).get("Bob")

    assert task_of_bob(*cut_off()[:2]) == ("advance", "n1")
    ann, bob, _ = cut_off()
    spoil(ann, bob)
    assert task_of_bob(ann, bob) is None


def test_advance_cover_requires_two_metres_of_gain() -> None:
    squad = four_in_cover()
    for i, each in enumerate(squad):
        each.knows(f"n{i}", 5.0, threat_distance=18.1)
    red, _ = watched()
    red.tick(squad, 0.0)
    assert "  not advance-cover: nobody knows free cover 2 m nearer to the threat" in red.squads[0].why().splitlines()


def test_advance_cover_requires_everyone_in_cover() -> None:
    squad = four_in_cover()
    squad[3].feels(cover_valid=False).memory.forget("cover", "n3")
    red, _ = watched()
    red.tick(squad, 0.0)
    assert "  not advance-cover: D is not in valid cover" in red.squads[0].why().splitlines()


def test_ended_behaviour_has_a_cooldown() -> None:
    ann, bob = two_under_fire()
    red, told = watched()
    red.tick([ann, bob], 1.0)
    bob.refuses("a grenade")
    bob.knows("c4", 9.0).sees(time=3.0)
    for now in (2.0, 3.0, 3.9):
        red.tick([ann, bob], now)
        assert not red.squads[0].engaged
    red.tick([ann, bob], 4.0)
    assert red.squads[0].engaged
    assert [each.time for each in told if isinstance(each, OrdersGiven)] == [1.0, 4.0]


WAYS = st.dictionaries(
    st.sampled_from("ABCDE"), st.dictionaries(st.sampled_from("uvwxyz"), st.integers(1, 9), max_size=4), max_size=5
)


@given(WAYS)
def test_assign_nodes_serves_as_many_as_possible(ways: Mapping[str, Mapping[str, float]]) -> None:
    nodes = assign_nodes(ways)
    assert all(nodes[name] in ways[name] for name in nodes)
    assert len(set(nodes.values())) == len(nodes)
    every_way = itertools.product(*([None, *each] for each in ways.values()))
    possible = ([node for node in choice if node] for choice in every_way)
    assert len(nodes) == max(len(each) for each in possible if len(set(each)) == len(each))


def test_empty_memories_give_no_orders() -> None:
    red, _ = watched()
    red.tick([Soldier("Ann", memory=WorkingMemory()), Soldier("Bob")], 0.0)
    assert red.squads[0].behaviour is None
