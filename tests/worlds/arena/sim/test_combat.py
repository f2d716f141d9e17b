"""Hit chances, cover, suppression, melee and grenades."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from telos.core.event import Event
from telos.worlds.arena.sim import constants
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.combat import hit_chance
from telos.worlds.arena.sim.constants import ACCURACY_RANGE, WEAPONS
from telos.worlds.arena.sim.fighter import FighterPlacement, ThingPlacement
from telos.worlds.arena.sim.map import ArenaMap

RANGE = "#" * 24 + "\n" + ("#" + " " * 22 + "#\n") * 5 + "#" * 24


def duel(drawing: str, a: Mapping[str, Any] | None = None, b: Mapping[str, Any] | None = None, seed: int = 0) -> Arena:
    """Ann at A against Bob at B, with others at C and D on Bob's side."""
    drawn = ArenaMap(drawing)
    sides = {"A": ("Ann", "red", a), "B": ("Bob", "blue", b), "C": ("Cid", "blue", b), "D": ("Dan", "blue", b)}
    cast = [
        FighterPlacement(name, side, "soldier", *drawn.places[letter], body or {})
        for letter, (name, side, body) in sides.items()
        if letter in drawn.places
    ]
    return Arena(drawn, cast, seed=seed)


def on_the_range(metres: float, seed: int = 0, **bob: Any) -> Arena:
    cast = [
        FighterPlacement("Ann", "red", "soldier", 1.5, 3.5),
        FighterPlacement("Bob", "blue", "soldier", 1.5 + metres, 3.5, bob),
    ]
    return Arena(ArenaMap(RANGE), cast, seed=seed)


def run(arena: Arena, commands: Mapping[str, str], steps: int) -> list[Event]:
    seen: list[Event] = []
    for step in range(steps):
        arena.step(commands if step == 0 else {})
        seen += arena.events
    return seen


def named(events: list[Event], action: str) -> list[Event]:
    return [event for event in events if event.action == action]


def odds(arena: Arena, commands: Mapping[str, str] | None = None, steps: int = 1) -> float:
    """The chance that Ann's next burst hits Bob, after some time."""
    run(arena, commands or {}, steps)
    stage = arena._state
    return hit_chance(stage, stage.fighters["Ann"], stage.fighters["Bob"])


# Fire


def test_bursts_come_every_half_second_until_the_magazine_is_empty() -> None:
    arena = on_the_range(20.0, seed=8)
    arena.fighter("Bob").health = 100_000.0  # so that he survives
    seen = run(arena, {"Ann": "animate fire Bob"}, 60)
    times = [event.time for event in named(seen, "shot")]
    assert times == pytest.approx([0.1 + 0.5 * burst for burst in range(8)])
    assert len(named(seen, "empty")) == 1
    assert (arena.fighter("Ann").status, arena.fighter("Ann").reason) == ("failed", "the magazine is empty")


def test_fire_ends_with_the_target_and_the_dead_ignore_commands() -> None:
    arena = on_the_range(2.0, health=15)
    seen = run(arena, {"Ann": "animate fire Bob"}, 60)
    assert [(event.player, event.context["target"]) for event in named(seen, "dead")] == [("Ann", "Bob")]
    assert arena.fighter("Ann").status == "done"
    bob = arena.view().fighters[1]
    assert (bob.alive, bob.health, bob.reason) == (False, 0.0, "dead")
    arena.step({"Bob": "goto 5.5,3.5"})
    assert arena.view().fighters[1] == bob


def test_reload_uses_a_spare_magazine() -> None:
    arena = on_the_range(10.0)
    ann = arena.fighter("Ann")
    assert run(arena, {"Ann": "animate reload"}, 1) == []
    assert ann.reason == "the magazine is full"
    ann.rounds = 2
    assert len(named(run(arena, {"Ann": "animate reload"}, 18), "reloaded")) == 1
    assert (ann.rounds, ann.magazines, ann.status) == (24, 2, "done")
    ann.rounds = ann.magazines = 0
    arena.step({"Ann": "animate reload"})
    assert ann.reason == "no magazine left"
    arena.step({"Ann": "animate fire Bob"})
    assert ann.reason == "the magazine is empty"


