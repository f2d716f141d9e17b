"""Adding up the scores of values along sequences, position by position."""

from telos.logic.exact.kernel import Floats, Ints


def add_rows(scores: Floats, table: Floats, key: Ints) -> None:
    """Add to each row of scores the row of a table that its key names; -1 names none."""
    for position in range(len(key)):
        row = key[position]
        if row >= 0:
            for value in range(scores.shape[1]):
                scores[position, value] += table[row, value]
