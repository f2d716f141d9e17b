"""What a simulated player thinks with: memory, deduction, attention (what a goal is about) and plan execution."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeAlias

from telos.agents.memory import Fact, WorkingMemory
from telos.core.action import Action
from telos.core.values import FrozenMap
from telos.worlds.island import story as words
from telos.worlds.island.island import QUESTIONS
from telos.worlds.island.long_form import topic_chain
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import AGENTS, Disease, IslandMap, IslandStory, Lesson, TalkGoal
from telos.worlds.island.styles import PlayerStyle, PlayerTraits

PLACE = "place"
_SPOTS: dict[str, FrozenMap[str, str]] = {}  # cached: 39 places, noted constantly
_TELLING = 2  # symptoms that must be known before a disease can be deduced
_NEAR = 30.0  # metres below which distance hardly matters


# --- memory ---


class PlayerMemory:
    """A working memory with the kinds of facts of the island; most facts fade.

    >>> mine = PlayerMemory({"meal": 60.0})
    >>> mine.learn([Lesson("meal", "milk")], now=0.0)
    [Lesson(kind='meal', about='milk')]
    >>> mine.all_of("meal", now=30.0), mine.all_of("meal", now=58.0)
    (['milk'], [])
    """

    def __init__(self, fades: Mapping[str, float]) -> None:
        self.memory = WorkingMemory(fades)

    def notice(self, view: IslandView) -> list[str]:
        """Remember this place and its contents; return the people seen for the first time."""
        self.did("visited", view.place, view.time)
        strangers = [name for name in view.people if not self.knows("person", name, view.time)]
        for kind, names in (
            ("person", view.people), ("thing", view.things), ("book", view.books), ("poster", view.posters),
        ):  # fmt: skip
            for name in names:
                self.memory.note(Fact(kind, name, view.time, attributes=_spot(view.place)))
        return strangers

    def did(self, kind: str, what: str, now: float) -> None:
        """Remember an own action."""
        self.memory.note(Fact(kind, what, now))

    def learn(self, lessons: Iterable[Lesson], now: float) -> list[Lesson]:
        """Remember lessons and return those that were new."""
        return [lesson for lesson in lessons if self.memory.note(Fact(lesson.kind, lesson.about, now))]

    def knows(self, kind: str, what: str, now: float) -> bool:
        return self.memory.recall(kind, what, now) is not None

    def all_of(self, kind: str, now: float) -> list[str]:
        """Return the remembered subjects of a kind."""
        return [fact.subject for fact in self.memory.all_of(kind, now)]

    def where(self, kind: str, name: str, now: float) -> str | None:
        """Return the place where a person or thing was last seen."""
        fact = self.memory.recall(kind, name, now)
        return None if fact is None else str(fact[PLACE])

    def spots(self, kind: str, now: float) -> dict[str, str]:
        """Return the place of every remembered subject of a kind."""
        return {fact.subject: str(fact[PLACE]) for fact in self.memory.all_of(kind, now)}


def _spot(place: str) -> FrozenMap[str, str]:
    if place not in _SPOTS:
        _SPOTS[place] = FrozenMap({PLACE: place})
    return _SPOTS[place]


# --- deduction ---


@dataclass(slots=True)
class Deduction:
    """The player's conclusions for each field of the worksheet; a guess is kept until it turns out wrong."""

    story: IslandStory
    known: PlayerMemory
    rng: Random
    _guesses: dict[str, str] = field(default_factory=dict)

    def entries(self, now: float) -> dict[str, tuple[str, bool]]:
        """Return the value for each field and whether it is known (otherwise it is a guess)."""
        source, disease = self._source(now), self._disease(now)
        treatment = self._confirmed("treatment", now)
        if treatment is None and disease is not None and self.known.knows("disease", disease, now):
            treatment = self.story.diseases[disease].treatment
        found = {"disease": disease, "source": source, "treatment": treatment}
        return {name: (value or self._guess(name, now), value is not None) for name, value in found.items()}

    def sure(self, now: float) -> int:
        """Return the number of fields that are known."""
        return sum(is_known for _, is_known in self.entries(now).values())

    def _confirmed(self, name: str, now: float) -> str | None:
        said = [each for each in self.known.all_of("right", now) if each.startswith(f"{name}=")]
        return said[-1].partition("=")[2] if said else None

    def _source(self, now: float) -> str | None:
        found = self.known.all_of("found", now)
        return self._confirmed("source", now) or (found[-1].partition(":")[0] if found else None)

    def agent(self, now: float) -> str | None:
        """Return the kind of pathogen, if it is known."""
        labelled, found = self.known.all_of("agent", now), self.known.all_of("found", now)
        return labelled[-1] if labelled else found[-1].partition(":")[2] if found else None

    def _disease(self, now: float) -> str | None:
        confirmed = self._confirmed("disease", now)
        if confirmed is not None:
            return confirmed
        symptoms = set(self.known.all_of("symptom", now))
        if len(symptoms) < _TELLING:
            return None
        fits = [each.name for each in self._read_about(now) if symptoms <= each.symptoms and self._may_be(each, now)]
        return fits[0] if len(fits) == 1 else None

    def _read_about(self, now: float) -> list[Disease]:
        return [self.story.diseases[name] for name in self.known.all_of("disease", now)]

    def _may_be(self, disease: Disease, now: float) -> bool:
        agent = self.agent(now)
        if self.known.knows("wrong", f"disease={disease.name}", now):
            return False
        return agent is None or disease.agent == agent

    def _guess(self, name: str, now: float) -> str:
        held = self._guesses.get(name)
        if held is None or self.known.knows("wrong", f"{name}={held}", now):
            held = self._guesses[name] = self.rng.choice(self._guessable(name, now))
        return held

    def _guessable(self, name: str, now: float) -> Sequence[str]:
        choices = self.story.choices[name]
        left = [each for each in choices if not self.known.knows("wrong", f"{name}={each}", now)] or list(choices)
        if name == "disease":
            likely = [each.name for each in self._read_about(now) if each.name in left and self._may_be(each, now)]
        else:
            likely = [each for each in self.known.all_of("meal", now) if each in left] if name == "source" else []
        return likely or left

    def next_test(self, foods: Sequence[str], in_hand: str | None, now: float) -> tuple[str, str] | None:
        """Return the food to test and the agent to test for, or None if every test was made.

        The food in the hand is tested for every agent before another one is fetched.
        """
        meals = set(self.known.all_of("meal", now))
        open_tests = [
            (food, agent)
            for food in dict.fromkeys(foods)
            for agent in AGENTS
            if not self.known.knows("clean", f"{food}:{agent}", now)
            and not self.known.knows("found", f"{food}:{agent}", now)
        ]
        suspected = [each for each in open_tests if each[0] == in_hand]
        suspected = suspected or [each for each in open_tests if each[0] in meals] or open_tests
        return self.rng.choice(suspected) if suspected else None


