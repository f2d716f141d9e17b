"""A* over sets of facts, with LM-cut: what the cheapest way to a goal costs, or at least costs.

Kernel, as in ``lmcut``. A state is a row of words with ``BITS`` facts each. States wait in the queue with the bound of
their parent and are priced only when they come to the front: most of them never do.
"""

from typing import NamedTuple

from telos.recognition.strips.lmcut import FAR, Ints, Prices, Relaxed, lm_cut, pop, push

BITS = 62  # facts a word: signed numbers of 64 bits, none of them negative
HASH_STEP = 1_000_003
HASH_RANGE = (1 << 31) - 1
MOST_NODES = 1 << 20
MOST_COST = 1 << 21  # of a plan; with the number of a node, two of them fit into one key of the queue


class Bits(NamedTuple):
    """Actions on words of facts, one row an action."""

    needs: Ints
    adds: Ints
    deletes: Ints


class Nodes(NamedTuple):
    """The states that a search has met, one row a state, with a hash table to find them by."""

    words: Ints
    cost: Ints
    bound: Ints  # a lower bound from here on
    is_priced: Ints
    parent: Ints
    action: Ints
    table: Ints
    heap: Ints
    facts: Ints  # room for one state as a list


def slot_of(words: Ints, nodes: Nodes) -> int:
    """Return where in the table the state is, or would be."""
    code = 0
    for word in words:
        code = (code * HASH_STEP + (word & HASH_RANGE) + (word >> 31)) & HASH_RANGE
    slot = code % len(nodes.table)
    while nodes.table[slot] >= 0:
        other = nodes.table[slot]
        same = True
        for i in range(len(words)):
            if nodes.words[other, i] != words[i]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) % len(nodes.table)
    return slot


def holds(words: Ints, wanted: Ints) -> bool:
    """Whether all of the wanted bits are set."""
    for i in range(len(words)):
        if words[i] & wanted[i] != wanted[i]:
            return False
    return True


def price(node: int, goal: Ints, relaxed: Relaxed, room: Prices, nodes: Nodes) -> None:
    """Compute the bound of a node, unless that of its parent is better."""
    size = 0
    for i in range(nodes.words.shape[1]):
        word = nodes.words[node, i]
        at = i * BITS
        while word:
            if word & 1:
                nodes.facts[size] = at
                size += 1
            word >>= 1
            at += 1
    bound = lm_cut(nodes.facts[:size], goal, relaxed, room)
    nodes.bound[node] = max(nodes.bound[node], bound)
    nodes.is_priced[node] = 1


def enqueue(node: int, nodes: Nodes, size: int) -> int:
    """Queue a node: the least total first, then the nearest to the goal, then the newest."""
    total = nodes.cost[node] + nodes.bound[node]
    key = (total * MOST_COST + nodes.bound[node]) * MOST_NODES + (MOST_NODES - 1 - node)
    return push(nodes.heap, size, key)


def meet(after: Ints, parent: int, action: int, total: int, bound: int, nodes: Nodes, count: int) -> int:
    """Note that a state can be reached at a cost of ``total``; return its node, or -1 if that is no news."""
    slot = slot_of(after, nodes)
    found = nodes.table[slot]
    if found < 0:
        found = count
        nodes.table[slot] = found
        nodes.words[found] = after
        nodes.bound[found] = bound
        nodes.is_priced[found] = 0
    elif total >= nodes.cost[found] or nodes.bound[found] >= FAR:
        return -1
    nodes.cost[found] = total
    nodes.parent[found] = parent
    nodes.action[found] = action
    return int(found)


def expand(
    node: int, bits: Bits, costs: Ints, nodes: Nodes, count: int, size: int, after: Ints, limit: int
) -> tuple[int, int, int]:
    """Queue what can be reached from a node by one action.

    Return how many nodes there are, how many are queued, and how many were left out for costing ``limit`` or more.
    """
    dear = 0
    for action in range(len(costs)):
        if not holds(nodes.words[node], bits.needs[action]):
            continue
        for i in range(len(after)):
            after[i] = (nodes.words[node, i] & ~bits.deletes[action, i]) | bits.adds[action, i]
        total = nodes.cost[node] + costs[action]
        bound = max(0, nodes.bound[node] - costs[action])
        if total + bound >= limit:
            dear += 1
            continue
        found = meet(after, node, action, total, bound, nodes, count)
        if found < 0:
            continue
        count = max(count, found + 1)
        if nodes.cost[found] + nodes.bound[found] < limit:
            size = enqueue(found, nodes, size)
        else:
            dear += 1
    return count, size, dear


def begin(start: Ints, nodes: Nodes) -> int:
    """Queue the first state; return the size of the queue."""
    nodes.table[:] = -1
    nodes.words[0] = start
    nodes.cost[0] = 0
    nodes.bound[0] = 0
    nodes.is_priced[0] = 0
    nodes.parent[0] = -1
    nodes.action[0] = -1
    nodes.table[slot_of(start, nodes)] = 0
    return enqueue(0, nodes, 0)


def search(
    start: Ints,
    goal: Ints,
    wanted: Ints,
    bits: Bits,
    relaxed: Relaxed,
    room: Prices,
    nodes: Nodes,
    most: int,
    limit: int,
) -> tuple[int, int]:
    """Return the node of the goal or -1, and what every plan costs at least; ``room.work`` says how much work it was.

    ``goal`` lists the facts that ``wanted`` has as bits. The search ends at a plan, after ``most`` work, or when no
    plan costs less than ``limit``. The least cost is FAR if there is no plan.
    """
    room.work[0] = 0
    size = begin(start, nodes)
    after = start.copy()
    count, lower, dear = 1, 0, 0
    while size > 0:
        key = nodes.heap[0]
        size = pop(nodes.heap, size)
        node = MOST_NODES - 1 - key % MOST_NODES
        total = key // MOST_NODES // MOST_COST
        if total != nodes.cost[node] + nodes.bound[node]:
            continue  # a cheaper way here, or a better bound, was found after it was queued
        lower = max(lower, total)
        if nodes.is_priced[node] == 0:
            if room.work[0] >= most:
                return -1, lower
            price(node, goal, relaxed, room, nodes)
            new = nodes.cost[node] + nodes.bound[node]
            if total < new < limit:
                size = enqueue(node, nodes, size)
            if limit <= new < FAR:
                dear += 1
            if new > total:
                continue
        if holds(nodes.words[node], wanted):
            return node, lower
        if count + len(relaxed.costs) > len(nodes.cost) or size + len(relaxed.costs) > len(nodes.heap):
            return -1, lower
        count, size, left = expand(node, bits, relaxed.costs, nodes, count, size, after, limit)
        dear += left
    return -1, limit if dear > 0 else FAR


def goal_bounds(start: Ints, goals: Ints, goals_start: Ints, relaxed: Relaxed, room: Prices, found: Ints) -> None:
    """Put into ``found`` what each goal costs at least."""
    for goal in range(len(found)):
        wanted = goals[goals_start[goal] : goals_start[goal + 1]]
        found[goal] = lm_cut(start, wanted, relaxed, room)


def detours(
    start: Ints, goals: Ints, goals_start: Ints, tried: Ints, dearer: int, relaxed: Relaxed, room: Prices, found: Ints
) -> None:
    """Put into ``found[i]`` what each goal costs at least if the action ``tried[i]`` were ``dearer`` than it is."""
    for i in range(len(tried)):
        relaxed.costs[tried[i]] += dearer
        goal_bounds(start, goals, goals_start, relaxed, room, found[i])
        relaxed.costs[tried[i]] -= dearer
