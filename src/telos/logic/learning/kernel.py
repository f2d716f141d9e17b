"""Inner loops of learning on sequences, and their arrays: Viterbi with updates of the weights, sweeps with gradients.

Plain Python, compiled by Numba through ``telos.core.kernels``; the tests compare both forms. ``worlds.pack_sequences``
makes the arrays. All tables of all rules lie one after another, cell by cell. Cell i is the sum of
``value[e] * weights[weight[e]]`` over the entries e from ``begin[i]`` to before ``begin[i + 1]``: a sparse matrix times
the weights. Entry points: ``learn_worlds``, ``decode`` and ``sweep``.
"""

import math
from typing import Any, NamedTuple, TypeAlias

Array: TypeAlias = Any  # a NumPy array of any type; Numba specialises on the type


INLINED = (
    "compute_tables",
    "sum_single_tables",
    "viterbi_step",
    "viterbi",
    "refresh_tables",
    "choose_alone",
    "add_differences",
)
NONE = -1
TINY = 1e-200  # a smaller probability would underflow: the sequence is swept again in logarithms


class FeatureMatrix(NamedTuple):
    """The sparse matrix from weights to cells. A forbidden cell is minus infinity whatever the weights."""

    begin: Array  # (cells + 1,)
    weight: Array  # (entries,)
    value: Array  # (entries,)
    forbidden: Array  # (cells,)


class PackedSequences(NamedTuple):
    """Sequences of variables by position, and the tables on them.

    ``singles[p, g]`` is the first cell of rule g's table on position p, ``pairs[p, g]`` of that on p-1 and p, -1 for
    none. Each combination of tables between neighbours is listed once in ``joint``; ``between[p]`` is its number.
    """

    start: Array  # (sequences + 1,)
    singles: Array  # (positions, rules)
    pairs: Array  # (positions, rules)
    joint: Array  # (choices, rules)
    between: Array  # (positions,)
    given: Array  # (positions,) known values, or -1
    truth: Array  # (positions,)


class ViterbiBuffers(NamedTuple):
    """Buffers of Viterbi and of the update of the weights."""

    tables: Array  # (cells,)
    age: Array  # (cells,) the turn in which the table that begins here was computed
    choice: Array  # (cells,) the best value of the table that begins here, where no other table counts
    choice_age: Array  # (cells,) the turn in which that was found
    best: Array  # (positions, values)
    back: Array  # (positions, values)
    joined: Array  # (choices, values * values) the tables between neighbours, summed
    joined_age: Array  # (choices,) the turn in which that sum was computed
    now: Array  # (values,)
    path: Array  # (positions,)
    difference: Array  # (weights,)
    is_moved: Array  # (weights,)
    moved: Array  # (weights,)


class SweepBuffers(NamedTuple):
    """Buffers of the forward and backward sweeps."""

    tables: Array  # (cells,)
    scores: Array  # (choices, values * values)
    factors: Array  # (choices, values * values)
    peaks: Array  # (choices,)
    beliefs: Array  # (positions, values)
    predicted: Array  # (positions, values)
    logs: Array  # (positions, values) logarithms of the beliefs, where they are needed
    now: Array  # (values,)
    carried: Array  # (values,)
    cells: Array  # (cells,) the gradient
    joint_cells: Array  # (choices, values * values)


# --- Viterbi and updates of the weights -------------------------------------------------------------------------------


def compute_tables(tables: Array, first: int, end: int, matrix: FeatureMatrix, weights: Array) -> None:
    """Compute the cells from ``first`` to before ``end``."""
    for cell in range(first, end):
        total = 0.0
        for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
            total += matrix.value[entry] * weights[matrix.weight[entry]]
        tables[cell] = -math.inf if matrix.forbidden[cell] else total


def node_score(p: int, y: int, steps: PackedSequences, tables: Array) -> float:
    """Return the score of value y at position p from single tables."""
    if steps.given[p] >= 0 and steps.given[p] != y:
        return -math.inf
    total = 0.0
    for g in range(steps.singles.shape[1]):
        if steps.singles[p, g] != NONE:
            total += tables[steps.singles[p, g] + y]
    return total


def join_pair_tables(choice: int, steps: PackedSequences, buffers: ViterbiBuffers) -> None:
    """Write the sum of one combination of tables between neighbours to ``joined``."""
    total = buffers.joined[choice]
    for cell in range(len(total)):
        total[cell] = 0.0
    for g in range(steps.joint.shape[1]):
        first = steps.joint[choice, g]
        if first != NONE:
            for cell in range(len(total)):
                total[cell] += buffers.tables[first + cell]