# --- attention ---


@dataclass(frozen=True, slots=True)
class Focus:
    """What a goal is about: a place, a person or thing there, and a detail such as the topic."""

    spot: str
    subject: str = ""
    detail: str = ""
    source: str | None = None  # the place of a thing that must be fetched first


def books_on_diseases(story: IslandStory) -> frozenset[str]:
    """Return the books that tell about a disease."""
    return frozenset(book.name for book in story.books.values() if any(each.kind == "disease" for each in book.tells))


def place_to_search(story: IslandStory, known: PlayerMemory, person: str, view: IslandView) -> str | None:
    """Return the nearest place, not visited yet, of the building where ``person`` is said to be, or None."""
    area = story.map.places[story.people[person].at].area
    left = [
        name
        for name, place in story.map.places.items()
        if place.area == area and name != view.place and not known.knows("visited", name, view.time)
    ]
    return min(left, key=lambda name: story.map.distance(view.place, name), default=None)


class GoalAttention:
    """Finds in memory what a goal could be about; draws at random, with a preference for near places."""

    def __init__(
        self, story: IslandStory, known: PlayerMemory, case: Deduction, style: PlayerStyle, rng: Random
    ) -> None:
        self._story, self._known, self._case, self._style, self._rng = story, known, case, style, rng
        self._about_diseases = frozenset(f"book:{name}" for name in books_on_diseases(story))
        self._talk_goals = {goal.name: goal for goal in story.goals}
        main = {f"{who}:{goal.topic}" for goal in story.goals for who in goal.people}
        self._small_talk = {
            who: [said for topic in person.topics if (said := f"{who}:{topic}") not in main]
            for who, person in story.people.items()
        }
        self._others: dict[str, Callable[[IslandView], Focus | None]] = {
            "test-contaminated": self._test,
            "submit-diagnosis": self._submit,
            "explore": self._explore,
            "read-up": self._read,
            "handle": self._handle,
            "chat": self._chat,
            "see-slide": self._slide,
            "review": self._review,
        }

    def focus(self, goal: str, view: IslandView) -> Focus | None:
        """Return the focus of ``goal``, or None if the player knows of nothing."""
        if goal in self._talk_goals:
            return self._talk(self._talk_goals[goal], view)
        return self._others[goal](view)

    def _talk(self, goal: TalkGoal, view: IslandView) -> Focus | None:
        known, now = self._known, view.time
        if any(known.knows("heard", f"{who}:{goal.topic}", now) for who in goal.people):
            return None
        met = {who: spot for who in goal.people if (spot := known.where("person", who, now)) is not None}
        if not met and self._style.traits.searching and self._rng.random() < self._style.traits.searching:
            met = {who: spot for who in goal.people if (spot := place_to_search(self._story, known, who, view))}
        who = self._nearest(view, met)
        return None if who is None else Focus(met[who], who, goal.topic)

    def _chat(self, view: IslandView) -> Focus | None:
        known, now = self._known, view.time
        spots = {
            topic: spot
            for who, spot in known.spots("person", now).items()
            for topic in self._small_talk[who]
            if not known.knows("heard", topic, now)
        }
        chosen = self._nearest(view, spots)
        return None if chosen is None else Focus(spots[chosen], *chosen.split(":"))

    def _test(self, view: IslandView) -> Focus | None:
        now, things = view.time, self._story.things
        if self._known.all_of("found", now) or not (view.tests or view.quiz):
            return None
        spots = {name: spot for name, spot in self._known.spots("thing", now).items() if things[name].food}
        in_hand = things[view.hands].food if view.hands else None
        if view.hands and in_hand:
            spots[view.hands] = view.place
        wanted = self._case.next_test([things[name].food or "" for name in spots], in_hand, now)
        if wanted is None:
            return None
        food, agent = wanted
        portions = {name: spot for name, spot in spots.items() if things[name].food == food}
        thing = view.hands if view.hands in portions else self._nearest(view, portions)
        return Focus(self._story.tester, thing or "", agent, source=spots[thing or ""])

    def _slide(self, view: IslandView) -> Focus | None:
        if view.slide != "ready":
            return None
        return Focus(self._story.slide_at, self._story.slide_from, self._case.agent(view.time) or "")

    def _submit(self, view: IslandView) -> Focus | None:
        now = view.time
        if self._known.where("person", self._story.nurse, now) is None:
            return None
        if self._case.sure(now) < self._style.traits.proof:
            return None
        return Focus(self._story.desk)

    def _explore(self, view: IslandView) -> Focus | None:
        unseen = {
            name: name
            for name in self._story.map.places
            if name != view.place and not self._known.knows("visited", name, view.time)
        }
        spot = self._nearest(view, unseen)
        return None if spot is None else Focus(spot)

    def _read(self, view: IslandView) -> Focus | None:
        found = self._new(view, "book", "read") | self._new(view, "poster", "read")
        chosen = self._nearest(view, found, self._telling(view.time))
        if chosen is None:
            return None
        kind, _, name = chosen.partition(":")
        return Focus(found[chosen], name, f"read-{kind}")

    def _telling(self, now: float) -> frozenset[str]:
        """Return the books about diseases, once the contaminated food is known."""
        return self._about_diseases if self._known.all_of("found", now) else frozenset()

    def _handle(self, view: IslandView) -> Focus | None:
        found = self._new(view, "thing", "handled")
        chosen = self._nearest(view, found)
        return None if chosen is None else Focus(found[chosen], chosen.partition(":")[2], source=found[chosen])

    def _new(self, view: IslandView, kind: str, done: str) -> dict[str, str]:
        spots = self._known.spots(kind, view.time)
        return {f"{kind}:{name}": at for name, at in spots.items() if not self._known.knows(done, name, view.time)}

    def _review(self, view: IslandView) -> Focus | None:
        return Focus(view.place) if view.notes else None

    def _nearest(self, view: IslandView, spots: dict[str, str], sought: frozenset[str] = frozenset()) -> str | None:
        """Draw one by distance (nearer is likelier); those in ``sought`` come first."""
        if not spots:
            return None
        names, here, the_map = [each for each in spots if each in sought] or list(spots), view.place, self._story.map
        return self._rng.choices(names, [_distance_weight(the_map, here, spots[name]) for name in names])[0]


