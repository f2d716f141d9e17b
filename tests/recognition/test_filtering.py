"""Reading one player, and many: what counts, what is refused, and what the belief survives."""

import json
import math
from random import Random
from typing import Any

import pytest

from recognition.readings import flairs, play, random_evidence
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.filtering import Clock, Reader, counted_evidence, forward, step, update
from telos.recognition.iohmm import IOHMM
from telos.recognition.observations import FixedObservation
from telos.recognition.player_models import Readers
from telos.recognition.recognizer import BeliefUpdated, EventIgnored, Evidence

STAY = ((0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.05, 0.05, 0.9))


def test_belief_exists_before_the_first_event() -> None:
    reader = Reader(flairs(prior={"level": 0.5, "explore": 0.3, "town": 0.2}))
    assert dict(reader.belief) == {"level": 0.5, "explore": 0.3, "town": 0.2}
    assert "nothing was seen yet" in reader.belief.why()


def test_the_front_doors_example_reads_a_swing() -> None:
    belief = Reader(flairs()).observe(Event("swing", {"monsters": 2, "in_town": False}))
    assert belief.top == "level"
    assert "last seen: swing_still" in belief.why()


def never_stops(**changed: Any) -> Any:
    looks = {goal: FixedObservation({"stop": 0.0, "swing_still": 0.3}) for goal in ("level", "explore", "town")}
    return flairs(observations=looks, **changed)


def test_impossible_observation_is_ignored_with_a_reason() -> None:
    records: list[object] = []
    reader = Reader(never_stops(prior=[0.7, 0.2, 0.1]), trace=records.append)
    belief = reader.observe(Event("stop", time=3.0))
    expected = [0.7 * 0.99 + 0.3 * 0.005, 0.2 * 0.99 + 0.8 * 0.005, 0.1 * 0.99 + 0.9 * 0.005]
    assert list(belief.values()) == pytest.approx(expected)
    assert "no goal allows stop: it was ignored" in belief.why()
    assert records[0] == EventIgnored(3.0, "player", "stop")
    assert isinstance(records[1], BeliefUpdated)
    assert (reader.ignored, reader.log_likelihood) == (1, 0.0)
    assert "ignored" not in reader.observe(Event("swing", time=4.0)).why()


def test_observation_ruled_out_by_belief_is_ignored() -> None:
    certain = Evidence(((1.0, 0.0), (0.0, 1.0)), (0.0, 1.0), "odd")
    assert step((1.0, 0.0), certain) == ((1.0, 0.0), (1.0, 0.0), 0.0)


def test_likelihoods_too_small_to_multiply_are_still_compared() -> None:
    faint = Evidence(STAY, (3e-320, 1e-320, 0.0), "faint")
    _, after, likelihood = step((1 / 3, 1 / 3, 1 / 3), faint)
    assert after == pytest.approx((0.75, 0.25, 0.0), rel=1e-3)
    assert likelihood > 0


def test_a_model_that_says_nan_is_found_out() -> None:
    with pytest.raises(TelosError, match="likelihoods"):
        step((1 / 3, 1 / 3, 1 / 3), Evidence(STAY, (math.nan, 0.5, 0.5), "bad"))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Event("swnig"), "unknown action 'swnig'; did you mean 'swing'?"),
        (Event("swing", {"monster": 2}), "unknown context 'monster'; did you mean 'monsters'?"),
        (Event("swing", {"monsters": math.nan}), "'monsters' holds int, not nan"),
        (Event("swing", {"monsters": "many"}), "'monsters' holds int, not 'many'"),
        (Event("swing", {"cause": "whim"}), r"'cause' holds \[input, area, tick\], not 'whim'"),
        (Event("swing", {"unvisited_exits": ("nroth",)}), "unknown edge 'nroth' in unvisited_exits; did you mean"),
        (Event("swing", {"unvisited_exits": "north"}), "lists edges"),
        (Event("swing", {"exits": {"north": 1}}), "'exits' holds edges, not"),
    ],
)
def test_bad_events_are_refused_and_change_nothing(event: Event, said: str) -> None:
    reader = Reader(flairs())
    reader.observe(Event("up", {"moving": "up"}, player="player"))
    before = reader.save()
    with pytest.raises(TelosError, match=said):
        reader.observe(event)
    assert reader.save() == before


