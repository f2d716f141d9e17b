"""Saved recognisers are data from outside: checked whole, and refused without a change."""

import copy
import json
import math
from random import Random
from typing import Any

import pytest

from mutations import damage
from recognition.readings import flairs, play
from recognition.saved import GOALS, GRAMMAR, SavedCase, saved_cases
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.director import Director, DirectorRule
from telos.recognition.files.kinds import KINDS
from telos.recognition.filtering import EventGate, Reader
from telos.recognition.grammar.earley import Column, EarleyItem
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.grammar.session import check_lineages
from telos.recognition.iohmm import IOHMM
from telos.recognition.player_models import Readers

CASES = saved_cases()
MUTATIONS = 150  # of each snapshot; with --slow 4,000


def test_every_registered_kind_is_tested() -> None:
    assert set(KINDS) <= set(CASES)


def _is_good(belief: Belief) -> bool:
    has_right_sum = belief.is_concurrent or math.isclose(sum(belief.values()), 1, abs_tol=1e-9)
    return has_right_sum and all(0 <= chance <= 1 for chance in belief.values())


def _observe_more(case: SavedCase, reader: Any, count: int = 50) -> None:
    """Observe further events of the player that the reader knows, after the last one."""
    saved = reader.save()
    start = saved["time"] or 0.0
    for number, event in enumerate(case.events[:count]):
        time = max(start + number, math.nextafter(start, math.inf))
        if not math.isfinite(time):
            return
        player = "player" if saved["player"] is None else saved["player"]
        belief = reader.observe(Event(event.action, event.context, player=player, time=time, goal=event.goal))
        assert _is_good(belief), belief
    assert reader.belief.why()
    if hasattr(reader, "why"):
        assert str(reader.why())
    json.dumps(reader.save(), allow_nan=False)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("count", [0, 9, 60])
def test_damaged_snapshot_is_refused_or_harmless(kind: str, count: int, request: pytest.FixtureRequest) -> None:
    case, rng = CASES[kind], Random(f"{kind} {count}")
    saved, accepted = case.saved(count), 0
    count_of = 4_000 if request.config.getoption("--slow") else MUTATIONS
    for _ in range(count_of):
        damaged = damage(saved, rng)
        try:
            reader = case.resume(damaged)
        except TelosError:
            continue
        accepted += 1
        _observe_more(case, reader)
    assert accepted < count_of / 2


@pytest.mark.parametrize("kind", CASES)
def test_good_snapshot_continues_exactly(kind: str) -> None:
    case = CASES[kind]
    for count in (0, 1, 9, 60):
        saved = case.saved(count)
        untouched = copy.deepcopy(saved)
        old = {name: value for name, value in saved.items() if name != "format"}
        whole = case.start()
        for event in case.events[:count]:
            whole.observe(event)
        for resumed in (case.resume(saved), case.resume(old), case.resume(whole.save())):
            assert json.dumps(resumed.save()) == json.dumps(saved)
            other = case.resume(saved)
            assert [resumed.observe(event) for event in case.events[count:]] == [
                other.observe(event) for event in case.events[count:]
            ]
        assert saved == untouched
        assert saved["format"] == 1


@pytest.mark.parametrize("kind", CASES)
def test_every_missing_entry_is_refused(kind: str) -> None:
    saved = CASES[kind].saved(9)
    for name in saved.keys() - {"format"}:
        with pytest.raises(TelosError, match=f"{name} is missing"):
            CASES[kind].resume({key: value for key, value in saved.items() if key != name})
    with pytest.raises(TelosError, match="format"):
        CASES[kind].resume({**saved, "format": 99})


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"chances": [math.nan] * 3}, "chances[0]"),
        ({"chances": [5, -4, 0]}, "chances[0]"),
        ({"chances": [1.0]}, "chances"),
        ({"chances": [0.0, 0.0, 1.0]}, "chances"),
        ({"goals": ["explore", "level", "town"]}, "goals"),
        ({"taught": "glory"}, "taught"),
        ({"ignored": 10**6}, "updates"),
        ({"updates": 0}, "updates"),
        ({"updates": 1}, "moments"),
        ({"moments": []}, "moments"),
        ({"player": None}, "time"),
        ({"time": None}, "time"),
        ({"time": -1.0}, "moments"),
        ({"time": True}, "time"),
        ({"pulse": {"counted": 1e9, "pending": [], "achieved": None}}, "pulse.counted"),
        ({"pulse": {"counted": None, "pending": ["luck"], "achieved": None}}, "pulse.pending[0]"),
        ({"lessons": {"counted": None, "pending": []}}, "lessons.achieved"),
        ({"log_likelihood": "-1"}, "log_likelihood"),
        ({"extra": 1}, "extra"),
    ],
)
def test_faulty_reader_snapshot_names_the_place(changes: dict[str, Any], place: str) -> None:
    case = CASES["ffbm"]
    with pytest.raises(TelosError) as caught:
        case.resume({**case.saved(20), **changes})
    assert place in caught.value.message
    assert caught.value.remedy


def test_carried_goal_of_another_model_is_refused_only_if_it_is_read() -> None:
    carried = {"counted": None, "pending": [], "achieved": "glory"}
    EventGate(flairs()).restore(carried)  # no condition of this model reads the goal achieved
    with pytest.raises(TelosError, match="glory"):
        EventGate(IOHMM()).restore(carried)


def test_refused_gate_is_unchanged() -> None:
    gate = EventGate(flairs())
    gate.restore({"counted": 3.0, "pending": ["killed"], "achieved": None})
    before = gate.save()
    for bad in (None, {}, {**before, "counted": math.nan}, {**before, "pending": ["luck"]}, {**before, "achieved": 1}):
        with pytest.raises(TelosError):
            gate.restore(bad)  # type: ignore[arg-type]
        assert gate.save() == before


