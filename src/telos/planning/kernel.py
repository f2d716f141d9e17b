"""The search itself: A* over packed states, on flat arrays alone.

This is ordinary Python, and slow. ``native`` compiles the very same functions with Numba; what they compute is the same
to the last tie, and the tests compare the two. Everything is a flat sequence of integers or floats (lists here, arrays
there), and nothing calls back into Python: when only the game can give a value, the search stops and asks.

A state is ``words`` integers, into which all switches, labels and handles are packed, and ``numbers`` floats. Most of
what operators need and do is a few masks over the words; the rest are programs for a small stack machine.
"""

import math
from typing import NamedTuple, TypeAlias

# How a search ends.
FOUND, UNREACHABLE, SPENT, FULL, ASKS, UNDEFINED = 1, 2, 3, 4, 5, 6

# Instructions of the stack machine.
CONSTANT, NUMBER, FIELD, ADD, SUBTRACT, MULTIPLY, DIVIDE, SMALLER, LARGER, MAGNITUDE = range(10)
EQUAL, DIFFERENT, LESS, AT_MOST, MORE, AT_LEAST, NOT, AND, OR, CALL = range(10, 20)

# Places in a workspace's head.
NODES, HEAP, EXPANDED, GENERATION, CLOSEST, GOAL_NODE, ASKED, PUSHED, FAULTY = range(9)

# Kinds of atoms: a masked comparison of a word, or a number against a constant.
IS, AT_LEAST_ATOM, AT_MOST_ATOM = 0, 1, 2


# Lists here, arrays when compiled.
Ints: TypeAlias = list[int]
Floats: TypeAlias = list[float]


class Task(NamedTuple):
    """A planning problem without its start: operators, goal and heuristic, as flat sequences."""

    words: int
    numbers: int
    operators: int
    need_mask: Ints  # operators × words: an operator is possible if word & mask == value
    need_value: Ints
    clear: Ints  # operators × words: afterwards, word & clear | put
    put: Ints
    test_from: Ints  # operators + 1: which of ``tests`` (programs) must come to something true
    tests: Ints
    write_from: Ints  # operators + 1: which of ``writes`` happen
    writes: Ints  # five each: 1 for a field, number's slot or word, shift, mask, program
    cost: Floats  # operators
    cost_program: Ints  # operators: a program that gives the cost, or -1
    program_from: Ints  # programs + 1
    code: Ints  # three each: instruction and two operands
    constant: Floats  # one for each instruction
    goal_mask: Ints  # words
    goal_value: Ints
    goal_tests: Ints
    facts: int
    atom_from: Ints  # facts + 1: a fact holds if one of its atoms does
    atoms: Ints  # four each: kind, word or slot, mask, value
    atom_constant: Floats
    fact_needs: Ints  # the facts (as bits) that must have held before a fact can be made true
    goal_facts: int
    weight: Floats  # the least that making a fact true costs, shared out
    gain: Floats  # by how much one operator can move a number towards its fact; 0 for others
    table_from: Ints  # tables: where the answers of a game's function start in ``answers``
    radix_from: Ints  # tables + 1
    radix: Ints  # how many values each argument can have
    answers: Floats  # NaN where not yet known


class Workspace(NamedTuple):
    """Room for one search. Nothing in it need be cleared: ``head[GENERATION]`` tells old entries from new."""

    head: Ints
    words: Ints
    numbers: Floats
    g: Floats
    h: Floats
    parent: Ints
    by: Ints
    next_operator: Ints
    heap_f: Floats
    heap_h: Floats
    heap_g: Floats
    heap_order: Ints
    heap_node: Ints
    slot_node: Ints
    slot_generation: Ints
    stack: Floats


