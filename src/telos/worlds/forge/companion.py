"""The companion: a mind that recognises the player's plan, understands requests, and helps by its own goals."""

from collections.abc import Iterable, Mapping
from functools import cache
from random import Random

from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Goto, Procedure, Progress, Status
from telos.agents.character import Character
from telos.agents.explain import why
from telos.agents.memory import Attention, Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.trace import Chose
from telos.core.action import Action
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.recognition.files.load import recognizer
from telos.recognition.grammar.files import load_grammar
from telos.recognition.grammar.grammar import PlanGrammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.recognizer import Recognizer
from telos.worlds.forge.domain import DATA, PLAN_OF, PLANS, PROMISES, REQUESTS, SERVES, TO, Request, promised_changes
from telos.worlds.forge.forge import COMPANION, PLAYER, Forge
from telos.worlds.forge.speech import (
    ForgeVoice,
    Understanding,
    find_utterance,
    load_companion_lines,
    load_utterances,
    understand,
)
from telos.worlds.forge.trace import BeliefUpdated, Understood

TAKEN, KEPT = 0.6, 0.35  # a plan is believed from TAKEN on, until it falls below KEPT
MARGIN = 0.2  # another plan takes its place only if it is likelier by this much
FADES = FrozenMap({"failure": 5.0, "request": 240.0})  # seconds
TEMPERATURE = 5.0  # wasted seconds that make a plan e times less likely
LASTS = 7.0  # actions, on average, until a player changes the plan; old waste counts less


# --- the body ---


class StepProcedure(Procedure):
    """Walks for actions that lead somewhere, performs the others."""

    def activate(self, doer: Actor, step: Action) -> BodyState:
        """Return the body state for a step."""
        return Goto(step.name.removeprefix(TO)) if step.name.startswith(TO) else Animate(step.name)


class ForgeBody:
    """Turns the body states of the mind into commands for the companion."""

    def __init__(self, world: Forge) -> None:
        self._world = world
        self._commands: list[str] = []  # to be given in order
        self._is_resting = True

    def enter(self, state: BodyState) -> None:
        """Replace the present commands by those for ``state``."""
        person = self._world.people[COMPANION]
        self._is_resting = isinstance(state, Animate) and state.animation == "idle"
        if isinstance(state, Goto):
            self._commands = [f"go {state.place}"]
        elif isinstance(state, Animate) and not self._is_resting:
            back = [f"go {person.place}"] if person.is_walking else []  # turn round before the action
            self._commands = [*back, state.animation]
        # An idle body keeps its post: after lighting the fire the companion stays at the bellows.

    @property
    def progress(self) -> Progress:
        """The progress of the last state entered."""
        person = self._world.people[COMPANION]
        if self._is_resting:
            return DONE
        if self._commands or person.status == "running":
            return RUNNING
        return DONE if person.status == "done" else Progress(Status.FAILED, person.reason or "it was left")

    def take(self) -> str | None:
        """Return the next command, if there is one and the body is free for it."""
        is_action = bool(self._commands) and not self._commands[0].startswith("go ")
        if not self._commands or (is_action and self._world.people[COMPANION].is_walking):
            return None
        return self._commands.pop(0)


# --- the mind ---


