"""The island's tutor: redirects a player who is stuck, notices guessing and the abuse of hints, guards the story.

``IslandTutor`` looks at every event and at what is believed of the player, and answers with a ``TutorLine`` when one is
due. Its thresholds and words are in ``tutor.yaml``; ``why()`` says what it looks at. It is a director of the game: it
uses what the game knows, and nothing of what a simulated player thinks.
"""

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.belief import Belief
from telos.core.errors import FaultCode, KeyPath, name_hint
from telos.core.event import Event
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, NonNegativeNumber, name_type, text_type
from telos.worlds.island import story as words
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import DATA, GOALS, SUBMIT_GOAL, TEST_GOAL, CountField, IslandStory, load_story

MINUTE = 60.0
STUCK, PREMATURE, GUESSING = "stuck", "premature", "guessing"
HINT, HINT_REFUSED, NOTHING_LEFT, REFUSES, EATS = "hint", "hint-refused", "nothing-left", "refuses", "eats"
SAYINGS = (STUCK, PREMATURE, GUESSING, HINT, HINT_REFUSED, NOTHING_LEFT, REFUSES, EATS)
_NEARER, _OTHER = 0.8, 0.35  # chance of a step towards the villager if the player means to feed him, and if not
_BEGINS = 0.1  # chance that somebody who takes food means to feed the villager
_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]
_LEFT_OUT: Any = None


# --- the file ---------------------------------------------------------------------------------------------------------


class StuckShape(FileModel):
    """Schema of the rule about players who are stuck."""

    minutes: NonNegativeNumber = Field(examples=[6])
    """How long nothing new was learned, seen or achieved."""
    sure: NonNegativeNumber = Field(examples=[0.6])
    """From which belief in one goal on the player counts as busy with it."""
    patience: NonNegativeNumber = Field(examples=[2])
    """How many times as long a busy player has."""
    by: _Name = Field(examples=["lead-scientist"])
    """Who speaks."""


class PrematureShape(FileModel):
    """Schema of the rule about tests that come too early."""

    sure: NonNegativeNumber = Field(examples=[0.6])
    """The belief in testing from which the tutor speaks."""
    needs: _Name = Field(examples=["talk-patient"])
    """The goal that should be achieved before."""
    by: _Name = Field(examples=["technician"])
    """Who speaks."""


class GuessingShape(FileModel):
    """Schema of the rule about guessing."""

    diagnoses: CountField = Field(examples=[2])
    """So many wrong diagnoses count as guessing."""
    answers: CountField = Field(examples=[3])
    """So many wrong answers to the nurse's questions count as guessing."""
    minutes: NonNegativeNumber = Field(examples=[6])
    """Within how many minutes."""
    by: _Name = Field(examples=["nurse"])
    """Who speaks."""


class HintsShape(FileModel):
    """Schema of the rule about hints."""

    asks: CountField = Field(examples=[3])
    """This hint and later ones are refused, if too little was tried in between."""
    tries: CountField = Field(examples=[4])
    """How many actions other than walking count as having tried."""
    minutes: NonNegativeNumber = Field(examples=[5])
    """Within how many minutes the hints were asked for."""
    by: _Name = Field(examples=["nurse"])
    """Who answers."""


class VillagerShape(FileModel):
    """Schema of the hungry villager."""

    person: _Name = Field(examples=["gardener"])
    """Who is hungry."""
    refuses: list[_Name] = Field(examples=["[apple]"])
    """The things that the story needs later."""
    sure: NonNegativeNumber = Field(examples=[0.5])
    """From which belief on that the player means to feed the villager he speaks before he is offered a thing."""


class SuggestionShape(FileModel):
    """Schema of a suggestion."""

    goal: _Name = Field(examples=["talk-cook"])
    """The goal that is suggested."""
    after: _Name = Field(default=_LEFT_OUT)
    """The goal that has to be achieved before."""
    say: _Text = Field(examples=["Ask the cook."])
    """The words."""


class TutorShape(FileModel):
    """Schema of a tutor."""

    tutor: _Name = Field(examples=["research-camp"])
    """The island that the tutor belongs to."""
    pause: NonNegativeNumber = Field(examples=[4])
    """How many minutes at least between two lines."""
    most: CountField = Field(examples=[6])
    """How many lines at most in a game; answers to hints and the villager do not count."""
    pull: NonNegativeNumber = Field(examples=[3])
    """How much a line raises a simulated player's wish for what it suggests."""
    stuck: StuckShape
    """Players who are stuck."""
    premature: PrematureShape
    """Tests that come too early."""
    guessing: GuessingShape
    """Guessing."""
    hints: HintsShape
    """Hints."""
    villager: VillagerShape
    """The hungry villager."""
    suggestions: list[SuggestionShape] = Field(examples=["[{goal: talk-cook, say: Ask the cook.}]"])
    """What is suggested, in this order."""
    says: dict[_Name, _Text] = Field(examples=["{stuck: You look lost.}"])
    """The words of each rule; {suggestion} and {thing} are filled in."""


