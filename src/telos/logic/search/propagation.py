"""Unit propagation: what follows from clauses one by one, and which of them clash."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import TypeAlias

Wanted: TypeAlias = tuple[int, int]  # an atom, and the value (0 or 1) that makes the literal true


def clashing(clauses: Sequence[Sequence[Wanted]]) -> list[int] | None:
    """Return clauses that contradict each other by single steps of reasoning, or None if such steps find nothing.

    That there are none proves nothing, and those returned need not be as few as possible.

    >>> clashing([[(0, 1)], [(2, 1)], [(0, 0), (1, 1)], [(1, 0)]])
    [0, 2, 3]
    """
    found: dict[int, tuple[int, int]] = {}  # of each atom that is decided: its value, and the clause that decided it
    places = defaultdict(list)
    for number, clause in enumerate(clauses):
        for literal in clause:
            places[literal].append(number)
    queue = deque(number for number, clause in enumerate(clauses) if len(clause) <= 1)
    while queue:
        number = queue.popleft()
        open_ones = [(atom, wanted) for atom, wanted in clauses[number] if atom not in found]
        if any(found[atom][0] == wanted for atom, wanted in clauses[number] if atom in found):
            continue
        if not open_ones:
            return _reasons(number, clauses, found)
        if len(set(open_ones)) == 1:
            atom, wanted = open_ones[0]
            found[atom] = (wanted, number)
            queue.extend(places[atom, 1 - wanted])
    return None


def _reasons(clash: int, clauses: Sequence[Sequence[Wanted]], found: dict[int, tuple[int, int]]) -> list[int]:
    """Return the clauses that led to a clash, and the one that clashed."""
    seen, waiting = {clash}, [clash]
    while waiting:
        for atom, _ in clauses[waiting.pop()]:
            reason = found[atom][1] if atom in found else clash
            if reason not in seen:
                seen.add(reason)
                waiting.append(reason)
    return sorted(seen)
