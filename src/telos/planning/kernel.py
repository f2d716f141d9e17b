"""The planner's kernel: A* over packed states on four flat sequences, and the repair of plans.

A task (operators and goal) is a sequence of integers, ``ti``, and one of floats, ``tf``; the workspace of a search is
``wi`` and ``wf``. They are lists here and arrays when compiled. Each pair starts with a head in the integers that says
where its parts begin: ``ti[ti[PUT] + k]`` is the k-th entry of the part ``put``. (Passing four arrays costs next to
nothing; passing forty, or tuples of them, costs more than a small search.) A state is ``words`` integers, into which
all bools, labels and handles are packed, and ``numbers`` floats.

This is ordinary Python, and slow. ``search`` compiles the same functions with Numba, in the order of this file; both
forms give the same results, including ties, and the tests compare them. The kernel calls no Python: when it needs
values of game functions, it lists all that the node at hand needs and stops with ``NEEDS_CALL``; called again, it goes
on at the same operator of the same node. Start with ``search``.
"""

import math
from typing import TypeAlias

# --- layout ---

# Numbers of a state are integers up to here without gaps; a branch with a larger number is dropped.
MAX_NUMBER = 2.0**53

# The status of a search.
FOUND, UNREACHABLE, BUDGET_SPENT, WORKSPACE_FULL, NEEDS_CALL, UNDEFINED = 1, 2, 3, 4, 5, 6

# Instructions of the stack machine.
CONSTANT, NUMBER, FIELD, ADD, SUBTRACT, MULTIPLY, DIVIDE, MINIMUM, MAXIMUM, ABSOLUTE = range(10)
EQUAL, DIFFERENT, LESS, AT_MOST, MORE, AT_LEAST, NOT, AND, OR, CALL = range(10, 20)

# Kinds of atoms: a masked comparison of a word, or a number against a constant.
IS, AT_LEAST_ATOM, AT_MOST_ATOM = 0, 1, 2

# The head of a task: six counts, then where each part begins in ``ti`` and, after those, in ``tf``. ``KernelTask``
# (task.py) says what the parts hold.
WORDS, NUMBERS, OPERATORS, LANDMARKS, GOAL_LANDMARKS, GOAL_TEST_COUNT = range(6)
NEED_MASK, NEED_VALUE, CLEAR, PUT, TEST_FROM, TESTS, WRITE_FROM, WRITES, COST_PROGRAM = range(6, 15)
PROGRAM_FROM, CODE, GOAL_MASK, GOAL_VALUE, GOAL_TESTS = range(15, 20)
ATOM_FROM, ATOMS, SINGLES, NEED_FROM, LANDMARK_NEEDS, TABLE_FROM, RADIX_FROM, RADIX = range(20, 28)
COST, CONSTANTS, ATOM_CONSTANT, WEIGHT, GAIN, CALL_VALUES = range(28, 34)
TASK_HEAD = 34

# The head of a workspace: the progress of the search, the capacities, and where each part begins.
# DROPPED counts branches whose numbers overflow. Of the first: its operator, the number (-1: a cost or a condition),
# and in the floats the number's value.
# QUESTIONS counts the calls that wait in the part ASKED; SUSPENDED is the node where a search was interrupted, or -1.
NODES, HEAP, EXPANDED, GENERATION, CLOSEST, GOAL_NODE, QUESTIONS, FAULTY_OPERATOR, LENGTH = range(9)
DROPPED, DROPPED_OPERATOR, DROPPED_NUMBER, DIVIDED_BY_ZERO, SUSPENDED = 9, 10, 11, 12, 13
NODE_CAPACITY, HEAP_CAPACITY, SLOT_MASK = 14, 15, 16
STATE_WORDS, PARENT, REACHED_BY, NEXT_OPERATOR, HEAP_NODE, SLOT_NODE, SLOT_GENERATION, ASKED = range(17, 25)
STEPS, MARKS, PENDING_LANDMARKS, STATE_NUMBERS, G, H, HEAP_F, HEAP_H, STACK, DROPPED_VALUE = range(25, 35)
WORKSPACE_HEAD = 35

# Lists here, arrays when compiled.
Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]


# --- condition VM and heuristic ---
# Most conditions and effects are masks over the words of a state; the rest are programs for a small stack machine.