def run(task: Task, program: int, space: Workspace, node: int) -> float:
    """Return what a program comes to in a node's state; NaN if it has no value, or asks for one."""
    at_words, at_numbers, top = node * task.words, node * task.numbers, -1
    stack = space.stack
    for step in range(task.program_from[program], task.program_from[program + 1]):
        instruction, a, b = task.code[3 * step], task.code[3 * step + 1], task.code[3 * step + 2]
        if instruction == CONSTANT:
            top += 1
            stack[top] = task.constant[step]
        elif instruction == NUMBER:
            top += 1
            stack[top] = space.numbers[at_numbers + a]
        elif instruction == FIELD:
            top += 1
            stack[top] = float((space.words[at_words + (a >> 8)] >> (a & 255)) & b)
        elif instruction == NOT:
            stack[top] = 1.0 if stack[top] == 0.0 else 0.0
        elif instruction == MAGNITUDE:
            stack[top] = abs(stack[top])
        elif instruction == CALL:
            index, first = 0, task.radix_from[a]
            arguments = task.radix_from[a + 1] - first
            top -= arguments
            for k in range(arguments):
                index = index * task.radix[first + k] + int(stack[top + 1 + k])
            index += task.table_from[a]
            top += 1
            stack[top] = task.answers[index]
            if math.isnan(stack[top]):
                space.head[ASKED] = index
                return math.nan
        else:
            right = stack[top]
            top -= 1
            left = stack[top]
            if instruction == ADD:
                stack[top] = left + right
            elif instruction == SUBTRACT:
                stack[top] = left - right
            elif instruction == MULTIPLY:
                stack[top] = left * right
            elif instruction == DIVIDE:
                if right == 0.0:
                    return math.nan
                stack[top] = left / right
            elif instruction == SMALLER:
                stack[top] = min(left, right)
            elif instruction == LARGER:
                stack[top] = max(left, right)
            elif instruction == EQUAL:
                stack[top] = 1.0 if left == right else 0.0
            elif instruction == DIFFERENT:
                stack[top] = 1.0 if left != right else 0.0
            elif instruction == LESS:
                stack[top] = 1.0 if left < right else 0.0
            elif instruction == AT_MOST:
                stack[top] = 1.0 if left <= right else 0.0
            elif instruction == MORE:
                stack[top] = 1.0 if left > right else 0.0
            elif instruction == AT_LEAST:
                stack[top] = 1.0 if left >= right else 0.0
            elif instruction == AND:
                stack[top] = 1.0 if left != 0.0 and right != 0.0 else 0.0
            else:
                stack[top] = 1.0 if left != 0.0 or right != 0.0 else 0.0
    return stack[top]


def is_goal(task: Task, space: Workspace, node: int) -> float:
    """Return 1.0 if the goal holds in a node's state, 0.0 if not, NaN if that has no value yet."""
    base = node * task.words
    for w in range(task.words):
        if space.words[base + w] & task.goal_mask[w] != task.goal_value[w]:
            return 0.0
    for k in range(len(task.goal_tests)):
        value = run(task, task.goal_tests[k], space, node)
        if value == 0.0 or math.isnan(value):
            return value
    return 1.0


def estimate(task: Task, space: Workspace, node: int) -> float:
    """Return a cost that no plan from a node can undercut; infinity if there is no plan.

    A fact that a plan must make true, and that does not hold, costs at least its cheapest maker. If all its makers need
    another fact that does not hold either, that one must be made true as well. Operators that make several facts true
    have their cost shared out among them, so the sum never counts a cost twice.
    """
    at_words, at_numbers = node * task.words, node * task.numbers
    missing = 0
    for fact in range(task.facts):
        holds = False
        for atom in range(task.atom_from[fact], task.atom_from[fact + 1]):
            kind, where = task.atoms[4 * atom], task.atoms[4 * atom + 1]
            if kind == IS:
                holds = space.words[at_words + where] & task.atoms[4 * atom + 2] == task.atoms[4 * atom + 3]
            elif kind == AT_LEAST_ATOM:
                holds = space.numbers[at_numbers + where] >= task.atom_constant[atom]
            else:
                holds = space.numbers[at_numbers + where] <= task.atom_constant[atom]
            if holds:
                break
        if not holds:
            missing |= 1 << fact
    needed = task.goal_facts & missing
    total, done = 0.0, 0
    while needed != done:
        for fact in range(task.facts):
            bit = 1 << fact
            if needed & bit and not done & bit:
                done |= bit
                needed |= task.fact_needs[fact] & missing
                times = 1.0
                if task.gain[fact] > 0.0:
                    atom = task.atom_from[fact]
                    short = space.numbers[at_numbers + task.atoms[4 * atom + 1]] - task.atom_constant[atom]
                    times = max(1.0, math.ceil(abs(short) / task.gain[fact] - 1e-9))
                total += task.weight[fact] * times
    return total


