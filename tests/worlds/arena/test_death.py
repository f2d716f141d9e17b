"""The death goal: a body at a desk slumps over it, others fall, and the knowledge of it stands with the desk."""

import json
from collections.abc import Iterator

import pytest

from telos.agents.trace import Planned
from telos.core.trace import as_json
from telos.worlds.arena.ai.characters import load_arena_characters, load_arena_domain
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import FightLog, replay_fight
from telos.worlds.arena.scene import CastMember, Scene, SceneThing, load_scene
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement, ThingPlacement
from telos.worlds.arena.sim.map import ArenaMap
from worlds.arena.fights import SEEDS, Fight, body, fought, script

KILL = script((0.0, "animate fire Vic"))  # with a rifle that cannot miss from so near
ROOM = "#########\n#       #\n#  A D  #\n#       #\n#   E   #\n#########"


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_shot_at_his_desk_slumps_over_it_and_others_fall(seed: int) -> None:
    fight = fought("desk", seed)
    fallen = {each.name: each.slumped_over for each in fight.views[-1].fighters if not each.alive}
    assert fallen == {"Carl": "desk-D", "Gus": None}
    assert [each.steps for each in fight.of(Planned) if each.goal == "die"] == [("desk_1.slump",)]
    carl, desk = fight.battle.arena.fighter("Carl"), fight.battle.arena.place_of("desk-D")
    assert carl.distance_to(desk) <= 0.6 + 1e-9
    log = FightLog()
    assert any("slumps over desk-D" in (log.line(each) or "") for each in fight.records)


def _killing(character: str, *, at: str) -> Scene:
    """Return a scene in which a character is struck down beside a desk, before it can do anything."""
    map = ArenaMap(ROOM)
    victim = CastMember("A", "Vic", character, "red", *map.places[at], body=body(health=1.0))
    killer = CastMember("E", "Eve", "soldier", "blue", *map.places["E"], body=body(weapon="heavy-rifle"), script=KILL)
    return Scene("killing", "", 5.0, map, (victim, killer), (SceneThing("D", "desk-D", "desk", *map.places["D"]),))


@pytest.mark.parametrize("character", sorted(load_arena_characters()))
def test_every_character_knows_how_to_die_at_a_desk_and_none_says_so(character: str) -> None:
    kind = load_arena_characters()[character]
    assert not any(action.name.endswith("slump") for action in kind.actions)
    assert "die" not in [goal.name for goal in kind.goals]
    assert Fight(_killing(character, at="D"), 1).views[-1].fighters[0].slumped_over == "desk-D"


def test_death_of_one_with_no_desk_in_reach_is_a_fall() -> None:
    fight = Fight(_killing("soldier", at="A"), 1)
    victim = fight.battle.arena.fighter("Vic")
    assert not victim.alive
    assert victim.distance_to(fight.battle.arena.place_of("desk-D")) > 1.6
    assert not victim.slumped_over
    assert not fight.events("slumped")


def test_domain_has_the_knowledge_in_the_desk() -> None:
    domain = load_arena_domain()
    [desk] = domain.templates
    assert [action.name for action in desk.actions] == ["work", "slump"]
    assert [action.name for action in domain.actions_of("mortal")] == ["fall", "desk_1.slump"]


# the simulation


@pytest.fixture
def arena() -> Arena:
    map = ArenaMap("#########\n#A D#F  #\n#       #\n#  B    #\n#########")
    cast = [
        FighterPlacement("Ann", "red", "soldier", *map.places["A"], body={"health": 1.0}),
        FighterPlacement("Bob", "blue", "soldier", *map.places["B"]),
        FighterPlacement("Fay", "red", "soldier", *map.places["F"], body={"health": 1.0}),
    ]
    return Arena(map, cast, [ThingPlacement("desk", "desk", *map.places["D"])], seed=1)


def kill(arena: Arena, who: str) -> None:
    for _ in range(100):
        if not arena.fighter(who).alive:
            return
        arena.step({"Bob": f"animate fire {who}"})
    raise AssertionError(f"{who} lives")


def test_the_living_do_not_slump(arena: Arena) -> None:
    arena.step({"Ann": "goto 2.5,1.5"})
    for _ in range(9):
        arena.step({})
    arena.step({"Ann": "use desk slump"})
    assert (arena.fighter("Ann").status, arena.fighter("Ann").reason) == ("failed", "still alive")


def test_the_dead_slump_once_and_ignore_all_else(arena: Arena) -> None:
    arena.step({"Ann": "goto 2.5,1.5"})
    kill(arena, "Ann")
    before = arena.fighter("Ann").position
    arena.step({"Ann": "goto 1.5,1.5"})
    arena.step({"Ann": "use desk work"})
    assert arena.fighter("Ann").position == before
    arena.step({"Ann": "use desk slump"})
    assert [each.action for each in arena.events] == ["slumped"]
    assert arena.fighter("Ann").slumped_over == "desk"
    arena.step({"Ann": "use desk slump"})
    assert arena.events == ()


def test_the_dead_do_not_slump_over_what_is_far_or_behind_a_wall(arena: Arena) -> None:
    kill(arena, "Fay")
    assert arena.fighter("Fay").distance_to(arena.place_of("desk")) > 1.6
    arena.step({"Fay": "use desk slump"})
    assert not arena.fighter("Fay").slumped_over


# recordings and saves


def test_fight_saved_between_death_and_slump_goes_on_as_it_was() -> None:
    def run(battle: Battle) -> Iterator[str]:
        while not battle.over:
            battle.step()
            yield json.dumps(battle.save())

    scene = load_scene("desk")
    one = Battle(scene, seed=1)
    saves = list(run(one))
    commands = [json.loads(saved)["limbs"]["Carl"]["command"] for saved in saves]
    died = commands.index("use desk-D slump")
    again = Battle(scene, seed=1)
    again.restore(json.loads(saves[died]))
    assert not again.over
    assert list(run(again)) == saves[died + 1 :]
    assert again.arena.fighter("Carl").slumped_over == "desk-D"


def test_save_in_which_the_living_lie_over_a_desk_is_refused() -> None:
    scene = load_scene("desk")
    saved = Battle(scene, seed=1).save()
    saved["arena"]["fighters"]["Carl"]["slumped_over"] = "desk-D"
    with pytest.raises(ValueError, match="slumped_over"):
        Battle(scene, seed=1).restore(saved)


def test_replay_shows_the_slump() -> None:
    lines: list[str] = []
    for _ in Battle(load_scene("desk"), seed=1, trace=lambda record: lines.append(as_json(record))).seconds():
        pass
    last = list(replay_fight(lines))[-1]
    assert {each.name: each.slumped_over for each in last.fighters}["Carl"] == "desk-D"
