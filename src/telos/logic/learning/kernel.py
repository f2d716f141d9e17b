"""Viterbi along sequences, with an update of the weights for every world: the inner loops of MIRA and the perceptron.

This is ordinary Python on arrays, and slow. ``telos.core.kernels`` compiles the very same functions; the tests compare
the two. ``packed`` says what the arrays hold.
"""

import math

from telos.logic.learning.packed import Array, Bench, Matrix, Steps

NONE = -1


def fill(tables: Array, first: int, end: int, matrix: Matrix, weights: Array) -> None:
    """Work out the cells from ``first`` to before ``end``."""
    for cell in range(first, end):
        total = 0.0
        for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
            total += matrix.value[entry] * weights[matrix.weight[entry]]
        tables[cell] = -math.inf if matrix.forbidden[cell] else total


def node(p: int, y: int, steps: Steps, tables: Array) -> float:
    """Return what speaks for value y at position p, neighbours left aside."""
    if steps.given[p] >= 0 and steps.given[p] != y:
        return -math.inf
    total = 0.0
    for g in range(steps.singles.shape[1]):
        if steps.singles[p, g] != NONE:
            total += tables[steps.singles[p, g] + y]
    return total


def lay(p: int, steps: Steps, tables: Array, laid: Array) -> None:
    """Put the sum of all tables on p-1 and p into ``laid``."""
    for cell in range(len(laid)):
        laid[cell] = 0.0
    for g in range(steps.pairs.shape[1]):
        if steps.pairs[p, g] != NONE:
            for cell in range(len(laid)):
                laid[cell] += tables[steps.pairs[p, g] + cell]


def climb(p: int, is_first: bool, steps: Steps, rival: float, bench: Bench) -> None:
    """Find the best way to each value of position p; every value but the true one gets ``rival`` on top."""
    size = bench.best.shape[1]
    if not is_first:
        lay(p, steps, bench.tables, bench.laid)
    for y in range(size):
        score, came = 0.0, 0
        if not is_first:
            score = bench.best[p - 1, 0] + bench.laid[y]
            for x in range(1, size):
                other = bench.best[p - 1, x] + bench.laid[x * size + y]
                if other > score:
                    score, came = other, x
        bench.best[p, y] = score + node(p, y, steps, bench.tables) + (rival if y != steps.truth[p] else 0.0)
        bench.back[p, y] = came


def viterbi(first: int, end: int, steps: Steps, rival: float, bench: Bench) -> None:
    """Find the best values of one sequence. Of equals the first is taken."""
    size = bench.best.shape[1]
    for p in range(first, end):
        climb(p, p == first, steps, rival, bench)
    top = 0
    for y in range(1, size):
        if bench.best[end - 1, y] > bench.best[end - 1, top]:
            top = y
    bench.path[end - 1] = top
    for p in range(end - 1, first, -1):
        bench.path[p - 1] = bench.back[p, bench.path[p]]


def decode(sequences: Array, steps: Steps, matrix: Matrix, weights: Array, bench: Bench) -> None:
    """Find the best values of all these sequences."""
    fill(bench.tables, 0, len(bench.tables), matrix, weights)
    for s in sequences:
        viterbi(steps.start[s], steps.start[s + 1], steps, 0.0, bench)


def refresh(first: int, end: int, steps: Steps, matrix: Matrix, weights: Array, turn: int, bench: Bench) -> None:
    """Work out the tables that a sequence uses and that are of an earlier turn: a world needs few of them."""
    size = bench.best.shape[1]
    for p in range(first, end):
        for g in range(steps.singles.shape[1]):
            cell = steps.singles[p, g]
            if cell != NONE and bench.age[cell] != turn:
                fill(bench.tables, cell, cell + size, matrix, weights)
                bench.age[cell] = turn
        for g in range(steps.pairs.shape[1]):
            cell = steps.pairs[p, g]
            if cell != NONE and bench.age[cell] != turn:
                fill(bench.tables, cell, cell + size * size, matrix, weights)
                bench.age[cell] = turn


def move(cell: int, sign: float, matrix: Matrix, bench: Bench, count: int) -> int:
    """Add the features of a cell to the difference; return how many weights it touches by now."""
    for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
        w = matrix.weight[entry]
        if not bench.is_moved[w]:
            bench.is_moved[w] = True
            bench.moved[count] = w
            count += 1
        bench.difference[w] += sign * matrix.value[entry]
    return count


def compare(first: int, end: int, steps: Steps, matrix: Matrix, bench: Bench, count: int) -> int:
    """Add to the difference the features of a sequence's true values, less those of the values found."""
    size = bench.best.shape[1]
    for p in range(first, end):
        found, truth = bench.path[p], steps.truth[p]
        if found != truth:
            for g in range(steps.singles.shape[1]):
                cell = steps.singles[p, g]
                if cell != NONE:
                    count = move(cell + truth, 1.0, matrix, bench, count)
                    count = move(cell + found, -1.0, matrix, bench, count)
        if p > first and (found != truth or bench.path[p - 1] != steps.truth[p - 1]):
            for g in range(steps.pairs.shape[1]):
                cell = steps.pairs[p, g]
                if cell != NONE:
                    count = move(cell + steps.truth[p - 1] * size + truth, 1.0, matrix, bench, count)
                    count = move(cell + bench.path[p - 1] * size + found, -1.0, matrix, bench, count)
    return count


def update(mistakes: int, most: float, clock: float, weights: Array, sums: Array, bench: Bench, count: int) -> None:
    """Move the weights towards the truth as far as the margin asks for, ``most`` at most (0: by one, unasked).

    ``sums`` collects each step times the time at which it was made, so that the average of all weights so far can be
    had at any time, and costs nothing for the weights that stay.
    """
    margin, norm = 0.0, 0.0
    for i in range(count):
        w = bench.moved[i]
        margin += weights[w] * bench.difference[w]
        norm += bench.difference[w] * bench.difference[w]
    tau = 1.0
    if most > 0.0:
        tau = max(0.0, min(most, (mistakes - margin) / norm)) if norm > 0.0 else 0.0
    for i in range(count):
        w = bench.moved[i]
        weights[w] += tau * bench.difference[w]
        sums[w] += clock * tau * bench.difference[w]
        bench.difference[w] = 0.0
        bench.is_moved[w] = False


def learn_worlds(
    worlds: Array,
    opens: Array,
    sequences: Array,
    steps: Steps,
    matrix: Matrix,
    weights: Array,
    sums: Array,
    clock: float,
    most: float,
    rival: float,
    bench: Bench,
) -> int:
    """Take one world after another: find its best values, and move the weights. Return how many values were wrong.

    The sequences of world w are ``sequences[opens[w]]`` to before ``sequences[opens[w + 1]]``.
    """
    wrong = 0
    for turn in range(len(worlds)):
        count, mistakes = 0, 0
        for at in range(opens[worlds[turn]], opens[worlds[turn] + 1]):
            first, end = steps.start[sequences[at]], steps.start[sequences[at] + 1]
            refresh(first, end, steps, matrix, weights, turn, bench)
            viterbi(first, end, steps, rival, bench)
            for p in range(first, end):
                mistakes += int(bench.path[p] != steps.truth[p])
            count = compare(first, end, steps, matrix, bench, count)
        if mistakes > 0:
            update(mistakes, most, clock + turn, weights, sums, bench, count)
        wrong += mistakes
    return wrong
