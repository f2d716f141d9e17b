"""Logs for models: facts by what models read, words that models do not know, and names that never occur."""

import polars as pl
import pytest

from telos.core.errors import TelosError
from telos.recognition import loads_model
from telos.telemetry import open_model_log
from telos.telemetry.report import RowFault

CLOSED = loads_model(
    """
recognizer: iohmm
goals: [hunt, roam]
context: {prey: int, wolves: bool, cause: [input, tick]}
actions: [shoot, walk]
observations: {shot: action == shoot, near: prey > 0, other: true}
"""
)
OPEN = loads_model(
    """
recognizer: iohmm
name: open
goals: [hunt, roam]
context: {prey: int}
observations: {shot: action == shoot, near: prey > 0, other: true}
"""
)
ROWS = {
    "player": ["ann", "ann", "bo", "bo"],
    "time": [0, 1, 2, 3],
    "action": ["walk", "shot", "walk", "shoot"],
    "prey": ["1", "2", "", "0"],
    "truth": ["hunt", None, "hnut", "roam"],
}


def test_facts_have_the_types_that_models_read() -> None:
    log = open_model_log(ROWS, [CLOSED], skip_bad=True)
    assert dict(log.context) == {"prey": "int"}  # the clock reads a cause where there is one
    assert log.collect()["prey"].to_list() == [1, None, 0]


def test_words_that_a_model_does_not_list_are_faults_of_rows() -> None:
    log = open_model_log(ROWS, [CLOSED], labelled=True)
    with pytest.raises(TelosError, match="2 of 4 rows are bad"):
        log.collect()
    assert {fault: count.rows for fault, count in log.report.faults.items()} == {
        RowFault.UNKNOWN_ACTION: 1,
        RowFault.UNKNOWN_GOAL: 1,
    }
    assert log.report.faults[RowFault.UNKNOWN_GOAL].examples == [
        ("row 3", "the goal pursued is 'hnut'; did you mean 'hunt'?")
    ]


def test_two_models_share_facts_and_allow_what_both_allow() -> None:
    log = open_model_log(ROWS, [CLOSED, OPEN], skip_bad=True)
    assert log.collect()["action"].to_list() == ["walk", "walk", "shoot"]
    other = loads_model("{recognizer: fsm, goals: [a, b], context: {prey: text}, rules: [{if: prey == deer, then: a}]}")
    with pytest.raises(TelosError, match="one model reads 'prey' as int, another as text"):
        open_model_log(ROWS, [CLOSED, other])


def test_names_that_never_occur_are_told_with_the_nearest() -> None:
    rows = pl.DataFrame(ROWS).with_columns(action=pl.col("action").replace("shoot", "shoots"))
    log = open_model_log(rows, [OPEN])
    log.collect()
    assert log.report.notes == [
        "open names 1 action; 4 of 4 rows have another: walk (2), shoots (1), shot (1)",
        "open names the action 'shoot', which no row has; did you mean 'shoots'?",
    ]
