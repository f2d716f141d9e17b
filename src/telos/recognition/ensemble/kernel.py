"""Loops of the ensemble: online features row by row, sums of decision trees, weights of cases.

Compiled by Numba if installed.

A feature program is a table of steps. Each step reads one number or one code of the row, updates its own part of the
state, and writes its own part of the output, so the features of a row depend on that row and on earlier ones only.
"""

import math
from typing import Any, TypeAlias

Ints: TypeAlias = Any
Floats: TypeAlias = Any

# Kinds of steps.
NUMBER, PRESENT, SINCE, CHANGE, TREND, GAIN = 0, 1, 2, 3, 4, 5  # of a number
NOW, RECENT, COUNT, TOTAL, LATEST = 6, 7, 8, 9, 10  # of a code
AGE, ROWS, FILTER = 11, 12, 13
# Columns of the table of steps.
KIND, SOURCE, SIZE, OUT, STATE, DEPTH = 0, 1, 2, 3, 4, 5

FAR = 200.0  # rows; longer ago makes no difference
CLIP = 4.0  # standard deviations; a feature farther from its mean counts as this far
FADED = 30.0  # beyond it, log(1 + exp(x)) is x
LEAST = 1e-9  # smallest belief of a goal in the filter, so that it can recover


def restart_step(kind: int, size: int, at: int, state: Floats) -> None:
    """Begin a new stretch: the player has achieved a goal at the previous row."""
    if kind == COUNT:
        for each in range(size):
            state[at + each] = 0.0
    elif kind == AGE:
        state[at] = 0.0
    elif kind == GAIN:
        state[at] = math.nan


def update_number(
    kind: int, depth: int, rate: float, value: float, is_idle: bool, at: int, state: Floats, out: int, row: Floats
) -> None:
    """Update and write one feature of a number."""
    missing = math.isnan(value)
    if kind == NUMBER:
        row[out] = value
    elif kind == PRESENT:
        row[out] = 0.0 if missing else 1.0
    elif kind == SINCE:
        state[at] = min(FAR, state[at] + 1.0) if missing else 0.0
        row[out] = math.log1p(state[at])
    elif kind == GAIN:
        if math.isnan(state[at]):
            state[at] = value
        row[out] = 0.0 if missing or math.isnan(state[at]) else value - state[at]
    elif kind == TREND:
        before = state[at]
        if not missing and not math.isnan(before) and value != before:
            state[at + 1] = state[at + 1] * rate + (1.0 if value > before else -1.0)
        state[at] = value
        row[out] = state[at + 1]
    else:  # CHANGE: the last values that counted are a ring of `depth` places, and the place of the oldest is behind it
        oldest = int(state[at + depth])
        before = state[at + oldest]
        row[out] = 0.0 if missing or math.isnan(before) else value - before
        if not is_idle:
            state[at + oldest] = value
            state[at + depth] = (oldest + 1) % depth


def update_code(
    kind: int, size: int, depth: int, rate: float, code: int, at: int, state: Floats, out: int, row: Floats
) -> None:
    """Update and write the features of a code; -1 is no code."""
    if kind == NOW:
        for each in range(size):
            row[out + each] = 1.0 if each == code else 0.0
    elif kind == LATEST:  # the last `depth` codes, the present one first
        if code >= 0:
            for back in range(depth - 1, 0, -1):
                state[at + back] = state[at + back - 1]
            state[at] = code
        for back in range(depth):
            for each in range(size):
                row[out + back * size + each] = 1.0 if state[at + back] == each else 0.0
    else:
        if code >= 0:
            if kind == RECENT:
                for each in range(size):
                    state[at + each] *= rate
            state[at + code] += 1.0
        for each in range(size):
            row[out + each] = state[at + each] if kind == RECENT else math.log1p(state[at + each])


def update_filter(
    size: int,
    change: int,
    seen: int,
    at: int,
    state: Floats,
    out: int,
    row: Floats,
    matrices: Floats,
    likelihoods: Floats,
) -> None:
    """Take a forward step of a hidden Markov model and write the logarithms of its belief.

    ``change`` is the number of the transition matrix and ``seen`` that of the likelihoods; -1 is none.
    """
    if change >= 0:
        for to in range(size):
            total = 0.0
            for goal in range(size):
                total += state[at + goal] * matrices[change, goal, to]
            row[out + to] = total
        for to in range(size):
            state[at + to] = row[out + to]
    total = 0.0
    for goal in range(size):
        if seen >= 0:
            state[at + goal] *= likelihoods[seen, goal]
        total += state[at + goal]
    for goal in range(size):
        state[at + goal] = max(LEAST, state[at + goal] / total) if total > 0.0 else 1.0 / size
        row[out + goal] = math.log(state[at + goal])


def write_bins(bins: Ints, edges: Floats, first: int, row: Floats) -> None:
    """Write whether each binned feature has reached its edge; a missing one has not."""
    for number in range(len(bins)):
        row[first + number] = 1.0 if row[bins[number]] >= edges[number] else 0.0


