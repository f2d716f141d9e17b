"""The forge in the studio: `ForgeStage`, a locked door, three plans to open it, and a companion that infers the plan.

What the player may do is in controls.py, the picture in drawing.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from telos.agents.explain import why_not
from telos.agents.trace import Chose, Dropped
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import as_json
from telos.core.values import Value
from telos.files.reading import read_text
from telos.planning.planner import warm_up
from telos.recognition.grammar.files import loads_grammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import FactLine, GoalLine, MindView, StepLine, build_mind_view
from telos.studio.plan_choice import PlanningMoment, build_planning_moment
from telos.studio.stage import (
    CHOICE_KEYS,
    ClickTarget,
    Happening,
    Hud,
    Inputs,
    Model,
    PlayerChoice,
    Setting,
    Stage,
    StudioWorld,
    read_only_model,
)
from telos.studio.worlds.forge.controls import ForgeControls
from telos.studio.worlds.forge.drawing import HEIGHT, SYMBOLS, WIDTH, draw_scene, draw_village
from telos.studio.worlds.shapes import Picture
from telos.studio.worlds.walking import ARROW_KEYS
from telos.worlds.forge.companion import ForgeCompanion, create_plan_reader
from telos.worlds.forge.domain import DATA, DOMAIN, PLANS
from telos.worlds.forge.forge import COMPANION, GOAL_OF, PLAYER, Forge, manual_actions
from telos.worlds.forge.player import SimulatedPlayer
from telos.worlds.forge.scene import COMPANIONS, SECONDS_AFTER, ForgeScene
from telos.worlds.forge.trace import (
    PLAN_WORDS,
    WANTS,
    DoorOpened,
    ForgeAction,
    ForgeSpeech,
    PlanChanged,
    Understood,
    describe_action,
    format_chances,
)

PLANNING, GRAMMAR = "planning", "grammar"
_FILE = DATA / "grammar.yaml"
_FILES_TO_READ = (
    (DATA / "village.yaml", "The village"),
    (DATA / "lines.yaml", "What the companion says"),
    (DATA / "utterances.yaml", "What the companion understands"),
)
YOU = "you"
PLAYER_TITLES = {
    YOU: "You",
    "key": "Simulated: forges a key",
    "force": "Simulated: forces the door",
    "spare": "Simulated: earns the spare key",
}
COMPANION_TITLES = {
    "reads": "Recognises it by planning",
    "parses": "Recognises it by a grammar",
    "waits": "Helps when asked",
    "none": "No companion",
}
_TASK = "Get through the locked door: forge a key, force it, or earn the neighbour's spare"
_HINT, _HINT_TO_TALK = "Click where to go, or use the arrow keys", "click your companion to talk"
_HOW = {"with_key": "with a key of gold", "by_force": "by force", "with_spare": "with the spare key"}
_AFTER_PLAYING = "Look back on the timeline: when was that plain?"
_AFTER_WATCHING = "Look back on the timeline, or try it yourself, under New game."


class ForgeStage(Stage):
    """The village, half a second per step at double speed. The player is a person, or simulated with a plan."""

    name, title = "forge", "A locked door, and a companion who sees what you are up to"
    rate, size, symbols = 4.0, (WIDTH, HEIGHT), SYMBOLS
    watched: str | None = PLAYER
    needs_pad = False

    def __init__(self, seed: int, *, play: str = YOU, companion: str = "reads") -> None:
        self._records: list[object] = []
        self.scene = ForgeScene(None if play == YOU else play, companion, seed=seed, trace=self._records.append)
        self.is_played = self.scene.player is None
        self.keys = (*ARROW_KEYS, *CHOICE_KEYS) if self.is_played else ()
        self._controls = ForgeControls(self.scene)
        self._observed: list[Event] = []  # events that the recognisers observed
        self._over_at: float | None = None
        self._grammar: str | None = None
        self._backdrops = {
            is_open: draw_village(self.scene.world.village, is_open=is_open) for is_open in (False, True)
        }

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Advance by half a second; an invalid command raises before anything has changed."""
        if inputs.asked and self.scene.player is not None:
            raise TelosError("commands are disabled while watching", "start a game with play=you")
        command = self._controls.command(inputs) if self.scene.player is None else None
        known = len(self._records)
        self.scene.step({} if command is None else {PLAYER: command})
        if self.scene.is_over and self._over_at is None:
            self._over_at = self.scene.world.time + 2 * SECONDS_AFTER
        events = [
            self._as_observed(event) for event in self.scene.events if event.player == PLAYER and event.goal is None
        ]
        deeds = [event for event in events if event.action != "say"]
        self._observed += deeds
        return to_happenings(self._records[known:], deeds, self.scene)

    def _as_observed(self, event: Event) -> Event:
        companion = self.scene.companion
        return event if companion is None or event.action == "say" else companion.with_promise(event)

    # --- the picture --------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the village, with the gate open or shut."""
        is_open = self.scene.world.is_over
        return "open" if is_open else "shut", self._backdrops[is_open]

    def picture(self) -> Picture:
        """Return people, things and speech."""
        is_you = self.scene.player is None
        ways = self._controls.places_by_arrow() if is_you and not self.scene.is_over else {}
        return draw_scene(self.scene.world.village, self.scene.view(), ways=ways, is_you=is_you)

    def hud(self) -> Hud:
        """Return the task, what the player does or may do, and the state of the village."""
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
        return self._controls.note or (_HINT if self.scene.companion is None else f"{_HINT}; {_HINT_TO_TALK}")

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
        """Whether the door has been open for a few seconds."""
        return self._over_at is not None and self.scene.world.time >= self._over_at

    # --- the instruments ----------------------------------------------------------------------------------------------

    @property
    def truth(self) -> str | None:
        """The plan of a simulated player; that of a person is known only at the end."""
        if self.scene.player is not None:
            return self.scene.player.plan
        return GOAL_OF.get(self.scene.world.things.opened)

    def models(self) -> Sequence[Model]:
        """Return the two recognisers, the companion's first, then the village and what is said."""
        return (*forge_models(self.scene.mode, self._grammar), *(read_only_model(*each) for each in _FILES_TO_READ))

    def sources(self, who: str) -> Sequence[str]:
        """Return the domain, which the player and the companion share."""
        return (PLANNING,) if who in self.characters() else ()

    def apply(self, name: str, text: str) -> str:
        """Give a companion that parses a new grammar; it observes all earlier events again."""
        if name != GRAMMAR:
            return ""
        reader = make_grammar_reader(text)
        self._grammar = text
        if self.scene.companion is None or self.scene.mode != "parses":
            return ""
        for event in self._observed:
            reader.observe(event)
        self.scene.companion.read_by(reader, self.scene.world.time)
        return "The companion uses the new grammar now."

    def bands(self) -> Mapping[str, str]:
        """Return the player's action and the companion's goal."""
        doing = self.scene.world.view().person(PLAYER).doing
        rows = {PLAYER: "walk" if doing.startswith("go ") else doing}
        if self.scene.companion is not None:
            rows[COMPANION] = self.scene.companion.mind.goal or "nothing"
        return rows

    def action_rows(self) -> Sequence[str]:
        """Return the row of the player."""
        return (PLAYER,)

    def facts(self) -> Mapping[str, Value]:
        """Return the state of the village, of both people, and of the companion's mind."""
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
        """Return the companion, and the player if simulated."""
        found = [] if self.scene.companion is None else [COMPANION]
        return found if self.scene.player is None else [*found, PLAYER]

    def mind(self, who: str) -> MindView | None:
        """Return the mind of the companion or of a simulated player."""
        if who == COMPANION and self.scene.companion is not None:
            return companion_mind(self.scene.companion, self.scene)
        if who == PLAYER and self.scene.player is not None:
            return player_mind(self.scene.player, self.scene)
        return None

    def why_not(self, who: str, what: str) -> str:
        """Explain why the companion or a simulated player does not pursue a goal or perform an action."""
        if who == COMPANION and self.scene.companion is not None:
            return why_not(self.scene.companion.mind, what)
        if who == PLAYER and self.scene.player is not None:
            return player_why_not(self.scene.player, what)
        return super().why_not(who, what)

    def planning(self, who: str) -> PlanningMoment | None:
        """Return what the companion or a simulated player plans with now."""
        if who == COMPANION and self.scene.companion is not None:
            return build_planning_moment(self.scene.companion.mind)
        return None if who != PLAYER or self.scene.player is None else player_planning(self.scene.player)

    def commands(self) -> Sequence[str]:
        """Return the places, actions and utterances that the player may enter now."""
        return () if self.scene.is_over or self.scene.player is not None else self._controls.commands()

    def targets(self) -> Sequence[ClickTarget]:
        """Return the places to go to, and the companion to talk to."""
        return () if self.scene.is_over or self.scene.player is not None else self._controls.targets()

    def choices(self) -> Sequence[PlayerChoice]:
        """Return what the player can do at this place."""
        return () if self.scene.is_over or self.scene.player is not None else self._controls.choices()

    def recording(self) -> tuple[str, bytes]:
        """Return the trace so far, as ``telos watch forge --json`` prints it."""
        lines = "".join(f"{as_json(record)}\n" for record in self._records)
        return f"forge-seed{self.scene.seed}.jsonl", lines.encode()


