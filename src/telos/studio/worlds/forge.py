"""Forge stage."""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from telos.agents.explain import why_not
from telos.agents.trace import Chose, Dropped
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import as_json
from telos.core.values import Value
from telos.files.yaml import read_text
from telos.planning.planner import warm_up
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import FactLine, GoalLine, MindView, StepLine, build_mind_view
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, Stage, StudioWorld
from telos.studio.worlds.forge_drawing import HEIGHT, SYMBOLS, WIDTH, at, picture, village_map
from telos.studio.worlds.shapes import Picture
from telos.worlds.forge.companion import ForgeCompanion, create_plan_reader
from telos.worlds.forge.domain import DATA, DOMAIN, PLANS
from telos.worlds.forge.forge import COMPANION, GO, GOAL_OF, PLAYER, SAY, WAIT, Forge, manual_actions
from telos.worlds.forge.player import SimulatedPlayer
from telos.worlds.forge.scene import COMPANIONS, SECONDS_AFTER, ForgeScene
from telos.worlds.forge.speech import find_utterance, load_utterances
from telos.worlds.forge.trace import PLAN_WORDS as PLAN_WORDS
from telos.worlds.forge.trace import (
    WANTS,
    DoorOpened,
    ForgeAction,
    ForgeSpeech,
    PlanChanged,
    Understood,
    describe_action,
    format_chances,
)

# --- forge hands ------------------------------------------------------------------------------------------------------
# The player's hands in the village: keys and words become one command a step.


_VECTORS = {"up": (0.0, -1.0), "down": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
KEYS = (
    ("ArrowUp", "up", "walk up the map"),
    ("ArrowDown", "down", "walk down"),
    ("ArrowLeft", "left", "walk left"),
    ("ArrowRight", "right", "walk right"),
    *((f"Digit{number}", str(number), f"do the thing with number {number}") for number in range(1, 10)),
)
_TOWARDS = 0.35  # the least cosine between an arrow and a way that it may mean
_MOST_WAITING = 20  # commands


class Hands:
    """Turns inputs into commands. A key counts when it goes down; an arrow that stays down leads on at each place."""

    def __init__(self, scene: ForgeScene) -> None:
        self._scene = scene
        self._deeds = manual_actions(scene.world.domain, PLAYER)
        self._held: frozenset[str] = frozenset()
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)

    def command(self, inputs: Inputs) -> str | None:
        """Return what the player does in this step, if it is anything new; words go before keys."""
        asked = [self._meant(line) for line in inputs.asked]
        if asked and not self._waiting:
            self._scene.world.check({PLAYER: asked[0]})
        self._waiting.extend(asked)
        held = frozenset(inputs.held.split("+")) - {""}
        pressed, self._held = held - self._held, held
        while self._waiting:
            command = self._waiting.popleft()
            if self._makes_sense(command):
                return command
        return self._by_key(pressed, held)

    def _meant(self, line: str) -> str:
        """Return a line as a command: what the companion would understand is said to it."""
        said = line.strip()
        verb = said.partition(" ")[0]
        if verb in (GO, SAY) or said == WAIT or said in self._deeds:
            return said
        if said.replace(" ", "-") in self._deeds:
            return said.replace(" ", "-")
        if find_utterance(said, load_utterances().values()) is not None:
            return f"{SAY} {said}"
        raise TelosError(
            f"cannot {said!r} here", f"`go PLACE`, `say WORDS`, or one of {', '.join(self.deeds()) or WAIT}"
        )

    def _makes_sense(self, command: str) -> bool:
        """Whether a command that had to wait for its turn can still be carried out."""
        try:
            self._scene.world.check({PLAYER: command})
        except TelosError:
            return False
        return True

    def _by_key(self, pressed: frozenset[str], held: frozenset[str]) -> str | None:
        deeds = self.deeds()
        for number, name in enumerate(deeds[:9], 1):
            if str(number) in pressed:
                return name
        person = self._scene.world.people[PLAYER]
        is_free = not person.is_walking and person.action is None
        if pressed & _VECTORS.keys() or (is_free and held & _VECTORS.keys()):
            to = self.way(held & _VECTORS.keys())
            return None if to is None else f"{GO} {to}"
        return None

    def deeds(self) -> list[str]:
        """Return what the player's hands can do now, in the order of the number keys."""
        if self._scene.world.people[PLAYER].is_walking:
            return []
        state = self._scene.world.state_of(PLAYER)
        return [name for name, action in self._deeds.items() if action.is_possible(state)]

    def way(self, arrows: frozenset[str]) -> str | None:
        """Return the place beside the present one, or the next one, that lies in the direction of some arrows."""
        right = sum(_VECTORS[arrow][0] for arrow in arrows)
        down = sum(_VECTORS[arrow][1] for arrow in arrows)
        if not (right or down):
            return None
        village, here = self._scene.world.village, self._scene.world.people[PLAYER].heading
        x, y = at(*village.places[here])
        best: tuple[float, str] | None = None
        for name in village.ways[here]:
            u, v = at(*village.places[name])
            cosine = ((u - x) * right + (v - y) * down) / math.hypot(u - x, v - y) / math.hypot(right, down)
            if cosine >= _TOWARDS and (best is None or cosine > best[0]):
                best = cosine, name
        return None if best is None else best[1]

    def ways(self) -> dict[str, str]:
        """Return which place each arrow leads to, for a player who stands somewhere with nothing to do."""
        person = self._scene.world.people[PLAYER]
        if person.is_walking or person.action is not None:
            return {}
        found = {arrow: self.way(frozenset({arrow})) for arrow in ARROWS}
        return {arrow: name for arrow, name in found.items() if name is not None}

    def commands(self) -> Sequence[str]:
        """Return what may be told to the player now: places, deeds, and words."""
        here = self._scene.world.people[PLAYER].heading
        near = [f"{GO} {name}" for name in self._scene.world.village.ways[here]]
        far = [f"{GO} {name}" for name in self._scene.world.village.places if name != here]
        friend = self._scene.companion is not None
        words = [f"{SAY} {each.says[0]}" for each in load_utterances().values()] if friend else []
        return list(dict.fromkeys([*self.deeds(), *near, *far, *words]))