def test_unarmed_fighter_cannot_shoot() -> None:
    arena = duel("#####\n#A B#\n#####", {"weapon": "none"})
    for animation in ("fire Bob", "aim Bob", "suppress 2.5,1.5", "reload"):
        arena.step({"Ann": f"animate {animation}"})
        assert arena.fighter("Ann").reason == "no weapon"


def test_shooter_gives_up_a_hidden_target_after_a_second() -> None:
    arena = duel("#######\n#A    #\n# ###.#\n#B    #\n#######")
    arena.step({"Bob": "goto 4.5,3.5"})
    run(arena, {}, 12)
    seen = run(arena, {"Ann": "animate fire Bob"}, 9)
    assert arena.fighter("Ann").status == "running"
    arena.step({})
    assert arena.fighter("Ann").reason == "lost sight of Bob"
    assert not named(seen, "shot")


def test_shooter_keeps_a_target_that_reappears() -> None:
    arena = duel("#######\n#A   B#\n#  #  #\n#  #  #\n#  #  #\n#######")
    arena.fighter("Bob").health = 100_000.0
    arena.step({"Ann": "animate fire Bob"})
    for place in ((5.5, 4.5), (5.5, 1.5)) * 3:
        arena._state.move(arena.fighter("Bob"), place)
        run(arena, {}, 6)
    assert arena.fighter("Ann").status == "running"


def test_target_knows_who_fires_or_aims() -> None:
    arena = duel("########\n#A   B #\n#    C #\n########")
    arena.step({"Ann": "animate aim Bob"})
    assert (arena.aimed_at_by("Bob"), arena.aimed_at_by("Cid")) == (("Ann",), ())
    arena.step({"Ann": "animate fire Cid"})
    assert (arena.aimed_at_by("Bob"), arena.aimed_at_by("Cid")) == ((), ("Ann",))
    arena.step({"Ann": "stop"})
    assert arena.aimed_at_by("Cid") == ()


# The chance to hit


def test_hit_chance_falls_with_the_distance() -> None:
    for metres in (2.0, 10.0, 20.0):
        assert odds(on_the_range(metres)) == pytest.approx(
            WEAPONS["rifle"].accuracy * math.exp(-metres / ACCURACY_RANGE)
        )


@pytest.mark.parametrize(
    ("doing", "factor"),
    [
        ("animate idle", 1.0),
        ("animate duck", 0.7),
        ("animate roll", 0.25),
        ("goto 9.5,3.5", 0.6),
        ("goto 9.5,3.5 walk", 1.0),
        ("goto 9.5,3.5 crawl", 0.4),
        ("animate lie_flat", 0.4),
    ],
)
def test_hit_chance_depends_on_what_the_target_does(doing: str, factor: float) -> None:
    arena = on_the_range(10.0)
    got = odds(arena, {"Bob": doing})
    away = arena.fighter("Ann").distance_to(arena.fighter("Bob").position)
    assert got == pytest.approx(WEAPONS["rifle"].accuracy * math.exp(-away / ACCURACY_RANGE) * factor)


@pytest.mark.parametrize(
    ("doing", "factor"),
    [
        ("", 0.12),
        ("animate idle", 0.12),
        ("animate hunker", 0.12),
        ("animate lie_flat", 0.12),
        ("animate fire_from_cover Ann", 0.45),
        ("animate blind_fire Ann", 0.1),
        ("animate fire Ann", 1.0),
    ],
)
def test_cover_protects_depending_on_the_posture_of_the_target(doing: str, factor: float) -> None:
    cast = [FighterPlacement("Ann", "red", "soldier", 1.5, 1.5), FighterPlacement("Bob", "blue", "soldier", 9.5, 1.5)]
    arena = Arena(ArenaMap("############\n#A      o< #\n############"), cast)
    clear = WEAPONS["rifle"].accuracy * math.exp(-8 / ACCURACY_RANGE)
    assert odds(arena, {"Bob": doing} if doing else None) == pytest.approx(
        clear * factor * (1 - constants.SUPPRESSED_ACCURACY_LOSS * arena.fighter("Ann").suppressed)
    )


