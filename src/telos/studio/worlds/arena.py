"""Arena stage."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial

from telos.agents.explain import why_not
from telos.agents.trace import Chose, Forgot, Idle, Noticed
from telos.core.errors import Fault, TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import as_json
from telos.core.values import Value
from telos.planning.planner import warm_up
from telos.squads.squad import Concluded, Ordered, Said
from telos.studio.mind_view import MindView, build_mind_view
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, Stage, StudioWorld
from telos.studio.worlds.arena_drawing import (
    NAMED_FROM,
    SHOT_LASTS,
    SIZE,
    SYMBOLS,
    Fight,
    FightDrawing,
    Flash,
    MapDrawing,
)
from telos.studio.worlds.shapes import Picture, Symbols
from telos.worlds.arena.ai.characters import character_texts, faults_in, kinds_with
from telos.worlds.arena.ai.player_control import Hands, in_hands, opponent
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import Ended, Log
from telos.worlds.arena.scene import load_scene, scene_names
from telos.worlds.arena.sim.constants import TICKS_A_SECOND
from telos.worlds.arena.sim.views import ArenaView, FighterView, ShotView

# --- arena models -----------------------------------------------------------------------------------------------------
# The character files behind a fight: shown, checked, and put into force while it goes on.


class Kinds:
    """The characters of one fight, as they are written now."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle
        self._names = tuple(dict.fromkeys(each.character for each in battle.scene.cast if each.script is None))
        self._written: dict[str, str] = {}  # those that are not as the package has them

    def models(self) -> Sequence[Model]:
        """Return the files of those in the cast who have a mind."""
        texts = {**character_texts(), **self._written}
        return [
            Model(name, name, texts[name], file=f"{name}.yaml", check=partial(self._faults, name))
            for name in self._names
        ]

    def _faults(self, name: str, text: str) -> Sequence[Fault]:
        others = {other: each for other, each in self._written.items() if other != name}
        return faults_in(name, text, others)

    def apply(self, name: str, text: str) -> str:
        """Let the living go by a character that was written anew; a bad text changes nothing."""
        if name not in self._names:
            raise TelosError(f"nobody in this fight is a {name!r}", name_hint(name, self._names))
        written = {**self._written, name: text}
        renewed = self._battle.recast(kinds_with(written))
        self._written = written
        if not renewed:
            return f"Nobody alive is any different as the new {name}."
        who = ", ".join(renewed)
        return f"{who} {'goes' if len(renewed) == 1 else 'go'} by the new {name} from now on, in the bodies they have."


# --- arena story ------------------------------------------------------------------------------------------------------
# What a fight puts on record, kept: for the timeline, for speech and flashes on the map, and for a recording.


HEARD = 3.0  # seconds that a spoken line is seen
_LULL = 2.5  # seconds without a shot after which firing is news again
_NOISES = ("shouted", "kicked", "broke")
_KEPT_LINES = 20  # that somebody said


