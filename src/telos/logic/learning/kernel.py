"""Packed arrays and inner loops of learning."""

import math
from typing import Any, NamedTuple, TypeAlias

# --- packed -----------------------------------------------------------------------------------------------------------
# The arrays that learning along sequences works on; ``sequences`` makes them, the kernels read and fill them.
#
# All tables of all rules lie one after another, cell by cell. Cell i is the sum of ``value[e] * weights[weight[e]]``
# over
# the entries e from ``begin[i]`` to before ``begin[i + 1]``: a sparse matrix times the weights.


Array: TypeAlias = Any  # NumPy's, of any type: a compiled function looks at the type when it is called


class FeatureMatrix(NamedTuple):
    """What each cell of each table is made of. A forbidden cell is minus infinity whatever the weights."""

    begin: Array  # (cells + 1,)
    weight: Array  # (entries,)
    value: Array  # (entries,)
    forbidden: Array  # (cells,)


class PackedSequences(NamedTuple):
    """Sequences of variables, position by position, and the tables that lie on them.

    ``singles[p, g]`` is the first cell of the table that rule g lays on position p, ``pairs[p, g]`` that on p-1 and p,
    and -1 where the rule has nothing to say. Each choice of tables between neighbours that occurs is listed once in
    ``joint``; ``between[p]`` is its number.
    """

    start: Array  # (sequences + 1,)
    singles: Array  # (positions, rules)
    pairs: Array  # (positions, rules)
    joint: Array  # (choices, rules)
    between: Array  # (positions,)
    given: Array  # (positions,) known values, or -1
    truth: Array  # (positions,)


class ViterbiBuffers(NamedTuple):
    """Where the search for the best values, and the update that follows it, put their numbers."""

    tables: Array  # (cells,)
    age: Array  # (cells,) the turn in which the table that begins here was worked out
    best: Array  # (positions, values)
    back: Array  # (positions, values)
    laid: Array  # (values * values,)
    path: Array  # (positions,)
    difference: Array  # (weights,)
    is_moved: Array  # (weights,)
    moved: Array  # (weights,)


class SweepBuffers(NamedTuple):
    """Where the sweeps forward and backward put their numbers."""

    tables: Array  # (cells,)
    scores: Array  # (choices, values * values)
    factors: Array  # (choices, values * values)
    peaks: Array  # (choices,)
    beliefs: Array  # (positions, values)
    foreseen: Array  # (positions, values)
    logs: Array  # (positions, values) logarithms of the beliefs, where they are needed
    now: Array  # (values,)
    carried: Array  # (values,)
    cells: Array  # (cells,) the gradient
    joint_cells: Array  # (choices, values * values)


# --- kernel -----------------------------------------------------------------------------------------------------------
# Viterbi along sequences, with an update of the weights for every world: the inner loops of MIRA and the perceptron.
#
# This is ordinary Python on arrays, and slow. ``telos.core.kernels`` compiles the very same functions; the tests
# compare
# the two. ``packed`` says what the arrays hold.


NONE = -1


def compute_tables(tables: Array, first: int, end: int, matrix: FeatureMatrix, weights: Array) -> None:
    """Work out the cells from ``first`` to before ``end``."""
    for cell in range(first, end):
        total = 0.0
        for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
            total += matrix.value[entry] * weights[matrix.weight[entry]]
        tables[cell] = -math.inf if matrix.forbidden[cell] else total


def node_score(p: int, y: int, steps: PackedSequences, tables: Array) -> float:
    """Return what speaks for value y at position p, neighbours left aside."""
    if steps.given[p] >= 0 and steps.given[p] != y:
        return -math.inf
    total = 0.0
    for g in range(steps.singles.shape[1]):
        if steps.singles[p, g] != NONE:
            total += tables[steps.singles[p, g] + y]
    return total


def sum_pair_tables(p: int, steps: PackedSequences, tables: Array, laid: Array) -> None:
    """Put the sum of all tables on p-1 and p into ``laid``."""
    for cell in range(len(laid)):
        laid[cell] = 0.0
    for g in range(steps.pairs.shape[1]):
        if steps.pairs[p, g] != NONE:
            for cell in range(len(laid)):
                laid[cell] += tables[steps.pairs[p, g] + cell]


def viterbi_step(p: int, is_first: bool, steps: PackedSequences, rival: float, bench: ViterbiBuffers) -> None:
    """Find the best way to each value of position p; every value but the true one gets ``rival`` on top."""
    size = bench.best.shape[1]
    if not is_first:
        sum_pair_tables(p, steps, bench.tables, bench.laid)
    for y in range(size):
        score, came = 0.0, 0
        if not is_first:
            score = bench.best[p - 1, 0] + bench.laid[y]
            for x in range(1, size):
                other = bench.best[p - 1, x] + bench.laid[x * size + y]
                if other > score:
                    score, came = other, x
        bench.best[p, y] = score + node_score(p, y, steps, bench.tables) + (rival if y != steps.truth[p] else 0.0)
        bench.back[p, y] = came


