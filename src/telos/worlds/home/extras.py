"""Things and deeds that no house has from the start: an onlooker brings them about."""

from dataclasses import replace

from telos.core.action import Action
from telos.worlds.home.house import FRIDGE, Deed, Thing

SECOND_FRIDGE = "second_fridge"
POWERED = frozenset({"sofa", "console"})  # what is no good without power: one sits on the sofa for the television

# Nobody chooses it: it is what an alarm makes everybody do.
GATHER = Deed(Action("gather", duration=10), "waits in the hall", "idle")


def second_fridge() -> Thing:
    """Return another fridge, which posts what the first one does.

    >>> [action.name for action in second_fridge().posted.actions]
    ['second_fridge.get-snack', 'second_fridge.take-ingredients']
    """
    deeds = [replace(deed, words=deed.words.replace("the fridge", "the second fridge")) for deed in FRIDGE.deeds]
    return Thing(SECOND_FRIDGE, "R", tuple(deeds), variables=FRIDGE.variables)
