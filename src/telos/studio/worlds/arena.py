"""The arena in the studio: `ArenaStage`, a scene to watch, or to fight in.

`FightTimeline` turns trace records into happenings; `CharacterFiles` holds the character files of the fight.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from telos.agents.explain import why_not
from telos.agents.trace import Chose, Dropped, Forgot, Idle, Noticed, Planned, StepFailed
from telos.core.errors import Fault, TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import as_json
from telos.core.values import Value
from telos.planning.planner import warm_up
from telos.squads.squad import BehaviourEnded, LineSpoken, OrdersGiven
from telos.studio.mind_view import MindView, build_mind_view, mind_intent
from telos.studio.models.resolved import find_chain
from telos.studio.plan_choice import PlanningMoment, build_planning_moment
from telos.studio.stage import (
    ClickTarget,
    Happening,
    Hud,
    Inputs,
    Model,
    PlayerChoice,
    QuickStart,
    Setting,
    Stage,
    StudioWorld,
    read_only_model,
)
from telos.studio.worlds.arena_drawing import (
    NAMED_FROM,
    SHOT_LASTS,
    SIZE,
    SYMBOLS,
    ArenaMapDrawing,
    FightDrawing,
    FightMoment,
    MapFlash,
)
from telos.studio.worlds.shapes import Picture, Symbols
from telos.worlds.arena.ai.characters import DATA, characters_with, find_character_faults, load_character_texts
from telos.worlds.arena.ai.facts import marked_target
from telos.worlds.arena.ai.player_control import PlayerControl, default_player, with_player
from telos.worlds.arena.ai.whereabouts import places_of, suspected_places
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import FightEnded, FightLog
from telos.worlds.arena.scene import load_scene, scene_names, scene_titles
from telos.worlds.arena.sim.constants import TICKS_A_SECOND
from telos.worlds.arena.sim.mesh import Area
from telos.worlds.arena.sim.views import ArenaView, FighterView, ShotView

SPEECH_SECONDS = 3.0  # that a spoken line is shown
_REACH = 15.0  # of a click on a fighter, in picture units
_LULL = 2.5  # seconds without a shot after which firing is reported again
_NOISES = ("shouted", "kicked", "broke")
_MAX_LINES = 20  # of speech per fighter
_PLAY_TITLES = {"watch": "Watch", "fight": "Fight"}
_LABEL_TITLES = {"auto": "Goals, where there is room", "goals": "Names and goals", "names": "Names"}
MAX_SECONDS = 600.0  # of a fight with a player; a watched fight ends with its scene
_AFTERWARDS = "Look back on the timeline, or choose another scene, under New game."
_AFTER_WATCHING = "Look back on the timeline, or fight them yourself, under New game."
FIGHT = QuickStart("Fight", {"play": "fight"}, "Take a side in this scene yourself, from its start")
_AFTER_FIGHTING = "Look back on the timeline to see what they were up to."
_KEYS = (
    ("ArrowUp", "up", "walk"), ("ArrowDown", "down", "walk"), ("ArrowLeft", "left", "walk"),
    ("ArrowRight", "right", "walk"), ("KeyW", "up", "walk"), ("KeyS", "down", "walk"), ("KeyA", "left", "walk"),
    ("KeyD", "right", "walk"), ("KeyF", "shoot", "shoot at the nearest enemy in sight"), ("Space", "shoot", "shoot"),
    ("KeyR", "reload", "reload"), ("KeyG", "throw", "throw a grenade"), ("KeyC", "crouch", "keep your head down"),
    ("KeyE", "use", "use what is at hand: a door, a window, a switch"),
)  # fmt: skip


class ArenaStage(Stage):
    """A fight in a scene of the arena; with ``fights``, the user controls one fighter of the second side."""

    name = "arena"
    rate = float(TICKS_A_SECOND)
    size = SIZE
    symbols: Symbols = SYMBOLS

    def __init__(self, scene: str, seed: int, *, fights: bool = False, labels: str = "auto") -> None:
        played = load_scene(scene)
        self.player = default_player(played) if fights else None
        self.is_played = self.awaits = self.player is not None
        self._wanted_to_fight = fights
        self._limit = MAX_SECONDS if self.player else played.seconds
        self.timeline = FightTimeline(self.player)
        self.battle = Battle(
            with_player(played, self.player) if self.player else played, seed=seed, trace=self.timeline.add
        )
        self.controls = PlayerControl(self.battle.arena, self.player) if self.player else None
        self.keys = _KEYS if self.player else ()
        self.title = f"{played.title}: {played.about}"
        self._files = CharacterFiles(self.battle)
        self._map = ArenaMapDrawing(played.map)
        self._fight = FightDrawing(self._map.scale)
        self._shows_goals = labels == "goals" or (labels == "auto" and self._map.scale.unit >= NAMED_FROM)
        self._shots: deque[tuple[float, ShotView]] = deque(maxlen=64)
        self._backdrop: tuple[str, Picture] = ("", [])
        self._is_over = False
        self._known_minds = dict(self.battle.minds)  # those of the fallen, too
        self._fallen: dict[str, float] = {}  # when each of them fell

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Advance by a tenth of a second."""
        commands = self._commands(inputs)
        if self._is_over:
            return ()
        self._known_minds |= self.battle.minds  # an edited character is a new mind
        view = self.battle.step(commands)
        for name in self._known_minds.keys() - self.battle.minds.keys() - self._fallen.keys():
            self._fallen[name] = view.time
        self._shots.extend((view.time, shot) for shot in view.shots)
        if self.battle.over or view.time >= self._limit:
            self._is_over = True
            self.battle.end()
        return self.timeline.take()

    def _commands(self, inputs: Inputs) -> Mapping[str, str]:
        """Return the player's command; an entered command takes precedence over keys."""
        if self.controls is None or self.player is None:
            if inputs.asked:
                raise TelosError("commands are disabled while watching", "start a game with play=fight")
            return {}
        entered = [self.controls.command_for_text(line) for line in inputs.asked]
        held = self.controls.command_for_keys([key for key in inputs.held.split("+") if key])
        command = entered[-1] if entered else held
        return {} if command is None else {self.player: command}

    @property
    def time(self) -> float:
        """The seconds since the start."""
        return self.battle.arena.time

    @property
    def over(self) -> bool:
        """Whether a side has won and nobody is about to slump over a thing, or the time is up."""
        return self._is_over

    def commands(self) -> Sequence[str]:
        """Return the commands that the player may enter now."""
        return self.controls.phrases() if self.controls is not None else ()

    def targets(self) -> Sequence[ClickTarget]:
        """Return the enemies in sight of the player."""
        if self.controls is None or self._is_over:
            return ()
        aims: dict[str, list[PlayerChoice]] = {}
        for line in self.controls.phrases():
            verb, _, name = line.partition(" ")
            if verb == "shoot":
                aims.setdefault(name, []).append(PlayerChoice(f"Shoot at {name}", line))
        found = []
        for name, choices in aims.items():
            x, y = self._map.scale.at(*self.battle.arena.fighter(name).position)
            found.append(ClickTarget(name, name, x, y, _REACH, tuple(choices)))
        return found

    def command_at(self, x: float, y: float) -> str | None:
        """Return the command to run to a point of the picture that was clicked."""
        if self.controls is None or self._is_over:
            return None
        across, down = self._map.scale.to_map(x, y)
        inside = 0 <= across < self.battle.scene.map.width and 0 <= down < self.battle.scene.map.height
        return f"go {across:.2f},{down:.2f}" if inside else None

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the map; it is redrawn when a door, a window or a light changes."""
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
        """Return the fighters, shots, grenades, blasts and noises."""
        arena, now = self.battle.arena, self.time
        return self._fight.picture(
            FightMoment(
                self.battle.view,
                arena.fighters,
                things=arena.things(),
                labels={each.name: self._label(each) for each in self.battle.view.fighters},
                says=self.timeline.speech(now),
                shots=[(when, shot) for when, shot in self._shots if now - when < SHOT_LASTS],
                blasts=self.timeline.blasts,
                noises=self.timeline.noises,
                player=self.player,
                aim=self.controls.target if self.controls is not None and not self._is_over else None,
                suspected=self._suspected(),
            )
        )

    def _suspected(self) -> list[tuple[Area, float, str]]:
        """Return where the fighters of each side take hidden enemies to be; the surest belief counts."""
        surest: dict[tuple[str, int], float] = {}
        map, now = self.battle.arena.map, self.time
        for name, mind in self.battle.minds.items():
            for number, share in suspected_places(mind.memory, map, now).items():
                key = (self.battle.arena.fighter(name).side, number)
                surest[key] = max(share, surest.get(key, 0.0))
        return [(places_of(map).areas[number], share, side) for (side, number), share in surest.items()]

    def _label(self, fighter: FighterView) -> str:
        if fighter.name == self.player:
            return "You"
        mind = self.battle.minds.get(fighter.name)
        if not self._shows_goals or mind is None or mind.goal is None:
            return fighter.name
        return f"{fighter.name} · {mind.goal.replace('_', ' ')}"

    def hud(self) -> Hud:
        """Return the HUD: living fighters per side and the player's condition."""
        view = self.battle.view
        sides = dict.fromkeys(each.side for each in view.fighters)
        counts = [(side, str(len(self.battle.arena.living(side)))) for side in sides]
        task = self.battle.scene.about
        if self.player is not None:
            me = self.battle.arena.fighter(self.player)
            rounds = f"{me.rounds}+{me.magazines}"
            counts += [("health", f"{me.health:.0f}"), ("rounds", rounds), ("grenades", str(me.grenades))]
            task = f"You are {me.name} of {me.side}: stop the others. "
            task += "Arrows or a click walk, F or a click shoots, R reloads, E opens."
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
            return "This scene has no opponents, so you can only watch."
        return self.timeline.news

    def _outcome(self, view: ArenaView) -> str:
        """Return how the fight ended, and what to do next."""
        if not self._is_over:
            return ""
        if self.player is None:
            return f"{self._ending(view)} {_AFTER_WATCHING if default_player(self.battle.scene) else _AFTERWARDS}"
        me = self.battle.arena.fighter(self.player)
        stopped = self.timeline.kills[me.name]
        many = "nobody" if not stopped else "one of them" if stopped == 1 else f"{stopped} of them"
        mine = f"You stopped {many} and are {'alive' if me.alive else 'dead'}."
        return f"{self._ending(view)} {mine} {_AFTER_FIGHTING}"

    def _ending(self, view: ArenaView) -> str:
        if not view.over:
            return "Time is up."
        return "No fighter is left." if view.winner is None else f"{view.winner.capitalize()} wins."

    def invitations(self) -> Sequence[QuickStart]:
        """Return the invitation to fight, where a fight is watched that has opponents."""
        return (FIGHT,) if self.player is None and default_player(self.battle.scene) is not None else ()

    # --- minds --------------------------------------------------------------------------------------------------------

    def _goal(self, fighter: FighterView) -> str:
        mind = self.battle.minds.get(fighter.name)
        if not fighter.alive:
            return "dead"
        if mind is None:
            return fighter.state or "still"
        return mind.goal or "nothing"

    def bands(self) -> Mapping[str, str]:
        """Return each fighter's goal; for one without a mind, the state of the body."""
        return {each.name: self._goal(each) for each in self.battle.view.fighters}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the strength of each side: the mean share of health that is left."""
        strength: dict[str, list[float]] = {}
        for each in self.battle.arena.fighters.values():
            strength.setdefault(each.side, []).append(each.health / each.healthy)
        return {"strength": {side: sum(left) / len(left) for side, left in strength.items()}}

    def facts(self) -> Mapping[str, Value]:
        """Return each fighter's goal, health and rounds, and the number of living fighters per side."""
        facts: dict[str, Value] = {}
        for each in self.battle.view.fighters:
            facts |= {f"{each.name}.goal": self._goal(each), f"{each.name}.health": each.health}
            facts |= {f"{each.name}.rounds": each.rounds, f"{each.name}.in_cover": each.in_cover}
        sides = dict.fromkeys(each.side for each in self.battle.view.fighters)
        return facts | {f"alive.{side}": len(self.battle.arena.living(side)) for side in sides}

    def characters(self) -> Sequence[str]:
        """Return the fighters that have a mind, or had one until they fell."""
        return tuple(self._known_minds)

    def mind(self, who: str) -> MindView | None:
        """Return the mind of a fighter, with its orders and what it said; of a fallen one, the last thoughts."""
        mind = self.battle.minds.get(who, self._known_minds.get(who))
        if mind is None:
            return None
        body, lines = self.battle.arena.fighter(who), tuple(self.timeline.lines.get(who, ()))
        if who in self._fallen:
            time = self._fallen[who]
            about = f"fallen at {time:.1f} s: {mind.character.name} of {body.side}; these were the last thoughts"
            return replace(build_mind_view(mind, time, about=about, lines=lines), doing="fallen")
        about = f"{mind.character.name} of {body.side}, health {body.health:.0f}, {body.rounds} rounds"
        return build_mind_view(mind, self.time, about=about, orders=self._orders(who), lines=lines)

    def _orders(self, who: str) -> list[str]:
        squads = (squad for coordinator in self.battle.coordinators for squad in coordinator.squads)
        given = [(squad, squad.assignment) for squad in squads if squad.assignment is not None]
        orders = [
            f"{task.orders[who]} ({squad.name}: {task.behaviour}, {task.why})"
            for squad, task in given
            if who in task.orders
        ]
        mark = marked_target(self.battle.minds[who].memory, self.time)
        return orders if mark is None else [*orders, f"{mark} is marked as the target"]

    def why_not(self, who: str, what: str) -> str:
        """Explain why a fighter does not pursue a goal or perform an action."""
        if who in self._fallen:
            return f"{what}: {who} has fallen."
        if who not in self.battle.minds:
            raise TelosError(f"there is no living fighter {who!r} with a mind", name_hint(who, self.battle.minds))
        return why_not(self.battle.minds[who], what)

    def planning(self, who: str) -> PlanningMoment | None:
        """Return what a fighter plans with now."""
        mind = self.battle.minds.get(who)
        return None if mind is None else build_planning_moment(mind)

    def intents(self) -> Mapping[str, tuple[str, str]]:
        """Return the goal and the action of each fighter."""
        return {who: mind_intent(mind) for who, mind in self.battle.minds.items()}

    # --- files --------------------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the character files of the cast, those that they are like, and the domain."""
        return self._files.models()

    def sources(self, who: str) -> Sequence[str]:
        """Return the file of a fighter's character, those that it is like, and the domain."""
        mind = self.battle.minds.get(who)
        return () if mind is None else self._files.chain(mind.character.name)

    def apply(self, name: str, text: str) -> str:
        """Give the living fighters of a character its new text."""
        return self._files.apply(name, text)

    def recording(self) -> tuple[str, bytes]:
        """Return the trace so far, for ``telos watch arena --replay``."""
        end = FightEnded(self.time, self.battle.arena.winner, "the recording ends here")
        last = b"" if self._is_over else f"{as_json(end)}\n".encode()  # a recording without an end counts as cut short
        return f"arena-{self.battle.scene.name}-seed{self.battle.seed}.jsonl", self.timeline.recording() + last


