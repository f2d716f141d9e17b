"""Line files: valid ones, all faults of invalid ones, and the lines of the package."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.squads.dialogue.lines as shape
from files.broken import matches
from mutations import mutated
from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.squads.dialogue.combat import COMBAT
from telos.squads.dialogue.exchanges import Exchange, Lines, Turn, find_slots
from telos.squads.dialogue.lines import BUILT_IN_LINES, builtin_lines, load_lines, parse_lines

COMMITTED = Path(shape.__file__).with_name("lines.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.lines_schema()))
HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "write-dialogue.md"

BAD = """\
exchanges:
  status:
    on: hti
    roles: {hurt: who, asker: comrad}
    if: hurt_helth < 3 and roll(1) > 2
    coldown: 3 s
    chance: 2
    lines:
      - askr: ["Status?"]
      - hurt: ["Fine", "I'm {hrt}"]
        after: soon
      - hurt: "Well, {x"
        to: hurt
      - if: true
      - hurt: 3
      - hurt: ["Yes"]
        if: hurt_health <
        to: askre
  farewell:
    on: down
    roles: {fallen: who, witness: comrade, to: leader}
    lines: [{witness: No!}]
  farewell-again:
    on: down
    roles: {fallen: who, witness: comrade}
    if: 9 / comrades > 2
    lines:
      - witness: Speak to me!
        to: fallen
      - fallen: Argh.
      - witness: It was {door}.
        to: squad
      - witness: []
        to: squad
    unanswered: [{hurt: x, fallen: y}]
"""
FAULTS = [
    (3, 9, "unknown-name hti; hit"),
    (4, 31, "unknown-name comrad; comrade"),
    (5, 9, "unknown-name hurt_helth; hurt_health"),
    (5, 28, "unknown-name roll"),
    (6, 5, "unknown-key coldown; cooldown"),
    (7, 13, "wrong-type chance"),
    (9, 9, "unknown-name askr; asker"),
    (10, 29, "unknown-name hrt; hurt"),
    (11, 16, "wrong-type after"),
    (12, 22, "bad-syntax brace"),
    (13, 13, "conflict hurt"),
    (14, 9, "wrong-count"),
    (15, 15, "wrong-type hurt"),
    (17, 26, "bad-syntax"),
    (18, 13, "unknown-name askre; asker"),
    (21, 44, "bad-name to"),
    (26, 13, "out-of-range comrades"),
    (29, 13, "conflict witness"),
    (30, 9, "conflict fallen"),
    (31, 25, "conflict door"),
    (33, 9, "empty"),
    (35, 18, "wrong-count"),
]


def test_all_faults_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines(BAD, name="bad.yaml")
    assert len(caught.value.faults) == len(FAULTS)
    for fault, (line, column, said) in zip(caught.value.faults, FAULTS, strict=True):
        assert matches(fault, line, column, said), fault
    file = tmp_path / "bad.yaml"
    file.write_text(BAD, encoding="utf-8")
    with pytest.raises(DefinitionError) as again:
        load_lines(file)
    assert len(again.value.faults) == len(caught.value.faults)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", (1, 1, "empty; exchanges")),
        ("[1]", (1, 1, "wrong-type lines")),
        ("exchanges: {}", (1, 1, "empty exchanges")),
        ("exchanges: {a: 3}", (1, 16, "wrong-type a")),
        ("exchanges: {a: {on: hit, roles: {h: who}, lines: []}}", (1, 50, "empty; lines")),
        ("exchanges: {a: {on: hit, roles: {h: who}}}", (1, None, "missing-key lines")),
        ("exchanges: {a: {on: hit, roles: {h: who}, lines: [{h: ' '}]}}", (1, 56, "empty")),
        ("exchanges: {a: {on: hit, roles: {h: who}, lines: [{h: [{h}]}]}}", (1, None, "wrong-type mapping; quotes")),
    ],
)
def test_fault_is_reported_at_its_position(text: str, fault: tuple[int, int | None, str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines(text)
    assert any(matches(each, *fault) for each in caught.value.faults), str(caught.value)


def test_lines_made_in_python_are_checked_too() -> None:
    turns = (
        Turn("asker", ("Status?",), to="him", after=-1.0),
        Turn("hurt", ("{huh}",), condition=Condition.of("x > 1")),
    )
    with pytest.raises(DefinitionError) as caught:
        Lines([Exchange("a", "hit", {"hurt": "who", "if": "who"}, turns, cooldown=-1.0, chance=0.0)])
    for part in (
        "chance of 0.0",
        "cooldown of -1.0",
        "'if' cannot be a role",
        "role 'asker'",
        "role 'him'",
        "pause of -1.0",
    ):
        assert part in str(caught.value)
    for part in ("unknown variable 'x'", "unknown slot 'huh'"):
        assert part in str(caught.value)
    with pytest.raises(DefinitionError, match="'a'"):
        Lines([Exchange("a", "hit", {"h": "who"}, (Turn("h", ("Ow!",)),))] * 2)


def test_file_and_python_give_equal_lines() -> None:
    text = """
