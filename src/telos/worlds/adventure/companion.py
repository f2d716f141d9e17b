"""The companion."""

import math
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Procedure, Progress
from telos.agents.memory import Attention, Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.saving import restore_mind, save_mind
from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.trace import Trace
from telos.core.values import FrozenMap, Value
from telos.files.yaml import read_text, read_yaml
from telos.worlds.adventure.events import Said
from telos.worlds.adventure.map import AreaMap, direction_of
from telos.worlds.adventure.rules import FRAMES_A_SECOND, CompanionRules, Rules
from telos.worlds.adventure.rules_file import COMPANION, MINDS, companion_domain, companion_kind
from telos.worlds.adventure.state import Play

# --- voice ------------------------------------------------------------------------------------------------------------
# What the companion says when it takes up a goal: lines as data, now and then.


PAUSE = 4.0  # seconds between one line and the next
AGAIN = 20.0  # ... and until the same is worth saying again, for each time that it was said
_MOST = 6  # times; from then on it is said as seldom as it gets
SHOWN = 4.0  # how long a line can be read


@cache
def the_lines() -> Mapping[str, tuple[str, ...]]:
    """Return what there is to say, by goal.

    >>> the_lines()["stay_near"][1]
    'Lead the way, I am with you.'
    """
    file = MINDS / "lines.yaml"
    return {goal: tuple(lines) for goal, lines in read_yaml(read_text(file), str(file)).data.items()}


class Voice:
    """Says one line for each goal that is taken up, in turn, unless it has just spoken or said the same.

    Who has heard a line often needs it seldom: the wait for the same goal grows with every time.

    >>> voice = Voice("Wren")
    >>> voice.takes_up("stay_near", "", now=0.0).text
    'I cannot tell what you are after. I will stay near.'
    >>> voice.takes_up("keep_off", "", now=1.0) is None, voice.takes_up("stay_near", "", now=9.0) is None
    (True, True)
    """

    def __init__(self, who: str) -> None:
        self.who = who
        self.lines: list[Said] = []
        self._times: dict[str, tuple[int, float]] = {}  # for each goal: how often, and when last

    def takes_up(self, goal: str, way: str, now: float) -> Said | None:
        """Return what is said about a goal, if anything; ``way`` is where it leads."""
        often, last = self._times.get(goal, (0, 0.0))
        if (self.lines and now - self.lines[-1].time < PAUSE) or now - last < AGAIN * min(often, _MOST):
            return None
        choices = the_lines()[goal]
        said = Said(now, self.who, choices[often % len(choices)].format(way=way))
        self._times[goal] = often + 1, now
        self.lines.append(said)
        return said

    def saying(self, now: float) -> str:
        """Return the line that is to be seen now."""
        return self.lines[-1].text if self.lines and now - self.lines[-1].time < SHOWN else ""

    def save(self) -> dict[str, Any]:
        """Return all that was said as plain data."""
        lines = [[each.time, each.text] for each in self.lines]
        return {"lines": lines, "times": {goal: list(each) for goal, each in self._times.items()}}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved."""
        self.lines = [Said(time, self.who, text) for time, text in saved["lines"]]
        self._times = {goal: (often, last) for goal, (often, last) in saved["times"].items()}


# --- ways -------------------------------------------------------------------------------------------------------------
# Ways between areas: which edge leads on to where nobody has been, and which leads home.


_INSIDE = 26.0  # pixels between an edge and whoever waits there


def onward(areas: AreaMap, area: int, visited: Collection[int]) -> dict[str, int]:
    """Return for each edge behind which a way to an unvisited area begins how many screens it is, 1 being the next.

    >>> tiny = AreaMap.drawn('''
    ... +---+---+---+---+
    ... |     T         |
    ... +---+---+---+---+
    ... ''')
    >>> onward(tiny, 1, {1, 2}), onward(tiny, 1, {0, 1, 2, 3})
    ({'east': 2, 'west': 1}, {})
    """
    found = {edge: _screens_to_new(areas, behind, area, visited) for edge, behind in areas.exits[area].items()}
    return {edge: screens for edge, screens in found.items() if screens is not None}


def _screens_to_new(areas: AreaMap, start: int, back: int, visited: Collection[int]) -> int | None:
    """Return how many screens it is from the one behind an edge, breadth first and never back through it."""
    reached, queue = {back, start}, [(start, 1)]
    for area, screens in queue:  # grows while it is walked
        if area not in visited:
            return screens
        for behind in areas.exits[area].values():
            if behind not in reached:
                reached.add(behind)
                queue.append((behind, screens + 1))
    return None


def homeward(areas: AreaMap, area: int) -> tuple[str, ...]:
    """Return the edges that lead nearer to town."""
    here = areas.distance[area] or 0
    return tuple(edge for edge, behind in areas.exits[area].items() if (areas.distance[behind] or 0) < here)


def spot_at(rules: Rules, edge: str) -> tuple[float, float]:
    """Return where one waits at an edge: before the middle of it."""
    x, y = rules.width / 2, rules.height / 2
    return {
        "north": (x, _INSIDE),
        "south": (x, rules.height - _INSIDE),
        "west": (_INSIDE, y),
        "east": (rules.width - _INSIDE, y),
    }[edge]


# --- companion senses -------------------------------------------------------------------------------------------------
# What the companion perceives, what it looks at, and how that is put into the words that it plans with.


TAKEN, KEPT = 0.6, 0.35  # a goal is believed from the one chance on, and until it falls below the other
BESIDE = 110.0  # pixels: so near it is with the player
AT_EXIT = 20.0
NOTICED = 220.0  # pixels around the player in which a monster is worth a fight
PRESSING = 130.0  # ... and in which it is a danger


class Eyes:
    """Sees the whole area: the player, the monsters, and where its exits lead."""

    cost = 1.0

    def __init__(self, play: Play, companion: "Companion") -> None:
        self._play, self._companion = play, companion

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return what is seen now."""
        play, me = self._play, self._companion
        near = _distance(play.x, play.y, me.x, me.y) <= BESIDE
        return [
            Fact("player", "player", now, attributes=FrozenMap({"x": play.x, "y": play.y, "near": near})),
            *self._exits(now),
            *self._monsters(now),
        ]

    def _exits(self, now: float) -> list[Fact]:
        play, me, areas = self._play, self._companion, self._play.rules.map
        leading, home = onward(areas, play.area, play.visited), homeward(areas, play.area)
        facts = []
        for edge in areas.exits[play.area]:
            x, y = spot_at(play.rules, edge)
            about = {
                "screens": leading.get(edge),  # to where nobody has been
                "home": edge in home,
                "away": _distance(x, y, play.x, play.y),  # from the player
                "here": _distance(x, y, me.x, me.y) <= AT_EXIT,
            }
            facts.append(Fact("exit", edge, now, attributes=FrozenMap(about)))
        return facts

    def _monsters(self, now: float) -> list[Fact]:
        play, me = self._play, self._companion
        facts = []
        for beast in play.company.beasts if play.company is not None else ():
            about = {
                "from_player": _distance(beast.x, beast.y, play.x, play.y),
                "from_me": _distance(beast.x, beast.y, me.x, me.y),
                "stunned": beast.stunned > 0,
            }
            facts.append(Fact("monster", beast.name, now, attributes=FrozenMap(about)))
        return facts


