"""A* on flat arrays (plain Python, Numba-compilable), plan repair."""

import math
from typing import TypeAlias

# --- heads ------------------------------------------------------------------------------------------------------------
# How the kernel's sequences are laid out: what stands where in them, and what its numbers mean.


# How a search ends.
FOUND, UNREACHABLE, BUDGET_SPENT, WORKSPACE_FULL, NEEDS_CALL, UNDEFINED = 1, 2, 3, 4, 5, 6

# Instructions of the stack machine.
CONSTANT, NUMBER, FIELD, ADD, SUBTRACT, MULTIPLY, DIVIDE, MINIMUM, MAXIMUM, ABSOLUTE = range(10)
EQUAL, DIFFERENT, LESS, AT_MOST, MORE, AT_LEAST, NOT, AND, OR, CALL = range(10, 20)

# Kinds of atoms: a masked comparison of a word, or a number against a constant.
IS, AT_LEAST_ATOM, AT_MOST_ATOM = 0, 1, 2

# The head of a task: six counts, then where each part begins in ``ti`` and, after those, in ``tf``. ``task`` says
# what the parts hold.
WORDS, NUMBERS, OPERATORS, LANDMARKS, GOAL_LANDMARKS, GOAL_TEST_COUNT = range(6)
NEED_MASK, NEED_VALUE, CLEAR, PUT, TEST_FROM, TESTS, WRITE_FROM, WRITES, COST_PROGRAM = range(6, 15)
PROGRAM_FROM, CODE, GOAL_MASK, GOAL_VALUE, GOAL_TESTS = range(15, 20)
ATOM_FROM, ATOMS, SINGLES, NEED_FROM, LANDMARK_NEEDS, TABLE_FROM, RADIX_FROM, RADIX = range(20, 28)
COST, CONSTANTS, ATOM_CONSTANT, WEIGHT, GAIN, CALL_VALUES = range(28, 34)
TASK_HEAD = 34

# The head of a workspace: how the search stands, how much room there is, and where each part begins.
NODES, HEAP, EXPANDED, GENERATION, CLOSEST, GOAL_NODE, PENDING_CALL, FAULTY_OPERATOR, LENGTH = range(9)
NODE_CAPACITY, HEAP_CAPACITY, SLOT_MASK = 9, 10, 11
STATE_WORDS, PARENT, REACHED_BY, NEXT_OPERATOR, HEAP_NODE, SLOT_NODE, SLOT_GENERATION = range(12, 19)
STEPS, MARKS, PENDING_LANDMARKS, STATE_NUMBERS, G, H, HEAP_F, HEAP_H, STACK = range(19, 28)
WORKSPACE_HEAD = 28

# Lists here, arrays when compiled.
Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]


# --- machine ----------------------------------------------------------------------------------------------------------
# What a state means to the kernel: conditions, effects and the estimate, worked out on flat sequences.
#
# See ``kernel`` for how the sequences are laid out, and why. Most of what operators need and do is a few masks over
# the
# words of a state; the rest are programs for a small stack machine.


def run_program(ti: Ints, tf: Floats, wi: Ints, wf: Floats, program: int, node: int) -> float:
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
        elif instruction == ABSOLUTE:
            wf[top] = abs(wf[top])
        elif instruction == CALL:
            index, first = 0, ti[ti[RADIX_FROM] + a]
            arguments = ti[ti[RADIX_FROM] + a + 1] - first
            top -= arguments
            for k in range(arguments):
                index = index * ti[ti[RADIX] + first + k] + int(wf[top + 1 + k])
            index += ti[ti[TABLE_FROM] + a]
            top += 1
            wf[top] = tf[ti[CALL_VALUES] + index]
            if math.isnan(wf[top]):
                wi[PENDING_CALL] = index
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
            elif instruction == MINIMUM:
                wf[top] = min(left, right)
            elif instruction == MAXIMUM:
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
        held = run_program(ti, tf, wi, wf, ti[ti[GOAL_TESTS] + k], node)
        if held == 0.0 or math.isnan(held):
            return held
    return 1.0


def is_applicable(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int) -> float:
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
        held = run_program(ti, tf, wi, wf, ti[ti[TESTS] + k], node)
        if held == 0.0 or math.isnan(held):
            return held
    return 1.0


