"""Who takes which part in an exchange: always different people, and those who talk are able to and near enough."""

from collections.abc import Callable, Mapping

from telos.squads.dialogue_stage import Stage
from telos.squads.lines_exchange import Exchange
from telos.squads.utterances import Occasion

# First words of orders, as squad behaviours give them.
_TO_SUPPRESS = ("suppress",)
_TO_MOVE = ("take", "cover", "advance", "lead", "search", "go", "move")


def cast(exchange: Exchange, occasion: Occasion, stage: Stage) -> dict[str, str] | None:
    """Return the name for each role; None if somebody cannot be found."""
    found: dict[str, str] = {}
    # Comrades come last, whatever the order in the file: they are whoever is left.
    for role in sorted(exchange.roles, key=lambda role: exchange.roles[role] == "comrade"):
        voices = [found[each] for each in found if each in exchange.voices and stage.able(found[each])]
        name = _WAYS[exchange.roles[role]](occasion, stage, found)
        if name is None or name in found.values():
            return None  # nobody gives himself orders, or asks himself how he is
        if role in exchange.voices and not _can_talk(name, voices, occasion, stage):
            return None
        found[role] = name
    return found


def _can_talk(name: str, voices: list[str], occasion: Occasion, stage: Stage) -> bool:
    if not stage.able(name) or stage.speakers[name].side != stage.speakers[occasion.who].side:
        return False
    return all(stage.in_earshot(name, other) for other in [*voices, occasion.who])


def _leader(occasion: Occasion, stage: Stage, _: Mapping[str, str]) -> str | None:
    ranked = sorted(stage.squad(occasion.who), key=lambda mate: (-mate.rank, mate.name))
    return next((mate.name for mate in ranked if stage.able(mate.name)), None)


def _comrade(occasion: Occasion, stage: Stage, found: Mapping[str, str]) -> str | None:
    taken = {occasion.who, *found.values()}
    return next((mate.name for mate in stage.comrades(occasion.who) if mate.name not in taken), None)


def _target(occasion: Occasion, _: Stage, __: Mapping[str, str]) -> str | None:
    target = occasion.about.get("target")
    return str(target) if target is not None else None


def _ordered_to(tasks: tuple[str, ...]) -> Callable[[Occasion, Stage, Mapping[str, str]], str | None]:
    def find(occasion: Occasion, stage: Stage, _: Mapping[str, str]) -> str | None:
        orders = occasion.about.get("orders") or {}
        fitting = (name for name, order in orders.items() if _task(order) in tasks)
        return next((name for name in fitting if stage.able(name)), None)

    return find


def _task(order: object) -> str:
    """Return the first word of an order.

    >>> _task("suppress Bert"), _task("take cover at c3"), _task("")
    ('suppress', 'take', '')
    """
    return next(iter(str(order).lower().split()), "")


_WAYS: dict[str, Callable[[Occasion, Stage, Mapping[str, str]], str | None]] = {
    "who": lambda occasion, _, __: occasion.who,
    "leader": _leader,
    "comrade": _comrade,
    "target": _target,
    "mover": _ordered_to(_TO_MOVE),
    "suppressor": _ordered_to(_TO_SUPPRESS),
}