def run_program(ti: Ints, tf: Floats, wi: Ints, wf: Floats, program: int, node: int) -> float:
    """Return the value of a program in a node's state; NaN if it overflows, is undefined or needs a game function.

    The calls of game functions whose values are not known are added to the part ``ASKED``.
    """
    words, numbers = wi[STATE_WORDS] + node * ti[WORDS], wi[STATE_NUMBERS] + node * ti[NUMBERS]
    code, constants = ti[CODE], ti[CONSTANTS]
    top, questions = wi[STACK] - 1, wi[QUESTIONS]
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
            if math.isnan(wf[top]):  # not known: ask, and go on with any number to find the program's other calls
                wi[wi[ASKED] + wi[QUESTIONS]] = index
                wi[QUESTIONS] += 1
                wf[top] = 1.0
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
                    wi[DIVIDED_BY_ZERO] = 1 if wi[QUESTIONS] == questions else 0
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
            if math.isinf(wf[top]) or math.isnan(wf[top]):
                return math.nan
    return wf[top] if wi[QUESTIONS] == questions else math.nan


def is_goal(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int) -> float:
    """Return 1.0 if the goal holds in a node's state, 0.0 if not, NaN if that is not known."""
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
    """Return 1.0 if an operator is applicable in a node's state and changes it, 0.0 if not, NaN if not known."""
    words, row = wi[STATE_WORDS] + node * ti[WORDS], operator * ti[WORDS]
    mask, value, clear, put = ti[NEED_MASK] + row, ti[NEED_VALUE] + row, ti[CLEAR] + row, ti[PUT] + row
    changes = ti[ti[WRITE_FROM] + operator] != ti[ti[WRITE_FROM] + operator + 1]
    for w in range(ti[WORDS]):
        word = wi[words + w]
        if word & ti[mask + w] != ti[value + w]:
            return 0.0
        changes |= word & ti[clear + w] | ti[put + w] != word
    if not changes:
        return 0.0  # it leads to the same state, so no plan needs it here
    tests = ti[TEST_FROM] + operator
    for k in range(ti[tests], ti[tests + 1]):
        held = run_program(ti, tf, wi, wf, ti[ti[TESTS] + k], node)
        if held == 0.0 or math.isnan(held):
            return held
    return 1.0


def apply_operator(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int, child: int) -> float:
    """Write the state after an operator into ``child``; return its cost, or NaN if a value is not known."""
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
        if not -MAX_NUMBER <= value <= MAX_NUMBER:
            if wi[DROPPED] == 0 and wi[QUESTIONS] == 0:
                wi[DROPPED_NUMBER] = -1 if ti[write] else ti[write + 1]
                wf[wi[DROPPED_VALUE]] = value
            return math.nan
        if ti[write]:
            where, shift, mask = after + ti[write + 1], ti[write + 2], ti[write + 3]
            wi[where] = wi[where] & ~(mask << shift) | (int(value) << shift)
        else:
            wf[numbers + child * ti[NUMBERS] + ti[write + 1]] = value
    program = ti[ti[COST_PROGRAM] + operator]
    return tf[ti[COST] + operator] if program < 0 else run_program(ti, tf, wi, wf, program, node)


def any_holds(ti: Ints, tf: Floats, wi: Ints, wf: Floats, first: int, end: int, node: int) -> bool:
    """Whether one of the atoms from ``first`` to before ``end`` is true in a node's state."""
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


def count_repetitions(ti: Ints, tf: Floats, wi: Ints, wf: Floats, landmark: int, node: int) -> float:
    """Return how many operators it takes at least to move a number until its landmark holds."""
    atom = ti[ti[ATOM_FROM] + landmark]
    number = wf[wi[STATE_NUMBERS] + node * ti[NUMBERS] + ti[ti[ATOMS] + 4 * atom + 1]]
    short = abs(number - tf[ti[ATOM_CONSTANT] + atom])
    return max(1.0, math.ceil(short / tf[ti[GAIN] + landmark] - 1e-9))


