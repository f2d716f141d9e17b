"""`AttachedStage`: a game that runs elsewhere, or a recording of one, as a stage of the studio.

Each step takes the next trace of a `TraceSource`. The stage decides nothing and plays nothing: pausing it asks the
game to stand still. `ReportedReader` brings the beliefs of the game's own readers to the panels that show beliefs.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.studio.attached.drawing import SYMBOLS, Frame, draw_channels, draw_map, draw_minds
from telos.studio.attached.recording import format_recording
from telos.studio.attached.source import SourceNote, TraceSource
from telos.studio.mind_view import FactLine, GoalLine, MindView, Need, StepLine
from telos.studio.stage import Happening, Hud, Inputs, Model, Stage, StudioWorld
from telos.studio.worlds.shapes import Picture
from telos.traces import BeliefTrace, EventTrace, GameTrace, MindTrace

LIVE, RECORDED = "attached", "recording"  # the names of the worlds
RATE = 10.0  # steps a second: as often as games send
MAX_BANDS = 24  # rows of the timeline
_SPEECH = 4.0  # seconds that a line is shown
_MAX_LINES = 5  # of a character that are remembered
_MAX_COUNTS = 5
_BELIEF = "belief"  # in the context of an event: the number of the belief that came with it
SIDE = "side"  # and of two games side by side, which one's it is


class ReportedReader:
    """A recogniser whose beliefs come from the game: each event brings its own. ``side`` is that of its events."""

    def __init__(self, name: str, told: Sequence[BeliefTrace], side: str = "") -> None:
        self._name, self._told, self._side = name, told, side
        first = next(each for each in told if each.reader == name)
        self.goals = tuple(first.goals)
        self.belief = _to_belief(first)

    def observe(self, event: Event) -> Belief:
        """Take over the belief that came with an event, if it is this reader's."""
        if event.context.get(SIDE, "") == self._side:
            told = self._told[int(event.context[_BELIEF])]
            self.belief = _to_belief(told) if told.reader == self._name else self.belief
        return self.belief

    def reset(self) -> None:
        """Nothing is to be forgotten: beliefs are the game's."""


def _to_belief(told: BeliefTrace) -> Belief:
    if told.concurrent:
        return Belief.concurrent(told.goals, because=tuple(told.why))
    total = math.fsum(told.goals.values())
    return Belief({goal: chance / total for goal, chance in told.goals.items()}, because=tuple(told.why))


