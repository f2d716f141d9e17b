"""Forward and backward along sequences: the beliefs, the likelihood of the truth, and how both depend on the tables.

The forward sweep keeps b(y), the chance of value y given everything up to now. Let q(x | y) be the chance that x came
before y: b(x) E(x, y) / sum over x of the same, with E the exponential of the table between the two. Then

* the chance of x given the *whole* sequence is, from the end backwards, p(x) = sum over y of q(x | y) p(y), and that of
  x and y together q(x | y) p(y);
* the gradient of the *filtered* objective, the sum over t of log b_t(truth), with respect to the score of x at t is
  r_t(x) = [x is true] - b_t(x) + sum over y of q_{t+1}(x | y) r_{t+1}(y), and that with respect to the table between
  t and t+1 is q_{t+1}(x | y) r_{t+1}(y).

So one backward sweep serves both; only what is added at each step differs.
"""

import math

from telos.logic.learning.kernel import NONE, fill, node
from telos.logic.learning.packed import Array, Matrix, Steps, Wave

TINY = 1e-200  # a chance below this would vanish from the numbers: the sequence is swept again with logarithms


def join(steps: Steps, wave: Wave) -> None:
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


def step(p: int, is_first: bool, steps: Steps, wave: Wave) -> float:
    """Take one step of the forward algorithm; return the logarithm of what the belief was divided by.

    ``foreseen[p, y]`` is the chance of y before what speaks for it at p itself is known, but for a common divisor.
    NaN: the numbers are too far apart for chances, and the step has to be taken with logarithms.
    """
    size = wave.beliefs.shape[1]
    peak, total, between, is_faint = -math.inf, 0.0, steps.between[p], False
    for y in range(size):
        wave.now[y] = node(p, y, steps, wave.tables)
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


def arrive(p: int, y: int, between: int, wave: Wave) -> float:
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


def step_faintly(p: int, is_first: bool, steps: Steps, wave: Wave) -> float:
    """Take one step with logarithms: slower, and right however far apart the scores are. ``foreseen`` is one, too."""
    size = wave.beliefs.shape[1]
    top, whole = -math.inf, 0.0
    for y in range(size):
        wave.foreseen[p, y] = 0.0 if is_first else arrive(p, y, steps.between[p], wave)
        wave.logs[p, y] = node(p, y, steps, wave.tables) + wave.foreseen[p, y]
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


def forward(first: int, end: int, steps: Steps, is_prefix: bool, is_faint: bool, wave: Wave) -> float:
    """Take the belief along one sequence, and return the log of the chance of its true values.

    Of all of them together, given everything; or, for prefixes, of each given what came before it, added up. NaN: it
    has to be done again with logarithms.
    """
    size = wave.beliefs.shape[1]
    objective = 0.0
    for p in range(first, end):
        divisor = step_faintly(p, p == first, steps, wave) if is_faint else step(p, p == first, steps, wave)
        if math.isnan(divisor):
            return divisor
        truth = steps.truth[p]
        if is_prefix:
            objective += wave.logs[p, truth] if is_faint else math.log(wave.beliefs[p, truth])
            continue
        objective += node(p, truth, steps, wave.tables) - divisor
        if p > first:
            objective += wave.scores[steps.between[p], steps.truth[p - 1] * size + truth]
    return objective


def look_back(p: int, steps: Steps, is_prefix: bool, is_faint: bool, wave: Wave) -> None:
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


def backward(first: int, end: int, steps: Steps, is_prefix: bool, is_faint: bool, wave: Wave) -> None:
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
            look_back(p, steps, is_prefix, is_faint, wave)


def gather(steps: Steps, matrix: Matrix, gradient: Array, wave: Wave) -> None:
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
    sequences: Array, steps: Steps, matrix: Matrix, weights: Array, is_prefix: bool, gradient: Array, wave: Wave
) -> float:
    """Return the objective of these sequences, keep their beliefs, and add up its gradient if there is room for it."""
    is_taught = len(gradient) > 0
    fill(wave.tables, 0, len(wave.tables), matrix, weights)
    join(steps, wave)
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
        gather(steps, matrix, gradient, wave)
    return objective
