"""A* with LM-cut over flat arrays: loops that Numba compiles."""

from typing import Any, NamedTuple, TypeAlias

# --- LM-cut -----------------------------------------------------------------------------------------------------------

Ints: TypeAlias = Any  # a numpy array of int64

UNREACHABLE_COST = 1 << 40  # the price of what cannot be reached
NO_SUPPORTER = -1


class RelaxedTask(NamedTuple):
    """Actions without their deletes, both ways: what each one needs and adds, and who needs or adds each fact.

    Lists of lists are flat: those of ``i`` stand from ``start[i]`` to before ``start[i + 1]``.
    """

    needs: Ints
    needs_start: Ints
    adds: Ints
    adds_start: Ints
    needed_by: Ints
    needed_start: Ints
    added_by: Ints
    added_start: Ints
    costs: Ints


class LmCutWorkspace(NamedTuple):
    """Room for one computation: it is allotted once and used for every state."""

    costs: Ints  # what is left of each action's cost
    price: Ints  # of each fact
    supporter: Ints  # the dearest precondition of each action
    waiting: Ints  # how many preconditions of each action have no price yet
    heap: Ints
    zone: Ints  # 1: the goal is free from here; 2: reached without entering that zone
    stack: Ints
    cut: Ints
    work: Ints  # one number: how many times a fact was looked at, since it was last set to 0


def push(heap: Ints, size: int, key: int) -> int:
    """Add a key to a binary heap; return its new size."""
    i = size
    while i > 0 and heap[(i - 1) >> 1] > key:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = key
    return size + 1


