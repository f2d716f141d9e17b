"""Invariants of the coordinator with random memories, saving, and errors."""

import json
from random import Random
from typing import Any

import pytest

from mutations import damage
from squads.soldiers import Soldier, soldier, watched
from telos.agents.memory import WorkingMemory
from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.squads.behaviours import ALL_BEHAVIOURS, select_behaviours
from telos.squads.coordinator import Coordinator
from telos.squads.squad import BehaviourEnded, OrdersGiven

NODES = [f"c{i}" for i in range(6)]
ROOMS = ["r1", "r2", "r3"]


def crowd(rng: Random) -> list[Soldier]:
    found = [soldier(f"s{i}", rng.uniform(0, 40), rng.uniform(0, 20), rank=rng.randrange(3)) for i in range(8)]
    for each in found:
        each.memory = WorkingMemory(fades={"enemy": 8.0, "order": rng.choice([2.0, 30.0]), "order_refused": 2.0})
        each.feels()
    return found


def shuffle(one: Soldier, rng: Random, now: float) -> None:
    """Apply a random event: the soldier learns, moves, obeys, refuses, forgets or dies."""
    match rng.randrange(11):
        case 0:
            one.note("enemy", rng.choice(["bert", "carl"]), now, x=30.0, y=rng.uniform(0, 9), seen=rng.random() < 0.5)
        case 1 | 2:
            one.knows(rng.choice(NODES), rng.uniform(1, 20), rng.uniform(2, 30), valid=rng.random() < 0.8)
        case 3:
            one.knows_room(rng.choice(ROOMS), rng.uniform(1, 20), rng.randrange(1, 3))
        case 4:
            one.feels(at=rng.choice([None, *NODES]), cover_valid=rng.random() < 0.7, loaded=rng.random() < 0.8)
        case 5 | 6 if one.order is not None and one.order["node"] is not None:
            one.feels(at=one.order["node"], cover_valid=rng.random() < 0.9)
        case 7 if one.order is not None:
            one.does(now)
        case 8 if one.order is not None and rng.random() < 0.3:
            one.refuses("a grenade", now)
        case 9:
            one.memory.fade(now)
            one.position = (rng.uniform(0, 40), rng.uniform(0, 20))
            if rng.random() < 0.5:
                one.note("searched", rng.choice(ROOMS), now)
        case 10:
            one.alive = rng.random() > 0.1


def check_laws(red: Coordinator, everyone: list[Soldier]) -> None:
    given = {name: order for squad in red.squads if squad.assignment for name, order in squad.assignment.orders.items()}
    nodes = [order.node for order in given.values() if order.task in ("cover", "advance")]
    assert len(set(nodes)) == len(nodes), "two are ordered to one node"
    living = {each.name for each in everyone if each.alive}
    assert given.keys() <= living, "an order for the dead"
    held = {each.name: each.order["serial"] for each in everyone if each.order is not None}
    assert all(name in given and given[name].serial == serial for name, serial in held.items()), "a void order"
    assert {name for squad in red.squads for name in squad.names} <= living
    for squad in red.squads:
        assert squad.names[0] == min(squad.members, key=lambda each: (-each.rank, each.name)).name
        assert squad.assignment is None or set(squad.assignment.orders) <= set(squad.names)
        assert len(squad.passed_over) == len(ALL_BEHAVIOURS) - squad.engaged


def test_orders_are_for_the_living_and_never_stale() -> None:
    begun, ended = set(), set()
    for seed in range(150):
        rng = Random(seed)
        everyone = crowd(rng)
        red, told = watched()
        red.advance_to(None, ["p1", "c2"])
        for step in range(80):
            now = step * 0.4
            for _ in range(4):
                shuffle(rng.choice(everyone), rng, now)
            red.tick([each for each in everyone if rng.random() < 0.995], now)
            if step % 10 == 0:
                red.tick(everyone, now)
            check_laws(red, [each for each in everyone if any(each.name in squad.names for squad in red.squads)])
        begun |= {each.behaviour for each in told if isinstance(each, OrdersGiven)}
        ended |= {(each.behaviour, each.fulfilled) for each in told if isinstance(each, BehaviourEnded)}
    assert begun == {each.name for each in ALL_BEHAVIOURS}
    assert ended == {(each.name, fulfilled) for each in ALL_BEHAVIOURS for fulfilled in (True, False)}, (
        "all ends were met"
    )


def test_dead_members_keep_no_orders() -> None:
    for seed in range(60):
        rng = Random(seed)
        everyone = crowd(rng)
        red, _ = watched()
        for step in range(40):
            for _ in range(4):
                shuffle(rng.choice(everyone), rng, step * 0.4)
            red.tick(everyone, step * 0.4)
            check_laws(red, everyone)


def test_restored_coordinator_continues_exactly() -> None:
    engaged = 0
    for seed in range(40):
        rng = Random(seed)
        everyone = crowd(rng)
        red, told = watched()
        red.advance_to(None, ["p1", "c2"])
        for step in range(60):
            if step == 30:
                saved = json.loads(json.dumps(red.save(), allow_nan=False))
                again, retold = watched()
                again.restore(saved, everyone)
                assert again.save() == red.save()
                assert [squad.why() for squad in again.squads] == [squad.why() for squad in red.squads]
                engaged += any(squad.engaged for squad in red.squads)
                first = len(told)
                red, told = again, [*told, *retold]
                again.trace = told.append
            for _ in range(4):
                shuffle(rng.choice(everyone), rng, step * 0.4)
            red.tick(everyone, step * 0.4)
        assert [as_json(each) for each in told[first:]] == replayed(seed)[first:]
    assert engaged > 10