exchanges:
  status:
    on: hit
    roles: {hurt: who, asker: comrade}
    if: comrades >= 1
    cooldown: 500 ms
    chance: 0.5
    lines:
      - asker: Status?
      - hurt: [Hit., "Hit, {asker}."]
        after: 2 s
"""
    turns = (Turn("asker", ("Status?",)), Turn("hurt", ("Hit.", "Hit, {asker}."), after=2.0))
    roles = {"hurt": "who", "asker": "comrade"}
    made = Exchange("status", "hit", roles, turns, Condition.of("comrades >= 1"), cooldown=0.5, chance=0.5)
    assert list(parse_lines(text)) == [made]


# The lines that come along


def test_builtin_lines_cover_every_occasion() -> None:
    assert len(builtin_lines()) >= 20
    assert {exchange.on for exchange in builtin_lines()} == set(COMBAT.occasions)


def all_turns() -> list[tuple[Exchange, Turn]]:
    return [(exchange, turn) for exchange in builtin_lines() for turn in (*exchange.turns, *exchange.unanswered)]


def test_builtin_lines_have_two_to_four_distinct_variations() -> None:
    for exchange, turn in all_turns():
        assert 2 <= len(set(turn.variations)) == len(turn.variations) <= 4, exchange.name


def test_builtin_variations_can_be_filled() -> None:
    for exchange, turn in all_turns():
        words = {**dict.fromkeys(COMBAT.slots, "here"), **{role: role.title() for role in exchange.roles}}
        allowed = {*exchange.roles, *COMBAT.slots_on(exchange.on)}
        for text in turn.variations:
            assert {slot for slot, _ in find_slots(text)} <= allowed
            assert "{" not in text.format_map(words)


def test_most_builtin_exchanges_have_two_or_more_speakers() -> None:
    talks = [exchange for exchange in builtin_lines() if len({turn.role for turn in exchange.turns}) >= 2]
    assert len(talks) >= 0.7 * len(builtin_lines())


def test_how_to_page_names_every_word() -> None:
    page = HOW_TO.read_text(encoding="utf-8")
    for word in (*COMBAT.occasions, *COMBAT.ways, *COMBAT.variables, *COMBAT.role_variables, *COMBAT.slots):
        assert f"`{word}`" in page or f"`{{{word}}}`" in page or f"`role_{word}`" in page, word


# The schema

GOOD = [read_yaml(BUILT_IN_LINES.read_text(encoding="utf-8")).data]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, "text", "3 s", "", "if", "a-b"])
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(["on", "roles", "if", "to", "after", "lines", "two words", "2nd", "squad", "someone"])


def test_committed_schema_is_up_to_date() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.lines_schema() + "\n", "make it anew from lines_schema()"


def test_schema_accepts_the_builtin_lines() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.lines_schema()))
    assert VALIDATOR.is_valid(GOOD[0])


@st.composite
def few_exchanges(draw: st.DrawFn) -> Any:
    """The good file, cut down to at most three exchanges."""
    names = draw(st.lists(st.sampled_from(sorted(GOOD[0]["exchanges"])), min_size=1, max_size=3, unique=True))
    return {"exchanges": {name: GOOD[0]["exchanges"][name] for name in names}}


MUTATED = mutated(few_exchanges(), values=VALUES, keys=KEYS)


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_schema_and_loader_agree_on_types(data: Any) -> None:
    findings = check_model(shape.LinesShape, data, "a file of lines")
    assert VALIDATOR.is_valid(data) == (not findings)
    assert not [each for each in findings if "‹" in each.fault.message or "Input should" in each.fault.message]


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_mutated_file_is_valid_or_has_located_faults(data: Any) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        parse_lines(json.dumps(data, indent=1))
    except DefinitionError as error:
        faults = error.faults
    assert all(fault.line and fault.column for fault in faults)
