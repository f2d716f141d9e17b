"""The studio: play a world in the browser, watch beliefs, plans and memories, and edit models while the game runs.

One key press, from the keyboard to the belief bars:

    keys.js ──▶ WebSocket ──▶ Game ──────────▶ Session ────▶ Stage ───────────▶ the world
    page/assets server/app.py server/game.py   session.py    worlds/NAME.py     telos.worlds.NAME
                                                   │ happenings, events
                                                   ▼
    painter.js ◀── frames ◀── Game ◀── build_frame ◀── RecognizerSet, Scoreboard
    page/assets               server/game.py  recording.py   session.py

Start with `Stage` (stage.py), which every world subclasses, and `Session` (session.py), which plays it without a
browser. `telos.checks.check_stage` tests a stage of your own. server/ paces games and sends frames, page/ builds the
page, models/ edits, checks and compares model files, worlds/ holds a stage and a drawing per world. `attach` lets the
studio look on at a game of your own (attached/).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.attached import Attachment, attach
    from telos.studio.mind_view import FactLine, GoalLine, MindView, Need, StepLine, build_mind_view
    from telos.studio.session import Session
    from telos.studio.stage import (
        ClickTarget,
        Form,
        FormField,
        Happening,
        Hud,
        Inputs,
        Model,
        PlayerChoice,
        Poke,
        QuickStart,
        Setting,
        Stage,
        StudioWorld,
        world,
    )
    from telos.studio.watchpoint import Watchpoint

__all__ = [
    "Attachment",
    "ClickTarget",
    "FactLine",
    "Form",
    "FormField",
    "GoalLine",
    "Happening",
    "Hud",
    "Inputs",
    "MindView",
    "Model",
    "Need",
    "PlayerChoice",
    "Poke",
    "QuickStart",
    "Session",
    "Setting",
    "Stage",
    "StepLine",
    "StudioWorld",
    "Watchpoint",
    "attach",
    "build_mind_view",
    "world",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("Attachment", "attach"), "attached"),
        **dict.fromkeys(("FactLine", "GoalLine", "MindView", "Need", "StepLine", "build_mind_view"), "mind_view"),
        **dict.fromkeys(("Happening", "Hud", "Inputs", "Model", "Poke", "QuickStart"), "stage"),
        **dict.fromkeys(("ClickTarget", "Form", "FormField", "PlayerChoice"), "stage"),
        **dict.fromkeys(("Setting", "Stage", "StudioWorld", "world"), "stage"),
        "Session": "session",
        "Watchpoint": "watchpoint",
    },
)
