"""Working memory: facts age, fade and are forgotten, and whoever asks is told no more than that."""

import json
import math

import pytest

from telos.agents.memory import MIN_CONFIDENCE, Fact, WorkingMemory
from telos.core.errors import TelosError
from telos.core.values import FrozenMap


def noise(time: float, *, confidence: float = 1.0, loud: bool = True) -> Fact:
    return Fact("noise", "shot", time, confidence, FrozenMap({"loud": loud}))


def test_a_fact_says_what_it_is_about_and_how_sure_it_was_when() -> None:
    fact = noise(3.0, confidence=0.8)
    assert (fact.kind, fact.subject, fact.time, fact.confidence, fact["loud"]) == ("noise", "shot", 3.0, 0.8, True)
    assert fact.get("far") is None


def test_confidence_falls_steadily_and_a_faint_fact_is_forgotten() -> None:
    memory = WorkingMemory({"noise": 10.0})
    memory.note(noise(0.0, confidence=0.5))
    assert memory.confidence(noise(0.0, confidence=0.5), 5.0) == 0.25
    gone = memory.gone_at(noise(0.0, confidence=0.5))
    assert gone == 9.0
    assert memory.confidence(noise(0.0, confidence=0.5), gone) == pytest.approx(MIN_CONFIDENCE)
    assert memory.recall("noise", "shot", 8.9) is not None
    assert memory.recall("noise", "shot", 9.0) is None
    assert memory.all_of("noise", 9.0) == []


def test_kinds_that_are_not_said_to_fade_stay() -> None:
    memory = WorkingMemory({"noise": 10.0})
    memory.note(Fact("wall", "north", 0.0))
    assert memory.recall("wall", "north", 1e9) is not None
    assert memory.next_fade == math.inf


def test_a_fact_that_is_faint_from_the_start_is_never_held() -> None:
    memory = WorkingMemory()
    memory.note(Fact("rumour", "ghost", 0.0, confidence=MIN_CONFIDENCE / 2))
    assert memory.recall("rumour", "ghost", 0.0) is None


def test_forgetting_returns_what_is_gone_and_counts_as_a_change() -> None:
    memory = WorkingMemory({"noise": 10.0})
    memory.note(noise(0.0))
    memory.note(Fact("wall", "north", 0.0))
    before = memory.version
    assert memory.fade(memory.next_fade - 0.01) == []
    assert memory.version == before
    assert memory.fade(memory.next_fade) == [noise(0.0)]
    assert memory.version == before + 1
    assert [fact.kind for fact in memory] == ["wall"]


def test_a_fresh_look_puts_fading_off() -> None:
    memory = WorkingMemory({"noise": 10.0})
    memory.note(noise(0.0))
    memory.note(noise(6.0))
    assert memory.fade(9.6) == []
    assert memory.next_fade == pytest.approx(15.5)


def test_saying_the_same_again_is_no_news_until_it_has_been_forgotten() -> None:
    memory = WorkingMemory({"noise": 10.0})
    assert memory.note(noise(0.0))
    assert not memory.note(noise(1.0))
    assert memory.note(noise(2.0, loud=False))
    assert memory.note(noise(3.0, loud=False, confidence=0.6))
    assert memory.note(noise(60.0, loud=False, confidence=0.6)), "nobody remembered the one of a minute ago"


def test_dropped_fact_is_gone_at_once() -> None:
    memory = WorkingMemory()
    memory.note(noise(0.0))
    version = memory.version
    assert memory.forget("noise", "shot")
    assert memory.version == version + 1
    assert not memory.forget("noise", "shot")
    assert not memory.forget("smell", "smoke")
    assert memory.version == version + 1


def test_facts_come_in_the_order_in_which_their_subjects_were_met() -> None:
    memory = WorkingMemory()
    for who in ("bert", "carl", "bert", "anna"):
        memory.note(Fact("enemy", who, 0.0))
    assert [fact.subject for fact in memory.all_of("enemy", 0.0)] == ["bert", "carl", "anna"]


def test_a_saved_memory_comes_back_as_it_was() -> None:
    memory = WorkingMemory({"noise": 10.0})
    memory.note(noise(0.25, confidence=0.7))
    memory.note(Fact("wall", "north", 0.0))
    memory.focus["target"] = "bert"
    other = WorkingMemory({"noise": 10.0})
    other.restore(json.loads(json.dumps(memory.save())))
    assert other.save() == memory.save()
    assert (list(other), other.focus, other.version) == (list(memory), memory.focus, memory.version)
    assert other.next_fade == memory.next_fade


@pytest.mark.parametrize("seconds", [0, -1.0, "long", None])
def test_a_time_to_fade_that_is_none_is_refused(seconds: object) -> None:
    with pytest.raises(TelosError, match=r"facts of the kind 'noise' fade in .*; give a number of seconds above 0"):
        WorkingMemory({"noise": seconds})  # type: ignore[dict-item]