def pop(heap: Ints, size: int) -> int:
    """Take the least key, heap[0], out of a binary heap; return its new size."""
    size -= 1
    key = heap[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    return size


def lower_cost(fact: int, price: int, room: LmCutWorkspace, size: int) -> int:
    """Price a fact if that is cheaper than before; return the size of the heap."""
    if price < room.price[fact]:
        room.price[fact] = price
        return push(room.heap, size, price * len(room.price) + fact)
    return size


def propagate_effects(action: int, task: RelaxedTask, room: LmCutWorkspace, size: int) -> int:
    """Price what an action adds."""
    total = room.price[room.supporter[action]] + room.costs[action]
    for i in range(task.adds_start[action], task.adds_start[action + 1]):
        size = lower_cost(task.adds[i], total, room, size)
    return size


def compute_hmax(state: Ints, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Price every fact from ``state``, a list of the facts that hold."""
    facts = len(room.price)
    room.price[:] = UNREACHABLE_COST
    for action in range(len(task.costs)):
        room.waiting[action] = task.needs_start[action + 1] - task.needs_start[action]
        room.supporter[action] = NO_SUPPORTER
    size = 0
    for fact in state:
        size = lower_cost(fact, 0, room, size)
    while size > 0:
        key = room.heap[0]
        size = pop(room.heap, size)
        room.work[0] += 1
        fact = key % facts
        if key // facts > room.price[fact]:
            continue
        for i in range(task.needed_start[fact], task.needed_start[fact + 1]):
            action = task.needed_by[i]
            room.waiting[action] -= 1
            if room.waiting[action] == 0:
                room.supporter[action] = fact  # facts come in the order of their prices: the last is the dearest
                size = propagate_effects(action, task, room, size)


def find_supporter(action: int, task: RelaxedTask, room: LmCutWorkspace) -> int:
    """Return the dearest precondition of an action."""
    best = task.needs[task.needs_start[action]]
    for i in range(task.needs_start[action] + 1, task.needs_start[action + 1]):
        if room.price[task.needs[i]] > room.price[best]:
            best = task.needs[i]
    return int(best)


def update_hmax(cut: int, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Price anew what became cheaper, after the first ``cut`` actions of ``room.cut`` did."""
    facts = len(room.price)
    size = 0
    for i in range(cut):
        size = propagate_effects(room.cut[i], task, room, size)
    while size > 0:
        key = room.heap[0]
        size = pop(room.heap, size)
        room.work[0] += 1
        fact = key % facts
        if key // facts > room.price[fact]:
            continue
        for i in range(task.needed_start[fact], task.needed_start[fact + 1]):
            action = task.needed_by[i]
            if room.supporter[action] == fact:
                room.supporter[action] = find_supporter(action, task, room)
                size = propagate_effects(action, task, room, size)


def costliest_goal_fact(goal: Ints, room: LmCutWorkspace) -> int:
    """Return the dearest fact of the goal."""
    best = goal[0]
    for fact in goal:
        if room.price[fact] > room.price[best]:
            best = fact
    return int(best)


def mark_goal_zone(fact: int, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Mark the facts from which ``fact`` costs nothing more."""
    room.zone[:] = 0
    room.zone[fact] = 1
    room.stack[0] = fact
    size = 1
    while size > 0:
        size -= 1
        room.work[0] += 1
        fact = room.stack[size]
        for i in range(task.added_start[fact], task.added_start[fact + 1]):
            action = task.added_by[i]
            supporter = room.supporter[action]
            if room.costs[action] == 0 and supporter != NO_SUPPORTER and room.zone[supporter] == 0:
                room.zone[supporter] = 1
                room.stack[size] = supporter
                size += 1


def enters_goal_zone(action: int, task: RelaxedTask, room: LmCutWorkspace) -> bool:
    """Whether an action adds a fact of the goal's zone."""
    for i in range(task.adds_start[action], task.adds_start[action + 1]):
        if room.zone[task.adds[i]] == 1:
            return True
    return False


def find_cut(state: Ints, task: RelaxedTask, room: LmCutWorkspace) -> int:
    """Collect the actions that lead from outside into the goal's zone; return how many there are."""
    size, cut = 0, 0
    for fact in state:
        if room.zone[fact] == 0:
            room.zone[fact] = 2
            room.stack[size] = fact
            size += 1
    while size > 0:
        size -= 1
        room.work[0] += 1
        fact = room.stack[size]
        for i in range(task.needed_start[fact], task.needed_start[fact + 1]):
            action = task.needed_by[i]
            if room.supporter[action] != fact:
                continue
            if enters_goal_zone(action, task, room):
                room.cut[cut] = action
                cut += 1
                continue
            for j in range(task.adds_start[action], task.adds_start[action + 1]):
                added = task.adds[j]
                if room.zone[added] == 0:
                    room.zone[added] = 2
                    room.stack[size] = added
                    size += 1
    return cut


def lm_cut(state: Ints, goal: Ints, task: RelaxedTask, room: LmCutWorkspace) -> int:
    """Return a lower bound on the cost from ``state`` to ``goal``; FAR if even without deletes there is no way."""
    room.costs[:] = task.costs
    compute_hmax(state, task, room)
    total = 0
    while True:
        fact = costliest_goal_fact(goal, room)
        if room.price[fact] == 0:
            return total
        if room.price[fact] >= UNREACHABLE_COST:
            return UNREACHABLE_COST
        mark_goal_zone(fact, task, room)
        cut = find_cut(state, task, room)
        least = UNREACHABLE_COST
        for i in range(cut):
            least = min(least, room.costs[room.cut[i]])
        total += least
        for i in range(cut):
            room.costs[room.cut[i]] -= least
        update_hmax(cut, task, room)


# --- A* ---------------------------------------------------------------------------------------------------------------

BITS_PER_WORD = 62  # facts a word: signed numbers of 64 bits, none of them negative
HASH_STEP = 1_000_003
HASH_RANGE = (1 << 31) - 1
MAX_NODES = 1 << 20
MAX_PLAN_COST = 1 << 21  # of a plan; with the number of a node, two of them fit into one key of the queue


class ActionBits(NamedTuple):
    """Actions on words of facts, one row an action."""

    needs: Ints
    adds: Ints
    deletes: Ints


class SearchNodes(NamedTuple):
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


def find_slot(words: Ints, nodes: SearchNodes) -> int:
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


def evaluate_node(node: int, goal: Ints, relaxed: RelaxedTask, room: LmCutWorkspace, nodes: SearchNodes) -> None:
    """Compute the bound of a node, unless that of its parent is better."""
    size = 0
    for i in range(nodes.words.shape[1]):
        word = nodes.words[node, i]
        at = i * BITS_PER_WORD
        while word:
            if word & 1:
                nodes.facts[size] = at
                size += 1
            word >>= 1
            at += 1
    bound = lm_cut(nodes.facts[:size], goal, relaxed, room)
    nodes.bound[node] = max(nodes.bound[node], bound)
    nodes.is_priced[node] = 1


def enqueue(node: int, nodes: SearchNodes, size: int) -> int:
    """Queue a node: the least total first, then the nearest to the goal, then the newest."""
    total = nodes.cost[node] + nodes.bound[node]
    key = (total * MAX_PLAN_COST + nodes.bound[node]) * MAX_NODES + (MAX_NODES - 1 - node)
    return push(nodes.heap, size, key)


def record_state(after: Ints, parent: int, action: int, total: int, bound: int, nodes: SearchNodes, count: int) -> int:
    """Note that a state can be reached at a cost of ``total``; return its node, or -1 if that is no news."""
    slot = find_slot(after, nodes)
    found = nodes.table[slot]
    if found < 0:
        found = count
        nodes.table[slot] = found
        nodes.words[found] = after
        nodes.bound[found] = bound
        nodes.is_priced[found] = 0
    elif total >= nodes.cost[found] or nodes.bound[found] >= UNREACHABLE_COST:
        return -1
    nodes.cost[found] = total
    nodes.parent[found] = parent
    nodes.action[found] = action
    return int(found)


def expand(
    node: int, bits: ActionBits, costs: Ints, nodes: SearchNodes, count: int, size: int, after: Ints, limit: int
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
        found = record_state(after, node, action, total, bound, nodes, count)
        if found < 0:
            continue
        count = max(count, found + 1)
        if nodes.cost[found] + nodes.bound[found] < limit:
            size = enqueue(found, nodes, size)
        else:
            dear += 1
    return count, size, dear


def start_search(start: Ints, nodes: SearchNodes) -> int:
    """Queue the first state; return the size of the queue."""
    nodes.table[:] = -1
    nodes.words[0] = start
    nodes.cost[0] = 0
    nodes.bound[0] = 0
    nodes.is_priced[0] = 0
    nodes.parent[0] = -1
    nodes.action[0] = -1
    nodes.table[find_slot(start, nodes)] = 0
    return enqueue(0, nodes, 0)


def search(
    start: Ints,
    goal: Ints,
    wanted: Ints,
    bits: ActionBits,
    relaxed: RelaxedTask,
    room: LmCutWorkspace,
    nodes: SearchNodes,
    most: int,
    limit: int,
) -> tuple[int, int]:
    """Return the node of the goal or -1, and what every plan costs at least; ``room.work`` says how much work it was.

    ``goal`` lists the facts that ``wanted`` has as bits. The search ends at a plan, after ``most`` work, or when no
    plan costs less than ``limit``. The least cost is FAR if there is no plan.
    """
    room.work[0] = 0
    size = start_search(start, nodes)
    after = start.copy()
    count, lower, dear = 1, 0, 0
    while size > 0:
        key = nodes.heap[0]
        size = pop(nodes.heap, size)
        node = MAX_NODES - 1 - key % MAX_NODES
        total = key // MAX_NODES // MAX_PLAN_COST
        if total != nodes.cost[node] + nodes.bound[node]:
            continue  # a cheaper way here, or a better bound, was found after it was queued
        lower = max(lower, total)
        if nodes.is_priced[node] == 0:
            if room.work[0] >= most:
                return -1, lower
            evaluate_node(node, goal, relaxed, room, nodes)
            new = nodes.cost[node] + nodes.bound[node]
            if total < new < limit:
                size = enqueue(node, nodes, size)
            if limit <= new < UNREACHABLE_COST:
                dear += 1
            if new > total:
                continue
        if holds(nodes.words[node], wanted):
            return node, lower
        if count + len(relaxed.costs) > len(nodes.cost) or size + len(relaxed.costs) > len(nodes.heap):
            return -1, lower
        count, size, left = expand(node, bits, relaxed.costs, nodes, count, size, after, limit)
        dear += left
    return -1, limit if dear > 0 else UNREACHABLE_COST


def goal_bounds(
    start: Ints, goals: Ints, goals_start: Ints, relaxed: RelaxedTask, room: LmCutWorkspace, found: Ints
) -> None:
    """Put into ``found`` what each goal costs at least."""
    for goal in range(len(found)):
        wanted = goals[goals_start[goal] : goals_start[goal + 1]]
        found[goal] = lm_cut(start, wanted, relaxed, room)


def detour_bounds(
    start: Ints,
    goals: Ints,
    goals_start: Ints,
    tried: Ints,
    dearer: int,
    relaxed: RelaxedTask,
    room: LmCutWorkspace,
    found: Ints,
) -> None:
    """Put into ``found[i]`` what each goal costs at least if the action ``tried[i]`` were ``dearer`` than it is."""
    for i in range(len(tried)):
        relaxed.costs[tried[i]] += dearer
        goal_bounds(start, goals, goals_start, relaxed, room, found[i])
        relaxed.costs[tried[i]] -= dearer