def _director() -> Director:
    rules = [
        DirectorRule("level > 0.5", hold=2, pay={"kill": 0.5}, say="There is little left here."),
        DirectorRule("town > 0.2", until="town < 0.1", say="Go {area}.", again_after=5),
    ]
    return Director(rules, GOALS)


def test_damaged_director_is_refused_and_unchanged_or_goes_on() -> None:
    director, reader, events = _director(), Reader(flairs()), play(60, seed=2)
    for event in events[:30]:
        director.advise(event, reader.observe(event))
    good, rng, refused = json.loads(json.dumps(director.save())), Random(5), 0
    for _ in range(1_000):
        before = director.save()
        try:
            director.restore(damage(good, rng))
        except TelosError:
            refused += 1
            assert director.save() == before
            continue
        state = director.save()
        last, player = state["time"] or 0.0, "player" if state["player"] is None else state["player"]
        for number, event in enumerate(events[:20]):
            advice = director.advise(Event("stop", event.context, player=player, time=last + number), reader.belief)
            assert advice is None or all(math.isfinite(factor) for factor in advice.pay.values())
        assert director.why()
        director.restore(good)
        assert director.save() == good
    assert refused > 500


def test_damaged_readers_are_refused_or_harmless() -> None:
    model, rng = flairs(), Random(6)
    readers = Readers(model)
    for event in play(40, seed=3):
        readers.observe(Event(event.action, event.context, player=rng.choice("ab"), time=event.time))
    good = json.loads(json.dumps(readers.save()))
    assert Readers.resume(model, good).save() == good
    for bad in (None, [], "ab", {1: good["a"]}, {"a": None}, {"b": good["a"]}):
        with pytest.raises(TelosError):
            Readers.resume(model, bad)  # type: ignore[arg-type]
    with pytest.raises(TelosError, match=r"player 'a'.*chances is missing"):
        Readers.resume(model, {"a": {name: each for name, each in good["a"].items() if name != "chances"}})
    for _ in range(300):
        try:
            resumed = Readers.resume(model, damage(good, rng))
        except TelosError:
            continue
        for player in resumed.players:
            assert _is_good(resumed[player].belief)


def test_refused_machine_and_filter_are_unchanged() -> None:
    machine = CASES["fsm"].resume(CASES["fsm"].saved(30))
    online = CASES["markov-logic"].resume(CASES["markov-logic"].saved(30))._online
    for each, key in ((machine, "goal"), (online, "belief")):
        before = each.save()
        good = json.loads(json.dumps(before))
        rng = Random(7)
        for _ in range(500):
            try:
                each.restore(damage(good, rng))
            except TelosError:
                assert each.save() == before
            else:
                each.restore(good)
        assert key in before


def test_plans_of_other_actions_are_refused() -> None:
    case = CASES["planning, errands"]
    saved = case.saved(9)
    steps = next(each["steps"] for each in saved["pursuits"] if each["steps"])
    for step in (["fly"], ["goto"], ["goto", "mill", "mill"], [], [1], ["goto", {}]):
        steps[0] = step
        with pytest.raises(TelosError, match="pursuits"):
            case.resume(saved)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("belief", [0.5, 0.5]),
        ("belief", [0.2, 0.2, 0.2]),
        ("past", [0.0, 0.0, 0.0]),
        ("past", [1.0, -1.0, 1.0]),
        ("window", []),
        ("window", [{"action": [["Chew"]]}] * 3),
        ("window", [{"actoin": [["Chew"]]}] * 2),
        ("window", [{"goal": [["Eat"]]}] * 2),
        ("window", [{"action": [["Chew", "Hall"]]}] * 2),
        ("window", [{"dark": [["yes"]]}] * 2),
        ("window", [{"action": "Chew"}] * 2),
        ("steps", 0),
        ("steps", -1),
    ],
)
def test_faulty_online_filter_names_the_place(entry: str, value: Any) -> None:
    saved = CASES["markov-logic"].saved(20)
    saved["story"][entry] = value
    with pytest.raises(TelosError, match="story"):
        CASES["markov-logic"].resume(saved)


def test_columns_beside_each_other_are_not_one_plan() -> None:
    root, left, right, last = Column(0, 1), Column(1, 1), Column(1, 1), Column(2, 1)
    left.waiting[0] = right.waiting[0] = [EarleyItem(0, 1, root, 1.0)]
    last.waiting[0] = [EarleyItem(0, 1, left, 1.0), EarleyItem(0, 1, root, 1.0)]
    check_lineages([root, left, right, last], ())
    last.waiting[0].append(EarleyItem(0, 1, right, 1.0))
    with pytest.raises(TelosError, match="grammar"):
        check_lineages([root, left, right, last], ())


def test_saved_grammar_session_needs_the_same_grammar() -> None:
    case = CASES["grammar"]
    saved = case.saved(30)
    assert any(each[0] for each in saved["session"]["hypotheses"])
    other = loads_grammar(GRAMMAR.replace("chance: 0.7", "chance: 0.6"))
    for changed in (other, loads_grammar(GRAMMAR.replace("hammer", "strike"))):
        with pytest.raises(TelosError, match=r"grammar.*start anew"):
            PlanGrammarReader.resume(changed, saved)
    for column in saved["session"]["columns"][1:]:
        column["opened"] = [share * 0.9 for share in column["opened"]]
    with pytest.raises(TelosError, match="opened"):
        case.resume(saved)
