"""A seed determines a fight, tracing changes nothing, and a restored fight continues exactly."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from telos.agents.trace import Forgot, Noticed
from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import CommandsGiven, FightEnded, FightStarted
from telos.worlds.arena.scene import load_scene, scene_names
from telos.worlds.arena.sim.views import ArenaView
from worlds.arena.fights import changed, fought


class Taped:
    """A battle, the lines of its trace, and saved states."""

    def __init__(self, scene: str, seed: int) -> None:
        self.lines: list[str] = []
        self.battle = Battle(load_scene(scene), seed=seed, trace=lambda record: self.lines.append(as_json(record)))
        self.saved: list[tuple[int, str]] = []  # number of trace lines, and the saved state

    def fight(self, seconds: float | None = None, *, every: int = 0) -> list[ArenaView]:
        views = []
        for view in self.battle.seconds(seconds):
            views.append(view)
            if every and round(view.time * 10) % every == 0:
                self.saved.append((len(self.lines), json.dumps(self.battle.save(), allow_nan=False)))
        return views


def test_flank_matches_its_golden_trace(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []

    def note(record: object) -> None:
        if not isinstance(record, Noticed | Forgot):
            lines.append(as_json(record))

    for _ in Battle(load_scene("flank"), seed=1, trace=note).seconds(10.0):
        pass
    golden("flank_seed1.jsonl", "\n".join(lines) + "\n")


@pytest.mark.parametrize("scene", ["flank", "layer-7-talk", "grenade"])
def test_seed_determines_the_trace(scene: str) -> None:
    one, two, other = Taped(scene, 3), Taped(scene, 3), Taped(scene, 4)
    for taped in (one, two, other):
        taped.fight(12.0)
    assert one.lines == two.lines
    assert one.lines[1:] != other.lines[1:]


@pytest.mark.parametrize("scene", ["pincer", "layer-7-talk", "search"])
def test_trace_changes_nothing(scene: str) -> None:
    taped, alone = Taped(scene, 5), Battle(load_scene(scene), seed=5)
    assert taped.fight(20.0) == list(alone.seconds(20.0))


def test_trace_begins_and_ends_with_records_of_the_fight() -> None:
    fight = fought("flank", 1)
    started, ended = fight.records[0], fight.records[-1]
    assert isinstance(started, FightStarted)
    assert (started.world, started.scene, started.seed) == ("arena", "flank", 1)
    assert dict(started.sides) == {"red": ("Ann", "Bob"), "blue": ("Pat",)}
    assert isinstance(ended, FightEnded)
    assert (ended.winner, ended.time) == (fight.views[-1].winner, fight.views[-1].time)
    assert fight.of(CommandsGiven)


def test_fight_lasts_as_long_as_the_scene_or_the_limit_says() -> None:
    assert [*Battle(load_scene("goals-rat"), seed=1).seconds(2.0)][-1].time == 2.0
    assert fought("goals-rat", 1).views[-1].time == 60.0
    with pytest.raises(TelosError, match="more than 0 seconds"):
        next(Battle(load_scene("goals-rat")).seconds(0))


# Saving


def restored(taped: Taped, saved: str) -> Taped:
    """Return a new battle restored from a saved state."""
    other = Taped(taped.battle.scene.name, taped.battle.seed)
    other.battle.restore(json.loads(saved))
    other.lines.clear()
    return other


@pytest.mark.parametrize("scene", [name for name in scene_names() if name not in ("skirmish", "search")])
@pytest.mark.parametrize("saves", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_restored_battle_continues_exactly(scene: str, saves: int) -> None:
    taped = Taped(scene, 2)
    views = taped.fight(25.0, every=37)
    assert taped.saved
    for lines, saved in taped.saved[:4][-saves:]:
        other = restored(taped, saved)
        assert json.dumps(other.battle.save()) == saved
        assert other.fight(25.0) == [view for view in views if view.time > json.loads(saved)["arena"]["tick"] / 10]
        assert other.lines == taped.lines[lines:]


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 6))])
def test_restored_skirmish_continues_exactly_after_deaths(seed: int) -> None:
    taped = Taped("skirmish", seed)
    taped.fight(45.0, every=149)
    fallen = [json.loads(saved)["arena"]["fighters"].values() for _, saved in taped.saved]
    assert any(not each["alive"] for fighters in fallen for each in fighters)
    for lines, saved in taped.saved[-2:]:
        other = restored(taped, saved)
        other.fight(45.0)
        assert other.lines == taped.lines[lines:]


@pytest.mark.parametrize(
    ("squads", "message"),
    [
        ({"rde": ["search"]}, "unknown side 'rde'; did you mean 'red'?"),
        ({"red": ["serch"]}, "unknown squad behaviour or practice 'serch'; did you mean 'search'?"),
        ({"red": ["flank-and-hold"]}, "unknown squad behaviour or practice 'flank-and-hold'"),  # not of this scene
    ],
)
def test_unknown_squads_are_refused(squads: dict[str, list[str]], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        Battle(load_scene("flank"), squads=squads)
    assert message in str(refused.value)


def test_saving_changes_nothing() -> None:
    taped, often = Taped("flank", 6), Taped("flank", 6)
    assert taped.fight() == often.fight(every=1)
    assert taped.lines == often.lines


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Battle(load_scene("pincer"), seed=1), "saved from 'flank' with seed 1, not from 'pincer' with seed 1"),
        (lambda: Battle(load_scene("flank"), seed=2), "not from 'flank' with seed 2; restore it in a"),
        (lambda: Battle(replace(load_scene("flank"), talk=False), seed=1), "'flank' was saved with other squads or"),
        (lambda: Battle(load_scene("flank"), seed=1, squads={}), "'flank' was saved with other squads or other talk"),
        (lambda: stepped(Battle(load_scene("flank"), seed=1)), "0.1 s old"),
        (lambda: Battle(changed(load_scene("flank"), "Bob", name="Rob"), seed=1), "Bob"),
    ],
)  # fmt: skip
def test_restore_rejects_state_of_another_fight(make: Callable[[], Battle], message: str) -> None:
    saved: dict[str, Any] = stepped(Battle(load_scene("flank"), seed=1)).save()
    with pytest.raises(TelosError, match=message):
        make().restore(saved)


def stepped(battle: Battle) -> Battle:
    battle.step()
    return battle
