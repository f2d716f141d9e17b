"""Beliefs about hidden enemies: the filter matches an enumeration of all ways; searches and suppression use it."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.agents.body import Animate
from telos.agents.memory import WorkingMemory
from telos.agents.trace import Planned
from telos.core.errors import TelosError
from telos.core.values import Value
from telos.worlds.arena.ai.facts import make_fact
from telos.worlds.arena.ai.fighter_body import FighterBody
from telos.worlds.arena.ai.whereabouts import (
    HEARD_FLOOR,
    LEAST,
    NOTICED,
    FieldOfView,
    HidingPlaces,
    WhereaboutsSensor,
    absence,
    format_shares,
    noise,
    places_of,
    room_likelihoods,
    room_shares,
)
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import FightLog
from telos.worlds.arena.scene import load_scene
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement
from telos.worlds.arena.sim.map import ArenaMap, cell_centre, load_map
from worlds.arena.fights import SEEDS, Fight, body, changed, fought, script
from worlds.arena.sim.test_navigation import maps

TWO_ROOMS = ArenaMap("###########\n#    #    #\n#1   +   2#\n#    #    #\n###########")


def shares_of(size: int) -> st.SearchStrategy[list[float]]:
    weights = st.lists(st.floats(0, 1), min_size=size, max_size=size).filter(lambda values: sum(values) > 0.01)
    return weights.map(lambda values: [value / sum(values) for value in values])


# the filter


@settings(max_examples=60)
@given(drawn=maps(), data=st.data())
def test_filter_matches_an_enumeration_of_all_ways(drawn: ArenaMap, data: st.DataObject) -> None:
    places = HidingPlaces(drawn)
    count, steps = len(places.areas), data.draw(st.integers(1, 3))
    start = data.draw(shares_of(count))
    part = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=count, max_size=count)
    looks = [data.draw(part) for _ in range(steps)]
    heard = [data.draw(st.none() | st.sampled_from(sorted(drawn.floor))) for _ in range(steps)]

    belief = start
    for seen, cell in zip(looks, heard, strict=True):
        belief = places.spread(belief, 1)
        belief = belief if cell is None else noise(belief, places.noise_chances(cell_centre(cell)))
        belief = absence(belief, seen)
        assert belief is not None

    moves = [dict(row) for row in places.rows(1)]
    slow = [0.0] * count
    reachable = [(place,) for place in range(count)]
    for _ in range(steps):
        reachable = [(*way, after) for way in reachable for after in moves[way[-1]]]
    for way in reachable:
        chance = start[way[0]]
        for before, after, seen, cell in zip(way, way[1:], looks, heard, strict=False):
            chance *= moves[before][after] * (1 - NOTICED * seen[after])
            if cell is not None:
                near = min(math.dist(cell_centre(each), cell_centre(cell)) for each in places.samples[after])
                chance *= HEARD_FLOOR + math.exp(-((near / 2.5) ** 2) / 2)
        slow[way[-1]] += chance
    assert belief == pytest.approx([chance / sum(slow) for chance in slow], abs=1e-9)


@given(drawn=maps(), data=st.data(), ticks=st.integers(0, 40))
def test_spreading_keeps_the_sum_and_leaves_even_beliefs_alone(
    drawn: ArenaMap, data: st.DataObject, ticks: int
) -> None:
    places = HidingPlaces(drawn)
    spread = places.spread(data.draw(shares_of(len(places.areas))), ticks)
    assert min(spread) >= 0
    assert sum(spread) == pytest.approx(1.0)
    assert places.spread(places.even, ticks) == pytest.approx(places.even)


def test_spreading_tends_to_even_within_what_can_be_reached() -> None:
    places = HidingPlaces(ArenaMap("##########\n#  +   # #\n#  #   # #\n##########"))
    behind = next(number for number, area in enumerate(places.areas) if area.left == 8)
    belief = [0.0] * len(places.areas)
    belief[places.at((1.5, 1.5))] = 1.0
    spread = places.spread(belief, 3_000)
    assert spread[behind] == 0.0
    rest = 1 - places.even[behind]
    assert [each / rest for each in places.even[:behind]] == pytest.approx(spread[:behind], rel=0.01)


def test_field_of_low_obstacles_is_passed_like_a_border_of_its_width() -> None:
    """Who crawls in anywhere may come out anywhere; the chance of it does not grow with the field."""
    low = [" " * 30, "_" * 30, "_" * 30, " " * 30]
    places = HidingPlaces(ArenaMap("\n".join(["#" * 32, *(f"#{row}#" for row in low), "#" * 32])))
    for number, row in enumerate(map(dict, places.rows(1))):
        assert min(row.values()) >= 0
        across = [other for other in row if places.areas[other].top != places.areas[number].top]
        passed = sum(row[other] for other in across) / (2.0 / math.pi / places.areas[number].size * 0.1)
        assert passed <= 0.3 * (places.areas[number].right - places.areas[number].left)
    spread = places.spread([1.0] + [0.0] * (len(places.areas) - 1), 3_000)
    assert spread == pytest.approx(places.even, abs=0.005)
    beside = HidingPlaces(ArenaMap("#######\n#     #\n#__#__#\n#     #\n#######"))
    alone = HidingPlaces(ArenaMap("#######\n#     #\n#_#_#_#\n#     #\n#######"))
    rate = 2.0 / math.pi / 5 * 0.1 * 0.3  # for each metre of border
    assert dict(beside.rows(1)[0])[1] == pytest.approx(4 * rate)
    assert dict(alone.rows(1)[0])[1] == pytest.approx(3 * rate)


def test_worked_example_of_two_rooms() -> None:
    # Two places of 12 cells, joined by a door: in a tick, 2·1·0.1 / (π·12) = 0.53 % go through.
    places = HidingPlaces(TWO_ROOMS)
    assert [area.size for area in places.areas] == [12, 12]
    assert places.rooms == ("r1", "r2")
    assert dict(places.rows(1)[0])[1] == pytest.approx(0.2 / (math.pi * 12))
    belief = places.spread([1.0, 0.0], 50)
    assert belief[1] == pytest.approx((1 - (1 - 0.4 / (math.pi * 12)) ** 50) / 2)  # 0.207: five seconds after
    looked = absence(belief, [1.0, 0.0])
    assert looked is not None
    assert looked[1] == pytest.approx(belief[1] / (belief[1] + 0.1 * belief[0]))  # 0.72: the first room is empty
    assert room_shares(looked, places) == {"r2": pytest.approx(looked[1]), "r1": pytest.approx(looked[0])}
    heard = noise(looked, places.noise_chances((1.5, 1.5)))
    assert heard is not None
    near = math.exp(-((5 / 2.5) ** 2) / 2)  # the second room begins five metres from there
    odds = looked[0] * (1 + HEARD_FLOOR) / (looked[1] * (near + HEARD_FLOOR))
    assert heard[0] == pytest.approx(odds / (1 + odds))  # 0.74: a step in the first room after all


def test_no_belief_is_left_when_everything_was_looked_at_for_certain() -> None:
    assert absence([0.0, 0.0], [1.0, 1.0]) is None


@given(drawn=maps(), data=st.data())
def test_belief_survives_as_text_but_for_small_shares(drawn: ArenaMap, data: st.DataObject) -> None:
    places = HidingPlaces(drawn)
    belief = data.draw(shares_of(len(places.areas)))
    read = places.parse(format_shares(belief))
    assert sum(read) == pytest.approx(1.0)
    assert all(abs(one - other) <= LEAST * len(belief) + 1e-3 for one, other in zip(belief, read, strict=True))
    assert places.parse("") == pytest.approx(places.even)


@pytest.mark.parametrize(
    "text", ["a9:0.5", "b0:0.5", "a0", "a0:much", "a0:1.5", "a0:nan", "a0:0.1 a0:0.2", f"a{'9' * 5000}:0.5"]
)
def test_text_that_is_no_belief_is_refused(text: str) -> None:
    with pytest.raises(TelosError, match="not the share of a place"):
        HidingPlaces(TWO_ROOMS).parse(text)


# what is seen


@given(drawn=maps(), data=st.data())
def test_view_of_places_is_what_the_arena_lets_a_fighter_see(drawn: ArenaMap, data: st.DataObject) -> None:
    stands, looks_at = (data.draw(st.sampled_from(sorted(drawn.floor))) for _ in range(2))
    arena = Arena(drawn, [FighterPlacement("Ann", "red", "soldier", *cell_centre(stands))])
    ann, places = arena.fighter("Ann"), HidingPlaces(drawn)
    ann.turn_to(cell_centre(looks_at))
    belief = data.draw(shares_of(len(places.areas)))
    for number, seen in enumerate(FieldOfView(arena, "Ann", places).shares(belief)):
        points = [cell_centre(cell) for cell in places.samples[number]]
        visible = [
            (math.dist(ann.position, point) <= 3.0 or arena.has_in_view("Ann", point))
            and arena.has_line_of_sight(ann.position, point)
            for point in points
        ]
        assert seen == (sum(visible) / len(points) if belief[number] >= LEAST else 0.0)


def hunt(eve: tuple[float, float]) -> tuple[Arena, WorkingMemory]:
    """Return the corridor of the ward with Sam in it, who has seen Eve two seconds ago, and Eve somewhere."""
    cast = [FighterPlacement("Sam", "red", "hunter", 26.5, 7.5), FighterPlacement("Eve", "blue", "soldier", *eve)]
    arena = Arena(load_map("ward"), cast)
    memory = WorkingMemory()
    memory.note(make_fact("enemy", "Eve", -2.0, x=26.5, y=8.5, seen=False, sure=True, alive=True))
    return arena, memory


def test_sensor_knows_no_more_than_the_fighter() -> None:
    beliefs = []
    for hidden in ((18.5, 11.5), (3.5, 2.5), (26.5, 12.5)):
        arena, memory = hunt(hidden)
        assert not arena.sees("Sam", "Eve")
        for tick in range(6):
            for fact in WhereaboutsSensor(arena).read("Sam", memory, tick / 2):
                memory.note(fact)
        beliefs.append(memory.recall("whereabouts", "Eve", 3.0))
    assert beliefs[0] is not None
    assert beliefs[0] == beliefs[1] == beliefs[2]


def test_sighting_starts_anew_and_death_or_a_minute_of_silence_ends_it() -> None:
    arena, memory = hunt((18.5, 11.5))
    sensor = WhereaboutsSensor(arena)
    [first] = sensor.read("Sam", memory, 0.0)
    memory.note(first)
    assert not first["heard"]
    assert first["sign"] == -2.0
    [later] = sensor.read("Sam", memory, 70.0)
    assert later.confidence == 0.0
    memory.note(make_fact("enemy", "Eve", 1.0, x=20.0, y=8.0, seen=True, sure=True, alive=True))
    [seen] = sensor.read("Sam", memory, 1.0)
    assert (seen["node"], seen["share"], seen["sign"]) == (None, 1.0, 1.0)
    memory.note(seen)
    memory.note(
        make_fact("enemy", "Eve", 1.4, 0.0)
    )  # she is gone when he comes to where she was, before the next reading
    [lost] = sensor.read("Sam", memory, 1.5)
    assert lost["node"] is not None
    assert lost["share"] < 1.0
    memory.note(make_fact("enemy", "Eve", 2.0, x=20.0, y=8.0, seen=True, sure=True, alive=False))
    memory.note(lost)
    [dead] = sensor.read("Sam", memory, 2.0)
    assert dead.confidence == 0.0


def test_noise_moves_the_belief_to_where_it_came_from() -> None:
    arena, memory = hunt((18.5, 11.5))
    sensor, places = WhereaboutsSensor(arena), places_of(arena.map)
    for fact in sensor.read("Sam", memory, 0.0):
        memory.note(fact)
    memory.note(make_fact("enemy", "Eve", 0.5, 0.7, x=3, y=11, seen=False, sure=True, alive=True))
    [fact] = sensor.read("Sam", memory, 0.5)
    belief = places.parse(fact["shares"])
    assert fact["heard"]
    assert belief[places.at((3.5, 11.5))] > 0.5 * max(belief)
    assert max(room_shares(belief, places).items(), key=lambda item: item[1])[0] in ("r7", "r6")


# what it is good for


@pytest.mark.parametrize("seed", SEEDS)
def test_hunter_finds_her_by_looking_where_she_probably_is(seed: int) -> None:
    fight = fought("hunt", seed)
    searches = [each for each in fight.of(Planned, "Sam") if each.goal == "hunt"]
    assert searches
    assert all(step.startswith(("goto(", "search-hideout")) for each in searches for step in each.steps)
    assert fight.views[-1].winner == "red"
    log = FightLog()
    lines = [line for record in fight.records if (line := log.line(record)) and "infers" in line]
    assert any("Eve is probably in" in line and "to be looked for from" in line for line in lines)


@pytest.mark.parametrize("room", ["a2", "a5", "a7", "a10"])
def test_unarmed_hunter_finds_who_stays_in_a_room(room: str) -> None:
    scene = changed(load_scene("hunt"), "Sam", body=body(weapon="none", magazines=0))
    x, y = scene.map.nodes[room].position
    fight = Battle(changed(scene, "Eve", body=body(health=9000.0), script=script((1.5, f"goto {x},{y}"))), seed=1)
    seen = [fight.arena.sees("Sam", "Eve") for _ in fight.seconds(20.0)]
    lost = seen.index(False, 30)
    assert any(seen[lost:])


def test_soldier_without_the_sensor_infers_nothing() -> None:
    fight = Fight(changed(load_scene("hunt"), "Sam", character="soldier"), 1, 20.0)
    assert "hunt" not in fight.goals("Sam")
    assert not fight.battle.comrades["Sam"].memory.all_of("whereabouts", 20.0)


def test_suppression_is_aimed_at_the_most_probable_spot() -> None:
    arena, memory = hunt((18.5, 11.5))
    body = FighterBody(arena, "Sam")
    body.memory = memory
    body.enter(Animate("suppress", "Eve"))
    assert body.take_command() == "animate suppress 26.50,8.50"  # where she was last seen
    [fact] = WhereaboutsSensor(arena).read("Sam", memory, 0.0)
    memory.note(fact)
    body.enter(Animate("suppress", "Eve"))
    assert body.take_command() == f"animate suppress {fact['x']:.2f},{fact['y']:.2f}"
    places = places_of(arena.map)
    belief = places.parse(fact["shares"])
    assert places.at((fact["x"], fact["y"])) == max(range(len(belief)), key=belief.__getitem__)
    memory.note(make_fact("enemy", "Eve", 0.0, x=20.0, y=8.0, seen=True, sure=True, alive=True))
    body.enter(Animate("suppress", "Eve"))
    assert body.take_command() == "animate suppress 20.00,8.00"  # in sight


def test_chance_of_a_room_counts_all_hidden_enemies() -> None:
    places, memory = HidingPlaces(TWO_ROOMS), WorkingMemory()
    assert room_likelihoods(memory, places, 0.0) == {}
    for name, shares in (("Eve", "a0:0.5 a1:0.5"), ("Bob", "a0:0.2 a1:0.8")):
        memory.note(make_fact("whereabouts", name, 0.0, shares=shares))
    assert room_likelihoods(memory, places, 0.0) == {"r1": 0.6, "r2": 0.9}


# saves


def test_hunt_goes_on_from_a_save() -> None:
    scene = load_scene("hunt")
    one = Battle(scene, seed=1)
    for _ in range(60):
        one.step()
    assert one.minds["Sam"].memory.all_of("whereabouts", one.arena.time)
    two = Battle(scene, seed=1)
    two.restore(json.loads(json.dumps(one.save())))
    for _ in range(60):
        assert one.step() == two.step()
    assert one.save() == two.save()


@pytest.mark.parametrize(
    ("kind", "key", "value", "message"),
    [
        ("whereabouts", "shares", "a999:1.0", "'a999:1.0' is not the share of a place"),
        ("node", "likely", "much", "likely must be a chance from 0 to 1, got 'much'"),
        ("node", "likely", 1.5, "likely must be a chance from 0 to 1, got 1.5"),
    ],
)
def test_save_with_a_strange_belief_is_refused(kind: str, key: str, value: Value, message: str) -> None:
    scene = load_scene("hunt")
    battle = Battle(scene, seed=1)
    for _ in range(60):
        battle.step()
    saved = json.loads(json.dumps(battle.save()))
    [mind] = saved["crowd"]["minds"]
    fact = next(each for each in mind["memory"]["facts"] if each[0] == kind)
    assert key in fact[4]
    fact[4][key] = value
    with pytest.raises(TelosError, match=message):
        Battle(scene, seed=1).restore(saved)