def test_an_unknown_name_is_refused_even_if_all_else_was_seen_before() -> None:
    reader = Reader(flairs())
    event = play(1)[0]
    reader.observe(event)
    with pytest.raises(TelosError, match="'weather'"):
        reader.observe(Event(event.action, {**event.context, "weather": "rain"}, time=1))


def test_time_cannot_run_backwards() -> None:
    reader = Reader(flairs())
    reader.observe(Event("up", {"moving": "up"}, time=5))
    with pytest.raises(TelosError, match="time runs backwards: an event at 4 s after one at 5 s"):
        reader.observe(Event("up", {"moving": "up"}, time=4))
    with pytest.raises(TelosError, match="backwards"):
        counted_evidence(flairs(), [Event("up", time=5), Event("up", time=4)])
    reader.reset()
    reader.observe(Event("up", {"moving": "up"}, time=4))


def test_a_reader_reads_one_player() -> None:
    reader = Reader(flairs())
    reader.observe(Event("up", player="ann"))
    with pytest.raises(TelosError, match="use Readers"):
        reader.observe(Event("up", player="bo"))


def test_players_who_play_at_once_are_kept_apart() -> None:
    model, ann, bo = flairs(), play(40, seed=1), play(40, seed=2)
    mixed = Readers(model)
    alone = {"ann": Reader(model), "bo": Reader(model)}
    for pair in zip(ann, bo, strict=True):
        for name, event in zip(("ann", "bo"), pair, strict=True):
            named = Event(event.action, event.context, player=name, time=event.time)
            assert mixed.observe(named) == alone[name].observe(named)
    resumed = Readers.resume(model, json.loads(json.dumps(mixed.save())))
    assert resumed.players == ("ann", "bo")
    assert resumed.save() == mixed.save()


def test_an_edge_list_from_json_reads_like_a_tuple() -> None:
    given = {"moving": "up", "unvisited_exits": ["north"]}
    belief = Reader(flairs()).observe(Event("up", given))
    assert belief == Reader(flairs()).observe(Event("up", {**given, "unvisited_exits": ("north",)}))


def moving(time: float, cause: str = "tick", **context: Any) -> Event:
    return Event("up", {"cause": cause, "moving": "up", **context}, time=time)


def test_ticks_count_only_if_the_clock_says_how_often() -> None:
    never, half, whole = (Reader(flairs(clock=Clock(every=every))) for every in (None, 0.5, 1.0))
    for frame in range(0, 91, 15):
        for reader in (never, half, whole):
            reader.observe(moving(frame / 30))
    assert (never.updates, half.updates, whole.updates) == (0, 7, 4)


def test_any_update_puts_the_next_tick_off() -> None:
    reader = Reader(flairs(clock=Clock(every=0.5)))
    for time, cause in [(0.0, "input"), (0.3, "tick"), (0.4, "input"), (0.5, "tick"), (0.9, "tick")]:
        reader.observe(moving(time, cause))
    assert reader.updates == 3


def test_moment_of_uncounted_event_is_carried_to_the_next() -> None:
    late, prompt = Reader(flairs()), Reader(flairs())
    late.observe(moving(0.0, "input"))
    late.observe(moving(0.5, "tick", chest_taken=True))
    late.observe(moving(1.0, "tick"))
    late.observe(moving(1.5, "input"))
    prompt.observe(moving(0.0, "input"))
    prompt.observe(moving(1.5, "input", chest_taken=True))
    assert late.belief == prompt.belief
    late.observe(moving(2.0, "input"))
    prompt.observe(moving(2.0, "input"))
    assert late.belief == prompt.belief


