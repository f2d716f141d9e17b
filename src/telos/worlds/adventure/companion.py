"""The companion: a mind whose memory holds what it reads of the player, in a body that nothing can harm."""

import math
from collections.abc import Mapping
from typing import Any

from telos.agents.body import DONE, RUNNING, Animate, BodyState, Goto, Progress
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.procedure import Doer, Procedure
from telos.agents.saving import restore_mind, save_mind
from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.frozen import FrozenMap
from telos.core.trace import Trace
from telos.worlds.adventure.companion_senses import AT_EXIT, ATTENTION, Believer, Eyes
from telos.worlds.adventure.directions import direction_of
from telos.worlds.adventure.minds import COMPANION, companion_domain, companion_kind
from telos.worlds.adventure.play import Play
from telos.worlds.adventure.rules import FRAMES_A_SECOND, CompanionRules, Rules
from telos.worlds.adventure.voice import Voice
from telos.worlds.adventure.ways import spot_at

THINKS = 6  # frames from one thought to the next: five a second
LATE = 45  # frames that it is behind at most, when the player has left an area
_STROKE = 6  # frames that its staff is out
_ELBOW = 60.0  # pixels that it leaves between itself and the player
_FEARED = 110.0  # pixels: monsters that know fear give way to it from so near
_WORDS = {
    "follow": "following",
    "close-in": "closing in",
    "strike": "striking",
    "scout": "scouting",
    "lead-home": "leading home",
}
_FOCUS = {"close-in": "foe", "strike": "foe", "scout": "onward", "lead-home": "homeward"}


class _Doing(Procedure):
    """Goes to the player, to the monster or exit that is looked at, or strikes that monster."""

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        target = doer.memory.focus[_FOCUS[step.name]] if step.name in _FOCUS else "player"
        return Animate("strike", target) if step.name == "strike" else Goto(target, _WORDS[step.name])

    def is_valid(self, doer: Doer, step: Action, entered: BodyState) -> bool:
        """Whether it still looks at the same monster or exit."""
        return self.activate(doer, step) == entered


_PROCEDURES = {name: _Doing() for name in _WORDS}


