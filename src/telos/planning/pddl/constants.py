"""What never changes is compiled away: conditions on it are settled once, when the task is grounded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from telos.planning.pddl.grounding import Ground, GroundAction
from telos.planning.pddl.model import Fact


@dataclass(frozen=True, slots=True)
class Changing:
    """The facts that change, and actions that speak only of them; every other fact is as it was at the start."""

    actions: tuple[GroundAction, ...]
    facts: frozenset[Fact]


def without_constants(ground: Ground, init: frozenset[Fact]) -> Changing:
    """Drop actions that can never be possible, and conditions and effects that can never matter."""
    actions: Sequence[GroundAction] = ground.actions
    while True:
        deleted = frozenset[Fact]().union(*(action.deletes for action in actions))
        added = frozenset[Fact]().union(*(action.adds for action in actions))
        for_ever = init - deleted
        can_hold = init | added
        kept = [each for each in actions if not each.forbids & for_ever and each.needs <= can_hold]
        if len(kept) == len(actions):
            break
        actions = kept  # what only the dropped ones changed is constant now
    changing = frozenset((added - init) | (deleted & init))
    return Changing(tuple(_only(action, changing) for action in actions), changing)


def _only(action: GroundAction, changing: frozenset[Fact]) -> GroundAction:
    return replace(
        action,
        needs=action.needs & changing,
        forbids=action.forbids & changing,
        adds=action.adds & changing,
        deletes=action.deletes & changing,
    )