def test_cover_does_not_protect_from_behind() -> None:
    drawn = ArenaMap("############\n#A      ^  #\n#          #\n#          #\n############")
    cast = [FighterPlacement("Ann", "red", "soldier", 8.5, 3.5), FighterPlacement("Bob", "blue", "soldier", 8.5, 1.5)]
    arena = Arena(drawn, cast, seed=4)
    assert odds(arena) == pytest.approx(WEAPONS["rifle"].accuracy * math.exp(-2 / ACCURACY_RANGE))
    (hit, *_) = named(run(arena, {"Ann": "animate fire Bob"}, 20), "hit")
    assert (hit.context["in_cover"], hit.context["protected"], hit.context["damage"]) == (True, False, 25.0)


def test_fire_from_cover_needs_cover() -> None:
    for animation in ("fire_from_cover", "blind_fire"):
        arena = on_the_range(10.0)
        arena.step({"Ann": f"animate {animation} Bob"})
        assert arena.fighter("Ann").reason == "not in cover"


@pytest.mark.parametrize(
    ("animation", "care"), [("fire", 1.0), ("suppress", constants.SUPPRESSION_ACCURACY), ("blind_fire", 0.2)]
)
def test_bursts_hit_as_often_as_the_hit_chance(animation: str, care: float) -> None:
    drawn = ArenaMap("##############\n#>           #\n##############")
    cast = [FighterPlacement("Ann", "red", "soldier", 1.5, 1.5), FighterPlacement("Bob", "blue", "soldier", 11.5, 1.5)]
    arena = Arena(drawn, cast, seed=11)
    shots = hits = 0
    for _ in range(1500):
        arena.fighter("Bob").health, arena.fighter("Ann").rounds = 100.0, 24
        seen = run(arena, {"Ann": f"animate {animation} Bob"}, 5)
        shots, hits = shots + len(named(seen, "shot")), hits + len(named(seen, "hit"))
    expected = WEAPONS["rifle"].accuracy * math.exp(-10 / ACCURACY_RANGE) * care
    assert shots >= 1400
    assert hits / shots == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / shots))


def test_darkness_halves_the_hit_chance() -> None:
    lit = duel("#########\n#A     B#\n#       #\n#########")
    dark = duel("#########\n#A     B#\n#      !#\n#########")
    assert odds(dark) == pytest.approx(odds(lit) / 2)


# Fear


@pytest.mark.parametrize(
    ("animation", "direct", "nearby"),
    [
        ("fire", constants.AIMED_SUPPRESSION, constants.NEARBY_AIMED_SUPPRESSION),
        ("suppress", constants.SUPPRESSION, constants.NEARBY_SUPPRESSION),
    ],
)
def test_suppression_depends_on_the_kind_of_fire_and_decays(animation: str, direct: float, nearby: float) -> None:
    arena = duel("###########\n#A    BC D#\n#         #\n###########")
    arena.step({"Ann": f"animate {animation} Bob"})
    fear = {name: arena.fighter(name).suppressed for name in ("Ann", "Bob", "Cid", "Dan")}
    assert fear == {"Ann": 0.0, "Bob": direct, "Cid": nearby, "Dan": 0.0}
    run(arena, {"Ann": "stop"}, 20)
    assert arena.fighter("Bob").suppressed == 0.0


def test_suppressive_fire_pins_and_aimed_fire_never_does() -> None:
    for animation, highest in (("fire", constants.AIMED_SUPPRESSION_LIMIT), ("suppress", 1.0)):
        arena = on_the_range(15.0, health=10_000)
        arena.step({"Ann": f"animate {animation} Bob"})
        felt = []
        for _ in range(25):
            arena.step({})
            felt.append(arena.fighter("Bob").suppressed)
        assert max(felt) == pytest.approx(highest)
        assert (max(felt) >= constants.PINNED) == (animation == "suppress")
        assert (max(felt[:10]) >= constants.PINNED) == (animation == "suppress"), "within a second"


