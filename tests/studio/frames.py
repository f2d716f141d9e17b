"""Frames as a page makes them from the differences that it is sent."""

from typing import Any


class FrameReader:
    """Completes the frames of one connection."""

    def __init__(self) -> None:
        self._live: dict[str, Any] = {}

    def read(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message, completed if it is a frame that differs from the one before."""
        if message["is"] != "frame":
            return message
        if "base" in message:
            assert message["base"] == self._live["n"]
            changed = {key: value for key, value in message.items() if key not in ("base", "moved")}
            pic = list(self._live["pic"])
            for at, thing in message.get("moved", ()):
                pic[at] = thing
            message = {**self._live, "pic": pic, **changed}
        if message["live"]:
            self._live = message
        return message
