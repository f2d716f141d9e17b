"""The companion and how it reads."""

from collections.abc import Iterable, Mapping
from functools import cache
from random import Random

from telos.agents.body import DONE, RUNNING, Animate, BodyState, Doer, Goto, Procedure, Progress, Status
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
from telos.worlds.forge.domain import DATA, PLAN_OF, PLANS, PROMISES, REQUESTS, SERVES, TO, Request, counting_on
from telos.worlds.forge.forge import COMPANION, PLAYER, Forge
from telos.worlds.forge.speech import Understanding, Voice, the_lines, the_utterances, understand, utterance_of
from telos.worlds.forge.trace import Read, Understood

# --- limbs ------------------------------------------------------------------------------------------------------------
# The companion's body as its mind knows it: a state becomes a command, and the person's status what it feels.


class Doing(Procedure):
    """Walks for the actions that lead somewhere, and plays the others."""

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        return Goto(step.name.removeprefix(TO)) if step.name.startswith(TO) else Animate(step.name)


class Limbs:
    """Turns what a mind wants of its body into the next command for the companion."""

    def __init__(self, world: Forge) -> None:
        self._world = world
        self._commands: list[str] = []  # to be given one after the other
        self._is_resting = True

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""
        person = self._world.people[COMPANION]
        self._is_resting = isinstance(state, Animate) and state.animation == "idle"
        if isinstance(state, Goto):
            self._commands = [f"go {state.place}"]
        elif isinstance(state, Animate) and not self._is_resting:
            back = [f"go {person.place}"] if person.is_walking else []  # who has just set out turns round first
            self._commands = [*back, state.animation]
        # Nothing to do is no reason to leave a post: who has lit the fire stays at the bellows.

    @property
    def progress(self) -> Progress:
        """Return how the last state entered is going."""
        person = self._world.people[COMPANION]
        if self._is_resting:
            return DONE
        if self._commands or person.status == "running":
            return RUNNING
        return DONE if person.status == "done" else Progress(Status.FAILED, person.reason or "it was left")

    def take(self) -> str | None:
        """Return the command to give now, if there is one and the body is free for it."""
        is_deed = bool(self._commands) and not self._commands[0].startswith("go ")
        if not self._commands or (is_deed and self._world.people[COMPANION].is_walking):
            return None
        return self._commands.pop(0)


# --- companion --------------------------------------------------------------------------------------------------------
# The companion: a mind whose memory holds what it reads of the player, and whose own goals make something of that.


TAKEN, KEPT = 0.6, 0.35  # a plan is believed from the one chance on, and until it falls below the other
MARGIN = 0.2  # ... and another one only takes its place when it is likelier by this

FADES = FrozenMap({"failure": 5.0, "request": 240.0})  # seconds


