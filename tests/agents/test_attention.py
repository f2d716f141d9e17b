"""Attention fills the planner's one slot for a target, a weapon or a node, and does not flutter."""

import pytest

from telos.agents.memory import Attention, Fact, WorkingMemory


def near(fact: Fact, memory: WorkingMemory, now: float) -> float | None:
    return None if fact.get("dead") else -float(fact["distance"])


TARGET = Attention("target", "enemy", near)
STEADY = Attention("target", "enemy", near, margin=3.0)


def sees(memory: WorkingMemory, now: float = 0.0, **distances: float) -> None:
    for who, distance in distances.items():
        memory.note(Fact("enemy", who, now, attributes={"distance": distance}))


def test_attention_turns_to_the_best_and_says_so_in_memory() -> None:
    memory = WorkingMemory()
    sees(memory, bert=9.0, carl=4.0, dora=6.0)
    assert TARGET.choose(memory, 0.0) == "carl"
    assert memory.focus == {"target": "carl"}


def test_of_equals_the_first_met_is_taken_and_then_kept() -> None:
    memory = WorkingMemory()
    sees(memory, bert=4.0, carl=4.0)
    assert TARGET.choose(memory, 0.0) == "bert"
    memory.focus["target"] = "carl"
    assert TARGET.choose(memory, 0.0) == "carl"


@pytest.mark.parametrize(("distance", "chosen"), [(7.0, "bert"), (6.0, "bert"), (5.9, "carl")])
def test_attention_wanders_only_to_what_is_better_by_the_margin(distance: float, chosen: str) -> None:
    memory = WorkingMemory()
    sees(memory, bert=9.0)
    STEADY.choose(memory, 0.0)
    sees(memory, carl=distance)
    assert STEADY.choose(memory, 0.0) == chosen


def test_attention_leaves_excluded_or_forgotten_facts() -> None:
    memory = WorkingMemory({"enemy": 10.0})
    sees(memory, bert=1.0)
    sees(memory, 5.0, carl=3.5)
    assert STEADY.choose(memory, 5.0) == "bert"
    assert STEADY.choose(memory, 9.6) == "carl"
    memory.note(Fact("enemy", "carl", 9.6, attributes={"dead": True}))
    assert STEADY.choose(memory, 9.6) is None
    assert memory.focus == {"target": None}


def test_each_slot_has_its_own_focus() -> None:
    memory = WorkingMemory()
    sees(memory, bert=2.0)
    memory.note(Fact("cover", "crates", 0.0, attributes={"distance": 5.0}))
    for each in (TARGET, Attention("node", "cover", near), Attention("weapon", "weapon", near)):
        each.choose(memory, 0.0)
    assert memory.focus == {"target": "bert", "node": "crates", "weapon": None}