class AttachedStage(Stage):
    """The game, as far as its traces have been taken."""

    symbols = SYMBOLS
    needs_pad = False

    def __init__(
        self, source: TraceSource, *, rate: float = RATE, origin: tuple[float, float] = (0.0, 0.0), prefix: str = ""
    ) -> None:
        """``origin`` and ``prefix`` are for one of several: its corner of the picture, and what names begin with."""
        self.source, self.rate = source, rate
        self._origin, self._prefix = origin, prefix
        self.name, self.title = LIVE if source.is_live else RECORDED, source.title
        self._next, self.state = source.start()
        self._told_beliefs: list[BeliefTrace] = list(self.state.beliefs.values())
        self._frame: Frame | None = None  # None: it is to be made anew
        self._told_at: dict[str, float] = {}  # when the view of each mind came
        self._said: dict[str, list[tuple[float, str]]] = {}
        self._views: dict[str, tuple[Any, MindView]] = {}
        self._offset = self._time = 0.0
        self._pictures = 0  # backdrops so far
        self._backdrop: tuple[str, Picture] | None = None
        self._map: Any = self.state.map
        self._fit()
        self.size = self.frame.size

    # --- steps --------------------------------------------------------------------------------------------------------

    @property
    def backlog(self) -> int:
        """The number of steps to make at once: for all traces that have come, and in a recording one by one."""
        waiting = self.source.count - self._next
        return waiting if self.source.is_live else min(waiting, 1)

    @property
    def next_time(self) -> float | None:
        """The time of the next trace, if one waits."""
        entry = self.source.entry(self._next) if self.source.count > self._next else None
        return None if entry is None or isinstance(entry, SourceNote) else entry.time

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Take the next trace, if there is one."""
        if self.backlog <= 0:
            return ()
        entry = self.source.entry(self._next)
        self._next += 1
        if isinstance(entry, SourceNote):
            return (Happening(self._time, "game", entry.text, entry.kind),)
        return tuple(self._take(entry))

    def _take(self, trace: GameTrace) -> Iterator[Happening]:
        state, before = self.state, {name: mind.goal for name, mind in self.state.minds.items()}
        squads, was_paused, had_ended = state.squads, state.is_paused, state.has_ended
        is_new_run = state.merge(trace)
        if is_new_run:
            before = {}
            self._offset = self._time - (trace.time or 0.0)
            self._said.clear()
            self._views.clear()
        now = self._time = max(self._time, self._offset + state.time)
        self._told_at |= dict.fromkeys((mind.name for mind in trace.minds if not _is_brief(mind)), now)
        self._fit()
        if is_new_run:
            yield Happening(now, "game", f"{state.game} has started again", "game")
        for event in trace.events:
            yield Happening(self._moment(event, now), event.who, event.text, event.category, why=event.why)
        for line in trace.lines:
            self._said.setdefault(line.who, []).append((now, line.text))
            del self._said[line.who][:-_MAX_LINES]
            yield Happening(now, line.who, line.text, "said")
        yield from self._changed_goals(trace, before, now)
        yield from self._changed_squads(squads, now)
        for belief in trace.beliefs:
            self._told_beliefs.append(belief)
            context = {_BELIEF: len(self._told_beliefs) - 1}
            player = belief.player or "player"
            event_seen = Event(belief.event or "update", context, player=player, time=now)
            yield Happening(now, player, belief.event, event=event_seen)
        if state.is_paused != was_paused and not is_new_run:
            yield Happening(now, "game", "stands still" if state.is_paused else "goes on", "game")
        if state.has_ended and not had_ended:
            yield Happening(now, "game", f"{state.game} has ended", "game")

    def _moment(self, event: EventTrace, now: float) -> float:
        return now if event.time is None else min(now, max(0.0, self._offset + event.time))

    def _changed_goals(self, trace: GameTrace, before: Mapping[str, Any], now: float) -> Iterator[Happening]:
        """Yield the changes of goals that have no row in the timeline, and that the game has not told itself."""
        told = {event.who for event in trace.events if event.category == "mind"}
        rows = self.bands()
        for mind in trace.minds:
            goal, old = mind.goal, before.get(mind.name)
            if mind.name in rows or mind.name in told or not isinstance(goal, str) or not isinstance(old, str):
                continue
            if goal != old:
                yield Happening(now, mind.name, f"{old or 'nothing'} → {goal or 'nothing'}", "mind")

    def _changed_squads(self, before: Sequence[Any], now: float) -> Iterator[Happening]:
        known = {squad.name: squad for squad in before}
        for squad in self.state.squads:
            old = known.pop(squad.name, None)
            if old is None or old.behaviour != squad.behaviour:
                orders = "\n".join(f"{who}: {order}" for who, order in squad.orders.items())
                words = squad.behaviour or f"{', '.join(squad.members)} stay together"
                yield Happening(now, squad.name, words, "squad", why=orders)
        for name in known:
            yield Happening(now, name, "is dissolved", "squad")

    def pause(self, on: bool) -> None:
        """Ask the game to stand still, or to go on."""
        self.source.ask_pause(on)

    def look_at(self, who: str) -> None:
        """Ask the game for more about a character."""
        self.source.look_at(who)

    # --- the picture --------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """What of the game's plane is shown."""
        assert self._frame is not None
        return self._frame

    def _fit(self) -> None:
        """Fit the frame to the map, or to the characters."""
        if self.state.map is not None:
            found = replace(Frame.of_map(self.state.map), origin=self._origin)
        else:
            minds = self.state.minds.values()
            around = Frame.around((mind.x, mind.y) for mind in minds if _has_place(mind))  # type: ignore[misc]
            found = replace(around, origin=self._origin)
        if found != self._frame or self._map is not self.state.map:
            self._frame, self._map, self._backdrop = found, self.state.map, None
            self._pictures += 1
            self.size = found.size

    def backdrop(self) -> tuple[str, Picture]:
        if self._backdrop is None:
            self._backdrop = f"map {self._pictures}", draw_map(self.frame, self.state.map)
        return self._backdrop

    def picture(self) -> Picture:
        squad_of = self._squad_of()
        sides = {name: _text(mind.side) or squad_of.get(name, "") for name, mind in self.state.minds.items()}
        says = {who: said[-1][1] for who, said in self._said.items() if self._time - said[-1][0] < _SPEECH}
        return [
            *draw_channels(self.frame, self.state.channels),
            *draw_minds(self.frame, self.state.minds, says, sides, self._prefix),
        ]

    def _squad_of(self) -> dict[str, str]:
        return {member: squad.name for squad in self.state.squads for member in squad.members}

    def hud(self) -> Hud:
        state = self.state
        message = self.source.status
        if state.is_paused and not message:
            message = "the game stands still"
        counts = [("minds", str(len(state.minds)))] if state.minds else []
        counts += [("squads", str(len(state.squads)))] if state.squads else []
        counts += [(name, _format_value(value)) for name, value in sorted(state.values.items())]
        clock = f"{int(state.time // 60)}:{state.time % 60:04.1f}"
        return Hud(task=self.title, message=message, counts=tuple(counts[:_MAX_COUNTS]), clock=clock)

    @property
    def time(self) -> float:
        return self._time

    def recording(self) -> tuple[str, bytes] | None:
        """Return what the studio has of the game, as a file that `telos play` opens."""
        traces = self.source.traces() if self.source.is_live else []
        return (f"{self.state.game}.traces.jsonl", format_recording(traces)) if traces else None

    # --- beliefs ------------------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the readers of the game; there is no text to edit."""
        names = dict.fromkeys(belief.reader for belief in self._told_beliefs)
        about = "Runs in the game, which tells what it believes."
        return [
            Model(name, name, "", about=about, editable=False, make=partial(self.make_reader, name, ""))
            for name in names
        ]

    def make_reader(self, name: str, side: str, text: str) -> ReportedReader:
        """Return a reader of the game; ``side`` is that of its events, and ``text`` is not used."""
        return ReportedReader(name, self._told_beliefs, side)

    # --- minds --------------------------------------------------------------------------------------------------------

    def bands(self) -> Mapping[str, str]:
        minds = list(self.state.minds.values())[:MAX_BANDS]
        return {mind.name: _text(mind.goal) for mind in minds}

    def facts(self) -> Mapping[str, Value]:
        found: dict[str, Value] = {"minds": len(self.state.minds), "paused": self.state.is_paused}
        found |= {f"{squad.name}.behaviour": squad.behaviour or "nothing" for squad in self.state.squads}
        return found | self.state.values

    def characters(self) -> Sequence[str]:
        return tuple(self.state.minds)

    def intents(self) -> Mapping[str, tuple[str, str]]:
        return {
            name: (_text(mind.goal) or "nothing", _text(mind.action).partition("(")[0] or "nothing")
            for name, mind in self.state.minds.items()
        }

    def mind(self, who: str) -> MindView | None:
        mind = self.state.minds.get(who)
        if mind is None:
            return None
        squad = next((squad for squad in self.state.squads if who in squad.members), None)
        said = tuple(self._said.get(who, ()))
        key = (mind, squad, said)
        known = self._views.get(who)
        if known is not None and known[0][0] is mind and known[0][1] is squad and known[0][2] == said:
            return known[1]
        view = to_view(mind, self._told_at.get(who, self._time), squad, said)
        self._views[who] = (key, view)
        return view

    def why_not(self, who: str, what: str) -> str:
        mind = self.state.minds.get(who)
        if mind is None:
            raise TelosError(f"there is no character {who!r}", name_hint(who, self.characters()))
        if what == mind.goal:
            return _text(mind.why) or f"{what}: it is what {who} pursues."
        why_not = mind.why_not if isinstance(mind.why_not, dict) else {}
        goals = {goal.name: goal.why for goal in mind.goals} if isinstance(mind.goals, list) else {}
        said = why_not.get(what) or goals.get(what)
        if not said:
            raise TelosError(f"the game has not told why {who} does not pursue or do {what!r}")
        return said


