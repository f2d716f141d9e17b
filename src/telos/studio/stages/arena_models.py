"""The character files behind a fight: shown, checked, and put into force while it goes on."""

from collections.abc import Sequence
from functools import partial

from telos.core.errors import Fault, TelosError, name_hint
from telos.studio.stage import Model
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.kinds import character_texts, faults_in, kinds_with


class Kinds:
    """The characters of one fight, as they are written now."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle
        self._names = tuple(dict.fromkeys(each.character for each in battle.scene.cast if each.script is None))
        self._written: dict[str, str] = {}  # those that are not as the package has them

    def models(self) -> Sequence[Model]:
        """Return the files of those in the cast who have a mind."""
        texts = {**character_texts(), **self._written}
        return [
            Model(name, name, texts[name], file=f"{name}.yaml", check=partial(self._faults, name))
            for name in self._names
        ]

    def _faults(self, name: str, text: str) -> Sequence[Fault]:
        others = {other: each for other, each in self._written.items() if other != name}
        return faults_in(name, text, others)

    def apply(self, name: str, text: str) -> str:
        """Let the living go by a character that was written anew; a bad text changes nothing."""
        if name not in self._names:
            raise TelosError(f"nobody in this fight is a {name!r}", name_hint(name, self._names))
        written = {**self._written, name: text}
        renewed = self._battle.recast(kinds_with(written))
        self._written = written
        if not renewed:
            return f"Nobody alive is any different as the new {name}."
        who = ", ".join(renewed)
        return f"{who} {'goes' if len(renewed) == 1 else 'go'} by the new {name} from now on, in the bodies they have."