def push(space: Workspace, f: float, h: float, g: float, node: int) -> None:
    """Put a node on the heap."""
    k = space.head[HEAP]
    order = space.head[PUSHED]
    space.head[HEAP] = k + 1
    space.head[PUSHED] = order + 1
    while k > 0:
        up = (k - 1) >> 1
        # Least f first; of equals the least h; of those the latest, which is the deepest.
        if f > space.heap_f[up] or (f == space.heap_f[up] and h > space.heap_h[up]):
            break
        space.heap_f[k], space.heap_h[k], space.heap_g[k] = space.heap_f[up], space.heap_h[up], space.heap_g[up]
        space.heap_order[k], space.heap_node[k] = space.heap_order[up], space.heap_node[up]
        k = up
    space.heap_f[k], space.heap_h[k], space.heap_g[k] = f, h, g
    space.heap_order[k], space.heap_node[k] = order, node


def pop(space: Workspace) -> int:
    """Take the first node off the heap; its g when it was pushed is left at the heap's end."""
    last = space.head[HEAP] - 1
    space.head[HEAP] = last
    node, g = space.heap_node[0], space.heap_g[0]
    f, h, order = space.heap_f[last], space.heap_h[last], space.heap_order[last]
    moved, moved_g = space.heap_node[last], space.heap_g[last]
    k = 0
    while True:
        down = 2 * k + 1
        if down >= last:
            break
        other = down + 1
        if other < last and before(space, other, down):
            down = other
        if f < space.heap_f[down] or (
            f == space.heap_f[down]
            and (h < space.heap_h[down] or (h == space.heap_h[down] and order > space.heap_order[down]))
        ):
            break
        space.heap_f[k], space.heap_h[k], space.heap_g[k] = space.heap_f[down], space.heap_h[down], space.heap_g[down]
        space.heap_order[k], space.heap_node[k] = space.heap_order[down], space.heap_node[down]
        k = down
    space.heap_f[k], space.heap_h[k], space.heap_g[k] = f, h, moved_g
    space.heap_order[k], space.heap_node[k] = order, moved
    space.heap_g[last] = g
    return node


def before(space: Workspace, a: int, b: int) -> bool:
    """Whether heap entry ``a`` comes before ``b``."""
    if space.heap_f[a] != space.heap_f[b]:
        return space.heap_f[a] < space.heap_f[b]
    if space.heap_h[a] != space.heap_h[b]:
        return space.heap_h[a] < space.heap_h[b]
    return space.heap_order[a] > space.heap_order[b]


def place(task: Task, space: Workspace, node: int) -> int:
    """Return the known node with the same state as ``node``, or ``node`` itself, now known."""
    mixed = 0
    for w in range(task.words):
        mixed = ((mixed ^ space.words[node * task.words + w]) * 0x2545F4914F6CDD1D) & 0x7FFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    for n in range(task.numbers):
        mixed = ((mixed ^ int(space.numbers[node * task.numbers + n] * 64.0)) * 0x2545F4914F6CDD1D) & 0x7FFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    last = len(space.slot_node) - 1
    slot = mixed & last
    while space.slot_generation[slot] == space.head[GENERATION]:
        other = space.slot_node[slot]
        same = True
        for w in range(task.words):
            if space.words[other * task.words + w] != space.words[node * task.words + w]:
                same = False
        for n in range(task.numbers):
            if space.numbers[other * task.numbers + n] != space.numbers[node * task.numbers + n]:
                same = False
        if same:
            return other
        slot = (slot + 1) & last
    space.slot_generation[slot] = space.head[GENERATION]
    space.slot_node[slot] = node
    return node


def is_possible(task: Task, space: Workspace, node: int, operator: int) -> float:
    """Return 1.0 if an operator can be used in a node's state, 0.0 if not, NaN if that has no value yet."""
    base, row = node * task.words, operator * task.words
    for w in range(task.words):
        if space.words[base + w] & task.need_mask[row + w] != task.need_value[row + w]:
            return 0.0
    for k in range(task.test_from[operator], task.test_from[operator + 1]):
        value = run(task, task.tests[k], space, node)
        if value == 0.0 or math.isnan(value):
            return value
    return 1.0


