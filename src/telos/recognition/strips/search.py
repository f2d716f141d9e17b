"""A* with the LM-cut heuristic over flat arrays: plain Python that Numba compiles (``telos.core.kernels``).

LM-cut (Helmert and Domshlak, 2009) is a lower bound on the cost of a goal: ``h_max`` gives every fact the cost of its
costliest precondition; the cheapest actions that lead into the zone from which the goal is free are a landmark, one of
which must happen. Its cost is added to the bound and subtracted from those actions, until the goal is free.

Below a state whose landmarks are known, the bound is incremental (Pommerening and Helmert, 2013): a landmark that does
not contain the action remains one for the successor, so only the others are computed again.

A* searches over sets of facts, a row of words with ``BITS_PER_WORD`` facts each. States are queued with the bound of
their parent and evaluated only when they reach the front: most never do. Successors by an action of a landmark come
first. With a weight on the bound above 1 the same search is greedy: its plan is an upper bound. Costs are integers.
"""

from typing import Any, NamedTuple, TypeAlias

# --- LM-cut -----------------------------------------------------------------------------------------------------------

Ints: TypeAlias = Any  # a numpy array of int64
# A call passes every field of its tuples of arrays: inlined, a search takes a tenth of the time.
INLINED = ("push", "pop", "lower_cost", "propagate_effects", "find_supporter", "enters_goal_zone", "holds")

UNREACHABLE_COST = 1 << 40  # the cost of unreachable facts
NO_SUPPORTER = -1


class RelaxedTask(NamedTuple):
    """The delete relaxation, indexed both ways: the facts of each action, and the actions of each fact.

    Lists of lists are flat: those of ``i`` stand from ``start[i]`` to before ``start[i + 1]``.
    """

    needs: Ints
    needs_start: Ints
    needs_count: Ints
    adds: Ints
    adds_start: Ints
    needed_by: Ints
    needed_start: Ints
    added_by: Ints
    added_start: Ints
    costs: Ints


class LmCutWorkspace(NamedTuple):
    """The workspace of LM-cut, allocated once and used for every state."""

    costs: Ints  # the remaining cost of each action
    price: Ints  # the h_max cost of each fact
    supporter: Ints  # the costliest precondition of each action
    waiting: Ints  # the number of preconditions of each action without a cost yet
    heap: Ints
    zone: Ints  # 1: the goal is free from here; 2: reached without entering that zone
    stack: Ints
    cut: Ints
    work: Ints  # fact visits since this was set to 0, and their limit: then bounds are cut short
    side: Ints  # which row of the following was computed last
    owner: Ints  # two rows of landmarks: of which node, -1 for none
    count: Ints
    cut_start: Ints  # by row and landmark; actions from here to the next start
    cut_cost: Ints
    cut_actions: Ints


def push(heap: Ints, size: int, key: int) -> int:
    """Add a key to a binary heap; return its new size."""
    i = size
    while i > 0 and heap[(i - 1) >> 1] > key:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = key
    return size + 1


def pop(heap: Ints, size: int) -> int:
    """Remove the smallest key, heap[0], from a binary heap; return its new size."""
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
    """Lower the cost of a fact if ``price`` is smaller; return the size of the heap."""
    if price < room.price[fact]:
        room.price[fact] = price
        return push(room.heap, size, price * len(room.price) + fact)
    return size


def propagate_effects(action: int, task: RelaxedTask, room: LmCutWorkspace, size: int) -> int:
    """Update the costs of the facts that an action adds."""
    total = room.price[room.supporter[action]] + room.costs[action]
    for i in range(task.adds_start[action], task.adds_start[action + 1]):
        size = lower_cost(task.adds[i], total, room, size)
    return size


