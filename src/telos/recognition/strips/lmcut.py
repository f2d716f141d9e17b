"""LM-cut: a lower bound on what it costs to reach a goal, made of disjoint sets of actions of which one must happen.

This is ordinary Python on arrays, compiled by Numba where that is installed (``telos.core.kernels``). After Helmert and
Domshlak, "Landmarks, critical paths and abstractions: what's the difference anyway?" (2009). Costs are whole numbers.

``h_max`` prices every fact by its dearest precondition. The cheapest-last actions that lead into the zone from which
the goal is free are a landmark: one of them must be done. Its price is counted, taken off their costs, and so on until
the goal is free.
"""

from typing import Any, NamedTuple, TypeAlias

Ints: TypeAlias = Any  # a numpy array of int64

FAR = 1 << 40  # the price of what cannot be reached
NOBODY = -1


class Relaxed(NamedTuple):
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


class Prices(NamedTuple):
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


def offer(fact: int, price: int, room: Prices, size: int) -> int:
    """Price a fact if that is cheaper than before; return the size of the heap."""
    if price < room.price[fact]:
        room.price[fact] = price
        return push(room.heap, size, price * len(room.price) + fact)
    return size


def offer_effects(action: int, task: Relaxed, room: Prices, size: int) -> int:
    """Price what an action adds."""
    total = room.price[room.supporter[action]] + room.costs[action]
    for i in range(task.adds_start[action], task.adds_start[action + 1]):
        size = offer(task.adds[i], total, room, size)
    return size


def price_all(state: Ints, task: Relaxed, room: Prices) -> None:
    """Price every fact from ``state``, a list of the facts that hold."""
    facts = len(room.price)
    room.price[:] = FAR
    for action in range(len(task.costs)):
        room.waiting[action] = task.needs_start[action + 1] - task.needs_start[action]
        room.supporter[action] = NOBODY
    size = 0
    for fact in state:
        size = offer(fact, 0, room, size)
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
                size = offer_effects(action, task, room, size)


def dearest(action: int, task: Relaxed, room: Prices) -> int:
    """Return the dearest precondition of an action."""
    best = task.needs[task.needs_start[action]]
    for i in range(task.needs_start[action] + 1, task.needs_start[action + 1]):
        if room.price[task.needs[i]] > room.price[best]:
            best = task.needs[i]
    return int(best)


def reprice(cut: int, task: Relaxed, room: Prices) -> None:
    """Price anew what became cheaper, after the first ``cut`` actions of ``room.cut`` did."""
    facts = len(room.price)
    size = 0
    for i in range(cut):
        size = offer_effects(room.cut[i], task, room, size)
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
                room.supporter[action] = dearest(action, task, room)
                size = offer_effects(action, task, room, size)


def dearest_goal(goal: Ints, room: Prices) -> int:
    """Return the dearest fact of the goal."""
    best = goal[0]
    for fact in goal:
        if room.price[fact] > room.price[best]:
            best = fact
    return int(best)


def mark_zone(fact: int, task: Relaxed, room: Prices) -> None:
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
            if room.costs[action] == 0 and supporter != NOBODY and room.zone[supporter] == 0:
                room.zone[supporter] = 1
                room.stack[size] = supporter
                size += 1


def enters(action: int, task: Relaxed, room: Prices) -> bool:
    """Whether an action adds a fact of the goal's zone."""
    for i in range(task.adds_start[action], task.adds_start[action + 1]):
        if room.zone[task.adds[i]] == 1:
            return True
    return False


def find_cut(state: Ints, task: Relaxed, room: Prices) -> int:
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
            if enters(action, task, room):
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


def lm_cut(state: Ints, goal: Ints, task: Relaxed, room: Prices) -> int:
    """Return a lower bound on the cost from ``state`` to ``goal``; FAR if even without deletes there is no way."""
    room.costs[:] = task.costs
    price_all(state, task, room)
    total = 0
    while True:
        fact = dearest_goal(goal, room)
        if room.price[fact] == 0:
            return total
        if room.price[fact] >= FAR:
            return FAR
        mark_zone(fact, task, room)
        cut = find_cut(state, task, room)
        least = FAR
        for i in range(cut):
            least = min(least, room.costs[room.cut[i]])
        total += least
        for i in range(cut):
            room.costs[room.cut[i]] -= least
        reprice(cut, task, room)
