"""Dialogue of games that are no fights: occasions, roles and variables that a file or a game declares."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from files.broken import matches
from telos.core.errors import DefinitionError, NoteCode, TelosError
from telos.core.values import FrozenMap, Type
from telos.files.formats import FORMATS
from telos.files.yaml import read_yaml
from telos.squads import Dialogue, DialogueVocabulary, Occasion, OccasionKind, Person, load_lines, parse_lines, say
from telos.squads.dialogue import COMBAT, GENERAL, Lines

SHOP = """\
occasions:
  sold:
    text: sold something
    about: {buyer: speaker, goods: text, price: int, manner: [friendly, gruff]}
    again after: 30 s
  alarm: {urgent: true}
variables: {customers: int, raining: bool}
role_variables: {mood: int}
exchanges:
  alarm: {on: alarm, roles: {a: who, b: comrade}, lines: [{a: "Thieves!"}, {b: "Where?"}]}
  thanks:
    on: sold
    roles: {seller: who, customer: buyer}
    if: price >= 10 and manner == friendly and customer_mood > 3
    lines:
      - seller: "{price} coins for the {goods}. Thank you, {customer}!"
      - customer: "A pleasure. {customers} people wait."
        if: customers > 1
      - customer: "What a rain."
        if: raining
      - customer: "A pleasure."
  terse: {on: sold, roles: {seller: who}, cooldown: 0, lines: [{seller: "Next!"}]}
"""


@dataclass
class Villager(Person):
    """A person with a mood."""

    mood: int = 5


def people(mood: int = 5) -> dict[str, Person]:
    return {"Ann": Villager("Ann"), "Bob": Villager("Bob", position=(2.0, 0.0), mood=mood)}


def sold(time: float = 0.0, **more: Any) -> Occasion:
    return Occasion(
        "sold", time, "Ann", {"buyer": "Bob", "goods": "red-apple", "price": 12, "manner": "friendly"} | more
    )


CALM = {"customers": 1, "raining": False}
SALE = "12 coins for the red apple. Thank you, Bob!"


@pytest.mark.parametrize(
    ("occasion", "mood", "values", "said"),
    [
        (sold(), 5, CALM, [SALE, "A pleasure."]),
        (
            sold(),
            5,
            {**CALM, "customers": 3},
            [SALE, "A pleasure. 3 people wait."],
        ),
        (sold(), 5, {**CALM, "raining": True}, [SALE, "What a rain."]),
        (sold(), 2, CALM, ["Next!"]),
        (sold(price=3), 5, CALM, ["Next!"]),
        (sold(manner="gruff"), 5, CALM, ["Next!"]),
    ],
)
def test_shop_talks_about_a_sale(occasion: Occasion, mood: int, values: dict[str, Any], said: list[str]) -> None:
    spoken = say(parse_lines(SHOP), occasion, people(mood).values(), rng=Random(1), values=values)
    assert [line.text for line in spoken] == said
    assert spoken[0].who == "Ann"
    assert all(line.why == "Ann sold something" for line in spoken)


def test_declared_times_and_urgency_hold() -> None:
    dialogue, crowd = Dialogue(parse_lines(SHOP), rng=Random(1)), people(mood=1)
    dialogue.notice(sold())
    assert [line.text for line in dialogue.tick(crowd, 0.0, values=CALM)] == ["Next!"]
    dialogue.notice(sold(10.0))
    assert dialogue.tick(crowd, 10.0, values=CALM) == []  # again after 30 s
    dialogue.notice(sold(40.0))
    crowd = people()
    assert len(dialogue.tick(crowd, 40.0, values=CALM)) == 1
    dialogue.notice(Occasion("alarm", 40.5, "Bob"))
    assert [line.text for line in dialogue.tick(crowd, 40.5, values=CALM)] == ["Thieves!"]


def test_conversation_is_saved_with_what_it_is_about() -> None:
    lines, crowd = parse_lines(SHOP), people()
    one, two = Dialogue(lines, rng=Random(1)), Dialogue(lines, rng=Random(9))
    one.notice(sold())
    one.tick(crowd, 0.0, values=CALM)
    saved = one.save()
    two.restore(saved)
    assert one.tick(crowd, 9.0, values=CALM) == two.tick(crowd, 9.0, values=CALM) != []
    saved["talks"][0][1]["occasion"]["about"]["price"] = "much"
    with pytest.raises(TelosError, match="price"):
        two.restore(saved)


@pytest.mark.parametrize(
    ("occasion", "values", "crowd", "said"),
    [
        (sold(price="12"), CALM, people(), "'price'.*int"),
        (sold(manner="rude"), CALM, people(), "'manner'"),
        (Occasion("sold", 0.0, "Ann"), CALM, people(), "lacks 'buyer'"),
        (Occasion("slod", 0.0, "Ann"), CALM, people(), "did you mean 'sold'"),
        (sold(), {}, people(), "'customers'.*values="),
        (sold(), {**CALM, "rainin": True}, people(), "no variable 'rainin'; did you mean 'raining'"),
        (sold(), {"customers": 1.5, "raining": False}, people(), "customers"),
        (sold(), CALM, {"Ann": Person("Ann"), "Bob": Person("Bob")}, "'mood' of 'Bob'"),
    ],
)
def test_game_that_does_not_give_what_lines_read_is_told(
    occasion: Occasion, values: dict[str, Any], crowd: dict[str, Person], said: str
) -> None:
    with pytest.raises(TelosError, match=said):
        say(parse_lines(SHOP), occasion, crowd, rng=Random(1), values=values)


BAD = """\
occasions:
  sold: {about: {buyer: speeker, price: int, comrades: int}}
  bought: {urgent: yes, agian after: 3 s}