def _make(seed: int, settings: Mapping[str, str]) -> ArenaStage:
    """Return a fight with warm caches: planning and paths to cover delay no step later on."""
    warm_up()
    stage = ArenaStage(settings["scene"], seed, fights=settings["play"] == "fight", labels=settings["labels"])
    arena = stage.battle.arena
    arena.navigator.precompute(node.position for node in arena.map.nodes.values())
    return stage


ARENA = StudioWorld(
    "arena",
    "Arena",
    "Soldiers who plan, take cover, follow orders and talk. Watch them, or fight them.",
    (
        Setting(
            "play", "You", "watch", ("watch", "fight"), "watch, or control an opponent of the soldiers", _PLAY_TITLES
        ),
        Setting("scene", "Scene", "skirmish", scene_names(), "the map and the cast", titles=scene_titles()),
        Setting("labels", "Below soldiers", "auto", tuple(_LABEL_TITLES), "what the picture says", _LABEL_TITLES),
    ),
    _make,
    starts=(FIGHT,),
)


# --- timeline ---------------------------------------------------------------------------------------------------------


class FightTimeline:
    """Follows the trace of a fight: happenings, speech, flashes on the map, and the recording.

    ``player`` is the fighter that a person plays: hits on them are felt.
    """

    def __init__(self, player: str | None = None) -> None:
        self._player = player
        self.blasts: list[MapFlash] = []
        self.noises: deque[MapFlash] = deque(maxlen=8)
        self.lines: dict[str, deque[tuple[float, str]]] = {}
        self.news = ""  # the last order or death
        self._records: list[object] = []
        self._new: list[Happening] = []
        self._log = FightLog()
        self._goals: dict[str, str | None] = {}  # as last reported
        self._fired: dict[str, tuple[object, float]] = {}  # target and time of the last shot
        self.kills: Counter[str] = Counter()
        self._wounds: dict[str, str] = {}  # the weapon that last hit a fighter

    def add(self, record: object) -> None:
        """Add a record of the trace."""
        if isinstance(record, Noticed | Forgot):
            return  # half of all records, and replays do not need them
        self._records.append(record)
        happening = self._to_happening(record)
        if happening is not None:
            self._new.append(happening)

    def take(self) -> list[Happening]:
        """Return the happenings since the last call."""
        new, self._new = self._new, []
        return new

    def speech(self, now: float) -> dict[str, str]:
        """Return the lines still shown on screen, by speaker."""
        return {who: said[-1][1] for who, said in self.lines.items() if 0 <= now - said[-1][0] < SPEECH_SECONDS}

    def recording(self) -> bytes:
        """Return the records as ``telos watch arena --json`` prints them, without those of perception."""
        return "".join(f"{as_json(record)}\n" for record in self._records).encode()

    # --- one record ---------------------------------------------------------------------------------------------------

    def _to_happening(self, record: object) -> Happening | None:
        match record:
            case LineSpoken():
                self.lines.setdefault(record.who, deque(maxlen=_MAX_LINES)).append((record.time, record.text))
                return Happening(record.time, record.who, f"“{record.text}”", "said", why=record.why)
            case Chose():
                return self._chose(record)
            case Idle():
                self._goals[record.who] = None
            case Planned():
                steps = ", ".join(record.steps) or "nothing, it is true already"
                why = f"For {record.goal}: cost {record.cost:g}, {record.expanded} states searched."
                return Happening(record.time, record.who, f"plans {steps}", "plan", why=why)
            case Dropped():
                left = ", ".join(record.steps)
                why = f"{record.why}\nLeft undone: {left}" if left else record.why
                return Happening(record.time, record.who, f"drops the plan for {record.goal}", "plan", why=why)
            case StepFailed():
                return Happening(record.time, record.who, f"fails to {record.step}", "plan", why=record.reason)
            case OrdersGiven():
                self.news = f"{record.squad} begins {record.behaviour}"
                orders = "\n".join(f"{who}: {words}" for who, words in record.orders.items())
                return Happening(record.time, record.squad, record.behaviour, "game", why=f"{record.why}\n{orders}")
            case BehaviourEnded():
                end = "is done" if record.fulfilled else "fails"
                return Happening(record.time, record.squad, f"{record.behaviour} {end}", "game", why=record.why)
            case FightEnded():
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
            record.time, record.who, f"takes up {record.goal}", "mind", why="\n".join([record.why, *passed])
        )

    def _event(self, event: Event) -> Happening | None:
        where = (event.time, float(event.context["x"]), float(event.context["y"]))
        if event.action == "shot":
            return self._shot(event)
        if event.action == "exploded":
            self.blasts.append(MapFlash(*where))
        if event.action in _NOISES:
            self.noises.append(MapFlash(*where, float(event.context["loud"])))
        if event.action == "hit":
            return self._hit(event)
        if event.action == "dead":
            return self._death(event)
        line = self._log.describe(event)
        return None if line is None else Happening(event.time, line.who, line.what.strip().removeprefix("’s "))

    def _shot(self, event: Event) -> Happening | None:
        """Report a shot at a new target or after a lull."""
        target = event.context.get("target")
        before, self._fired[event.player] = self._fired.get(event.player), (target, event.time)
        if before is not None and event.time - before[1] < _LULL and target in (before[0], None):
            return None
        label = "fires to keep heads down" if target is None else f"fires at {target}"
        return Happening(event.time, event.player, label, cue="shot")

    def _hit(self, event: Event) -> Happening:
        target, weapon = str(event.context["target"]), str(event.context["weapon"])
        self._wounds[target] = weapon
        why = f"{event.context['damage']:g} of health, with {_format_weapon(weapon)}"
        return Happening(
            event.time,
            event.player,
            f"hits {target}",
            why=f"{why}{', behind cover' * bool(event.context['protected'])}.",
            cue="hurt" if target == self._player else "hit",
        )

    def _death(self, event: Event) -> Happening:
        victim = str(event.context["target"])
        by = "by his own hand" if victim == event.player else f"by {event.player}"
        self.kills[event.player] += victim != event.player
        self.news = f"{victim} is killed {by}"
        why = f"With {_format_weapon(self._wounds.get(victim, 'gun'))}."
        cue = "death" if victim == self._player else "kill"
        return Happening(event.time, victim, f"is killed {by}", "bad", why=why, cue=cue)


