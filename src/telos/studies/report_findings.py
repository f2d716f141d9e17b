"""Findings in plain words, made from the numbers: what agrees in kind with the paper, what does not, and where."""

from collections.abc import Mapping, Sequence

from telos.studies.scoring import SOON
from telos.studies.scoring_contest import Comparison
from telos.studies.statistics import said_p


def findings(tests: Sequence[Comparison], labels: Mapping[str, str]) -> list[str]:
    """Return a sentence or a few for each published comparison, after one that counts them."""
    published = [test for test in tests if test.published is not None]
    agreeing = sum(test.verdict == "agrees" for test in published)
    differing = sum(test.differs for test in published)
    weaker = len(published) - agreeing - differing
    said = f"Of {len(published)} published comparisons, {agreeing} agree in kind with ours"
    said += f"; pointing the same way without being significant: {weaker}" if weaker else ""
    said += f"; differing: {differing}." if differing else "."
    return [said, *(told(test, labels) for test in published)]


def told(test: Comparison, labels: Mapping[str, str]) -> str:
    """Say one comparison in words; if it differs from the published one, also where the difference lies.

    A difference in kind is one of direction or of significance, not of percents.
    """
    ours, theirs = test.accuracies
    first, second = labels[test.first], labels[test.second]
    said = f"{test.condition}: {first} {ours:.0%}, {second} {theirs:.0%} ({said_p(test.test.p)})"
    published = test.published
    if published is not None:
        said += f"; published {_percent(published.first)} and {_percent(published.second)} ({published.says})"
    said += f". {test.verdict[0].upper()}{test.verdict[1:]}."
    if published is not None and test.verdict != "agrees":
        said += " " + where(test)
    return said


def where(test: Comparison) -> str:
    """Say which phases a difference comes from.

    The parts are points of all updates, so that they sum to the whole difference.
    """
    parts = ", ".join(f"{goal} {part * 100:+.1f}" for goal, part in test.by_goal.items())
    return (
        f"Of the difference of {test.test.difference * 100:+.1f} points, by phase: {parts}; "
        f"{test.soon * 100:+.1f} fall into the first {SOON} updates after a goal changed."
    )


def _percent(value: float | None) -> str:
    return "not given" if value is None else f"{value:g}%"