@cache
def load_tutor() -> TutorShape:
    """Return the tutor that comes with the package.

    >>> load_tutor().stuck.minutes, [each.goal for each in load_tutor().suggestions][:2]
    (6, ['talk-nurse', 'talk-patient'])
    """
    return read_tutor(DATA / "tutor.yaml")


def read_tutor(path: str | os.PathLike[str]) -> TutorShape:
    """Read a tutor file."""
    return parse_tutor(read_text(path), file=os.fspath(path))


def parse_tutor(text: str, *, file: str = "<text>") -> TutorShape:
    """Parse the text of a tutor file; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, TutorShape, "a tutor of an island")
    entries = definition.model
    if entries is None or definition.faults:
        raise_faults(definition.faults)
    for what, name, path, known in _find_unknown_names(entries, load_story()):
        hint = name_hint(name, known)
        definition.fault(f"there is no {what} {name!r}", path, hint, code=FaultCode.UNKNOWN_NAME)
    for name in SAYINGS:
        if name not in entries.says:
            definition.fault(f"nothing is said for {name!r}", ("says",), "add a line", code=FaultCode.INCOMPLETE)
    definition.raise_if_faulty()
    return entries


def _find_unknown_names(entries: TutorShape, story: IslandStory) -> Iterator[tuple[str, str, KeyPath, Sequence[str]]]:
    people, goals = list(story.people), list(GOALS)
    speakers = {
        "stuck": entries.stuck.by,
        "premature": entries.premature.by,
        "guessing": entries.guessing.by,
        "hints": entries.hints.by,
    }
    named: list[tuple[str, str, KeyPath, Sequence[str]]] = [
        ("person", by, (name, "by"), people) for name, by in speakers.items()
    ]
    named.append(("person", entries.villager.person, ("villager", "person"), people))
    named.append(("goal", entries.premature.needs, ("premature", "needs"), goals))
    for place, thing in enumerate(entries.villager.refuses):
        named.append(("thing", thing, ("villager", "refuses", place), list(story.things)))
    for place, each in enumerate(entries.suggestions):
        named.append(("goal", each.goal, ("suggestions", place, "goal"), goals))
        if each.after is not None:
            named.append(("goal", each.after, ("suggestions", place, "after"), goals))
    yield from ((what, name, path, known) for what, name, path, known in named if name not in known)


# --- the tutor --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TutorLine:
    """What a character says to the player: which rule made it speak, and the goal that it suggests, if any."""

    time: float
    rule: str
    by: str
    says: str
    suggests: str | None = None
    because: str = ""


@dataclass(slots=True)
class _Progress:
    """What the tutor remembers of the player."""

    since: float = 0.0  # the time of the last progress
    achieved: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    lessons: set[tuple[str, str]] = field(default_factory=set)
    wrong: deque[float] = field(default_factory=deque)  # times of wrong diagnoses
    misses: deque[float] = field(default_factory=deque)  # times of wrong answers
    hints: deque[float] = field(default_factory=deque)
    tries: int = 0  # actions other than walking since the last hint
    tests: int = 0
    spoken: list[TutorLine] = field(default_factory=list)
    feeding: float = 0.0  # the chance that the player means to feed the villager
    warned: bool = False
    refused: dict[str, float] = field(default_factory=dict)  # when each thing was refused last


class IslandTutor:
    """A director of the island: ``observe`` every event, with what is believed; ``ask_hint`` when a person asks."""

    def __init__(self, settings: TutorShape | None = None, story: IslandStory | None = None) -> None:
        self.settings = settings or load_tutor()
        self.story = story or load_story()
        self._known = _Progress()
        self._now = 0.0
        self._seen = ""

    @property
    def lines(self) -> tuple[TutorLine, ...]:
        """Everything that was said, in order."""
        return tuple(self._known.spoken)

    def observe(self, event: Event, view: IslandView, belief: Belief | None = None) -> TutorLine | None:
        """Take note of an event and the view after it; return what is said about it, if anything."""
        self._now = event.time
        self._note(event, view)
        line = self._guard(event, view) or self._redirect(event, belief)
        if line is not None:
            self._known.spoken.append(line)
        return line

    def wait(self, time: float, belief: Belief | None = None) -> TutorLine | None:
        """Tell the tutor the time when the player does nothing; return what is said, if anything."""
        self._now = max(self._now, time)
        line = self._find_stuck(belief) if self._may_speak() else None
        if line is not None:
            self._known.spoken.append(line)
        return line

    def ask_hint(self, time: float) -> TutorLine:
        """Answer a player who asks for a hint; refuse if hints were asked for without trying."""
        self._now, known, rule = max(self._now, time), self._known, self.settings.hints
        self._forget(known.hints, rule.minutes)
        known.hints.append(self._now)
        if len(known.hints) >= rule.asks and known.tries < rule.tries:
            because = f"{len(known.hints)} hints in {rule.minutes:g} minutes and {known.tries} tries since the last one"
            line = TutorLine(self._now, HINT_REFUSED, rule.by, self.settings.says[HINT_REFUSED], because=because)
        else:
            line = self._suggest(HINT, rule.by, "a hint was asked for")
            known.tries = 0
        known.spoken.append(line)
        return line

    def why(self) -> str:
        """Return what the tutor sees, and what it said last and why."""
        known, rules = self._known, self.settings
        idle = (self._now - known.since) / MINUTE
        lines = [
            f"stuck: {idle:.1f} of {rules.stuck.minutes:g} minutes without anything new",
            f"guessing: {len(known.wrong)} of {rules.guessing.diagnoses} wrong diagnoses, {len(known.misses)} of "
            f"{rules.guessing.answers} wrong answers in {rules.guessing.minutes:g} minutes",
            f"hints: {len(known.hints)} of {rules.hints.asks}, {known.tries} tries since the last",
            f"means to feed the {rules.villager.person}: {known.feeding:.0%}",
        ]
        if known.spoken:
            last = known.spoken[-1]
            lines.append(f"said last, at {last.time / MINUTE:.1f} minutes ({last.rule}): {last.because}")
        return "\n".join(lines)

    # --- what is noted ------------------------------------------------------------------------------------------------

    def _note(self, event: Event, view: IslandView) -> None:
        known = self._known
        lessons = {(each.kind, each.about) for each in view.told} - known.lessons
        is_new = event.goal is not None or view.place not in known.places or bool(lessons)
        if is_new:
            known.since = event.time
        if event.goal is not None:
            known.achieved.add(event.goal)
        known.places.add(view.place)
        known.lessons |= lessons
        known.tries += event.action not in (words.MOVE, words.OPEN)
        known.tests += event.action == words.TEST
        self._note_guesses(event, view)
        self._note_feeding(event, view)

    def _note_guesses(self, event: Event, view: IslandView) -> None:
        known, minutes = self._known, self.settings.guessing.minutes
        if event.action == words.SUBMIT and not view.is_solved:
            known.wrong.append(event.time)
        if event.action == words.ANSWER and self._seen == "question" and not view.told:
            known.misses.append(event.time)
        self._seen = "question" if view.question is not None else ""
        self._forget(known.wrong, minutes)
        self._forget(known.misses, minutes)

    def _note_feeding(self, event: Event, view: IslandView) -> None:
        """Update the chance that the player means to feed the villager: food in hand, and the steps towards him."""
        known, thing = self._known, self.story.things.get(view.hands or "")
        if thing is None or thing.food is None:
            known.feeding = 0.0
            return
        chance = known.feeding or _BEGINS
        if event.action == words.MOVE:
            there = self.story.people[self.settings.villager.person].at
            before = self.story.map.distance(str(event.context["loc"]), there)
            is_nearer = self.story.map.distance(view.place, there) < before
            like = (_NEARER, _OTHER) if is_nearer else (1.0 - _NEARER, 1.0 - _OTHER)
            chance = chance * like[0] / (chance * like[0] + (1.0 - chance) * like[1])
        known.feeding = chance

    def _forget(self, times: "deque[float]", minutes: float) -> None:
        while times and times[0] < self._now - minutes * MINUTE:
            times.popleft()

    # --- what is said -------------------------------------------------------------------------------------------------

    def _may_speak(self) -> bool:
        told = [line for line in self._known.spoken if line.rule in (STUCK, PREMATURE, GUESSING)]
        if len(told) >= self.settings.most:
            return False
        return not told or self._now - told[-1].time >= self.settings.pause * MINUTE

    def _redirect(self, event: Event, belief: Belief | None) -> TutorLine | None:
        if not self._may_speak():
            return None
        return self._find_guessing() or self._find_premature(event, belief) or self._find_stuck(belief)

    def _find_guessing(self) -> TutorLine | None:
        known, rule = self._known, self.settings.guessing
        if len(known.wrong) >= rule.diagnoses:
            because = f"{len(known.wrong)} wrong diagnoses in {rule.minutes:g} minutes"
        elif len(known.misses) >= rule.answers:
            because = f"{len(known.misses)} wrong answers in {rule.minutes:g} minutes"
        else:
            return None
        known.wrong.clear()
        known.misses.clear()
        return self._suggest(GUESSING, rule.by, because, but=SUBMIT_GOAL)

    def _find_premature(self, event: Event, belief: Belief | None) -> TutorLine | None:
        known, rule = self._known, self.settings.premature
        if rule.needs in known.achieved or known.warned:
            return None
        chance = belief[TEST_GOAL] if belief is not None and TEST_GOAL in belief else 0.0
        if not known.tests and chance < rule.sure:
            return None
        known.warned = True
        seen = (
            f"{known.tests} test{'s' * (known.tests > 1)}" if known.tests else f"testing is believed with {chance:.0%}"
        )
        suggestion = next((each for each in self.settings.suggestions if each.goal == rule.needs), None)
        because = f"{seen}, and {rule.needs} is not achieved"
        if suggestion is None:
            return self._suggest(PREMATURE, rule.by, because, but=TEST_GOAL)
        return self._say(PREMATURE, rule.by, because, suggestion.say, rule.needs)

    def _find_stuck(self, belief: Belief | None) -> TutorLine | None:
        known, rule = self._known, self.settings.stuck
        is_busy = belief is not None and max(belief.values()) >= rule.sure
        limit = rule.minutes * MINUTE * (rule.patience if is_busy else 1.0)
        if self._now - known.since < limit:
            return None
        busy = f", although {belief.top} is believed with {belief[belief.top]:.0%}" if belief and is_busy else ""
        because = f"nothing new for {(self._now - known.since) / MINUTE:.1f} minutes{busy}"
        known.since = self._now  # so that it is not said again at once
        return self._suggest(STUCK, rule.by, because)

    def _suggest(self, rule: str, by: str, because: str, but: str | None = None) -> TutorLine:
        known = self._known
        own = {goal.name for goal in self.story.goals if by in goal.people}  # nobody sends a player to themselves
        for each in self.settings.suggestions:
            is_open = each.goal not in known.achieved and each.goal != but and each.goal not in own
            if is_open and (each.after is None or each.after in known.achieved):
                return self._say(rule, by, because, each.say, each.goal)
        return self._say(rule, by, because, self.settings.says[NOTHING_LEFT], None)

    def _say(self, rule: str, by: str, because: str, suggestion: str, goal: str | None) -> TutorLine:
        return TutorLine(self._now, rule, by, _fill(self.settings.says[rule], suggestion=suggestion), goal, because)

    def _guard(self, event: Event, view: IslandView) -> TutorLine | None:
        """Let the villager eat what is put down beside him, or refuse what the story needs."""
        rule, known = self.settings.villager, self._known
        if rule.person in view.people and event.action in (words.MOVE, words.TALK) and known.feeding >= rule.sure:
            because = (
                f"feeding the {rule.person} is believed with {known.feeding:.0%}, and the story needs {view.hands}"
            )
            return self._refuse(view.hands or "", because)
        thing = str(event.context.get("argument", ""))
        put = self.story.things.get(thing)
        if event.action != words.DROP or rule.person not in view.people or put is None or put.food is None:
            return None
        if thing in rule.refuses:
            return self._refuse(thing, f"{thing} was put down beside the {rule.person}, and the story needs it")
        because = f"{thing} was put down beside the {rule.person}, and the story does not need it"
        said = _fill(self.settings.says[EATS], thing=put.food)
        return TutorLine(self._now, EATS, rule.person, said, because=because)

    def _refuse(self, thing: str, because: str) -> TutorLine | None:
        """Refuse a thing that the story needs; once in a pause, as saying it again adds nothing."""
        rule, last = self.settings.villager, self._known.refused.get(thing)
        if thing not in rule.refuses or (last is not None and self._now - last < self.settings.pause * MINUTE):
            return None
        self._known.refused[thing] = self._now
        said = _fill(self.settings.says[REFUSES], thing=self.story.things[thing].food or thing)
        return TutorLine(self._now, REFUSES, rule.person, said, because=because)


def _fill(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def describe_line(line: TutorLine, names: Mapping[str, str] | None = None) -> str:
    """Return a line with its speaker.

    >>> describe_line(TutorLine(0.0, "hint", "lead-scientist", "Ask the cook."))
    'lead scientist: “Ask the cook.”'
    """
    return f"{(names or {}).get(line.by, line.by.replace('-', ' '))}: “{line.says}”"