def viterbi(first: int, end: int, steps: PackedSequences, rival: float, bench: ViterbiBuffers) -> None:
    """Find the best values of one sequence. Of equals the first is taken."""
    size = bench.best.shape[1]
    for p in range(first, end):
        viterbi_step(p, p == first, steps, rival, bench)
    top = 0
    for y in range(1, size):
        if bench.best[end - 1, y] > bench.best[end - 1, top]:
            top = y
    bench.path[end - 1] = top
    for p in range(end - 1, first, -1):
        bench.path[p - 1] = bench.back[p, bench.path[p]]


def decode(
    sequences: Array, steps: PackedSequences, matrix: FeatureMatrix, weights: Array, bench: ViterbiBuffers
) -> None:
    """Find the best values of all these sequences."""
    compute_tables(bench.tables, 0, len(bench.tables), matrix, weights)
    for s in sequences:
        viterbi(steps.start[s], steps.start[s + 1], steps, 0.0, bench)


def refresh_tables(
    first: int,
    end: int,
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    turn: int,
    bench: ViterbiBuffers,
) -> None:
    """Work out the tables that a sequence uses and that are of an earlier turn: a world needs few of them."""
    size = bench.best.shape[1]
    for p in range(first, end):
        for g in range(steps.singles.shape[1]):
            cell = steps.singles[p, g]
            if cell != NONE and bench.age[cell] != turn:
                compute_tables(bench.tables, cell, cell + size, matrix, weights)
                bench.age[cell] = turn
        for g in range(steps.pairs.shape[1]):
            cell = steps.pairs[p, g]
            if cell != NONE and bench.age[cell] != turn:
                compute_tables(bench.tables, cell, cell + size * size, matrix, weights)
                bench.age[cell] = turn


def add_cell_features(cell: int, sign: float, matrix: FeatureMatrix, bench: ViterbiBuffers, count: int) -> int:
    """Add the features of a cell to the difference; return how many weights it touches by now."""
    for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
        w = matrix.weight[entry]
        if not bench.is_moved[w]:
            bench.is_moved[w] = True
            bench.moved[count] = w
            count += 1
        bench.difference[w] += sign * matrix.value[entry]
    return count


def add_differences(
    first: int, end: int, steps: PackedSequences, matrix: FeatureMatrix, bench: ViterbiBuffers, count: int
) -> int:
    """Add to the difference the features of a sequence's true values, less those of the values found."""
    size = bench.best.shape[1]
    for p in range(first, end):
        found, truth = bench.path[p], steps.truth[p]
        if found != truth:
            for g in range(steps.singles.shape[1]):
                cell = steps.singles[p, g]
                if cell != NONE:
                    count = add_cell_features(cell + truth, 1.0, matrix, bench, count)
                    count = add_cell_features(cell + found, -1.0, matrix, bench, count)
        if p > first and (found != truth or bench.path[p - 1] != steps.truth[p - 1]):
            for g in range(steps.pairs.shape[1]):
                cell = steps.pairs[p, g]
                if cell != NONE:
                    count = add_cell_features(cell + steps.truth[p - 1] * size + truth, 1.0, matrix, bench, count)
                    count = add_cell_features(cell + bench.path[p - 1] * size + found, -1.0, matrix, bench, count)
    return count


def update_weights(
    mistakes: int, most: float, clock: float, weights: Array, sums: Array, bench: ViterbiBuffers, count: int
) -> None:
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
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    sums: Array,
    clock: float,
    most: float,
    rival: float,
    bench: ViterbiBuffers,
) -> int:
    """Take one world after another: find its best values, and move the weights. Return how many values were wrong.

    The sequences of world w are ``sequences[opens[w]]`` to before ``sequences[opens[w + 1]]``.
    """
    wrong = 0
    for turn in range(len(worlds)):
        count, mistakes = 0, 0
        for at in range(opens[worlds[turn]], opens[worlds[turn] + 1]):
            first, end = steps.start[sequences[at]], steps.start[sequences[at] + 1]
            refresh_tables(first, end, steps, matrix, weights, turn, bench)
            viterbi(first, end, steps, rival, bench)
            for p in range(first, end):
                mistakes += int(bench.path[p] != steps.truth[p])
            count = add_differences(first, end, steps, matrix, bench, count)
        if mistakes > 0:
            update_weights(mistakes, most, clock + turn, weights, sums, bench, count)
        wrong += mistakes
    return wrong