class Companion:
    """Watches the player, thinks, and answers with commands. Without a ``reader`` it waits until it is asked.

    It sees the whole village; what the player has in mind it has to read, or to be told.
    """

    def __init__(self, world: Forge, reader: Recognizer | None, rng: Random, *, trace: Trace = silent) -> None:
        self.world, self.reader, self.trace = world, reader, trace
        self.voice, self.limbs = Voice(the_lines(), rng), Limbs(world)
        self.heard: Understanding | None = None  # the last thing that had to be understood
        self.promise: str | None = None  # what it has said that it will see to
        self._to_say: list[str] = []
        self._has_come = False  # whether the player has been where what was asked for is wanted
        self.mind = self._made_up()

    def _made_up(self) -> Mind:
        domain, name = self.world.domain, COMPANION
        actions = domain.actions_of(name)
        return Mind(
            name,
            Character(name, domain.goals_of(name), actions, memory=FADES),
            domain,
            body=self.limbs,
            believe=_believe,
            procedures={action.name: Doing() for action in actions},
            attention=(Attention("reading", "plan", _score, margin=MARGIN),),
            reflexes={"eyes": _Eyes(self.world)},
            trace=self._note,
        )

    def watch(self, events: Iterable[Event]) -> None:
        """Take in what the player did and said."""
        for event in events:
            if event.player == PLAYER and event.action == "say":
                self._hear(event)
            elif event.goal is not None:
                self._to_say.append(self.voice.opened())
            elif event.player == PLAYER and self.reader is not None:
                self._read(self.reader, event)

    def think(self, now: float) -> str | None:
        """Return the next command, if there is a new one; what is to be said is said when the hands have theirs."""
        self._forget_request(now)
        self.mind.think(now)
        command = self.limbs.take()
        if command is not None:
            return command
        return f"say {self._to_say.pop(0)}" if self._to_say else None

    def read_by(self, reader: Recognizer, now: float) -> None:
        """Read by another recogniser from now on; what that believes already is believed at once."""
        self.reader = reader
        self._remember(reader.belief, now)

    @property
    def reading(self) -> str | None:
        """Return the plan that it takes the player to have, if it is sure enough."""
        return self.mind.memory.focus.get("reading")

    def why(self) -> str:
        """Say what it believes and wants, and how it took what was said last, with all that it might have meant."""
        said = [] if self.reader is None else [self.reader.belief.why()]
        said.append(why(self.mind))
        if self.heard is not None:
            said.append(self.heard.why())
        return "\n".join(said)

    def _read(self, reader: Recognizer, event: Event) -> None:
        belief = reader.observe(self.as_the_player_sees_it(event))
        self.trace(Read(event.time, COMPANION, event.action, FrozenMap(belief)))
        self._remember(belief, event.time)

    def _remember(self, belief: Mapping[str, float], now: float) -> None:
        for plan, chance in belief.items():
            self.mind.note(Fact("plan", plan, now, attributes=FrozenMap({"chance": chance})))

    def as_the_player_sees_it(self, event: Event) -> Event:
        """Return the event with what the companion has promised as good as done: the player counts on it, too.

        Otherwise who leaves the apples to the companion, as it has said they may, would seem not to want any.
        """
        if self.promise is None:
            return event
        slots = self.world.domain.layout.slots
        state = self.world.domain.state({name: value for name, value in event.context.items() if name in slots})
        context = {**event.context, **counting_on(self.promise, state)}
        return Event(event.action, context, player=event.player, time=event.time)

    def _hear(self, event: Event) -> None:
        text, place = str(event.context["text"]), str(event.context["at"])
        utterance = utterance_of(text, the_utterances().values())
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
            self.voice.asked_again()
            self._has_come = False
            about = FrozenMap({"means": means, "reading": self.reading})
            self.mind.note(Fact("request", PLAYER, event.time, attributes=about))

    def _forget_request(self, now: float) -> None:
        """Let go of what was asked for once it is done with, or once the player is seen to be after something else."""
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
            said = self.voice.takes_up(record.goal, SERVES.get(record.goal))
            if said is not None:
                self._to_say.append(said)


class _Eyes:
    """Sees how things stand in the village, in the words of the domain."""

    cost = 1.0

    def __init__(self, world: Forge) -> None:
        self._world = world

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return one fact that holds it all."""
        return [Fact("village", who, now, attributes=FrozenMap(self._world.state_of(who)))]


def _score(plan: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate a plan by its chance. It takes more to be believed than to stay so."""
    least = KEPT if memory.focus.get("reading") == plan.subject else TAKEN
    return float(plan["chance"]) if plan["chance"] >= least else None


def _believe(memory: WorkingMemory, now: float) -> Mapping[str, Value]:
    """Put memory into the variables of the domain."""
    seen = memory.recall("village", COMPANION, now)
    request = memory.recall("request", PLAYER, now)
    return {
        **({} if seen is None else seen.attributes),
        "reading": memory.focus.get("reading") or "unsure",
        "asked": "not_asked" if request is None else REQUESTS[request["means"]].asked,
    }


# --- readers ----------------------------------------------------------------------------------------------------------
# How the companion reads the player: by planning with the domain that all plan with, or by parsing with a grammar.


TEMPERATURE = 5.0  # seconds that a player may waste before a plan becomes e times less likely
LASTS = 7.0  # deeds, on average, after which a plan is thought better of; so what was wasted long ago counts less


def by_planning(world: Forge) -> Recognizer:
    """Return a recogniser that reads the player with the very domain that everybody here plans with."""
    return recognizer(
        world.domain,
        goals=list(PLANS),
        actions=PLAYER,
        start=world.state_of(PLAYER),
        temperature=TEMPERATURE,
        lasts=LASTS,
        sees_all=True,
    )


def by_parsing(world: Forge) -> Recognizer:
    """Return a recogniser that parses what the player does with the grammar of plans that comes with the scene."""
    return PlanGrammarReader(the_grammar())


@cache  # it never changes, and any number of readers may share it
def the_grammar() -> PlanGrammar:
    """Return the player's plans as a grammar.

    >>> reader = PlanGrammarReader(the_grammar())
    >>> from telos.core.event import Event
    >>> for action in ("to-square", "to-bridge", "to-river"):
    ...     belief = reader.observe(Event(action))
    >>> belief.top, next(iter(reader.next_actions()))
    ('key', 'pan-gold')
    """
    return load_grammar(DATA / "grammar.yaml")


READERS = {"reads": by_planning, "parses": by_parsing}


def foreseen(reader: Recognizer | None) -> tuple[str, float] | None:
    """Return the action that is likeliest next, and how likely, if that is a reader who can tell."""
    if not isinstance(reader, PlanGrammarReader):
        return None
    return next(iter(reader.next_actions().items()), None)