def test_whatever_is_saved_can_be_restored() -> None:
    """Also a run out of the enemy's sight, which nobody suppresses for."""
    kinds = set()
    for seed in range(25):
        rng = Random(seed)
        everyone = crowd(rng)
        red, _ = watched()
        red.advance_to(None, ["p1", "c2"])
        for step in range(50):
            for _ in range(4):
                shuffle(rng.choice(everyone), rng, step * 0.4)
            rng.choice(everyone).knows(rng.choice(NODES), rng.uniform(1, 20), rng.uniform(2, 30), in_view=0.0)
            red.tick(everyone, step * 0.4)
            saved, again = json.loads(json.dumps(red.save())), watched()[0]
            again.restore(saved, everyone)
            assert again.save() == red.save()
            for squad in red.squads:
                given = squad.assignment.orders.values() if squad.assignment is not None else ()
                kinds.add((squad.behaviour, any(order.task == "suppress" for order in given)))
    assert {("advance-cover", False), ("advance-cover", True), ("get-to-cover", False), ("search", False)} <= kinds


def replayed(seed: int) -> list[str]:
    """Return the trace of the same game without saving."""
    rng = Random(seed)
    everyone = crowd(rng)
    red, told = watched()
    red.advance_to(None, ["p1", "c2"])
    for step in range(60):
        for _ in range(4):
            shuffle(rng.choice(everyone), rng, step * 0.4)
        red.tick(everyone, step * 0.4)
    return [as_json(each) for each in told]


def test_coordinator_uses_only_given_behaviours() -> None:
    ann, bob = soldier("Ann").sees().stands_at("c1"), soldier("Bob").sees().knows("c3", 5.0)
    red, _ = watched(behaviours=select_behaviours(["search"]))
    red.tick([ann, bob], 0.0)
    assert red.squads[0].behaviour is None
    assert list(red.squads[0].passed_over) == ["search"]


def test_misspelt_behaviour_gets_a_suggestion() -> None:
    with pytest.raises(TelosError, match="'search'"):
        select_behaviours(["serach"])


def test_coordinator_rejects_duplicate_behaviours() -> None:
    with pytest.raises(TelosError, match="same name"):
        Coordinator("red", behaviours=[*ALL_BEHAVIOURS, ALL_BEHAVIOURS[0]])


def test_restore_requires_the_saved_behaviour() -> None:
    ann, bob = soldier("Ann").sees().stands_at("c1"), soldier("Bob").sees().knows("c3", 5.0)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    with pytest.raises(TelosError, match="'get-to-cover'"):
        Coordinator("red", behaviours=[]).restore(red.save(), [ann, bob])


def test_dead_squad_is_removed_and_its_behaviour_fails() -> None:
    ann, bob = soldier("Ann").sees().stands_at("c1"), soldier("Bob").sees().knows("c3", 5.0)
    red, told = watched()
    red.tick([ann, bob], 0.0)
    ann.alive = bob.alive = False
    red.tick([ann, bob], 0.1)
    assert red.squads == ()
    assert [(each.fulfilled, each.why) for each in told if isinstance(each, BehaviourEnded)] == [
        (False, "nobody is left")
    ]
    assert ann.order is None
    assert bob.order is None


# Saved coordinators are data from outside


def engaged_coordinator(seed: int = 3) -> tuple[Coordinator, list[Soldier]]:
    rng = Random(seed)
    everyone = crowd(rng)
    red, _ = watched()
    red.advance_to(None, ["p1", "c2"])
    for step in range(30):
        for _ in range(4):
            shuffle(rng.choice(everyone), rng, step * 0.4)
        red.tick(everyone, step * 0.4)
    return red, everyone


@pytest.mark.parametrize("saved", [{}, None, [], 3])
def test_what_is_no_saved_coordinator_is_refused(saved: Any) -> None:
    with pytest.raises(TelosError, match="saved coordinator: "):
        Coordinator("red").restore(saved, [])


def test_damaged_coordinators_are_refused_whole_or_go_on() -> None:
    rng, refused = Random(1), 0
    red, everyone = engaged_coordinator()
    saved = json.loads(json.dumps(red.save()))
    for _ in range(150):
        other, _ = watched()
        before = other.save()
        try:
            other.restore(damage(saved, rng), everyone, lenient=rng.random() < 0.3)
        except TelosError:
            refused += 1
            assert other.save() == before
        else:
            for step in range(30, 60):
                other.tick(everyone, step * 0.4)
    assert refused > 30


def test_lenient_restore_leaves_out_behaviours_and_members_that_are_gone() -> None:
    ann, bob = soldier("Ann").sees().stands_at("c1"), soldier("Bob").sees().knows("c3", 5.0)
    red, _ = watched()
    red.tick([ann, bob], 0.0)
    saved = json.loads(json.dumps(red.save()))
    other = Coordinator("red", behaviours=[])
    omitted = other.restore(saved, [ann, bob], lenient=True)
    assert [each.what for each in omitted] == ["the behaviour 'get-to-cover'"]
    assert [squad.names for squad in other.squads] == [squad.names for squad in red.squads]
    alone, _ = watched()
    with pytest.raises(TelosError, match=r"squads\[0\]\.members\[\d\] is 'Bob'"):
        alone.restore(saved, [ann])
    assert [each.what for each in alone.restore(saved, [ann], lenient=True)] == ["the member 'Bob'"]
    alone.tick([ann], 0.5)
    assert red.restore(saved, [ann, bob]) == ()
