"""What a state means to the kernel: conditions, effects and the estimate, worked out on flat sequences.

See ``kernel`` for how the sequences are laid out, and why. Most of what operators need and do is a few masks over the
words of a state; the rest are programs for a small stack machine.
"""

import math

from telos.planning.heads import (
    ADD,
    AND,
    ANSWERS,
    ASKED,
    AT_LEAST,
    AT_LEAST_ATOM,
    AT_MOST,
    ATOM_CONSTANT,
    ATOM_FROM,
    ATOMS,
    CALL,
    CLEAR,
    CODE,
    CONSTANT,
    CONSTANTS,
    COST,
    COST_PROGRAM,
    DIFFERENT,
    DIVIDE,
    EQUAL,
    FACT_NEEDS,
    FACTS,
    FIELD,
    GAIN,
    GOAL_FACTS,
    GOAL_MASK,
    GOAL_TEST_COUNT,
    GOAL_TESTS,
    GOAL_VALUE,
    IS,
    LARGER,
    LESS,
    MAGNITUDE,
    MARKS,
    MORE,
    MULTIPLY,
    NEED_FROM,
    NEED_MASK,
    NEED_VALUE,
    NOT,
    NUMBER,
    NUMBERS,
    PROGRAM_FROM,
    PUT,
    RADIX,
    RADIX_FROM,
    SINGLES,
    SMALLER,
    STACK,
    STATE_NUMBERS,
    STATE_WORDS,
    SUBTRACT,
    TABLE_FROM,
    TEST_FROM,
    TESTS,
    TO_DO,
    WEIGHT,
    WORDS,
    WRITE_FROM,
    WRITES,
    Floats,
    Ints,
)


def run(ti: Ints, tf: Floats, wi: Ints, wf: Floats, program: int, node: int) -> float:
    """Return what a program comes to in a node's state; NaN if it has no value, or asks for one."""
    words, numbers = wi[STATE_WORDS] + node * ti[WORDS], wi[STATE_NUMBERS] + node * ti[NUMBERS]
    code, constants = ti[CODE], ti[CONSTANTS]
    top = wi[STACK] - 1
    for step in range(ti[ti[PROGRAM_FROM] + program], ti[ti[PROGRAM_FROM] + program + 1]):
        instruction, a, b = ti[code + 3 * step], ti[code + 3 * step + 1], ti[code + 3 * step + 2]
        if instruction == CONSTANT:
            top += 1
            wf[top] = tf[constants + step]
        elif instruction == NUMBER:
            top += 1
            wf[top] = wf[numbers + a]
        elif instruction == FIELD:
            top += 1
            wf[top] = float((wi[words + (a >> 8)] >> (a & 255)) & b)
        elif instruction == NOT:
            wf[top] = 1.0 if wf[top] == 0.0 else 0.0
        elif instruction == MAGNITUDE:
            wf[top] = abs(wf[top])
        elif instruction == CALL:
            index, first = 0, ti[ti[RADIX_FROM] + a]
            arguments = ti[ti[RADIX_FROM] + a + 1] - first
            top -= arguments
            for k in range(arguments):
                index = index * ti[ti[RADIX] + first + k] + int(wf[top + 1 + k])
            index += ti[ti[TABLE_FROM] + a]
            top += 1
            wf[top] = tf[ti[ANSWERS] + index]
            if math.isnan(wf[top]):
                wi[ASKED] = index
                return math.nan
        else:
            right = wf[top]
            top -= 1
            left = wf[top]
            if instruction == ADD:
                wf[top] = left + right
            elif instruction == SUBTRACT:
                wf[top] = left - right
            elif instruction == MULTIPLY:
                wf[top] = left * right
            elif instruction == DIVIDE:
                if right == 0.0:
                    return math.nan
                wf[top] = left / right
            elif instruction == SMALLER:
                wf[top] = min(left, right)
            elif instruction == LARGER:
                wf[top] = max(left, right)
            elif instruction == EQUAL:
                wf[top] = 1.0 if left == right else 0.0
            elif instruction == DIFFERENT:
                wf[top] = 1.0 if left != right else 0.0
            elif instruction == LESS:
                wf[top] = 1.0 if left < right else 0.0
            elif instruction == AT_MOST:
                wf[top] = 1.0 if left <= right else 0.0
            elif instruction == MORE:
                wf[top] = 1.0 if left > right else 0.0
            elif instruction == AT_LEAST:
                wf[top] = 1.0 if left >= right else 0.0
            elif instruction == AND:
                wf[top] = 1.0 if left != 0.0 and right != 0.0 else 0.0
            else:
                wf[top] = 1.0 if left != 0.0 or right != 0.0 else 0.0
    return wf[top]


def is_goal(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int) -> float:
    """Return 1.0 if the goal holds in a node's state, 0.0 if not, NaN if that has no value yet."""
    words, mask, value = wi[STATE_WORDS] + node * ti[WORDS], ti[GOAL_MASK], ti[GOAL_VALUE]
    for w in range(ti[WORDS]):
        if wi[words + w] & ti[mask + w] != ti[value + w]:
            return 0.0
    for k in range(ti[GOAL_TEST_COUNT]):
        held = run(ti, tf, wi, wf, ti[ti[GOAL_TESTS] + k], node)
        if held == 0.0 or math.isnan(held):
            return held
    return 1.0


