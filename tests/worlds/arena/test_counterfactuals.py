"""Forks of fights with and without orders."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.squads.squad import OrderTask
from telos.worlds.arena import Battle, Scene, load_scene
from telos.worlds.arena.counterfactuals import (
    Conduct,
    OrderEffect,
    OrderlessBattle,
    OrderMoment,
    OrderSituation,
    find_order_moments,
    play_fork,
    sample_moments,
    summarize_orders,
    summarize_situations,
    weigh_moment,
    weigh_orders,
)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return replace(load_scene("get-to-cover"), talk=False)


@pytest.fixture(scope="module")
def moments(scene: Scene) -> list[OrderMoment]:
    return list(find_order_moments(scene, seed=1, seconds=12.0))


def test_moments_are_the_beginnings_of_behaviours(moments: list[OrderMoment]) -> None:
    assert [each.behaviour for each in moments] == ["get-to-cover"] * len(moments)
    assert all(one.time < other.time for one, other in pairwise(moments))
    assert {order.task for order in moments[0].orders.values()} == {"suppress", "cover"}
    assert moments[0].time == 0.5


def test_fork_with_all_orders_and_the_old_dice_is_the_fight_itself(scene: Scene, moments: list[OrderMoment]) -> None:
    (moment, *_), whole = moments, Battle(scene, seed=1)
    while whole.arena.time < moment.time + 5.0:
        whole.step()
    fork = OrderlessBattle(scene, seed=1, unheard=(), since=moment.time)
    fork.restore(moment.saved)
    while fork.arena.time < whole.arena.time:
        fork.step()
    assert fork.view.fighters == whole.view.fighters


@pytest.mark.parametrize("task", ["cover", "suppress"])
def test_member_who_hears_no_order_does_as_he_likes_and_the_squad_goes_on(
    scene: Scene, moments: list[OrderMoment], task: OrderTask
) -> None:
    moment = moments[0]
    name = next(name for name, order in moment.orders.items() if order.task == task)
    heard, unheard = (
        play_fork(scene, moment, seed=1, dice=3, unheard=who, horizon=1.0).steps(name) for who in ((), (name,))
    )
    assert heard != unheard
    assert not {"suppress", "hold-position"} & set(unheard)


def test_squad_does_not_notice_that_nobody_follows(scene: Scene, moments: list[OrderMoment]) -> None:
    moment = moments[0]
    fork = OrderlessBattle(scene, seed=1, unheard=tuple(moment.orders), since=moment.time)
    fork.restore(moment.saved)
    for _ in range(8):
        fork.step()
        (squad,) = (each for one in fork.coordinators for each in one.squads if each.name == moment.squad)
        assert squad.assignment is not None
        assert squad.assignment.began == moment.time
    for name in moment.orders:
        assert fork.comrades[name].memory.recall("order", "current", fork.arena.time) is None


def test_every_order_is_weighed_and_all_together(scene: Scene) -> None:
    effects = list(weigh_orders(scene, seed=1, seconds=2.0, forks=1, horizon=2.0))
    assert [(each.member, each.task) for each in effects] == [
        ("everybody", "everybody"), ("Tia", "suppress"), ("Sam", "cover"), ("Ugo", "cover"),
    ]  # fmt: skip
    assert all(math.isfinite(each.effect.net) for each in effects)
    assert effects == list(weigh_orders(scene, seed=1, seconds=2.0, forks=1, horizon=2.0))


def test_behaviour_with_a_single_order_is_weighed_as_a_whole_and_the_order_once() -> None:
    scene = replace(load_scene("grenade"), talk=False)
    moment = next(each for each in find_order_moments(scene, seed=1) if each.time >= 1.0)
    only = replace(moment, orders=FrozenMap({"Bob": moment.orders["Bob"]}))
    whole, single = weigh_moment(scene, only, seed=1, forks=1, horizon=1.0)
    assert (whole.member, whole.task, whole.situation.stance) == ("everybody", "everybody", "all in cover")
    assert (single.member, single.task, single.situation.stance) == ("Bob", "advance", "in cover")
    assert whole.effect == single.effect
    counts = {each.task: each.orders for each in summarize_orders([whole, single])}
    assert counts == {"advance": 1, "everybody": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [({"forks": 0}, "at least 1 fork, got 0"), ({"horizon": 0.0}, "more than 0 seconds, got 0.0")],
)
def test_bad_settings_are_refused(scene: Scene, options: dict[str, float], message: str) -> None:
    with pytest.raises(TelosError, match=message):
        next(weigh_orders(scene, seed=1, **options))  # type: ignore[arg-type]


def make_effect(dealt: float, *, task: str = "search", contact: str = "later", seed: int = 1) -> OrderEffect:
    situation = OrderSituation(contact, "in cover", "even")
    change = Conduct(dealt, 1.0, 0.0, 0.0)
    return OrderEffect(1.0, "red-1", "search", task, "Ann", "x", "y", change, (), situation, seed)


def test_means_have_intervals_by_behaviour_and_task() -> None:
    def effect(task: str, dealt: float) -> OrderEffect:
        return make_effect(dealt, task=task)

    one, three = summarize_orders([effect("watch", 9.0), *(effect("search", each) for each in (2.0, 4.0, 6.0))])[::-1]
    assert (one.task, one.orders, one.mean.net, one.margin["net"]) == ("watch", 1, 8.0, math.inf)
    assert (three.task, three.orders, three.mean.net) == ("search", 3, 3.0)
    assert three.margin["net"] == pytest.approx(1.96 * 2.0 / math.sqrt(3))
    assert one.to_dict()["margin"]["net"] is None


def test_an_order_counts_for_every_part_of_its_situation() -> None:
    effects = [make_effect(3.0, contact="first contact"), make_effect(5.0), make_effect(7.0)]
    found = {each.situation: (each.orders, each.mean.net) for each in summarize_situations(effects)}
    assert found == {"even": (3, 4.0), "first contact": (1, 2.0), "in cover": (3, 4.0), "later": (2, 5.0)}
    assert summarize_situations(effects)[0].to_dict()["situation"] == "even"


def test_orders_of_one_fight_do_not_count_as_many() -> None:
    """Two fights with means 2 and 6, three orders each: the interval is that of two numbers."""
    effects = [make_effect(net + 1.0, seed=seed) for seed, net in ((1, 2.0), (2, 6.0)) for _ in range(3)]
    (found,) = summarize_orders(effects)
    assert (found.orders, found.mean.net) == (6, 4.0)
    assert found.margin["net"] == pytest.approx(1.96 * math.sqrt(8.0 / 2))


def test_moments_tell_their_situation(scene: Scene, moments: list[OrderMoment]) -> None:
    first = moments[0]
    assert first.situation() == OrderSituation("first contact", "some in the open", "more")
    assert first.situation("Sam").stance == "in the open"
    assert moments[-1].contact == ("later" if moments[-1].time > 8.5 else "first contact")


def test_sample_of_moments_is_drawn_by_the_seed(scene: Scene, moments: list[OrderMoment]) -> None:
    whole = [each.time for each in moments]
    few = [each.time for each in sample_moments(scene, seed=1, most=1, seconds=12.0)]
    assert len(few) == 1
    assert set(few) <= set(whole)
    assert few == [each.time for each in sample_moments(scene, seed=1, most=1, seconds=12.0)]
    assert [each.time for each in sample_moments(scene, seed=1, most=None, seconds=12.0)] == whole