def sum_single_tables(p: int, steps: PackedSequences, buffers: ViterbiBuffers) -> None:
    """Write the score of each value at position p from single tables to ``now``."""
    now, given = buffers.now, steps.given[p]
    for y in range(len(now)):
        now[y] = 0.0
    for g in range(steps.singles.shape[1]):
        first = steps.singles[p, g]
        if first != NONE:
            for y in range(len(now)):
                now[y] += buffers.tables[first + y]
    if given >= 0:
        for y in range(len(now)):
            if y != given:
                now[y] = -math.inf


def viterbi_step(p: int, is_first: bool, steps: PackedSequences, augmentation: float, buffers: ViterbiBuffers) -> None:
    """Find the best predecessor of each value at p; values other than the true one get ``augmentation`` added."""
    sum_single_tables(p, steps, buffers)
    now, best, back = buffers.now, buffers.best[p], buffers.back[p]
    size = len(now)
    for y in range(size):
        best[y] = 0.0
        back[y] = 0
    if not is_first:
        before, pair_scores = buffers.best[p - 1], buffers.joined[steps.between[p]]
        for y in range(size):
            best[y] = before[0] + pair_scores[y]
        for x in range(1, size):
            for y in range(size):
                other = before[x] + pair_scores[x * size + y]
                if other > best[y]:
                    best[y] = other
                    back[y] = x
    for y in range(size):
        best[y] = best[y] + now[y] + (augmentation if y != steps.truth[p] else 0.0)


def viterbi(first: int, end: int, steps: PackedSequences, augmentation: float, buffers: ViterbiBuffers) -> None:
    """Find the best values of one sequence, the first of equals."""
    size = buffers.best.shape[1]
    for p in range(first, end):
        viterbi_step(p, p == first, steps, augmentation, buffers)
    top = 0
    for y in range(1, size):
        if buffers.best[end - 1, y] > buffers.best[end - 1, top]:
            top = y
    buffers.path[end - 1] = top
    for p in range(end - 1, first, -1):
        buffers.path[p - 1] = buffers.back[p, buffers.path[p]]


def decode(
    sequences: Array, steps: PackedSequences, matrix: FeatureMatrix, weights: Array, buffers: ViterbiBuffers
) -> None:
    """Find the best values of these sequences."""
    compute_tables(buffers.tables, 0, len(buffers.tables), matrix, weights)
    for choice in range(len(steps.joint)):
        join_pair_tables(choice, steps, buffers)
    for s in sequences:
        viterbi(steps.start[s], steps.start[s + 1], steps, 0.0, buffers)


def refresh_tables(
    first: int,
    end: int,
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    turn: int,
    buffers: ViterbiBuffers,
) -> None:
    """Compute the tables of a sequence that are older than this turn: a world uses few of them."""
    size = buffers.best.shape[1]
    for p in range(first, end):
        for g in range(steps.singles.shape[1]):
            cell = steps.singles[p, g]
            if cell != NONE and buffers.age[cell] != turn:
                compute_tables(buffers.tables, cell, cell + size, matrix, weights)
                buffers.age[cell] = turn
        for g in range(steps.pairs.shape[1]):
            cell = steps.pairs[p, g]
            if cell != NONE and buffers.age[cell] != turn:
                compute_tables(buffers.tables, cell, cell + size * size, matrix, weights)
                buffers.age[cell] = turn
        if p > first and buffers.joined_age[steps.between[p]] != turn:
            join_pair_tables(steps.between[p], steps, buffers)
            buffers.joined_age[steps.between[p]] = turn


def choose_alone(
    p: int, steps: PackedSequences, matrix: FeatureMatrix, weights: Array, turn: int, buffers: ViterbiBuffers
) -> None:
    """Find the best value of a position that has one table and no neighbours, the first of equals.

    Many positions of a world share a table, whose best value is found once a turn.
    """
    cell, size = steps.singles[p, 0], buffers.best.shape[1]
    if cell == NONE:
        buffers.path[p] = 0
        return
    if buffers.choice_age[cell] != turn:
        compute_tables(buffers.tables, cell, cell + size, matrix, weights)
        buffers.choice_age[cell] = turn
        top = 0
        for y in range(1, size):
            if buffers.tables[cell + y] > buffers.tables[cell + top]:
                top = y
        buffers.choice[cell] = top
    buffers.path[p] = buffers.choice[cell]


