"""Lines: all that a side has to say, as data, checked as a whole."""

from collections.abc import Iterable, Iterator

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.squads.lines_exchange import Exchange, Turn
from telos.squads.lines_faults import exchange_faults

__all__ = ["Exchange", "Lines", "Turn"]


class Lines:
    """Exchanges in order of priority, checked as a whole; every fault is told at once.

    >>> Lines([Exchange("status", "hit", {"hurt": "who"}, (Turn("hurt", ("I'm hit, {foe}!",)),))])
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: exchanges › status › lines › 0 › hurt › 0: unknown slot 'foe'; known: count, \
enemy, hurt, last_place, place
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._exchanges: dict[str, Exchange] = {}
        faults: list[Fault] = []
        for exchange in exchanges:
            if exchange.name in self._exchanges:
                faults.append(
                    Fault(
                        f"two exchanges are called {exchange.name!r}", suggestion="rename one", code=FaultCode.DUPLICATE
                    )
                )
            self._exchanges[exchange.name] = exchange
            faults += (fault.at("exchanges", exchange.name) for fault in exchange_faults(exchange))
        if faults:
            raise DefinitionError(faults)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges.values())

    def __len__(self) -> int:
        return len(self._exchanges)

    def __getitem__(self, name: str) -> Exchange:
        if name not in self._exchanges:
            raise TelosError(f"unknown exchange {name!r}", name_hint(name, self._exchanges))
        return self._exchanges[name]