def compute_hmax(state: Ints, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Compute the h_max cost of every fact from ``state``, a list of true facts."""
    facts = len(room.price)
    room.price[:] = UNREACHABLE_COST
    room.waiting[:] = task.needs_count
    room.supporter[:] = NO_SUPPORTER
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
                room.supporter[action] = fact  # facts come in the order of their costs: the last is the costliest
                size = propagate_effects(action, task, room, size)


def find_supporter(action: int, task: RelaxedTask, room: LmCutWorkspace) -> int:
    """Return the costliest precondition of an action."""
    best = task.needs[task.needs_start[action]]
    for i in range(task.needs_start[action] + 1, task.needs_start[action + 1]):
        if room.price[task.needs[i]] > room.price[best]:
            best = task.needs[i]
    return int(best)


def update_hmax(cut: int, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Update h_max after the first ``cut`` actions of ``room.cut`` became cheaper."""
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
    """Return the costliest fact of the goal."""
    best = goal[0]
    for fact in goal:
        if room.price[fact] > room.price[best]:
            best = fact
    return int(best)


def mark_goal_zone(fact: int, task: RelaxedTask, room: LmCutWorkspace) -> None:
    """Mark the facts from which ``fact`` is reached at no cost."""
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
    """Collect the actions that lead into the goal's zone in ``room.cut``; return their number."""
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


def store_cut(cut: int, cost: int, room: LmCutWorkspace, side: int) -> None:
    """Store the first ``cut`` actions of ``room.cut`` as a landmark; one for which there is no room is found again."""
    count = room.count[side]
    start = room.cut_start[side, count]
    if count + 1 >= room.cut_cost.shape[1] or start + cut > room.cut_actions.shape[1]:
        return
    for i in range(cut):
        room.cut_actions[side, start + i] = room.cut[i]
    room.cut_cost[side, count] = cost
    room.cut_start[side, count + 1] = start + cut
    room.count[side] = count + 1


def keep_landmarks(action: int, room: LmCutWorkspace, side: int) -> int:
    """Charge the other row's landmarks without ``action``, and store them in this row; return their total cost."""
    other = 1 - side
    total = 0
    for each in range(room.count[other]):
        start, end = room.cut_start[other, each], room.cut_start[other, each + 1]
        is_hit = False
        for i in range(start, end):
            if room.cut_actions[other, i] == action:
                is_hit = True
                break
        if is_hit:
            continue
        cost = room.cut_cost[other, each]
        for i in range(start, end):
            room.cut[i - start] = room.cut_actions[other, i]
            room.costs[room.cut[i - start]] -= cost
        store_cut(end - start, cost, room, side)
        total += cost
    room.work[0] += room.count[other]
    return total


def lm_cut(state: Ints, goal: Ints, action: int, task: RelaxedTask, room: LmCutWorkspace) -> int:
    """Return a lower bound on the cost from ``state`` to ``goal``; UNREACHABLE_COST if it is relaxed unreachable.

    The landmarks are stored in the row ``room.side``; those of the other row are kept if ``state`` was reached by
    ``action`` from theirs (-1: compute all). The sum of the landmarks so far is a lower bound as well, so it is
    returned once the limit of ``room.work`` is reached.
    """
    side = room.side[0]
    room.count[side] = 0
    room.costs[:] = task.costs
    total = 0
    if action >= 0:
        total = keep_landmarks(action, room, side)
    compute_hmax(state, task, room)
    while True:
        fact = costliest_goal_fact(goal, room)
        if room.price[fact] == 0:
            return total
        if room.price[fact] >= UNREACHABLE_COST:
            return UNREACHABLE_COST
        if room.work[0] >= room.work[1]:
            return total
        mark_goal_zone(fact, task, room)
        cut = find_cut(state, task, room)
        least = UNREACHABLE_COST
        for i in range(cut):
            least = min(least, room.costs[room.cut[i]])
        total += least
        store_cut(cut, least, room, side)
        for i in range(cut):
            room.costs[room.cut[i]] -= least
        update_hmax(cut, task, room)


# --- A* ---------------------------------------------------------------------------------------------------------------

BITS_PER_WORD = 62  # facts per word: signed 64-bit integers that stay positive
HASH_STEP = 1_000_003
HASH_RANGE = (1 << 31) - 1
MAX_NODES = 1 << 20
PAUSED = -2  # instead of a node: the search can be resumed
MAX_PLAN_COST = 1 << 21  # of a plan; two of them and the index of a node fit into one key of the queue


class ActionBits(NamedTuple):
    """Actions as bit words, one row per action."""

    needs: Ints
    adds: Ints
    deletes: Ints


class SearchNodes(NamedTuple):
    """The states of a search, one row per state, with a hash table."""

    words: Ints
    cost: Ints
    bound: Ints  # a lower bound on the remaining cost
    parent: Ints
    action: Ints
    table: Ints
    heap: Ints
    facts: Ints  # workspace: one state as a list of facts


def find_slot(words: Ints, nodes: SearchNodes) -> int:
    """Return the slot of a state in the hash table, or the free slot for it."""
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
    """Compute the bound of a node; keep that of its parent if it is higher."""
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
    action = -1
    parent = nodes.parent[node]
    if parent >= 0 and room.owner[1 - room.side[0]] == parent:
        action = nodes.action[node]
    bound = lm_cut(nodes.facts[:size], goal, action, relaxed, room)
    room.owner[room.side[0]] = node
    nodes.bound[node] = max(nodes.bound[node], bound)


def total_cost(node: int, nodes: SearchNodes, weight: int) -> int:
    """Return the cost of a node and its bound, times ``weight``."""
    return int(nodes.cost[node] + weight * nodes.bound[node])


def enqueue(node: int, nodes: SearchNodes, size: int, weight: int) -> int:
    """Queue a node: by total cost, then by remaining cost, then the newest first."""
    total = total_cost(node, nodes, weight)
    key = (total * MAX_PLAN_COST + nodes.bound[node]) * MAX_NODES + (MAX_NODES - 1 - node)
    return push(nodes.heap, size, key)


def record_state(after: Ints, parent: int, action: int, total: int, bound: int, nodes: SearchNodes, count: int) -> int:
    """Record a state reached at a cost of ``total``; return its node, or -1 if this is no improvement."""
    slot = find_slot(after, nodes)
    found = nodes.table[slot]
    if found < 0:
        found = count
        nodes.table[slot] = found
        nodes.words[found] = after
        nodes.bound[found] = bound
    elif total >= nodes.cost[found] or nodes.bound[found] >= UNREACHABLE_COST:
        return -1
    nodes.cost[found] = total
    nodes.parent[found] = parent
    nodes.action[found] = action
    return int(found)


def expand(
    node: int,
    bits: ActionBits,
    costs: Ints,
    room: LmCutWorkspace,
    nodes: SearchNodes,
    count: int,
    size: int,
    after: Ints,
    limit: int,
    weight: int,
) -> tuple[int, int, int]:
    """Queue the successors of a node that was just evaluated; those by an action of a landmark last, to be first.

    Return the number of nodes, the size of the queue, and the number of successors pruned at ``limit``.
    """
    dear = 0
    for is_landmark in (False, True):
        for action in range(len(costs)):
            if (room.costs[action] < costs[action]) != is_landmark or not holds(nodes.words[node], bits.needs[action]):
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
                size = enqueue(found, nodes, size, weight)
            else:
                dear += 1
    return count, size, dear


def start_search(start: Ints, nodes: SearchNodes, progress: Ints, weight: int) -> None:
    """Queue the initial state."""
    nodes.table[:] = -1
    nodes.words[0] = start
    nodes.cost[0] = 0
    nodes.bound[0] = 0
    nodes.parent[0] = -1
    nodes.action[0] = -1
    nodes.table[find_slot(start, nodes)] = 0
    progress[0], progress[1], progress[2], progress[3] = enqueue(0, nodes, 0, weight), 1, 0, 0


def search(
    start: Ints,
    goal: Ints,
    wanted: Ints,
    bits: ActionBits,
    relaxed: RelaxedTask,
    room: LmCutWorkspace,
    nodes: SearchNodes,
    progress: Ints,
    most: int,
    limit: int,
    weight: int,
) -> tuple[int, int]:
    """Continue a search; return the node of the goal, -1 or PAUSED, and a lower bound on the cost of a plan.

    ``goal`` lists the facts that ``wanted`` has as bits. The search ends with a plan, or when no plan costs less than
    ``limit``; once ``room.work`` counts ``most``, it pauses, and ``progress`` holds the size of the queue, the number
    of nodes, the lower bound and the number of successors pruned. The bound is UNREACHABLE_COST if there is no plan.
    With a ``weight`` above 1 a plan is found sooner, but may not be cheapest, and the lower bound is 0 beside a plan.
    """
    after = start.copy()
    room.owner[:] = -1
    size, count, lower, dear = progress[0], progress[1], progress[2], progress[3]
    while size > 0:
        key = nodes.heap[0]
        size = pop(nodes.heap, size)
        node = MAX_NODES - 1 - key % MAX_NODES
        total = key // MAX_NODES // MAX_PLAN_COST
        if total != total_cost(node, nodes, weight):
            continue  # a cheaper path or a better bound was found after it was queued
        if weight == 1:
            lower = max(lower, total)
        if room.owner[room.side[0]] != node:
            if room.work[0] >= most:
                progress[0], progress[1] = enqueue(node, nodes, size, weight), count
                progress[2], progress[3] = lower, dear
                return PAUSED, lower
            evaluate_node(node, goal, relaxed, room, nodes)  # also if it was before: successors keep its landmarks
            new = nodes.cost[node] + nodes.bound[node]
            if limit <= new < UNREACHABLE_COST:
                dear += 1
            if total_cost(node, nodes, weight) > total:
                if new < limit:
                    size = enqueue(node, nodes, size, weight)
                continue
        if holds(nodes.words[node], wanted):
            return node, lower
        if count + len(relaxed.costs) > len(nodes.cost) or size + len(relaxed.costs) > len(nodes.heap):
            return -1, lower
        count, size, left = expand(node, bits, relaxed.costs, room, nodes, count, size, after, limit, weight)
        dear += left
        room.side[0] = 1 - room.side[0]  # the next evaluation keeps this node's landmarks
    return -1, limit if dear > 0 else UNREACHABLE_COST


def goal_bounds(
    start: Ints, goals: Ints, goals_start: Ints, relaxed: RelaxedTask, room: LmCutWorkspace, found: Ints
) -> None:
    """Write the lower bound of each goal to ``found``; stop at the limit of ``room.work``."""
    for goal in range(len(found)):
        if room.work[0] >= room.work[1]:
            return
        wanted = goals[goals_start[goal] : goals_start[goal + 1]]
        found[goal] = lm_cut(start, wanted, -1, relaxed, room)
