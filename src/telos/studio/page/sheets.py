"""A mind on paper as rows and lines of text: what the Mind panel shows, without a browser."""

from collections.abc import Sequence
from typing import Any

from telos.studio.minds.sheet import FactLine, GoalLine

_MOST_FACTS = 120  # rows; the surest and freshest come first


def goal_rows(goals: Sequence[GoalLine]) -> list[dict[str, Any]]:
    """Return a row for each goal; its weight is drawn as a share of the greatest.

    >>> goal_rows([GoalLine("cover", 20, True, True, "under fire"), GoalLine("patrol", 5, False, False, "")])[1]
    {'name': 'patrol', 'state': 'idle', 'weight': '5', 'share': 25, 'why': ''}
    """
    greatest = max((abs(goal.weight) for goal in goals), default=0) or 1
    return [
        {
            "name": goal.name,
            "state": "pursued" if goal.pursued else "relevant" if goal.relevant else "idle",
            "weight": short(goal.weight),
            "share": round(100 * abs(goal.weight) / greatest),
            "why": goal.why,
        }
        for goal in goals
    ]


def fact_rows(facts: Sequence[FactLine]) -> list[dict[str, Any]]:
    """Return a row for each fact, with a key that stays the same while the fact does.

    >>> fact_rows([FactLine("enemy", "Bert", 2.34, 0.5, "at door")])
    [{'key': 'enemy Bert', 'about': 'enemy Bert', 'text': 'at door', 'age': '2 s', 'sure': '50 %', 'share': 50}]
    """
    rows, times = [], dict[str, int]()
    for fact in facts[:_MOST_FACTS]:
        about = f"{fact.kind} {fact.subject}".strip()
        times[about] = times.get(about, 0) + 1
        rows.append(
            {
                "key": about if times[about] == 1 else f"{about} {times[about]}",
                "about": about,
                "text": fact.text,
                "age": age(fact.age),
                "sure": f"{100 * fact.confidence:.0f} %",
                "share": round(100 * fact.confidence),
            }
        )
    return rows


def age(seconds: float) -> str:
    """Return how old something is, as coarse as one reads it.

    >>> age(0.4), age(41.7), age(200)
    ('now', '42 s', '3 min')
    """
    if seconds < 1:
        return "now"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def short(value: float) -> str:
    """Return a number in three digits at most, so that columns stay where they are.

    >>> short(20), short(3.14159), short(0.0512)
    ('20', '3.14', '0.05')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    r"""Return a line for each pair.

    >>> pairs_text([("target", "Bert"), ("order", "cover Ann")])
    'target: Bert\norder: cover Ann'
    """
    return "\n".join(f"{name}: {words}" for name, words in pairs)


def spoken(lines: Sequence[tuple[float, str]]) -> str:
    r"""Return what was said, the last first, as that is what one looks for.

    >>> spoken([(1.0, "Flank!"), (2.5, "Take cover!")])
    '2.5 s  Take cover!\n1.0 s  Flank!'
    """
    return "\n".join(f"{time:.1f} s  {words}" for time, words in reversed(lines))
