"""A choice among several weapons: attention picks one by distance and ammunition, and plans name it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.agents.memory import WorkingMemory
from telos.agents.trace import Planned
from telos.core.errors import TelosError
from telos.worlds.arena.ai.beliefs import FIGHT_SECONDS, SWITCH_MARGIN, FighterBeliefs, expected_bursts, make_attention
from telos.worlds.arena.ai.facts import make_fact
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import BURST_ROUNDS, BURST_TICKS, DRAW_SECONDS, RELOAD_SECONDS, TICK, WEAPONS
from telos.worlds.arena.sim.fighter import FighterPlacement, check_body
from telos.worlds.arena.sim.map import ArenaMap
from worlds.arena.fights import SEEDS, Fight, body, changed, fought, member

ARMS = ("rifle", "shotgun", "pistol")


@pytest.fixture
def arena() -> Arena:
    map = ArenaMap("#" * 42 + "\n#A" + " " * 39 + "#\n#" + " " * 39 + "B#\n" + "#" * 42)
    cast = [
        FighterPlacement("Ann", "red", "soldier", *map.places["A"], body={"weapon": ARMS, "magazines": 2}),
        FighterPlacement("Bob", "blue", "soldier", *map.places["B"]),
    ]
    return Arena(map, cast, seed=1)


def run(arena: Arena, command: str, steps: int) -> None:
    arena.step({"Ann": command})
    for _ in range(steps - 1):
        arena.step({})


# the simulation


def test_each_weapon_has_its_own_rounds_and_drawing_takes_a_second(arena: Arena) -> None:
    ann = arena.fighter("Ann")
    assert ann.arms == {"rifle": (24, 2), "shotgun": (9, 2), "pistol": (12, 2)}
    run(arena, "animate fire Bob", 3)
    assert ann.arms["rifle"] == (21, 2)
    run(arena, "animate draw shotgun", 9)
    assert (ann.weapon.name, ann.status) == ("rifle", "running")
    arena.step({})
    assert (ann.weapon.name, ann.status) == ("shotgun", "done")
    assert [each.context["weapon"] for each in arena.events] == ["shotgun"]
    run(arena, "animate fire Bob", 3)
    assert ann.arms == {"shotgun": (6, 2), "pistol": (12, 2), "rifle": (21, 2)}
    run(arena, "animate reload", 30)
    assert ann.arms == {"shotgun": (9, 1), "pistol": (12, 2), "rifle": (21, 2)}


def test_draw_that_is_interrupted_changes_nothing(arena: Arena) -> None:
    run(arena, "animate draw pistol", 9)
    arena.step({"Ann": "stop"})
    assert list(arena.fighter("Ann").arms) == list(ARMS)


def test_weapon_that_is_not_carried_cannot_be_drawn(arena: Arena) -> None:
    arena.step({"Bob": "animate draw shotgun"})
    assert (arena.fighter("Bob").status, arena.fighter("Bob").reason) == ("failed", "carries no shotgun")
    with pytest.raises(TelosError, match="unknown weapon: 'shotgum'; did you mean 'shotgun'"):
        arena.step({"Bob": "animate draw shotgum"})


@pytest.mark.parametrize(
    ("weapon", "word"), [(("rifle", "bow"), "'bow'"), (("rifle", "rifle"), "once"), ((), "once"), (3, "3")]
)
def test_bodies_with_strange_weapons_are_refused(weapon: object, word: str) -> None:
    with pytest.raises(TelosError, match=word):
        check_body({"weapon": weapon}, "Ann")


# attention


@given(st.integers(0, 36), st.booleans(), st.booleans())
def test_expected_bursts_are_those_that_a_clock_counts(rounds: int, spare: bool, held: bool) -> None:
    ticks = round(FIGHT_SECONDS / TICK)
    clock, left, bursts, has_spare = (0 if held else round(DRAW_SECONDS / TICK)), rounds, 0, spare
    while clock < ticks:
        if left:
            left, bursts, clock = max(0, left - BURST_ROUNDS), bursts + 1, clock + BURST_TICKS
        elif has_spare:
            has_spare, left, clock = False, 10_000, clock + round(RELOAD_SECONDS / TICK)
        else:
            break
    assert bursts - 1 <= expected_bursts(rounds, spare=spare, held=held) <= bursts + 1


def choose(arena: Arena, metres: float, held: str, left: dict[str, tuple[int, bool]]) -> str | None:
    """Return the weapon that Ann's attention rests on, from one in hand, with an enemy so far away."""
    ann, memory = arena.fighter("Ann"), WorkingMemory()
    memory.note(make_fact("enemy", "Bob", 0.0, x=ann.x + metres, y=ann.y, seen=True, sure=True, alive=True))
    for name, (rounds, spare) in left.items():
        memory.note(make_fact("weapon", name, 0.0, rounds=rounds, spare=spare, held=name == held))
    memory.focus["weapon"] = held
    for attention in make_attention(arena, ann):
        attention.choose(memory, 0.0)
    return memory.focus["weapon"]


FULL = {"rifle": (24, True), "shotgun": (9, True), "pistol": (12, True)}


