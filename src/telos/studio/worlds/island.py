"""Island stage."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.planning.planner import warm_up
from telos.recognition.files.load import create_recognizer
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import FactLine, GoalLine, MindView, StepLine
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, Stage, StudioWorld
from telos.studio.worlds.island_drawing import HEIGHT, SYMBOLS, WIDTH, ground, picture
from telos.studio.worlds.shapes import Picture
from telos.worlds.island.domain import load_player_domain
from telos.worlds.island.player import IDLE, Islander
from telos.worlds.island.player_mind import PLACE
from telos.worlds.island.playthrough import LivePlaythrough, TimedAction
from telos.worlds.island.state import IslandView, clock_of
from telos.worlds.island.story import GOALS, Lesson
from telos.worlds.island.styles import load_styles
from telos.worlds.island.trace import WANTS, describe_action, to_words

# --- island minds -----------------------------------------------------------------------------------------------------
# The mind of a simulated visitor on paper: wishes, the errand, and what is remembered. Looking changes nothing.


def island_sheet(islander: Islander, who: str, now: float) -> MindView:
    """Return what goes on in a visitor."""
    return MindView(
        who=who,
        about=f"{islander.style.name}: {load_styles().about[islander.style.name]}",
        time=now,
        doing=_doing(islander),
        goals=tuple(_goals(islander)),
        plan=tuple(_plan(islander)),
        facts=tuple(_facts(islander, now)),
        focus=tuple(_focus(islander)),
        actions=load_player_domain().action_sets["body"],
        why=_story(islander),
    )


def island_why_not(islander: Islander, what: str) -> str:
    """Say why a visitor does not pursue a goal, or does not do an action."""
    pursued = islander.intention
    if what in islander.levels:
        return _why_not_goal(islander, what)
    actions = load_player_domain().action_sets["body"]
    if what not in actions:
        raise TelosError(f"{what!r} is neither a goal nor an action", name_hint(what, [*islander.levels, *actions]))
    if islander.execution is not None and what in {step.name for step in islander.execution.steps}:
        return f"{what}: it is part of the plan."
    needs = load_player_domain().action(what).preconditions
    return f"{what}: it is no part of the cheapest plan for {pursued}. It would need: {needs}."


def _why_not_goal(islander: Islander, goal: str) -> str:
    pursued, level = islander.intention, islander.levels[goal]
    if goal == pursued:
        return f"{goal}: it is what they pursue."
    if goal not in islander.wishes:
        return f"{goal}: they know of nothing that it could be about now."
    if pursued == IDLE:
        return f"{goal}: nothing has been chosen yet."
    return (
        f"{goal}: its wish is at {level:.1f}, that for {pursued} at {islander.levels[pursued]:.1f}; when they chose, "
        f"{pursued} left less discontent, the way there and the time for it counted in."
    )


def _doing(islander: Islander) -> str:
    return "looks for something to do" if islander.execution is None else f"wants to {WANTS[islander.execution.goal]}"


def _goals(islander: Islander) -> Iterator[GoalLine]:
    wishes, pursued = islander.wishes, islander.intention
    for name, level in sorted(islander.levels.items(), key=lambda each: -each[1]):
        can = "can be done" if name in wishes else "nothing known that it could be about"
        why = "pursued" if name == pursued else can
        yield GoalLine(name, round(level, 2), name in wishes or name == pursued, name == pursued, why)


def _plan(islander: Islander) -> Iterator[StepLine]:
    errand = islander.execution
    for number, step in enumerate(errand.steps if errand else ()):
        effects = tuple(str(effect) for effect in step.effects)
        yield StepLine(str(step), "next" if number else "now", effects=effects)


def _facts(islander: Islander, now: float) -> Iterator[FactLine]:
    memory = islander.known.memory
    for fact in memory:
        if now < memory.gone_at(fact):
            where = fact.get(PLACE)
            text = f"at {to_words(str(where))}" if where is not None else ""
            age = max(0.0, now - fact.time)
            yield FactLine(fact.kind, fact.subject, age, min(1.0, memory.confidence(fact, now)), text)


def _focus(islander: Islander) -> Iterator[tuple[str, str]]:
    errand = islander.execution
    if errand is not None:
        about = errand.focus
        told = (
            ("spot", about.spot),
            ("about", about.subject),
            ("detail", about.detail),
            ("source", about.source or ""),
        )
        yield from ((slot, to_words(value)) for slot, value in told if value)


def _story(islander: Islander) -> str:
    wish, errand = islander.wish, islander.execution
    if errand is None or wish is None:
        return "Nothing is being pursued."
    second = f", ahead of {wish.runner_up}" if wish.runner_up else ""
    lines = [f"Wants to {WANTS[errand.goal]}: {errand.goal} was at {wish.level:.1f} when it was chosen{second}."]
    steps = " → ".join(map(str, errand.steps))
    return "\n".join([*lines, f"Left of the plan: {steps}.", f"{errand.given} commands were given for it so far."])


# --- island models ----------------------------------------------------------------------------------------------------
# The recogniser of the island: Markov logic, with weights from simulated players.


FILE = "island.mln"


def island_models() -> tuple[Model, ...]:
    """Return the recogniser; none where NumPy is missing, which it needs."""
    if find_spec("numpy") is None:
        return ()
    return (Model("mln", "Markov logic", _text(), FILE, language="text", make=made),)


def made(text: str) -> Recognizer:
    """Make a recogniser from formulas, or raise with all their faults."""
    from telos.logic.syntax import parse_mln  # NumPy is an extra
    from telos.recognition.markov_logic import GOAL, MarkovLogicModel

    logic = parse_mln(text, FILE)
    if GOAL not in logic.predicates:
        fault = "no formula speaks of the predicate goal(time, goal!)"
        raise DefinitionError(
            [
                Fault(
                    fault,
                    suggestion="declare it, and say what speaks for goals",
                    file=FILE,
                    line=1,
                    code=FaultCode.INCOMPLETE,
                )
            ]
        )
    return create_recognizer(MarkovLogicModel(logic, name="island"))


@lru_cache(maxsize=1)
def _text() -> str:
    return files("telos.recognition").joinpath("data", "trained", FILE).read_text(encoding="utf-8")


# --- island telling ---------------------------------------------------------------------------------------------------
# The island in words: what was done, what it taught, and how the case stands.


MYSTERY = "People in the camp fall ill. Find out why, and hand in the worksheet to the nurse."

_HINT = "Choose what to do in the box below: walk, talk, open, read, test"
_AFTER_PLAYING = "Look back on the timeline: was it plain what you wanted?"
_AFTER_WATCHING = "Look back on the timeline, or find it out yourself, under New game."


def in_words(event: Event) -> str:
    """Say what somebody did on the island."""
    return describe_action(event.action, str(event.context["argument"]))


def told(event: Event, learned: Sequence[Lesson]) -> Happening:
    """Return an event for the timeline; one that achieves a goal stands out."""
    why = f"Learned: {lessons(learned)}." if learned else ""
    if event.goal is not None:
        return Happening(event.time, event.player, f"{in_words(event)}: achieves {event.goal}", "goal", event, why)
    return Happening(event.time, event.player, in_words(event), "event", event, why)


def lessons(learned: Sequence[Lesson]) -> str:
    """Return lessons in a line.

    >>> lessons([Lesson("symptom", "fever"), Lesson("clean", "bread:viruses"), Lesson("right", "source=milk")])
    'symptom fever, clean bread: viruses, right source: milk'
    """
    return ", ".join(f"{each.kind} {to_words(each.about.replace(':', '=', 1))}" for each in learned)


def doing(now: TimedAction, time: float) -> str:
    """Say what is under way."""
    return in_words(now.event) if now.event is not None and now.share(time) < 1.0 else ""


def hud(view: IslandView, time: float, *, wants: str | None, is_new: bool = False) -> Hud:
    """Return the lines around the map; ``wants`` is the goal of a simulated visitor, and ``is_new`` a new game."""
    task = MYSTERY if wants is None else f"wants to {WANTS[wants]}" if wants in WANTS else "looks for something to do"
    counts = [
        ("milestones", f"{view.state.count('1')} of {len(view.state)}"),
        ("tests", str(view.tests)),
        ("notes", str(view.notes)),
        ("holds", to_words(view.hands or "nothing")),
    ]
    hint = _HINT if wants is None and is_new else ""
    return Hud(task, _message(view) or hint, tuple(counts), clock_of(time), _ending(view, is_person=wants is None))


def _ending(view: IslandView, *, is_person: bool) -> str:
    if not view.is_over:
        return ""
    end = "The mystery is solved." if view.is_solved else "The hour is up, and nobody knows."
    return f"{end} {_AFTER_PLAYING if is_person else _AFTER_WATCHING}"


def _message(view: IslandView) -> str:
    if view.question is not None:
        return (
            f"The nurse asks about {to_words(view.question.about)}: {', '.join(map(to_words, view.question.choices))}?"
        )
    if view.told:
        return f"Learned: {lessons(view.told)}"
    if view.talking:
        return f"Talks with the {to_words(view.talking)}" + (", who has more to say" if view.more else "")
    return ""


# --- island -----------------------------------------------------------------------------------------------------------
# The island on stage: a visitor's walk on the map, and what Markov logic makes of it.
#
# A step is a second of play. The truth, where it is told, is what the simulated visitor has in mind at that moment, if
# it
# is one of the seven goals. (The study has another truth: the goal that was reached next, which is known with
# hindsight.)


YOU, SIMULATED, ANY = "you", "simulated", "any"
_STYLES = ("methodical", "social", "guesser")
_MOST = 10.0  # how far a wish can grow


class IslandStage(Stage):
    """One visit, second by second."""

    name = "island"
    title = "Island: an hour to find out what makes the camp ill"
    rate = 4.0
    size: tuple[float, float] = (WIDTH, HEIGHT)
    symbols = SYMBOLS

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        style = None if settings["style"] == ANY else settings["style"]
        self._seed = seed
        self._outing = LivePlaythrough(seed, style=style, person=settings["plays"] == YOU)
        self.watched: str | None = self._outing.player
        self._walked = [self._outing.view.place]
        self._reached: list[str] = []
        self._log: list[tuple[Event, str | None]] = []

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Let a second go by; what a person asks for is done one after the other."""
        for command in inputs.asked:
            self._outing.ask(command)
        truth, happened = self.truth, []
        for event in self._outing.advance():
            view = self._outing.view
            self._log.append((event, truth))
            if view.place != self._walked[-1]:
                self._walked.append(view.place)
            if event.goal is not None:
                self._reached.append(str(event.context["loc"]))
            happened.append(told(event, view.told))
        return happened

    @property
    def time(self) -> float:
        """The seconds of play."""
        return self._outing.time

    @property
    def over(self) -> bool:
        """Whether the mystery is solved, or the hour is up."""
        return self._outing.is_over

    @property
    def truth(self) -> str | None:
        """What a simulated visitor has in mind with what is under way, if it is one of the seven goals."""
        intention = self._outing.now.intention
        return intention if intention in GOALS else None

    def commands(self) -> Sequence[str]:
        """Return what a person may do."""
        return self._outing.commands()

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the map."""
        return "island", ground()

    def picture(self) -> Picture:
        """Return the visitor and the way that led here."""
        outing = self._outing
        islander = outing.islander
        aim = islander.execution.focus.spot if islander is not None and islander.execution is not None else ""
        return picture(
            outing.island.story.map,
            outing.now,
            outing.time,
            self._walked,
            self._reached,
            doing=doing(outing.now, outing.time) or ("" if islander is None else "hesitates"),
            aim=aim,
            who=outing.player,
        )

    def hud(self) -> Hud:
        """Return what is wanted, and how the case stands."""
        return hud(self._outing.view, self._outing.time, wants=self._outing.now.intention, is_new=not self._log)

    def bands(self) -> Mapping[str, str]:
        """Return what a simulated visitor has in mind, whether or not it is one of the seven goals."""
        intention = self._outing.now.intention
        return {} if intention is None else {"mind": "" if intention == IDLE else intention}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return how strong the wishes for the seven goals are."""
        islander = self._outing.islander
        return {} if islander is None else {"wishes": {goal: islander.levels[goal] / _MOST for goal in GOALS}}

    def facts(self) -> Mapping[str, Value]:
        """Return what is known about the visit."""
        view, intention = self._outing.view, self._outing.now.intention
        return {
            "place": view.place,
            "area": view.area,
            "state": view.state,
            "tests": view.tests,
            "notes": view.notes,
            "hands": view.hands or "nothing",
            "talking": view.talking or "nobody",
            "goals": len(self._reached),
            **({} if intention is None else {"wants": intention}),
        }

    # --- minds and models ---------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the formulas."""
        return island_models()

    def characters(self) -> Sequence[str]:
        """Return the visitor, if it is a simulated one."""
        return () if self._outing.islander is None else (self._outing.player,)

    def mind(self, who: str) -> MindView | None:
        """Return the visitor's mind on paper."""
        islander = self._outing.islander
        if islander is None or who != self._outing.player:
            return None
        return island_sheet(islander, who, self._outing.time)

    def why_not(self, who: str, what: str) -> str:
        """Say why the visitor does not pursue a goal, or does not do an action."""
        islander = self._outing.islander
        if islander is None or who != self._outing.player:
            raise TelosError(f"nobody called {who!r} can be asked here", "people keep their reasons to themselves")
        return island_why_not(islander, what)

    def recording(self) -> tuple[str, bytes] | None:
        """Return the events so far as JSON Lines, which ``telos recognize`` and ``telos evaluate`` read."""
        lines = [json.dumps(_line(event, truth, human=self._outing.islander is None)) for event, truth in self._log]
        return f"island-seed{self._seed}.jsonl", "".join(f"{line}\n" for line in lines).encode()


def _line(event: Event, truth: str | None, *, human: bool) -> dict[str, object]:
    said = {"player": event.player, "time": event.time, "action": event.action, "context": dict(event.context)}
    return {**said, "goal": event.goal, "truth": truth, **({"human": True} if human else {})}


def _made(seed: int, settings: Mapping[str, str]) -> IslandStage:
    warm_up()  # so that no step waits for a compiler
    return IslandStage(seed, settings)


ISLAND = StudioWorld(
    "island",
    "Island",
    "A visitor walks about a camp where people fall ill; Markov logic reads what they are after.",
    (
        Setting("plays", "Who plays", SIMULATED, (SIMULATED, YOU), "a simulated visitor, or you by command"),
        Setting("style", "Style", ANY, (ANY, *_STYLES), "what a simulated visitor is like"),
    ),
    _made,
)