def estimate_cost(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int) -> float:
    """Return the heuristic: a lower bound on the cost of every plan from a node; infinity if there is no plan.

    A landmark that does not hold costs at least its cheapest achiever. If all its achievers need another landmark that
    does not hold either, that one must be achieved as well. The cost of an operator that achieves several landmarks is
    divided among them, so the sum never counts a cost twice.
    """
    words, landmarks, marks, pending = (
        wi[STATE_WORDS] + node * ti[WORDS],
        ti[LANDMARKS],
        wi[MARKS],
        wi[PENDING_LANDMARKS],
    )
    at, waiting = ti[SINGLES], 0
    for landmark in range(landmarks):
        mask = ti[at + 1]
        if mask:  # the usual landmark: a single atom over a word
            missing = wi[words + ti[at]] & mask != ti[at + 2]
        else:
            missing = not any_holds(
                ti, tf, wi, wf, ti[ti[ATOM_FROM] + landmark], ti[ti[ATOM_FROM] + landmark + 1], node
            )
        at += 3
        wi[marks + landmark] = 0
        if missing:
            wi[marks + landmark] = 1
            if landmark < ti[GOAL_LANDMARKS]:  # the goal's own landmarks come first
                wi[marks + landmark] = 2
                wi[pending + waiting] = landmark
                waiting += 1
    needs, weights, gains, total = ti[LANDMARK_NEEDS], ti[WEIGHT], ti[GAIN], 0.0
    while waiting > 0:
        waiting -= 1
        landmark = wi[pending + waiting]
        if tf[gains + landmark] > 0.0:
            total += tf[weights + landmark] * count_repetitions(ti, tf, wi, wf, landmark, node)
        else:
            total += tf[weights + landmark]
        for k in range(ti[ti[NEED_FROM] + landmark], ti[ti[NEED_FROM] + landmark + 1]):
            other = ti[needs + k]
            if wi[marks + other] == 1:  # missing, and not counted yet
                wi[marks + other] = 2
                wi[pending + waiting] = other
                waiting += 1
    return total


# --- search ---


def push(wi: Ints, wf: Floats, f: float, h: float, node: int) -> None:
    """Push a node on the heap: smallest f first, then smallest h, then the latest, which is the deepest."""
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
    """Pop the first node of the heap; the f that it was pushed with is left at the heap's end."""
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
    """Return the known node with the same state as ``node``, or insert ``node`` into the hash table and return it."""
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
    """Write the node, and the operators on the way to it, where the caller reads them."""
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
    """Insert some nodes into the hash table, after a search was copied into a larger workspace."""
    for node in range(first, end):
        find_or_insert(ti, wi, wf, node)


def drop_branch(wi: Ints, operator: int) -> None:
    """Count a branch that is dropped because a number overflows; -1 stands for the goal."""
    if wi[DROPPED] == 0:
        wi[DROPPED_OPERATOR] = operator
    wi[DROPPED] += 1


def ask_ahead(ti: Ints, tf: Floats, wi: Ints, wf: Floats, node: int, operator: int, child: int) -> None:
    """List the calls that the operators from ``operator`` on need in a node's state; ``child`` is a free node."""
    for other in range(operator, ti[OPERATORS]):
        if is_applicable(ti, tf, wi, wf, node, other) == 1.0:
            apply_operator(ti, tf, wi, wf, node, other, child)
    wi[DIVIDED_BY_ZERO] = 0  # that is found when the search comes to them


