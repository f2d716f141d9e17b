"""Monsters with minds: what they sense and believe, and the body that carries out their plans."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Procedure, Progress
from telos.agents.memory import MIN_CONFIDENCE, Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.saving import Contents, MindSnapshot, read_mind, restore_minds, save_mind
from telos.agents.snapshots import NUMBER, ContentSnapshot, FactCheck, FactShapes, SavedFact, check_attributes
from telos.core.action import Action
from telos.core.trace import Trace
from telos.core.values import FrozenMap, Value
from telos.files import Count, SnapshotPart
from telos.files.restoring import Point, SnapshotCheck
from telos.worlds.adventure.map import VECTORS
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import load_beast_character, load_beast_domain
from telos.worlds.adventure.state import AdventureState

GUARDED = 150.0  # pixels around its post that a guard defends
AT_POST = 12.0
MAX_NUMBER = 10**9  # monsters that have appeared
_MARGIN = 1_000.0  # pixels around an area in which a saved position may be
BLADE = 130.0  # pixels within which a swung sword or staff is a danger
_PLAYER, _SELF, _BLADE = "player", "self", "blade"
THINKS = 8  # frames between two decisions
STUNNED = 2 * FRAMES_A_SECOND  # frames that a blow of the companion lasts
# For each action: where the body goes, its speed as a factor, and a word for it.
_DOES = {
    "chase": ("player", 1.0, "chasing"),
    "pounce": ("player", 1.5, "pouncing"),
    "lurk": ("round", 0.9, "lurking"),
    "give-way": ("away", 1.0, "giving way"),
    "go-back": ("post", 0.75, "going back"),
    "prowl": ("spot", 0.4, "prowling"),
}
_PACES = {word: pace for _, pace, word in _DOES.values()}
_NEAR, _FAR = 95.0, 125.0  # pixels; a lurking monster keeps its distance between these


# --- senses and beliefs ---


def is_watched(game: AdventureState, x: float, y: float) -> bool:
    """Whether the player faces a position: it lies within 75 degrees of the direction faced."""
    right, down = VECTORS[game.facing]
    across, along = x - game.x, y - game.y
    return across * right + along * down > 0.26 * math.sqrt(across * across + along * along)


def is_near(game: AdventureState, x: float, y: float, reach: float) -> bool:
    """Whether the player is within ``reach`` pixels of a position."""
    return (game.x - x) ** 2 + (game.y - y) ** 2 <= reach * reach


class MonsterSensor:
    """Senses the player inside ``monsters.sight``, a weapon nearby, and the own position."""

    cost = 1.0

    def __init__(self, game: AdventureState, beast: "Beast") -> None:
        self._game, self._beast = game, beast

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        game, beast = self._game, self._beast
        facts = [Fact("self", _SELF, now, attributes=FrozenMap({"at_post": beast.is_at_post}))]
        sight = game.rules.monsters.sight or math.inf
        if is_near(game, beast.x, beast.y, sight):
            about = {
                "x": game.x,
                "y": game.y,
                "watches": is_watched(game, beast.x, beast.y),
                "intrudes": is_near(game, *beast.post, GUARDED),
            }
            facts.append(Fact("player", _PLAYER, now, attributes=FrozenMap(about)))
        if self._is_blade_near():
            facts.append(Fact("blade", _BLADE, now))
        return facts

    def _is_blade_near(self) -> bool:
        game, x, y = self._game, self._beast.x, self._beast.y
        if game.swinging and is_near(game, x, y, BLADE):
            return True
        companion = game.company.companion if game.company is not None else None
        return companion is not None and companion.is_threat(x, y)


def believe(memory: WorkingMemory, now: float) -> Mapping[str, Value]:
    """Return the values of the domain's variables from memory."""
    player, own = memory.recall("player", _PLAYER, now), memory.recall("self", _SELF, now)
    return {
        "sees": player is not None,
        "intruder": player is not None and player["intrudes"],
        "watched": player is not None and player["watches"],
        "danger": memory.recall("blade", _BLADE, now) is not None,
        "at_post": own is not None and own["at_post"],
        "restless": memory.recall("deed", "prowl", now) is None,
        "caught": False,
    }


# --- the monster ---


