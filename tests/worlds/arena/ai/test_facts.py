"""Fighters plan with what they know: last known positions, and doors as they found them."""

import pytest

from telos.agents.memory import Fact, WorkingMemory
from telos.core.values import FrozenMap
from telos.worlds.arena.ai.facts import avoided_doors, known_place, latest_barrier
from telos.worlds.arena.ai.fighter_body import UNREACHABLE, PlanningFunctions
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement
from telos.worlds.arena.sim.map import ArenaMap

MAP = ArenaMap("###########\n#A   +   B#\n#    #    #\n#  1 =   2#\n###########")


def arena() -> Arena:
    people = [("Ann", "red", 1.5, 1.5), ("Bob", "red", 2.5, 2.5), ("Una", "blue", 9.5, 1.5)]
    return Arena(MAP, [FighterPlacement(name, side, "soldier", x, y) for name, side, x, y in people])


def noted(*facts: Fact, fades: float = 10.0) -> WorkingMemory:
    memory = WorkingMemory({"enemy": fades, "door": fades, "barrier": fades})
    for each in facts:
        memory.note(each)
    return memory


def stuck(now: float = 0.0, *, kicked: bool = True) -> Fact:
    return Fact("door", "d1", now, attributes=FrozenMap({"stuck": True, "kick_failed": kicked}))


def barrier(name: str, now: float, kind: str = "door") -> Fact:
    return Fact("barrier", name, now, attributes=FrozenMap({"kind": kind, "locked": False}))


def test_enemy_place_is_the_last_known_one_until_forgotten() -> None:
    world = arena()
    seen = Fact("enemy", "Una", 0.0, attributes=FrozenMap({"x": 7.0, "y": 3.0, "seen": False, "alive": True}))
    assert known_place(world, noted(seen), "Ann", "Una") == (7.0, 3.0)
    assert known_place(world, noted(), "Ann", "Una") is None
    for _ in range(100):
        world.step({})
    assert known_place(world, noted(seen), "Ann", "Una") is None


def test_comrades_and_places_are_at_their_real_positions() -> None:
    world = arena()
    assert known_place(world, noted(), "Ann", "Bob") == (2.5, 2.5)
    assert known_place(world, noted(), "Ann", "Ann") == (1.5, 1.5)
    assert known_place(world, noted(), "Ann", "p2") == (9.5, 3.5)


def test_door_that_resisted_a_kick_is_avoided_until_forgotten() -> None:
    assert avoided_doors(noted(stuck(kicked=False)), 1.0) == frozenset()
    assert avoided_doors(noted(stuck()), 1.0) == {"d1"}
    assert avoided_doors(noted(stuck()), 9.6) == frozenset()
    assert avoided_doors(noted(), 0.0) == frozenset()


def test_latest_barrier_is_the_last_one_met() -> None:
    memory = noted(barrier("d1", 3.0), barrier("l1", 1.0, "low"))
    known = latest_barrier(memory, 4.0)
    assert known is not None
    assert known.subject == "d1"
    assert latest_barrier(memory, 20.0) is None


def test_planning_functions_use_known_doors() -> None:
    world = arena()
    naive = PlanningFunctions(world, {"Ann": noted(), "Bob": noted()})
    wiser = PlanningFunctions(world, {"Ann": noted(stuck(), barrier("d1", 0.0)), "Bob": noted()})
    assert naive.can_reach("Ann", "p2")
    assert not wiser.can_reach("Ann", "p2")
    assert wiser.can_reach("Bob", "p2")  # he does not know about the door
    assert wiser.can_reach("Ann", "p1")
    assert naive.distance("Ann", "p2") == wiser.distance("Ann", "p2") < 20
    assert naive.distance("Ann", "Una") == UNREACHABLE
    assert naive.distance("Ann", None) == UNREACHABLE


@pytest.mark.parametrize(("place", "answer"), [("p2", True), ("p1", False), ("d1", False), (None, False)])
def test_beyond_says_whether_the_path_crosses_the_barrier(place: str | None, answer: bool) -> None:
    ground = PlanningFunctions(arena(), {"Ann": noted(barrier("d1", 0.0))})
    assert ground.beyond("Ann", place) is answer
    assert not PlanningFunctions(arena(), {"Ann": noted()}).beyond("Ann", place)


def test_safety_is_reachable() -> None:
    ground = PlanningFunctions(arena(), {"Ann": noted(stuck())})
    assert ground.path_to_safety("Ann", "p1")
    assert not ground.path_to_safety("Ann", "p2")
    assert not ground.path_to_safety("Ann", None)