def add_cell_features(cell: int, sign: float, matrix: FeatureMatrix, buffers: ViterbiBuffers, count: int) -> int:
    """Add the features of a cell to the difference; return the number of weights it touches so far."""
    for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
        w = matrix.weight[entry]
        if not buffers.is_moved[w]:
            buffers.is_moved[w] = True
            buffers.moved[count] = w
            count += 1
        buffers.difference[w] += sign * matrix.value[entry]
    return count


def add_differences(
    first: int, end: int, steps: PackedSequences, matrix: FeatureMatrix, buffers: ViterbiBuffers, count: int
) -> int:
    """Add to the difference the features of a sequence's true values minus those of the found values."""
    size = buffers.best.shape[1]
    for p in range(first, end):
        found, truth = buffers.path[p], steps.truth[p]
        if found != truth:
            for g in range(steps.singles.shape[1]):
                cell = steps.singles[p, g]
                if cell != NONE:
                    count = add_cell_features(cell + truth, 1.0, matrix, buffers, count)
                    count = add_cell_features(cell + found, -1.0, matrix, buffers, count)
        if p > first and (found != truth or buffers.path[p - 1] != steps.truth[p - 1]):
            for g in range(steps.pairs.shape[1]):
                cell = steps.pairs[p, g]
                if cell != NONE:
                    count = add_cell_features(cell + steps.truth[p - 1] * size + truth, 1.0, matrix, buffers, count)
                    count = add_cell_features(cell + buffers.path[p - 1] * size + found, -1.0, matrix, buffers, count)
    return count


def update_weights(
    mistakes: int, max_step: float, clock: float, weights: Array, sums: Array, buffers: ViterbiBuffers, count: int
) -> None:
    """Move the weights towards the truth as far as the margin requires, at most ``max_step`` (0: perceptron, by 1).

    ``sums`` adds up each step times its time, from which the average of all weights so far follows at any time, at no
    cost for unchanged weights.
    """
    margin, norm = 0.0, 0.0
    for i in range(count):
        w = buffers.moved[i]
        margin += weights[w] * buffers.difference[w]
        norm += buffers.difference[w] * buffers.difference[w]
    tau = 1.0
    if max_step > 0.0:
        tau = max(0.0, min(max_step, (mistakes - margin) / norm)) if norm > 0.0 else 0.0
    for i in range(count):
        w = buffers.moved[i]
        weights[w] += tau * buffers.difference[w]
        sums[w] += clock * tau * buffers.difference[w]
        buffers.difference[w] = 0.0
        buffers.is_moved[w] = False


def learn_worlds(
    worlds: Array,
    opens: Array,
    sequences: Array,
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    sums: Array,
    clock: float,
    max_step: float,
    augmentation: float,
    buffers: ViterbiBuffers,
) -> int:
    """Find the best values of one world after another, and update the weights; return the number of wrong values.

    The sequences of world w are ``sequences[opens[w]]`` to before ``sequences[opens[w + 1]]``.
    """
    wrong = 0
    is_alone = steps.singles.shape[1] == 1 and steps.pairs.shape[1] == 0 and augmentation == 0.0
    for turn in range(len(worlds)):
        count, mistakes = 0, 0
        for at in range(opens[worlds[turn]], opens[worlds[turn] + 1]):
            first, end = steps.start[sequences[at]], steps.start[sequences[at] + 1]
            if is_alone and end - first == 1 and steps.given[first] == NONE:
                choose_alone(first, steps, matrix, weights, turn, buffers)
            else:
                refresh_tables(first, end, steps, matrix, weights, turn, buffers)
                viterbi(first, end, steps, augmentation, buffers)
            for p in range(first, end):
                mistakes += int(buffers.path[p] != steps.truth[p])
            count = add_differences(first, end, steps, matrix, buffers, count)
        if mistakes > 0:
            update_weights(mistakes, max_step, clock + turn, weights, sums, buffers, count)
        wrong += mistakes
    return wrong


# --- forward and backward sweeps --------------------------------------------------------------------------------------
# The forward sweep computes b(y), the probability of value y given everything up to now. Let q(x | y) be the
# probability of x before y: b(x) E(x, y) / sum over x of the same, with E the exponential of the table between. Then
#
# * the probability of x given the *whole* sequence is, from the end backwards, p(x) = sum over y of q(x | y) p(y), and
#   that of x and y together is q(x | y) p(y);
# * the gradient of the *filtered* objective, the sum over t of log b_t(truth), with respect to the score of x at t is
#   r_t(x) = [x is true] - b_t(x) + sum over y of q_{t+1}(x | y) r_{t+1}(y), and that with respect to the table between
#   t and t+1 is q_{t+1}(x | y) r_{t+1}(y).
#
# So one backward sweep serves both; only the term added at each step differs.