# --- forge happenings -------------------------------------------------------------------------------------------------
# The trace of the scene for the timeline: what was done, said, understood and wanted.


def happenings(records: Iterable[object], deeds: Iterable[Event], scene: ForgeScene) -> Sequence[Happening]:
    """Return the records of one step; the player's ``deeds`` are what readers are told, as the companion is."""
    told = list(deeds)
    found = []
    for record in records:
        is_deed = isinstance(record, ForgeAction) and record.who == PLAYER and bool(told)
        happening = _happening(record, told.pop(0) if is_deed else None, scene)
        if happening is not None:
            found.append(happening)
    return found


def _happening(record: object, event: Event | None, scene: ForgeScene) -> Happening | None:
    match record:
        case ForgeAction():
            return Happening(record.time, record.who, describe_action(record.action), event=event)
        case ForgeSpeech():
            return Happening(record.time, record.who, f"“{record.text}”", "said")
        case Understood():
            label = f"understands: {record.means or 'nothing'}"
            return Happening(record.time, COMPANION, label, "game", why=_heard(record, scene))
        case Chose():
            why = record.why if scene.companion is None else f"{record.why}\n{scene.companion.why()}"
            return Happening(record.time, COMPANION, f"wants to {WANTS[record.goal]}", "game", why=why)
        case Dropped():
            return Happening(record.time, COMPANION, f"gives up to {WANTS[record.goal]}", "game", why=record.why)
        case PlanChanged():
            return Happening(record.time, record.who, f"thinks better of it: {PLAN_WORDS[record.now]}", "game")
        case DoorOpened():
            return Happening(record.time, record.who, f"opens the door: {PLAN_WORDS[record.plan]}", "goal")
    return None


def _heard(record: Understood, scene: ForgeScene) -> str:
    if scene.companion is not None and scene.companion.heard is not None:
        return scene.companion.heard.why()
    return format_chances(dict(record.options))


# --- forge minds ------------------------------------------------------------------------------------------------------
# Minds of the village on paper: the companion's, and that of a player who is simulated.


def companion_sheet(companion: ForgeCompanion, scene: ForgeScene) -> MindView:
    """Return the companion's mind, with what it believes about the player in its story."""
    lines = [(time, words) for time, who, words in scene.said if who == COMPANION]
    about = f"companion, who {scene.mode}" + (
        f"; takes you to be after: {companion.reading}" if companion.reading else ""
    )
    sheet = build_mind_view(companion.mind, scene.world.time, about=about, lines=lines)
    goal = companion.mind.goal
    doing = describe_action(scene.world.view().person(COMPANION).doing)
    return replace(sheet, doing=f"{doing}, to {WANTS[goal]}" if goal in WANTS else doing, why=companion.why())


