"""The search itself: A* over packed states, on four flat sequences.

This is ordinary Python, and slow. ``native`` compiles the very same functions with Numba; what they compute is the same
to the last tie, and the tests compare the two. A task (what can be done, what is wanted) is a sequence of integers,
``ti``, and one of floats, ``tf``; the workspace of a search is ``wi`` and ``wf``. They are lists here and arrays there.
Each starts with a head that says where its parts begin: ``ti[ti[PUT] + k]`` is the k-th entry of the part ``put``.
(Handing over four arrays costs next to nothing; handing over forty, or tuples of them, costs more than a small search.)
Nothing calls back into Python: when only the game can give a value, the search stops and asks.

A state is ``words`` integers, into which all switches, labels and handles are packed, and ``numbers`` floats. Most of
what operators need and do is a few masks over the words; the rest are programs for a small stack machine.
"""

import math

from telos.planning.heads import (
    ASKED,
    ASKS,
    BY,
    CLOSEST,
    EXPANDED,
    FAULTY,
    FOUND,
    FULL,
    GENERATION,
    GOAL_NODE,
    HEAP,
    HEAP_F,
    HEAP_H,
    HEAP_NODE,
    HEAP_ROOM,
    LENGTH,
    NEXT,
    NODES,
    NUMBERS,
    OPERATORS,
    PARENT,
    ROOM,
    SLOT_GENERATION,
    SLOT_MASK,
    SLOT_NODE,
    SPENT,
    STATE_NUMBERS,
    STATE_WORDS,
    STEPS,
    UNDEFINED,
    UNREACHABLE,
    WORDS,
    Floats,
    G,
    H,
    Ints,
)
from telos.planning.machine import apply, estimate, is_goal, is_possible


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


def place(ti: Ints, wi: Ints, wf: Floats, node: int) -> int:
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
        wi[wi[STEPS] + length] = wi[wi[BY] + node]
        node = wi[wi[PARENT] + node]


def settle(ti: Ints, wi: Ints, wf: Floats, first: int, end: int) -> None:
    """Find slots for some nodes that a search has brought into a larger room."""
    for node in range(first, end):
        place(ti, wi, wf, node)


def search(ti: Ints, tf: Floats, wi: Ints, wf: Floats, weight: float, budget: int) -> int:
    """Go on with a search until it ends or ``budget`` nodes have been expanded in all; return how it ended.

    A node is expanded one operator at a time: as soon as a child is no worse than the node promised, the node goes back
    on the heap with the rest of its operators, and the child goes first. A good estimate then walks straight down.
    """
    gs, hs, parents, bys, nexts = wi[G], wi[H], wi[PARENT], wi[BY], wi[NEXT]
    operators = ti[OPERATORS]
    while wi[HEAP] > 0:
        node = wi[wi[HEAP_NODE]]
        if wi[EXPANDED] >= budget and wi[nexts + node] == 0:
            # Looked at where it is: taken off and put back, it might come to stand behind its equals, and a search that
            # is left and gone on with would find another plan of the same cost.
            f = wf[gs + node] + weight * wf[hs + node]
            if wf[wi[HEAP_F]] <= f and is_goal(ti, tf, wi, wf, node) == 0.0:
                trace_back(wi, wi[CLOSEST])
                return SPENT
        node = pop(wi, wf)
        g = wf[gs + node]
        f = g + weight * wf[hs + node]
        if wf[wi[HEAP_F] + wi[HEAP]] > f:
            continue  # a cheaper way here was found after this entry was made
        operator = wi[nexts + node]
        if operator == 0:
            held = is_goal(ti, tf, wi, wf, node)
            if math.isnan(held):
                wi[FAULTY] = -1
                return ASKS if wi[ASKED] >= 0 else UNDEFINED
            if held != 0.0:
                trace_back(wi, node)
                return FOUND
            wi[EXPANDED] += 1
        while operator < operators:
            possible = is_possible(ti, tf, wi, wf, node, operator)
            operator += 1
            if possible == 0.0:
                continue
            child = wi[NODES]
            if child >= wi[ROOM] - 1 or wi[HEAP] >= wi[HEAP_ROOM] - 3:
                if operator == 1:
                    wi[EXPANDED] -= 1  # it will be counted when it is gone on with
                wi[nexts + node] = operator - 1
                push(wi, wf, f, wf[hs + node], node)
                trace_back(wi, wi[CLOSEST])
                return FULL
            cost = math.nan if math.isnan(possible) else apply(ti, tf, wi, wf, node, operator - 1, child)
            if math.isnan(cost) or cost < 0.0 or math.isinf(cost):
                wi[FAULTY] = operator - 1
                return ASKS if wi[ASKED] >= 0 else UNDEFINED
            known = place(ti, wi, wf, child)
            if known == child:
                wi[NODES] = child + 1
                wf[hs + child] = estimate(ti, tf, wi, wf, child)
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
    wi[ASKED] = -1
    place(ti, wi, wf, 0)
    wf[wi[G]] = 0.0
    wf[wi[H]] = estimate(ti, tf, wi, wf, 0)
    wi[wi[PARENT]] = -1
    wi[wi[BY]] = -1
    wi[wi[NEXT]] = 0
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
