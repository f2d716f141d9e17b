"""Sessions as plain data: what is known about a player, saved and taken up again exactly."""

from collections.abc import Mapping
from typing import Any

from telos.recognition.grammar.earley import Column, Item
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.session import Hypothesis, Session


def saved_session(session: Session) -> dict[str, Any]:
    """Return a session as plain data. Plans share columns; each stands once, after those that it goes back to."""
    columns: dict[Column, int] = {session.root: 0}
    for each in session.hypotheses:
        for plan in each.plans:
            _number(plan, columns)
    return {
        "columns": [_plain(column, columns) for column in columns],
        "hypotheses": [
            [[columns[plan] for plan in each.plans], each.weight, each.finished, each.last]
            for each in session.hypotheses
        ],
        "lost": session.lost,
        "log_likelihood": session.log_likelihood,
        "noise": session.noise,
        "ignored": session.ignored,
    }


def resumed_session(grammar: PlanGrammar, saved: Mapping[str, Any]) -> Session:
    """Return a session that goes on exactly where the saved one stopped."""
    session = Session(grammar)
    columns = [session.root]
    for each in saved["columns"][1:]:
        columns.append(_column(each, columns))
    session.hypotheses = [
        Hypothesis(tuple(columns[number] for number in plans), weight, list(finished), list(last))
        for plans, weight, finished, last in saved["hypotheses"]
    ]
    session.lost, session.log_likelihood = saved["lost"], saved["log_likelihood"]
    session.noise, session.ignored = saved["noise"], saved["ignored"]
    return session


def _number(column: Column, numbers: dict[Column, int]) -> None:
    # By hand, as a long plan of nested methods would be too deep for recursion.
    to_do = [column]
    while to_do:
        each = to_do[-1]
        missing = [item.origin for items in each.waiting.values() for item in items if item.origin not in numbers]
        if missing and each not in numbers:
            to_do += missing
            continue
        to_do.pop()
        numbers.setdefault(each, len(numbers))


def _plain(column: Column, numbers: dict[Column, int]) -> dict[str, Any]:
    return {
        "place": column.place,
        "waiting": [
            [step, [[item.rule, item.done, numbers[item.origin], item.inner] for item in items]]
            for step, items in column.waiting.items()
        ],
        "expected": [[task, shares] for task, shares in column.expected.items()],
        "opened": column.opened,
        "closed": column.closed,
    }


def _column(saved: Mapping[str, Any], columns: list[Column]) -> Column:
    column = Column(saved["place"], len(saved["opened"]))
    for step, items in saved["waiting"]:
        column.waiting[step] = [Item(rule, done, columns[origin], inner) for rule, done, origin, inner in items]
    column.expected = {task: list(shares) for task, shares in saved["expected"]}
    column.opened, column.closed = list(saved["opened"]), list(saved["closed"])
    return column