def apply(task: Task, space: Workspace, node: int, operator: int, child: int) -> float:
    """Write into ``child`` the state after an operator; return its cost, or NaN if something has no value."""
    base, row, to = node * task.words, operator * task.words, child * task.words
    for w in range(task.words):
        space.words[to + w] = space.words[base + w] & task.clear[row + w] | task.put[row + w]
    for n in range(task.numbers):
        space.numbers[child * task.numbers + n] = space.numbers[node * task.numbers + n]
    for k in range(task.write_from[operator], task.write_from[operator + 1]):
        value = run(task, task.writes[5 * k + 4], space, node)
        if math.isnan(value) or math.isinf(value):
            return math.nan
        where, shift, mask = task.writes[5 * k + 1], task.writes[5 * k + 2], task.writes[5 * k + 3]
        if task.writes[5 * k]:
            space.words[to + where] = space.words[to + where] & ~(mask << shift) | (int(value) << shift)
        else:
            space.numbers[child * task.numbers + where] = value
    if task.cost_program[operator] < 0:
        return task.cost[operator]
    return run(task, task.cost_program[operator], space, node)


def begin(task: Task, space: Workspace, weight: float) -> None:
    """Start a search from the state in node 0."""
    space.head[NODES] = 1
    space.head[HEAP] = 0
    space.head[EXPANDED] = 0
    space.head[GENERATION] += 1
    space.head[CLOSEST] = 0
    space.head[PUSHED] = 0
    space.head[ASKED] = -1
    place(task, space, 0)
    space.g[0] = 0.0
    space.h[0] = estimate(task, space, 0)
    space.parent[0] = -1
    space.by[0] = -1
    space.next_operator[0] = 0
    if space.h[0] < math.inf:
        push(space, weight * space.h[0], space.h[0], 0.0, 0)


def search(task: Task, space: Workspace, weight: float, budget: int) -> int:
    """Go on with a search until it ends or ``budget`` nodes have been expanded in all; return how it ended.

    A node is expanded one operator at a time: as soon as a child is no worse than the node promised, the node goes back
    on the heap with the rest of its operators, and the child goes first. A good estimate then walks straight down.
    """
    room = len(space.g) - 1
    while space.head[HEAP] > 0:
        node = pop(space)
        g = space.g[node]
        if space.heap_g[space.head[HEAP]] > g:
            continue  # a cheaper way here was found after this entry was made
        if space.next_operator[node] == 0:
            held = is_goal(task, space, node)
            if math.isnan(held):
                space.head[FAULTY] = -1
                return ASKS if space.head[ASKED] >= 0 else UNDEFINED
            if held != 0.0:
                space.head[GOAL_NODE] = node
                return FOUND
            if space.head[EXPANDED] >= budget:
                push(space, g + weight * space.h[node], space.h[node], g, node)
                return SPENT
            space.head[EXPANDED] += 1
        f = g + weight * space.h[node]
        operator = space.next_operator[node]
        while operator < task.operators:
            possible = is_possible(task, space, node, operator)
            operator += 1
            if possible == 0.0:
                continue
            child = space.head[NODES]
            if child >= room or space.head[HEAP] >= len(space.heap_f) - 2:
                return FULL
            cost = math.nan if math.isnan(possible) else apply(task, space, node, operator - 1, child)
            if math.isnan(cost) or cost < 0.0 or math.isinf(cost):
                space.head[FAULTY] = operator - 1
                return ASKS if space.head[ASKED] >= 0 else UNDEFINED
            known = place(task, space, child)
            if known == child:
                space.head[NODES] = child + 1
                space.h[child] = estimate(task, space, child)
            elif g + cost >= space.g[known]:
                continue
            space.g[known] = g + cost
            space.parent[known] = node
            space.by[known] = operator - 1
            space.next_operator[known] = 0
            h = space.h[known]
            if h == math.inf:
                continue
            if h < space.h[space.head[CLOSEST]]:
                space.head[CLOSEST] = known
            child_f = g + cost + weight * h
            if child_f <= f and operator < task.operators:
                space.next_operator[node] = operator
                push(space, f, space.h[node], g, node)
                push(space, child_f, h, g + cost, known)
                operator = -1
                break
            push(space, child_f, h, g + cost, known)
        if operator == task.operators:
            space.next_operator[node] = operator
    return UNREACHABLE


def trace_back(space: Workspace, node: int, steps: Ints) -> int:
    """Write the operators on the way to ``node`` into ``steps``, last one first; return how many there are."""
    count = 0
    while space.parent[node] >= 0:
        if count < len(steps):
            steps[count] = space.by[node]
        count += 1
        node = space.parent[node]
    return count