# --- kernel sweeps ----------------------------------------------------------------------------------------------------
# Forward and backward along sequences: the beliefs, the likelihood of the truth, and how both depend on the tables.
#
# The forward sweep keeps b(y), the chance of value y given everything up to now. Let q(x | y) be the chance that x
# came
# before y: b(x) E(x, y) / sum over x of the same, with E the exponential of the table between the two. Then
#
# * the chance of x given the *whole* sequence is, from the end backwards, p(x) = sum over y of q(x | y) p(y), and that
# of
#   x and y together q(x | y) p(y);
# * the gradient of the *filtered* objective, the sum over t of log b_t(truth), with respect to the score of x at t is
#   r_t(x) = [x is true] - b_t(x) + sum over y of q_{t+1}(x | y) r_{t+1}(y), and that with respect to the table between
#   t and t+1 is q_{t+1}(x | y) r_{t+1}(y).
#
# So one backward sweep serves both; only what is added at each step differs.


TINY = 1e-200  # a chance below this would vanish from the numbers: the sequence is swept again with logarithms


def join_tables(steps: PackedSequences, wave: SweepBuffers) -> None:
    """Work out the tables between neighbours, once for each choice that occurs: scores, and exponentials.

    The exponentials are divided by the largest of them, whose logarithm is in ``peaks``.
    """
    size = wave.beliefs.shape[1]
    for j in range(len(steps.joint)):
        peak = -math.inf
        for cell in range(size * size):
            total = 0.0
            for g in range(steps.joint.shape[1]):
                if steps.joint[j, g] != NONE:
                    total += wave.tables[steps.joint[j, g] + cell]
            wave.scores[j, cell] = total
            peak = max(peak, total)
        wave.peaks[j] = peak if peak > -math.inf else 0.0
        for cell in range(size * size):
            wave.factors[j, cell] = math.exp(wave.scores[j, cell] - wave.peaks[j])


def forward_step(p: int, is_first: bool, steps: PackedSequences, wave: SweepBuffers) -> float:
    """Take one step of the forward algorithm; return the logarithm of what the belief was divided by.

    ``foreseen[p, y]`` is the chance of y before what speaks for it at p itself is known, but for a common divisor.
    NaN: the numbers are too far apart for chances, and the step has to be taken with logarithms.
    """
    size = wave.beliefs.shape[1]
    peak, total, between, is_faint = -math.inf, 0.0, steps.between[p], False
    for y in range(size):
        wave.now[y] = node_score(p, y, steps, wave.tables)
        peak = max(peak, wave.now[y])
    for y in range(size):
        wave.foreseen[p, y] = 1.0 if is_first else 0.0
        if not is_first:
            for x in range(size):
                wave.foreseen[p, y] += wave.beliefs[p - 1, x] * wave.factors[between, x * size + y]
        wave.beliefs[p, y] = wave.foreseen[p, y] * math.exp(wave.now[y] - peak) if wave.now[y] > -math.inf else 0.0
        is_faint = is_faint or (wave.now[y] > -math.inf and wave.beliefs[p, y] < TINY)
        total += wave.beliefs[p, y]
    if is_faint or total == 0.0:
        return math.nan
    for y in range(size):
        wave.beliefs[p, y] /= total
    return math.log(total) + peak + (0.0 if is_first else wave.peaks[between])


def log_predict(p: int, y: int, between: int, wave: SweepBuffers) -> float:
    """Return the logarithm of the chance of coming to value y from what was believed before."""
    size = wave.beliefs.shape[1]
    most = -math.inf
    for x in range(size):
        most = max(most, wave.logs[p - 1, x] + wave.scores[between, x * size + y])
    if most == -math.inf:
        return most
    total = 0.0
    for x in range(size):
        total += math.exp(wave.logs[p - 1, x] + wave.scores[between, x * size + y] - most)
    return most + math.log(total)


def forward_step_logs(p: int, is_first: bool, steps: PackedSequences, wave: SweepBuffers) -> float:
    """Take one step with logarithms: slower, and right however far apart the scores are. ``foreseen`` is one, too."""
    size = wave.beliefs.shape[1]
    top, whole = -math.inf, 0.0
    for y in range(size):
        wave.foreseen[p, y] = 0.0 if is_first else log_predict(p, y, steps.between[p], wave)
        wave.logs[p, y] = node_score(p, y, steps, wave.tables) + wave.foreseen[p, y]
        top = max(top, wave.logs[p, y])
    if top == -math.inf:  # nothing is possible: nothing is known
        for y in range(size):
            wave.logs[p, y] = -math.log(size)
            wave.beliefs[p, y] = 1.0 / size
        return top
    for y in range(size):
        whole += math.exp(wave.logs[p, y] - top)
    for y in range(size):
        wave.logs[p, y] -= top + math.log(whole)
        wave.beliefs[p, y] = math.exp(wave.logs[p, y])
    return top + math.log(whole)


