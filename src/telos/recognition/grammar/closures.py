"""Closures of chances: the sum over all chains of steps, however long, in closed form."""

from collections.abc import Mapping, Sequence

SURE = 1.0 - 1e-12  # a step that is repeated at least so surely has no end


def closure(steps: Sequence[Mapping[int, float]]) -> list[dict[int, float]] | None:
    """Return how often a chain of any number of steps (none too) leads from each node to each other, on average.

    It is the sum 1 + P + P² + …, found by taking one node after the other as a stop on the way (Kleene), so that loops
    cost no more than chains. None if some loop never ends.

    >>> closure([{0: 0.5, 1: 0.25}, {}])
    [{0: 2.0, 1: 0.5}, {1: 1.0}]
    >>> closure([{0: 1.0}]) is None
    True
    """
    ways = [dict(row) for row in steps]
    for stop, through in enumerate(ways):
        again = through.get(stop, 0.0)
        if again > SURE:
            return None
        onward = {node: chance / (1.0 - again) for node, chance in through.items()}
        for start, row in enumerate(ways):
            reached = row.get(stop, 0.0) if start != stop else again
            if not reached:
                continue
            for node, chance in onward.items():
                row[node] = row.get(node, 0.0) + reached * chance
    for node, row in enumerate(ways):
        row[node] = row.get(node, 0.0) + 1.0
    return ways
