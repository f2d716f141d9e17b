"""Two recordings side by side: `ComparedStage` plays both at the same pace, and tells where they part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.studio.attached.drawing import SYMBOLS
from telos.studio.attached.recording import RecordedSource
from telos.studio.attached.stage import RATE, SIDE, AttachedStage
from telos.studio.mind_view import MindView
from telos.studio.stage import Happening, Hud, Inputs, Model, Stage, StudioWorld
from telos.studio.worlds.shapes import Picture, line, text

NAME = "comparison"
SIDES = ("A", "B")
MAX_STEPS = 36_000  # an hour
_GAP = 24.0  # picture units between the two
_HEAD = 44.0  # and above them, for their names
_CLOSE = 1e-6  # seconds: times that differ by less are equal


class ComparedStage(Stage):
    """Two stages; names of the first begin with ``A.``, those of the second with ``B.``."""

    name = NAME
    symbols = SYMBOLS
    needs_pad = False
    rate = RATE

    def __init__(self, one: RecordedSource, other: RecordedSource) -> None:
        sizes = [_largest_size(source) for source in (one, other)]
        self._lefts = (0.0, sizes[0][0] + _GAP)
        self.stages = tuple(
            AttachedStage(source, origin=(left, _HEAD), prefix=f"{side}.")
            for side, left, source in zip(SIDES, self._lefts, (one, other), strict=True)
        )
        self.title = f"{one.title} beside {other.title}"
        self._starts = (one.start_time, other.start_time)
        self._time = 0.0
        self._steps = 0
        self._differing = frozenset[str]()
        self.size = (self._lefts[1] + sizes[1][0], max(height for _, height in sizes) + _HEAD)

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Go on by a tenth of a second of both games."""
        self._steps += 1
        self._time = self._steps / RATE
        return tuple(self._advance())

    def _advance(self) -> Iterator[Happening]:
        for side, stage, start in zip(SIDES, self.stages, self._starts, strict=True):
            while stage.backlog and (stage.next_time or 0.0) - start <= self._time + _CLOSE:
                for each in stage.step(Inputs()):
                    yield replace(each, who=f"{side}.{each.who}", time=self._time, event=self._event(each, side))
        differing = frozenset(self._find_differences())
        for who in sorted(differing - self._differing):
            one, other = (stage.state.minds[who].goal or "nothing" for stage in self.stages)
            yield Happening(self._time, who, f"A: {one}, B: {other}", "differs")
        self._differing = differing

    def _event(self, happening: Happening, side: str) -> Event | None:
        event = happening.event
        if event is None:
            return None
        return Event(event.action, {**event.context, SIDE: side}, player=event.player, time=self._time)

    def models(self) -> Sequence[Model]:
        """Return the readers of both games."""
        return [
            replace(
                model, name=f"{side}.{model.name}", title=f"{side}: {model.title}",
                make=partial(stage.make_reader, model.name, side),
            )
            for side, stage in zip(SIDES, self.stages, strict=True)
            for model in stage.models()
        ]  # fmt: skip

    def _find_differences(self) -> Iterator[str]:
        """Yield the characters that pursue another goal in the other recording."""
        one, other = (stage.state.minds for stage in self.stages)
        for who, mind in one.items():
            if who in other and other[who].goal != mind.goal:
                yield who

    def backdrop(self) -> tuple[str, Picture]:
        keys, pictures = zip(*(stage.backdrop() for stage in self.stages), strict=True)
        drawn: Picture = []
        for side, left, stage, picture in zip(SIDES, self._lefts, self.stages, pictures, strict=True):
            name = f"{side}: {stage.title}"
            drawn += [text(left + 8, _HEAD / 2, name, "ink", size=26, align="left"), *picture]
        middle = self._lefts[1] - _GAP / 2
        return " | ".join(keys), [*drawn, line(middle, 0, middle, self.size[1], "line", width=2)]

    def picture(self) -> Picture:
        return [shape for stage in self.stages for shape in stage.picture()]

    def hud(self) -> Hud:
        clock = f"{int(self._time // 60)}:{self._time % 60:04.1f}"
        return Hud(counts=(("differ", str(len(self._differing))),), clock=clock)

    @property
    def time(self) -> float:
        return self._time

    def bands(self) -> Mapping[str, str]:
        rows = [stage.bands() for stage in self.stages]
        names = dict.fromkeys(name for each in rows for name in each)  # a character's two rows lie together
        return {f"{side}.{name}": each[name] for name in names for side, each in zip(SIDES, rows, strict=True)
                if name in each}  # fmt: skip

    def facts(self) -> Mapping[str, Value]:
        found: dict[str, Value] = {"differ": len(self._differing)}
        for side, stage in zip(SIDES, self.stages, strict=True):
            found |= {f"{side}.{name}": value for name, value in stage.facts().items()}
        return found

    def intents(self) -> Mapping[str, tuple[str, str]]:
        return {
            f"{side}.{name}": intent
            for side, stage in zip(SIDES, self.stages, strict=True)
            for name, intent in stage.intents().items()
        }

    def characters(self) -> Sequence[str]:
        names = dict.fromkeys(name for stage in self.stages for name in stage.characters())
        return [f"{side}.{name}" for name in names for side, stage in zip(SIDES, self.stages, strict=True)
                if name in stage.state.minds]  # fmt: skip

    def mind(self, who: str) -> MindView | None:
        stage, name = self._find(who)
        view = None if stage is None else stage.mind(name)
        return None if view is None else replace(view, who=who)

    def why_not(self, who: str, what: str) -> str:
        stage, name = self._find(who)
        if stage is None:
            raise TelosError(f"there is no character {who!r}", name_hint(who, self.characters()))
        return stage.why_not(name, what)

    def _find(self, who: str) -> tuple[AttachedStage | None, str]:
        side, _, name = who.partition(".")
        return (self.stages[SIDES.index(side)], name) if side in SIDES else (None, name)


def _largest_size(source: RecordedSource) -> tuple[float, float]:
    """Return the size of the picture at the end of a recording."""
    stage = AttachedStage(source)
    while stage.backlog:
        stage.step(Inputs())
    return stage.size


def compared_world(one: RecordedSource, other: RecordedSource) -> StudioWorld:
    """Return the entry of two recordings for the studio's list of worlds."""
    steps = min(MAX_STEPS, round(max(one.length, other.length) * RATE) + 1)

    def make(seed: int, settings: Mapping[str, Any]) -> ComparedStage:
        return ComparedStage(one, other)

    about = "Two recordings of games, side by side at the same time of each; the log tells where minds part."
    return StudioWorld(NAME, f"{one.title} beside {other.title}", about, (), make, steps=steps, runs_here=False)