def forward(first: int, end: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, wave: SweepBuffers) -> float:
    """Take the belief along one sequence, and return the log of the chance of its true values.

    Of all of them together, given everything; or, for prefixes, of each given what came before it, added up. NaN: it
    has to be done again with logarithms.
    """
    size = wave.beliefs.shape[1]
    objective = 0.0
    for p in range(first, end):
        divisor = (
            forward_step_logs(p, p == first, steps, wave) if is_faint else forward_step(p, p == first, steps, wave)
        )
        if math.isnan(divisor):
            return divisor
        truth = steps.truth[p]
        if is_prefix:
            objective += wave.logs[p, truth] if is_faint else math.log(wave.beliefs[p, truth])
            continue
        objective += node_score(p, truth, steps, wave.tables) - divisor
        if p > first:
            objective += wave.scores[steps.between[p], steps.truth[p - 1] * size + truth]
    return objective


def backward_step(p: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, wave: SweepBuffers) -> None:
    """Hand the gradient at p down to the table between p-1 and p, and to p-1."""
    size = wave.beliefs.shape[1]
    between = steps.between[p]
    for y in range(size):
        share = wave.now[y] / wave.foreseen[p, y] if not is_faint and wave.foreseen[p, y] > 0.0 else 0.0
        for x in range(size):
            if not is_faint:
                part = wave.beliefs[p - 1, x] * wave.factors[between, x * size + y] * share
            elif wave.foreseen[p, y] == -math.inf:
                part = 0.0
            else:
                came = wave.logs[p - 1, x] + wave.scores[between, x * size + y] - wave.foreseen[p, y]
                part = wave.now[y] * math.exp(came)
            wave.joint_cells[between, x * size + y] += part
            wave.carried[x] += part
    if not is_prefix:
        wave.joint_cells[between, steps.truth[p - 1] * size + steps.truth[p]] += 1.0


def backward(first: int, end: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, wave: SweepBuffers) -> None:
    """Add the gradient of one sequence's objective to that of the cells."""
    size = wave.beliefs.shape[1]
    for y in range(size):
        wave.carried[y] = 0.0 if is_prefix else -wave.beliefs[end - 1, y]
    for p in range(end - 1, first - 1, -1):
        for y in range(size):
            is_true = 1.0 if y == steps.truth[p] else 0.0
            wave.now[y] = wave.carried[y] + (is_true - wave.beliefs[p, y] if is_prefix else 0.0)
            wave.carried[y] = 0.0
            pull = wave.now[y] + (0.0 if is_prefix else is_true)
            for g in range(steps.singles.shape[1]):
                if steps.singles[p, g] != NONE:
                    wave.cells[steps.singles[p, g] + y] += pull
        if p > first:
            backward_step(p, steps, is_prefix, is_faint, wave)


def collect_gradient(steps: PackedSequences, matrix: FeatureMatrix, gradient: Array, wave: SweepBuffers) -> None:
    """Turn the gradient of the cells into that of the weights."""
    for j in range(len(steps.joint)):
        for g in range(steps.joint.shape[1]):
            if steps.joint[j, g] != NONE:
                for cell in range(wave.joint_cells.shape[1]):
                    wave.cells[steps.joint[j, g] + cell] += wave.joint_cells[j, cell]
    for cell in range(len(wave.cells)):
        if wave.cells[cell] != 0.0:
            for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
                gradient[matrix.weight[entry]] += matrix.value[entry] * wave.cells[cell]


def sweep(
    sequences: Array,
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    is_prefix: bool,
    gradient: Array,
    wave: SweepBuffers,
) -> float:
    """Return the objective of these sequences, keep their beliefs, and add up its gradient if there is room for it."""
    is_taught = len(gradient) > 0
    compute_tables(wave.tables, 0, len(wave.tables), matrix, weights)
    join_tables(steps, wave)
    wave.cells[:] = 0.0
    wave.joint_cells[:] = 0.0
    objective = 0.0
    for s in sequences:
        first, end = steps.start[s], steps.start[s + 1]
        gained = forward(first, end, steps, is_prefix, False, wave)
        is_faint = math.isnan(gained)
        if is_faint:
            gained = forward(first, end, steps, is_prefix, True, wave)
        objective += gained
        if is_taught:
            backward(first, end, steps, is_prefix, is_faint, wave)
    if is_taught:
        collect_gradient(steps, matrix, gradient, wave)
    return objective
