"""Overall-utility look-ahead: the sequence of actions that leaves the least discontentment."""

from collections.abc import Callable
from typing import TypeAlias

from telos.choosing.bounded import search_bounded
from telos.choosing.depth_first import search_depth_first
from telos.choosing.model import WorldModel
from telos.choosing.outlook import Found, Outlook
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint

Search: TypeAlias = Callable[[WorldModel, int, bool, int], Found]

METHODS: dict[str, Search] = {"bounded": search_bounded, "depth-first": search_depth_first}


def look_ahead(
    model: WorldModel | Domain,
    depth: int,
    *,
    improving: bool = False,
    method: str = "bounded",
    budget: int = 10_000_000,
) -> Outlook:
    """Find the best sequence of ``depth`` actions: the one after which discontentment is least.

    A sequence that nothing can follow ends early and counts as it stands. Of sequences that end equally well the one
    that brings relief sooner is taken: step by step, the action that leaves less discontentment goes first, and of
    equals the one listed first. ``improving=True`` never considers an action that raises
    discontentment; that is faster, and its price is that it misses what gets worse before it gets better.

    ``method="bounded"`` gives the answer of ``"depth-first"`` faster, and remembers where it has been;
    ``"depth-first"`` is the plain search, in memory for ``depth`` models. At most ``budget`` actions are tried; an
    outlook that ran out of it is not ``complete``, and says so.

    >>> from telos.core.action import Action
    >>> from telos.core.goal import Goal
    >>> snack = Action("snack", preconditions="food >= 1", effects="food -= 1", changes={"eat": -2})
    >>> look_ahead(WorldModel([snack], [Goal("eat", 5)], state={"food": 2}), depth=3).value
    1.0
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise TelosError(f"depth must be a whole number of actions, at least 1, got {depth!r}")
    if budget < 1:
        raise TelosError(f"budget must be at least 1, got {budget!r}")
    if method not in METHODS:
        raise TelosError(f"unknown method {method!r}", name_hint(method, METHODS))
    start = WorldModel.of(model) if isinstance(model, Domain) else model
    return Outlook(start, depth, METHODS[method](start, depth, improving, budget))