def player_sheet(player: SimulatedPlayer, scene: ForgeScene) -> MindView:
    """Return what a simulated player is after: one plan of three, its steps, and what is counted on."""
    person, now = scene.world.people[PLAYER], scene.world.time
    facts = [FactLine("place", PLAYER, 0.0, 1.0, f"at the {person.place}")]
    facts.append(FactLine("hands", PLAYER, 0.0, 1.0, f"{person.hands}, pocket {person.pocket}"))
    if player.promise is not None:
        facts.append(FactLine("promise", COMPANION, 0.0, 1.0, f"will see to: {player.promise}"))
    goals = tuple(
        GoalLine(plan, float(plan == player.plan), True, plan == player.plan, PLAN_WORDS[plan]) for plan in PLANS
    )
    steps = tuple(StepLine(step, "now" if place == 0 else "next") for place, step in enumerate(player.steps))
    asked = "for nothing" if not player.asked else "once" if player.asked == 1 else f"{player.asked} times"
    return MindView(
        who=PLAYER,
        about="a simulated player, within human limits",
        time=now,
        doing=describe_action(scene.world.view().person(PLAYER).doing),
        goals=goals,
        plan=steps,
        facts=tuple(facts),
        lines=tuple((time, words) for time, who, words in scene.said if who == PLAYER),
        actions=tuple(manual_actions(scene.world.domain, PLAYER)),
        why=f"The player wants to {PLAN_WORDS[player.plan]}, and has asked {asked}.",
    )


def why_not_of_companion(companion: ForgeCompanion, what: str) -> str:
    """Say why the companion does not pursue a goal, or does not do an action."""
    return why_not(companion.mind, what)


def why_not_of_player(player: SimulatedPlayer, what: str) -> str:
    """Say why a simulated player does not follow a plan, or does not do an action."""
    if what in PLANS:
        if what == player.plan:
            return f"{what}: it is what the player is after."
        return f"{what}: this player was given the plan {player.plan}; to read that is up to you."
    actions = manual_actions(player.world.domain, PLAYER)
    if what not in actions:
        raise TelosError(f"{what!r} is neither a plan nor an action of the player", name_hint(what, [*PLANS, *actions]))
    if what in player.steps:
        return f"{what}: it is part of the plan."
    unmet = actions[what].preconditions.unmet(player.world.state_of(PLAYER))
    if unmet:
        return f"{what}: it needs {unmet[0]}."
    return f"{what}: it is possible, but no part of the cheapest way to {PLAN_WORDS[player.plan]}."


# --- forge models -----------------------------------------------------------------------------------------------------
# The two readers of the player as files: the domain that everybody plans with, and a grammar written by hand.


PLANNING, GRAMMAR = "planning", "grammar"
_FILE = DATA / "grammar.yaml"


def models(mode: str, grammar: str | None = None) -> Sequence[Model]:
    """Return both readers, the one that the companion reads by first; ``grammar`` is the one in force, if not its own.

    >>> [model.name for model in models("parses")]
    ['grammar', 'planning']
    """
    has_friend = mode != "none"

    def plan_reader(text: str) -> Recognizer:
        return create_plan_reader(Forge(companion=has_friend))

    planning = Model(PLANNING, "By planning", read_text(DOMAIN), DOMAIN.name, editable=False, make=plan_reader)
    text = read_text(_FILE) if grammar is None else grammar
    parsing = Model(GRAMMAR, "By grammar", text, _FILE.name, make=grammar_reader)
    return (parsing, planning) if mode == "parses" else (planning, parsing)


def grammar_reader(text: str) -> PlanGrammarReader:
    """Return a reader that parses by a grammar, which has to know all ways through the door, and no other."""
    grammar = loads_grammar(text, name=_FILE.name)
    reader = PlanGrammarReader(grammar)
    missing = [plan for plan in PLANS if plan not in reader.goals]
    strange = [goal for goal in reader.goals if goal not in PLANS]
    if missing or strange:
        wrong = f"{missing[0]!r} is missing" if missing else f"nobody here knows {strange[0]!r}"
        line = next((number for number, each in enumerate(text.splitlines(), 1) if each.startswith("goals")), 1)
        remedy = f"the goals of this grammar are {', '.join(PLANS)}"
        raise DefinitionError(
            [
                Fault(
                    wrong,
                    suggestion=remedy,
                    path=("goals",),
                    file=_FILE.name,
                    line=line,
                    column=1,
                    code=FaultCode.MISSING_KEY,
                )
            ]
        )
    return reader