def test_a_goal_achieved_between_updates_is_heard_of_too() -> None:
    late, prompt = Reader(IOHMM()), Reader(IOHMM())
    late.observe(Event("up", {"cause": "area"}, goal="return"))
    late.observe(Event("up", {"cause": "input"}, time=1))
    prompt.observe(Event("up", {"cause": "input"}, time=1, goal="return"))
    assert late.belief == prompt.belief
    assert late.belief["return"] == 0.0


def test_a_model_that_learns_nothing_says_so() -> None:
    with pytest.raises(TelosError, match="cannot be trained"):
        Reader(flairs()).learn(Event("up"), "level")


def test_a_belief_about_other_goals_cannot_be_resumed() -> None:
    with pytest.raises(TelosError, match="resume"):
        Reader.resume(IOHMM(), Reader(flairs()).save())


def test_reasons_are_in_words() -> None:
    reader = Reader(flairs())
    for time in range(3):
        reader.observe(Event("swing", {"monsters": 2}, time=time))
    said = str(reader.why("level", "town", last=2))
    assert said.startswith("level over town: ")
    assert said.count("swing_still: speaks for level") == 2
    with pytest.raises(TelosError, match=r"'twon'.*'town'"):
        reader.why("level", "twon")


def steps_taken(count: int) -> tuple[float, ...]:
    """Take so many steps, half of them next to impossible, and return the belief."""
    rng = Random(1)
    evidences = [random_evidence(rng, 3) for _ in range(50)]
    evidences += [each._replace(likelihood=tuple(1e-150 * one for one in each.likelihood)) for each in evidences]
    chances: tuple[float, ...] = (1 / 3, 1 / 3, 1 / 3)
    for number in range(count):
        chances = step(chances, evidences[number % 100])[1]
    return chances


def test_a_hundred_thousand_steps_do_not_underflow() -> None:
    # The belief forgets: where it is after many steps, it is after the last few of them.
    rng = Random(1)
    evidences = [random_evidence(rng, 3) for _ in range(50)]
    recent = forward((1 / 3, 1 / 3, 1 / 3), evidences)[-1][1]
    chances = steps_taken(100_000)
    assert math.isclose(sum(chances), 1.0, abs_tol=1e-12)
    assert chances == pytest.approx(recent, abs=1e-6)


@pytest.mark.slow
def test_ten_million_steps_do_not_underflow() -> None:
    chances = steps_taken(10_000_000)
    assert math.isclose(sum(chances), 1.0, abs_tol=1e-12)
    assert chances == pytest.approx(steps_taken(100_000), abs=1e-9)


def test_the_log_likelihood_of_long_play_stays_finite() -> None:
    reader, events = Reader(flairs()), play(500)
    for lap in range(20):
        for event in events:
            reader.observe(Event(event.action, event.context, time=event.time + lap * 250))
    assert math.isfinite(reader.log_likelihood)
    assert reader.log_likelihood < -1000


@pytest.mark.parametrize("goals", range(2, 7))
def test_unrolled_updates_are_those_of_the_plain_sums(goals: int) -> None:
    rng = Random(goals)
    for _ in range(200):
        raw = [rng.random() for _ in range(goals)]
        before = tuple(each / sum(raw) for each in raw)
        transition = tuple(tuple(rng.random() for _ in range(goals)) for _ in range(goals))
        likelihood = tuple(rng.choice([rng.random(), 0.0, 1e-180]) for _ in range(goals))
        if not any(likelihood):
            continue
        plain = [sum(before[i] * transition[i][j] for i in range(goals)) * likelihood[j] for j in range(goals)]
        after, total = update(before, Evidence(transition, likelihood, "seen"))
        assert total == pytest.approx(sum(plain), rel=1e-12)
        assert after == pytest.approx(tuple(each / sum(plain) for each in plain), rel=1e-12)