@pytest.mark.parametrize(
    ("metres", "held", "left", "wanted"),
    [
        (25.0, "rifle", FULL, "rifle"),
        (2.0, "rifle", FULL, "shotgun"),
        (25.0, "shotgun", FULL, "rifle"),
        (2.0, "rifle", {**FULL, "shotgun": (0, False)}, "rifle"),
        (20.0, "rifle", {**FULL, "rifle": (0, False)}, "pistol"),
        (14.0, "rifle", {**FULL, "rifle": (0, False), "pistol": (0, False)}, "shotgun"),
        (14.0, "rifle", dict.fromkeys(FULL, (0, False)), None),
    ],
)
def test_choice_goes_by_distance_and_ammunition(
    arena: Arena, metres: float, held: str, left: dict[str, tuple[int, bool]], wanted: str | None
) -> None:
    assert choose(arena, metres, held, left) == wanted


@given(st.floats(1, 35), st.sampled_from(ARMS), st.lists(st.integers(0, 12), min_size=3, max_size=3))
def test_chosen_weapon_is_within_the_margin_of_the_best(metres: float, held: str, rounds: list[int]) -> None:
    map = ArenaMap("#" * 42 + "\n#A" + " " * 39 + "#\n" + "#" * 42)
    ann = FighterPlacement("Ann", "red", "soldier", *map.places["A"], body={"weapon": ARMS})
    bob = FighterPlacement("Bob", "blue", "soldier", 5.5, 1.5)
    left = {name: (number, number % 2 == 0) for name, number in zip(ARMS, rounds, strict=True)}
    chosen = choose(Arena(map, [ann, bob]), metres, held, left)
    damage = {
        name: expected_bursts(number, spare=spare, held=name == held)
        * min(1.0, WEAPONS[name].hit_chance(metres))
        * WEAPONS[name].damage
        for name, (number, spare) in left.items()
        if number or spare
    }
    assert chosen in damage if damage else chosen is None
    assert chosen is None or damage[chosen] >= max(damage.values()) - SWITCH_MARGIN - 1e-9


def test_body_with_one_weapon_has_nothing_to_choose() -> None:
    battle = fought("flank", 1, 5.0).battle
    for name, mind in battle.minds.items():
        assert "weapon" not in mind.memory.focus
        assert not mind.memory.all_of("weapon", battle.arena.time)
        values = FighterBeliefs(battle.arena, battle.arena.fighter(name))(mind.memory, battle.arena.time)
        assert "weapon" not in values
        assert mind.state["weapon"] is None is mind.state["held"]


# the scene


@pytest.mark.parametrize("seed", SEEDS)
def test_plans_name_the_weapon_for_the_distance(seed: int) -> None:
    fight = fought("weapons", seed)
    drawn = [step for each in fight.of(Planned, "Sam") for step in each.steps if step.startswith("draw")]
    assert drawn[:2] == ["draw(shotgun)", "draw(pistol)"][: len(drawn)]
    assert drawn
    for event in fight.events("drew"):
        view = next(each for each in fight.views if each.time >= event.time)
        sam, eve = view.fighters
        assert sam.weapon == event.context["weapon"]
        if sam.weapon == "shotgun":
            assert eve.x - sam.x < 16


def test_character_with_only_a_rifle_in_that_scene_draws_nothing() -> None:
    scene = load_scene("weapons")
    alone = Fight(changed(scene, "Sam", body=body(weapon="rifle", magazines=1)), 1)
    assert member(scene, "Sam").body["weapon"] == ("rifle", "shotgun", "pistol")
    assert not alone.events("drew")
    assert alone.of(Planned, "Sam")


# saves


def test_fight_with_several_weapons_goes_on_from_a_save() -> None:
    scene = load_scene("weapons")
    one = Battle(scene, seed=1)
    for _ in range(120):
        one.step()
    assert one.arena.fighter("Sam").weapon.name == "shotgun"
    saved = json.loads(json.dumps(one.save()))
    two = Battle(scene, seed=1)
    two.restore(saved)
    for _ in range(80):
        assert one.step() == two.step()
    assert one.save() == two.save()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"weapon": "pistol"}, "holstered"),
        ({"weapon": "heavy-rifle"}, "holstered"),
        ({"holstered": {"shotgun": [9, 1]}}, "holstered"),
        ({"holstered": {"shotgun": [10, 1], "pistol": [12, 1]}}, "at most 9"),
        ({"rounds": 25}, "at most 24"),
    ],
)
def test_saves_with_other_weapons_are_refused(changes: dict[str, object], path: str) -> None:
    battle = Battle(load_scene("weapons"), seed=1)
    saved = battle.save()
    saved["arena"]["fighters"]["Sam"] |= changes
    with pytest.raises(TelosError, match=path):
        battle.restore(saved)


def test_save_from_before_there_was_a_choice_is_read() -> None:
    saved = Battle(load_scene("flank"), seed=1).save()
    for about in saved["arena"]["fighters"].values():
        del about["weapon"], about["holstered"], about["slumped_over"]
    battle = Battle(load_scene("flank"), seed=1)
    battle.restore(saved)
    assert {each.weapon.name for each in battle.arena.fighters.values()} == {"rifle"}