# --- forge ------------------------------------------------------------------------------------------------------------
# The forge on stage: a locked door, three ways through it, and a companion who reads which one you are after.


YOU = "you"
_TASK = "Get through the locked door: forge a key, force it, or earn the neighbour's spare"
_HINT, _HINT_TO_TALK = "Arrows walk", "talk to your companion in the box below"
_HOW = {"with_key": "with a key of gold", "by_force": "by force", "with_spare": "with the spare key"}
_AFTER_PLAYING = "Look back on the timeline: when was that plain?"
_AFTER_WATCHING = "Look back on the timeline, or try it yourself, under New game."


class ForgeStage(Stage):
    """The village, half a second a step, at twice the pace of life. The player is you, or simulated, with a plan."""

    name, title = "forge", "A locked door, and a companion who sees what you are up to"
    rate, size, symbols = 4.0, (WIDTH, HEIGHT), SYMBOLS
    watched: str | None = PLAYER

    def __init__(self, seed: int, *, play: str = YOU, companion: str = "reads") -> None:
        self._records: list[object] = []
        self.scene = ForgeScene(None if play == YOU else play, companion, seed=seed, trace=self._records.append)
        self.keys = KEYS if self.scene.player is None else ()
        self._hands = Hands(self.scene)
        self._read: list[Event] = []  # what readers were told
        self._over_at: float | None = None
        self._grammar: str | None = None
        self._backdrops = {is_open: village_map(self.scene.world.village, is_open=is_open) for is_open in (False, True)}

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Let half a second pass; a command that makes no sense is refused before anything has happened."""
        if inputs.asked and self.scene.player is not None:
            raise TelosError(f"you only look on, so {inputs.asked[0]!r} is nobody's to do", "begin with play=you")
        command = self._hands.command(inputs) if self.scene.player is None else None
        known = len(self._records)
        self.scene.step({} if command is None else {PLAYER: command})
        if self.scene.is_over and self._over_at is None:
            self._over_at = self.scene.world.time + 2 * SECONDS_AFTER
        events = [self._as_read(event) for event in self.scene.events if event.player == PLAYER and event.goal is None]
        deeds = [event for event in events if event.action != "say"]
        self._read += deeds
        return happenings(self._records[known:], deeds, self.scene)

    def _as_read(self, event: Event) -> Event:
        companion = self.scene.companion
        return event if companion is None or event.action == "say" else companion.with_promise(event)

    # --- the picture --------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the village; the gate of the town is shut, or open."""
        is_open = self.scene.world.is_over
        return "open" if is_open else "shut", self._backdrops[is_open]

    def picture(self) -> Picture:
        """Return people, things and what is said."""
        is_you = self.scene.player is None
        ways = self._hands.ways() if is_you and not self.scene.is_over else {}
        hints = {ARROWS[key]: name for key, name in ways.items()}
        return picture(self.scene.world.village, self.scene.view(), hints=hints, is_you=is_you)

    def hud(self) -> Hud:
        """Return what there is to do, which number key does what, and how things stand."""
        village = self.scene.world.view()
        player = village.person(PLAYER)
        plan = None if self.scene.player is None else self.scene.player.plan
        counts = [("hands", player.hands), ("pocket", player.pocket), ("fire", village.fire)]
        counts += [("apples owed", str(village.owed))] if self.scene.world.people[PLAYER].knows else []
        return Hud(
            task=_TASK if plan is None else f"The player wants to {PLAN_WORDS[plan]}",
            message=self._message(player.doing),
            counts=tuple(counts),
            clock=village.clock,
            over=self._ending() if self.over else "",
        )

    def _message(self, doing: str) -> str:
        if self.scene.is_over:
            return ""
        if self.scene.player is not None:
            return "" if doing == "nothing" else f"The player {describe_action(doing)}"
        if doing != "nothing":
            return f"{describe_action(doing)[0].upper()}{describe_action(doing)[1:]}"
        deeds = [f"{number} {name.replace('-', ' ')}" for number, name in enumerate(self._hands.deeds(), 1)]
        return "   ".join(deeds) or (_HINT if self.scene.companion is None else f"{_HINT}; {_HINT_TO_TALK}")

    def _ending(self) -> str:
        opened = self.scene.world.things.opened
        after = _AFTER_WATCHING if self.scene.player is not None else _AFTER_PLAYING
        if opened not in GOAL_OF:
            return f"It has become too late for the door. {after}"
        return f"The door is open after {self.scene.world.view().clock}, {_HOW[opened]}. {after}"

    @property
    def time(self) -> float:
        """The seconds since the start."""
        return self.scene.world.time

    @property
    def over(self) -> bool:
        """Whether the door is open, and a word was said about it."""
        return self._over_at is not None and self.scene.world.time >= self._over_at

    # --- the instruments ----------------------------------------------------------------------------------------------

    @property
    def truth(self) -> str | None:
        """The plan of a simulated player; that of a person shows only in the end."""
        if self.scene.player is not None:
            return self.scene.player.plan
        return GOAL_OF.get(self.scene.world.things.opened)

    def models(self) -> Sequence[Model]:
        """Return the two readers, that of the companion first."""
        return models(self.scene.mode, self._grammar)

    def apply(self, name: str, text: str) -> str:
        """Let a companion that parses go by a new grammar; it is told again what the player has done so far."""
        if name != GRAMMAR:
            return ""
        reader = grammar_reader(text)
        self._grammar = text
        if self.scene.companion is None or self.scene.mode != "parses":
            return ""
        for event in self._read:
            reader.observe(event)
        self.scene.companion.read_by(reader, self.scene.world.time)
        return "The companion reads you by the new grammar now."

    def bands(self) -> Mapping[str, str]:
        """Return what the player does, and which goal the companion pursues."""
        doing = self.scene.world.view().person(PLAYER).doing
        rows = {PLAYER: "walk" if doing.startswith("go ") else doing}
        if self.scene.companion is not None:
            rows[COMPANION] = self.scene.companion.mind.goal or "nothing"
        return rows

    def facts(self) -> Mapping[str, Value]:
        """Return how things stand in the village, with both, and in the companion's head."""
        village, companion = self.scene.world.view(), self.scene.companion
        facts: dict[str, Value] = {
            "fire": village.fire,
            "wood": village.wood,
            "bellows": village.bellows,
            "hammer": village.tool,
            "owed": village.owed,
            "opened": village.opened,
        }
        for person in village.people:
            facts |= {
                f"{person.name}.at": person.place,
                f"{person.name}.hands": person.hands,
                f"{person.name}.pocket": person.pocket,
                f"{person.name}.doing": person.doing,
            }
        if companion is not None:
            facts |= {"companion.goal": companion.mind.goal or "nothing", "reading": companion.reading or "unsure"}
        return facts

    def characters(self) -> Sequence[str]:
        """Return the companion, and a player who is simulated."""
        found = [] if self.scene.companion is None else [COMPANION]
        return found if self.scene.player is None else [*found, PLAYER]

    def mind(self, who: str) -> MindView | None:
        """Return the companion's mind, or the plan of a simulated player."""
        if who == COMPANION and self.scene.companion is not None:
            return companion_sheet(self.scene.companion, self.scene)
        if who == PLAYER and self.scene.player is not None:
            return player_sheet(self.scene.player, self.scene)
        return None

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        if who == COMPANION and self.scene.companion is not None:
            return why_not_of_companion(self.scene.companion, what)
        if who == PLAYER and self.scene.player is not None:
            return why_not_of_player(self.scene.player, what)
        raise TelosError(f"nobody called {who!r} can be asked here")

    def commands(self) -> Sequence[str]:
        """Return where the player can go, what can be done here, and what may be said."""
        return () if self.scene.is_over or self.scene.player is not None else self._hands.commands()

    def recording(self) -> tuple[str, bytes]:
        """Return the trace so far, as ``telos watch forge --json`` prints it."""
        lines = "".join(f"{as_json(record)}\n" for record in self._records)
        return f"forge-seed{self.scene.seed}.jsonl", lines.encode()


def _make(seed: int, settings: Mapping[str, str]) -> ForgeStage:
    warm_up()  # so that no step waits for a compiler
    return ForgeStage(seed, play=settings["play"], companion=settings["companion"])


FORGE = StudioWorld(
    "forge",
    "Forge",
    "A locked door and three ways through it. Your companion watches, sees what you are after, and does its part.",
    (
        Setting("play", "The player", YOU, (YOU, *PLANS), "you, or somebody simulated with a plan for the door"),
        Setting("companion", "The companion", "reads", COMPANIONS, "how it finds out what the player is after"),
    ),
    _make,
)
