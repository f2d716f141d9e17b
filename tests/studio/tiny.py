"""A world small enough to compute by hand: a walker on a line, who wants to reach one of its ends."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.files.load import create_recognizer, loads_model
from telos.studio.mind_view import MindView
from telos.studio.stage import Happening, Hud, Inputs, Model, Poke, Setting, Stage, StudioWorld
from telos.studio.worlds.shapes import Picture, Symbols, place, rect

BY_LAST_STEP = """\
recognizer: fsm
goals: [west, east]
actions: [left, right]
start: west
rules:
  - {if: moved and x < 0, then: west}
  - {if: moved, then: east}
"""
ALWAYS_WEST = (
    "recognizer: fsm\ngoals: [west, east]\nactions: [left, right]\nstart: west\nrules: [{if: moved, then: west}]\n"
)


class Line(Stage):
    name = "line"
    title = "A line"
    rate = 10.0
    size = (100.0, 20.0)
    symbols: ClassVar[Symbols] = {"dot": [("player", "M-2 -2h4v4h-4Z", "", 0)]}
    keys = (("ArrowLeft", "left", "walk"), ("ArrowRight", "right", "walk"))
    watched = "walker"

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        self.x, self.steps = 0, 0
        self._rng = Random(seed)
        self._is_windy = settings["wind"] == "on"
        self.awaits = settings["begins"] == "with a key"
        self.applied: list[str] = []

    @property
    def time(self) -> float:
        return self.steps / 10

    @property
    def over(self) -> bool:
        return abs(self.x) >= 50

    @property
    def truth(self) -> str | None:
        return "east" if self.steps < 20 else "west"

    @property
    def lesson(self) -> str | None:
        return None

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        for asked in inputs.asked:
            if asked != "poke jump":
                raise TelosError(f"nobody knows how to {asked!r}", "try `poke jump`")
        self.steps += 1
        self.x += {"left": -1, "right": 1}.get(inputs.held, 0) + 5 * len(inputs.asked)
        self.x += self._rng.choice((-1, 1)) if self._is_windy else 0
        if not inputs.held and not inputs.asked:
            return ()
        event = Event(inputs.held or "jump", {"x": self.x, "moved": True}, player="walker", time=self.time)
        return (Happening(self.time, "walker", f"goes {inputs.held or 'far'}", event=event, why="a key was held"),)

    def backdrop(self) -> tuple[str, Picture]:
        return "line", [rect(0, 8, 100, 4, "path")]

    def picture(self) -> Picture:
        return [place("walker", "dot", 50 + self.x, 10, pick="walker")]

    def hud(self) -> Hud:
        return Hud(task="Walk", counts=(("x", str(self.x)),), over="the end" if self.over else "")

    def models(self) -> Sequence[Model]:
        return (
            Model(
                "last", "Last step", BY_LAST_STEP, "last.yaml", make=lambda text: create_recognizer(loads_model(text))
            ),
        )

    def apply(self, name: str, text: str) -> str:
        self.applied.append(name)
        return ""

    def bands(self) -> Mapping[str, str]:
        return {"walker": "west" if self.x < 0 else "east"}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        return {"walker": {"x": self.x / 100 + 0.5}}

    def facts(self) -> Mapping[str, Value]:
        return {"x": self.x}

    def characters(self) -> Sequence[str]:
        return ("walker",)

    def mind(self, who: str) -> MindView | None:
        return MindView(who, "walks", self.time, f"at {self.x}") if who == "walker" else None

    def pokes(self) -> Sequence[Poke]:
        return (Poke("jump", "Jump"),)


SETTINGS = (
    Setting("wind", "Wind", "off", ("off", "on")),
    Setting("begins", "Begins", "at once", ("at once", "with a key")),
)
LINE = StudioWorld("line", "A line", "for tests", SETTINGS, Line)
