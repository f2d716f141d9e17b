"""Faults of edited models, with their lines."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import telos.recognition
import telos.worlds.forge
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.recognition.files.load import create_recognizer, loads_model
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.markov_logic import MarkovLogicModel
from telos.recognition.recognizer import Recognizer
from telos.studio.models.compare import BROKEN, MAX_FAULTS, find_faults
from telos.studio.stage import Model

DATA = Path(telos.recognition.__file__).parent / "data"
GRAMMAR = Path(telos.worlds.forge.__file__).parent / "data" / "grammar.yaml"


def from_yaml(text: str) -> Recognizer:
    return create_recognizer(loads_model(text))


def from_grammar(text: str) -> Recognizer:
    return create_recognizer(loads_grammar(text))


def from_logic(text: str) -> Recognizer:
    from telos.logic.syntax import parse_mln

    return create_recognizer(MarkovLogicModel(parse_mln(text)))


FFBM = Model("ffbm", "FFBM", "", make=from_yaml)
FLAIRS = (DATA / "flairs.yaml").read_text()
NINES = [
    f"{letter}: &{letter} [{', '.join([f'*{before}'] * 9)}]"
    for before, letter in zip("abcdefgh", "bcdefghi", strict=True)
]
BOMB = "\n".join(["a: &a [x, x]", *NINES])  # nine short lines that mean a billion entries


def test_valid_text_has_no_faults() -> None:
    assert find_faults(FFBM, FLAIRS) == ()


def test_every_fault_has_line_and_suggestion() -> None:
    bad = FLAIRS.replace("if: in_town", "if: in_twn").replace("town: towards", "towm: towards")
    faults = find_faults(FFBM, bad)
    lines = bad.splitlines()
    assert [(lines[fault.line - 1][fault.column - 1 :][:7].rstrip(":"), fault.suggestion) for fault in faults] == [
        ("in_twn ", "did you mean 'in_town'?"),
        ("towm: t", "did you mean 'town'?"),
    ]


def test_incomplete_text_has_fault_inside_text() -> None:
    for text in ("", "\n", "goals: [", "a: {b: 'c", "#", "recognizer: ffbm\ngoals:\n  - "):
        faults = find_faults(FFBM, text)
        assert faults
        for fault in faults:
            line = text.split("\n")[fault.line - 1]
            assert 1 <= fault.column <= len(line) + 1


def test_other_errors_are_one_fault_at_start() -> None:
    def refuses(text: str) -> Recognizer:
        raise TelosError("numpy is not installed", 'run pip install "telos[speed]"')

    (fault,) = find_faults(Model("mln", "", "", make=refuses), "x")
    assert (fault.line, fault.column, fault.message) == (1, 1, "numpy is not installed")
    assert fault.suggestion == 'run pip install "telos[speed]"'


def test_failing_loader_does_not_break_editor() -> None:
    def breaks(text: str) -> Recognizer:
        raise RecursionError("too deep")

    (fault,) = find_faults(Model("odd", "", "", make=breaks), "x")
    assert fault.message == f"{BROKEN}: RecursionError: too deep"


def test_own_check_of_model_is_used() -> None:
    told = [Fault("b", line=7, column=3), Fault("a", line=1, column=99)]
    model = Model("guard", "", "", check=lambda text: told)
    assert [(fault.message, fault.line, fault.column) for fault in find_faults(model, "one\ntwo")] == [
        ("a", 1, 4),
        ("b", 2, 1),
    ]
    assert find_faults(Model("note", "", ""), "anything") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x" * 300_000, "larger than 256 KiB"),
        ("ä" * 140_000, "larger than 256 KiB"),
        ("[" * 5_000, "too deeply nested"),
        ("a: " + "{b: " * 1_000, "too deeply nested"),
        ("- " * 20_000, "too deeply nested"),
        ("\n".join(f"{'  ' * i}k:" for i in range(400)), "too deeply nested"),
        (BOMB, "more than"),
        ("recognizer: ffbm\ngoals: [a, b]\nprior: {a: " + "(" * 2_000 + "}", ""),
        ("recognizer: fsm\ngoals: [a, b]\nrules: [{if: " + "not " * 3_000 + "attacked, then: a}]", ""),
        ("!!python/object/apply:os.system ['true']", ""),
        ("a: &a [*a]", "inside of itself"),
    ],
)
def test_hostile_texts_get_fault_and_do_not_hang(text: str, said: str) -> None:
    faults = find_faults(FFBM, text)
    assert faults
    assert any(said in fault.message for fault in faults)
    assert not any(fault.message.startswith(BROKEN) for fault in faults)


def test_number_of_faults_is_limited() -> None:
    text = "recognizer: fsm\ngoals: [a, b]\nrules:\n" + "  - {if: attacked, then: nobody}\n" * 1_000
    assert len(find_faults(FFBM, text)) == MAX_FAULTS


# --- nothing but a TelosError may come out of a loader ----------------------------------------------------------------

Make = Callable[[str], Recognizer]
SOURCES: list[tuple[Make, str]] = [
    *((from_yaml, path.read_text()) for path in sorted(DATA.glob("*.yaml")) if "grammar" not in path.stem),
    (from_grammar, GRAMMAR.read_text()),
]
BITS = [
    "",
    " ",
    "\n",
    "  ",
    "- ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "&a ",
    "*a",
    "!!x ",
    "|",
    ">",
    "%",
    "@",
    "#",
    "?",
]
BITS += ["if:", "then", "0", "-1", "1e999", ".nan", "1/0", "2/3", "true", "null", "~", "others: shared", "from any"]
BITS += ["level", "towards", "500 ms", "and", "not (", "==", "\x00", "\ud800", "\u2028", "é", "١", "\x85", "\r", "\t"]


def mangled(text: str, rng: Random) -> str:
    """A good file after a few slips of the hand."""
    for _ in range(rng.randint(1, 6)):
        here = rng.randrange(len(text) + 1)
        there = min(len(text), here + rng.choice([0, 0, 1, 1, 3, 20, 200]))
        piece = rng.choice(BITS) if rng.random() < 0.7 else text[rng.randrange(len(text) + 1) :][:40]
        text = text[:here] + piece + text[there:]
    return text


@pytest.mark.parametrize("number", range(len(SOURCES)))
@given(rng=st.randoms(use_true_random=False))
def test_mangled_file_is_read_or_refused(number: int, rng: Random) -> None:
    make, good = SOURCES[number]
    check(make, mangled(good, rng))


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(BITS), max_size=60).map("".join)))
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    for make in (from_yaml, from_grammar):
        check(make, text)


@given(rng=st.randoms(use_true_random=False), name=st.sampled_from(["island", "unigram", "bigram", "island-narrative"]))
def test_mangled_formulas_are_read_or_refused(rng: Random, name: str) -> None:
    pytest.importorskip("numpy")
    check(from_logic, mangled((DATA / f"{name}.mln").read_text(), rng))


def check(make: Make, text: str) -> None:
    """Nothing but a TelosError comes out, and its faults lie inside of the text."""
    lines = text.split("\n")
    for fault in find_faults(Model("m", "", "", make=make), text):
        assert not fault.message.startswith(BROKEN), (fault.message, text)
        assert 1 <= fault.line <= len(lines)
        assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1


def test_faults_are_those_of_loader() -> None:
    for path in sorted((Path(__file__).parents[2] / "broken_recognizers").glob("*.yaml")):
        text = path.read_text()
        with pytest.raises(DefinitionError) as raised:
            from_yaml(text)
        told = find_faults(FFBM, text)
        assert sorted(fault.message for fault in told) == sorted(fault.message for fault in raised.value.faults)
