"""Scenes of squads: orders, emergent flanks, and words that have effects."""

import ast
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import telos
from telos.agents.trace import Began, Chose, Finished, Noticed
from telos.squads.behaviours import ALL_BEHAVIOURS
from telos.squads.squad import BehaviourEnded, LineSpoken, OrdersGiven
from telos.worlds.arena.ai.characters import load_arena_domain
from telos.worlds.arena.scene import CastMember, Scene, load_scene
from telos.worlds.arena.sim.map import ArenaMap, Point
from worlds.arena.fights import SEEDS, Fight, body, changed, fought, in_order, script

over_seeds = pytest.mark.parametrize("seed", SEEDS)


def angle(eye: Point, one: Point, other: Point) -> float:
    """Return the angle between two points seen from a third, in degrees."""
    apart = math.atan2(one[1] - eye[1], one[0] - eye[0]) - math.atan2(other[1] - eye[1], other[0] - eye[0])
    return abs((math.degrees(apart) + 180) % 360 - 180)


def movers(fight: Fight, behaviour: str) -> Iterator[tuple[str, str]]:
    """Yield the members and nodes of orders of fulfilled behaviours."""
    ends = {each.time for each in fight.of(BehaviourEnded) if each.behaviour == behaviour and each.fulfilled}
    for ordered in fight.of(OrdersGiven):
        if ordered.behaviour == behaviour and any(end > ordered.time for end in ends):
            yield from ((who, said.split()[-1]) for who, said in ordered.orders.items() if "suppress" not in said)


def aside(fight: Fight, node: str, enemy: str) -> float:
    """Return the angle between the squad and a node, seen from the enemy's cover."""
    start = fight.views[0].fighters
    squad = [(each.x, each.y) for each in start if each.side == "red"]
    middle = (sum(x for x, _ in squad) / len(squad), sum(y for _, y in squad) / len(squad))
    map = fight.battle.arena.map
    return angle(map.nodes[enemy].position, map.nodes[node].position, middle)


# What nobody has programmed


def test_wall_turns_a_cover_order_into_a_flank() -> None:
    flanks = 0
    for seed in SEEDS:
        fight = fought("flank", seed)
        for who, node in movers(fight, "get-to-cover"):
            place = fight.battle.arena.map.nodes[node].position
            assert aside(fight, node, enemy="c3") > 60
            assert not fight.battle.arena.protects("c3", place)  # the enemy's cover does not protect from there
            assert any(each.name == who and each.at == node for view in fight.views for each in view.fighters)
            flanks += 1
    assert flanks >= len(SEEDS) // 2


def test_flanker_takes_the_back_route_round_the_wall() -> None:
    fight = fought("flank", 1)
    (who, node), *_ = movers(fight, "get-to-cover")
    path = [(each.x, each.y) for view in fight.views for each in view.fighters if each.name == who]
    straight = math.dist(path[0], fight.battle.arena.map.nodes[node].position)
    walked = sum(math.dist(one, two) for one, two in pairwise(path))
    assert walked > 1.05 * straight


def test_cover_on_both_sides_of_the_enemy_makes_a_pincer() -> None:
    pincers = 0
    for seed in SEEDS:
        fight = fought("pincer", seed)
        nodes = [node for _, node in movers(fight, "advance-cover")]
        if len(nodes) < 2:
            continue  # he died too soon
        assert all(aside(fight, node, enemy="c4") > 60 for node in nodes)
        places = [fight.battle.arena.map.nodes[node].position for node in nodes]
        eye = fight.battle.arena.map.nodes["c4"].position
        assert min(y for _, y in places) < eye[1] < max(y for _, y in places)
        assert angle(eye, places[0], places[1]) > 90
        pincers += 1
    assert pincers >= 2


