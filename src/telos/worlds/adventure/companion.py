"""The companion: a mind that acts on what it recognises of the player's goal, and a body that nothing harms.

``Company`` holds all characters with minds in the player's area: the monsters and the companion.
"""

import math
import os
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Annotated, Any

from pydantic import Field

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Procedure, Progress
from telos.agents.memory import Attention, Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.saving import Contents, MindSnapshot, read_mind, restore_minds, save_mind
from telos.agents.snapshots import NUMBER, ContentSnapshot, FactShapes
from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.files.definition import Definition
from telos.files.reading import read_text
from telos.files.restoring import SnapshotCheck
from telos.files.schema import FileModel, name_type, text_type
from telos.files.snapshots import Count, Finite, Items, Row, SnapshotPart
from telos.worlds.adventure.events import CompanionLine
from telos.worlds.adventure.map import VECTORS, AreaMap, to_direction, walk_around
from telos.worlds.adventure.monsters import BLADE, MAX_NUMBER, Beast, BeastSnapshot, check_in_area, fact_check
from telos.worlds.adventure.rules import FRAMES_A_SECOND, CompanionRules, Rules
from telos.worlds.adventure.rules_file import COMPANION, MINDS, load_companion_character, load_companion_domain
from telos.worlds.adventure.state import AdventureState

PAUSE = 4.0  # seconds between two lines
AGAIN = 20.0  # seconds until a line for the same goal may be repeated, times the number of repetitions
_MAX_REPEATS = 6  # repetitions that lengthen the wait
SHOWN = 4.0  # seconds that a line is shown
UNSURE = "unsure"  # the key of the lines for a player who cannot be read
_DOUBT = 6.0  # seconds without a reading after which it says so
_INSIDE = 26.0  # pixels between an edge and the waiting position
TAKEN, KEPT = 0.6, 0.35  # a goal is believed from TAKEN on, until it falls below KEPT
BESIDE = 110.0  # pixels within which it is with the player
AT_EXIT = 20.0
NOTICED = 220.0  # pixels around the player within which it fights a monster
PRESSING = 130.0  # pixels around the player within which a monster is a danger
THINKS = 6  # frames between two decisions
LATE = 45  # most frames that it arrives after the player in a new area
_STROKE = 6  # frames that its staff is out
_ELBOW = 60.0  # pixels that it keeps from the player
_FEARED = 110.0  # pixels within which monsters give way to it
_WORDS = {
    "follow": "following",
    "close-in": "closing in",
    "strike": "striking",
    "scout": "scouting",
    "lead-home": "leading home",
}
_FOCUS = {"close-in": "foe", "strike": "foe", "scout": "onward", "lead-home": "homeward"}
_PLAIN = ("x", "y", "facing", "target", "doing", "stroke", "late", "next_thought", "unsure_since")
CROWD = 16  # monsters that are kept apart: every pair of them is compared in every frame


# --- lines ---


class CompanionLinesShape(FileModel):
    """Schema of a file of companion lines."""

    companion: dict[Annotated[str, name_type("the name of a goal")], list[Annotated[str, text_type("a line")]]] = Field(
        examples=["{stay_near: [Lead the way.]}"]
    )
    """What is said, by goal."""


@cache
def load_lines() -> Mapping[str, tuple[str, ...]]:
    """Return the lines for each goal, and those for ``UNSURE``.

    >>> load_lines()["stay_near"][0]
    'Lead the way, I am with you.'
    """
    return read_lines(MINDS / "lines.yaml")


def read_lines(path: str | os.PathLike[str]) -> Mapping[str, tuple[str, ...]]:
    """Read the lines of a companion, by goal; a ``DefinitionError`` holds all faults of the file."""
    definition = Definition(read_text(path), os.fspath(path), CompanionLinesShape, "a file of companion lines")
    definition.raise_if_faulty()
    assert definition.model is not None  # otherwise there is a fault
    return {goal: tuple(lines) for goal, lines in definition.model.companion.items()}


