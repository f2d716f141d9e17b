"""The studio attached to a running game: the game's side, the studio's side, and recordings.

    in the game:    attach ──▶ observing.py ──▶ Outlet ──────────┐
                    attachment.py               outlet.py        │ traces (telos.traces), over HTTP on loopback
    any engine:     POST /v1/traces ──▶ telos serve ─────────────┤
                                                                 ▼
    in the studio:  AttachedStage ◀── TraceSource ◀── LiveSource, or a recording
                    stage.py, drawing.py              source.py, recording.py

Start with `attach` in a game, and with `AttachedStage` in the studio.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.attached.attachment import Attachment, attach
    from telos.studio.attached.outlet import Outlet
    from telos.studio.attached.recording import TraceRecorder, load_recording
    from telos.studio.attached.source import LiveSource, TraceSource, parse_address
    from telos.studio.attached.stage import AttachedStage, attached_world

__all__ = [
    "AttachedStage",
    "Attachment",
    "LiveSource",
    "Outlet",
    "TraceRecorder",
    "TraceSource",
    "attach",
    "attached_world",
    "load_recording",
    "parse_address",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("Attachment", "attach"), "attachment"),
        "Outlet": "outlet",
        **dict.fromkeys(("TraceRecorder", "load_recording"), "recording"),
        **dict.fromkeys(("LiveSource", "TraceSource", "parse_address"), "source"),
        **dict.fromkeys(("AttachedStage", "attached_world"), "stage"),
    },
)
