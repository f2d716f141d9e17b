"""Errands: how a body carries out each step of a plan, one command at a time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeAlias

from telos.core.action import Action
from telos.worlds.island import story as words
from telos.worlds.island.attention import Focus
from telos.worlds.island.deduction import Deduction
from telos.worlds.island.deeds import QUESTIONS
from telos.worlds.island.recollection import Recollection
from telos.worlds.island.story import Story
from telos.worlds.island.tempers import Traits
from telos.worlds.island.views import IslandView


class Over(Enum):
    """How a step ends that has no further command."""

    DONE = "it is done"
    GIVEN_UP = "it cannot be done, or has become too tedious"


Command: TypeAlias = str | Over  # a command, or how the step ends that has no further one


@dataclass(slots=True)
class Errand:
    """A goal being pursued: what it is about, the steps that are left, and how far the present one is."""

    goal: str
    focus: Focus
    steps: list[Action]
    done: list[str] = field(default_factory=list)  # commands of the present step so far
    given: int = 0  # commands in all


class Body:
    """Knows how to do each step of a plan."""

    def __init__(self, story: Story, known: Recollection, case: Deduction, traits: Traits, rng: Random) -> None:
        self._story, self._known, self._case, self._traits, self._rng = story, known, case, traits, rng
        self._ways: dict[str, Callable[[Errand, IslandView], Command]] = {
            "goto": self._goto,
            "greet": lambda errand, view: self._greet(errand.focus.subject, view),
            "greet-nurse": lambda errand, view: self._greet(story.nurse, view),
            "part": lambda errand, view: words.PART if view.talking else Over.DONE,
            "ask": self._ask,
            "earn-test": self._earn,
            "look": lambda errand, view: Over.DONE if errand.done else words.LOOK,
            "read": self._read,
            "review": lambda errand, view: Over.DONE if errand.done or not view.notes else words.READ_NOTES,
            "put-down": lambda errand, view: words.DROP if view.hands else Over.DONE,
            "take": self._take,
            "handle": self._handle,
            "test": self._test,
            "label": self._label,
            "fill": self._fill,
            "submit": lambda errand, view: Over.DONE if errand.done else words.SUBMIT,
        }

    def next(self, errand: Errand, view: IslandView) -> Command:
        """Return the next command of the present step, or how the step has ended."""
        return self._ways[errand.steps[0].name](errand, view)

    def _goto(self, errand: Errand, view: IslandView) -> Command:
        there = str(errand.steps[0].arguments["there"])
        if view.place == there:
            return Over.DONE
        return self.towards(self._story.map.route(view.place, there)[0], view)

    def towards(self, beside: str, view: IslandView) -> str:
        """Return the command that leads to a place beside this one: the door first, if one is shut."""
        way = self._story.map.way(view.place, beside)
        if way is not None and way.door in view.closed:
            return f"{words.OPEN} {way.door}"
        return f"{words.MOVE} {beside}"

    def _greet(self, person: str, view: IslandView) -> Command:
        if view.talking == person:
            return Over.DONE
        if person not in view.people:
            return Over.GIVEN_UP
        return f"{words.TALK} {person}"

    def _ask(self, errand: Errand, view: IslandView) -> Command:
        who, topic = errand.focus.subject, errand.focus.detail
        if errand.done and not view.more:
            self._known.did("heard", f"{who}:{topic}", view.time)
            return Over.DONE
        if errand.done and self._rng.random() > self._traits.patience:
            return Over.GIVEN_UP
        return f"{words.ASK} {topic}"

    def _earn(self, errand: Errand, view: IslandView) -> Command:
        if view.question is not None:
            return f"{words.ANSWER} {self._answer(view)}"
        if view.tests:
            return Over.DONE
        if len(errand.done) > 1 and self._rng.random() > self._traits.patience:
            return Over.GIVEN_UP
        return f"{words.ASK} {QUESTIONS}"

    def _answer(self, view: IslandView) -> str:
        question = view.question
        assert question is not None
        if self._known.knows("concept", question.about, view.time):
            return question.right
        return self._rng.choice(question.choices)

    def _read(self, errand: Errand, view: IslandView) -> Command:
        if self._known.knows("read", errand.focus.subject, view.time):
            return Over.DONE  # just now, or on the way here
        return f"{errand.focus.detail} {errand.focus.subject}"

    def _take(self, errand: Errand, view: IslandView) -> Command:
        thing = errand.focus.subject
        if view.hands == thing:
            return Over.DONE
        if thing in view.things:
            return f"{words.PICK_UP} {thing}"
        inside = self._story.things[thing].inside
        if inside is None or inside not in view.closed:
            self._known.memory.forget("thing", thing)  # it is not where it was
            return Over.GIVEN_UP
        return f"{words.OPEN} {inside}"

    def _handle(self, errand: Errand, view: IslandView) -> Command:
        thing = errand.focus.subject
        if not errand.done:
            return f"{words.EXAMINE} {thing}"
        return words.DROP if view.hands == thing and len(errand.done) == 1 else Over.DONE

    def _test(self, errand: Errand, view: IslandView) -> Command:
        return Over.DONE if errand.done else f"{words.TEST} {errand.focus.detail}"

    def _label(self, errand: Errand, view: IslandView) -> Command:
        if view.slide != "ready":
            return Over.DONE
        sure = errand.focus.detail if not errand.done else ""
        return f"{words.LABEL} {sure or self._rng.choice(words.AGENTS)}"

    def _fill(self, errand: Errand, view: IslandView) -> Command:
        entries = self._case.entries(view.time)
        changed = [name for name, (value, _) in entries.items() if view.worksheet.get(name) != value]
        return f"{words.FILL} {changed[0]}={entries[changed[0]][0]}" if changed else Over.DONE
