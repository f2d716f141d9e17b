"""Monsters with minds."""

import math
from collections.abc import Mapping
from typing import Any

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Procedure, Progress
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.saving import restore_mind, save_mind
from telos.core.action import Action
from telos.core.trace import Trace
from telos.core.values import FrozenMap, Value
from telos.worlds.adventure.map import VECTORS
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.rules_file import beast_domain, beast_kind
from telos.worlds.adventure.state import Play

# --- beast senses -----------------------------------------------------------------------------------------------------
# What a monster with a mind perceives, and how that is put into the words that it plans with.


GUARDED = 150.0  # pixels around its post in which a guard bears nobody
AT_POST = 12.0
BLADE = 130.0  # pixels: a sword that is swung, or a staff, is to be feared from so near
_PLAYER, _SELF, _BLADE = "player", "self", "blade"


def is_watched(play: Play, x: float, y: float) -> bool:
    """Whether the player faces what is at a spot: it lies less than 75 degrees beside the way faced."""
    right, down = VECTORS[play.facing]
    across, along = x - play.x, y - play.y
    return across * right + along * down > 0.26 * math.sqrt(across * across + along * along)


def is_near(play: Play, x: float, y: float, reach: float) -> bool:
    """Whether the player is within ``reach`` pixels of a spot."""
    return (play.x - x) ** 2 + (play.y - y) ** 2 <= reach * reach