class CompanionVoice:
    """Chooses a line for each goal that is taken up, in turn, unless one was just spoken.

    The wait before a line for the same goal grows with each repetition.

    >>> voice = CompanionVoice("Wren")
    >>> voice.announce("stay_near", "", now=0.0).text
    'Lead the way, I am with you.'
    >>> voice.announce("keep_off", "", now=1.0) is None, voice.announce("stay_near", "", now=9.0) is None
    (True, True)
    """

    def __init__(self, who: str) -> None:
        self.who = who
        self.lines: list[CompanionLine] = []
        self._times: dict[str, tuple[int, float]] = {}  # by goal: how often, and when last

    def announce(self, goal: str, way: str, now: float) -> CompanionLine | None:
        """Return the line about a goal, if one is due; ``way`` is the exit that it names."""
        often, last = self._times.get(goal, (0, 0.0))
        if (self.lines and now - self.lines[-1].time < PAUSE) or now - last < AGAIN * min(often, _MAX_REPEATS):
            return None
        choices = load_lines()[goal]
        said = CompanionLine(now, self.who, choices[often % len(choices)].format(way=way))
        self._times[goal] = often + 1, now
        self.lines.append(said)
        return said

    def saying(self, now: float) -> str:
        """Return the line shown now."""
        return self.lines[-1].text if self.lines and now - self.lines[-1].time < SHOWN else ""

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        lines = [[each.time, each.text] for each in self.lines]
        return {"lines": lines, "times": {goal: list(each) for goal, each in self._times.items()}}

    def restore(self, saved: "VoiceSnapshot") -> None:
        """Continue from saved data that was checked."""
        self.lines = [CompanionLine(time, self.who, text) for time, text in saved.lines]
        self._times = dict(saved.times)


class VoiceSnapshot(SnapshotPart):
    """What a voice saves."""

    lines: Items[Row[tuple[Finite, str]]]
    times: dict[str, Row[tuple[Count, Finite]]]


# --- exits ---


def exits_to_town(areas: AreaMap, area: int) -> tuple[str, ...]:
    """Return the exits that lead nearer to town."""
    here = areas.distance[area] or 0
    return tuple(edge for edge, behind in areas.exits[area].items() if (areas.distance[behind] or 0) < here)


def exit_position(rules: Rules, edge: str) -> tuple[float, float]:
    """Return the position in front of the middle of an edge."""
    x, y = rules.width / 2, rules.height / 2
    return {
        "north": (x, _INSIDE),
        "south": (x, rules.height - _INSIDE),
        "west": (_INSIDE, y),
        "east": (rules.width - _INSIDE, y),
    }[edge]


# --- senses, attention and beliefs ---


class CompanionSensor:
    """Senses the whole area: the player, the monsters, and where the exits lead."""

    cost = 1.0

    def __init__(self, game: AdventureState, companion: "Companion") -> None:
        self._game, self._companion = game, companion

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        game, me = self._game, self._companion
        near = _distance(game.x, game.y, me.x, me.y) <= BESIDE
        return [
            Fact("player", "player", now, attributes=FrozenMap({"x": game.x, "y": game.y, "near": near})),
            *self._exits(now),
            *self._monsters(now),
        ]

    def _exits(self, now: float) -> list[Fact]:
        game, me, areas = self._game, self._companion, self._game.rules.map
        leading, home = areas.exits_to_unvisited(game.area, game.visited), exits_to_town(areas, game.area)
        _, trail = game.trail.get(game.area, ("", ""))
        if trail:
            leading[trail] = 0  # it sees the footprints, too
        facts = []
        for edge in areas.exits[game.area]:
            x, y = exit_position(game.rules, edge)
            about = {
                "screens": leading.get(edge),  # to an unvisited area
                "home": edge in home,
                "away": _distance(x, y, game.x, game.y),  # from the player
                "here": _distance(x, y, me.x, me.y) <= AT_EXIT,
            }
            facts.append(Fact("exit", edge, now, attributes=FrozenMap(about)))
        return facts

    def _monsters(self, now: float) -> list[Fact]:
        game, me = self._game, self._companion
        facts = []
        for beast in game.company.beasts if game.company is not None else ():
            about = {
                "from_player": _distance(beast.x, beast.y, game.x, game.y),
                "from_me": _distance(beast.x, beast.y, me.x, me.y),
                "stunned": beast.stunned > 0,
            }
            facts.append(Fact("monster", beast.name, now, attributes=FrozenMap(about)))
        return facts