class Story:
    """Follows the trace of a fight."""

    def __init__(self) -> None:
        self.blasts: list[Flash] = []
        self.noises: deque[Flash] = deque(maxlen=8)
        self.lines: dict[str, deque[tuple[float, str]]] = {}
        self.news = ""  # the last of orders and deaths, in words
        self._records: list[object] = []
        self._new: list[Happening] = []
        self._log = Log()
        self._goals: dict[str, str | None] = {}  # as last told
        self._fired: dict[str, tuple[object, float]] = {}  # at whom, and when last
        self._wounds: dict[str, str] = {}  # what somebody was last hit with

    def note(self, record: object) -> None:
        """Take in one record."""
        if isinstance(record, Noticed | Forgot):
            return  # half of all there is, and no replay needs them
        self._records.append(record)
        happening = self._told(record)
        if happening is not None:
            self._new.append(happening)

    def taken(self) -> list[Happening]:
        """Return what has happened since this was last asked."""
        new, self._new = self._new, []
        return new

    def says(self, now: float) -> dict[str, str]:
        """Return what hangs in the air, by who said it."""
        return {who: said[-1][1] for who, said in self.lines.items() if 0 <= now - said[-1][0] < HEARD}

    def recording(self) -> bytes:
        """Return the records as `telos watch arena --json` prints them, without what was noticed and forgotten."""
        return "".join(f"{as_json(record)}\n" for record in self._records).encode()

    # --- one record ---------------------------------------------------------------------------------------------------

    def _told(self, record: object) -> Happening | None:
        match record:
            case Said():
                self.lines.setdefault(record.who, deque(maxlen=_KEPT_LINES)).append((record.time, record.text))
                return Happening(record.time, record.who, f"“{record.text}”", "said", why=record.why)
            case Chose():
                return self._chose(record)
            case Idle():
                self._goals[record.who] = None
            case Ordered():
                self.news = f"{record.squad} begins {record.behaviour}"
                orders = "\n".join(f"{who}: {words}" for who, words in record.orders.items())
                return Happening(record.time, record.squad, record.behaviour, "game", why=f"{record.why}\n{orders}")
            case Concluded():
                end = "is done" if record.fulfilled else "fails"
                return Happening(record.time, record.squad, f"{record.behaviour} {end}", "game", why=record.why)
            case Ended():
                return Happening(record.time, record.winner or "nobody", "wins", "goal", why=record.why)
            case Event():
                return self._event(record)
        return None

    def _chose(self, record: Chose) -> Happening | None:
        if self._goals.get(record.who) == record.goal:
            return None
        self._goals[record.who] = record.goal
        passed = [f"Not {goal}: {reason}." for goal, reason in record.passed_over.items()]
        return Happening(
            record.time, record.who, f"takes up {record.goal}", "game", why="\n".join([record.why, *passed])
        )

    def _event(self, event: Event) -> Happening | None:
        where = (event.time, float(event.context["x"]), float(event.context["y"]))
        if event.action == "shot":
            return self._shot(event)
        if event.action == "exploded":
            self.blasts.append(Flash(*where))
        if event.action in _NOISES:
            self.noises.append(Flash(*where, float(event.context["loud"])))
        if event.action == "hit":
            return self._hit(event)
        if event.action == "dead":
            return self._death(event)
        line = self._log.tell(event)
        return None if line is None else Happening(event.time, line.who, line.what.strip().removeprefix("’s "))

    def _shot(self, event: Event) -> Happening | None:
        """Tell of a shot that begins something: against another, or after a lull."""
        target = event.context.get("target")
        before, self._fired[event.player] = self._fired.get(event.player), (target, event.time)
        if before is not None and event.time - before[1] < _LULL and target in (before[0], None):
            return None
        return Happening(
            event.time, event.player, "fires to keep heads down" if target is None else f"fires at {target}"
        )

    def _hit(self, event: Event) -> Happening:
        target, weapon = str(event.context["target"]), str(event.context["weapon"])
        self._wounds[target] = weapon
        why = f"{event.context['damage']:g} of health, with {_a(weapon)}"
        return Happening(
            event.time,
            event.player,
            f"hits {target}",
            why=f"{why}{', behind cover' * bool(event.context['protected'])}.",
        )

    def _death(self, event: Event) -> Happening:
        victim = str(event.context["target"])
        by = "by his own hand" if victim == event.player else f"by {event.player}"
        self.news = f"{victim} is killed {by}"
        return Happening(
            event.time, victim, f"is killed {by}", "bad", why=f"With {_a(self._wounds.get(victim, 'gun'))}."
        )


def _a(weapon: str) -> str:
    """Say with what.

    >>> _a("rifle"), _a("melee")
    ('a rifle', 'bare hands')
    """
    return {"melee": "bare hands", "lunge": "a leap and a blow"}.get(weapon, f"a {weapon}")


# --- arena ------------------------------------------------------------------------------------------------------------
# The arena on stage: soldiers with minds of their own, to be watched, or fought by the player.


LONGEST = 600.0  # seconds that a player may take; who only watches sees as much as the scene lasts
_AFTERWARDS = "Look back on the timeline, or choose another scene, under New game."
_AFTER_WATCHING = "Look back on the timeline, or fight them yourself, under New game."
_AFTER_FIGHTING = "Look back on the timeline to see what they were up to."
_KEYS = (
    ("ArrowUp", "up", "walk"), ("ArrowDown", "down", "walk"), ("ArrowLeft", "left", "walk"),
    ("ArrowRight", "right", "walk"), ("KeyW", "up", "walk"), ("KeyS", "down", "walk"), ("KeyA", "left", "walk"),
    ("KeyD", "right", "walk"), ("KeyF", "shoot", "shoot at the nearest enemy in sight"), ("Space", "shoot", "shoot"),
    ("KeyR", "reload", "reload"), ("KeyG", "throw", "throw a grenade"), ("KeyC", "crouch", "keep your head down"),
    ("KeyE", "use", "use what is at hand: a door, a window, a switch"),
)  # fmt: skip


