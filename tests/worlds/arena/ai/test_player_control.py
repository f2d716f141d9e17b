"""Keys and words of a player become commands, and such fights repeat and replay."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.arena.ai.player_control import KEYS, PlayerControl, default_player, with_player
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import replay_fight
from telos.worlds.arena.scene import load_scene, scene_names
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement, ThingPlacement
from telos.worlds.arena.sim.map import ArenaMap, cell_of
from telos.worlds.arena.sim.views import ArenaView

YARD = "###########\n#A  +    B#\n#    #    #\n###########"


def yard(drawing: str = YARD, **body: object) -> tuple[Arena, PlayerControl]:
    drawn = ArenaMap(drawing)
    cast = [
        FighterPlacement("Rex", "red", "soldier", *drawn.places["A"], body),
        FighterPlacement("Ben", "blue", "soldier", *drawn.places["B"]),
    ]
    arena = Arena(drawn, cast)
    return arena, PlayerControl(arena, "Rex")


def hold(arena: Arena, hands: PlayerControl, keys: str, steps: int) -> list[str | None]:
    """Hold keys for some steps, and return the resulting commands."""
    given = []
    for _ in range(steps):
        given.append(hands.command_for_keys(keys.split("+") if keys else []))
        arena.step({"Rex": given[-1]} if given[-1] is not None else {})
    return given


def test_keys_walk_and_release_stops() -> None:
    arena, hands = yard()
    hold(arena, hands, "right", 5)
    there = arena.fighter("Rex").position
    assert there == pytest.approx((3.5, 1.5))
    assert hold(arena, hands, "", 3) == ["stop", None, None]
    assert arena.fighter("Rex").position == there


def test_player_works_at_a_desk_until_he_walks_away() -> None:
    drawn = ArenaMap("########\n#A D  B#\n########")
    cast = [FighterPlacement(name, side, "soldier", *drawn.places[at]) for name, side, at in
            (("Rex", "red", "A"), ("Ben", "blue", "B"))]  # fmt: skip
    arena = Arena(drawn, cast, [ThingPlacement("desk", "desk", *drawn.places["D"])])
    hands = PlayerControl(arena, "Rex")
    hold(arena, hands, "right", 4)
    assert hold(arena, hands, "use", 1) == ["use desk work"]
    hold(arena, hands, "", 40)
    assert arena.fighter("Rex").status == "running"
    hold(arena, hands, "left", 3)
    assert arena.fighter("Rex").x < 2.5


def test_player_draws_another_weapon() -> None:
    _, hands = yard(weapon=("rifle", "shotgun"))
    assert "draw shotgun" in hands.phrases()
    assert hands.command_for_text("draw shotgun") == "animate draw shotgun"
    with pytest.raises(TelosError, match="unknown weapon"):
        hands.command_for_text("draw bow")


def test_two_keys_walk_diagonally_or_along_a_wall() -> None:
    arena, hands = yard()
    hold(arena, hands, "right+down", 3)
    assert arena.fighter("Rex").x > 2
    assert arena.fighter("Rex").y > 2
    hold(arena, hands, "right+down", 4)
    rex = arena.fighter("Rex")
    assert cell_of(rex.position)[1] == 2
    assert rex.x > 3


def test_walking_into_a_shut_door_opens_it() -> None:
    arena, hands = yard()
    hold(arena, hands, "right", 25)
    assert arena.door("d1") == "open"
    assert arena.fighter("Rex").x > 5


def test_walking_finds_a_door_missed_by_one_cell() -> None:
    arena, hands = yard("######\n#A   #\n#    +\n#    #  B\n######".replace("+\n", "+  \n"))
    hold(arena, hands, "right", 30)
    assert arena.door("d1") == "open"


def test_walking_into_a_locked_door_kicks_it() -> None:
    arena, hands = yard(YARD.replace("+", "%"))
    hold(arena, hands, "right", 30)
    assert arena.fighter("Rex").x > 5


def test_shoot_key_fires_at_the_nearest_enemy_while_held() -> None:
    arena, hands = yard(YARD.replace("+", "/"))
    assert hands.target == "Ben"
    hold(arena, hands, "shoot", 6)
    assert arena.fighter("Rex").rounds == 24 - 2 * 3
    assert hold(arena, hands, "", 2) == ["stop", None]


def test_shoot_key_ignores_enemies_behind_shut_doors() -> None:
    arena, hands = yard()
    assert hands.target is None
    assert hold(arena, hands, "shoot", 3) == [None] * 3


def test_walking_shooter_fires_whenever_the_gun_is_ready() -> None:
    arena, hands = yard(YARD.replace("+", "/"))
    given = hold(arena, hands, "right+shoot", 6)
    assert [str(command).split()[0] for command in given] == ["animate", "goto", "goto", "goto", "goto", "animate"]


def test_shoot_key_reloads_an_empty_magazine() -> None:
    arena, hands = yard(YARD.replace("+", "/"))
    arena.fighter("Rex").rounds = 0
    given = hold(arena, hands, "shoot", 20)
    assert given[0] == "animate reload"
    assert given[-1] == "animate fire Ben"


def test_walking_does_not_interrupt_reloading() -> None:
    arena, hands = yard()
    arena.fighter("Rex").rounds = 3
    hold(arena, hands, "reload", 1)
    hold(arena, hands, "right", 18)
    assert arena.fighter("Rex").rounds == 24


def test_shoot_key_fires_from_cover_on_a_cover_node() -> None:
    arena, hands = yard("########\n#>oo  B#\n#      #\n########".replace(">", "A"))
    assert hands.command_for_text("shoot Ben") == "animate fire Ben"
    arena, hands = yard("########\n#A>o  B#\n#      #\n########")
    hold(arena, hands, "right", 3)
    assert hands.command_for_text("shoot Ben") == "animate fire_from_cover Ben"


def test_throw_key_aims_at_the_nearest_visible_enemy() -> None:
    arena, hands = yard(YARD.replace("+", "/"), grenades=1)
    hold(arena, hands, "throw", 10)
    assert [(grenade.x > 1, grenade.y) for grenade in arena.grenades()] == [(True, 1.5)]
    assert arena.fighter("Rex").grenades == 0


def test_unknown_words_raise_an_error_with_a_remedy() -> None:
    _, hands = yard()
    for line, told in (
        ("dance", "write `shoot NAME`"),
        ("shoot Rex", "is not a living enemy"),
        ("go nowhere", "unknown place"),
        ("use d1 eat", "use of a door"),
    ):
        with pytest.raises(TelosError, match=told):
            hands.command_for_text(line)


def test_every_offered_phrase_is_valid() -> None:
    _, hands = yard(YARD.replace("+", "/"), grenades=1)
    assert {"shoot Ben", "throw Ben", "reload"} <= {hands.command_for_text(line) and line for line in hands.phrases()}


def test_default_player_is_on_the_second_side_if_there_is_one() -> None:
    assert default_player(load_scene("skirmish")) == "Wes"
    assert default_player(load_scene("pincer")) == "Pat"
    assert default_player(load_scene("search")) is None
    with pytest.raises(TelosError, match="unknown fighter 'Zed'"):
        with_player(load_scene("flank"), "Zed")


def played(scene: str, seed: int, keys: list[list[str]]) -> tuple[list[str], list[ArenaView]]:
    """Play a scene with these keys held, step by step; return its record and its views."""
    who = default_player(load_scene(scene)) or ""
    lines: list[str] = []
    battle = Battle(with_player(load_scene(scene), who), seed=seed, trace=lambda record: lines.append(as_json(record)))
    hands, views = PlayerControl(battle.arena, who), []
    for held in keys:
        command = hands.command_for_keys(held)
        views.append(battle.step({} if command is None else {who: command}))
    return lines, views


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["flank", "door-open", "layer-3-melee", "goals-soldier"]),
    st.integers(0, 3),
    st.lists(st.tuples(st.lists(st.sampled_from(KEYS), max_size=3), st.integers(1, 12)), max_size=8),
)
def test_random_keys_make_fights_that_repeat_and_replay(
    scene: str, seed: int, runs: list[tuple[list[str], int]]
) -> None:
    keys = [held for held, steps in runs for _ in range(steps)]
    lines, views = played(scene, seed, keys)
    assert played(scene, seed, keys) == (lines, views)
    kept = [line for line in lines if json.loads(line)["kind"] not in ("noticed", "forgot")]
    again = list(replay_fight(kept))
    assert again == views[: len(again)]  # a final stretch without events is not recorded
    floor = {*load_scene(scene).map.floor, *(door.cell for door in load_scene(scene).map.doors.values())}
    assert all(cell_of((each.x, each.y)) in floor for view in views for each in view.fighters if each.state == "goto")


def test_battle_rejects_commands_for_fighters_with_minds() -> None:
    battle = Battle(load_scene("flank"), seed=1)
    for told, why in (
        ({"Ann": "stop"}, "has a mind"),
        ({"Pat": "dance"}, "not a command"),
        ({"Zed": "stop"}, "unknown fighter"),
    ):
        with pytest.raises(TelosError, match=why):
            battle.step(told)
    assert battle.arena.time == 0
    untouched = Battle(load_scene("flank"), seed=1)
    assert [battle.step() for _ in range(40)] == [untouched.step() for _ in range(40)]


@pytest.mark.parametrize("scene", scene_names())
def test_other_fighters_keep_their_minds_beside_a_player(scene: str) -> None:
    taken = default_player(load_scene(scene))
    if taken is not None:
        battle = Battle(with_player(load_scene(scene), taken), seed=2)
        thinking = {each.name for each in load_scene(scene).cast if each.script is None and each.name != taken}
        assert set(battle.minds) == thinking