def apply_operator(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int, child: int) -> float:
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
        value = run_program(ti, tf, wi, wf, ti[write + 4], node)
        if math.isnan(value) or math.isinf(value):
            return math.nan
        if ti[write]:
            where, shift, mask = after + ti[write + 1], ti[write + 2], ti[write + 3]
            wi[where] = wi[where] & ~(mask << shift) | (int(value) << shift)
        else:
            wf[numbers + child * ti[NUMBERS] + ti[write + 1]] = value
    program = ti[ti[COST_PROGRAM] + operator]
    return tf[ti[COST] + operator] if program < 0 else run_program(ti, tf, wi, wf, program, node)


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


def count_repetitions(ti: Ints, tf: Floats, wi: Ints, wf: Floats, fact: int, node: int) -> float:
    """Return how often a number must be moved, as far as one operator can, until its fact holds."""
    atom = ti[ti[ATOM_FROM] + fact]
    number = wf[wi[STATE_NUMBERS] + node * ti[NUMBERS] + ti[ti[ATOMS] + 4 * atom + 1]]
    short = abs(number - tf[ti[ATOM_CONSTANT] + atom])
    return max(1.0, math.ceil(short / tf[ti[GAIN] + fact] - 1e-9))


def estimate_cost(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int) -> float:
    """Return a cost that no plan from a node can undercut; infinity if there is no plan.

    A fact that a plan must make true, and that does not hold, costs at least its cheapest maker. If all its makers need
    another fact that does not hold either, that one must be made true as well. Operators that make several facts true
    have their cost shared out among them, so the sum never counts a cost twice.
    """
    words, facts, marks, to_do = wi[STATE_WORDS] + node * ti[WORDS], ti[LANDMARKS], wi[MARKS], wi[PENDING_LANDMARKS]
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
            if fact < ti[GOAL_LANDMARKS]:  # the goal's own come first
                wi[marks + fact] = 2
                wi[to_do + waiting] = fact
                waiting += 1
    needs, weights, gains, total = ti[LANDMARK_NEEDS], ti[WEIGHT], ti[GAIN], 0.0
    while waiting > 0:
        waiting -= 1
        fact = wi[to_do + waiting]
        if tf[gains + fact] > 0.0:
            total += tf[weights + fact] * count_repetitions(ti, tf, wi, wf, fact, node)
        else:
            total += tf[weights + fact]
        for k in range(ti[ti[NEED_FROM] + fact], ti[ti[NEED_FROM] + fact + 1]):
            other = ti[needs + k]
            if wi[marks + other] == 1:  # missing, and not counted yet
                wi[marks + other] = 2
                wi[to_do + waiting] = other
                waiting += 1
    return total


# --- kernel -----------------------------------------------------------------------------------------------------------
# The search itself: A* over packed states, on four flat sequences.
#
# This is ordinary Python, and slow. ``search`` compiles the very same functions with Numba; what they compute is the
# same
# to the last tie, and the tests compare the two. A task (what can be done, what is wanted) is a sequence of integers,
# ``ti``, and one of floats, ``tf``; the workspace of a search is ``wi`` and ``wf``. They are lists here and arrays
# there.
# Each starts with a head that says where its parts begin: ``ti[ti[PUT] + k]`` is the k-th entry of the part ``put``.
# (Handing over four arrays costs next to nothing; handing over forty, or tuples of them, costs more than a small
# search.)
# Nothing calls back into Python: when only the game can give a value, the search stops and asks.
#
# A state is ``words`` integers, into which all switches, labels and handles are packed, and ``numbers`` floats. Most
# of
# what operators need and do is a few masks over the words; the rest are programs for a small stack machine.


def push(wi: Ints, wf: Floats, f: float, h: float, node: int) -> None:
    """Put a node on the heap: least f first, of equals least h, and of those the latest, which is the deepest."""
    fs, hs, nodes = wi[HEAP_F], wi[HEAP_H], wi[HEAP_NODE]
    k = wi[HEAP]
    wi[HEAP] = k + 1
    while k > 0:
        up = (k - 1) >> 1
        if f > wf[fs + up] or (f == wf[fs + up] and h > wf[hs + up]):
            break
        wf[fs + k], wf[hs + k], wi[nodes + k] = wf[fs + up], wf[hs + up], wi[nodes + up]
        k = up
    wf[fs + k], wf[hs + k], wi[nodes + k] = f, h, node