def _make(seed: int, settings: Mapping[str, str]) -> ForgeStage:
    warm_up()  # compile now, so that no step waits
    return ForgeStage(seed, play=settings["play"], companion=settings["companion"])


FORGE = StudioWorld(
    "forge",
    "Forge",
    "A locked door and three ways to open it. Your companion infers your plan and helps with it.",
    (
        Setting("play", "Who plays", YOU, (YOU, *PLANS), "you, or a simulated player with a plan", PLAYER_TITLES),
        Setting("companion", "The companion", "reads", COMPANIONS, "how it recognises your plan", COMPANION_TITLES),
    ),
    _make,
)


# --- timeline ---------------------------------------------------------------------------------------------------------


def to_happenings(records: Iterable[object], deeds: Iterable[Event], scene: ForgeScene) -> Sequence[Happening]:
    """Return the trace records of one step as happenings; ``deeds`` are the player's events for the recognisers."""
    events = list(deeds)
    found = []
    for record in records:
        is_deed = isinstance(record, ForgeAction) and record.who == PLAYER and bool(events)
        happening = _happening(record, events.pop(0) if is_deed else None, scene)
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
            return Happening(record.time, COMPANION, label, "game", why=_explain_understood(record, scene))
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


def _explain_understood(record: Understood, scene: ForgeScene) -> str:
    if scene.companion is not None and scene.companion.heard is not None:
        return scene.companion.heard.why()
    return format_chances(dict(record.options))