class ForgeCompanion:
    """Observes the player, decides, and returns commands. Without a ``reader`` it only answers requests.

    It sees the whole village; the player's plan it has to infer or be told.
    """

    def __init__(self, world: Forge, reader: Recognizer | None, rng: Random, *, trace: Trace = silent) -> None:
        self.world, self.reader, self.trace = world, reader, trace
        self.voice, self.body = ForgeVoice(load_companion_lines(), rng), ForgeBody(world)
        self.heard: Understanding | None = None  # the latest utterance
        self.promise: str | None = None  # what it has announced
        self._to_say: list[str] = []
        self._has_come = False  # whether the player has been at the place of the request
        self.mind = self._create_mind()

    def _create_mind(self) -> Mind:
        domain, name = self.world.domain, COMPANION
        actions = domain.actions_of(name)
        return Mind(
            name,
            Character(name, domain.goals_of(name), actions, memory=FADES),
            domain,
            body=self.body,
            believe=_believe,
            procedures={action.name: StepProcedure() for action in actions},
            attention=(Attention("reading", "plan", _score, margin=MARGIN),),
            reflexes={"eyes": _VillageSensor(self.world)},
            trace=self._note,
        )

    def watch(self, events: Iterable[Event]) -> None:
        """Observe the actions and words of the player."""
        for event in events:
            if event.player == PLAYER and event.action == "say":
                self._hear(event)
            elif event.goal is not None:
                self._to_say.append(self.voice.opened())
            elif event.player == PLAYER and self.reader is not None:
                self._read(self.reader, event)

    def think(self, now: float) -> str | None:
        """Return the next command, if there is a new one; lines are spoken when no action is due."""
        self._forget_request(now)
        self.mind.think(now)
        command = self.body.take()
        if command is not None:
            return command
        return f"say {self._to_say.pop(0)}" if self._to_say else None

    def read_by(self, reader: Recognizer, now: float) -> None:
        """Use another recogniser from now on; its present belief counts at once."""
        self.reader = reader
        self._remember(reader.belief, now)

    @property
    def reading(self) -> str | None:
        """The plan that it ascribes to the player, if it is sure enough."""
        return self.mind.memory.focus.get("reading")

    def why(self) -> str:
        """Return its belief and goal with reasons, and how it understood the last utterance."""
        said = [] if self.reader is None else [self.reader.belief.why()]
        said.append(why(self.mind))
        if self.heard is not None:
            said.append(self.heard.why())
        return "\n".join(said)

    def _read(self, reader: Recognizer, event: Event) -> None:
        belief = reader.observe(self.with_promise(event))
        self.trace(BeliefUpdated(event.time, COMPANION, event.action, FrozenMap(belief)))
        self._remember(belief, event.time)

    def _remember(self, belief: Mapping[str, float], now: float) -> None:
        for plan, chance in belief.items():
            self.mind.note(Fact("plan", plan, now, attributes=FrozenMap({"chance": chance})))

    def with_promise(self, event: Event) -> Event:
        """Return the event as if the companion's promise were kept, since the player relies on it too.

        Otherwise a player who leaves the apples to the companion would seem not to want any.
        """
        if self.promise is None:
            return event
        slots = self.world.domain.layout.slots
        state = self.world.domain.state({name: value for name, value in event.context.items() if name in slots})
        context = {**event.context, **promised_changes(self.promise, state)}
        return Event(event.action, context, player=event.player, time=event.time)

    def _hear(self, event: Event) -> None:
        text, place = str(event.context["text"]), str(event.context["at"])
        utterance = find_utterance(text, load_utterances().values())
        if utterance is None:
            self.heard = Understanding(text, place, ())
        else:
            belief = None if self.reader is None else self.reader.belief
            state = self.world.state_of(PLAYER)
            self.heard = understand(text, utterance, place, state, belief, self.world.village)
        means, options = self.heard.means, {each.means: each.chance for each in self.heard.options}
        self.trace(Understood(event.time, COMPANION, text, means, FrozenMap(options)))
        if means is None:
            self._to_say.append(self.voice.unclear(list(options)))
        else:
            self.voice.note_request()
            self._has_come = False
            about = FrozenMap({"means": means, "reading": self.reading})
            self.mind.note(Fact("request", PLAYER, event.time, attributes=about))

    def _forget_request(self, now: float) -> None:
        """Forget a request when it is fulfilled, or when the player is seen to pursue another plan."""
        request = self.mind.memory.recall("request", PLAYER, now)
        if request is None:
            return
        means, heading = request["means"], self.world.people[PLAYER].heading
        self._has_come |= heading == REQUESTS[means].stays
        has_turned = self.reading not in (None, request["reading"], PLAN_OF.get(means))
        if has_turned or self._is_done_with(REQUESTS[means], heading):
            self.mind.memory.forget("request", PLAYER)

    def _is_done_with(self, request: Request, heading: str) -> bool:
        if request.stays is not None:
            return self._has_come and heading != request.stays
        wants = self.world.domain.goal(request.goal).wants
        return wants is None or wants.holds(self.world.state_of(COMPANION))

    def _note(self, record: object) -> None:
        self.trace(record)
        if isinstance(record, Chose):
            self.promise = PROMISES.get(record.goal)
            said = self.voice.announce(record.goal, SERVES.get(record.goal))
            if said is not None:
                self._to_say.append(said)


class _VillageSensor:
    """Senses the state of the village in the variables of the domain."""

    cost = 1.0

    def __init__(self, world: Forge) -> None:
        self._world = world

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return one fact that holds the whole state."""
        return [Fact("village", who, now, attributes=FrozenMap(self._world.state_of(who)))]


def _score(plan: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Return the score of a plan: its probability, with hysteresis."""
    least = KEPT if memory.focus.get("reading") == plan.subject else TAKEN
    return float(plan["chance"]) if plan["chance"] >= least else None


def _believe(memory: WorkingMemory, now: float) -> Mapping[str, Value]:
    """Return the values of the domain's variables from memory."""
    seen = memory.recall("village", COMPANION, now)
    request = memory.recall("request", PLAYER, now)
    return {
        **({} if seen is None else seen.attributes),
        "reading": memory.focus.get("reading") or "unsure",
        "asked": "not_asked" if request is None else REQUESTS[request["means"]].asked,
    }


# --- how the companion recognises the player's plan ---


def create_plan_reader(world: Forge) -> Recognizer:
    """Return a recogniser that plans with the domain of the scene."""
    return recognizer(
        world.domain,
        goals=list(PLANS),
        actions=PLAYER,
        start=world.state_of(PLAYER),
        temperature=TEMPERATURE,
        lasts=LASTS,
        sees_all=True,
    )


def create_grammar_reader(world: Forge) -> Recognizer:
    """Return a recogniser that parses with the plan grammar of the scene."""
    return PlanGrammarReader(load_plan_grammar())


@cache  # constant; readers share it
def load_plan_grammar() -> PlanGrammar:
    """Return the player's plans as a grammar.

    >>> reader = PlanGrammarReader(load_plan_grammar())
    >>> from telos.core.event import Event
    >>> for action in ("to-square", "to-bridge", "to-river"):
    ...     belief = reader.observe(Event(action))
    >>> belief.top, next(iter(reader.next_actions()))
    ('key', 'pan-gold')
    """
    return load_grammar(DATA / "grammar.yaml")


READERS = {"reads": create_plan_reader, "parses": create_grammar_reader}


def predict_action(reader: Recognizer | None) -> tuple[str, float] | None:
    """Return the likeliest next action and its probability, if the reader predicts actions."""
    if not isinstance(reader, PlanGrammarReader):
        return None
    return next(iter(reader.next_actions().items()), None)