def search(ti: Ints, tf: Floats, wi: Ints, wf: Floats, weight: float, budget: int) -> int:
    """Continue a search until it ends or ``budget`` nodes are expanded in all; return its status.

    A node is expanded one operator at a time (partial expansion): as soon as a child's f does not exceed the node's,
    the node goes back on the heap with the rest of its operators, and the child is expanded first. A search that needs
    values of game functions is suspended within its node: once they are known, it takes the way that it would have
    taken with them from the start.
    """
    gs, hs, parents, reached_by, nexts = wi[G], wi[H], wi[PARENT], wi[REACHED_BY], wi[NEXT_OPERATOR]
    operators = ti[OPERATORS]
    wi[QUESTIONS] = 0
    while wi[HEAP] > 0 or wi[SUSPENDED] >= 0:
        node = wi[SUSPENDED]
        wi[SUSPENDED] = -1
        if node < 0:
            node = pop(wi, wf)
            if wf[wi[HEAP_F] + wi[HEAP]] > wf[gs + node] + weight * wf[hs + node]:
                continue  # a cheaper way here was found after this entry was pushed
        g = wf[gs + node]
        f = g + weight * wf[hs + node]
        operator = wi[nexts + node]
        if operator == 0:
            held = is_goal(ti, tf, wi, wf, node)
            if wi[QUESTIONS] > 0:
                wi[SUSPENDED] = node
                trace_back(wi, wi[CLOSEST])
                return NEEDS_CALL
            if math.isnan(held):
                if wi[DIVIDED_BY_ZERO] == 0:
                    drop_branch(wi, -1)
                    continue
                wi[FAULTY_OPERATOR] = -1
                return UNDEFINED
            if held != 0.0:
                trace_back(wi, node)
                return FOUND
            if wi[EXPANDED] >= budget:
                # Pushed again, it could come after nodes with the same f and h, and a search that is interrupted would
                # find another plan of the same cost.
                wi[SUSPENDED] = node
                trace_back(wi, wi[CLOSEST])
                return BUDGET_SPENT
            wi[EXPANDED] += 1
        while operator < operators:
            applicable = is_applicable(ti, tf, wi, wf, node, operator)
            operator += 1
            if applicable == 0.0:
                continue
            child = wi[NODES]
            if child >= wi[NODE_CAPACITY] - 1 or wi[HEAP] >= wi[HEAP_CAPACITY] - 3:
                if operator == 1:
                    wi[EXPANDED] -= 1  # it is counted when the search continues
                wi[nexts + node] = operator - 1
                push(wi, wf, f, wf[hs + node], node)
                trace_back(wi, wi[CLOSEST])
                return WORKSPACE_FULL
            cost = math.nan if math.isnan(applicable) else apply_operator(ti, tf, wi, wf, node, operator - 1, child)
            if wi[QUESTIONS] > 0:
                if operator == 1:
                    wi[EXPANDED] -= 1  # it is counted when the search continues
                wi[nexts + node] = operator - 1
                wi[SUSPENDED] = node
                ask_ahead(ti, tf, wi, wf, node, operator, child)
                trace_back(wi, wi[CLOSEST])
                return NEEDS_CALL
            if cost < 0.0 or wi[DIVIDED_BY_ZERO] != 0:
                wi[FAULTY_OPERATOR] = operator - 1
                return UNDEFINED
            if math.isnan(cost) or math.isinf(g + cost):
                drop_branch(wi, operator - 1)
                continue
            known = find_or_insert(ti, wi, wf, child)
            if known == child:
                wi[NODES] = child + 1
                wf[hs + child] = estimate_cost(ti, tf, wi, wf, child)
            elif g + cost >= wf[gs + known]:
                continue
            wf[gs + known] = g + cost
            wi[parents + known] = node
            wi[reached_by + known] = operator - 1
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
    """Start a search from the state in node 0; return its status when it ends or the budget is spent."""
    wi[NODES] = 1
    wi[HEAP] = 0
    wi[EXPANDED] = 0
    wi[GENERATION] += 1
    wi[CLOSEST] = 0
    wi[QUESTIONS] = 0
    wi[DIVIDED_BY_ZERO] = 0
    wi[SUSPENDED] = -1
    wi[DROPPED] = 0
    wi[DROPPED_NUMBER] = -1
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
    dropped: Ints,
    steps: Ints,
    longest: int,
) -> None:
    """Search from each of the states ``first`` to before ``end``, and write the result of each."""
    word_count, number_count = ti[WORDS], ti[NUMBERS]
    for agent in range(first, end):
        for w in range(word_count):
            wi[wi[STATE_WORDS] + w] = words[agent * word_count + w]
        for n in range(number_count):
            wf[wi[STATE_NUMBERS] + n] = numbers[agent * number_count + n]
        statuses[agent] = begin_search(ti, tf, wi, wf, weight, budget)
        expanded[agent] = wi[EXPANDED]
        lengths[agent] = 0
        dropped[agent] = wi[DROPPED]
        if statuses[agent] == FOUND:
            costs[agent] = wf[wi[G] + wi[GOAL_NODE]]
            lengths[agent] = wi[LENGTH]
            for step in range(min(longest, wi[LENGTH])):
                steps[agent * longest + step] = wi[wi[STEPS] + step]


# --- repair ---
# What is left of an old plan in a new state.