def is_possible(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int) -> float:
    """Return 1.0 if an operator can be used in a node's state and changes it, 0.0 if not, NaN if that is open yet."""
    words, row = wi[STATE_WORDS] + node * ti[WORDS], operator * ti[WORDS]
    mask, value, clear, put = ti[NEED_MASK] + row, ti[NEED_VALUE] + row, ti[CLEAR] + row, ti[PUT] + row
    changes = ti[ti[WRITE_FROM] + operator] != ti[ti[WRITE_FROM] + operator + 1]
    for w in range(ti[WORDS]):
        word = wi[words + w]
        if word & ti[mask + w] != ti[value + w]:
            return 0.0
        changes |= word & ti[clear + w] | ti[put + w] != word
    if not changes:
        return 0.0  # it leads back to the same state, so no plan needs it here
    tests = ti[TEST_FROM] + operator
    for k in range(ti[tests], ti[tests + 1]):
        held = run(ti, tf, wi, wf, ti[ti[TESTS] + k], node)
        if held == 0.0 or math.isnan(held):
            return held
    return 1.0


def apply(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int, child: int) -> float:
    """Write into ``child`` the state after an operator; return its cost, or NaN if something has no value."""
    words, after, row = wi[STATE_WORDS] + node * ti[WORDS], wi[STATE_WORDS] + child * ti[WORDS], operator * ti[WORDS]
    clear, put = ti[CLEAR] + row, ti[PUT] + row
    for w in range(ti[WORDS]):
        wi[after + w] = wi[words + w] & ti[clear + w] | ti[put + w]
    numbers = wi[STATE_NUMBERS]
    for n in range(ti[NUMBERS]):
        wf[numbers + child * ti[NUMBERS] + n] = wf[numbers + node * ti[NUMBERS] + n]
    for k in range(ti[ti[WRITE_FROM] + operator], ti[ti[WRITE_FROM] + operator + 1]):
        write = ti[WRITES] + 5 * k
        value = run(ti, tf, wi, wf, ti[write + 4], node)
        if math.isnan(value) or math.isinf(value):
            return math.nan
        if ti[write]:
            where, shift, mask = after + ti[write + 1], ti[write + 2], ti[write + 3]
            wi[where] = wi[where] & ~(mask << shift) | (int(value) << shift)
        else:
            wf[numbers + child * ti[NUMBERS] + ti[write + 1]] = value
    program = ti[ti[COST_PROGRAM] + operator]
    return tf[ti[COST] + operator] if program < 0 else run(ti, tf, wi, wf, program, node)


def any_holds(ti: Ints, tf: Floats, wi: Ints, wf: Floats, first: int, end: int, node: int) -> bool:
    """Whether one of some atoms is true in a node's state."""
    words, numbers = wi[STATE_WORDS] + node * ti[WORDS], wi[STATE_NUMBERS] + node * ti[NUMBERS]
    for atom in range(first, end):
        at = ti[ATOMS] + 4 * atom
        if ti[at] == IS:
            if wi[words + ti[at + 1]] & ti[at + 2] == ti[at + 3]:
                return True
        elif ti[at] == AT_LEAST_ATOM:
            if wf[numbers + ti[at + 1]] >= tf[ti[ATOM_CONSTANT] + atom]:
                return True
        elif wf[numbers + ti[at + 1]] <= tf[ti[ATOM_CONSTANT] + atom]:
            return True
    return False


def times(ti: Ints, tf: Floats, wi: Ints, wf: Floats, fact: int, node: int) -> float:
    """Return how often a number must be moved, as far as one operator can, until its fact holds."""
    atom = ti[ti[ATOM_FROM] + fact]
    number = wf[wi[STATE_NUMBERS] + node * ti[NUMBERS] + ti[ti[ATOMS] + 4 * atom + 1]]
    short = abs(number - tf[ti[ATOM_CONSTANT] + atom])
    return max(1.0, math.ceil(short / tf[ti[GAIN] + fact] - 1e-9))


def estimate(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int) -> float:
    """Return a cost that no plan from a node can undercut; infinity if there is no plan.

    A fact that a plan must make true, and that does not hold, costs at least its cheapest maker. If all its makers need
    another fact that does not hold either, that one must be made true as well. Operators that make several facts true
    have their cost shared out among them, so the sum never counts a cost twice.
    """
    words, facts, marks, to_do = wi[STATE_WORDS] + node * ti[WORDS], ti[FACTS], wi[MARKS], wi[TO_DO]
    at, waiting = ti[SINGLES], 0
    for fact in range(facts):
        mask = ti[at + 1]
        if mask:  # the usual fact: a single atom over a word
            missing = wi[words + ti[at]] & mask != ti[at + 2]
        else:
            missing = not any_holds(ti, tf, wi, wf, ti[ti[ATOM_FROM] + fact], ti[ti[ATOM_FROM] + fact + 1], node)
        at += 3
        wi[marks + fact] = 0
        if missing:
            wi[marks + fact] = 1
            if fact < ti[GOAL_FACTS]:  # the goal's own come first
                wi[marks + fact] = 2
                wi[to_do + waiting] = fact
                waiting += 1
    needs, weights, gains, total = ti[FACT_NEEDS], ti[WEIGHT], ti[GAIN], 0.0
    while waiting > 0:
        waiting -= 1
        fact = wi[to_do + waiting]
        if tf[gains + fact] > 0.0:
            total += tf[weights + fact] * times(ti, tf, wi, wf, fact, node)
        else:
            total += tf[weights + fact]
        for k in range(ti[ti[NEED_FROM] + fact], ti[ti[NEED_FROM] + fact + 1]):
            other = ti[needs + k]
            if wi[marks + other] == 1:  # missing, and not counted yet
                wi[marks + other] = 2
                wi[to_do + waiting] = other
                waiting += 1
    return total