class Companion:
    """Where it is, what its body is at, what it says, and its mind."""

    def __init__(self, play: Play, rules: CompanionRules, *, trace: Trace) -> None:
        self._play, self.rules, self._trace = play, rules, trace
        self.x, self.y = play.x + _ELBOW, play.y  # on the right, where most people go first
        self.facing = "down"
        self.target, self.doing = "", "waiting"
        self.stroke = 0  # frames that its staff is still out
        self.late = 0  # frames until it comes into the area
        self.next_thought = play.frame + 1
        self.voice = Voice(rules.name)
        self._goal: str | None = None  # that it last took up
        self.mind = Mind(
            COMPANION,
            companion_kind(),
            companion_domain(),
            body=self,
            believe=Believer(_meanings(play.rules), rules.reach),
            procedures=_PROCEDURES,
            attention=ATTENTION,
            reflexes={"eyes": Eyes(play, self)},
            trace=trace,
        )

    def read(self, belief: Belief, now: float) -> None:
        """Hold a belief about the player as facts: one for each goal."""
        for goal, chance in belief.items():
            self.mind.note(Fact("goal", goal, now, attributes=FrozenMap({"chance": chance})))

    def forget_reading(self) -> None:
        """Let go of what it read: somebody else's goals are no goals any more."""
        memory = self.mind.memory
        for fact in [fact for fact in memory if fact.kind == "goal"]:
            memory.forget("goal", fact.subject)

    @property
    def reading(self) -> str | None:
        """Return the goal that it takes the player to have, if it is sure enough."""
        return self.mind.memory.focus.get("reading")

    @property
    def goal(self) -> str | None:
        """Return the goal that it pursues, or that holds already: who waits at an exit still serves one."""
        if self.mind.goal is not None:
            return self.mind.goal
        line = self.mind.arbiter.in_line(self.mind.state)
        return line[0].name if line else None

    def is_threat(self, x: float, y: float) -> bool:
        """Whether a monster at a spot has its staff to fear."""
        if self.late or self.doing not in ("closing in", "striking"):
            return False
        return (self.x - x) ** 2 + (self.y - y) ** 2 <= _FEARED * _FEARED

    # --- the body, as the mind knows it -------------------------------------------------------------------------------

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""
        if isinstance(state, Goto):
            self.target, self.doing = str(state.place), state.pace
        elif isinstance(state, Animate) and state.animation == "strike":
            self.target, self.doing, self.stroke = str(state.at), "striking", _STROKE
        else:
            self.target, self.doing = "", "waiting"

    @property
    def progress(self) -> Progress:
        """Return how that is going."""
        if self.doing == "striking":
            return RUNNING if self.stroke else DONE
        spot = self._spot()
        if spot is None:
            return RUNNING if self.target else DONE
        reach = {"following": _ELBOW + 4, "closing in": self.rules.reach - 4}.get(self.doing, AT_EXIT - 4)
        return DONE if (spot[0] - self.x) ** 2 + (spot[1] - self.y) ** 2 <= reach * reach else RUNNING

    def _spot(self) -> tuple[float, float] | None:
        """Return where it is going; None if it goes nowhere, or if whom it went for is gone."""
        play = self._play
        if self.doing == "following":
            return play.x, play.y
        if self.doing in ("closing in", "striking"):
            beasts = play.company.beasts if play.company is not None else ()
            return next(((each.x, each.y) for each in beasts if each.name == self.target), None)
        # The player may have left for an area that has no such exit; the mind will see that in a moment.
        return spot_at(play.rules, self.target) if self.target in play.rules.map.exits[play.area] else None

    # --- every frame --------------------------------------------------------------------------------------------------

    def live(self, frame: int) -> None:
        """Think if it is time, move, and strike."""
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
        if self.mind.goal is None or self.mind.goal == self._goal:
            return
        self._goal = self.mind.goal
        way = {"scout_ahead": "onward", "show_home": "homeward"}.get(self._goal, "")
        said = self.voice.takes_up(self._goal, self.mind.memory.focus.get(way) or "", now)
        if said is not None:
            self._trace(said)

    def _strike(self) -> None:
        self.stroke -= 1
        reach, company = self.rules.reach + self._play.rules.monsters.size / 2, self._play.company
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
            self.facing = direction_of(across, down)

    def _put(self, x: float, y: float) -> None:
        rules, half = self._play.rules, self.rules.size / 2
        self.x, self.y = min(rules.width - half, max(half, x)), min(rules.height - half, max(half, y))

    def come_along(self, away: float) -> None:
        """Come into the area that the player is in now, through where they came in, a while after them."""
        play = self._play
        self.late = min(LATE, max(0, round((away - _ELBOW) / self.rules.speed)))
        across, down = play.rules.width / 2 - play.x, play.rules.height / 2 - play.y
        # Beside the player, on the side of the middle: there is room in every area.
        if abs(across) >= abs(down):
            self._put(play.x, play.y + (_ELBOW if down >= 0 else -_ELBOW) * 0.7)
        else:
            self._put(play.x + (_ELBOW if across >= 0 else -_ELBOW) * 0.7, play.y)
        memory = self.mind.memory
        for fact in [fact for fact in memory if fact.kind in ("exit", "monster")]:
            memory.forget(fact.kind, fact.subject)
        self.target, self.stroke = "", 0
        self.next_thought = play.frame + 1

    # --- on paper -----------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return all that changes about it as plain data."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {**plain, "goal": self._goal, "voice": self.voice.save(), "mind": save_mind(self.mind)}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved."""
        for name in _PLAIN:
            setattr(self, name, saved[name])
        self._goal = saved["goal"]
        self.voice.restore(saved["voice"])
        restore_mind(self.mind, saved["mind"])


_PLAIN = ("x", "y", "facing", "target", "doing", "stroke", "late", "next_thought")


def _meanings(rules: Rules) -> dict[str, str]:
    """Return which of the player's goals is which to the companion: by what achieves it, whatever it is called."""
    ends = {"level": "kills", "explore": "chest", "town": "town"}
    return {goal: word for word, end in ends.items() if (goal := rules.goal_of(end)) is not None}
