"""Corpora as databases of Markov logic."""

import polars as pl
import pytest

from telos.core.errors import TelosError
from telos.logic.model import MarkovLogic, Predicate
from telos.telemetry.columns import Columns
from telos.telemetry.corpus import Corpus, prepare
from telos.telemetry.databases import to_database


@pytest.fixture
def corpus() -> Corpus:
    rows = pl.DataFrame(
        {
            "player": ["ann", "ann", "bo", "ann", "bo", "bo"],
            "session": ["1", "1", "1", "2", "1", "1"],
            "action": ["walk", "talk", "talk", "walk", "walk", "talk"],
            "before": [None, "walk", None, None, "talk", "walk"],
            "n": [10, 9, 9, 1, 2, 3],
            "indoors": [True, False, None, True, True, False],
            "won": [None, "nurse", None, None, None, "cook"],
        }
    )
    features = {name: name for name in ("before", "n", "indoors")}
    columns = Columns(action="action", achieved="won", player="player", session="session", features=features)
    return prepare(rows, columns, folds=0)


def facts(corpus: Corpus, predicate: str) -> list[tuple[str, ...]]:
    known = to_database(corpus, {"action": "action", "n": "n", "indoors": "indoors"})
    rows = known.true[predicate]
    kinds = ("time", predicate)[: rows.arguments.shape[1]]
    return [
        (known.worlds[world], *(known.constants[kind][code] for kind, code in zip(kinds, codes, strict=True)))
        for world, codes in zip(rows.world, rows.arguments, strict=True)
    ]


def test_every_step_of_a_sequence_is_a_time_of_its_world(corpus: Corpus) -> None:
    assert facts(corpus, "action") == [("ann/1", "0", "walk"), ("bo/1", "0", "talk"), ("bo/1", "1", "walk")]
    assert facts(corpus, "goal") == [("ann/1", "0", "nurse"), ("bo/1", "0", "cook"), ("bo/1", "1", "cook")]
    assert facts(corpus, "n") == [("ann/1", "0", "10"), ("bo/1", "0", "9"), ("bo/1", "1", "2")]


def test_flags_are_facts_of_time_alone_and_what_is_unknown_states_nothing(corpus: Corpus) -> None:
    assert facts(corpus, "indoors") == [("ann/1", "0"), ("bo/1", "1")]


def test_numbers_are_in_order_and_names_as_they_come(corpus: Corpus) -> None:
    known = to_database(corpus, {"action": "action", "n": "n"})
    assert known.constants["n"] == ("2", "9", "10")
    assert known.constants["action"] == ("walk", "talk")
    assert known.present["time"].tolist() == [[0, 0], [1, 0], [1, 1]]


def test_the_model_says_which_columns_share_their_constants(corpus: Corpus) -> None:
    declared = [
        Predicate("now", ("time", "deed")),
        Predicate("past", ("time", "deed")),
        Predicate("after", ("time", "goal")),
    ]
    model = MarkovLogic({each.name: each for each in declared}, ())
    known = to_database(corpus, {"past": "before", "now": "action"}, goal="after", model=model)
    assert known.constants == {"time": ("0", "1"), "deed": ("talk", "walk"), "goal": ("nurse", "cook")}
    assert known.true["past"].arguments.tolist() == [[1, 0]]
    assert known.true["now"].arguments.tolist() == [[0, 1], [0, 0], [1, 1]]
    with pytest.raises(TelosError, match="no predicate 'nwo'; did you mean 'now'"):
        to_database(corpus, {"nwo": "action"}, goal="after", model=model)
    with pytest.raises(TelosError, match="gives 1 arguments, and the model declares now"):
        to_database(corpus, {"now": "indoors"}, goal="after", model=model)


def test_labels_can_be_left_out_and_columns_must_be_there(corpus: Corpus) -> None:
    assert set(to_database(corpus, {"action": "action"}, goal="").true) == {"action"}
    with pytest.raises(TelosError, match="no column 'acton' in the corpus; did you mean 'action'"):
        to_database(corpus, {"action": "acton"})