def test_crawling_is_slow_and_silent() -> None:
    arena = on_the_range(10.0)
    seen = run(arena, {"Bob": "goto 14.5,3.5 crawl"}, 10)
    assert arena.fighter("Bob").x == pytest.approx(11.5 + 0.3 * 4.0)
    assert not named(seen, "step")


def test_fire_suppresses_the_side_of_its_target_only() -> None:
    places = {
        "Ann": ("red", 1.5),
        "Bob": ("blue", 8.5),
        "Cid": ("blue", 9.5),
        "Eve": ("red", 9.5),
        "rat": ("neutral", 8.5),
    }
    cast = [FighterPlacement(name, side, "soldier", x, 1.5) for name, (side, x) in places.items()]
    arena = Arena(ArenaMap(RANGE), cast)
    arena.step({"Ann": "animate fire Bob"})
    assert [name for name in places if arena.fighter(name).suppressed] == ["Bob", "Cid"]


def test_suppressed_shooter_is_less_accurate() -> None:
    arena = on_the_range(10.0)
    calm = odds(arena)
    arena.fighter("Ann").suppressed = 1.0
    assert odds(arena) == pytest.approx(
        calm * (1 - constants.SUPPRESSED_ACCURACY_LOSS * (1 - constants.SUPPRESSION_DECAY * constants.TICK))
    )


def test_suppressive_fire_works_on_an_unseen_place() -> None:
    arena = duel("##########\n#A       #\n#    ### #\n#    #B  #\n#      ###\n##########")
    assert not arena.has_line_of_sight(arena.fighter("Ann").position, arena.fighter("Bob").position)
    seen = run(arena, {"Ann": "animate suppress 4.5,3.5"}, 30)
    assert len(named(seen, "shot")) == 6
    assert arena.fighter("Bob").suppressed > 0.3
    assert not named(seen, "hit")
    assert arena.fighter("Ann").status == "done"


def test_suppressive_fire_follows_a_seen_target_and_spares_comrades() -> None:
    arena = Arena(
        ArenaMap(RANGE),
        [
            FighterPlacement("Ann", "red", "soldier", 1.5, 3.5),
            FighterPlacement("Bob", "blue", "soldier", 8.5, 1.5, {"speed": 1.0}),
            FighterPlacement("Eve", "red", "soldier", 8.5, 2.5),
        ],
    )
    seen = run(arena, {"Ann": "animate suppress Bob", "Bob": "goto 12.5,1.5"}, 30)
    ends = [event.context["to_x"] for event in named(seen, "shot")]
    assert ends == sorted(set(ends))
    run(arena, {"Ann": "animate reload"}, 20)
    assert len(named(run(arena, {"Ann": "animate suppress 8.5,2.5"}, 30), "shot")) == 6
    assert arena.fighter("Eve").health == 100.0
    assert arena.fighter("Eve").suppressed == 0.0


# Fists


def test_melee_requires_reach() -> None:
    near, far = on_the_range(1.7), on_the_range(1.9)
    (hit,) = run(near, {"Ann": "animate melee Bob"}, 6)
    assert (hit.action, hit.context["damage"], near.fighter("Bob").health) == ("hit", 60.0, 40.0)
    far.step({"Ann": "animate melee Bob"})
    assert far.fighter("Ann").reason == "out of reach"


def test_melee_misses_a_target_that_steps_back() -> None:
    arena = on_the_range(1.7)
    assert not named(run(arena, {"Ann": "animate melee Bob", "Bob": "goto 12.5,3.5"}, 6), "hit")
    assert arena.fighter("Ann").reason == "out of reach"


def test_lunge_leaps_four_metres_and_strikes() -> None:
    arena = on_the_range(5.5)
    run(arena, {"Ann": "animate lunge Bob"}, 8)
    assert arena.fighter("Ann").x == pytest.approx(5.5)
    assert arena.fighter("Bob").health == 30.0
    too_far = on_the_range(5.9)
    too_far.step({"Ann": "animate lunge Bob"})
    assert too_far.fighter("Ann").reason == "out of reach"


