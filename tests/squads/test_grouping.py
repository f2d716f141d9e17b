"""Squads are formed by proximity and keep their names."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squads.soldiers import soldier, watched
from telos.core.errors import TelosError
from telos.squads.coordinator import Coordinator, find_clusters, name_squads
from telos.squads.squad import SquadsFormed

COORDINATES = st.floats(-60, 60).map(lambda x: round(x * 2) / 2) | st.floats(-60, 60)


def by_union_find(points: list[tuple[float, float]], reach: float) -> list[list[int]]:
    """Slow reference: compare all pairs."""
    parent = list(range(len(points)))

    def root(i: int) -> int:
        return i if parent[i] == i else root(parent[i])

    for i in range(len(points)):
        for j in range(i):
            if math.dist(points[i], points[j]) <= reach:
                parent[root(i)] = root(j)
    groups: dict[int, list[int]] = {}
    for i in range(len(points)):
        groups.setdefault(root(i), []).append(i)
    return sorted(groups.values())


@given(st.lists(st.tuples(COORDINATES, COORDINATES), max_size=40), st.sampled_from([0.5, 5.0, 12.0, 13.0]))
def test_clusters_match_a_slow_reference(points: list[tuple[float, float]], reach: float) -> None:
    assert find_clusters(points, reach) == by_union_find(points, reach)


def test_large_clusters_match_a_slow_reference() -> None:
    for seed, spread in enumerate((3.0, 80.0, 300.0, 1000.0)):
        rng = Random(seed)
        points = [(rng.uniform(0, spread), rng.uniform(0, spread)) for _ in range(500)]
        assert find_clusters(points, 12.0) == by_union_find(points, 12.0)


def test_clusters_require_finite_positions() -> None:
    with pytest.raises(TelosError, match="nan"):
        find_clusters([(0.0, math.nan)], 12.0)


def test_leader_has_the_highest_rank_then_the_first_name() -> None:
    red, _ = watched()
    red.tick([soldier("Cid"), soldier("Bob"), soldier("Zoe", rank=1)], 0.0)
    assert [squad.names for squad in red.squads] == [("Zoe", "Bob", "Cid")]


def test_only_living_members_of_the_side_are_grouped() -> None:
    red, told = watched()
    foe, dead = soldier("Foe"), soldier("Dan")
    foe.side, dead.alive = "blue", False
    red.tick([foe, dead, soldier("Ann")], 0.0)
    assert [dict(each.squads) for each in told if isinstance(each, SquadsFormed)] == [{"red-1": ("Ann",)}]


def test_squads_are_regrouped_at_intervals() -> None:
    red, told = watched(every=3.0)
    ann, bob = soldier("Ann"), soldier("Bob")
    red.tick([ann, bob], 0.0)
    bob.position = (50.0, 0.0)
    red.tick([ann, bob], 2.9)
    assert len(red.squads) == 1
    red.tick([ann, bob], 3.0)
    assert [(squad.name, squad.names) for squad in red.squads] == [("red-1", ("Ann",)), ("red-2", ("Bob",))]
    red.tick([ann, bob], 6.0)
    assert len([each for each in told if isinstance(each, SquadsFormed)]) == 2, "what did not change is not told again"


def test_squad_name_stays_with_most_members() -> None:
    assert name_squads([["Ann"], ["Bob", "Cid"]], {"red-1": ["Ann", "Bob", "Cid"]}, "red") == ["red-2", "red-1"]


def test_squad_name_stays_with_the_leader_in_a_tie() -> None:
    assert name_squads([["Bob"], ["Ann"]], {"red-1": ["Ann", "Bob"]}, "red") == ["red-2", "red-1"]


def test_joined_squads_keep_the_name_of_the_larger() -> None:
    before = {"red-1": ["Ann"], "red-2": ["Bob", "Cid"]}
    assert name_squads([["Ann", "Bob", "Cid"]], before, "red") == ["red-2"]


def test_squad_names_are_unique() -> None:
    for seed in range(50):
        rng = Random(seed)
        crowd = [soldier(f"s{i}") for i in range(8)]
        red, _ = watched()
        for now in range(0, 30, 3):
            for each in crowd:
                each.position = (rng.uniform(0, 60), rng.uniform(0, 60))
            red.tick(crowd, float(now))
            names = [squad.name for squad in red.squads]
            assert len(set(names)) == len(names)
            assert sorted(name for squad in red.squads for name in squad.names) == [f"s{i}" for i in range(8)]


def test_coordinator_rejects_duplicate_member_names() -> None:
    red, _ = watched()
    with pytest.raises(TelosError, match="same name"):
        red.tick([soldier("Ann"), soldier("Ann")], 0.0)


@pytest.mark.parametrize("reach", [0.0, -1.0, math.nan, math.inf])
def test_coordinator_requires_a_positive_reach(reach: float) -> None:
    with pytest.raises(TelosError, match="reach"):
        Coordinator("red", reach=reach)