def test_cover_behind_makes_a_retreat_by_turns() -> None:
    fight = fought("retreat", 8)
    arena = fight.battle.arena
    assert fight.of(OrdersGiven)[0].orders["Bob"] == "suppress Pat", "he is the last to leave"
    end = next(each.time for each in fight.of(BehaviourEnded) if each.fulfilled)
    assert not any(each.at == "c5" for view in fight.views if view.time < end for each in view.fighters)
    assert any(each.name == "Bob" and each.at == "c5" for view in fight.views for each in view.fighters)
    places = {each.name: each.x for each in fight.views[0].fighters}
    for who, node in [*movers(fight, "get-to-cover")][:2]:
        assert arena.map.nodes[node].position[0] < places[who] - 5.0, "the enemy is in the east"
    assert {"Ann", "Cal"} == {who for who, _ in [*movers(fight, "get-to-cover")][:2]}


def test_code_contains_no_flank_or_pincer() -> None:
    names = {action.name for action in load_arena_domain().actions} | {each.name for each in ALL_BEHAVIOURS}
    assert not [name for name in names if "flank" in name or "pinc" in name or "retreat" in name]
    root = Path(telos.__file__).parent
    sources = [path for room in ("squads", "worlds/arena") for path in (root / room).rglob("*.py")]
    parsed = (node for path in sources for node in ast.walk(ast.parse(path.read_text())))
    named = {getattr(node, "name", None) or getattr(node, "id", None) or getattr(node, "attr", "") for node in parsed}
    assert {type(each).__name__ for each in ALL_BEHAVIOURS} <= named  # the search covers all behaviours
    assert not [name for name in named if "flank" in name.lower() or "pincer" in name.lower()]


# Orders


@pytest.mark.parametrize("scene", ["get-to-cover", "advance-cover", "pincer", "grenade"])
@over_seeds
def test_orders_never_share_a_node(scene: str, seed: int) -> None:
    for ordered in fought(scene, seed).of(OrdersGiven):
        nodes = [said.split()[-1] for said in ordered.orders.values() if "cover at" in said or "advance to" in said]
        assert len(nodes) == len(set(nodes))


@over_seeds
def test_one_member_suppresses_while_others_run(seed: int) -> None:
    fight = fought("get-to-cover", seed)
    first = fight.of(OrdersGiven)[0]
    tasks = sorted(said.split()[0] for said in first.orders.values())
    assert tasks.count("suppress") == 1
    assert "take" in tasks
    suppressor = next(who for who, said in first.orders.items() if said.startswith("suppress"))
    assert "suppress" in fight.steps(suppressor)
    end = next(each for each in fight.of(BehaviourEnded) if each.behaviour == "get-to-cover")
    assert end.fulfilled
    runner = next(who for who, said in first.orders.items() if said.startswith("take"))
    view = next(each for each in fight.views if each.time >= end.time)
    assert next(each for each in view.fighters if each.name == runner).at == first.orders[runner].split()[-1]


@over_seeds
def test_each_advance_ends_nearer_and_never_do_all_run(seed: int) -> None:
    fight = fought("advance-cover", seed)
    bounds = [each for each in fight.of(OrdersGiven) if each.behaviour == "advance-cover"]
    assert bounds
    nodes, enemy = fight.battle.arena.map.nodes, fight.battle.arena.map.places["P"]
    for bound in bounds:
        assert any(said.startswith("suppress") for said in bound.orders.values())
        view = next(each for each in fight.views if each.time >= bound.time)
        where = {each.name: (each.x, each.y) for each in view.fighters}
        for who, said in bound.orders.items():
            if said.startswith("advance"):
                assert math.dist(nodes[said.split()[-1]].position, enemy) < math.dist(where[who], enemy)


@over_seeds
def test_fleeing_a_grenade_overrides_an_advance_order(seed: int) -> None:
    fight = fought("grenade", seed)
    fled = next(each for each in fight.of(Chose) if each.goal == "escape")
    assert (fled.who, fled.instead_of) == ("Bob", "follow_order")
    failed = next(each for each in fight.of(BehaviourEnded) if not each.fulfilled)
    assert (failed.behaviour, failed.why) == ("advance-cover", "Bob refuses: escape comes first")
    assert 0 <= failed.time - fled.time <= 1.0
    blast = fight.events("exploded")[0]
    view = next(each for each in fight.views if each.time >= blast.time)
    bob = next(each for each in view.fighters if each.name == "Bob")
    assert math.dist((bob.x, bob.y), (blast.context["x"], blast.context["y"])) > 3.0
    assert bob.health == 100.0