class Eyes:
    """Sees the player inside ``monsters.sight``, a blade that is near, and where it stands itself."""

    cost = 1.0

    def __init__(self, play: Play, beast: "Beast") -> None:
        self._play, self._beast = play, beast

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return what is seen now."""
        play, beast = self._play, self._beast
        facts = [Fact("self", _SELF, now, attributes=FrozenMap({"at_post": beast.is_at_post}))]
        sight = play.rules.monsters.sight or math.inf
        if is_near(play, beast.x, beast.y, sight):
            about = {
                "x": play.x,
                "y": play.y,
                "watches": is_watched(play, beast.x, beast.y),
                "intrudes": is_near(play, *beast.post, GUARDED),
            }
            facts.append(Fact("player", _PLAYER, now, attributes=FrozenMap(about)))
        if self._is_blade_near():
            facts.append(Fact("blade", _BLADE, now))
        return facts

    def _is_blade_near(self) -> bool:
        play, x, y = self._play, self._beast.x, self._beast.y
        if play.swinging and is_near(play, x, y, BLADE):
            return True
        companion = play.company.companion if play.company is not None else None
        return companion is not None and companion.is_threat(x, y)


def believe(memory: WorkingMemory, now: float) -> Mapping[str, Value]:
    """Put memory into the variables of the domain."""
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


# --- beast ------------------------------------------------------------------------------------------------------------
# One monster with a mind: the mind decides a few times a second what to do, the body does it in every frame.


THINKS = 8  # frames from one thought to the next: not quite four a second
STUNNED = 2 * FRAMES_A_SECOND  # frames for which a blow of the companion lasts

# What the body does for each action, how fast for its speed, and in a word.
_DOES = {
    "chase": ("player", 1.0, "chasing"),
    "pounce": ("player", 1.5, "pouncing"),
    "lurk": ("round", 0.9, "lurking"),
    "give-way": ("away", 1.0, "giving way"),
    "go-back": ("post", 0.75, "going back"),
    "prowl": ("spot", 0.4, "prowling"),
}
_PACES = {word: pace for _, pace, word in _DOES.values()}
_NEAR, _FAR = 95.0, 125.0  # pixels: who lurks keeps between these


class _Doing(Procedure):
    """Every action of a monster is a way of going somewhere."""

    def activate(self, doer: Actor, step: Action) -> BodyState:
        """Return where to go, and how."""
        place, _, word = _DOES[step.name]
        return Goto(place, word)


_PROCEDURES = {name: _Doing() for name in _DOES}


class Beast:
    """A monster's name, its post, what its body is at, and its mind. Where it stands is in ``xs`` and ``ys``, too."""

    __slots__ = ("_play", "doing", "kind", "mind", "name", "next_thought", "place", "post", "spot", "stunned", "x", "y")

    def __init__(self, play: Play, kind: str, number: int, x: float, y: float, *, trace: Trace) -> None:
        self._play = play
        self.kind, self.name = kind, f"{kind}-{number}"
        self.x, self.y = x, y
        self.post = self.spot = (x, y)  # the spot is where it prowls to
        self.place, self.doing = "", "resting"
        self.stunned = 0  # frames that it is still stunned
        self.next_thought = play.frame + 1 + number * 3 % THINKS  # not all at once
        self.mind = Mind(
            self.name,
            beast_kind(kind),
            beast_domain(),
            body=self,
            believe=believe,
            procedures=_PROCEDURES,
            reflexes={"eyes": Eyes(play, self)},
            number=number,
            trace=trace,
        )

    # --- the body, as the mind knows it -------------------------------------------------------------------------------

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""
        if isinstance(state, Goto):
            self.place, self.doing = str(state.place), state.pace
            if self.place == "spot":
                self.spot = self._somewhere()
        elif isinstance(state, Animate):
            self.place, self.doing = "", "resting"

    @property
    def progress(self) -> Progress:
        """Return how that is going: who chases or gives way is never done, until the mind says otherwise."""
        if self.place == "round":
            return RUNNING if is_watched(self._play, self.x, self.y) else DONE
        if self.place in ("post", "spot"):
            x, y = self.post if self.place == "post" else self.spot
            return DONE if (x - self.x) ** 2 + (y - self.y) ** 2 <= AT_POST * AT_POST else RUNNING
        return RUNNING if self.place else DONE

    @property
    def is_at_post(self) -> bool:
        """Whether it stands where it belongs."""
        return (self.post[0] - self.x) ** 2 + (self.post[1] - self.y) ** 2 <= AT_POST * AT_POST

    def _somewhere(self) -> tuple[float, float]:
        rules, rng = self._play.rules, self._play.rng
        half = rules.monsters.size / 2
        across, down = (rng.random() - 0.5) * 320, (rng.random() - 0.5) * 320
        x = min(rules.width - half, max(half, self.x + across))
        return x, min(rules.height - half, max(half, self.y + down))

    # --- every frame --------------------------------------------------------------------------------------------------

    def live(self, frame: int) -> None:
        """Think if it is time, and move."""
        if self.stunned:
            self.stunned -= 1
            return
        if frame >= self.next_thought:
            self.next_thought = frame + THINKS
            self.mind.think(frame / FRAMES_A_SECOND)
        if self.place:
            self._move()

    def _move(self) -> None:
        play = self._play
        step = play.rules.monsters.speed * _PACES[self.doing]
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
        """Return where the player is, or was when last seen."""
        play, sight = self._play, self._play.rules.monsters.sight
        if sight is None or (play.x - self.x) ** 2 + (play.y - self.y) ** 2 <= sight * sight:
            return play.x, play.y
        seen = self.mind.memory.recall("player", "player", play.frame / FRAMES_A_SECOND)
        return (self.x, self.y) if seen is None else (seen["x"], seen["y"])

    def _feared(self) -> tuple[float, float]:
        """Return where the blade is that it gives way to: the companion's staff, or else the player's sword."""
        play, companion = self._play, self._play.company.companion if self._play.company is not None else None
        if companion is not None and not play.swinging and companion.is_threat(self.x, self.y):
            return companion.x, companion.y
        return play.x, play.y

    def _go_round(self, step: float) -> None:
        """Move round the player, out of the sword's reach, to where they do not look."""
        play = self._play
        across, down = self.x - play.x, self.y - play.y
        away = math.sqrt(across * across + down * down) or 1.0
        right, along = VECTORS[play.facing]
        side = 1.0 if right * down - along * across >= 0 else -1.0  # the shorter way round
        out = 1.0 if away < _NEAR else -1.0 if away > _FAR else 0.0
        self._go((out * across - side * down) / away * step, (out * down + side * across) / away * step, step)

    def _go(self, across: float, down: float, step: float) -> None:
        """Move by at most ``step`` pixels, and stay in the area."""
        square = across * across + down * down
        if square > step * step:
            share = step / math.sqrt(square)  # never hypot, whose last digit differs between machines
            across, down = across * share, down * share
        self.shift(across, down)

    def shift(self, across: float, down: float) -> None:
        """Be somewhere else, but in the area."""
        rules = self._play.rules
        half = rules.monsters.size / 2
        self.x = min(rules.width - half, max(half, self.x + across))
        self.y = min(rules.height - half, max(half, self.y + down))

    def stun(self) -> None:
        """Be hit by the companion's staff: stand there, and do no harm."""
        self.stunned = STUNNED

    # --- on paper -----------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return all that changes about it as plain data."""
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
            "mind": save_mind(self.mind),
        }

    @classmethod
    def restored(cls, play: Play, saved: Mapping[str, Any], *, trace: Trace) -> "Beast":
        """Return the monster that was saved."""
        x, y = saved["at"]
        beast = cls(play, saved["kind"], saved["number"], x, y, trace=trace)
        (post_x, post_y), (spot_x, spot_y) = saved["post"], saved["spot"]
        beast.post, beast.spot = (post_x, post_y), (spot_x, spot_y)
        beast.place, beast.doing = saved["place"], saved["doing"]
        beast.stunned, beast.next_thought = saved["stunned"], saved["next_thought"]
        restore_mind(beast.mind, saved["mind"])
        return beast