class _MonsterProcedure(Procedure):
    """Every action of a monster is a movement."""

    def activate(self, doer: Actor, step: Action) -> BodyState:
        """Return the destination and pace of an action."""
        place, _, word = _DOES[step.name]
        return Goto(place, word)


_PROCEDURES = {name: _MonsterProcedure() for name in _DOES}


class Beast:
    """A monster with a mind: position, post, current movement. ``xs`` and ``ys`` of the game repeat its position."""

    __slots__ = ("_game", "doing", "kind", "mind", "name", "next_thought", "place", "post", "spot", "stunned", "x", "y")

    def __init__(self, game: AdventureState, kind: str, number: int, x: float, y: float, *, trace: Trace) -> None:
        self._game = game
        self.kind, self.name = kind, f"{kind}-{number}"
        self.x, self.y = x, y
        self.post = self.spot = (x, y)  # the spot is the destination of prowling
        self.place, self.doing = "", "resting"
        self.stunned = 0  # frames left
        self.next_thought = game.frame + 1 + number * 3 % THINKS  # spread over frames
        self.mind = Mind(
            self.name,
            load_beast_character(kind),
            load_beast_domain(),
            body=self,
            believe=believe,
            procedures=_PROCEDURES,
            reflexes={"eyes": MonsterSensor(game, self)},
            number=number,
            trace=trace,
        )

    # --- the body that the mind controls ---

    def enter(self, state: BodyState) -> None:
        """Replace the current movement by that of ``state``."""
        if isinstance(state, Goto):
            self.place, self.doing = str(state.place), state.pace
            if self.place == "spot":
                self.spot = self._somewhere()
        elif isinstance(state, Animate):
            self.place, self.doing = "", "resting"

    @property
    def progress(self) -> Progress:
        """The progress of the movement; chasing and giving way end only when the mind decides so."""
        if self.place == "round":
            return RUNNING if is_watched(self._game, self.x, self.y) else DONE
        if self.place in ("post", "spot"):
            x, y = self.post if self.place == "post" else self.spot
            return DONE if (x - self.x) ** 2 + (y - self.y) ** 2 <= AT_POST * AT_POST else RUNNING
        return RUNNING if self.place else DONE

    @property
    def is_at_post(self) -> bool:
        return (self.post[0] - self.x) ** 2 + (self.post[1] - self.y) ** 2 <= AT_POST * AT_POST

    def _somewhere(self) -> tuple[float, float]:
        rules, rng = self._game.rules, self._game.rng
        half = rules.monsters.size / 2
        across, down = (rng.random() - 0.5) * 320, (rng.random() - 0.5) * 320
        x = min(rules.width - half, max(half, self.x + across))
        return x, min(rules.height - half, max(half, self.y + down))

    # --- per frame ---

    def advance(self, frame: int) -> None:
        """Decide if it is time, and move."""
        if self.stunned:
            self.stunned -= 1
            return
        if frame >= self.next_thought:
            self.next_thought = frame + THINKS
            self.mind.think(frame / FRAMES_A_SECOND)
        if self.place:
            self._move()

    def _move(self) -> None:
        game = self._game
        step = game.rules.monsters.speed * _PACES[self.doing]
        if self.place == "player":
            x, y = self._believed_player()
            self._go(x - self.x, y - self.y, step)
        elif self.place == "round":
            self._go_round(step)
        elif self.place == "away":
            x, y = self._feared()
            self._go((self.x - x) * 99, (self.y - y) * 99, step)
        else:
            x, y = self.post if self.place == "post" else self.spot
            self._go(x - self.x, y - self.y, step)

    def _believed_player(self) -> tuple[float, float]:
        """Return the player's position, or the one last seen."""
        game, sight = self._game, self._game.rules.monsters.sight
        if sight is None or (game.x - self.x) ** 2 + (game.y - self.y) ** 2 <= sight * sight:
            return game.x, game.y
        seen = self.mind.memory.recall("player", "player", game.frame / FRAMES_A_SECOND)
        return (self.x, self.y) if seen is None else (seen["x"], seen["y"])

    def _feared(self) -> tuple[float, float]:
        """Return the weapon it avoids: the companion's staff or the player's sword."""
        game, companion = self._game, self._game.company.companion if self._game.company is not None else None
        if companion is not None and not game.swinging and companion.is_threat(self.x, self.y):
            return companion.x, companion.y
        return game.x, game.y

    def _go_round(self, step: float) -> None:
        """Circle the player, out of reach, towards the player's back."""
        game = self._game
        across, down = self.x - game.x, self.y - game.y
        away = math.sqrt(across * across + down * down) or 1.0
        right, along = VECTORS[game.facing]
        side = 1.0 if right * down - along * across >= 0 else -1.0  # the shorter way round
        out = 1.0 if away < _NEAR else -1.0 if away > _FAR else 0.0
        self._go((out * across - side * down) / away * step, (out * down + side * across) / away * step, step)

    def _go(self, across: float, down: float, step: float) -> None:
        """Move by at most ``step`` pixels within the area."""
        square = across * across + down * down
        if square > step * step:
            share = step / math.sqrt(square)  # never hypot, whose last digit differs between machines
            across, down = across * share, down * share
        self.shift(across, down)

    def shift(self, across: float, down: float) -> None:
        """Move by an offset within the area."""
        rules = self._game.rules
        half = rules.monsters.size / 2
        self.x = min(rules.width - half, max(half, self.x + across))
        self.y = min(rules.height - half, max(half, self.y + down))

    def stun(self) -> None:
        """Stop for a while, hit by the companion's staff; its touch is harmless meanwhile."""
        self.stunned = STUNNED

    # --- persistence ---

    def save(self, contents: Contents) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "kind": self.kind,
            "number": self.mind.number,
            "at": [self.x, self.y],
            "post": list(self.post),
            "spot": list(self.spot),
            "place": self.place,
            "doing": self.doing,
            "stunned": self.stunned,
            "next_thought": self.next_thought,
            "mind": save_mind(self.mind, contents),
        }

    @classmethod
    def from_saved(
        cls,
        check: SnapshotCheck,
        game: AdventureState,
        saved: "BeastSnapshot",
        contents: Sequence[ContentSnapshot],
        *,
        trace: Trace,
    ) -> "Beast":
        """Recreate a saved monster."""
        check.known(("kind",), saved.kind, game.rules.monsters.kinds, "kind of monster")
        check.require(not saved.place or saved.doing in _PACES, ("doing",), f"is {saved.doing!r}, which does not move")
        for key in ("at", "post", "spot"):
            check_in_area(check, (key,), getattr(saved, key), game.rules)
        beast = cls(game, saved.kind, saved.number, *saved.at, trace=trace)
        beast.post, beast.spot = saved.post, saved.spot
        beast.place, beast.doing = saved.place, saved.doing
        beast.stunned, beast.next_thought = saved.stunned, saved.next_thought
        check_fact = fact_check(FACTS, game.frame / FRAMES_A_SECOND)
        restore_minds([read_mind(check.at("mind"), saved.mind, beast.mind, contents, check_fact)])
        return beast