variables: {customers: count}
exchanges:
  thanks: {on: sold, roles: {seller: who, customer: buyer}, if: prise > 3, lines: [{seller: "{prize}!"}]}
"""
WORSE = """\
occasions: {sold: {about: {buyer: speaker, price: int}}, left: {}}
exchanges:
  thanks:
    on: sold
    roles: {seller: who, customer: nearest, price: who}
    if: prise > 3
    lines: [{seller: "{prize}, {enemy}!"}, {seller: "{price}"}]
  wait: {on: solt, roles: {a: who}, lines: [{a: Wait.}]}
  bye: {on: left, roles: {a: who, b: buyer}, if: price > 3 and comrades > 0, lines: [{a: "{price}"}]}
"""


def test_declarations_are_checked_and_all_faults_told_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines(BAD)
    expected = [
        (2, 25, "unknown-name speeker; speaker"),
        (2, 46, "duplicate comrades"),
        (3, 20, "wrong-type urgent"),
        (3, 25, "unknown-key agian"),
        (4, 24, "unknown-name count; number"),
    ]
    assert len(caught.value.faults) == len(expected), caught.value
    for fault, (line, column, said) in zip(caught.value.faults, expected, strict=True):
        assert matches(fault, line, column, said), fault


def test_exchanges_are_checked_with_what_the_file_declares() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines(WORSE)
    expected = [
        (5, 36, "unknown-name nearest; buyer"),
        (5, 52, "bad-name price"),
        (6, 9, "unknown-name prise; price"),
        (7, 23, "unknown-name prize; price"),
        (7, 32, "unknown-name enemy"),
        (8, 14, "unknown-name solt; sold"),
        (9, 38, "unknown-name buyer; who"),
        (9, 50, "unknown-name price"),
        (9, 91, "unknown-name price"),
    ]
    for line, column, said in expected:
        assert any(matches(fault, line, column, said) for fault in caught.value.faults), (line, said, str(caught.value))
    assert len(caught.value.faults) == len(expected), caught.value


def test_ways_to_cast_a_role_are_listed_in_full() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines("exchanges: {a: {on: hit, roles: {h: nearest}, lines: [{h: Ow}]}}")
    (fault,) = caught.value.faults
    assert all(way in fault.suggestion for way in COMBAT.ways)
    assert "did you mean" not in fault.suggestion


def test_all_occasions_are_listed() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_lines("exchanges: {a: {on: seen, roles: {h: who}, lines: [{h: Ow}]}}")
    (fault,) = caught.value.faults
    assert all(each in fault.suggestion for each in COMBAT.occasions)


def test_game_may_pass_its_vocabulary(tmp_path: Path) -> None:
    kind = OccasionKind("reaped", FrozenMap({"crop": Type.of("text")}))
    farm: DialogueVocabulary = GENERAL.extended({"reaped": kind}, role_variables={"mood": "int"})
    file = tmp_path / "farm.yaml"
    file.write_text('exchanges: {a: {on: reaped, roles: {f: who}, if: f_mood > 1, lines: [{f: "Good {crop}."}]}}\n')
    lines: Lines = load_lines(file, vocabulary=farm)
    occasion = Occasion("reaped", 0.0, "Ann", {"crop": "barley"})
    assert [each.text for each in say(lines, occasion, people(), rng=Random(1))] == ["Good barley."]
    with pytest.raises(DefinitionError, match="'reaped'"):
        load_lines(file)


def test_condition_that_never_holds_is_noted() -> None:
    text = SHOP.replace("if: raining", "if: manner == friendly and manner == gruff")
    found = FORMATS["lines"].find_notes(parse_lines(text), read_yaml(text).data)
    assert [(note.code, note.path) for note in found] == [
        (NoteCode.NEVER_TRUE, ("exchanges", "thanks", "lines", 2, "if"))
    ]


def test_people_who_are_alone_say_nothing_to_others() -> None:
    assert say(parse_lines(SHOP), sold(), {"Ann": Villager("Ann")}, rng=Random(1), values=CALM)[0].text == "Next!"
