"""A running mind, or a whole crowd, is saved as plain data and goes on exactly as if nothing had happened."""

import copy
import json
from typing import Any

import pytest

from agents.yard import Camp, Yard, camp_crowd, live, pass_frames, soldier
from telos.agents.explain import why, why_not
from telos.agents.mind_schedule import MindSchedule
from telos.agents.saving import restore_mind, save_mind
from telos.core.errors import TelosError
from telos.core.trace import as_json


def through_json(saved: Any) -> Any:
    return json.loads(json.dumps(saved, allow_nan=False))


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.4, 0.5, 1.2, 1.3, 1.7, 2.0, 2.3, 2.5, 6.0])
def test_a_mind_goes_on_from_any_moment_as_the_one_that_was_not_saved(seconds: float) -> None:
    lines: tuple[list[str], list[str]] = ([], [])
    yard = Yard(held=True)
    mind = soldier(yard, trace=lambda record: lines[0].append(as_json(record)))
    live(mind, yard, seconds)
    saved, other_yard = through_json(save_mind(mind)), copy.deepcopy(yard)
    other = soldier(other_yard, trace=lambda record: lines[1].append(as_json(record)))
    restore_mind(other, saved)
    assert through_json(save_mind(other)) == saved
    assert (other.goal, other.steps, other.index) == (mind.goal, mind.steps, mind.index)
    assert why(other) == why(mind)
    lines[0].clear()
    live(mind, yard, 25.0)
    live(other, other_yard, 25.0)
    assert lines[0] == lines[1]
    assert yard.entered == other_yard.entered
    assert through_json(save_mind(other)) == through_json(save_mind(mind))


def test_a_restored_mind_still_says_why_not() -> None:
    yard = Yard(held=True, target="alive")
    mind = soldier(yard)
    yard.loaded = False
    live(mind, yard, 1.0)
    other = soldier(copy.deepcopy(yard))
    restore_mind(other, through_json(save_mind(mind)))
    for asked in ("kill_enemy", "shoot", "open-door", "melee"):
        assert why_not(other, asked) == why_not(mind, asked)


def test_mind_is_restored_only_into_one_with_its_name_and_actions() -> None:
    yard = Yard()
    mind = soldier(yard)
    mind.think(0.0)
    saved = save_mind(mind)
    with pytest.raises(TelosError, match="the saved mind is 'bert', not 'ann'; restore it into one of that name"):
        restore_mind(mind, {**saved, "name": "bert"})
    saved["execution"]["steps"][0][0] = "open-dor"
    with pytest.raises(TelosError, match=r"'open-dor'.*'open-door'"):
        restore_mind(mind, saved)


# --- crowds -----------------------------------------------------------------------------------------------------------


def camp_of(size: int, seed: int, expansions: int, lines: list[str], *, fog: float = 0.0) -> tuple[Camp, MindSchedule]:
    camp = Camp(size, seed, fog=fog)
    return camp, camp_crowd(camp, expansions=expansions, budget=2.0, trace=lambda record: lines.append(as_json(record)))


def test_a_crowd_that_waits_for_plans_asks_again_in_the_order_of_the_queue() -> None:
    camp, crowd = camp_of(6, 1, 3, [])
    pass_frames(camp, crowd, 4)
    queue = [ticket.expanded for ticket in crowd.scheduler.waiting]
    names = [name for ticket in crowd.scheduler.waiting for name, mind in crowd.minds.items() if _asks(mind, ticket)]
    assert len(names) > 1
    assert names != sorted(names), "the queue has turned, so the order is worth keeping"
    other_camp, other = camp_of(6, 1, 3, [])
    other_camp.restore(through_json(camp.save()))
    other.restore(through_json(crowd.save()))
    assert [ticket.expanded for ticket in other.scheduler.waiting] == queue
    again = [name for ticket in other.scheduler.waiting for name, mind in other.minds.items() if _asks(mind, ticket)]
    assert again == names


def _asks(mind: Any, ticket: Any) -> bool:
    return mind.deliberation is not None and mind.deliberation.ticket is ticket


def test_deliberation_saved_midway_keeps_the_goals_without_plan() -> None:
    camp, crowd = camp_of(3, 0, 1, [])
    for _ in range(600):
        pass_frames(camp, crowd, 1)
        if any(mind.is_waiting and mind.deliberation and mind.deliberation.is_wanting for mind in crowd.minds.values()):
            break
    else:
        pytest.fail("nobody ever waited for the plan of a second goal")
    other_camp, other = camp_of(3, 0, 1, [])
    other_camp.restore(through_json(camp.save()))
    other.restore(through_json(crowd.save()))
    for _ in range(80):
        pass_frames(camp, crowd, 1)
        pass_frames(other_camp, other, 1)
        assert other.save() == crowd.save()


def test_a_crowd_restored_in_place_takes_back_what_happened_since() -> None:
    lines: list[str] = []
    camp, crowd = camp_of(4, 9, 2, lines)
    pass_frames(camp, crowd, 3)
    assert any(ticket.expanded for ticket in crowd.scheduler.waiting), "or planners have nothing to forget"
    saved = through_json([camp.save(), crowd.save()])
    lines.clear()
    pass_frames(camp, crowd, 60)
    first = list(lines)
    lines.clear()
    camp.restore(saved[0])
    crowd.restore(saved[1])
    pass_frames(camp, crowd, 60)
    assert lines == first
    assert len(lines) > 50


def test_saving_changes_nothing() -> None:
    lines: tuple[list[str], list[str]] = ([], [])
    for number, is_saved in enumerate((True, False)):
        camp, crowd = camp_of(4, 2, 4, lines[number], fog=0.05)
        for _ in range(60):
            pass_frames(camp, crowd, 1)
            if is_saved:
                crowd.save()
    assert lines[0] == lines[1]


def test_a_run_is_repeated_from_its_seed_bit_by_bit() -> None:
    runs: list[list[str]] = []
    for _ in range(2):
        runs.append([])
        pass_frames(*camp_of(5, 4, 6, runs[-1], fog=0.05), frames=200)
    assert runs[0] == runs[1]
    other: list[str] = []
    pass_frames(*camp_of(5, 5, 6, other, fog=0.05), frames=200)
    assert other != runs[0]


def test_a_crowd_is_restored_only_with_the_same_minds() -> None:
    _, crowd = camp_of(3, 1, 4, [])
    _, other = camp_of(2, 1, 4, [])
    with pytest.raises(TelosError, match=r"saved from a crowd of camper-0, camper-1, camper-2, not of camper-0, camp"):
        other.restore(crowd.save())
