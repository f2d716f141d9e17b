"""The island in the studio: `IslandStage`, a visitor on the map, and a Markov logic network that infers the goal.

One step is one second of play. ``truth`` is the current intention of a simulated visitor, if it is one of the seven
goals. (The study labels events with the goal that was reached next, which is known only in hindsight.)
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.planning.planner import warm_up
from telos.recognition.files.load import create_recognizer
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import FactLine, GoalLine, MindView, StepLine
from telos.studio.plan_choice import PlanningMoment
from telos.studio.stage import (
    CHOICE_KEYS,
    ClickTarget,
    Form,
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
from telos.studio.worlds.island.controls import IslandControls
from telos.studio.worlds.island.drawing import HEIGHT, SYMBOLS, WIDTH, arrange_things, draw_ground, draw_moment
from telos.studio.worlds.shapes import Picture
from telos.studio.worlds.walking import ARROW_KEYS
from telos.worlds.island.player import IDLE, Islander
from telos.worlds.island.player_mind import PLACE
from telos.worlds.island.playthrough import LivePlaythrough, TimedAction
from telos.worlds.island.state import IslandView, clock_of
from telos.worlds.island.story import GOALS, MILESTONES, Lesson
from telos.worlds.island.styles import load_player_domain, load_styles
from telos.worlds.island.trace import WANTS, describe_action, to_words
from telos.worlds.island.tutor import IslandTutor, describe_line

FILE, GOALS_FILE = "island.mln", "island-goals.mln"
_DATA = Path(str(files("telos.worlds.island"))) / "data"
_FILES_TO_READ = (
    (_DATA / "island.yaml", "The story"),
    (_DATA / "islander.yaml", "Minds of simulated visitors"),
    (_DATA / "players.yaml", "Styles of simulated visitors"),
    (_DATA / "tutor.yaml", "The tutor"),
)
MYSTERY = "Find out why people fall ill; hand the worksheet in to the nurse."
_HINT = "Click a place to walk there, or a person to talk; arrow keys walk as well"
_AFTER_PLAYING = "Look back on the timeline: was your goal recognised?"
_AFTER_WATCHING = "Look back on the timeline, or solve it yourself, under New game."
YOU, SIMULATED, ANY = "you", "simulated", "any"
_STYLES = ("methodical", "social", "guesser")
_PLAYER_TITLES = {SIMULATED: "A simulated visitor", YOU: "You"}
_STYLE_TITLES = {each: each.capitalize() for each in (ANY, *_STYLES)}
_MAX_WISH = 10.0
NO, YES = "no", "yes"
_TUTOR_TITLES = {NO: "Nobody helps", YES: "People of the camp help"}
_SHOWN = 15.0  # seconds for which a line of the tutor stands below the picture


class IslandStage(Stage):
    """One playthrough, second by second."""

    name = "island"
    title = "Island: an hour to find out what makes the camp ill"
    rate = 4.0
    size: tuple[float, float] = (WIDTH, HEIGHT)
    symbols = SYMBOLS
    needs_pad = False

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        style = None if settings["style"] == ANY else settings["style"]
        self._seed = seed
        self.is_played = settings["plays"] == YOU
        tutor = IslandTutor() if settings["tutor"] == YES else None
        self._playthrough = LivePlaythrough(seed, style=style, person=self.is_played, tutor=tutor)
        self._lines = 0  # of the tutor that were shown
        self.watched: str | None = self._playthrough.player
        self._controls = IslandControls(self._playthrough) if settings["plays"] == YOU else None
        self.keys = (*ARROW_KEYS, *CHOICE_KEYS) if self._controls is not None else ()
        self._walked = [self._playthrough.view.place]
        self._reached: list[str] = []
        self._log: list[tuple[Event, str | None]] = []

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Advance by one second; commands are carried out one after the other."""
        for command in inputs.asked:
            self._playthrough.ask(command)
        arrow = None if self._controls is None else self._controls.request_of_keys(inputs.held)
        if arrow is not None and not inputs.asked and not self.over:
            self._playthrough.ask(arrow)
        truth, happened = self.truth, []
        for event in self._playthrough.advance():
            view = self._playthrough.view
            self._log.append((event, truth))
            if view.place != self._walked[-1]:
                self._walked.append(view.place)
            if event.goal is not None:
                self._reached.append(str(event.context["loc"]))
            happened.append(to_happening(event, view.told))
        return [*happened, *self._tutor_lines()]

    def _tutor_lines(self) -> list[Happening]:
        """Return what the tutor made people say since the last step."""
        lines, shown = self._playthrough.tutor_lines, self._lines
        self._lines = len(lines)
        return [
            Happening(line.time, to_words(line.by), line.says, "said", why=f"The tutor ({line.rule}): {line.because}.")
            for line in lines[shown:]
        ]

    @property
    def time(self) -> float:
        """The seconds of play."""
        return self._playthrough.time

    @property
    def over(self) -> bool:
        """Whether the mystery is solved or the hour is up."""
        return self._playthrough.is_over

    @property
    def truth(self) -> str | None:
        """The intention behind the current action of a simulated visitor, if it is one of the seven goals."""
        intention = self._playthrough.now.intention
        return intention if intention in GOALS else None

    def commands(self) -> Sequence[str]:
        """Return the commands that a person may enter now."""
        return () if self._controls is None else self._controls.commands()

    def targets(self) -> Sequence[ClickTarget]:
        """Return the places, people and things that a person may click."""
        return () if self._controls is None or self.over else self._controls.targets()

    def choices(self) -> Sequence[PlayerChoice]:
        """Return what a person may do at this place, or say in this conversation."""
        return () if self._controls is None or self.over else self._controls.choices()

    def forms(self) -> Sequence[Form]:
        """Return the worksheet."""
        return () if self._controls is None or self.over else (self._controls.worksheet(),)

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the map."""
        return "island", draw_ground()

    def picture(self) -> Picture:
        """Return the visitor and the recent path."""
        playthrough = self._playthrough
        islander = playthrough.islander
        controls, is_over = self._controls, self.over
        aim = islander.execution.focus.spot if islander is not None and islander.execution is not None else ""
        return draw_moment(
            playthrough.island.story.map,
            playthrough.now,
            playthrough.time,
            self._walked,
            self._reached,
            doing=describe_current(playthrough.now, playthrough.time) or ("" if islander is None else "hesitates"),
            aim=aim if controls is None else controls.aim(),
            who=playthrough.player,
            seen=arrange_things(playthrough.island.story.map, playthrough.view),
            ways={} if controls is None or is_over else controls.places_by_arrow(),
        )

    def hud(self) -> Hud:
        """Return the intention and the progress of the investigation."""
        playthrough = self._playthrough
        hud = build_hud(playthrough.view, playthrough.time, wants=playthrough.now.intention, is_new=not self._log)
        if playthrough.refused:
            return replace(hud, message=f"{playthrough.refused}.")
        lines = playthrough.tutor_lines
        if lines and playthrough.time - lines[-1].time <= _SHOWN and not hud.over:
            return replace(hud, message=describe_line(lines[-1]))
        return hud

    def bands(self) -> Mapping[str, str]:
        """Return the intention of a simulated visitor, whether or not it is one of the seven goals."""
        intention = self._playthrough.now.intention
        return {} if intention is None else {"mind": "" if intention == IDLE else intention}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the strength of the wishes for the seven goals."""
        islander = self._playthrough.islander
        return {} if islander is None else {"wishes": {goal: islander.levels[goal] / _MAX_WISH for goal in GOALS}}

    def facts(self) -> Mapping[str, Value]:
        """Return the state of the playthrough."""
        view, intention = self._playthrough.view, self._playthrough.now.intention
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
            **({} if self._playthrough.tutor is None else {"tutor": len(self._playthrough.tutor_lines)}),
        }

    # --- minds and models ---------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the Markov logic network, then the story, and the domain and styles of simulated visitors."""
        return (*island_models(), *(read_only_model(*each) for each in _FILES_TO_READ))

    def sources(self, who: str) -> Sequence[str]:
        """Return the domain of simulated visitors."""
        return ("islander",) if who in self.characters() else ()

    def characters(self) -> Sequence[str]:
        """Return the visitor, if simulated."""
        return () if self._playthrough.islander is None else (self._playthrough.player,)

    def mind(self, who: str) -> MindView | None:
        """Return the mind of a simulated visitor."""
        islander = self._playthrough.islander
        if islander is None or who != self._playthrough.player:
            return None
        return visitor_mind(islander, who, self._playthrough.time)

    def why_not(self, who: str, what: str) -> str:
        """Explain why a simulated visitor does not pursue a goal or perform an action."""
        islander = self._playthrough.islander
        if islander is None or who != self._playthrough.player:
            raise TelosError(
                f"there is no simulated visitor {who!r}", '"why not" is only available for simulated visitors'
            )
        return visitor_why_not(islander, what)

    def planning(self, who: str) -> PlanningMoment | None:
        """Return what a simulated visitor plans with now."""
        islander = self._playthrough.islander
        if islander is None or who != self._playthrough.player:
            return None
        domain, errand = load_player_domain(), islander.execution
        actions = domain.actions_of("body")
        if errand is None:
            return PlanningMoment(domain.goals, actions, domain)
        state = domain.state(islander.planning_state(self._playthrough.view, errand.focus))
        return PlanningMoment(domain.goals, actions, domain, state, domain.goal(errand.goal), tuple(errand.steps))

    def recording(self) -> tuple[str, bytes] | None:
        """Return the events so far as JSON Lines, which ``telos recognize`` and ``telos evaluate`` read."""
        lines = [
            json.dumps(_to_log_line(event, truth, human=self._playthrough.islander is None))
            for event, truth in self._log
        ]
        return f"island-seed{self._seed}.jsonl", "".join(f"{line}\n" for line in lines).encode()