def _is_brief(mind: MindTrace) -> bool:
    return not isinstance(mind.goals, list) and not isinstance(mind.facts, list)


def _has_place(mind: MindTrace) -> bool:
    return isinstance(mind.x, float) and isinstance(mind.y, float)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _format_value(value: object) -> str:
    return (
        f"{value:.4g}" if isinstance(value, float) else str(value).lower() if value is True or not value else str(value)
    )


def to_view(mind: MindTrace, now: float, squad: Any = None, said: Sequence[tuple[float, str]] = ()) -> MindView:
    """Return a mind of a trace as the panels show it."""
    goal, action = _text(mind.goal), _text(mind.action)
    goals = [  # what was told before the goal has changed is no reason any more
        GoalLine(each.name, each.weight, each.relevant, each.name == goal,
                 each.why if each.pursued == (each.name == goal) else "")
        for each in _listed(mind.goals)
    ]  # fmt: skip
    if goal and goal not in {each.name for each in goals}:
        goals.insert(0, GoalLine(goal, 0.0, True, True, ""))
    plan = [
        StepLine(step.name, step.state, tuple(Need(need.text, need.holds) for need in step.needs), tuple(step.effects),
                 step.cost)
        for step in _listed(mind.plan)
    ]  # fmt: skip
    if action and not any(step.name == action for step in plan):  # the plan is of before
        plan = [StepLine(action, "now")]
    orders = [*_listed(mind.orders)]
    if squad is not None and (order := squad.orders.get(mind.name)):
        orders.append(order)
    about = ", ".join(filter(None, [_text(mind.about), f"squad {squad.name}" if squad is not None else ""]))
    doing = f"{action}, for {goal}" if action and goal else action or goal
    return MindView(
        who=mind.name,
        about=about,
        time=now,
        doing=_text(mind.doing) or doing or "has nothing to do",
        goals=tuple(goals),
        plan=tuple(plan),
        facts=tuple(FactLine(f.kind, f.subject, f.age, f.confidence, f.text) for f in _listed(mind.facts)),
        focus=tuple(mind.focus.items()) if isinstance(mind.focus, dict) else (),
        orders=tuple(orders),
        lines=tuple(said),
        actions=tuple(_listed(mind.actions)),
        why=_text(mind.why),
    )


def attached_world(source: TraceSource, *, steps: int | None = None, rate: float = RATE) -> StudioWorld:
    """Return the entry of a source for the studio's list of worlds; ``steps`` is the length of a recording."""
    about = (
        "A game that runs elsewhere: its minds, beliefs, squads and events. The studio only looks on, and asks the "
        "game to stand still or to go on."
        if source.is_live
        else "The recording of a game that was looked at."
    )
    name = LIVE if source.is_live else RECORDED
    return StudioWorld(
        name, source.title, about, (), lambda seed, settings: AttachedStage(source, rate=rate), steps=steps,
        runs_here=False,
    )  # fmt: skip