class ArenaStage(Stage):
    """A scene of the arena, fought out before your eyes; with ``fights``, one of the second side is yours."""

    name = "arena"
    rate = float(TICKS_A_SECOND)
    size = SIZE
    symbols: Symbols = SYMBOLS

    def __init__(self, scene: str, seed: int, *, fights: bool = False, labels: str = "auto") -> None:
        played = load_scene(scene)
        self.player = opponent(played) if fights else None
        self.awaits = self.player is not None
        self._wanted_to_fight = fights
        self._limit = LONGEST if self.player else played.seconds
        self.story = Story()
        self.battle = Battle(in_hands(played, self.player) if self.player else played, seed=seed, trace=self.story.note)
        self.hands = Hands(self.battle.arena, self.player) if self.player else None
        self.keys = _KEYS if self.player else ()
        self.title = f"{scene}: {played.about}"
        self._kinds = Kinds(self.battle)
        self._map = MapDrawing(played.map)
        self._fight = FightDrawing(self._map.scale)
        self._shows_goals = labels == "goals" or (labels == "auto" and self._map.scale.unit >= NAMED_FROM)
        self._shots: deque[tuple[float, ShotView]] = deque(maxlen=64)
        self._backdrop: tuple[str, Picture] = ("", [])
        self._is_over = False

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Move on by a tenth of a second."""
        told = self._told(inputs)
        if self._is_over:
            return ()
        view = self.battle.step(told)
        self._shots.extend((view.time, shot) for shot in view.shots)
        if view.over or view.time >= self._limit:
            self._is_over = True
            self.battle.end()
        return self.story.taken()

    def _told(self, inputs: Inputs) -> Mapping[str, str]:
        """Return the player's command; words come before keys, and what makes no sense is refused."""
        if self.hands is None or self.player is None:
            if inputs.asked:
                raise TelosError(f"you only look on, so {inputs.asked[0]!r} is nobody's to do", "begin with play=fight")
            return {}
        said = [self.hands.said(line) for line in inputs.asked]
        held = self.hands.held([key for key in inputs.held.split("+") if key])
        command = said[-1] if said else held
        return {} if command is None else {self.player: command}

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self.battle.arena.time

    @property
    def over(self) -> bool:
        """Whether a side has won, or the time is up."""
        return self._is_over

    def commands(self) -> Sequence[str]:
        """Return what the player may be told by word now."""
        return self.hands.phrases() if self.hands is not None else ()

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the map, drawn anew when a door, a window or a light is different."""
        view = self.battle.view
        doors = {door.name: door.state for door in view.doors}
        marks = (
            "".join(state[0] for state in doors.values()),
            ",".join(view.broken_windows),
            ",".join(view.dark_rooms),
        )
        key = "|".join((self.battle.scene.name, *marks))
        if key != self._backdrop[0]:
            self._backdrop = key, self._map.picture(doors, view.broken_windows, view.dark_rooms)
        return self._backdrop

    def picture(self) -> Picture:
        """Return the fighters, and what flies."""
        arena, now = self.battle.arena, self.time
        return self._fight.picture(
            Fight(
                self.battle.view,
                arena.fighters,
                things=arena.things(),
                labels={each.name: self._label(each) for each in self.battle.view.fighters},
                says=self.story.says(now),
                shots=[(when, shot) for when, shot in self._shots if now - when < SHOT_LASTS],
                blasts=self.story.blasts,
                noises=self.story.noises,
                player=self.player,
                aim=self.hands.target if self.hands is not None and not self._is_over else None,
            )
        )

    def _label(self, fighter: FighterView) -> str:
        if fighter.name == self.player:
            return "You"
        mind = self.battle.minds.get(fighter.name)
        if not self._shows_goals or mind is None or mind.goal is None:
            return fighter.name
        return f"{fighter.name} · {mind.goal.replace('_', ' ')}"

    def hud(self) -> Hud:
        """Return whose turn it is to be worried."""
        view = self.battle.view
        sides = dict.fromkeys(each.side for each in view.fighters)
        counts = [(side, str(len(self.battle.arena.living(side)))) for side in sides]
        task = self.battle.scene.about
        if self.player is not None:
            me = self.battle.arena.fighter(self.player)
            rounds = f"{me.rounds}+{me.magazines}"
            counts += [("health", f"{me.health:.0f}"), ("rounds", rounds), ("grenades", str(me.grenades))]
            task = f"You are {me.name} of {me.side}: stop the others. Arrows walk, F shoots, R reloads, E opens."
        minutes, seconds = divmod(int(view.time), 60)
        return Hud(task, self._message(view), tuple(counts), f"{minutes:02d}:{seconds:02d}", self._outcome(view))

    def _message(self, view: ArenaView) -> str:
        if self.player is not None:
            me = self.battle.arena.fighter(self.player)
            if not me.alive and not self._is_over:
                return "You are dead; the others fight on."
            if me.alive and me.status == "failed" and me.reason:
                return f"{me.reason[0].upper()}{me.reason[1:]}."
        elif self._wanted_to_fight:
            return "Nobody opposes anybody here, so you look on."
        return self.story.news

    def _outcome(self, view: ArenaView) -> str:
        """Say how it has ended, and what to do next."""
        if not self._is_over:
            return ""
        if self.player is None:
            return f"{self._ending(view)} {_AFTER_WATCHING if opponent(self.battle.scene) else _AFTERWARDS}"
        me = self.battle.arena.fighter(self.player)
        mine = "You are dead." if not me.alive else "You are alive."
        return f"{self._ending(view)} {mine} {_AFTER_FIGHTING}"

    def _ending(self, view: ArenaView) -> str:
        if not view.over:
            return "Time is up."
        return "Nobody is left." if view.winner is None else f"{view.winner.capitalize()} wins."

    # --- minds --------------------------------------------------------------------------------------------------------

    def _goal(self, fighter: FighterView) -> str:
        mind = self.battle.minds.get(fighter.name)
        if not fighter.alive:
            return "dead"
        if mind is None:
            return fighter.state or "still"
        return mind.goal or "nothing"

    def bands(self) -> Mapping[str, str]:
        """Return the goal that everybody pursues; of those without a mind, what the body does."""
        return {each.name: self._goal(each) for each in self.battle.view.fighters}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the strength of each side: the health that is left of what it had."""
        strength: dict[str, list[float]] = {}
        for each in self.battle.arena.fighters.values():
            strength.setdefault(each.side, []).append(each.health / each.healthy)
        return {"strength": {side: sum(left) / len(left) for side, left in strength.items()}}

    def facts(self) -> Mapping[str, Value]:
        """Return everybody's goal, health and rounds, and how many of each side live."""
        facts: dict[str, Value] = {}
        for each in self.battle.view.fighters:
            facts |= {f"{each.name}.goal": self._goal(each), f"{each.name}.health": each.health}
            facts |= {f"{each.name}.rounds": each.rounds, f"{each.name}.in_cover": each.in_cover}
        sides = dict.fromkeys(each.side for each in self.battle.view.fighters)
        return facts | {f"alive.{side}": len(self.battle.arena.living(side)) for side in sides}

    def characters(self) -> Sequence[str]:
        """Return the living who have a mind."""
        return tuple(self.battle.minds)

    def mind(self, who: str) -> MindView | None:
        """Return a mind on paper."""
        mind = self.battle.minds.get(who)
        if mind is None:
            return None
        body = self.battle.arena.fighter(who)
        about = f"{mind.character.name} of {body.side}, health {body.health:.0f}, {body.rounds} rounds"
        return build_mind_view(
            mind, self.time, about=about, orders=self._orders(who), lines=tuple(self.story.lines.get(who, ()))
        )

    def _orders(self, who: str) -> list[str]:
        squads = (squad for coordinator in self.battle.coordinators for squad in coordinator.squads)
        given = [(squad, squad.assignment) for squad in squads if squad.assignment is not None]
        return [
            f"{task.orders[who]} ({squad.name}: {task.behaviour}, {task.why})"
            for squad, task in given
            if who in task.orders
        ]

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        if who not in self.battle.minds:
            raise TelosError(f"nobody alive called {who!r} has a mind here", name_hint(who, self.battle.minds))
        return why_not(self.battle.minds[who], what)

    # --- files --------------------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the files of the characters in the cast."""
        return self._kinds.models()

    def apply(self, name: str, text: str) -> str:
        """Let the living go by a character that was written anew."""
        return self._kinds.apply(name, text)

    def recording(self) -> tuple[str, bytes]:
        """Return the fight so far, for `telos watch arena --replay`."""
        return f"arena-{self.battle.scene.name}-seed{self.battle.seed}.jsonl", self.story.recording()


def _made(seed: int, settings: Mapping[str, str]) -> ArenaStage:
    """Return a fight that is ready: neither planning nor the ways to cover keep a step waiting later on."""
    warm_up()
    stage = ArenaStage(settings["scene"], seed, fights=settings["play"] == "fight", labels=settings["labels"])
    arena = stage.battle.arena
    arena.navigator.survey(node.position for node in arena.map.nodes.values())
    return stage


ARENA = StudioWorld(
    "arena",
    "Arena",
    "Soldiers who plan, take cover, follow orders and talk. Watch them, or fight them.",
    (
        Setting("play", "You", "watch", ("watch", "fight"), "look on, or take one of those whom the soldiers fight"),
        Setting("scene", "Scene", "skirmish", scene_names(), "who fights, where"),
        Setting("labels", "Below names", "auto", ("auto", "goals", "names"), "their goals, where there is room"),
    ),
    _made,
)