@over_seeds
def test_single_file_stays_together_and_the_last_looks_back(seed: int) -> None:
    fight = fought("orderly-advance", seed)
    end = fight.of(BehaviourEnded)[0]
    assert end.fulfilled
    assert {"follow", "guard-rear"} <= {step for who in ("Bob", "Cal", "Dee") for step in fight.steps(who)}
    for view in fight.views:
        if 6.0 <= view.time <= end.time:
            places = [(each.x, each.y) for each in view.fighters]
            nearest = [min(math.dist(one, two) for two in places if two != one) for one in places]
            assert max(nearest) <= 7.0


def test_in_single_file_each_looks_at_the_one_in_front_and_the_last_away_from_him() -> None:
    fight = fought("orderly-advance", 1)
    file = next(each for each in fight.of(OrdersGiven) if any("rear" in said for said in each.orders.values()))
    front = {who: said.split()[-1] for who, said in file.orders.items() if not said.startswith("lead")}
    last = next(who for who, said in file.orders.items() if "rear" in said)
    checked = 0
    for before, view in pairwise(fight.views):
        was, fighters = ({each.name: each for each in shown.fighters} for shown in (before, view))
        for who, ahead in front.items():
            me, other = fighters[who], fighters[ahead]
            stands = (other.x, other.y) == (was[ahead].x, was[ahead].y) and (me.x, me.y) == (was[who].x, was[who].y)
            if not stands or me.doing not in (f"animate overwatch {ahead}", f"animate look_back {ahead}"):
                continue
            towards = math.atan2(other.y - me.y, other.x - me.x)
            turned = abs(math.remainder(me.facing - towards, 2 * math.pi))
            assert turned == pytest.approx(math.pi if who == last else 0.0, abs=0.7)
            checked += 1
    assert checked > 20


@over_seeds
def test_one_clears_a_room_while_the_other_covers_him_and_contact_ends_the_search(seed: int) -> None:
    fight = fought("search-contact", seed)
    pairs = fight.of(OrdersGiven)[0].orders
    assert {said.split()[0] for said in pairs.values()} == {"search", "follow"}
    end = next(each for each in fight.of(BehaviourEnded) if each.behaviour == "search")
    assert (end.fulfilled, end.why) == (False, "contact: Pat")
    assert "pin-down" in {step for who in pairs for step in fight.steps(who)}, "four against one: one gun to spare"
    assert fight.battle.arena.living("blue") == ()


@over_seeds
def test_every_room_is_searched_once_by_a_pair(seed: int) -> None:
    fight = fought("search", seed)
    searched = [each.subject for each in fight.of(Noticed) if each.fact == "searched"]
    assert sorted(set(searched)) == ["r1", "r2", "r3", "r4"]
    assert fight.of(BehaviourEnded)[0].why == "every room is searched"
    for ordered in fight.of(OrdersGiven):
        rooms = [said.split()[1] for said in ordered.orders.values() if said.startswith("search")]
        assert len(rooms) == len(set(rooms))


# Words that do something


def test_sergeant_has_the_door_opened_by_a_near_private() -> None:
    fight = fought("rank", 1)
    assert fight.steps("Sam")[:3] == ["goto", "tell-ally-to-open", "goto"]
    assert fight.steps("Tia") == ["goto", "open-as-told"]
    assert [each.player for each in fight.events("opened")] == ["Tia"]
    assert any(each.at == "p1" for view in fight.views for each in view.fighters if each.name == "Sam")


