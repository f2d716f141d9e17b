"""What hamlet promises: the fire keeps burning, everybody sleeps, and a saved game goes on as if nothing had been."""

import json

import telos

from world import HERE, World


def run(world: World, frames: int) -> None:
    for _ in range(frames):
        world.tick()


def test_the_fire_keeps_burning_and_everybody_sleeps() -> None:
    world = World()
    for _ in range(1200):
        world.tick()
        assert world.fire > 0
        assert all(villager.tired < 60 for villager in world.people.values())


def test_a_saved_game_goes_on_exactly() -> None:
    world, again = World(), World()
    run(world, 200)
    again.restore(json.loads(json.dumps(world.save())))
    run(world, 100)
    run(again, 100)
    assert [again.crowd[name].plan for name in again.crowd] == [world.crowd[name].plan for name in world.crowd]


def test_wood_is_fetched_before_the_fire_is_stoked() -> None:
    domain = telos.load(HERE / "hamlet.yaml", functions={"distance": lambda here, there: 1.0})
    start = {"at": "hearth", "forest": "oakwood", "fire": 5}
    assert [str(step) for step in telos.plan(domain, start, "warm").steps] == [
        "goto(oakwood)",
        "chop",
        "goto(hearth)",
        "stoke",
    ]