def join_tables(steps: PackedSequences, buffers: SweepBuffers) -> None:
    """Compute the tables between neighbours, once for each combination: scores and exponentials.

    The exponentials are divided by their maximum, whose logarithm is in ``peaks``.
    """
    size = buffers.beliefs.shape[1]
    for j in range(len(steps.joint)):
        peak = -math.inf
        for cell in range(size * size):
            total = 0.0
            for g in range(steps.joint.shape[1]):
                if steps.joint[j, g] != NONE:
                    total += buffers.tables[steps.joint[j, g] + cell]
            buffers.scores[j, cell] = total
            peak = max(peak, total)
        buffers.peaks[j] = peak if peak > -math.inf else 0.0
        for cell in range(size * size):
            buffers.factors[j, cell] = math.exp(buffers.scores[j, cell] - buffers.peaks[j])


def forward_step(p: int, is_first: bool, steps: PackedSequences, buffers: SweepBuffers) -> float:
    """Do one step of the forward algorithm; return the logarithm of the belief's normaliser.

    ``predicted[p, y]`` is the probability of y before the scores at p, up to a common factor. NaN: underflow; the step
    must be done in logarithms.
    """
    size = buffers.beliefs.shape[1]
    peak, total, between, is_faint = -math.inf, 0.0, steps.between[p], False
    for y in range(size):
        buffers.now[y] = node_score(p, y, steps, buffers.tables)
        peak = max(peak, buffers.now[y])
    for y in range(size):
        buffers.predicted[p, y] = 1.0 if is_first else 0.0
        if not is_first:
            for x in range(size):
                buffers.predicted[p, y] += buffers.beliefs[p - 1, x] * buffers.factors[between, x * size + y]
        buffers.beliefs[p, y] = (
            buffers.predicted[p, y] * math.exp(buffers.now[y] - peak) if buffers.now[y] > -math.inf else 0.0
        )
        is_faint = is_faint or (buffers.now[y] > -math.inf and buffers.beliefs[p, y] < TINY)
        total += buffers.beliefs[p, y]
    if is_faint or total == 0.0:
        return math.nan
    for y in range(size):
        buffers.beliefs[p, y] /= total
    return math.log(total) + peak + (0.0 if is_first else buffers.peaks[between])


def log_predict(p: int, y: int, between: int, buffers: SweepBuffers) -> float:
    """Return the logarithm of the predicted probability of value y, from the belief before."""
    size = buffers.beliefs.shape[1]
    most = -math.inf
    for x in range(size):
        most = max(most, buffers.logs[p - 1, x] + buffers.scores[between, x * size + y])
    if most == -math.inf:
        return most
    total = 0.0
    for x in range(size):
        total += math.exp(buffers.logs[p - 1, x] + buffers.scores[between, x * size + y] - most)
    return most + math.log(total)


def forward_step_logs(p: int, is_first: bool, steps: PackedSequences, buffers: SweepBuffers) -> float:
    """Do one step in logarithms: slower, and correct for scores of any size; ``predicted`` is a logarithm too."""
    size = buffers.beliefs.shape[1]
    top, whole = -math.inf, 0.0
    for y in range(size):
        buffers.predicted[p, y] = 0.0 if is_first else log_predict(p, y, steps.between[p], buffers)
        buffers.logs[p, y] = node_score(p, y, steps, buffers.tables) + buffers.predicted[p, y]
        top = max(top, buffers.logs[p, y])
    if top == -math.inf:  # no value is possible: fall back to the uniform distribution
        for y in range(size):
            buffers.logs[p, y] = -math.log(size)
            buffers.beliefs[p, y] = 1.0 / size
        return top
    for y in range(size):
        whole += math.exp(buffers.logs[p, y] - top)
    for y in range(size):
        buffers.logs[p, y] -= top + math.log(whole)
        buffers.beliefs[p, y] = math.exp(buffers.logs[p, y])
    return top + math.log(whole)


