"""Goals that do not exclude one another: exact against enumeration, honest beliefs, and what is refused."""

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import telos
from logic.naive import naive_network, naive_worlds
from recognition.readings import flairs, play
from telos.checks import check_recognizer
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.logic.learning import learn
from telos.logic.syntax import format_mln, parse_db, parse_mln
from telos.recognition.concurrent import (
    ChainUpdate,
    ConcurrentGoalModel,
    ConcurrentLogicModel,
    ConcurrentLogicReader,
    ConcurrentReader,
    attribute_action,
    join_goals,
    split_goals,
)
from telos.recognition.files import create_recognizer, loads_model, named_model, parse_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM
from telos.recognition.transitions import TransitionRules
from telos.telemetry.bulk.concurrent import (
    ConcurrentCounts,
    ConcurrentScores,
    join_truth,
    split_truth,
    train_concurrent,
)
from telos.worlds.island.playthrough import find_pursued, record_player

WEIGHTS = st.floats(-3, 3).map(lambda value: round(value, 2))
STEPS = ("Ask", "Walk", "Read")
PLACES = ("Kitchen", "Yard")
HEAD = "action(time, act)\nloc(time, place)\ngoal(time, goal)\ngoal = {Cook, Test}\n"
RULES = (
    "goal(t, {g})",
    "action(t, Ask) => goal(t, {g})",
    "loc(t, Kitchen) => goal(t, {g})",
    "action(t-1, Walk) ^ loc(t, Yard) => goal(t, {g})",
    "goal(t-1, {g}) ^ goal(t, {g})",
    "!goal(t-1, {g}) ^ !goal(t, {g})",
    "action(t, Read) ^ goal(t-1, {g}) => !goal(t, {g})",
)


def model_text(weights: list[float]) -> str:
    rules = [rule.format(g=goal) for goal in ("Cook", "Test") for rule in RULES]
    return HEAD + "".join(f"{weight} {rule}\n" for weight, rule in zip(weights, rules, strict=True))


def events(seen: list[tuple[str, str]]) -> list[Event]:
    return [Event(action, {"loc": place}, time=float(at)) for at, (action, place) in enumerate(seen)]


@given(
    st.lists(WEIGHTS, min_size=14, max_size=14),
    st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(PLACES)), min_size=1, max_size=4),
)
def test_the_chance_of_each_goal_is_that_of_all_worlds_together(
    weights: list[float], seen: list[tuple[str, str]]
) -> None:
    """The oracle grounds the whole file, both goals at once, and enumerates every world of what was seen so far."""
    logic = parse_mln(model_text(weights))
    reader = ConcurrentLogicReader(ConcurrentLogicModel(logic))
    for upto, event in enumerate(events(seen), start=1):
        belief = reader.observe(event)
        facts = "".join(f"action({at}, {act})\nloc({at}, {place})\n" for at, (act, place) in enumerate(seen[:upto]))
        worlds = naive_worlds(naive_network(logic, parse_db(facts, logic), ["goal"]))
        for goal in ("Cook", "Test"):
            assert belief[goal] == pytest.approx(worlds.marginals[0, "goal", (str(upto - 1), goal)], abs=1e-9)


def enumerate_chains(model: ConcurrentGoalModel, seen: list[Event]) -> list[float]:
    """Return the chance of each goal at the end, by all paths of its chain of two states."""
    base, chances = model.model, []
    weighed = [each for event in seen if (each := base.evidence(event)) is not None]
    for i in range(len(model.goals)):
        others = [j for j in range(len(model.goals)) if j != i]
        sums = [0.0, 0.0]
        for path in itertools.product((0, 1), repeat=len(weighed) + 1):
            chance = base.prior[i] if path[0] else 1.0 - base.prior[i]
            for (was, now), evidence in zip(itertools.pairwise(path), weighed, strict=True):
                begins = math.fsum(evidence.transition[j][i] for j in others) / len(others)
                goes_on = evidence.transition[i][i] if was else begins
                unlike = math.fsum(evidence.likelihood[j] for j in others) / len(others)
                chance *= (goes_on if now else 1.0 - goes_on) * (evidence.likelihood[i] if now else unlike)
            sums[path[-1]] += chance
        chances.append(sums[1] / math.fsum(sums))
    return chances


