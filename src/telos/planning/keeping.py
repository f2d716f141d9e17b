"""What is left of an old plan in a new state: the kernel's part of planning again.

See ``kernel`` for how the sequences are laid out, and why.
"""

import math

from telos.planning.heads import (
    CLEAR,
    GOAL_MASK,
    GOAL_TEST_COUNT,
    LENGTH,
    NEED_MASK,
    NEXT,
    NUMBERS,
    ROOM,
    STATE_NUMBERS,
    STATE_WORDS,
    STEPS,
    TEST_FROM,
    WORDS,
    WRITE_FROM,
    Floats,
    Ints,
)
from telos.planning.machine import apply, estimate, is_goal, is_possible


def walk(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int, skipped: int) -> float:
    """Go through the first ``count`` steps but one, leaving out what is impossible or changes nothing.

    Return the cost if that reaches the goal, and -1.0 if it does not. The steps that were gone, ``wi[LENGTH]`` of them,
    are left where a search notes its place in each node: there is none under way.
    """
    steps, gone = wi[STEPS], wi[NEXT]
    total, node, length = 0.0, 0, 0
    for k in range(count):
        if k == skipped or is_possible(ti, tf, wi, wf, node, wi[steps + k]) != 1.0:
            continue
        after = 2 if node == 1 else 1  # node 0 keeps the start
        cost = apply(ti, tf, wi, wf, node, wi[steps + k], after)
        if math.isnan(cost):
            return -1.0
        total += cost
        node = after
        wi[gone + length] = wi[steps + k]
        length += 1
    wi[LENGTH] = length
    return total if is_goal(ti, tf, wi, wf, node) == 1.0 else -1.0


def trim(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int) -> int:
    """Leave out of a sequence that reaches the goal what nothing later needs; return how many steps are left.

    Backwards, a step is needed if it changes a bit that the goal, or a step that is needed, looks at. That is all there
    is to know where steps are nothing but masks; where they are more, nothing is left out.
    """
    steps, words, gone = wi[STEPS], wi[STATE_WORDS], wi[NEXT]
    width = ti[WORDS]
    if ti[GOAL_TEST_COUNT] or count + 2 >= wi[ROOM]:
        return count
    for k in range(count):
        operator = wi[steps + k]
        tested = ti[ti[TEST_FROM] + operator] != ti[ti[TEST_FROM] + operator + 1]
        if tested or ti[ti[WRITE_FROM] + operator] != ti[ti[WRITE_FROM] + operator + 1]:
            return count
        apply(ti, tf, wi, wf, k, operator, k + 1)  # node k is the state before step k
    looked_at = words + (count + 1) * width  # one more node holds the bits that are looked at
    for w in range(width):
        wi[looked_at + w] = ti[ti[GOAL_MASK] + w]
    left = count
    for k in range(count - 1, -1, -1):
        operator, needed = wi[steps + k], False
        for w in range(width):
            needed |= (wi[words + k * width + w] ^ wi[words + (k + 1) * width + w]) & wi[looked_at + w] != 0
        if needed:
            left -= 1
            wi[gone + left] = operator
            for w in range(width):
                kept = wi[looked_at + w] & ti[ti[CLEAR] + operator * width + w]
                wi[looked_at + w] = kept | ti[ti[NEED_MASK] + operator * width + w]
    for k in range(count - left):
        wi[steps + k] = wi[gone + left + k]
    return count - left


def repair(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int) -> float:
    """Leave out of the ``count`` steps of an old plan what the state in node 0 no longer needs.

    Return the cost if the rest reaches the goal and the estimate proves that nothing costs less, and -1.0 otherwise.
    The rest is where a search would leave its plan.
    """
    steps, gone = wi[STEPS], wi[NEXT]
    least = estimate(ti, tf, wi, wf, 0) * (1.0 + 1e-12)
    # Without the first step, first: it may have been done just now, and cost nothing.
    for skipped in range(0, -2, -1):
        cost = walk(ti, tf, wi, wf, count, skipped)
        if cost >= 0.0:
            count = wi[LENGTH]
            for k in range(count):
                wi[steps + k] = wi[gone + k]
            if cost > least:
                count = trim(ti, tf, wi, wf, count)
                cost = walk(ti, tf, wi, wf, count, -1)
            wi[LENGTH] = count
            return cost if 0.0 <= cost <= least else -1.0
    return -1.0  # it does not even work with all of it that is possible


def advance(ti: Ints, tf: Floats, wi: Ints, wf: Floats, operator: int) -> float:
    """Return what an operator costs in the state in node 1, if it leads to the state in node 0; else -1.0."""
    if is_possible(ti, tf, wi, wf, 1, operator) != 1.0:
        return -1.0
    cost = apply(ti, tf, wi, wf, 1, operator, 2)
    for w in range(ti[WORDS]):
        if wi[wi[STATE_WORDS] + w] != wi[wi[STATE_WORDS] + 2 * ti[WORDS] + w]:
            return -1.0
    for n in range(ti[NUMBERS]):
        if wf[wi[STATE_NUMBERS] + n] != wf[wi[STATE_NUMBERS] + 2 * ti[NUMBERS] + n]:
            return -1.0
    return -1.0 if math.isnan(cost) else cost
