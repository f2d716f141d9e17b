"""What the adventure makes felt: hits, falls, kills and finds in pictures, messages, banners and cues."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from studio.pictures import roles_of
from telos.studio.recording import to_cues
from telos.studio.server.game import hello
from telos.studio.session import Session
from telos.studio.stage import CUES, Happening, Inputs
from telos.studio.worlds.adventure import ADVENTURE, AdventureStage
from telos.studio.worlds.shapes import ROLES

HARD = "Hard rules, as in the paper: one touch kills and monsters come into town."


def stage(seed: int = 7, **given: str) -> AdventureStage:
    made = ADVENTURE.make(seed, ADVENTURE.complete_settings(given))
    assert isinstance(made, AdventureStage)
    return made


def play(on: AdventureStage, held: Iterable[str]) -> list[Happening]:
    return [happening for each in held for happening in on.step(Inputs(each))]


def play_until(on: AdventureStage, holds: Callable[[list[Happening]], bool], held: str = "") -> list[Happening]:
    """Play until the happenings of a step are as wanted, and return them."""
    for _ in range(6000):
        happened = list(on.step(Inputs(held)))
        if holds(happened):
            return happened
    raise AssertionError("it never happened")


def cues(happened: Iterable[Happening]) -> set[str]:
    return {each.cue for each in happened if each.cue}


def symbols(on: AdventureStage) -> dict[str, dict[str, Any]]:
    """Return the options of the symbols in the picture, by the name of the symbol."""
    return {shape[2]: shape[7] for shape in on.picture() if shape[0] == "s"}


def wait_for_hit(on: AdventureStage, *, hearts: int = 2) -> list[Happening]:
    """Walk to the monsters of the next area, and stand until hit so often that ``hearts`` are left."""
    while not on.facts()["monsters"]:
        on.step(Inputs("right"))
    return play_until(on, lambda _: on.game.view().hearts <= hearts)


# --- what the rules of the papers say of themselves ---


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("plays", ["you", "newcomer"])
def test_rules_of_papers_say_on_screen_that_they_are_hard(rules: str, plays: str) -> None:
    on = stage(rules=rules, monsters="15", plays=plays)
    assert on.hud().message.startswith(HARD)
    play_until(on, lambda happened: any(each.kind == "bad" for each in happened), "right")
    assert on.hud().message.endswith(HARD)
    assert "hearts" not in dict(on.hud().counts)


def test_wilds_do_not_call_themselves_hard() -> None:
    on = stage()
    assert "Hard" not in on.hud().message
    assert dict(on.hud().counts)["hearts"] == "♥♥♥"


# --- hits and falls ---


def test_hit_is_cued_shown_and_followed_by_blinking() -> None:
    on = stage(monsters="15")
    happened = wait_for_hit(on)
    assert "hurt" in cues(happened)
    hit = next(each for each in happened if each.cue == "hurt")
    assert (hit.label, hit.why.startswith("A ")) == ("is hit: 2 hearts left", True)
    assert dict(on.hud().counts)["hearts"] == "♥♥♡"
    drawn = symbols(on)
    assert {"burst", "heart", "heart-empty"} <= set(drawn)
    assert drawn["hero-armed"]["blink"] is True
    while on.game.view().shielded:
        on.step(Inputs())
    assert "blink" not in symbols(on)["hero-armed"]


def test_fall_shows_cause_where_it_happened_and_darkens_picture() -> None:
    on = stage(monsters="15")
    happened = wait_for_hit(on, hearts=0)
    assert [each.kind for each in happened if each.label == "dies"] == ["bad"]
    where = on.game.view()
    seen, dark = set(), []
    while on.game.view().fallen:
        drawn = {shape[2]: shape for shape in on.picture() if shape[0] == "s"}
        body = drawn.get("hero-fallen") or drawn["hero"]
        assert body[3:5] == [
            pytest.approx(where.x, abs=6),
            pytest.approx(where.y, abs=6),
        ]  # at an edge it is drawn inside
        assert body[7]["label"].endswith("caught you here")
        seen.add(body[2])
        dark += [int(shape[5].split("/")[1]) for shape in on.picture() if shape[0] == "r"]
        assert roles_of(on.picture(), on.symbols) <= set(ROLES)
        on.step(Inputs())
    assert seen == {"hero", "hero-fallen"}, "a moment of standing still, then the fall"
    assert dark == sorted(dark)
    assert dark[-1] >= 80
    assert symbols(on)["hero-armed"]["blink"] is True
    play(on, [""] * 10)
    assert not any(shape[0] == "r" for shape in on.picture())


def test_place_of_fall_stays_marked_and_is_named_for_a_while() -> None:
    on = stage(monsters="15")
    wait_for_hit(on, hearts=0)
    while on.game.view().fallen:
        on.step(Inputs())
    assert "grave" not in symbols(on), "it happened in another area"
    play_until(on, lambda _: on.game.view().area != "2,2", "right")
    assert symbols(on)["grave"]["label"].endswith("caught you here")
    while on.game.view().area == "3,2":
        on.step(Inputs("left"))
    play(on, [""] * 450)
    play_until(on, lambda _: on.game.view().area != "2,2", "right")
    assert "label" not in symbols(on)["grave"]


def test_death_without_fall_is_seen_where_it_happened() -> None:
    on = stage(rules="flairs", monsters="15")
    before = on.game.view()
    while not on.game.view().deaths:
        before = on.game.view()
        on.step(Inputs())
    drawn = {shape[2]: shape for shape in on.picture() if shape[0] == "s"}
    assert drawn["hero-fallen"][3:5] == [before.x, before.y]
    assert drawn["grave"][7]["label"] == "A monster caught you here"
    assert "blink" not in drawn["hero-armed"][7], "nothing protects the player there"


# --- kills and finds ---


def test_kill_is_cued_and_shows_what_it_earned() -> None:
    on = stage(3, rules="wilds", plays="experienced")
    play_until(on, lambda happened: "kill" in cues(happened))
    assert "puff" in symbols(on)
    assert "+1" in [shape[3] for shape in on.picture() if shape[0] == "t"]


def test_goals_that_are_reached_have_banners_and_cues() -> None:
    on = stage(3, plays="experienced")
    banners, heard = [], set()
    while not on.over and on.time < 600:
        happened = on.step(Inputs())
        heard |= cues(happened)
        if (banner := on.hud().banner) and banner not in banners:
            banners.append(banner)
    assert banners == ["You found the treasure! Next: return to town", "The treasure is home! Next: kill 10 monsters"]
    assert {"find", "goal", "kill", "swing"} <= heard <= set(CUES)


def test_banner_is_gone_after_some_seconds() -> None:
    on = stage(3, plays="experienced")
    play_until(on, lambda _: on.hud().banner != "")
    since = on.time
    play_until(on, lambda _: on.hud().banner == "")
    assert 2 <= on.time - since <= 3


# --- the ground ---


def test_footprints_are_drawn_until_chest_is_found() -> None:
    on = stage(3, plays="experienced")

    def steps() -> int:
        return sum(shape[0] == "s" and shape[2] == "footprint" for shape in on.backdrop()[1])

    assert steps() > 10
    key = on.backdrop()[0]
    while not on.facts()["carrying"]:
        on.step(Inputs())
    assert steps() == 0
    while on.facts()["area"] != "2,2":
        on.step(Inputs())
    assert on.backdrop()[0] != key
    assert steps() == 0


@pytest.mark.parametrize("way", ["left", "right"])
def test_hero_is_wholly_in_picture_at_every_step(way: str) -> None:
    on = stage(monsters="3")
    areas = set()
    for _ in range(150):
        on.step(Inputs(way))
        areas.add(on.facts()["area"])
        hero = next(shape for shape in on.picture() if shape[0] == "s" and shape[1] == "hero")
        assert 18 <= hero[3] <= on.size[0] - 18
    assert len(areas) > 1


# --- what is sent ---


def test_frames_tell_each_cue_once() -> None:
    session = Session(ADVENTURE, 3, {"plays": "experienced"})
    while not any(each.happening.cue == "find" for each in session.happenings):
        session.advance()
    assert "♥" in dict(session.frame_data["hud"]["counts"])["hearts"]
    assert session.frame_data["hud"]["banner"].startswith("You found")
    heard = to_cues(session.happenings)
    assert len(heard) == len(set(heard)) > 2
    assert set(heard) <= set(CUES)
    assert hello(session)["about"]["counts"]["hearts"].startswith("How many")