def _distance(x: float, y: float, to_x: float, to_y: float) -> float:
    return math.sqrt((x - to_x) * (x - to_x) + (y - to_y) * (y - to_y))


def _chance(goal: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate a goal by its chance. It takes more to be believed than to stay so."""
    least = KEPT if memory.focus.get("reading") == goal.subject else TAKEN
    return float(goal["chance"]) if goal["chance"] >= least else None


def _nearness(monster: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate a monster by how near it is to the player, and then to oneself; who is stunned or far is let be."""
    if monster["stunned"] or monster["from_player"] > NOTICED:
        return None
    return float(-monster["from_player"] - 0.5 * monster["from_me"])


def _newness(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate an exit by how soon it leads to something new, and then by how near the player is to it."""
    return None if way["screens"] is None else float(-1000.0 * way["screens"] - way["away"])


def _homeliness(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate an exit that leads nearer to town by how near the player is to it."""
    return float(-way["away"]) if way["home"] else None


ATTENTION = (
    Attention("reading", "goal", _chance, margin=0.2),
    Attention("foe", "monster", _nearness, margin=60.0),
    Attention("onward", "exit", _newness, margin=120.0),
    Attention("homeward", "exit", _homeliness, margin=120.0),
)


class Believer:
    """Puts memory into the variables of the domain. ``words`` says which of the goals it reads is which for it."""

    def __init__(self, words: Mapping[str, str], reach: float) -> None:
        self._words, self._reach = dict(words), reach

    def __call__(self, memory: WorkingMemory, now: float) -> Mapping[str, Value]:
        """Return the values of the variables."""
        focus = memory.focus
        player = memory.recall("player", "player", now)
        foe = _looked_at(memory, "monster", "foe", now)
        onward, home = _looked_at(memory, "exit", "onward", now), _looked_at(memory, "exit", "homeward", now)
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


def _looked_at(memory: WorkingMemory, kind: str, focus: str, now: float) -> Fact | None:
    subject = memory.focus.get(focus)
    return None if subject is None else memory.recall(kind, subject, now)


# --- companion --------------------------------------------------------------------------------------------------------
# The companion: a mind whose memory holds what it reads of the player, in a body that nothing can harm.


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

    def activate(self, doer: Actor, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        target = doer.memory.focus[_FOCUS[step.name]] if step.name in _FOCUS else "player"
        return Animate("strike", target) if step.name == "strike" else Goto(target, _WORDS[step.name])

    def is_valid(self, doer: Actor, step: Action, entered: BodyState) -> bool:
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