def pop(wi: Ints, wf: Floats) -> int:
    """Take the first node off the heap; the f that it was pushed with is left at the heap's end."""
    fs, hs, nodes = wi[HEAP_F], wi[HEAP_H], wi[HEAP_NODE]
    last = wi[HEAP] - 1
    wi[HEAP] = last
    first, first_f = wi[nodes], wf[fs]
    f, h, node = wf[fs + last], wf[hs + last], wi[nodes + last]
    k = 0
    while 2 * k + 1 < last:
        down = 2 * k + 1
        other = down + 1
        if other < last and (
            wf[fs + other] < wf[fs + down] or (wf[fs + other] == wf[fs + down] and wf[hs + other] < wf[hs + down])
        ):
            down = other
        if f < wf[fs + down] or (f == wf[fs + down] and h <= wf[hs + down]):
            break
        wf[fs + k], wf[hs + k], wi[nodes + k] = wf[fs + down], wf[hs + down], wi[nodes + down]
        k = down
    wf[fs + k], wf[hs + k], wi[nodes + k] = f, h, node
    wf[fs + last] = first_f
    return first


def find_or_insert(ti: Ints, wi: Ints, wf: Floats, node: int) -> int:
    """Return the known node with the same state as ``node``, or ``node`` itself, now known."""
    word_count, number_count = ti[WORDS], ti[NUMBERS]
    words, numbers = wi[STATE_WORDS], wi[STATE_NUMBERS]
    mixed = 0
    for w in range(word_count):
        mixed = ((mixed ^ wi[words + node * word_count + w]) * 0x2545F4914F6CDD1D) & 0x7FFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    for n in range(number_count):
        number = int(wf[numbers + node * number_count + n] * 64.0)
        mixed = ((mixed ^ number) * 0x2545F4914F6CDD1D) & 0x7FFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    slot_mask, generations, nodes = wi[SLOT_MASK], wi[SLOT_GENERATION], wi[SLOT_NODE]
    slot = mixed & slot_mask
    while wi[generations + slot] == wi[GENERATION]:
        other = wi[nodes + slot]
        same = True
        for w in range(word_count):
            same &= wi[words + other * word_count + w] == wi[words + node * word_count + w]
        for n in range(number_count):
            same &= wf[numbers + other * number_count + n] == wf[numbers + node * number_count + n]
        if same:
            return other
        slot = (slot + 1) & slot_mask
    wi[generations + slot] = wi[GENERATION]
    wi[nodes + slot] = node
    return node


def trace_back(wi: Ints, node: int) -> None:
    """Leave the node, and the operators on the way to it, where the caller looks for them."""
    wi[GOAL_NODE] = node
    length = 0
    at = node
    while wi[wi[PARENT] + at] >= 0:
        length += 1
        at = wi[wi[PARENT] + at]
    wi[LENGTH] = length
    while length > 0:
        length -= 1
        wi[wi[STEPS] + length] = wi[wi[REACHED_BY] + node]
        node = wi[wi[PARENT] + node]


def insert_nodes(ti: Ints, wi: Ints, wf: Floats, first: int, end: int) -> None:
    """Find slots for some nodes that a search has brought into a larger room."""
    for node in range(first, end):
        find_or_insert(ti, wi, wf, node)