def test_chains_of_an_authored_model_are_exact() -> None:
    model = ConcurrentGoalModel(flairs())
    seen, reader = play(8, seed=5), ConcurrentReader(ConcurrentGoalModel(flairs()))
    for upto, event in enumerate(seen, start=1):
        belief = reader.observe(event)
        assert list(belief.values()) == pytest.approx(enumerate_chains(model, seen[:upto]), abs=1e-12)
    assert not math.isclose(math.fsum(reader.belief.values()), 1.0)


def test_concurrent_recognizers_keep_the_promises_of_all() -> None:
    check_recognizer(lambda: ConcurrentReader(ConcurrentGoalModel(flairs())), play(60, seed=5))
    logic = parse_mln(model_text([0.5] * 14))
    seen = events([("Ask", "Kitchen"), ("Walk", "Yard"), ("Read", "Yard"), ("Ask", "Yard")] * 5)
    check_recognizer(lambda: ConcurrentLogicReader(ConcurrentLogicModel(logic)), seen)


def test_a_concurrent_belief_says_so_and_its_doubt_is_that_of_each_goal() -> None:
    belief = Belief.concurrent({"a": 0.5, "b": 1.0, "c": 0.5})
    assert belief.is_concurrent
    assert belief.entropy == 2.0
    assert belief.likely() == ("b", "a", "c")
    assert belief.likely(0.6) == ("b",)
    assert belief.why().startswith("b and a and c: b 100%, a 50%, c 50%, each by itself (2.00 bits of doubt)")
    assert Belief.concurrent({"a": 0.1}).why().startswith("none: a 10%")
    assert not Belief({"a": 1.0}).is_concurrent
    with pytest.raises(TelosError, match=r"the belief in 'a' must be from 0 to 1, got 1\.5"):
        Belief.concurrent({"a": 1.5})
    with pytest.raises(TelosError, match="the belief in 'a' must be from 0 to 1, got nan"):
        Belief.concurrent({"a": math.nan})


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_what_an_action_serves_sums_to_one(updates: list[tuple[float, float]]) -> None:
    found = attribute_action({f"g{at}": ChainUpdate(*each) for at, each in enumerate(updates)})
    assert math.fsum(found.values()) == pytest.approx(1.0)
    assert list(found)[-1] == "none"


def test_an_action_serves_the_goal_that_makes_it_likelier() -> None:
    file = HEAD + "2 action(t, Ask) => goal(t, Cook)\n2 action(t, Read) => goal(t, Test)\n"
    reader = ConcurrentLogicReader(ConcurrentLogicModel(parse_mln(file)))
    for action, served in (("Ask", "Cook"), ("Read", "Test")):
        reader.reset()
        reader.observe(Event(action, {"loc": "Yard"}))
        assert reader.serves.top == served
        assert reader.why(served).reasons[0].cause == f"action(t,{action})"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("1 goal(t, Cook) => goal(t, Test)", "ties two goals together; goals that do not exclude one another"),
        ("1 goal(t-1, +g1) => goal(t, +g2)", "ties two goals together"),
        ("1 action(t, a) => EXIST g goal(t, g)", "quantifies over goals; write goal\\(t, \\+g\\)"),
    ],
)
def test_formulas_about_several_goals_are_refused(rule: str, message: str) -> None:
    with pytest.raises(TelosError, match=message):
        ConcurrentLogicModel(parse_mln(HEAD + "1 goal(t, Cook)\n" + rule + "\n"))