def update_features(
    steps: Ints,
    rates: Floats,
    bins: Ints,
    edges: Floats,
    matrices: Floats,
    likelihoods: Floats,
    numbers: Floats,
    codes: Ints,
    is_idle: bool,
    is_new: bool,
    state: Floats,
    row: Floats,
) -> None:
    """Update the state with one row of a log and write its features.

    ``is_new`` says that a goal was achieved at the row before.
    """
    for number in range(len(steps)):
        kind, source, size = steps[number, KIND], steps[number, SOURCE], steps[number, SIZE]
        out, at, depth = steps[number, OUT], steps[number, STATE], steps[number, DEPTH]
        if is_new:
            restart_step(kind, size, at, state)
        if kind <= GAIN:
            update_number(kind, depth, rates[number], numbers[source], is_idle, at, state, out, row)
        elif kind <= LATEST:
            update_code(kind, size, depth, rates[number], codes[source], at, state, out, row)
        elif kind == FILTER:
            update_filter(size, codes[source], codes[depth], at, state, out, row, matrices, likelihoods)
        else:  # AGE, ROWS
            if not is_idle:
                state[at] += 1.0
            row[out] = math.log1p(state[at])
    write_bins(bins, edges, len(row) - len(bins), row)


def extract_features(
    steps: Ints,
    rates: Floats,
    bins: Ints,
    edges: Floats,
    matrices: Floats,
    likelihoods: Floats,
    initial: Floats,
    numbers: Floats,
    codes: Ints,
    is_idle: Ints,
    is_new: Ints,
    starts: Ints,
    state: Floats,
    rows: Floats,
) -> None:
    """Write the features of all rows; ``starts`` marks the first row of each sequence."""
    for each in range(len(numbers)):
        if starts[each]:
            for place in range(len(initial)):
                state[place] = initial[place]
        update_features(
            steps,
            rates,
            bins,
            edges,
            matrices,
            likelihoods,
            numbers[each],
            codes[each],
            is_idle[each] != 0,
            is_new[each] != 0,
            state,
            rows[each],
        )


def find_leaf(links: Ints, thresholds: Floats, node: int, row: Floats) -> int:
    """Return the leaf of a tree for a row.

    The columns of ``links``: feature (-1: leaf), left child, right child, whether missing values go left.
    """
    while links[node, 0] >= 0:
        value = row[links[node, 0]]
        if math.isnan(value):
            goes_left = links[node, 3] != 0
        else:
            goes_left = value <= thresholds[node]
        node = links[node, 1] if goes_left else links[node, 2]
    return node


def add_trees(
    links: Ints, thresholds: Floats, values: Floats, roots: Ints, goals: Ints, row: Floats, scores: Floats
) -> None:
    """Add to the score of each goal the leaves of its trees."""
    for tree in range(len(roots)):
        scores[goals[tree]] += values[find_leaf(links, thresholds, roots[tree], row)]


def add_trees_to_rows(
    links: Ints, thresholds: Floats, values: Floats, roots: Ints, goals: Ints, rows: Floats, scores: Floats
) -> None:
    """Add the trees to the scores of all rows."""
    for each in range(len(rows)):
        add_trees(links, thresholds, values, roots, goals, rows[each], scores[each])


def explain_trees(
    links: Ints, thresholds: Floats, values: Floats, roots: Ints, goals: Ints, row: Floats, parts: Floats
) -> None:
    """Add to each goal and feature by how much its splits have moved the scores (goals, features)."""
    for tree in range(len(roots)):
        node = roots[tree]
        while links[node, 0] >= 0:
            feature = links[node, 0]
            value = row[feature]
            if math.isnan(value):
                goes_left = links[node, 3] != 0
            else:
                goes_left = value <= thresholds[node]
            child = links[node, 1] if goes_left else links[node, 2]
            parts[goals[tree], feature] += values[child] - values[node]
            node = child


def add_linear(weights: Floats, means: Floats, scales: Floats, row: Floats, scores: Floats) -> None:
    """Add to the score of each goal the weighted sum of the standardised features; a missing one adds nothing."""
    for feature in range(len(means)):
        value = row[feature]
        if not math.isnan(value):
            scaled = min(CLIP, max(-CLIP, (value - means[feature]) * scales[feature]))
            if scaled != 0.0:
                for goal in range(len(scores)):
                    scores[goal] += weights[feature, goal] * scaled


def add_linear_to_rows(weights: Floats, means: Floats, scales: Floats, rows: Floats, scores: Floats) -> None:
    """Add the weighted sums to the scores of all rows."""
    for each in range(len(rows)):
        add_linear(weights, means, scales, rows[each], scores[each])


def add_cases(
    columns: Ints,
    costs: Floats,
    cases: Floats,
    starts: Floats,
    lengths: Floats,
    goals: Ints,
    time: int,
    age: int,
    spread: float,
    patience: float,
    row: Floats,
    weights: Floats,
) -> None:
    """Add to the weight of each goal those of the cases that led to it; a missing feature is as in all cases."""
    waited = 0.0 if math.isnan(row[age]) else row[age]
    began = row[time] - waited
    for case in range(len(starts)):
        cost = 0.0 if math.isnan(began) else abs(began - starts[case]) / spread
        for each in range(len(columns)):
            value = row[columns[each]]
            if not math.isnan(value):
                cost += costs[each] * abs(value - cases[case, each])
        over = (waited - lengths[case]) / patience
        cost += over if over > FADED else math.log1p(math.exp(over))
        weights[goals[case]] += math.exp(-cost)


def add_cases_to_rows(
    columns: Ints,
    costs: Floats,
    cases: Floats,
    starts: Floats,
    lengths: Floats,
    goals: Ints,
    time: int,
    age: int,
    spread: float,
    patience: float,
    rows: Floats,
    weights: Floats,
) -> None:
    """Add the cases to the weights of all rows."""
    for each in range(len(rows)):
        add_cases(columns, costs, cases, starts, lengths, goals, time, age, spread, patience, rows[each], weights[each])