def search(ti: Ints, tf: Floats, wi: Ints, wf: Floats, weight: float, budget: int) -> int:
    """Go on with a search until it ends or ``budget`` nodes have been expanded in all; return how it ended.

    A node is expanded one operator at a time: as soon as a child is no worse than the node promised, the node goes back
    on the heap with the rest of its operators, and the child goes first. A good estimate then walks straight down.
    """
    gs, hs, parents, bys, nexts = wi[G], wi[H], wi[PARENT], wi[REACHED_BY], wi[NEXT_OPERATOR]
    operators = ti[OPERATORS]
    while wi[HEAP] > 0:
        node = wi[wi[HEAP_NODE]]
        if wi[EXPANDED] >= budget and wi[nexts + node] == 0:
            # Looked at where it is: taken off and put back, it might come to stand behind its equals, and a search that
            # is left and gone on with would find another plan of the same cost.
            f = wf[gs + node] + weight * wf[hs + node]
            if wf[wi[HEAP_F]] <= f and is_goal(ti, tf, wi, wf, node) == 0.0:
                trace_back(wi, wi[CLOSEST])
                return BUDGET_SPENT
        node = pop(wi, wf)
        g = wf[gs + node]
        f = g + weight * wf[hs + node]
        if wf[wi[HEAP_F] + wi[HEAP]] > f:
            continue  # a cheaper way here was found after this entry was made
        operator = wi[nexts + node]
        if operator == 0:
            held = is_goal(ti, tf, wi, wf, node)
            if math.isnan(held):
                wi[FAULTY_OPERATOR] = -1
                return NEEDS_CALL if wi[PENDING_CALL] >= 0 else UNDEFINED
            if held != 0.0:
                trace_back(wi, node)
                return FOUND
            wi[EXPANDED] += 1
        while operator < operators:
            possible = is_applicable(ti, tf, wi, wf, node, operator)
            operator += 1
            if possible == 0.0:
                continue
            child = wi[NODES]
            if child >= wi[NODE_CAPACITY] - 1 or wi[HEAP] >= wi[HEAP_CAPACITY] - 3:
                if operator == 1:
                    wi[EXPANDED] -= 1  # it will be counted when it is gone on with
                wi[nexts + node] = operator - 1
                push(wi, wf, f, wf[hs + node], node)
                trace_back(wi, wi[CLOSEST])
                return WORKSPACE_FULL
            cost = math.nan if math.isnan(possible) else apply_operator(ti, tf, wi, wf, node, operator - 1, child)
            if math.isnan(cost) or cost < 0.0 or math.isinf(cost):
                wi[FAULTY_OPERATOR] = operator - 1
                return NEEDS_CALL if wi[PENDING_CALL] >= 0 else UNDEFINED
            known = find_or_insert(ti, wi, wf, child)
            if known == child:
                wi[NODES] = child + 1
                wf[hs + child] = estimate_cost(ti, tf, wi, wf, child)
            elif g + cost >= wf[gs + known]:
                continue
            wf[gs + known] = g + cost
            wi[parents + known] = node
            wi[bys + known] = operator - 1
            wi[nexts + known] = 0
            h = wf[hs + known]
            if h == math.inf:
                continue
            if h < wf[hs + wi[CLOSEST]]:
                wi[CLOSEST] = known
            child_f = g + cost + weight * h
            if child_f <= f and operator < operators:
                wi[nexts + node] = operator
                push(wi, wf, f, wf[hs + node], node)
                push(wi, wf, child_f, h, known)
                break
            push(wi, wf, child_f, h, known)
    return UNREACHABLE


def begin_search(ti: Ints, tf: Floats, wi: Ints, wf: Floats, weight: float, budget: int) -> int:
    """Start a search from the state in node 0, and go on until it ends or the budget is spent."""
    wi[NODES] = 1
    wi[HEAP] = 0
    wi[EXPANDED] = 0
    wi[GENERATION] += 1
    wi[CLOSEST] = 0
    wi[PENDING_CALL] = -1
    find_or_insert(ti, wi, wf, 0)
    wf[wi[G]] = 0.0
    wf[wi[H]] = estimate_cost(ti, tf, wi, wf, 0)
    wi[wi[PARENT]] = -1
    wi[wi[REACHED_BY]] = -1
    wi[wi[NEXT_OPERATOR]] = 0
    if wf[wi[H]] < math.inf:
        push(wi, wf, weight * wf[wi[H]], wf[wi[H]], 0)
    return search(ti, tf, wi, wf, weight, budget)


def search_many(
    ti: Ints,
    tf: Floats,
    wi: Ints,
    wf: Floats,
    words: Ints,
    numbers: Floats,
    first: int,
    end: int,
    weight: float,
    budget: int,
    statuses: Ints,
    costs: Floats,
    expanded: Ints,
    lengths: Ints,
    steps: Ints,
    longest: int,
) -> None:
    """Search from each of many states, the ``first`` to before the ``end``, and write down how each one ended."""
    word_count, number_count = ti[WORDS], ti[NUMBERS]
    for agent in range(first, end):
        for w in range(word_count):
            wi[wi[STATE_WORDS] + w] = words[agent * word_count + w]
        for n in range(number_count):
            wf[wi[STATE_NUMBERS] + n] = numbers[agent * number_count + n]
        statuses[agent] = begin_search(ti, tf, wi, wf, weight, budget)
        expanded[agent] = wi[EXPANDED]
        lengths[agent] = 0
        if statuses[agent] == FOUND:
            costs[agent] = wf[wi[G] + wi[GOAL_NODE]]
            lengths[agent] = wi[LENGTH]
            for step in range(min(longest, wi[LENGTH])):
                steps[agent * longest + step] = wi[wi[STEPS] + step]