def forward(
    first: int, end: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, buffers: SweepBuffers
) -> float:
    """Run the forward algorithm on one sequence, and return the log likelihood of its true values.

    Of all values together, given everything; or, for prefixes, the sum over each value given the evidence up to it.
    NaN: it must be repeated in logarithms.
    """
    size = buffers.beliefs.shape[1]
    objective = 0.0
    for p in range(first, end):
        divisor = (
            forward_step_logs(p, p == first, steps, buffers)
            if is_faint
            else forward_step(p, p == first, steps, buffers)
        )
        if math.isnan(divisor):
            return divisor
        truth = steps.truth[p]
        if is_prefix:
            objective += buffers.logs[p, truth] if is_faint else math.log(buffers.beliefs[p, truth])
            continue
        objective += node_score(p, truth, steps, buffers.tables) - divisor
        if p > first:
            objective += buffers.scores[steps.between[p], steps.truth[p - 1] * size + truth]
    return objective


def backward_step(p: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, buffers: SweepBuffers) -> None:
    """Pass the gradient at p on to the table between p-1 and p, and to p-1."""
    size = buffers.beliefs.shape[1]
    between = steps.between[p]
    for y in range(size):
        share = buffers.now[y] / buffers.predicted[p, y] if not is_faint and buffers.predicted[p, y] > 0.0 else 0.0
        for x in range(size):
            if not is_faint:
                part = buffers.beliefs[p - 1, x] * buffers.factors[between, x * size + y] * share
            elif buffers.predicted[p, y] == -math.inf:
                part = 0.0
            else:
                came = buffers.logs[p - 1, x] + buffers.scores[between, x * size + y] - buffers.predicted[p, y]
                part = buffers.now[y] * math.exp(came)
            buffers.joint_cells[between, x * size + y] += part
            buffers.carried[x] += part
    if not is_prefix:
        buffers.joint_cells[between, steps.truth[p - 1] * size + steps.truth[p]] += 1.0


def backward(
    first: int, end: int, steps: PackedSequences, is_prefix: bool, is_faint: bool, buffers: SweepBuffers
) -> None:
    """Add the gradient of one sequence's objective to that of the cells."""
    size = buffers.beliefs.shape[1]
    for y in range(size):
        buffers.carried[y] = 0.0 if is_prefix else -buffers.beliefs[end - 1, y]
    for p in range(end - 1, first - 1, -1):
        for y in range(size):
            is_true = 1.0 if y == steps.truth[p] else 0.0
            buffers.now[y] = buffers.carried[y] + (is_true - buffers.beliefs[p, y] if is_prefix else 0.0)
            buffers.carried[y] = 0.0
            pull = buffers.now[y] + (0.0 if is_prefix else is_true)
            for g in range(steps.singles.shape[1]):
                if steps.singles[p, g] != NONE:
                    buffers.cells[steps.singles[p, g] + y] += pull
        if p > first:
            backward_step(p, steps, is_prefix, is_faint, buffers)


def collect_gradient(steps: PackedSequences, matrix: FeatureMatrix, gradient: Array, buffers: SweepBuffers) -> None:
    """Turn the gradient of the cells into that of the weights."""
    for j in range(len(steps.joint)):
        for g in range(steps.joint.shape[1]):
            if steps.joint[j, g] != NONE:
                for cell in range(buffers.joint_cells.shape[1]):
                    buffers.cells[steps.joint[j, g] + cell] += buffers.joint_cells[j, cell]
    for cell in range(len(buffers.cells)):
        if buffers.cells[cell] != 0.0:
            for entry in range(matrix.begin[cell], matrix.begin[cell + 1]):
                gradient[matrix.weight[entry]] += matrix.value[entry] * buffers.cells[cell]


def sweep(
    sequences: Array,
    steps: PackedSequences,
    matrix: FeatureMatrix,
    weights: Array,
    is_prefix: bool,
    gradient: Array,
    buffers: SweepBuffers,
) -> float:
    """Return the objective of these sequences, and store their beliefs.

    The gradient is added to ``gradient`` unless that is empty.
    """
    with_gradient = len(gradient) > 0
    compute_tables(buffers.tables, 0, len(buffers.tables), matrix, weights)
    join_tables(steps, buffers)
    buffers.cells[:] = 0.0
    buffers.joint_cells[:] = 0.0
    objective = 0.0
    for s in sequences:
        first, end = steps.start[s], steps.start[s + 1]
        gained = forward(first, end, steps, is_prefix, False, buffers)
        is_faint = math.isnan(gained)
        if is_faint:
            gained = forward(first, end, steps, is_prefix, True, buffers)
        objective += gained
        if with_gradient:
            backward(first, end, steps, is_prefix, is_faint, buffers)
    if with_gradient:
        collect_gradient(steps, matrix, gradient, buffers)
    return objective