def _distance(x: float, y: float, to_x: float, to_y: float) -> float:
    return math.sqrt((x - to_x) * (x - to_x) + (y - to_y) * (y - to_y))


def _score_goal(goal: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Return the score of a goal: its probability, with hysteresis."""
    least = KEPT if memory.focus.get("reading") == goal.subject else TAKEN
    return float(goal["chance"]) if goal["chance"] >= least else None


def _score_monster(monster: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Score a monster by its distance to the player, then to the companion; stunned and distant ones get None."""
    if monster["stunned"] or monster["from_player"] > NOTICED:
        return None
    return float(-monster["from_player"] - 0.5 * monster["from_me"])


def _score_exit_onward(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Score an exit by how soon it leads to an unvisited area, then by its distance from the player."""
    return None if way["screens"] is None else float(-1000.0 * way["screens"] - way["away"])


def _score_exit_to_town(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Score an exit that leads nearer to town by its distance from the player."""
    return float(-way["away"]) if way["home"] else None


ATTENTION = (
    Attention("reading", "goal", _score_goal, margin=0.2),
    Attention("foe", "monster", _score_monster, margin=60.0),
    Attention("onward", "exit", _score_exit_onward, margin=120.0),
    Attention("homeward", "exit", _score_exit_to_town, margin=120.0),
)


class CompanionBeliefs:
    """Returns the values of the domain's variables; ``words`` maps the recognised goals to those of the domain."""

    def __init__(self, words: Mapping[str, str], reach: float) -> None:
        self._words, self._reach = dict(words), reach

    def __call__(self, memory: WorkingMemory, now: float) -> Mapping[str, Value]:
        focus = memory.focus
        player = memory.recall("player", "player", now)
        foe = _recall_focus(memory, "monster", "foe", now)
        onward, home = _recall_focus(memory, "exit", "onward", now), _recall_focus(memory, "exit", "homeward", now)
        return {
            "reading": self._words.get(focus.get("reading") or "", "unsure"),
            "foe": "nobody" if foe is None else self._state_of(foe),
            "pressed": foe is not None and foe["from_player"] <= PRESSING,
            "onward": onward is not None,
            "homeward": home is not None,
            "beside": player is not None and player["near"],
            "at_onward": onward is not None and onward["here"],
            "at_homeward": home is not None and home["here"],
        }

    def _state_of(self, foe: Fact) -> str:
        if foe["stunned"]:
            return "down"
        return "at_hand" if foe["from_me"] <= self._reach else "far"


def _recall_focus(memory: WorkingMemory, kind: str, focus: str, now: float) -> Fact | None:
    subject = memory.focus.get(focus)
    return None if subject is None else memory.recall(kind, subject, now)


# --- the companion ---


class _CompanionProcedure(Procedure):
    """Goes to the player or to the monster or exit in focus, or strikes that monster."""

    def activate(self, doer: Actor, step: Action) -> BodyState:
        """Return the body state for a step."""
        target = doer.memory.focus[_FOCUS[step.name]] if step.name in _FOCUS else "player"
        return Animate("strike", target) if step.name == "strike" else Goto(target, _WORDS[step.name])

    def is_valid(self, doer: Actor, step: Action, entered: BodyState) -> bool:
        """Whether the focus is still the same."""
        return self.activate(doer, step) == entered


_PROCEDURES = {name: _CompanionProcedure() for name in _WORDS}


class Companion:
    """The companion: position, current action, voice and mind."""

    def __init__(self, game: AdventureState, rules: CompanionRules, *, trace: Trace) -> None:
        self._game, self.rules, self._trace = game, rules, trace
        self.x, self.y = game.x + _ELBOW, game.y  # on the right, where most players go first
        self.facing = "down"
        self.target, self.doing = "", "waiting"
        self.stroke = 0  # frames that its staff remains out
        self.late = 0  # frames until it arrives in the area
        self.next_thought = game.frame + 1
        self.voice = CompanionVoice(rules.name)
        self._goal: str | None = None  # the last one announced, or UNSURE
        self.unsure_since = 0.0  # seconds: when it last read a goal
        self.mind = Mind(
            COMPANION,
            load_companion_character(),
            load_companion_domain(),
            body=self,
            believe=CompanionBeliefs(_goal_words(game.rules), rules.reach),
            procedures=_PROCEDURES,
            attention=ATTENTION,
            reflexes={"eyes": CompanionSensor(game, self)},
            trace=trace,
        )

    def read(self, belief: Belief, now: float) -> None:
        """Remember a belief about the player: a fact for each goal."""
        for goal, chance in belief.items():
            self.mind.note(Fact("goal", goal, now, attributes=FrozenMap({"chance": chance})))

    def forget_reading(self) -> None:
        """Forget the belief: another model has other goals."""
        memory = self.mind.memory
        for fact in [fact for fact in memory if fact.kind == "goal"]:
            memory.forget("goal", fact.subject)

    @property
    def reading(self) -> str | None:
        """The goal it ascribes to the player, if it is sure enough."""
        return self.mind.memory.focus.get("reading")

    @property
    def goal(self) -> str | None:
        """The goal it pursues or has satisfied: it serves one also while it waits at an exit."""
        if self.mind.goal is not None:
            return self.mind.goal
        line = self.mind.arbiter.in_line(self.mind.state)
        return line[0].name if line else None

    def is_threat(self, x: float, y: float) -> bool:
        """Whether a monster at a position has to fear the staff."""
        if self.late or self.doing not in ("closing in", "striking"):
            return False
        return (self.x - x) ** 2 + (self.y - y) ** 2 <= _FEARED * _FEARED

    # --- the body that the mind controls ---

    def enter(self, state: BodyState) -> None:
        """Replace the current action by that of ``state``."""
        if isinstance(state, Goto):
            self.target, self.doing = str(state.place), state.pace
        elif isinstance(state, Animate) and state.animation == "strike":
            self.target, self.doing, self.stroke = str(state.at), "striking", _STROKE
        else:
            self.target, self.doing = "", "waiting"

    @property
    def progress(self) -> Progress:
        """The progress of the current action."""
        if self.doing == "striking":
            return RUNNING if self.stroke else DONE
        spot = self._spot()
        if spot is None:
            return RUNNING if self.target else DONE
        reach = {"following": _ELBOW + 4, "closing in": self.rules.reach - 4}.get(self.doing, AT_EXIT - 4)
        return DONE if (spot[0] - self.x) ** 2 + (spot[1] - self.y) ** 2 <= reach * reach else RUNNING

    def _spot(self) -> tuple[float, float] | None:
        """Return the destination; None if there is none, or if the target is gone."""
        game = self._game
        if self.doing == "following":
            return game.x, game.y
        if self.doing in ("closing in", "striking"):
            beasts = game.company.beasts if game.company is not None else ()
            return next(((each.x, each.y) for each in beasts if each.name == self.target), None)
        # In a new area without such an exit there is no destination until the next decision.
        return exit_position(game.rules, self.target) if self.target in game.rules.map.exits[game.area] else None

    # --- per frame ---

    def advance(self, frame: int) -> None:
        """Decide if it is time, move, and strike."""
        if self.late:
            self.late -= 1
            return
        if frame >= self.next_thought:
            self.next_thought = frame + THINKS
            self.mind.think(frame / FRAMES_A_SECOND)
            self._speak(frame / FRAMES_A_SECOND)
        if self.stroke:
            self._strike()
        elif self.target and self.progress is not DONE:
            self._move()

    def _speak(self, now: float) -> None:
        """Say a line about a goal that was just taken up, or that it has been unsure of the player for a while."""
        if self.reading is not None:
            self.unsure_since = now
        goal = self.goal
        if goal == "stay_near" and self.reading is None:
            goal = UNSURE if now - self.unsure_since >= _DOUBT else None
        elif self.mind.goal is None:
            return
        if goal is None or goal == self._goal:
            return
        self._goal = goal
        way = {"scout_ahead": "onward", "show_home": "homeward"}.get(self._goal, "")
        said = self.voice.announce(self._goal, self.mind.memory.focus.get(way) or "", now)
        if said is not None:
            self._trace(said)

    def _strike(self) -> None:
        self.stroke -= 1
        reach, company = self.rules.reach + self._game.rules.monsters.size / 2, self._game.company
        for beast in company.beasts if company is not None else ():
            if not beast.stunned and (beast.x - self.x) ** 2 + (beast.y - self.y) ** 2 <= reach * reach:
                self._face(beast.x - self.x, beast.y - self.y)
                beast.stun()

    def _move(self) -> None:
        spot = self._spot()
        if spot is None:
            return
        across, down, step = spot[0] - self.x, spot[1] - self.y, self.rules.speed
        square = across * across + down * down
        if square > step * step:
            share = step / math.sqrt(square)  # never hypot, whose last digit differs between machines
            across, down = across * share, down * share
        self._face(across, down)
        self._put(self.x + across, self.y + down)

    def _face(self, across: float, down: float) -> None:
        if across or down:
            self.facing = to_direction(across, down)

    def _put(self, x: float, y: float) -> None:
        rules, half = self._game.rules, self.rules.size / 2
        x, y = min(rules.width - half, max(half, x)), min(rules.height - half, max(half, y))
        self.x, self.y = walk_around(self._game.houses, (self.x, self.y), (x, y), half)

    def follow(self, away: float) -> None:
        """Enter the player's new area where the player did, with a delay."""
        game = self._game
        self.late = min(LATE, max(0, round((away - _ELBOW) / self.rules.speed)))
        across, down = game.rules.width / 2 - game.x, game.rules.height / 2 - game.y
        # Beside the player, towards the centre: there is room in every area.
        if abs(across) >= abs(down):
            self._put(game.x, game.y + (_ELBOW if down >= 0 else -_ELBOW) * 0.7)
        else:
            self._put(game.x + (_ELBOW if across >= 0 else -_ELBOW) * 0.7, game.y)
        memory = self.mind.memory
        for fact in [fact for fact in memory if fact.kind in ("exit", "monster")]:
            memory.forget(fact.kind, fact.subject)
        self.target, self.doing, self.stroke = "", "waiting", 0
        self.next_thought = game.frame + 1

    # --- persistence ---

    def save(self, contents: Contents) -> dict[str, Any]:
        """Return the state as plain data."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {**plain, "goal": self._goal, "voice": self.voice.save(), "mind": save_mind(self.mind, contents)}

    def restore(self, check: SnapshotCheck, saved: "CompanionSnapshot", contents: Sequence[ContentSnapshot]) -> None:
        """Continue from saved data."""
        check_in_area(check, ("x",), (saved.x, saved.y), self._game.rules)
        check.known(("facing",), saved.facing, VECTORS, "direction")
        check.known(("doing",), saved.doing, {*_WORDS.values(), "waiting"}, "action")
        if saved.goal is not None:
            check.known(("goal",), saved.goal, load_lines(), "goal")
        check_fact = fact_check(FACTS, self._game.frame / FRAMES_A_SECOND)
        mind = read_mind(check.at("mind"), saved.mind, self.mind, contents, check_fact)
        for name in _PLAIN:
            setattr(self, name, getattr(saved, name))
        self._goal = saved.goal
        self.voice.restore(saved.voice)
        restore_minds([mind])


# The attributes that the companion reads of its facts.
FACTS: FactShapes = {
    "player": {"x": NUMBER, "y": NUMBER, "near": (bool,)},
    "exit": {"screens": (int, type(None)), "home": (bool,), "away": NUMBER, "here": (bool,)},
    "monster": {"from_player": NUMBER, "from_me": NUMBER, "stunned": (bool,)},
    "goal": {"chance": NUMBER},
}


class CompanionSnapshot(SnapshotPart):
    """What the companion saves."""

    x: Finite
    y: Finite
    facing: str
    target: str
    doing: str
    stroke: Count
    late: Count
    next_thought: Count
    unsure_since: Finite
    goal: str | None
    voice: VoiceSnapshot
    mind: MindSnapshot


def _goal_words(rules: Rules) -> dict[str, str]:
    """Return the companion's word for each goal of the player, by the phase condition that achieves it."""
    ends = {"level": "kills", "explore": "chest", "town": "town"}
    return {goal: word for word, end in ends.items() if (goal := rules.goal_of(end)) is not None}


# --- all characters with minds ---


class Company:
    """The characters with minds in the player's area; ``beasts[i]`` is at ``xs[i]``, ``ys[i]`` of the game."""

    def __init__(self, game: AdventureState, *, trace: Trace = silent) -> None:
        self._game, self.trace = game, trace
        self.beasts: list[Beast] = []
        self._number = 0  # monsters that have appeared since the player entered
        rules = game.rules.companion
        self.companion = None if rules is None else Companion(game, rules, trace=trace)

    @property
    def minds(self) -> dict[str, Mind]:
        """The minds by name, the companion's first."""
        minds = {} if self.companion is None else {COMPANION: self.companion.mind}
        return minds | {beast.name: beast.mind for beast in self.beasts}

    def populate(self) -> None:
        """Give minds to the monsters of an area that the player has entered."""
        self.beasts, self._number = [], 0
        for x, y in zip(self._game.xs, self._game.ys, strict=True):
            self.add(x, y)

    def add(self, x: float, y: float) -> None:
        """Give a mind to a monster that has just appeared."""
        kinds = self._game.rules.monsters.kinds
        kind = kinds[self._number % len(kinds)]
        self._number += 1
        self.beasts.append(Beast(self._game, kind, self._number, x, y, trace=self.trace))

    def remove(self, i: int) -> None:
        """Remove a killed monster."""
        beast = self.beasts.pop(i)
        if self.companion is not None:
            self.companion.mind.memory.forget("monster", beast.name)

    def follow(self, x: float, y: float) -> None:
        """Let the companion follow the player, who left the last area at ``x``, ``y``."""
        if self.companion is not None:
            square = (self.companion.x - x) ** 2 + (self.companion.y - y) ** 2
            self.companion.follow(square**0.5)

    def alert(self) -> None:
        """Let monsters near a swung sword decide at once."""
        game = self._game
        for beast in self.beasts:
            if (beast.x - game.x) ** 2 + (beast.y - game.y) ** 2 <= BLADE * BLADE:
                beast.next_thought = game.frame

    def advance(self) -> None:
        """Let everybody decide and move for one frame."""
        game = self._game
        frame, xs, ys = game.frame, game.xs, game.ys
        for beast in self.beasts:
            beast.advance(frame)
        self._separate()
        for i, beast in enumerate(self.beasts):
            xs[i], ys[i] = beast.x, beast.y
        if self.companion is not None:
            self.companion.advance(frame)

    def _separate(self) -> None:
        """Push overlapping monsters apart: hunters would otherwise end up in one place."""
        size = self._game.rules.monsters.size
        for one, other in combinations(self.beasts[:CROWD], 2):
            across, down = other.x - one.x, other.y - one.y
            if -size < across < size and -size < down < size:
                push = 0.5 if across >= 0 else -0.5, 0.5 if down >= 0 else -0.5
                one.shift(-push[0], -push[1])
                other.shift(*push)

    def is_harmless(self, i: int) -> bool:
        """Whether a monster is stunned, so that its touch is harmless."""
        return self.beasts[i].stunned > 0

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        contents = Contents()
        beasts = [beast.save(contents) for beast in self.beasts]
        companion = None if self.companion is None else self.companion.save(contents)
        return {"number": self._number, "beasts": beasts, "companion": companion, "contents": contents.saved}

    def restore(self, check: SnapshotCheck, saved: "CompanySnapshot") -> None:
        """Continue from saved data; the positions of the game are those of the monsters."""
        game = self._game
        numbers = [each.number for each in saved.beasts]
        check.require(len(set(numbers)) == len(numbers), ("beasts",), "have the same number")
        check.require((saved.companion is None) == (self.companion is None), ("companion",), "does not fit the rules")
        self._number = saved.number
        self.beasts = [
            Beast.from_saved(check.at("beasts", place), game, each, saved.contents, trace=self.trace)
            for place, each in enumerate(saved.beasts)
        ]
        game.xs, game.ys = [beast.x for beast in self.beasts], [beast.y for beast in self.beasts]
        if self.companion is not None and saved.companion is not None:
            self.companion.restore(check.at("companion"), saved.companion, saved.contents)


class CompanySnapshot(SnapshotPart):
    """What a company saves."""

    number: Annotated[int, Field(ge=0, le=MAX_NUMBER)]
    beasts: Items[BeastSnapshot]
    companion: CompanionSnapshot | None
    contents: Items[ContentSnapshot] = Field(default_factory=list)