def _to_log_line(event: Event, truth: str | None, *, human: bool) -> dict[str, object]:
    said = {"player": event.player, "time": event.time, "action": event.action, "context": dict(event.context)}
    return {**said, "goal": event.goal, "truth": truth, **({"human": True} if human else {})}


def _make(seed: int, settings: Mapping[str, str]) -> IslandStage:
    warm_up()  # compile now, so that no step waits
    return IslandStage(seed, settings)


ISLAND = StudioWorld(
    "island",
    "Island",
    "A visitor investigates an illness in a camp; Markov logic infers the visitor's goal.",
    (
        Setting("plays", "Who plays", SIMULATED, (SIMULATED, YOU), "you, or a simulated visitor", _PLAYER_TITLES),
        Setting("style", "Style", ANY, (ANY, *_STYLES), "of a simulated visitor", _STYLE_TITLES),
        Setting("tutor", "Tutor", NO, (NO, YES), "who speaks up for whoever is stuck or guesses", _TUTOR_TITLES),
    ),
    _make,
)


# --- events and HUD ---------------------------------------------------------------------------------------------------


def describe_event(event: Event) -> str:
    """Describe an event in a few words."""
    return describe_action(event.action, str(event.context["argument"]))


def to_happening(event: Event, learned: Sequence[Lesson]) -> Happening:
    """Return an event as a happening; an achieved goal has its own kind."""
    why = f"Learned: {format_lessons(learned)}." if learned else ""
    if event.goal is not None:
        return Happening(
            event.time, event.player, f"{describe_event(event)}: achieves {event.goal}", "goal", event, why
        )
    return Happening(event.time, event.player, describe_event(event), "event", event, why)


