"""What the companion's goals are good for: the plan that each serves, what others may count on, and requests."""

from typing import NamedTuple


class Request(NamedTuple):
    """Something that may be asked for: its name in the domain, the goal that answers it, and where it is a stay.

    A fire and a shoulder are wanted until the player has come there and left; a basket is brought, and that is that.
    """

    asked: str
    goal: str
    stays: str | None = None


# Which plan each goal serves that comes from reading; the others are asked for, or manners.
SERVES = {"tend_fire": "key", "bring_hammer": "force", "lend_shoulder": "force", "do_favour": "spare"}

# By what the player may mean.
REQUESTS = {
    "fire": Request("for_fire", "make_fire", stays="forge"),
    "bellows": Request("for_bellows", "blow", stays="forge"),
    "hammer": Request("for_hammer", "get_hammer"),
    "shoulder": Request("for_shoulder", "push", stays="door"),
    "apples": Request("for_apples", "get_apples"),
    "move": Request("to_move", "move_over"),
}

# What is promised by taking up a goal; getting out of the way is nothing to count on.
PROMISES = {"tend_fire": "fire", "bring_hammer": "hammer", "lend_shoulder": "shoulder", "do_favour": "apples"} | {
    request.goal: means for means, request in REQUESTS.items() if means != "move"
}

# The plan that a promise is part of.
PLAN_OF = {"fire": "key", "bellows": "key", "hammer": "force", "shoulder": "force", "apples": "spare"}