def test_weights_learned_goal_by_goal_are_joined_in_one_file() -> None:
    template = parse_mln("action(time, act)\ngoal(time, goal)\naction(t, +a) => goal(t, +g)\ngoal(t, +g)\n")
    learned = {}
    for goal, (ask, prior) in {"Cook": (1.5, -0.5), "Test": (-1.0, 0.25)}.items():
        (split,) = split_goals(template, [goal]).values()
        rules = [replace(split.rules[0], weights={("Ask",): ask}), replace(split.rules[1], weights={(): prior})]
        learned[goal] = replace(split, rules=tuple(rules))
    joined = join_goals(template, learned)
    assert joined.rules[0].weights == {("Ask", "Cook"): 1.5, ("Ask", "Test"): -1.0}
    assert joined.rules[1].weights == {("Cook",): -0.5, ("Test",): 0.25}
    reader = ConcurrentLogicReader(ConcurrentLogicModel(joined))
    belief = reader.observe(Event("Ask"))
    assert belief["Cook"] == pytest.approx(1 / (1 + math.exp(-(1.5 - 0.5))))
    assert belief["Test"] == pytest.approx(1 / (1 + math.exp(-(-1.0 + 0.25))))


def test_a_file_of_the_kind_reads_another_recognizer_goal_by_goal(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("recognizer: concurrent\nof: flairs\n", encoding="utf-8")
    reader = telos.recognizer(tmp_path / "mine.yaml")
    assert reader.belief.is_concurrent
    assert reader.goals == ("level", "explore", "town")
    assert create_recognizer(parse_model("recognizer: concurrent\nof: flairs\n", name="x.yaml")).goals == reader.goals
    (tmp_path / "mine.yaml").write_text("recognizer: concurrent\nof: flairs-fsm\n", encoding="utf-8")
    with pytest.raises(TelosError, match="'flairs-fsm' has no chances of what is seen under each goal"):
        telos.recognizer(tmp_path / "mine.yaml")
    with pytest.raises(TelosError, match=r"x.yaml:2:5: 'other.yaml' is not a built-in recogniser"):
        parse_model("recognizer: concurrent\nof: other.yaml\n", name="x.yaml")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": "a.yaml"}, r"a.yaml:2:5: 'a.yaml' is itself of the kind `concurrent`"),
        ({"a": "b.yaml", "b": "a.yaml"}, r"a.yaml:2:5: 'b.yaml' is itself of the kind `concurrent`"),
        ({"a": "flairss"}, r"a.yaml:2:5: 'flairss' is not a built-in .*; did you mean 'flairs'\?"),
    ],
)
def test_what_a_file_of_the_kind_cannot_be_of_is_told_with_its_line(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    for name, named in files.items():
        (tmp_path / f"{name}.yaml").write_text(f"recognizer: concurrent\nof: {named}\n", encoding="utf-8")
    with pytest.raises(TelosError, match=message):
        telos.recognizer(tmp_path / "a.yaml")


def test_a_text_reads_the_built_in_recognizer_although_a_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flairs").write_text("a secret", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert create_recognizer(parse_model("recognizer: concurrent\nof: flairs\n", name="x.yaml")).goals[0] == "level"


TICKS = """
recognizer: ffbm
goals: [rest, work, roam]
context: {cause: [input, tick], bell: bool}
moments: [bell]
clock: {on: [input], every: 1 s}
transitions: {lasts: 10 updates, when: [{if: bell, from any: {rest: 1, work: 0, roam: 0}}]}
observations:
  rest: {sit: 0.8, walk: 0.2}
  work: {sit: 0.3, walk: 0.7}
  roam: {sit: 0.1, walk: 0.9}
"""


def ticks(count: int, *, bells: tuple[int, ...] = ()) -> list[Event]:
    """Return events ten times a second, as a game sends them; the clock counts one a second."""
    return [
        Event("walk" if at % 20 else "sit", {"cause": "tick", "bell": at in bells}, time=at / 10) for at in range(count)
    ]


def test_ticks_between_updates_are_no_evidence_of_their_own() -> None:
    model = loads_model(TICKS)
    each, all_ticks = ConcurrentReader(ConcurrentGoalModel(model)), ticks(45)
    for event in all_ticks[::10]:
        each.observe(event)
    often = ConcurrentReader(ConcurrentGoalModel(model))
    for event in all_ticks:
        often.observe(event)
    assert often.belief == each.belief


def test_what_happened_between_two_updates_is_carried_over_also_by_a_saved_reader() -> None:
    model = ConcurrentGoalModel(loads_model(TICKS))
    heard, deaf = ConcurrentReader(model), ConcurrentReader(model)
    for event in ticks(15, bells=(14,)):
        heard.observe(event)
    for event in ticks(15):
        deaf.observe(event)
    heard = ConcurrentReader.resume(model, json.loads(json.dumps(heard.save())))
    last = ticks(21)[-1]
    assert heard.observe(last)["rest"] > 0.99 > deaf.observe(last)["rest"]


def test_several_goals_of_a_row_are_named_and_counted() -> None:
    goals = ("a", "b")
    assert split_truth(join_truth(["b", "a"]), goals) == ("b", "a")
    assert split_truth("none", goals) == ()
    with pytest.raises(TelosError, match=r"names the goal 'c', which the model does not have"):
        split_truth("a + c", goals)
    scores = ConcurrentScores(goals)
    scores.add(
        np.array([[True, True], [True, False], [False, False], [False, True]]),
        np.array([[0.9, 0.4], [0.6, 0.7], [0.8, 0.1], [0.2, 0.9]]),
    )
    a, b = scores.counts["a"], scores.counts["b"]
    assert (a.both, a.missed, a.false, a.neither) == (2, 0, 1, 1)
    assert (b.both, b.missed, b.false, b.neither) == (1, 1, 1, 1)
    assert a.precision == pytest.approx(2 / 3)
    assert a.recall == 1.0
    assert a.f1 == pytest.approx(0.8)
    assert scores.micro_f1 == pytest.approx(6 / 9)
    assert scores.macro_f1 == pytest.approx((0.8 + 0.5) / 2)
    assert (scores.rows, scores.several) == (4, 1)


def test_the_trained_goals_of_the_island_read_a_new_player_better_than_always_or_never() -> None:
    reader = telos.recognizer("island-goals")
    scores, several = ConcurrentScores(tuple(reader.goals)), 0
    for number in range(3):
        game = record_player(number, 78)
        reader.reset()
        truths, chances = [], []
        for event, pursued in zip(game.events, find_pursued(game), strict=True):
            belief = reader.observe(event)
            if event.goal is None:
                truths.append([goal in pursued for goal in reader.goals])
                chances.append(list(belief.values()))
                several += math.fsum(belief.values()) > 1.0
        scores.add(np.array(truths), np.array(chances))
    share = sum(each.both + each.missed for each in scores.counts.values()) / scores.rows / len(reader.goals)
    assert scores.micro_f1 > 2 * share / (1 + share)  # of one who always says every goal
    assert several > 0
    assert scores.calibration_error < 0.1


def test_a_counting_model_learns_from_rows_that_name_several_goals() -> None:
    model = IOHMM()
    reader = ConcurrentReader(ConcurrentGoalModel(model))

    def swings() -> tuple[float, ...]:
        evidence = model.evidence(Event("swing"))
        assert evidence is not None
        return evidence.likelihood

    before = swings()
    for _ in range(20):
        reader.learn(Event("swing"), *model.goals[:2])
        reader.learn(Event("swing"))
    after = swings()
    assert after[0] > before[0]
    assert after[1] > before[1]
    assert after[2] == before[2]
    with pytest.raises(TelosError, match="cannot be trained"):
        ConcurrentReader(ConcurrentGoalModel(flairs())).learn(Event("swing"), "level")


def test_weights_learned_from_facts_of_several_goals_make_a_recognizer(tmp_path: Path) -> None:
    """``telos logic learn`` takes such facts as they are; the file that it writes is read goal by goal."""
    template = parse_mln("action(time, act)\ngoal(time, goal)\naction(t, +a) => goal(t, +g)\ngoal(t, +g)\n")
    facts = "".join(
        f"action({at}, {action})\n" + "".join(f"goal({at}, {goal})\n" for goal in goals)
        for at, (action, goals) in enumerate([("Ask", ("Cook",)), ("Walk", ("Cook", "Test")), ("Read", ())] * 8)
    )
    learned = learn(template, parse_db(facts, template), ["goal"], by="likelihood", l2=0.1).model
    (tmp_path / "two.mln").write_text(format_mln(learned), encoding="utf-8")
    reader = telos.recognizer(tmp_path / "two.mln")
    assert reader.goals == ("Cook", "Test")
    assert reader.observe(Event("Walk", time=0.0)).likely() == ("Cook", "Test")
    assert reader.observe(Event("Ask", time=1.0)).likely() == ("Cook",)
    assert reader.observe(Event("Read", time=2.0)).likely() == ()


COUNTING = """
recognizer: iohmm
goals: [cook, test, rest]
discount: 0.9
context: {speed: number}
observations: {ask: action == ask, walk: true}
measures:
  speed: {distribution: gaussian, usual: {mean: 1, deviation: 1}}
"""


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ask", "walk"]),
            st.one_of(st.none(), st.floats(-5, 5)),
            st.one_of(st.none(), st.lists(st.sampled_from(["cook", "test", "rest"]), max_size=4)),
        ),
        min_size=1,
        max_size=12,
    ).filter(lambda rows: any(named is not None for _, _, named in rows)),
    st.integers(1, 12),
)
def test_columns_learn_from_rows_of_several_goals_what_a_reader_learns(
    rows: list[tuple[str, float | None, list[str] | None]], cut: int
) -> None:
    live = ConcurrentReader(ConcurrentGoalModel(loads_model(COUNTING)))
    for at, (action, speed, named) in enumerate(rows):
        context = {} if speed is None else {"speed": speed}
        live.learn(Event(action, context, time=float(at)), *(named or ()))
    schema = {"time": pl.Float64, "action": pl.String, "speed": pl.Float64, "truth": pl.String}
    told = [(float(at), *row[:2], None if row[2] is None else join_truth(row[2])) for at, row in enumerate(rows)]
    frame = pl.DataFrame(told, schema=schema, orient="row")
    model = ConcurrentGoalModel(loads_model(COUNTING))
    learned = train_concurrent([part for part in (frame[:cut], frame[cut:]) if part.height], model)
    expected = live.model.model
    assert isinstance(expected, IOHMM)
    for goal in learned.goals:
        assert learned.counts.seen[goal] == pytest.approx(expected.counts.seen[goal])
        ours, theirs = (each.measures.seen.get("speed", {}).get(goal, [0.0] * 3) for each in (learned, expected))
        assert ours == pytest.approx(theirs)


def test_frames_without_a_truth_are_refused() -> None:
    model = ConcurrentGoalModel(flairs())
    frame = pl.DataFrame({"time": [0.0], "action": ["swing"], "truths": ["level"]})
    with pytest.raises(TelosError, match=r"there is no column 'truth', .*; did you mean 'truths'"):
        ConcurrentCounts({"each": model}).count(frame)


def test_models_without_chances_of_what_is_seen_are_refused() -> None:
    machine: Any = named_model("flairs-fsm")
    for make in (ConcurrentGoalModel, Reader):
        with pytest.raises(TelosError, match="has no chances of what is seen under each goal"):
            make(machine)
    with pytest.raises(TelosError, match="one goal has no other goals to compare it with"):
        ConcurrentGoalModel(IOHMM(["level"], transitions=TransitionRules(lasts=10)))
