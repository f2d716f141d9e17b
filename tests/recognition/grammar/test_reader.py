"""Reading players with a plan grammar: beliefs, partial plans, next actions, noise, several goals at once."""

import json

import pytest

from telos.checks import check_recognizer
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.grammar.grammar import PlanGrammar, Production, Tolerance
from telos.recognition.grammar.reader import PlanGrammarReader

FORGE = """\
recognizer: grammar
goals: {key: 0.5, force: 0.3, trade: 0.2}
noise: 0.05
open_goals: 2
tasks:
  key:
    forged: {chance: 0.7, steps: [make_key, goto(door), unlock]}
    spare: {steps: [ask, goto(door), unlock]}
  make_key: {smithy: {steps: [get_gold, goto(forge), light_fire, hammer]}}
  get_gold: {mine: {steps: [goto(mine), dig]}, chest: {steps: take_gold}}
  force: {shoulder: {steps: [goto(door), push]}}
  trade: {sell: {steps: [get_gold, goto(market), sell]}}
"""
PLAY = ["take_gold", "goto(forge)", "dance", "light_fire", "hammer", "goto(door)", "push", "take_gold", "unlock"]


def reader_after(*actions: str, text: str = FORGE) -> PlanGrammarReader:
    reader = PlanGrammarReader(loads_grammar(text))
    for time, action in enumerate(actions):
        reader.observe(Event(action, time=time))
    return reader


def test_a_reader_of_plans_keeps_the_promises_of_recognizers() -> None:
    grammar = loads_grammar(FORGE)
    check_recognizer(lambda: PlanGrammarReader(grammar), [Event(action, time=i) for i, action in enumerate(PLAY)])
    check_recognizer(lambda: PlanGrammarReader(grammar), [])


def test_gold_speaks_for_the_key_and_the_forge_makes_sure() -> None:
    assert dict(reader_after().belief) == pytest.approx({"key": 0.5, "force": 0.3, "trade": 0.2})
    assert reader_after("take_gold").belief["key"] > 0.5
    assert reader_after("take_gold", "goto(forge)").belief["key"] > 0.99


def test_missing_steps_are_those_a_companion_could_do() -> None:
    plan = reader_after("take_gold", "goto(forge)").partial_plans()[0]
    assert plan.goal == "key"
    assert plan.missing == ("light_fire", "hammer", "goto(door)", "unlock")
    assert [level.task for level in plan.levels] == ["key", "make_key"]
    assert plan.levels[-1].done == ("get_gold", "goto(forge)")


def test_the_next_action_is_foretold() -> None:
    reader = reader_after("take_gold", "goto(forge)")
    chances = reader.next_actions()
    assert next(iter(chances)) == "light_fire"
    assert sum(chances.values()) == pytest.approx(1 - 0.05 / (len(chances) + 1))


def test_an_action_that_serves_nothing_changes_little() -> None:
    before, after = reader_after("take_gold", "goto(forge)"), reader_after("take_gold", "goto(forge)", "dance")
    assert dict(after.belief) == pytest.approx(dict(before.belief))
    assert "probably serves no goal" in after.belief.why()


def test_unexplained_action_without_noise_is_ignored_with_a_reason() -> None:
    reader = reader_after("take_gold", "dance", text=FORGE.replace("noise: 0.05", "noise: 0"))
    assert reader.ignored == 1
    assert "no plan allows dance: it was ignored" in reader.belief.why()


def test_two_goals_pursued_by_turns_are_both_found() -> None:
    reader = reader_after("take_gold", "goto(door)", "goto(forge)", "push", "light_fire")
    pursued = reader.pursued()
    assert pursued["key"] > 0.9
    assert pursued["force"] > 0.9
    assert pursued["trade"] < 0.2
    assert reader.belief.top == "key", "the door has been pushed, the key is still to be made"


def test_an_action_with_arguments_is_also_the_step_without_them() -> None:
    reader = reader_after("take_gold", "goto(forge, by_night)", text=FORGE.replace("goto(forge)", "goto"))
    assert reader.belief.top == "key"


def test_a_reached_goal_is_believed_until_another_is_begun() -> None:
    reader = reader_after("goto(door)", "push")
    assert reader.belief.top == "force"
    assert reader.pursued()["force"] > 0.8


def test_why_names_the_partial_plans_and_what_was_lost() -> None:
    reader = reader_after("take_gold", "goto(forge)", text=FORGE + "beam: 1\n")
    said = str(reader.why())
    assert said.startswith("key 100%\n  100% key: key by forged › make_key by smithy")
    assert "hypotheses dropped so far" in said
    assert reader.lost > 0
    assert "no plan for it is under way" in str(reader.why("force"))
    with pytest.raises(TelosError, match="'key'"):
        reader.why("kye")


def test_a_saved_reader_goes_on_exactly_and_only_with_its_own_grammar() -> None:
    grammar = loads_grammar(FORGE)
    one = reader_after(*PLAY[:5])
    two = PlanGrammarReader.resume(grammar, json.loads(json.dumps(one.save())))
    for time, action in enumerate(PLAY[5:], start=5):
        assert one.observe(Event(action, time=time)) == two.observe(Event(action, time=time))
    assert one.next_actions() == two.next_actions()
    other = PlanGrammar([Production("rest", "nap", ("lie",), 1.0)], ["rest"])
    with pytest.raises(TelosError, match="resume"):
        PlanGrammarReader.resume(other, one.save())


def test_a_long_plan_neither_underflows_nor_is_kept_whole() -> None:
    grammar = loads_grammar("""\
recognizer: grammar
goals: [train]
noise: 0
tasks: {train: {more: {steps: [train, swing, parry], chance: 0.9}, once: {steps: swing}}}
""")
    reader = PlanGrammarReader(grammar)
    reader.observe(Event("swing"))
    sizes = []
    for time in range(1, 3_000):
        reader.observe(Event(("swing", "parry")[(time + 1) % 2], time=time))
        sizes.append(len(reader.save()["session"]["columns"]))
    assert reader.ignored == 0
    assert max(sizes) <= 3, "left recursion goes back to the first column only"
    assert reader.log_likelihood == pytest.approx(1_499 * -0.10536, rel=0.01)


def test_bad_tolerances_are_refused() -> None:
    with pytest.raises(TelosError, match="noise"):
        Tolerance(noise=1)
    with pytest.raises(TelosError, match="beam must be a whole number"):
        Tolerance(beam=0)


def test_productions_in_python_are_checked_like_files() -> None:
    with pytest.raises(DefinitionError, match=r"sum to 0\.5"):
        PlanGrammar([Production("rest", "nap", ("lie",), 0.5)], ["rest"])
    with pytest.raises(DefinitionError, match="a method without steps; write the methods that use this task twice"):
        PlanGrammar([Production("rest", "nap", (), 1.0)], ["rest"])
    with pytest.raises(DefinitionError, match="there are no goals"):
        PlanGrammar([Production("rest", "nap", ("lie",), 1.0)], [])
