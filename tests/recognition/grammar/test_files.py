"""Grammar files: good ones, bad ones with every fault named by line, and their schema."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
import telos.recognition.grammar.files as shape
from mutations import mutated
from telos.core.errors import DefinitionError
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.recognition.grammar.files import load_grammar, loads_grammar
from telos.recognition.grammar.grammar import is_step
from telos.recognition.grammar.reader import PlanGrammarReader

COMMITTED = Path(shape.__file__).with_name("grammar.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.grammar_schema()))
GOOD = """\
recognizer: grammar
goals: {open_door: 0.75, trade: 0.25}
actions: [take(gold), goto, unlock, push, sell, give(gold, smith)]
noise: 0.05
open_goals: 2
tasks:
  open_door:
    with_key: {chance: 0.6, steps: [get_gold, give(gold, smith), goto(door), unlock]}
    by_force: {steps: [goto(door), push]}
    in_anger: {steps: push}
  get_gold:
    chest: {steps: [goto(chest), take(gold)]}
  trade:
    market: {steps: [get_gold, goto(market), sell]}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(DefinitionError) as error:
        loads_grammar(text, name="g.yaml")
    return [str(fault) for fault in error.value.faults]


def test_a_file_says_what_it_means() -> None:
    grammar = loads_grammar(GOOD)
    assert dict(grammar.goals) == {"open_door": 0.75, "trade": 0.25}
    assert grammar.tolerance.open_goals == 2
    assert grammar.tolerance.noise == 0.05
    chances = {(each.task, each.method): each.chance for each in grammar.productions}
    assert chances["open_door", "by_force"] == pytest.approx(0.2), "methods without a chance share what is left"
    assert chances["get_gold", "chest"] == 1.0
    assert grammar.productions[0].steps == ("get_gold", "give(gold, smith)", "goto(door)", "unlock")


def test_chances_that_do_not_sum_to_one_are_refused_at_their_line() -> None:
    text = GOOD.replace("by_force: {", "by_force: {chance: 0.3, ").replace("in_anger: {", "in_anger: {chance: 0.3, ")
    (fault,) = faults(text)
    assert fault.startswith("g.yaml:7:3: the chances of the methods of 'open_door' sum to 1.2 (0.6 + 0.3 + 0.3)")


def test_chances_of_goals_that_do_not_sum_to_one_are_refused_at_their_line() -> None:
    (fault,) = faults(GOOD.replace("0.75", "0.5"))
    assert fault.startswith("g.yaml:2:8: the chances of the goals sum to 0.75")


def test_all_faults_are_told_each_at_its_line() -> None:
    told = faults("""\
recognizer: grammar
goals: [open_door, open_door]
nois: 0.1
actions: [push, goto]
tasks:
  open_door:
    by_force: {steps: [goto, psuh], chance: 2}
    quietly: {steps: []}
  empty: {}
""")
    assert [each.split(": ", 1)[0] for each in told] == [
        "g.yaml:2:20",
        "g.yaml:3:1",
        "g.yaml:7:45",
        "g.yaml:8:22",
        "g.yaml:9:3",
    ]
    assert "did you mean 'noise'?" in told[1]


def test_a_misspelt_step_is_told_where_actions_are_listed() -> None:
    (fault,) = faults(GOOD.replace("[goto(door), push]", "[goto(door), psuh]"))
    assert fault == "g.yaml:9:36: unknown step 'psuh'; did you mean 'push'?"


def test_a_misspelt_task_is_told_even_where_no_actions_are_listed() -> None:
    lines = [line for line in GOOD.splitlines() if not line.startswith("actions")]
    (fault,) = faults("\n".join(lines).replace("[get_gold", "[get_glod"))
    assert "no goal leads to task 'get_gold'; is it misspelt as 'get_glod'?" in fault


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ("{round: {steps: [go]}}", "task 'go' can never be finished"),
        ("{on: {steps: [go, go], chance: 0.9}, off: {steps: stop}}", "only 11.1% of the plans of 'go' ever end"),
        ("{two: {steps: 2x}}", "'2x'"),
        ("{half: {steps: stop, chance: 1}, none: {steps: go}}", "nothing is left for method 'none'"),
    ],
)
def test_invalid_grammar_is_refused(methods: str, said: str) -> None:
    (fault,) = faults(f"recognizer: grammar\ngoals: [go]\ntasks:\n  go: {methods}\n")
    assert said in fault
    assert fault.startswith("g.yaml:4:")


def test_left_recursion_and_cycles_of_units_are_allowed() -> None:
    grammar = loads_grammar("""\
recognizer: grammar
goals: [train]
tasks:
  train: {more: {steps: [train, swing], chance: 0.4}, rest: {steps: pause, chance: 0.2}, once: {steps: swing}}
  pause: {again: {steps: train, chance: 0.5}, sit: {steps: sit}}
""")
    assert grammar.actions == ("sit", "swing")


def test_a_goal_that_is_no_task_is_refused_with_the_one_that_was_meant() -> None:
    (fault,) = faults(GOOD.replace("trade: 0.25", "trad: 0.25"))
    assert fault.startswith("g.yaml:2:26: goal 'trad' is not a task")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="no such file"):
        load_grammar(tmp_path / "none.yaml")


def test_the_committed_schema_is_the_generated_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.grammar_schema() + "\n", "make it anew from grammar_schema()"


def test_the_schema_takes_a_good_file() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.grammar_schema()))
    assert VALIDATOR.is_valid(read_yaml(GOOD).data)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from([0.5, "text", "", "a-b"]))
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(["goals", "tasks", "steps", "chance", "noise", "two words", "2nd", "beam"])


@settings(max_examples=150, deadline=None)
@given(mutated(st.just(read_yaml(GOOD).data), values=VALUES, keys=KEYS))
def test_the_schema_and_the_loader_agree_on_shapes(data: Any) -> None:
    findings = check_model(shape.GrammarShape, data, "a grammar file")
    assert VALIDATOR.is_valid(data) == (not findings)


def test_a_grammar_file_is_a_recognizer_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "plans.yaml"
    file.write_text(GOOD)
    reader = telos.recognizer(file)
    assert isinstance(reader, PlanGrammarReader)
    assert reader.observe(telos.Event("push")).top == "open_door"


def test_plans_that_end_after_thousands_of_steps_do_end() -> None:
    text = "recognizer: grammar\ngoals: [train]\ntasks:\n  train:\n    more: {chance: 0.9995, steps: [train, swing]}\n"
    assert loads_grammar(text + "    end: {steps: swing}\n").goals == {"train": 1.0}
    assert "ever end" in faults(text.replace("[train, swing]", "[train, train]") + "    end: {steps: swing}\n")[0]


@pytest.mark.parametrize("goals", ["[{a: 1}]", "[[a]]", "[null]", "[1]", "{a: {b: 1}}", "5", "[rest, [a], rest]"])
def test_goals_that_are_not_names_are_faults(goals: str) -> None:
    with pytest.raises(DefinitionError):
        loads_grammar(f"{{recognizer: grammar, goals: {goals}, tasks: {{rest: {{nap: {{steps: lie}}}}}}}}")


def test_step_with_many_blanks_is_refused_in_linear_time() -> None:
    assert not is_step(f"goto{' ' * 300_000}=")
    assert is_step(f"  goto{' ' * 300_000}(forge)  ")
