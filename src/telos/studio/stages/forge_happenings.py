"""The trace of the scene for the timeline: what was done, said, understood and wanted."""

from collections.abc import Iterable, Sequence

from telos.agents.records import Chose, Dropped
from telos.core.event import Event
from telos.studio.stage import Happening
from telos.worlds.forge.forge import COMPANION, PLAYER
from telos.worlds.forge.log import PLANS, WANTS, chances, deed
from telos.worlds.forge.records import Changed, Did, Opened, Said, Understood
from telos.worlds.forge.scene import Scene


def happenings(records: Iterable[object], deeds: Iterable[Event], scene: Scene) -> Sequence[Happening]:
    """Return the records of one step; the player's ``deeds`` are what readers are told, as the companion is."""
    told = list(deeds)
    found = []
    for record in records:
        is_deed = isinstance(record, Did) and record.who == PLAYER and bool(told)
        happening = _happening(record, told.pop(0) if is_deed else None, scene)
        if happening is not None:
            found.append(happening)
    return found


def _happening(record: object, event: Event | None, scene: Scene) -> Happening | None:
    match record:
        case Did():
            return Happening(record.time, record.who, deed(record.action), event=event)
        case Said():
            return Happening(record.time, record.who, f"“{record.text}”", "said")
        case Understood():
            label = f"understands: {record.means or 'nothing'}"
            return Happening(record.time, COMPANION, label, "game", why=_heard(record, scene))
        case Chose():
            why = record.why if scene.companion is None else f"{record.why}\n{scene.companion.why()}"
            return Happening(record.time, COMPANION, f"wants to {WANTS[record.goal]}", "game", why=why)
        case Dropped():
            return Happening(record.time, COMPANION, f"gives up to {WANTS[record.goal]}", "game", why=record.why)
        case Changed():
            return Happening(record.time, record.who, f"thinks better of it: {PLANS[record.now]}", "game")
        case Opened():
            return Happening(record.time, record.who, f"opens the door: {PLANS[record.plan]}", "goal")
    return None


def _heard(record: Understood, scene: Scene) -> str:
    if scene.companion is not None and scene.companion.heard is not None:
        return scene.companion.heard.why()
    return chances(dict(record.options))
