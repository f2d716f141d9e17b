"""What makes talk silly, whatever the lines say: asked before an exchange begins, and before each of its lines."""

import math
from collections.abc import Callable

from telos.squads.dialogue_stage import Stage
from telos.squads.utterances import Occasion

STALE = 2.5  # seconds after which an occasion is not worth beginning to talk about
GRENADE_TALK = 4.0  # seconds after which a grenade has gone off

# For how many seconds nobody comes back to the same thing about the same person.
SETTLED: dict[str, float] = {
    "hit": 8.0,  # nobody is asked for his status who has just given it
    "down": 60.0,
    "no_cover": 8.0,
    "last_man": math.inf,  # he asks for reinforcements once
    "reloading": 5.0,
    "blocked": 8.0,
    "refused": 8.0,
}


def silly(occasion: Occasion, stage: Stage) -> str | None:
    """Return why nobody should talk about an occasion as things are now; None if they may."""
    if occasion.who not in stage.speakers:
        return f"{occasion.who} is not there"
    if occasion.kind == "down":
        return f"{occasion.who} is on his feet" if stage.able(occasion.who) else None
    if not stage.able(occasion.who):
        return f"{occasion.who} is down"
    law = _LAWS.get(occasion.kind)
    return law(occasion, stage) if law else None


def _spotted(occasion: Occasion, stage: Stage) -> str | None:
    return None if stage.sees_enemy(occasion.who) else f"{occasion.who} sees no enemy"


def _unseen_by_all(occasion: Occasion, stage: Stage) -> str | None:
    sees = (mate.name for mate in stage.squad(occasion.who) if stage.sees_enemy(mate.name))
    return next((f"{name} sees an enemy" for name in sees), None)


def _unseen(occasion: Occasion, stage: Stage) -> str | None:
    return f"{occasion.who} sees an enemy" if stage.sees_enemy(occasion.who) else None


def _ordered(occasion: Occasion, stage: Stage) -> str | None:
    return None if stage.comrades(occasion.who) else f"nobody hears {occasion.who}"


def _no_cover(occasion: Occasion, stage: Stage) -> str | None:
    if stage.knows_cover(occasion.who):
        return f"{occasion.who} knows cover"
    # The occasion said that he is under fire, so only a body that says otherwise counts.
    return None if stage.flag(occasion.who, "under_fire", default=True) else f"{occasion.who} is no longer under fire"


def _last_man(occasion: Occasion, stage: Stage) -> str | None:
    others = (mate.name for mate in stage.squad(occasion.who) if mate.name != occasion.who)
    return next((f"{name} is still there" for name in others if stage.able(name)), None)


def _grenade(occasion: Occasion, stage: Stage) -> str | None:
    return "it has gone off" if stage.now - occasion.time > GRENADE_TALK else None


def _enemy_down(occasion: Occasion, stage: Stage) -> str | None:
    enemy = stage.speakers.get(str(occasion.about.get("target")))
    return f"{enemy.name} is on his feet" if enemy is not None and enemy.alive else None


_LAWS: dict[str, Callable[[Occasion, Stage], str | None]] = {
    "spotted": _spotted,
    "lost": _unseen_by_all,
    "searching": _unseen,
    "cleared": _unseen,
    "ordered": _ordered,
    "no_cover": _no_cover,
    "last_man": _last_man,
    "grenade": _grenade,
    "enemy_down": _enemy_down,
}
