"""Preparation as a person would write it on a blackboard: one row after the other."""

from typing import Any


def by_hand(rows: list[dict[str, Any]]) -> list[tuple[str, str, int, str, str]]:
    """Return player, session, step, action and goal of the rows that are kept; ``noop`` is dropped."""
    sequences: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        sequences.setdefault((row["player"], row["session"]), []).append(row)
    found = []
    for (player, session), events in sequences.items():
        step = 0
        for place, event in enumerate(events):
            later = [each["won"] for each in events[place:] if each["won"]]
            if event["won"] or not later or event["action"] == "noop":
                continue
            found.append((player, session, step, event["action"], later[0]))
            step += 1
    return found
