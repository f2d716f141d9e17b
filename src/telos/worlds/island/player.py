"""Simulated player: goals, planning, lapses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from telos.choosing.choose import choose
from telos.core.action import Action
from telos.core.plan import Plan
from telos.core.values import Value
from telos.worlds.island import story as words
from telos.worlds.island.domain import goal_of, pursuits, the_domain, the_planner
from telos.worlds.island.player_mind import Attention, Body, Deduction, Errand, Focus, Over, Recollection
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import IslandMap, Story, the_story
from telos.worlds.island.styles import MINUTE, Styles, Traits, the_styles

# --- lapses -----------------------------------------------------------------------------------------------------------
# Lapses: what gets between a player and their plan. Each returns a command, or None if nothing does.


def distraction(view: IslandView, known: Recollection, traits: Traits, rng: Random) -> str | None:
    """Turn to something in sight that is new, or no longer remembered."""
    if view.talking or rng.random() >= traits.curiosity:
        return None
    now = view.time
    new = [f"{words.READ_POSTER} {name}" for name in view.posters if not known.knows("read", name, now)]
    new += [f"{words.READ_BOOK} {name}" for name in view.books if not known.knows("read", name, now)]
    new += [f"{words.EXAMINE} {name}" for name in view.things if not known.knows("handled", name, now)]
    new += [f"{words.OPEN} {name}" for name in view.closed if not known.knows("handled", name, now)]
    return rng.choice(new) if new else None


def tidying(view: IslandView, doors: frozenset[str], traits: Traits, rng: Random) -> str | None:
    """Close what stands open."""
    left = [name for name in view.open if name not in doors] if not view.talking else []
    return f"{words.CLOSE} {left[0]}" if left and rng.random() < traits.tidiness else None


def wrong_turn(view: IslandView, the_map: IslandMap, meant: str, traits: Traits, rng: Random) -> str | None:
    """Return a place beside this one that was not meant."""
    if rng.random() >= traits.wandering:
        return None
    others = [way.to for way in the_map.ways[view.place] if way.to != meant and way.door not in view.closed]
    return rng.choice(others) if others else None


# --- islander ---------------------------------------------------------------------------------------------------------
# The mind of a simulated player: it notices, wants, plans and acts, and loses the thread now and then.


IDLE = "idle"  # the intention of somebody who knows nothing to do
_HIGHEST = 10.0  # no wish grows beyond this
_TRIES = 12  # steps that may be over at once before somebody just looks around
_LEAVES_A_MARK = {
    words.READ_BOOK: "read", words.READ_POSTER: "read", words.EXAMINE: "handled", words.OPEN: "handled",
}  # fmt: skip
_LONGEST = 60  # commands for one goal; whoever needs more is going in circles
_GIVEN_UP = 0.5  # of the relief: an attempt that came to nothing


@dataclass(frozen=True, slots=True)
class Wish:
    """What won: the goal, what it is about, how insistent it was, and what came second."""

    goal: str
    focus: Focus
    level: float
    runner_up: str | None


class Islander:
    """A player of the island: ``act`` looks at the view and returns a command."""

    def __init__(self, seed: int | str, *, style: str | None = None, styles: Styles | None = None) -> None:
        self.story: Story = the_story()
        self._rng = rng = Random(f"islander {seed}")
        self._styles = styles or the_styles()
        domain = the_domain()
        names = tuple(goal.name for goal in domain.goals)
        self.temper = self._styles.person(rng, names, style)
        self._goals = {goal.name: replace(goal, weight=self.temper.cares[goal.name]) for goal in domain.goals}
        self._pursuits = pursuits()
        self.levels = {goal.name: goal.insistence for goal in domain.goals}
        self.known = Recollection(self.temper.fades)
        self.case = Deduction(self.story, self.known, rng)
        self._attention = Attention(self.story, self.known, self.case, self.temper, rng)
        self._body = Body(self.story, self.known, self.case, self.temper.traits, rng)
        self._doors = frozenset(self.story.map.doors)
        self.errand: Errand | None = None
        self.wish: Wish | None = None
        self._open: tuple[str, ...] = ()  # goals that something could be done about, when last chosen among
        self._seen: IslandView | None = None
        self._command: str | None = None  # the last one given
        self.pause = 0  # seconds that go by before the next action

    @property
    def intention(self) -> str:
        """Return the goal that is being pursued."""
        return IDLE if self.errand is None else self.errand.goal

    @property
    def wishes(self) -> dict[str, float]:
        """Return how insistent each goal is that something could be done about, when the player last chose."""
        return {name: self.levels[name] for name in self._open}

    def act(self, view: IslandView) -> str:
        """Return what to do now. Afterwards the player pauses for ``pause`` seconds."""
        self._take_in(view)
        self._command = self._aside(view) or self._onward(view)
        self.pause = int(-math.log(1.0 - self._rng.random()) * self.temper.traits.pause)  # mostly short, at times long
        return self._command

    def _take_in(self, view: IslandView) -> None:
        """Let wishes grow with the time, and remember what is here and what was just told."""
        before, self._seen = self._seen, view
        if before is not None:
            minutes = (view.time - before.time) / MINUTE
            for name, goal in self._goals.items():
                self.levels[name] = min(_HIGHEST, self.levels[name] + goal.drift * minutes)
        if before is None or before.place != view.place or before.things != view.things:
            for stranger in self.known.notice(view):
                self._stir(f"meet-{stranger}")
        if self._command is not None:
            for lesson in self.known.learn(view.told, view.time):
                self._stir(lesson.kind)
            kind, _, name = self._command.partition(" ")
            if kind in _LEAVES_A_MARK:
                self.known.did(_LEAVES_A_MARK[kind], name, view.time)

    def _aside(self, view: IslandView) -> str | None:
        """Return what is done beside the plan: a note, closing something, or something new in sight."""
        traits, rng = self.temper.traits, self._rng
        if view.told and self._command not in (None, words.TAKE_NOTE, words.READ_NOTES) and rng.random() < traits.notes:
            return words.TAKE_NOTE
        if self.errand is not None and rng.random() < traits.forgetting:
            self.errand = None  # what was I about to do?
        return tidying(view, self._doors, traits, rng) or distraction(view, self.known, traits, rng)

    def _onward(self, view: IslandView) -> str:
        """Return the next command of the plan; when it is done or has failed, turn to the next goal."""
        for _ in range(_TRIES):
            errand = self.errand or self._begin(view)
            if errand is None:
                break
            command = self._body.next(errand, view)
            if command is Over.GIVEN_UP or errand.given == _LONGEST:
                self._end(errand, _GIVEN_UP)
            elif command is Over.DONE:
                errand.steps.pop(0)
                errand.done.clear()
                if not errand.steps:
                    self._end(errand, 1.0)
            else:
                errand.done.append(command)
                errand.given += 1
                return self._turned(command, view)
        return words.PART if view.talking else words.LOOK

    def _turned(self, command: str, view: IslandView) -> str:
        """Return the command, or a step the wrong way instead of the right one."""
        kind, _, meant = command.partition(" ")
        if kind == words.MOVE:
            other = wrong_turn(view, self.story.map, meant, self.temper.traits, self._rng)
            if other is not None:
                return f"{words.MOVE} {other}"
        return command

    def _begin(self, view: IslandView) -> Errand | None:
        """Choose a goal, plan for it, and begin; None if there is nothing to be done."""
        self.wish = self._choose(view)
        if self.wish is None:
            return None
        focus = self.wish.focus
        answer = the_planner().plan(self._state(view, focus), self.wish.goal)
        if not isinstance(answer, Plan) or not answer.steps:
            self._relieve(self.wish.goal, _GIVEN_UP)
            return None
        self.errand = Errand(self.wish.goal, focus, list(answer.steps))
        return self.errand

    def _choose(self, view: IslandView) -> Wish | None:
        """Let the goals that can be about something compete by discontentment, the way there included."""
        found = {name: self._attention.focus(name, view) for name in self._goals}
        focus = {name: each for name, each in found.items() if each is not None}
        self._open = tuple(focus)
        if not focus:
            return None
        pace = self.story.pace * MINUTE

        def travel(action: Action) -> float:
            aim = focus[goal_of(action)]
            return self.story.map.distance(view.place, aim.source or aim.spot) / pace

        goals = [self._goals[name].at(self.levels[name]) for name in focus]  # the others are out of mind
        choice = choose([self._pursuits[name] for name in focus], goals, travel=travel)
        goal = goal_of(choice.action)
        others = [(value, goal_of(action)) for action, value, _ in choice.rated]
        second = min((each for each in others if each[1] != goal), default=None)
        return Wish(goal, focus[goal], self.levels[goal], second[1] if second else None)

    def _state(self, view: IslandView, focus: Focus) -> Mapping[str, Value]:
        """Return the values of the domain's variables: where one is, what one holds, and what the goal is about.

        What a goal that takes nothing does not ask about is left as it is at the start: plans are remembered by state.
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

    def _end(self, errand: Errand, share: float) -> None:
        self.errand = None
        self._relieve(errand.goal, share)

    def _stir(self, news: str) -> None:
        """Let what was learned, or whom one met, wake or still a wish."""
        for goal, by in self._styles.stirs.get(news, {}).items():
            self.levels[goal] = max(0.0, self.levels[goal] + by)

    def _relieve(self, goal: str, share: float) -> None:
        relief = -self._pursuits[goal].changes[goal] * share
        self.levels[goal] = max(0.0, self.levels[goal] - relief)