def _format_weapon(weapon: str) -> str:
    """Return a weapon with its article.

    >>> _format_weapon("rifle"), _format_weapon("melee")
    ('a rifle', 'bare hands')
    """
    return {"melee": "bare hands", "lunge": "a leap and a blow"}.get(weapon, f"a {weapon}")


# --- character files --------------------------------------------------------------------------------------------------


DOMAIN = "arena"  # the model of the domain, which all characters share


class CharacterFiles:
    """The current character files of one fight: those of the cast, and those that they are like."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle
        self._names = tuple(dict.fromkeys(each.character for each in battle.scene.cast if each.script is None))
        self._written: dict[str, str] = {}  # texts that differ from the built-in ones

    def models(self) -> Sequence[Model]:
        """Return the files of the cast, except for scripted fighters, then those of their parents, then the domain."""
        texts = self._texts()
        parents = dict.fromkeys(each for name in self._names for each in find_chain(texts, name))
        titles = dict.fromkeys(parents, "parent") | dict.fromkeys(self._names, "")
        ordered = dict.fromkeys([*self._names, *parents])
        return [
            *(self._model(name, f"{name} ({titles[name]})" if titles[name] else name, texts[name]) for name in ordered),
            read_only_model(DATA / "arena.yaml", "arena: goals and actions", DOMAIN),
            read_only_model(DATA / "performances.yaml", "performances: how bodies act"),
        ]

    def _model(self, name: str, title: str, text: str) -> Model:
        return Model(name, title, text, file=f"{name}.yaml", check=partial(self._faults, name))

    def _texts(self) -> Mapping[str, str]:
        return {**load_character_texts(), **self._written}

    def chain(self, name: str) -> tuple[str, ...]:
        """Return a character's file, those that it is like, and the domain."""
        return (*find_chain(self._texts(), name), DOMAIN)

    def _faults(self, name: str, text: str) -> Sequence[Fault]:
        others = {other: each for other, each in self._written.items() if other != name}
        return find_character_faults(name, text, others)

    def apply(self, name: str, text: str) -> str:
        """Give the living fighters of a character its new text; an invalid text changes nothing."""
        known = [model.name for model in self.models() if model.editable]
        if name not in known:
            raise TelosError(f"there is no character {name!r} in this fight", name_hint(name, known))
        written = {**self._written, name: text}
        renewed = self._battle.recast(characters_with(written))
        self._written = written
        if not renewed:
            return f"The new {name} changes no living fighter."
        who = ", ".join(renewed)
        return f"{who} {'uses' if len(renewed) == 1 else 'use'} the new {name} from now on."
