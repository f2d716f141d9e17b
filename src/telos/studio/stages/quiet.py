"""A stage that offers little: worlds inherit it, and answer what concerns them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from telos.core.errors import TelosError
from telos.core.values import Value
from telos.studio.drawing.shapes import Symbols
from telos.studio.minds.sheet import MindSheet
from telos.studio.stage import Model, Poke


class QuietStage:
    """Nobody is read, nobody has a mind, nothing can be poked: the answers of a world that has none."""

    symbols: Symbols = MappingProxyType({})
    keys: tuple[tuple[str, str, str], ...] = ()
    unit: str = "s"
    watched: str | None = None
    awaits: bool = False

    @property
    def over(self) -> bool:
        """Whether there is nothing left to play."""
        return False

    @property
    def truth(self) -> str | None:
        """The goal that the watched player has, if it is known."""
        return None

    @property
    def lesson(self) -> str | None:
        """The goal that recognisers may learn from now."""
        return None

    def models(self) -> Sequence[Model]:
        """Return the files behind the game."""
        return ()

    def apply(self, name: str, text: str) -> str:
        """Put a model into force in the world itself."""
        return ""

    def bands(self) -> Mapping[str, str]:
        """Return for each row of the timeline what is shown in it now."""
        return {}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return curves beside the beliefs."""
        return {}

    def facts(self) -> Mapping[str, Value]:
        """Return what a pause on a condition may ask about."""
        return {}

    def characters(self) -> Sequence[str]:
        """Return those whose minds can be looked into."""
        return ()

    def mind(self, who: str) -> MindSheet | None:
        """Return a mind on paper."""
        return None

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        raise TelosError(f"nobody called {who!r} can be asked here")

    def pokes(self) -> Sequence[Poke]:
        """Return what an onlooker may do now."""
        return ()

    def commands(self) -> Sequence[str]:
        """Return what the player may be told by word now."""
        return ()

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game so far as a file that other commands of Telos read."""
        return None
