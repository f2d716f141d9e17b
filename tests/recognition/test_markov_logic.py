"""A Markov logic file reads a player: events in, belief out, with the formulas that made it."""

import math
from collections import Counter
from pathlib import Path

import pytest

import telos
from telos.checks import check_recognizer
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.logic.syntax import load_mln, parse_mln
from telos.recognition.markov_logic import MarkovLogicModel, MarkovLogicReader
from telos.worlds.island.playthrough import record_player

TRAINED = """
// a player who is hungry or curious
action(time, action)
loc(time, place)
dark(time)
goal(time, goal!)
0.3 goal(t, Learn)
1.5 action(t, Chew) => goal(t, Eat)
1.1 action(t, Read) => goal(t, Learn)
0.8 loc(t, Hall) => goal(t, Eat)
2.0 goal(t-1, Eat) => goal(t, Eat)
2.0 goal(t-1, Learn) => goal(t, Learn)
-0.5 dark(t) => goal(t, Learn)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hungry.mln"
    path.write_text(TRAINED)
    return path


def at(time: float, action: str, **context: object) -> Event:
    return Event(action, context, time=time)  # type: ignore[arg-type]


EVENTS = [at(0, "Read"), at(1, "Chew", loc="Hall"), at(2, "Chew", loc=("Hall", "Dock"), dark=True), at(3, "Swim")]


def test_a_file_reads_a_player(file: Path) -> None:
    reader = telos.recognizer(file)
    assert set(reader.goals) == {"Eat", "Learn"}
    assert reader.belief["Eat"] == pytest.approx(0.5)
    assert reader.observe(EVENTS[0]).top == "Learn"
    for event in EVENTS[1:]:
        reader.observe(event)
    assert reader.belief.top == "Eat"


def test_reader_passes_the_recognizer_contract(file: Path) -> None:
    check_recognizer(lambda: telos.recognizer(file), EVENTS)


def test_the_first_belief_is_the_sum_of_what_the_formulas_say(file: Path) -> None:
    reader = telos.recognizer(file)
    belief = reader.observe(at(0, "Read", dark=True))
    odds = 0.3 + 1.1 - 0.5  # how common it is, reading, and the dark; all of them about Learn
    assert belief["Learn"] / belief["Eat"] == pytest.approx(2.718281828 ** (odds))


def test_why_adds_up_and_names_the_formulas(file: Path) -> None:
    reader = telos.recognizer(file)
    assert isinstance(reader, MarkovLogicReader)
    for event in EVENTS[:2]:
        reader.observe(event)
    weighed = reader.why()
    belief = reader.belief
    assert weighed.total == pytest.approx(math.log(belief[weighed.goal] / belief[weighed.over]))
    assert ("action(t,Chew)", 1.5) in [(text, round(value, 9)) for text, value in weighed.parts]
    assert "what was seen before" in str(weighed)


def test_unseen_constant_is_no_evidence_and_is_reported(file: Path) -> None:
    reader = telos.recognizer(file)
    reader.observe(at(0, "Read"))
    assert "never seen before, so it says nothing: Swim" in reader.observe(at(1, "Swim")).why()


def test_formulas_without_weights_are_to_be_learned_first() -> None:
    data = Path(telos.__file__).parent / "recognition" / "data"
    with pytest.raises(TelosError, match=r"majority\.mln: .* learn them first: telos logic learn"):
        telos.recognizer(data / "majority.mln")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("1 goal(t-2, g) => goal(t, g)", "more than one step before"),
        ("1 EXIST g goal(t, g)", "quantifier"),
        ("1 action(t, Chew) v goal(t, Eat)", "where its evidence does not hold"),
        ("1 goal(3, Eat)", "a fixed time"),
        (f"1 action(t-{10**20}, Chew) => goal(t, Eat)", "more than 1000 steps back"),
        (f"1 {' ^ '.join(f'action(t-{n}, Chew)' for n in range(30))} => goal(t, Eat)", "31 atoms, more than 12"),
    ],
)
def test_a_rule_that_cannot_be_used_live_is_named(rule: str, reason: str) -> None:
    with pytest.raises(TelosError, match=reason) as refused:
        MarkovLogicModel(parse_mln(TRAINED + rule, source="bad.mln"))
    assert "bad.mln" in str(refused.value)


def test_number_of_values_is_limited() -> None:
    few = ", ".join(f"G{number}" for number in range(100))
    pairs = "action(time, act)\ngoal(time, goal!)\ngoal = {%s}\n1 goal(t, a) => goal(t+1, b)\n"
    with pytest.raises(TelosError, match="its table for 100 values has more than 10000000 cells"):
        MarkovLogicModel(parse_mln(pairs % few))
    many = ", ".join(f"G{number}" for number in range(200_000))
    with pytest.raises(TelosError, match="goal has 200000 values, more than 2000"):
        MarkovLogicModel(parse_mln(pairs % many))


def test_time_runs_forwards(file: Path) -> None:
    reader = telos.recognizer(file)
    reader.observe(at(5, "Read"))
    with pytest.raises(TelosError, match="time"):
        reader.observe(at(4, "Read"))


def test_the_island_comes_along_trained_and_reads_a_new_player() -> None:
    plays = [record_player(number, 77) for number in range(4)]  # of another seed than those it was trained on
    right, truths = 0, Counter[str]()
    for play in plays:
        reader, ahead = telos.recognizer("island.mln"), [each.goal for each in play.events if each.goal]
        for event in play.events:
            top = reader.observe(event).top
            if event.goal:
                ahead.pop(0)
            elif ahead:
                truths[ahead[0]] += 1
                right += top == ahead[0]
    assert right > max(truths.values())  # more often than whoever always says the commonest goal of these very players
    check_recognizer(lambda: telos.recognizer("island"), plays[0].events[:80])


def test_achieved_goals_are_facts_of_later_steps_only() -> None:
    declared = "action(time, act)\ndone(time, goal)\ngoal(time, goal!)\n"
    model = parse_mln(declared + "2 done(t, Eat) => goal(t, Learn)\n0 goal(t, Eat)")
    reader = MarkovLogicReader(MarkovLogicModel(model))
    before = reader.observe(at(0, "Walk"))
    assert reader.observe(Event("Swallow", time=1, goal="Eat")) == before
    assert reader.observe(at(2, "Walk"))["Learn"] == pytest.approx(1 / (1 + math.exp(-2)))


def test_why_takes_goals_that_there_are_and_never_one_against_itself(file: Path) -> None:
    reader = MarkovLogicReader(MarkovLogicModel(load_mln(file)))
    reader.observe(EVENTS[0])
    assert reader.why(over="Learn").goal == "Eat"
    with pytest.raises(TelosError, match=r"'Lern'.*'Learn'"):
        reader.why("Lern")


def test_facts_with_two_arguments_besides_the_time_are_refused() -> None:
    with pytest.raises(TelosError, match="near has more than one argument besides the time"):
        MarkovLogicModel(parse_mln(TRAINED + "near(time, thing, thing)\n1 near(t, a, b) => goal(t, Eat)"))