def _distance_weight(the_map: IslandMap, here: str, spot: str) -> float:
    far = the_map.distance(here, spot)
    return 1.0 / (_NEAR + far) ** 2


# --- plan execution ---


class StepEnd(Enum):
    """How a step of a plan ends."""

    DONE = "it is done"
    GIVEN_UP = "it cannot be done, or has become too tedious"


Command: TypeAlias = str | StepEnd  # a command, or how the step ends


@dataclass(slots=True)
class PlanExecution:
    """A plan being carried out: goal, focus, remaining steps and progress."""

    goal: str
    focus: Focus
    steps: list[Action]
    done: list[str] = field(default_factory=list)  # commands of the present step
    given: int = 0  # commands of all steps


class StepExecutor:
    """Turns each step of a plan into commands."""

    def __init__(
        self, story: IslandStory, known: PlayerMemory, case: Deduction, traits: PlayerTraits, rng: Random
    ) -> None:
        self._story, self._known, self._case, self._traits, self._rng = story, known, case, traits, rng
        self._telling_books = books_on_diseases(story)
        self._ways: dict[str, Callable[[PlanExecution, IslandView], Command]] = {
            "goto": self._goto,
            "greet": lambda execution, view: self._greet(execution.focus.subject, view),
            "greet-nurse": lambda execution, view: self._greet(story.nurse, view),
            "part": lambda execution, view: words.PART if view.talking else StepEnd.DONE,
            "ask": self._ask,
            "earn-test": self._earn,
            "look": lambda execution, view: StepEnd.DONE if execution.done else words.LOOK,
            "read": self._read,
            "review": lambda execution, view: StepEnd.DONE if execution.done or not view.notes else words.READ_NOTES,
            "put-down": lambda execution, view: words.DROP if view.hands else StepEnd.DONE,
            "take": self._take,
            "handle": self._handle,
            "test": self._test,
            "label": self._label,
            "study": self._study,
            "fill": self._fill,
            "submit": self._submit,
        }

    def next(self, execution: PlanExecution, view: IslandView) -> Command:
        """Return the next command of the present step, or how it ended."""
        return self._ways[execution.steps[0].name](execution, view)

    def _goto(self, execution: PlanExecution, view: IslandView) -> Command:
        there = str(execution.steps[0].arguments["there"])
        if view.place == there:
            return StepEnd.DONE
        return self.towards(self._story.map.route(view.place, there)[0], view)

    def towards(self, beside: str, view: IslandView) -> str:
        """Return the command that leads to a neighbouring place: open the door first if it is closed."""
        way = self._story.map.way(view.place, beside)
        if way is not None and way.door in view.closed:
            return f"{words.OPEN} {way.door}"
        return f"{words.MOVE} {beside}"

    def _greet(self, person: str, view: IslandView) -> Command:
        if view.talking == person:
            return StepEnd.DONE
        if person in view.people:
            return f"{words.TALK} {person}"
        there = self._known.where("person", person, view.time) if self._traits.searching else None
        if there in (None, view.place) and self._traits.searching:
            there = place_to_search(self._story, self._known, person, view)
        if there is None:
            return StepEnd.GIVEN_UP
        return self.towards(self._story.map.route(view.place, there)[0], view)

    def _ask(self, execution: PlanExecution, view: IslandView) -> Command:
        if view.replies:
            return f"{words.ANSWER} {self._rng.choice(view.replies)}"
        who, topic = execution.focus.subject, self._next_topic(execution.focus, view.time)
        if execution.done and not view.more:
            self._known.did("heard", f"{who}:{topic}", view.time)
            if topic == execution.focus.detail:
                return StepEnd.DONE
            topic = self._next_topic(execution.focus, view.time)
        if execution.done and self._rng.random() > self._traits.patience:
            return StepEnd.GIVEN_UP
        return f"{words.ASK} {topic}"

    def _next_topic(self, focus: Focus, now: float) -> str:
        """Return the first topic, of those that lead to the one meant, that was not heard to its end."""
        topics = self._story.people[focus.subject].topics
        if topics[focus.detail].after is None:
            return focus.detail
        chain = topic_chain(topics, focus.detail)
        return next(
            (each for each in chain[:-1] if not self._known.knows("heard", f"{focus.subject}:{each}", now)), chain[-1]
        )

    def _earn(self, execution: PlanExecution, view: IslandView) -> Command:
        if view.question is not None:
            return f"{words.ANSWER} {self._answer(view)}"
        if view.tests:
            return StepEnd.DONE
        if view.replies:
            return f"{words.ANSWER} {self._rng.choice(view.replies)}"
        if not view.quiz:
            return StepEnd.GIVEN_UP
        if len(execution.done) > 1 and self._rng.random() > self._traits.patience:
            return StepEnd.GIVEN_UP
        return f"{words.ASK} {QUESTIONS}"

    def _answer(self, view: IslandView) -> str:
        question = view.question
        assert question is not None
        if self._known.knows("concept", question.about, view.time):
            return question.right
        return self._rng.choice(question.choices)

    def _read(self, execution: PlanExecution, view: IslandView) -> Command:
        if self._known.knows("read", execution.focus.subject, view.time):
            return StepEnd.DONE  # just now, or on the way here
        if execution.done and self._rng_tires():
            return StepEnd.GIVEN_UP
        return f"{execution.focus.detail} {execution.focus.subject}"

    def _take(self, execution: PlanExecution, view: IslandView) -> Command:
        thing = execution.focus.subject
        if view.hands == thing:
            return StepEnd.DONE
        if thing in view.things:
            return f"{words.PICK_UP} {thing}"
        inside = self._story.things[thing].inside
        if inside is None or inside not in view.closed:
            self._known.memory.forget("thing", thing)  # it is no longer there
            return StepEnd.GIVEN_UP
        return f"{words.OPEN} {inside}"

    def _handle(self, execution: PlanExecution, view: IslandView) -> Command:
        thing = execution.focus.subject
        if not execution.done:
            return f"{words.EXAMINE} {thing}"
        return words.DROP if view.hands == thing and len(execution.done) == 1 else StepEnd.DONE

    def _test(self, execution: PlanExecution, view: IslandView) -> Command:
        protocol = self._story.protocol
        if len(execution.done) > 0 and view.prepared == 0:
            return StepEnd.DONE  # the tester has run
        if view.prepared < len(protocol):
            return f"{words.TEST} {protocol[view.prepared]}"
        return StepEnd.DONE if execution.done and not protocol else f"{words.TEST} {execution.focus.detail}"

    def _label(self, execution: PlanExecution, view: IslandView) -> Command:
        if view.slide != "ready":
            return StepEnd.DONE
        sure = execution.focus.detail if not execution.done else ""
        return f"{words.LABEL} {sure or self._rng.choice(words.AGENTS)}"

    def _study(self, execution: PlanExecution, view: IslandView) -> Command:
        """Read about diseases, a page at a time, until enough is known; then it is done, known or not."""
        known, now = self._known, view.time
        if self._case.sure(now) >= max(1.0, self._traits.proof) or (execution.done and self._rng_tires()):
            return StepEnd.DONE
        unread = {
            name: place
            for name, place in known.spots("book", now).items()
            if name in self._telling_books and not known.knows("read", name, now)
        }
        if not unread:
            return StepEnd.DONE
        here = [name for name, place in unread.items() if place == view.place]
        if here:
            return f"{words.READ_BOOK} {here[0]}"
        there = min(unread.values(), key=lambda place: self._story.map.distance(view.place, place))
        return self.towards(self._story.map.route(view.place, there)[0], view)

    def _submit(self, execution: PlanExecution, view: IslandView) -> Command:
        if words.SUBMIT in execution.done:
            return StepEnd.DONE
        if view.place != self._story.desk:  # reading has led away from it
            return self.towards(self._story.map.route(view.place, self._story.desk)[0], view)
        return words.SUBMIT

    def _rng_tires(self) -> bool:
        return self._rng.random() > self._traits.patience

    def _fill(self, execution: PlanExecution, view: IslandView) -> Command:
        entries = self._case.entries(view.time)
        changed = [name for name, (value, _) in entries.items() if view.worksheet.get(name) != value]
        return f"{words.FILL} {changed[0]}={entries[changed[0]][0]}" if changed else StepEnd.DONE
