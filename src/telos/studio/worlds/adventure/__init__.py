"""The adventure in the studio: start with `AdventureStage`.

`stage` has the game, its models and recordings, `hud` happenings and messages, `minds` who thinks, `drawing` the
pictures, `effects` what flashes in them, `symbols` the drawings of bodies and scenery.
"""

from telos.studio.worlds.adventure.hud import find_changes, to_happening
from telos.studio.worlds.adventure.stage import (
    ADVENTURE,
    RULES,
    AdventureStage,
    adventure_models,
    ffbm_text,
    from_recording,
)

__all__ = [
    "ADVENTURE",
    "RULES",
    "AdventureStage",
    "adventure_models",
    "ffbm_text",
    "find_changes",
    "from_recording",
    "to_happening",
]