def format_lessons(learned: Sequence[Lesson]) -> str:
    """Return lessons as one line.

    >>> format_lessons([Lesson("symptom", "fever"), Lesson("clean", "bread:viruses"), Lesson("right", "source=milk")])
    'symptom fever, clean bread: viruses, right source: milk'
    """
    return ", ".join(f"{each.kind} {to_words(each.about.replace(':', '=', 1))}" for each in learned)


def describe_current(now: TimedAction, time: float) -> str:
    """Describe the current action; the empty text if there is none."""
    return describe_event(now.event) if now.event is not None and now.share(time) < 1.0 else ""


def build_hud(view: IslandView, time: float, *, wants: str | None, is_new: bool = False) -> Hud:
    """Return the HUD; ``wants`` is the goal of a simulated visitor, ``is_new`` marks a game without events."""
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
    who = "You" if is_person else "The visitor"
    if view.is_solved:
        sheet = {name: to_words(value) for name, value in view.worksheet.items()}
        end = (
            f"The mystery is solved after {view.clock}: {sheet['disease']}, from the {sheet['source']}, "
            f"to be treated with {sheet['treatment']}."
        )
    else:
        done = [words for words, reached in zip(MILESTONES, view.state, strict=True) if reached == "1"]
        so_far = f"{who} {' and '.join(done)}." if done else f"{who} had not begun to find out."
        end = f"The hour is up, and the mystery is unsolved. {so_far}"
    return f"{end} {_AFTER_PLAYING if is_person else _AFTER_WATCHING}"


def _message(view: IslandView) -> str:
    if view.question is not None:
        return (
            f"The nurse asks about {to_words(view.question.about)}: {', '.join(map(to_words, view.question.choices))}?"
        )
    if view.told:
        return f"Learned: {format_lessons(view.told)}"
    if view.talking:
        return f"Talks with the {to_words(view.talking)}" + (", who has more to say" if view.more else "")
    return ""


# --- minds ------------------------------------------------------------------------------------------------------------


