"""The company of the adventure on stage: what minds, the companion and the director have to say."""

from collections.abc import Mapping

from telos.agents.explaining import why_not
from telos.core.errors import TelosError, name_hint
from telos.core.values import Value
from telos.studio.minds.of_mind import sheet_of
from telos.studio.minds.sheet import MindSheet
from telos.studio.stage import Happening
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.minds import COMPANION
from telos.worlds.adventure.records import Adapted, Said
from telos.worlds.adventure.views import AdventureView

_GAME = "game"


class Listener:
    """Hears the trace of a game, and keeps what is worth telling until it is told."""

    def __init__(self) -> None:
        self._heard: list[Said | Adapted] = []

    def __call__(self, record: object) -> None:
        """Take in a record of the trace."""
        if isinstance(record, Said | Adapted):
            self._heard.append(record)

    def told(self, game: Adventure) -> list[Happening]:
        """Return what was heard since the last time."""
        if not self._heard:
            return []
        heard, self._heard = self._heard, []
        return [_happening(record, game) for record in heard]


def _happening(record: Said | Adapted, game: Adventure) -> Happening:
    if isinstance(record, Said):
        return Happening(record.time, record.who, record.text, "said", why=_reading(game))
    director = None if game.reading is None else game.reading.director
    pay = ", ".join(f"a {what} pays {factor:.0%}" for what, factor in record.pay.items()) or "all pays as ever"
    return Happening(record.time, _GAME, record.hint or pay, "game", why=director.why() if director is not None else "")


def _reading(game: Adventure) -> str:
    belief = game.belief
    return "" if belief is None else "It believes: " + ", ".join(f"{goal} {p:.0%}" for goal, p in belief.items())


def company_sheet(game: Adventure, view: AdventureView, who: str) -> MindSheet | None:
    """Return the mind of the companion or of a monster on paper; None if there is nobody of that name now."""
    mind = game.minds.get(who)
    if mind is None:
        return None
    if who != COMPANION:
        return sheet_of(mind, view.time, about=who.partition("-")[0])
    lines = [(said.time, said.text) for said in game.lines]
    name = game.rules.companion.name if game.rules.companion is not None else who
    return sheet_of(mind, view.time, about=f"{name}, your companion. {_reading(game)}", lines=lines)


def company_why_not(game: Adventure, who: str, what: str) -> str:
    """Say why somebody with a mind does not pursue a goal, or does not do an action."""
    minds = game.minds
    if who not in minds:
        raise TelosError(
            f"nobody called {who!r} can be asked here", f"{name_hint(who, minds) if minds else 'take `wilds`'}"
        )
    return why_not(minds[who], what)


def company_bands(game: Adventure, view: AdventureView) -> Mapping[str, str]:
    """Return what the companion is after."""
    rules = game.rules.companion
    if rules is None:
        return {}
    return {rules.name: (view.companion.goal or "") if view.companion is not None else ""}


def company_curves(game: Adventure) -> Mapping[str, Mapping[str, float]]:
    """Return what a kill and a chest still pay, where a director sees to that."""
    if game.reading is None:
        return {}
    pay = game.pay
    return {"pays": {what: min(1.0, pay.get(what, 1.0)) for what in ("kill", "chest")}}


def company_facts(game: Adventure, view: AdventureView) -> Mapping[str, Value]:
    """Return what a pause on a condition may ask about the company."""
    rules, companion = game.rules.companion, view.companion
    if rules is None:
        return {}
    told = {"goal": "", "doing": "away", "reading": ""}
    if companion is not None:
        told = {"goal": companion.goal or "", "doing": companion.doing, "reading": companion.reading or ""}
    return {**{f"{rules.name}.{name}": value for name, value in told.items()}, "pay": game.pay.get("kill", 1.0)}
