"""Traces: what a running game tells the studio about its minds, beliefs, squads and events, and the limits of it.

    game ──▶ GameTrace (JSON) ──▶ decode_traces ──▶ TraceState.merge ──▶ the studio's picture, panels and log

A trace names only what is new: minds that it leaves out stay as they were, and so do the parts of a mind that it leaves
out. `TraceState` adds traces up. The service and the studio both read traces through this module.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from telos.core.errors import TelosError

MAX_TRACE_BYTES = 2_000_000  # of one message: one trace, or several
MAX_TRACES = 1_000  # in one message
MAX_MINDS = 2_000
MAX_CELLS = 250_000  # of a map
MAX_SHAPES = 5_000  # of one channel
LOOKING_SECONDS = 8.0  # after which a studio that has asked for nothing is taken to be gone

Name = Annotated[str, Meta(min_length=1, max_length=200)]
ShortText = Annotated[str, Meta(max_length=2_000)]
LongText = Annotated[str, Meta(max_length=20_000)]
Number = Annotated[float, Meta(ge=-1e9, le=1e9)]
Share = Annotated[float, Meta(ge=0, le=1)]
TraceValue: TypeAlias = bool | Number | Annotated[str, Meta(max_length=200)]


class GoalTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A goal of a mind: its weight, whether it is relevant, and why it is or is not pursued."""

    name: Name
    weight: Number = 0.0
    relevant: bool = True
    pursued: bool = False
    why: ShortText = ""


class NeedTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A precondition of a step, and whether it holds now; null: an earlier step makes it true."""

    text: ShortText
    holds: bool | None = None


class StepTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A step of a plan, with its preconditions, effects and cost."""

    name: Name
    state: Literal["done", "now", "next"] = "next"
    needs: Annotated[list[NeedTrace], Meta(max_length=100)] = []
    effects: Annotated[list[ShortText], Meta(max_length=100)] = []
    cost: Number | None = None


class FactTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A fact in a mind's memory: what it is about, its age in seconds, how sure it is, and what it says."""

    kind: Name
    subject: Annotated[str, Meta(max_length=200)] = ""
    text: ShortText = ""
    age: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    confidence: Share = 1.0


class MindTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A character; parts that are left out stay as they were. ``x`` and ``y`` are in the units of the map."""

    name: Name
    x: Number | UnsetType = UNSET
    y: Number | UnsetType = UNSET
    angle: Number | UnsetType = UNSET  # where it looks, in radians clockwise from the right
    side: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET  # characters of a side have one colour
    about: ShortText | UnsetType = UNSET
    doing: ShortText | UnsetType = UNSET
    goal: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET  # that is pursued; empty: none
    action: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    goals: Annotated[list[GoalTrace], Meta(max_length=500)] | UnsetType = UNSET
    plan: Annotated[list[StepTrace], Meta(max_length=200)] | UnsetType = UNSET
    facts: Annotated[list[FactTrace], Meta(max_length=1_000)] | UnsetType = UNSET
    focus: Annotated[dict[Name, ShortText], Meta(max_length=50)] | UnsetType = UNSET
    orders: Annotated[list[ShortText], Meta(max_length=50)] | UnsetType = UNSET
    actions: Annotated[list[Name], Meta(max_length=500)] | UnsetType = UNSET
    why: LongText | UnsetType = UNSET
    why_not: Annotated[dict[Name, ShortText], Meta(max_length=1_000)] | UnsetType = UNSET  # by goal and action


class BeliefTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a reader believes that a player is after: a chance for each goal, and why, a line for each reason."""

    reader: Name
    goals: Annotated[dict[Name, Share], Meta(min_length=1, max_length=200)]
    player: Annotated[str, Meta(max_length=200)] = ""
    event: Annotated[str, Meta(max_length=200)] = ""  # what the player did
    why: Annotated[list[ShortText], Meta(max_length=100)] = []
    concurrent: bool = False  # goals do not exclude one another: the chances need not sum to 1

    def __post_init__(self) -> None:
        if not self.concurrent and not math.isclose(total := math.fsum(self.goals.values()), 1.0, abs_tol=0.01):
            raise ValueError(f"the chances of goals sum to 1, these sum to {total:.4g}")


class SquadTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A squad: its members, what it carries out, and the order of each member."""

    name: Name
    members: Annotated[list[Name], Meta(max_length=MAX_MINDS)]
    behaviour: Annotated[str, Meta(max_length=200)] = ""
    orders: Annotated[dict[Name, ShortText], Meta(max_length=MAX_MINDS)] = {}


class SpokenLine(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A line that somebody says."""

    who: Name
    text: ShortText
    time: Number | None = None


class EventTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An entry of the log; categories are words of the game's own."""

    text: ShortText
    who: Annotated[str, Meta(max_length=200)] = "game"
    category: Annotated[str, Meta(min_length=1, max_length=40, pattern="^[A-Za-z][A-Za-z0-9_ -]*$")] = "event"
    why: LongText = ""
    time: Number | None = None


class MapTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A map of characters, one a cell, with what each stands for; or without rows, a plain grid of that size."""

    rows: Annotated[list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=1_000)] = []
    legend: Annotated[dict[Annotated[str, Meta(min_length=1, max_length=1)], Name], Meta(max_length=200)] = {}
    width: Annotated[float, Meta(gt=0, le=1e6)] | None = None  # from the rows, if left out
    height: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    cell: Annotated[float, Meta(gt=0, le=1e6)] = 1.0  # the side of a cell, in the units of positions
    centred: bool = False  # whether (0, 0) is the middle of the first cell rather than its corner

    def __post_init__(self) -> None:
        if not self.rows and (self.width is None or self.height is None):
            raise ValueError("a map has rows, or a width and a height")
        if (cells := sum(map(len, self.rows))) > MAX_CELLS:
            raise ValueError(f"a map has at most {MAX_CELLS:,} cells, this one has {cells:,}")

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height, in the units of positions."""
        width = self.width or self.cell * max(map(len, self.rows), default=1) or self.cell
        return width, self.height or self.cell * max(1, len(self.rows))


class ShapeTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A shape over the map. ``sight`` is a cone around ``angle``; a ``score`` is a number at a place, from 0 to 1."""

    kind: Literal["path", "line", "circle", "rect", "text", "sight", "score"]
    x: Number = 0.0
    y: Number = 0.0
    points: Annotated[list[tuple[Number, Number]], Meta(max_length=2_000)] = []  # of a path or a line
    width: Annotated[float, Meta(ge=0, le=1e6)] = 1.0  # of a rect
    height: Annotated[float, Meta(ge=0, le=1e6)] = 1.0
    radius: Annotated[float, Meta(ge=0, le=1e6)] = 1.0  # of a circle, or how far sight reaches
    angle: Number = 0.0
    spread: Annotated[float, Meta(ge=0, le=6.3)] = 1.2  # of sight, in radians
    value: Number = 0.0  # of a score
    text: Annotated[str, Meta(max_length=200)] = ""
    colour: Annotated[str, Meta(max_length=40)] = ""


class GameTrace(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is new in a game since its last trace."""

    game: Name = "game"
    run: Annotated[str, Meta(max_length=200)] = ""  # another one: the game has started again
    time: Number | None = None  # of the game, in seconds; when it arrives, if left out
    map: MapTrace | None = None
    minds: Annotated[list[MindTrace], Meta(max_length=MAX_MINDS)] = []
    gone: Annotated[list[Name], Meta(max_length=MAX_MINDS)] = []  # characters that are not there any more
    beliefs: Annotated[list[BeliefTrace], Meta(max_length=1_000)] = []
    squads: Annotated[list[SquadTrace], Meta(max_length=500)] | None = None  # all of them
    lines: Annotated[list[SpokenLine], Meta(max_length=1_000)] = []
    events: Annotated[list[EventTrace], Meta(max_length=5_000)] = []
    channels: Annotated[
        dict[Name, Annotated[list[ShapeTrace], Meta(max_length=MAX_SHAPES)]], Meta(max_length=50)
    ] = {}  # each replaces all of its channel
    values: Annotated[dict[Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_.-]{0,99}$")], TraceValue],
                      Meta(max_length=500)] = {}  # for conditions to pause on  # fmt: skip
    paused: bool | None = None
    end: bool = False


class TraceAnswer(Struct):
    """The answer to traces: how many the game has sent, whether it should pause, and whether somebody looks on."""

    seq: int
    paused: bool = False
    watched: bool = False


class TraceBatch(Struct, omit_defaults=True):
    """What a studio gets: the traces up to ``seq``; of a studio that was too slow, ``lost`` ones are missing."""

    game: str
    seq: int
    run: str = ""
    lost: int = 0
    paused: bool = False  # whether a pause is asked for
    ended: bool = False
    traces: list[GameTrace] = field(default_factory=list)


class GameLine(Struct, omit_defaults=True):
    """A game in the list of games."""

    name: str
    run: str
    seq: int
    ended: bool = False


class GameList(Struct):
    """The games that send traces, the one that was heard of last first."""

    games: list[GameLine]


class PauseRequest(Struct, forbid_unknown_fields=True):
    """A studio asks a game to pause or to go on."""

    paused: bool


_JOINERS = dict.fromkeys((0x200C, 0x200D))  # unseen parts of names in Persian, in Indic scripts and of emoji
_TRACES = msgspec.json.Decoder(GameTrace | list[GameTrace])
_ENCODER = msgspec.json.Encoder()