def test_melee_stops_at_walls_and_lunges_at_furniture() -> None:
    walled = duel("#####\n#A#B#\n#####", {"reach": 3.0})
    walled.step({"Ann": "animate melee Bob"})
    assert walled.fighter("Ann").reason == "out of reach"
    blocked = duel("#######\n#A o B#\n#######")
    blocked.step({"Ann": "animate lunge Bob"})
    assert blocked.fighter("Ann").reason == "out of reach"


def test_simultaneous_strikes_kill_both() -> None:
    arena = Arena(
        ArenaMap(RANGE),
        [FighterPlacement(name, name, "soldier", x, 1.5, {"health": 50}) for name, x in (("Ann", 1.5), ("Bob", 2.5))],
    )
    run(arena, {"Ann": "animate melee Bob", "Bob": "animate melee Ann"}, 6)
    assert (arena.living(), arena.over, arena.winner) == ((), True, None)


# Grenades


def thrown(drawing: str, target: str) -> tuple[Arena, list[Event]]:
    arena = duel(drawing, {"grenades": 1})
    return arena, run(arena, {"Ann": f"animate throw {target}"}, 40)


def test_grenade_explodes_two_seconds_after_the_throw() -> None:
    arena = duel("#" * 20 + "\n#A              B  #\n" + "#" * 20, {"grenades": 1})
    events = run(arena, {"Ann": "animate throw 15.5,1.5"}, 7)
    (threw,) = named(events, "threw")
    assert threw.time == pytest.approx(0.7)
    (grenade,) = arena.view().grenades
    assert (grenade.x, grenade.y, grenade.left) == pytest.approx((1.5, 1.5, 2.2))
    run(arena, {}, 10)
    assert arena.view().grenades[0].x == pytest.approx(15.5)
    (exploded, hit) = run(arena, {}, 12)
    assert (exploded.action, exploded.time, exploded.context["loud"]) == ("exploded", pytest.approx(2.9), 60.0)
    assert hit.context["damage"] == pytest.approx(72.0)  # one metre away
    assert not arena.view().grenades
    arena.step({"Ann": "animate throw Bob"})
    assert arena.fighter("Ann").reason == "no grenade left"


def test_blast_hits_in_the_order_of_the_cast() -> None:
    _, events = thrown("##############\n#A    D C B  #\n##############", "8.5,1.5")
    assert [event.context["target"] for event in named(events, "hit")] == ["Bob", "Cid", "Dan"]


def test_throw_fails_beyond_twenty_metres() -> None:
    arena = duel("#" * 30 + "\n#A" + " " * 22 + "B   #\n" + "#" * 30, {"grenades": 1})
    arena.step({"Ann": "animate throw Bob"})
    assert arena.fighter("Ann").reason == "out of range"


def test_walls_and_shut_doors_stop_a_blast_and_glass_does_not() -> None:
    for barrier, safe in (("#", True), ("+", True), ("/", False), ("=", False)):
        arena, _ = thrown(f"##############\n#A       {barrier}B  #\n##############", "8.5,1.5")
        assert (arena.fighter("Bob").health == 100.0) == safe, barrier


def test_grenade_drops_before_a_wall() -> None:
    arena, events = thrown("##############\n#A       +B  #\n##############", "Bob")
    (exploded,) = named(events, "exploded")
    assert (exploded.context["x"], exploded.context["y"]) == (8.5, 1.5)
    assert arena.fighter("Bob").health == 100.0


def test_attacks_end_cloaking() -> None:
    arena = on_the_range(10.0)
    run(arena, {"Ann": "animate cloak"}, 3)
    assert arena.fighter("Ann").cloaked
    arena.step({"Ann": "animate fire Bob"})
    assert not arena.fighter("Ann").cloaked


def test_arena_without_fighters_runs() -> None:
    arena = Arena(ArenaMap(RANGE), [], [ThingPlacement("kit", "medkit", 2.5, 2.5)])
    assert run(arena, {}, 10) == []
    assert not arena.over