# The attributes that monsters read of their facts.
FACTS: FactShapes = {
    "self": {"at_post": (bool,)},
    "player": {"x": NUMBER, "y": NUMBER, "watches": (bool,), "intrudes": (bool,)},
}


class BeastSnapshot(SnapshotPart):
    """What a monster saves."""

    kind: str
    number: Annotated[int, Field(ge=1, le=MAX_NUMBER)]
    at: Point
    post: Point
    spot: Point
    place: Literal["", "player", "round", "away", "post", "spot"]
    doing: str
    stunned: Count
    next_thought: Count
    mind: MindSnapshot


def fact_check(shapes: FactShapes, now: float) -> FactCheck:
    """Return the check of facts in a game that is ``now`` seconds old."""

    def check_fact(check: SnapshotCheck, fact: SavedFact) -> None:
        check.require(fact[2] <= now, (2,), f"must be at most {now:g}, the time of the game, got {fact[2]!r}")
        if fact[3] > MIN_CONFIDENCE:
            check_attributes(check, fact, shapes)

    return check_fact


def check_in_area(check: SnapshotCheck, path: Sequence[str | int], point: tuple[float, float], rules: Rules) -> None:
    """Require a point in an area, or near its edge."""
    is_there = -_MARGIN <= point[0] <= rules.width + _MARGIN and -_MARGIN <= point[1] <= rules.height + _MARGIN
    check.require(is_there, path, f"must be in the area, got {point[0]:g},{point[1]:g}")