def decode_traces(data: bytes, *, packed: bool = False) -> list[GameTrace]:
    """Return the traces in a message: one, or a list. A fault names its place.

    >>> [trace.minds[0].goal for trace in decode_traces(b'{"minds": [{"name": "Ann", "goal": "eat"}]}')]
    ['eat']
    >>> decode_traces(b'{"minds": [{"name": ""}]}')
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: Expected `str` of length >= 1 - at `$.minds[0].name`
    """
    if len(data) > MAX_TRACE_BYTES:
        raise TelosError(f"a trace has at most {MAX_TRACE_BYTES:,} bytes, this one has {len(data):,}", "send less")
    try:
        if packed:  # through JSON, which has no infinite numbers
            data = _ENCODER.encode(msgspec.msgpack.decode(data))
        found = _TRACES.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError) as error:
        raise TelosError(str(error) or "this is nested too deeply") from None
    traces = found if isinstance(found, list) else [found]
    if len(traces) > MAX_TRACES:
        raise TelosError(f"{len(traces):,} traces at once; at most {MAX_TRACES:,}", "split them")
    for trace in traces:
        _check_names(trace)
    return traces


def encode_trace(trace: Struct) -> bytes:
    """Return a trace, or a batch of them, as JSON."""
    return _ENCODER.encode(trace)


def _check_names(trace: GameTrace) -> None:
    if "/" in trace.game:  # which stands in addresses
        raise TelosError(f"the name of a game has no slash, got {trace.game[:40]!r}")
    for name in _names(trace):
        if not name.translate(_JOINERS).isprintable():
            raise TelosError(f"a name consists of printable characters, got {name[:40]!r}")


def _names(trace: GameTrace) -> Iterator[str]:
    yield trace.game
    yield trace.run
    yield from (mind.name for mind in trace.minds)
    yield from trace.gone
    yield from trace.channels
    for belief in trace.beliefs:
        yield belief.reader
        yield belief.player
        yield from belief.goals
    yield from (squad.name for squad in trace.squads or ())
    yield from (line.who for line in trace.lines)
    yield from (event.who for event in trace.events)


# --- the sum of traces ------------------------------------------------------------------------------------------------


_MIND_FIELDS = tuple(each.name for each in msgspec.structs.fields(MindTrace) if each.name != "name")
_MAX_BELIEFS = 200  # readers that are remembered


class TraceState:
    """All that a game has told so far: every part as the last trace that named it left it.

    >>> state = TraceState()
    >>> for text in (b'{"minds": [{"name": "Ann", "goal": "eat", "x": 1}]}', b'{"minds": [{"name": "Ann", "x": 2}]}'):
    ...     _ = state.merge(*decode_traces(text))
    >>> state.minds["Ann"].goal, state.minds["Ann"].x
    ('eat', 2.0)
    """

    def __init__(self) -> None:
        self.game, self.run, self.time = "game", "", 0.0
        self.map: MapTrace | None = None
        self.minds: dict[str, MindTrace] = {}
        self.beliefs: dict[str, BeliefTrace] = {}
        self.squads: list[SquadTrace] = []
        self.channels: dict[str, list[ShapeTrace]] = {}
        self.values: dict[str, Any] = {}
        self.is_paused = self.has_ended = False

    def merge(self, trace: GameTrace) -> bool:
        """Add a trace; return whether the game has started again since the last one."""
        is_new_run = bool(trace.run and self.run and trace.run != self.run)
        if is_new_run:
            self.__init__()  # type: ignore[misc]  # nothing of the old run holds in the new one
        self.game, self.run = trace.game, trace.run or self.run
        self.time = self.time if trace.time is None else trace.time
        self.map = trace.map or self.map
        for mind in trace.minds:
            self._merge_mind(mind)
        for name in trace.gone:
            self.minds.pop(name, None)
        for belief in trace.beliefs:
            if belief.reader in self.beliefs or len(self.beliefs) < _MAX_BELIEFS:
                self.beliefs[belief.reader] = belief
        self.squads = self.squads if trace.squads is None else trace.squads
        self.channels |= trace.channels
        self.values |= trace.values
        self.is_paused = self.is_paused if trace.paused is None else trace.paused
        self.has_ended = trace.end
        return is_new_run

    def _merge_mind(self, mind: MindTrace) -> None:
        before = self.minds.get(mind.name)
        if before is None:
            if len(self.minds) < MAX_MINDS:
                self.minds[mind.name] = mind
            return
        new = {name: value for name in _MIND_FIELDS if (value := getattr(mind, name)) is not UNSET}
        self.minds[mind.name] = msgspec.structs.replace(before, **new)

    def snapshot(self) -> GameTrace:
        """Return the whole as one trace, for who looks on from now on."""
        return GameTrace(
            self.game, self.run, self.time, self.map, list(self.minds.values()), [], list(self.beliefs.values()),
            self.squads, [], [], dict(self.channels), dict(self.values), self.is_paused, self.has_ended,
        )  # fmt: skip
