"""Talk under way, as values: an occasion that waits for its moment, and a conversation between two lines."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.squads.lines_exchange import Exchange, Turn, spoken_to
from telos.squads.utterances import Occasion


@dataclass(frozen=True, slots=True)
class Waiting:
    """An occasion nobody has talked about yet; ``passed`` are the exchanges that chance has decided against."""

    occasion: Occasion
    passed: frozenset[str] = frozenset()

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"occasion": save_occasion(self.occasion), "passed": sorted(self.passed)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Waiting":
        """Return what was saved."""
        return cls(restored_occasion(saved["occasion"]), frozenset(saved["passed"]))


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its exchange and cast, which turn is next, and when. ``missing`` no longer answers."""

    exchange: str
    occasion: Occasion
    cast: FrozenMap[str, str]
    due: float
    next: int = 0
    spoken: int = 0
    missing: str | None = None

    def turn(self, exchange: Exchange) -> Turn | None:
        """Return the next turn, if there is one."""
        turns = self.turns(exchange)
        return turns[self.next] if self.next < len(turns) else None

    def turns(self, exchange: Exchange) -> tuple[Turn, ...]:
        """Return what there is to say: the exchange as it was meant, or what is said when no answer comes."""
        return exchange.turns if self.missing is None else exchange.unanswered

    def passed_on(self, exchange: Exchange) -> "Talk":
        """Return the conversation when somebody else's turn comes; until then, turns are alternatives."""
        turns = self.turns(exchange)
        others = (i for i in range(self.next, len(turns)) if turns[i].role != turns[self.next].role)
        return replace(self, next=next(others, len(turns)))

    def addressee(self, exchange: Exchange) -> str | None:
        """Return who is spoken to by the next turn; None for the squad as a whole."""
        in_order = self.missing is None
        return self.cast.get(exchange.addressee(self.next) if in_order else spoken_to(exchange.unanswered[self.next]))

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        own = {"exchange": self.exchange, "due": self.due, "next": self.next, "spoken": self.spoken}
        cast = [[role, name] for role, name in self.cast.items()]
        return {**own, "missing": self.missing, "cast": cast, "occasion": save_occasion(self.occasion)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Talk":
        """Return what was saved."""
        own = {key: saved[key] for key in ("exchange", "due", "next", "spoken", "missing")}
        cast = FrozenMap(dict(saved["cast"]))
        return cls(occasion=restored_occasion(saved["occasion"]), cast=cast, **own)


def save_occasion(occasion: Occasion) -> dict[str, Any]:
    """Return an occasion as plain data."""
    return {"kind": occasion.kind, "time": occasion.time, "who": occasion.who, "about": _plain(occasion.about)}


def restored_occasion(saved: Mapping[str, Any]) -> Occasion:
    """Return the occasion that was saved."""
    return Occasion(saved["kind"], saved["time"], saved["who"], _frozen(saved["about"]))


def _plain(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _frozen(value: Value) -> Value:
    if isinstance(value, Mapping):
        return FrozenMap({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
