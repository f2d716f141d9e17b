"""A recorded fight is replayed without minds; every difference is reported with its line."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from mutations import damage
from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import FightLog, IntentionTracker, Replay, replay_fight
from telos.worlds.arena.scene import load_scene, scene_names
from telos.worlds.arena.sim.views import ArenaView
from worlds.arena.fights import fought


def recorded(scene: str, seed: int, seconds: float) -> tuple[list[str], list[ArenaView]]:
    lines: list[str] = []
    battle = Battle(load_scene(scene), seed=seed, trace=lambda record: lines.append(as_json(record)))
    return lines, list(battle.seconds(seconds))


def flank() -> list[str]:
    return [as_json(each) for each in fought("flank", 1).records]


@pytest.mark.parametrize("scene", [name for name in scene_names() if name != "skirmish"])
def test_replay_shows_the_same_views_and_records(scene: str) -> None:
    lines, views = recorded(scene, 2, 20.0)
    again: list[str] = []
    assert list(replay_fight(lines, trace=lambda record: again.append(as_json(record)))) == views
    assert again == lines


def test_replay_needs_no_minds() -> None:
    bodies = [line for line in flank() if json.loads(line)["kind"] in ("started", "commanded", "event", "ended")]
    assert len(bodies) < len(flank())
    assert list(replay_fight(bodies)) == fought("flank", 1).views[1:]


def test_replay_of_a_truncated_recording_ends_early() -> None:
    lines = flank()
    views = fought("flank", 1).views[1:]
    for cut in (2, len(lines) // 2, len(lines) - 1):
        played = list(replay_fight(lines[:cut]))
        assert played == views[: len(played)]
    assert len(list(replay_fight(lines[:-1]))) == len(views)


def test_replay_requires_the_scene_of_a_custom_recording() -> None:
    own = replace(load_scene("door-open"), name="my-door")
    lines: list[str] = []
    views = list(Battle(own, seed=1, trace=lambda record: lines.append(as_json(record))).seconds())
    assert list(replay_fight(lines, scene=own)) == views
    with pytest.raises(TelosError, match="recording:1: the scene 'my-door' is not in the package"):
        next(replay_fight(lines))
    with pytest.raises(TelosError, match="recording:1: 'my-door' was recorded with another cast"):
        next(replay_fight(lines, scene=load_scene("flank")))


def altered(lines: list[str], kind: str, change: Callable[[dict[str, object]], object]) -> tuple[list[str], int]:
    """Return the lines with the first record of a kind changed, and the number of that line."""
    number = next(place for place, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    record = json.loads(lines[number])
    change(record)
    return [*lines[:number], json.dumps(record), *lines[number + 1 :]], number + 1


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("event", lambda record: record["context"].update(x=1.0), "recorded was .* but here it is"),
        ("event", lambda record: record.update(player="Pat"), "recorded was .* but here it is"),
        ("event", lambda record: record.update(time=0.0), "recorded was Ann step at 0 s"),
        ("commanded", lambda record: record.update(time=0.05), "0.05 s is before 0.1 s"),
        ("event", lambda record: record.update(time=-1), "invalid time -1 s"),
        ("event", lambda record: record.update(time=1e9), r"invalid time 1e\+09 s"),
        ("event", lambda record: record.pop("player"), "'player'.* kind 'event'"),
        ("event", lambda record: record.update(extra=1), "'extra'.* kind 'event'"),
        ("event", lambda record: record.update(time="soon"), "'time'.* kind 'event'"),
        ("event", lambda record: record.update(kind="dream"), "unknown kind of record"),
        ("commanded", lambda record: record["commands"].update(Zed="stop"), "unknown fighter 'Zed'"),
        ("commanded", lambda record: record["commands"].update(Ann="dance"), "dance"),
        ("commanded", lambda record: record["commands"].update(Ann=3), "'commands'"),
        ("commanded", lambda record: record.update(commands=[]), "'commands'"),
        ("started", lambda record: record.update(seed=-1), "seed .* got -1"),
        ("started", lambda record: record.update(world="home"), "not the start"),
        ("started", lambda record: record["sides"].update(red=["Ann"]), "'flank' was recorded with another cast"),
        ("planned", lambda record: record.update(steps=3), "'steps'.* kind 'planned'"),
        ("ended", lambda record: record.update(winner="blue"), "recorded was that blue wins, but here red wins"),
    ],
)
def test_replay_reports_the_line_of_a_difference(
    kind: str, change: Callable[[dict[str, object]], object], message: str
) -> None:
    lines, number = altered(flank(), kind, change)
    with pytest.raises(TelosError, match=f"^fight.jsonl:{number}: .*{message}") as refused:
        list(replay_fight(lines, name="fight.jsonl"))
    assert "\n" not in str(refused.value)


def test_replay_detects_another_seed_command_or_lost_line() -> None:
    lines = flank()
    for kind, change in (
        ("started", lambda record: record.update(seed=2)),
        ("commanded", lambda record: record["commands"].clear()),
    ):
        broken, _ = altered(lines, kind, change)
        with pytest.raises(TelosError, match=r"recording:\d+: recorded was"):
            list(replay_fight(broken))
    shot = next(place for place, line in enumerate(lines) if '"action": "shot"' in line)
    with pytest.raises(TelosError, match=rf"recording:{shot + 1}: recorded was"):
        list(replay_fight([*lines[:shot], *lines[shot + 1 :]]))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "recording:1: the recording is empty"),
        (["", "  "], "recording:1: the recording is empty"),
        (["oops"], "recording:1: invalid JSON"),
        (["[1]"], "recording:1: unknown kind of record"),
        (['{"kind": "ended", "time": 0, "winner": null, "why": ""}'], "recording:1: this is not the start"),
    ],
)
def test_replay_rejects_other_files(lines: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        list(replay_fight(lines))
    assert str(refused.value).startswith(message)


def test_replay_rejects_records_after_the_end() -> None:
    lines = flank()
    with pytest.raises(TelosError, match=rf"recording:{len(lines) + 1}: this record is after the end"):
        list(replay_fight([*lines, lines[-1]]))


def test_intention_tracker_matches_the_minds() -> None:
    told, lines = IntentionTracker(), list[str]()
    battle = Battle(load_scene("flank"), seed=1, trace=lambda record: lines.append(as_json(record)))
    live = [
        {name: (mind.goal, mind.steps, mind.index) for name, mind in battle.minds.items() if mind.goal}
        for _ in battle.seconds(6.0)
    ]
    played = Replay(lines, trace=told.note)
    after = [{name: (each.goal, each.steps, each.index) for name, each in told.minds.items()} for _ in played.steps()]
    assert after == live


# Recordings are data from outside


@pytest.mark.parametrize(
    "line",
    [
        '{"kind": {}}',
        '{"kind": []}',
        '{"kind": null}',
        "[" * 100_000,
        "1" * 5_000,
        '{"kind": "event", "time": NaN}',
        "{}",
    ],
)
def test_a_line_that_is_no_record_is_refused_with_its_number(line: str) -> None:
    lines = flank()
    with pytest.raises(TelosError, match=r"^fight\.jsonl:3: ") as refused:
        list(replay_fight([*lines[:2], line, *lines[2:]], name="fight.jsonl"))
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [("planned", "steps", [3]), ("ordered", "orders", {"Ann": 3}), ("grouped", "squads", {"red-1": [None]})],
)
def test_values_inside_lists_and_mappings_are_checked(kind: str, field: str, value: object) -> None:
    lines, number = altered(flank(), kind, lambda record: record.update({field: value}))
    with pytest.raises(TelosError, match=rf"recording:{number}: invalid field '{field}'"):
        list(replay_fight(lines))


def test_a_cut_recording_is_not_complete() -> None:
    lines = flank()
    whole, cut = Replay(lines), Replay(lines[:-1])
    for _ in whole.steps():
        pass
    whole.check_complete()
    for _ in cut.steps():
        pass
    with pytest.raises(TelosError, match=rf"recording:{len(lines) - 1}: the recording is cut short"):
        cut.check_complete()


def test_damaged_recordings_are_refused_or_played() -> None:
    rng, lines = Random(3), flank()[:60]
    log = FightLog()
    for _ in range(120):
        place = rng.randrange(len(lines)) if rng.random() < 0.8 else 0
        text = list(lines)
        with suppress(RecursionError):  # deeper than JSON is written
            text[place] = json.dumps(damage(json.loads(lines[place]), rng), default=str)
        with suppress(TelosError):
            list(replay_fight(text, trace=log.line))