# --- keeping ----------------------------------------------------------------------------------------------------------
# What is left of an old plan in a new state: the kernel's part of planning again.
#
# See ``kernel`` for how the sequences are laid out, and why.


def replay(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int, skipped: int) -> float:
    """Go through the first ``count`` steps but one, leaving out what is impossible or changes nothing.

    Return the cost if that reaches the goal, and -1.0 if it does not. The steps that were gone, ``wi[LENGTH]`` of them,
    are left where a search notes its place in each node: there is none under way.
    """
    steps, gone = wi[STEPS], wi[NEXT_OPERATOR]
    total, node, length = 0.0, 0, 0
    for k in range(count):
        if k == skipped or is_applicable(ti, tf, wi, wf, node, wi[steps + k]) != 1.0:
            continue
        after = 2 if node == 1 else 1  # node 0 keeps the start
        cost = apply_operator(ti, tf, wi, wf, node, wi[steps + k], after)
        if math.isnan(cost):
            return -1.0
        total += cost
        node = after
        wi[gone + length] = wi[steps + k]
        length += 1
    wi[LENGTH] = length
    return total if is_goal(ti, tf, wi, wf, node) == 1.0 else -1.0


def drop_unneeded_steps(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int) -> int:
    """Leave out of a sequence that reaches the goal what nothing later needs; return how many steps are left.

    Backwards, a step is needed if it changes a bit that the goal, or a step that is needed, looks at. That is all there
    is to know where steps are nothing but masks; where they are more, nothing is left out.
    """
    steps, words, gone = wi[STEPS], wi[STATE_WORDS], wi[NEXT_OPERATOR]
    width = ti[WORDS]
    if ti[GOAL_TEST_COUNT] or count + 2 >= wi[NODE_CAPACITY]:
        return count
    for k in range(count):
        operator = wi[steps + k]
        tested = ti[ti[TEST_FROM] + operator] != ti[ti[TEST_FROM] + operator + 1]
        if tested or ti[ti[WRITE_FROM] + operator] != ti[ti[WRITE_FROM] + operator + 1]:
            return count
        apply_operator(ti, tf, wi, wf, k, operator, k + 1)  # node k is the state before step k
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
    steps, gone = wi[STEPS], wi[NEXT_OPERATOR]
    least = estimate_cost(ti, tf, wi, wf, 0) * (1.0 + 1e-12)
    # Without the first step, first: it may have been done just now, and cost nothing.
    for skipped in range(0, -2, -1):
        cost = replay(ti, tf, wi, wf, count, skipped)
        if cost >= 0.0:
            count = wi[LENGTH]
            for k in range(count):
                wi[steps + k] = wi[gone + k]
            if cost > least:
                count = drop_unneeded_steps(ti, tf, wi, wf, count)
                cost = replay(ti, tf, wi, wf, count, -1)
            wi[LENGTH] = count
            return cost if 0.0 <= cost <= least else -1.0
    return -1.0  # it does not even work with all of it that is possible


def match_step(ti: Ints, tf: Floats, wi: Ints, wf: Floats, operator: int) -> float:
    """Return what an operator costs in the state in node 1, if it leads to the state in node 0; else -1.0."""
    if is_applicable(ti, tf, wi, wf, 1, operator) != 1.0:
        return -1.0
    cost = apply_operator(ti, tf, wi, wf, 1, operator, 2)
    for w in range(ti[WORDS]):
        if wi[wi[STATE_WORDS] + w] != wi[wi[STATE_WORDS] + 2 * ti[WORDS] + w]:
            return -1.0
    for n in range(ti[NUMBERS]):
        if wf[wi[STATE_NUMBERS] + n] != wf[wi[STATE_NUMBERS] + 2 * ti[NUMBERS] + n]:
            return -1.0
    return -1.0 if math.isnan(cost) else cost