@pytest.mark.parametrize(
    "variant",
    [{"x": 2.5, "y": 6.5}, {"rank": 3}, {"rank": 2}],
    ids=["she is far away", "she outranks him", "she is his equal"],
)
def test_sergeant_opens_the_door_himself_when(variant: dict[str, object]) -> None:
    fight = Fight(changed(load_scene("rank"), "Tia", **variant), 1)
    assert "tell-ally-to-open" not in fight.steps("Sam")
    assert [each.player for each in fight.events("opened")] == ["Sam"]


@over_seeds
def test_sergeant_opens_the_door_when_the_private_dies(seed: int) -> None:
    scene = changed(load_scene("rank"), "Tia", body=body(health=1.0))
    killer = CastMember(
        "K", "Kit", "soldier", "neutral", 6.5, 5.5, body=body(magazines=0), script=script((0.0, "animate fire Tia"))
    )
    fight = Fight(replace(scene, cast=(*scene.cast, killer)), seed)
    dead = next(each.time for each in fight.events("dead"))
    opened = fight.events("opened")
    if opened[0].player == "Sam":
        assert opened[0].time - dead <= 15.0
    else:
        assert opened[0].time <= dead  # she opened it before she died
    assert any(each.at == "p1" for view in fight.views for each in view.fighters if each.name == "Sam")


BLIND_CORNER = """
##########################
#      #                 #
#  T   #                 #
#      #                 #
#      #           P     #
#                        #
#                        #
#                        #
#                        #
#           S            #
#                        #
#*                      *#
##########################
"""


def blind_corner(character: str) -> Scene:
    """Return a fight with a grenade round the corner from Tia, seen only by Sam."""
    map = ArenaMap(BLIND_CORNER)
    sam, tia, pat = (map.places[letter] for letter in "STP")
    throw = script((0.5, "animate throw 8.5,4.5"))
    cast = (
        CastMember("S", "Sam", character, "red", *sam, rank=1, body=body(weapon="pistol")),
        CastMember("T", "Tia", "private", "red", *tia),
        CastMember("P", "Pat", "soldier", "blue", *pat, body=body(grenades=1), script=throw),
    )  # fmt: skip
    return Scene("corner", "", 6.0, map, cast)


@over_seeds
def test_warning_moves_an_ally_who_has_not_seen_the_grenade(seed: int) -> None:
    fight = Fight(blind_corner("layer-7-talk"), seed)
    if not fight.events("exploded"):
        return  # Pat fell before the throw
    shout = next(each for each in fight.events("shouted", by="Sam"))
    known = next(each for each in fight.of(Noticed, "Tia") if each.fact == "grenade")
    assert known.time == shout.time  # through the warning only
    assert in_order(["flee"], fight.steps("Tia"))
    assert any(each.step == "warn-ally" for each in fight.of(Finished, "Sam"))


@over_seeds
def test_ally_stays_without_the_warning(seed: int) -> None:
    fight = Fight(blind_corner("layer-6-ambush"), seed)
    assert not [each for each in fight.of(Noticed, "Tia") if each.fact == "grenade"]
    assert "flee" not in fight.steps("Tia")


def test_grenade_of_the_warning_test_explodes() -> None:
    assert sum(bool(Fight(blind_corner("layer-7-talk"), seed).events("exploded")) for seed in SEEDS) >= 3


def test_dead_fighters_neither_speak_nor_act() -> None:
    fight = fought("skirmish", 2, 60.0)
    died = {each.context["target"]: each.time for each in fight.events("dead")}
    assert died
    for record in [*fight.of(LineSpoken), *fight.of(Began)]:
        assert record.time <= died.get(record.who, math.inf)


@over_seeds
def test_orders_are_called_out_only_while_they_stand(seed: int) -> None:
    running: set[str] = set()
    for record in fought("get-to-cover", seed).records:
        if isinstance(record, OrdersGiven):
            running.add(record.squad)
        elif isinstance(record, BehaviourEnded):
            running.discard(record.squad)
        elif isinstance(record, LineSpoken) and record.exchange.startswith("order-"):
            assert running
