"""The simulated player of the island: chooses goals, plans, acts, and is distracted now and then."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from telos.choosing.choose import choose
from telos.core.action import Action
from telos.core.plan import Plan
from telos.core.values import Value
from telos.worlds.island import story as words
from telos.worlds.island.player_mind import (
    Deduction,
    Focus,
    GoalAttention,
    PlanExecution,
    PlayerMemory,
    StepEnd,
    StepExecutor,
)
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import IslandMap, IslandStory
from telos.worlds.island.styles import MINUTE, PlayerStyles, PlayerTraits, to_goal
from telos.worlds.island.variants import TODAY, PlayerVariant, load_variant

IDLE = "idle"  # the intention of a player without a goal
_MAX_LEVEL = 10.0  # upper limit of a goal's insistence
_TRIES = 12  # steps that may end at once before the player looks around
_LEAVES_A_MARK = {
    words.READ_BOOK: "read", words.READ_POSTER: "read", words.EXAMINE: "handled", words.OPEN: "handled",
}  # fmt: skip
_MAX_COMMANDS = 60  # commands for one goal; beyond that the player is going in circles
_WORTH_STAYING = 1.5  # insistence from which a goal keeps the player in the area
_GIVEN_UP = 0.5  # share of the relief that a failed attempt gives


# --- lapses: each returns a command that replaces the planned one, or None ---


def find_distraction(view: IslandView, known: PlayerMemory, traits: PlayerTraits, rng: Random) -> str | None:
    """Return a command about something visible that is new or forgotten."""
    if view.talking or rng.random() >= traits.curiosity:
        return None
    now = view.time
    new = [f"{words.READ_POSTER} {name}" for name in view.posters if not known.knows("read", name, now)]
    new += [f"{words.READ_BOOK} {name}" for name in view.books if not known.knows("read", name, now)]
    new += [f"{words.EXAMINE} {name}" for name in view.things if not known.knows("handled", name, now)]
    new += [f"{words.OPEN} {name}" for name in view.closed if not known.knows("handled", name, now)]
    return rng.choice(new) if new else None


def find_open_thing(view: IslandView, doors: frozenset[str], traits: PlayerTraits, rng: Random) -> str | None:
    """Return a command that closes something open."""
    left = [name for name in view.open if name not in doors] if not view.talking else []
    return f"{words.CLOSE} {left[0]}" if left and rng.random() < traits.tidiness else None


def take_wrong_turn(view: IslandView, the_map: IslandMap, meant: str, traits: PlayerTraits, rng: Random) -> str | None:
    """Return a neighbouring place other than the intended one."""
    if rng.random() >= traits.wandering:
        return None
    others = [way.to for way in the_map.ways[view.place] if way.to != meant and way.door not in view.closed]
    return rng.choice(others) if others else None


# --- the player ---


@dataclass(frozen=True, slots=True)
class ChosenGoal:
    """The goal that won a choice: its focus, its insistence and the runner-up."""

    goal: str
    focus: Focus
    level: float
    runner_up: str | None


class Islander:
    """A simulated player: ``act`` takes the view and returns a command."""

    def __init__(
        self, seed: int | str, *, style: str | None = None, styles: PlayerStyles | None = None, variant: str = TODAY
    ) -> None:
        self.variant: PlayerVariant = load_variant(variant)
        self.story: IslandStory = self.variant.story
        self._rng = rng = Random(f"islander {seed}")
        self._styles = styles or self.variant.styles
        domain = self.variant.domain
        names = tuple(goal.name for goal in domain.goals)
        self.style = self._styles.person(rng, names, style)
        self._goals = {goal.name: replace(goal, weight=self.style.weights[goal.name]) for goal in domain.goals}
        self._pursuits = self.variant.pursuits
        self.levels = {goal.name: goal.insistence for goal in domain.goals}
        self.known = PlayerMemory(self.style.fades)
        self.case = Deduction(self.story, self.known, rng)
        self._attention = GoalAttention(self.story, self.known, self.case, self.style, rng)
        self._body = StepExecutor(self.story, self.known, self.case, self.style.traits, rng)
        self._doors = frozenset(self.story.map.doors)
        self.execution: PlanExecution | None = None
        self.wish: ChosenGoal | None = None
        self._unfinished: str | None = None  # the goal to go on with, as it was not achieved
        self._open: tuple[str, ...] = ()  # goals with a focus at the last choice
        self._seen: IslandView | None = None
        self._command: str | None = None  # the latest
        self.pause = 0  # seconds before the next action

    @property
    def intention(self) -> str:
        """The goal that is pursued, or ``IDLE``."""
        return IDLE if self.execution is None else self.execution.goal

    @property
    def wishes(self) -> dict[str, float]:
        """The insistence of each goal that had a focus at the last choice."""
        return {name: self.levels[name] for name in self._open}

    def act(self, view: IslandView) -> str:
        """Return the next command; ``pause`` says how many seconds pass after it."""
        self._observe(view)
        self._command = self._find_side_action(view) or self._next_command(view)
        self.pause = int(-math.log(1.0 - self._rng.random()) * self.style.traits.pause)  # exponential
        return self._command

    def hear(self, goal: str, pull: float) -> None:
        """Take a suggestion: the wish for ``goal`` rises, and what is being done is left for it."""
        if goal in self.levels:
            self.levels[goal] = min(_MAX_LEVEL, self.levels[goal] + pull)
            self.execution = None

    def _observe(self, view: IslandView) -> None:
        """Let goals grow with time; remember the place, its contents and the lessons of the last action."""
        before, self._seen = self._seen, view
        if before is not None:
            minutes = (view.time - before.time) / MINUTE
            for name, goal in self._goals.items():
                self.levels[name] = min(_MAX_LEVEL, self.levels[name] + goal.drift * minutes)
        if before is None or before.place != view.place or before.things != view.things:
            for stranger in self.known.notice(view):
                self._trigger(f"meet-{stranger}")
        if self._command is not None:
            for lesson in self.known.learn(view.told, view.time):
                self._trigger(lesson.kind)
            kind, _, name = self._command.partition(" ")
            if kind in _LEAVES_A_MARK and not (kind == words.READ_BOOK and view.more):
                self.known.did(_LEAVES_A_MARK[kind], name, view.time)

    def _find_side_action(self, view: IslandView) -> str | None:
        """Return a command outside the plan: take a note, close something, or look at something new."""
        traits, rng = self.style.traits, self._rng
        if view.told and self._command not in (None, words.TAKE_NOTE, words.READ_NOTES) and rng.random() < traits.notes:
            return words.TAKE_NOTE
        if self.execution is not None and rng.random() < traits.forgetting:
            self.execution = None  # forgets the plan
        return find_open_thing(view, self._doors, traits, rng) or find_distraction(view, self.known, traits, rng)

    def _next_command(self, view: IslandView) -> str:
        """Return the next command of the plan; if it is done or has failed, continue with another goal."""
        for _ in range(_TRIES):
            execution = self.execution or self._start_plan(view)
            if execution is None:
                break
            command = self._body.next(execution, view)
            if command is StepEnd.GIVEN_UP or execution.given == _MAX_COMMANDS:
                self._end(execution, _GIVEN_UP)
            elif command is StepEnd.DONE:
                execution.steps.pop(0)
                execution.done.clear()
                if not execution.steps:
                    self._end(execution, 1.0)
            else:
                execution.done.append(command)
                execution.given += 1
                return self._with_wrong_turn(command, view)
        return words.PART if view.talking else words.LOOK

    def _with_wrong_turn(self, command: str, view: IslandView) -> str:
        """Return the command, or a move to a wrong place instead."""
        kind, _, meant = command.partition(" ")
        if kind == words.MOVE:
            other = take_wrong_turn(view, self.story.map, meant, self.style.traits, self._rng)
            if other is not None:
                return f"{words.MOVE} {other}"
        return command

    def _start_plan(self, view: IslandView) -> PlanExecution | None:
        """Choose a goal and plan for it; None if there is nothing to do."""
        self.wish = self._choose(view)
        if self.wish is None:
            return None
        focus = self.wish.focus
        answer = self.variant.planner.plan(self.planning_state(view, focus), self.wish.goal)
        if not isinstance(answer, Plan) or not answer.steps:
            self._relieve(self.wish.goal, _GIVEN_UP)
            return None
        self.execution = PlanExecution(self.wish.goal, focus, list(answer.steps))
        return self.execution

    def _choose(self, view: IslandView) -> ChosenGoal | None:
        """Choose among the goals that have a focus, by discontentment, walking time included."""
        found = {name: self._attention.focus(name, view) for name in self._goals}
        focus = {name: each for name, each in found.items() if each is not None}
        self._open = tuple(focus)
        if not focus:
            return None
        if self._unfinished in focus:  # goes on with what was not achieved
            goal, self._unfinished = self._unfinished, None
            return ChosenGoal(goal, focus[goal], self.levels[goal], None)
        focus = self._offered_here(view, focus)
        pace = self.story.pace * MINUTE

        def travel(action: Action) -> float:
            aim = focus[to_goal(action)]
            return self.story.map.distance(view.place, aim.source or aim.spot) / pace

        goals = [self._goals[name].at(self.levels[name]) for name in focus]  # the others do not count now
        choice = choose([self._pursuits[name] for name in focus], goals, travel=travel)
        goal = to_goal(choice.action)
        others = [(value, to_goal(action)) for action, value, _ in choice.rated]
        second = min((each for each in others if each[1] != goal), default=None)
        return ChosenGoal(goal, focus[goal], self.levels[goal], second[1] if second else None)

    def _offered_here(self, view: IslandView, focus: dict[str, Focus]) -> dict[str, Focus]:
        """Return the goals to choose from: those of the present area, if the player stays loyal to it."""
        loyalty, places = self.style.traits.loyalty, self.story.map.places
        if not loyalty or self._rng.random() >= loyalty:
            return focus
        near = {
            goal: each
            for goal, each in focus.items()
            if places[each.source or each.spot].area == view.area and self.levels[goal] >= _WORTH_STAYING
        }
        return near or focus

    def planning_state(self, view: IslandView, focus: Focus) -> Mapping[str, Value]:
        """Return the values of the domain's variables.

        A goal that takes no thing leaves the variables about things at their defaults: the planner caches by state.
        """
        talking, hands = view.talking, view.hands if focus.source else None
        with_whom = {None: "nobody", focus.subject: "them", self.story.nurse: "nurse"}
        return {
            "at": view.place,
            "spot": focus.spot,
            "source": focus.source or focus.spot,
            "desk": self.story.desk,
            "talking": "them" if talking and talking == focus.subject else with_whom.get(talking, "other"),
            "hands": "empty" if hands is None else "it" if hands == focus.subject else "other",
            "has_test": view.tests > 0 and focus.source is not None,
        }

    def _end(self, execution: PlanExecution, share: float) -> None:
        self.execution = None
        goal, persistence = execution.goal, self.style.traits.persistence
        is_open = goal in words.GOALS and (share < 1.0 or goal == words.TEST_GOAL)  # a test may have found nothing
        if is_open and persistence and self._rng.random() < persistence:
            self._unfinished = goal  # until it has no focus: it was achieved, or there is nothing left to try
        self._relieve(goal, share)

    def _trigger(self, news: str) -> None:
        """Raise or lower goals as a lesson or a first meeting triggers."""
        for goal, by in self._styles.triggers.get(news, {}).items():
            self.levels[goal] = max(0.0, self.levels[goal] + by)

    def _relieve(self, goal: str, share: float) -> None:
        relief = -self._pursuits[goal].changes[goal] * share
        self.levels[goal] = max(0.0, self.levels[goal] - relief)