def replay(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int, skipped: int) -> float:
    """Apply the first ``count`` steps except ``skipped``, leaving out what is not applicable or changes nothing.

    Return the cost if that reaches the goal, else -1.0. The ``wi[LENGTH]`` steps that were applied are written into
    the part ``NEXT_OPERATOR``, which is free while no search runs.
    """
    steps, applied = wi[STEPS], wi[NEXT_OPERATOR]
    total, node, length = 0.0, 0, 0
    wi[QUESTIONS] = 0
    for k in range(count):
        applicable = 0.0 if k == skipped else is_applicable(ti, tf, wi, wf, node, wi[steps + k])
        if math.isnan(applicable):
            return -1.0
        if applicable == 0.0:
            continue
        after = 2 if node == 1 else 1  # node 0 keeps the start
        cost = apply_operator(ti, tf, wi, wf, node, wi[steps + k], after)
        if math.isnan(cost) or math.isinf(total + cost):
            return -1.0
        total += cost
        node = after
        wi[applied + length] = wi[steps + k]
        length += 1
    wi[LENGTH] = length
    return total if is_goal(ti, tf, wi, wf, node) == 1.0 else -1.0


def drop_unneeded_steps(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int) -> int:
    """Remove the steps that nothing later needs from a sequence that reaches the goal; return how many are left.

    Backwards, a step is needed if it changes a bit that the goal or a needed step reads. This is exact where all steps
    are masks only; if one of them has a program, nothing is removed.
    """
    steps, words, applied = wi[STEPS], wi[STATE_WORDS], wi[NEXT_OPERATOR]
    width = ti[WORDS]
    if ti[GOAL_TEST_COUNT] or count + 2 >= wi[NODE_CAPACITY]:
        return count
    for k in range(count):
        operator = wi[steps + k]
        tested = ti[ti[TEST_FROM] + operator] != ti[ti[TEST_FROM] + operator + 1]
        if tested or ti[ti[WRITE_FROM] + operator] != ti[ti[WRITE_FROM] + operator + 1]:
            return count
        apply_operator(ti, tf, wi, wf, k, operator, k + 1)  # node k is the state before step k
    read_bits = words + (count + 1) * width  # one more node holds the bits that are read
    for w in range(width):
        wi[read_bits + w] = ti[ti[GOAL_MASK] + w]
    left = count
    for k in range(count - 1, -1, -1):
        operator, needed = wi[steps + k], False
        for w in range(width):
            needed |= (wi[words + k * width + w] ^ wi[words + (k + 1) * width + w]) & wi[read_bits + w] != 0
        if needed:
            left -= 1
            wi[applied + left] = operator
            for w in range(width):
                kept = wi[read_bits + w] & ti[ti[CLEAR] + operator * width + w]
                wi[read_bits + w] = kept | ti[ti[NEED_MASK] + operator * width + w]
    for k in range(count - left):
        wi[steps + k] = wi[applied + left + k]
    return count - left


def repair(ti: Ints, tf: Floats, wi: Ints, wf: Floats, count: int) -> float:
    """Remove the steps of an old plan of ``count`` steps that the state in node 0 no longer needs.

    Return the cost if the rest reaches the goal and the estimate proves that no plan costs less, else -1.0. The rest is
    written where a search writes its plan.
    """
    steps, applied = wi[STEPS], wi[NEXT_OPERATOR]
    least = estimate_cost(ti, tf, wi, wf, 0) * (1.0 + 1e-12)
    # First try without the first step: it may have been done just now.
    for skipped in range(0, -2, -1):
        cost = replay(ti, tf, wi, wf, count, skipped)
        if cost >= 0.0:
            count = wi[LENGTH]
            for k in range(count):
                wi[steps + k] = wi[applied + k]
            if cost > least:
                count = drop_unneeded_steps(ti, tf, wi, wf, count)
                cost = replay(ti, tf, wi, wf, count, -1)
            wi[LENGTH] = count
            return cost if 0.0 <= cost <= least else -1.0
    return -1.0  # all applicable steps together do not reach the goal


def match_step(ti: Ints, tf: Floats, wi: Ints, wf: Floats, operator: int) -> float:
    """Return the cost of an operator in the state in node 1 if it leads to the state in node 0, else -1.0."""
    wi[QUESTIONS] = 0
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