def visitor_mind(islander: Islander, who: str, now: float) -> MindView:
    """Return the mind of a simulated visitor: wishes, plan and memory."""
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
        why=_explain(islander),
    )


def visitor_why_not(islander: Islander, what: str) -> str:
    """Explain why a visitor does not pursue a goal or perform an action."""
    pursued = islander.intention
    if what in islander.levels:
        return _why_not_goal(islander, what)
    actions = load_player_domain().action_sets["body"]
    if what not in actions:
        raise TelosError(f"{what!r} is neither a goal nor an action", name_hint(what, [*islander.levels, *actions]))
    if islander.execution is not None and what in {step.name for step in islander.execution.steps}:
        return f"{what}: it is part of the plan."
    needs = load_player_domain().action(what).preconditions
    return f"{what}: it is not part of the cheapest plan for {pursued}. It would need: {needs}."


def _why_not_goal(islander: Islander, goal: str) -> str:
    pursued, level = islander.intention, islander.levels[goal]
    if goal == pursued:
        return f"{goal}: this is the current goal."
    if goal not in islander.wishes:
        return f"{goal}: the visitor knows no object for it now."
    if pursued == IDLE:
        return f"{goal}: nothing has been chosen yet."
    return (
        f"{goal}: its wish is at {level:.1f}, that for {pursued} at {islander.levels[pursued]:.1f}; when chosen, "
        f"{pursued} left less discontentment, with walking and acting time included."
    )


def _doing(islander: Islander) -> str:
    return "looks for something to do" if islander.execution is None else f"wants to {WANTS[islander.execution.goal]}"


def _goals(islander: Islander) -> Iterator[GoalLine]:
    wishes, pursued = islander.wishes, islander.intention
    for name, level in sorted(islander.levels.items(), key=lambda each: -each[1]):
        can = "can be done" if name in wishes else "no known object"
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
        slots = (
            ("spot", about.spot),
            ("about", about.subject),
            ("detail", about.detail),
            ("source", about.source or ""),
        )
        yield from ((slot, to_words(value)) for slot, value in slots if value)


def _explain(islander: Islander) -> str:
    wish, errand = islander.wish, islander.execution
    if errand is None or wish is None:
        return "Nothing is being pursued."
    second = f", ahead of {wish.runner_up}" if wish.runner_up else ""
    lines = [f"Wants to {WANTS[errand.goal]}: {errand.goal} was at {wish.level:.1f} when it was chosen{second}."]
    steps = " → ".join(map(str, errand.steps))
    return "\n".join([*lines, f"Left of the plan: {steps}.", f"{errand.given} commands were given for it so far."])


# --- models -----------------------------------------------------------------------------------------------------------


def island_models() -> tuple[Model, ...]:
    """Return the recognisers, of one goal at a time and of several; none without NumPy, which they need."""
    if find_spec("numpy") is None:
        return ()
    return (
        Model("mln", "Markov logic", _model_text(FILE), FILE, language="text", make=make_recognizer),
        Model("goals", "Several goals", _model_text(GOALS_FILE), GOALS_FILE, language="text", make=make_goal_reader),
    )


def make_goal_reader(text: str) -> Recognizer:
    """Make a recogniser of goals that do not exclude one another, or raise with the fault."""
    from telos.recognition.concurrent import ConcurrentLogicModel
    from telos.recognition.markov_logic import parse_logic_model

    model = parse_logic_model(text, name=GOALS_FILE)
    if not isinstance(model, ConcurrentLogicModel):
        raise TelosError(f"{GOALS_FILE}: its goals exclude one another", "write goal(time, goal) without !")
    return create_recognizer(model)


def make_recognizer(text: str) -> Recognizer:
    """Make a recogniser from the text of a network, or raise with all faults."""
    from telos.logic.syntax import parse_mln  # NumPy is an extra
    from telos.recognition.markov_logic import GOAL, MarkovLogicModel

    logic = parse_mln(text, FILE, includes=False)
    if GOAL not in logic.predicates:
        fault = "no formula uses the predicate goal(time, goal!)"
        raise DefinitionError(
            [
                Fault(
                    fault,
                    suggestion="declare it, and add formulas that conclude goals",
                    file=FILE,
                    line=1,
                    code=FaultCode.INCOMPLETE,
                )
            ]
        )
    return create_recognizer(MarkovLogicModel(logic, name="island"))


@lru_cache(maxsize=2)
def _model_text(file: str) -> str:
    return files("telos.recognition").joinpath("data", "trained", file).read_text(encoding="utf-8")