# --- minds ------------------------------------------------------------------------------------------------------------


def companion_mind(companion: ForgeCompanion, scene: ForgeScene) -> MindView:
    """Return the companion's mind, with its belief about the player in the explanation."""
    lines = [(time, words) for time, who, words in scene.said if who == COMPANION]
    about = f"companion, who {scene.mode}" + (
        f"; believes that your plan is: {companion.reading}" if companion.reading else ""
    )
    mind_view = build_mind_view(companion.mind, scene.world.time, about=about, lines=lines)
    goal = companion.mind.goal
    doing = describe_action(scene.world.view().person(COMPANION).doing)
    return replace(mind_view, doing=f"{doing}, to {WANTS[goal]}" if goal in WANTS else doing, why=companion.why())


def player_mind(player: SimulatedPlayer, scene: ForgeScene) -> MindView:
    """Return the mind of a simulated player: one of three plans, its steps, and a promise of the companion."""
    person, now = scene.world.people[PLAYER], scene.world.time
    facts = [FactLine("place", PLAYER, 0.0, 1.0, f"at the {person.place}")]
    facts.append(FactLine("hands", PLAYER, 0.0, 1.0, f"{person.hands}, pocket {person.pocket}"))
    if player.promise is not None:
        facts.append(FactLine("promise", COMPANION, 0.0, 1.0, f"will see to: {player.promise}"))
    goals = tuple(
        GoalLine(plan, float(plan == player.plan), True, plan == player.plan, PLAN_WORDS[plan]) for plan in PLANS
    )
    steps = tuple(StepLine(step, "now" if place == 0 else "next") for place, step in enumerate(player.steps))
    asked = "never" if not player.asked else "once" if player.asked == 1 else f"{player.asked} times"
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
        why=f"The player wants to {PLAN_WORDS[player.plan]}; times asked for help: {asked}.",
    )


def player_planning(player: SimulatedPlayer) -> PlanningMoment:
    """Return what a simulated player plans with: the domain, and what it believes."""
    domain = player.world.domain
    steps, known = [], {each.name: each for each in domain.all_actions}
    for step in player.steps:
        if step not in known:
            break
        steps.append(known[step])
    goals = tuple(domain.goal(plan) for plan in PLANS)
    state = player.believed_state()
    return PlanningMoment(goals, domain.actions_of(PLAYER), domain, state, domain.goal(player.plan), tuple(steps))


def player_why_not(player: SimulatedPlayer, what: str) -> str:
    """Explain why a simulated player does not follow a plan or perform an action."""
    if what in PLANS:
        if what == player.plan:
            return f"{what}: this is the player's plan."
        return f"{what}: this player was given the plan {player.plan}."
    actions = manual_actions(player.world.domain, PLAYER)
    if what not in actions:
        raise TelosError(f"{what!r} is neither a plan nor an action of the player", name_hint(what, [*PLANS, *actions]))
    if what in player.steps:
        return f"{what}: it is part of the plan."
    unmet = actions[what].preconditions.unmet(player.world.state_of(PLAYER))
    if unmet:
        return f"{what}: it needs {unmet[0]}."
    return f"{what}: it is possible, but not part of the cheapest way to {PLAN_WORDS[player.plan]}."


# --- models -----------------------------------------------------------------------------------------------------------


def forge_models(mode: str, grammar: str | None = None) -> Sequence[Model]:
    """Return both recognisers, the companion's first; ``grammar`` is the current text, if it was edited.

    >>> [model.name for model in forge_models("parses")]
    ['grammar', 'planning']
    """
    has_companion = mode != "none"

    def plan_reader(text: str) -> Recognizer:
        return create_plan_reader(Forge(companion=has_companion))

    planning = Model(PLANNING, "By planning", read_text(DOMAIN), DOMAIN.name, editable=False, make=plan_reader)
    text = read_text(_FILE) if grammar is None else grammar
    parsing = Model(GRAMMAR, "By grammar", text, _FILE.name, make=make_grammar_reader)
    return (parsing, planning) if mode == "parses" else (planning, parsing)


def make_grammar_reader(text: str) -> PlanGrammarReader:
    """Return a recogniser that parses by a grammar; its goals must be exactly the three plans."""
    grammar = loads_grammar(text, name=_FILE.name)
    reader = PlanGrammarReader(grammar)
    missing = [plan for plan in PLANS if plan not in reader.goals]
    strange = [goal for goal in reader.goals if goal not in PLANS]
    if missing or strange:
        wrong = f"{missing[0]!r} is missing" if missing else f"there is no plan {strange[0]!r}"
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
