"""A household: one seed determines the run; the trace is complete and has no influence."""

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.home.household import Household
from telos.worlds.home.trace import Began, Finished, HomeChoice, HomeEnded, HomeLog, HomeStarted, Interrupted
from telos.worlds.registry import world


def traced(people: int, seed: int, minutes: int) -> str:
    lines: list[str] = []
    Household(people, seed=seed, trace=lambda record: lines.append(as_json(record))).live(minutes=minutes)
    return "\n".join(lines) + "\n"


def test_first_hours_of_seed_seven_match_the_golden_trace(golden: Callable[[str, str], None]) -> None:
    golden("home_seed7.jsonl", traced(3, seed=7, minutes=3 * 60))


def test_same_seed_gives_the_same_bytes() -> None:
    assert traced(3, seed=11, minutes=1440) == traced(3, seed=11, minutes=1440)
    assert traced(3, seed=11, minutes=1440) != traced(3, seed=12, minutes=1440)


def test_trace_does_not_change_the_run() -> None:
    watched, alone = Household(3, seed=2, trace=lambda record: None), Household(3, seed=2)
    seen: list[object] = []
    loud = Household(3, seed=2, trace=seen.append)
    for household in (watched, alone, loud):
        household.live(minutes=1440)
    assert watched.view == alone.view == loud.view
    assert seen


def test_trace_has_start_end_and_a_reason_for_each_choice() -> None:
    records: list[object] = []
    Household(2, seed=1, trace=records.append).live(minutes=600)
    assert isinstance(records[0], HomeStarted)
    assert isinstance(records[-1], HomeEnded)
    choices = [record for record in records if isinstance(record, HomeChoice)]
    assert choices
    for choice in choices:
        assert choice.why
        assert choice.runner_up != choice.action


def test_actions_of_a_person_do_not_overlap() -> None:
    records: list[object] = []
    Household(4, seed=9, trace=records.append).live(minutes=2 * 1440)
    at_it: dict[str, str | None] = {}
    for record in records:
        if isinstance(record, Began):
            assert at_it.get(record.person) is None, record
            at_it[record.person] = record.action
        elif isinstance(record, Finished):
            assert at_it[record.person] == record.action
            at_it[record.person] = None
        elif isinstance(record, Interrupted):  # possibly during the walk
            assert at_it.get(record.person) in (record.action, None)
            at_it[record.person] = None


def test_trace_lines_are_json_with_kind_and_time() -> None:
    for line in traced(1, seed=0, minutes=300).splitlines():
        said = json.loads(line)
        assert said["kind"]
        assert said["time"] >= 420


def test_text_log_gives_reasons_and_does_not_repeat_idling() -> None:
    log, lines = HomeLog(), []
    Household(3, seed=7, trace=lambda record: lines.append(log.line(record))).live(minutes=1440)
    said = [line for line in lines if line]
    assert any("cooks at the oven — hunger" in line for line in said)
    assert any("came to talk" in line for line in said)
    for person in ("Ada", "Ben", "Cleo"):
        own = [line for line in said if f"  {person}" in line]
        assert not any("potters" in one and "potters" in two for one, two in pairwise(own))


def test_negative_minutes_are_rejected() -> None:
    with pytest.raises(TelosError, match="minutes must be zero or more, got -5"):
        Household(1).live(minutes=-5)


def test_unknown_world_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(TelosError, match="there is no world 'hone'; did you mean 'home'"):
        world("hone")
