"""The world ``island``: one player, nineteen actions, and an hour to find out what makes the camp ill.

``Island`` is the world; ``ACTION_RULES`` says when each action is possible and what it does.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.worlds.island import story as words
from telos.worlds.island.state import IslandState, IslandView, to_island_view
from telos.worlds.island.story import FIELDS, SUBMIT_GOAL, TAKE_NOTE, TEST_GOAL, IslandStory, Lesson, load_story

IN_HAND = ""  # the place of a thing that the player carries
GONE = "(gone)"  # and of one that is no longer on the island
QUESTIONS = "questions"  # the topic that makes the nurse ask her questions
_IN_TALK = {words.ASK, words.ANSWER, words.PART}
# What is missing when an action has no possible argument.
_NEEDS = {
    words.CLOSE: "nothing is open here",
    words.PICK_UP: "nothing lies here, or the hands are full",
    words.DROP: "the hands are empty",
    words.EXAMINE: "there is nothing here",
    words.TALK: "there is no person here",
    words.ASK: "there is no conversation; talk to a person first",
    words.ANSWER: "nothing was asked; ask the nurse for questions first",
    words.PART: "there is no conversation",
    words.READ_BOOK: "there is no book here",
    words.READ_POSTER: "there is no poster here",
    words.TAKE_NOTE: "nothing was learned just now",
    words.READ_NOTES: "nothing is written down yet",
    words.TEST: "it takes something in the hands, a test that is left, and the tester",
    words.LABEL: "there is no slide to be labelled here; a test must have found something",
    words.SUBMIT: "it takes a full worksheet, and the nurse's desk",
}


# --- the nineteen actions ---


class ActionRule(NamedTuple):
    """One type of action: its possible arguments, and its effect, which returns the goal achieved, if any."""

    options: Callable[[IslandState], list[str]]
    apply: Callable[[IslandState, str], str | None]


def seconds_of(game: IslandState, action: str, argument: str) -> float:
    """Return the duration of an action."""
    if action != words.MOVE:
        return game.story.seconds[action]
    way = game.story.map.way(game.place, argument)
    return way.metres / game.story.pace if way else 0.0


def _free(options: Callable[[IslandState], list[str]]) -> Callable[[IslandState], list[str]]:
    """Return options that exist only outside of conversations."""
    return lambda game: [] if game.talking else options(game)


def _ways_out(game: IslandState) -> list[str]:
    return [way.to for way in game.story.map.ways[game.place] if way.door is None or way.door in game.opened]


def _move(game: IslandState, to: str) -> None:
    way = game.story.map.way(game.place, to)
    assert way is not None
    game.opened.discard(way.door or "")  # doors close behind the player
    game.place = to
    game.prepared = 0  # a tray that is left is cleared


def _open(game: IslandState, name: str) -> None:
    game.opened.add(name)


def _close(game: IslandState, name: str) -> None:
    game.opened.discard(name)


def _pick_up(game: IslandState, thing: str) -> None:
    game.hands = thing
    game.lying[thing] = IN_HAND


def _drop(game: IslandState, thing: str) -> None:
    game.hands = None
    game.lying[thing] = game.place
    game.prepared = 0


def _talk(game: IslandState, person: str) -> None:
    game.talking, game.question, game.awaits = person, None, False


def _part(game: IslandState, person: str) -> None:
    game.talking = game.question = None
    game.awaits = False


def _topics(game: IslandState) -> list[str]:
    if game.talking is None or game.awaits:
        return []
    asks = [QUESTIONS] if game.talking == game.story.nurse and game.questions else []
    return [*_open_topics(game, game.talking), *asks]


def _open_topics(game: IslandState, person: str) -> list[str]:
    """Return the topics of a person's menu: a topic opens when the one before it was heard to its end."""
    topics = game.story.people[person].topics
    return [
        name
        for name, topic in topics.items()
        if topic.after is None or game.heard.get((person, topic.after), 0) >= topics[topic.after].lines
    ]


def _ask(game: IslandState, topic: str) -> str | None:
    game.question, game.more, game.said = None, False, ""
    if topic == QUESTIONS:
        game.question = game.story.questions[game.questions[0]]
        return None
    person = game.story.people[game.talking or ""]
    game.heard[person.name, topic] = heard = game.heard.get((person.name, topic), 0) + 1
    game.more = heard % person.topics[topic].lines > 0
    if person.topics[topic].says:
        game.said = person.topics[topic].says[(heard - 1) % person.topics[topic].lines]
        game.awaits = game.more and bool(game.story.replies)
    if game.more:
        return None
    game.told = person.topics[topic].tells
    for goal in game.story.goals:
        if topic == goal.topic and person.name in goal.people:
            return _heard_out(game, goal.name)
    return None


def _heard_out(game: IslandState, goal: str) -> str | None:
    if goal == words.GOALS[0]:
        game.milestones[0] = True
    if goal in game.achieved:
        return None
    game.achieved.add(goal)
    return goal


def _answers(game: IslandState) -> list[str]:
    if game.awaits:
        return list(game.story.replies)
    return list(game.question.choices) if game.question else []


def _answer(game: IslandState, choice: str) -> None:
    if game.awaits:
        game.awaits = False
        return
    assert game.question is not None
    asked = game.questions.popleft()
    if choice == game.question.right:
        game.tests += 1
        game.told = (Lesson("concept", game.question.about),)
    else:
        game.questions.append(asked)  # it is asked again later
    game.question = None


def _read_book(game: IslandState, book: str) -> None:
    game.pages[book] = read = game.pages.get(book, 0) + 1
    game.more = read % game.story.books[book].pages > 0
    if not game.more:
        game.told = game.story.books[book].tells


def _read_poster(game: IslandState, poster: str) -> None:
    game.told = game.story.posters[poster].tells


def _take_note(game: IslandState, _: str) -> None:
    game.notes += [lesson for lesson in game.told if lesson not in game.notes]


def _read_notes(game: IslandState, _: str) -> None:
    game.told = tuple(game.notes)


def _test_options(game: IslandState) -> list[str]:
    if not (game.hands and game.tests and game.place == game.story.tester):
        return []
    return [*game.story.protocol[game.prepared : game.prepared + 1]] or [*words.AGENTS]


def _test(game: IslandState, agent: str) -> str | None:
    if agent not in words.AGENTS:
        game.prepared += 1
        return None
    game.prepared = 0
    thing = game.story.things[game.hands or ""]
    game.tests -= 1
    truth = game.story.truth
    contaminated = thing.food == truth["source"]
    found = contaminated and agent == game.story.diseases[truth["disease"]].agent
    game.told = (Lesson("found" if found else "clean", f"{thing.food or thing.name}:{agent}"),)
    if found and not game.slide:
        game.slide = "ready"
    game.milestones[1] |= contaminated
    return TEST_GOAL if contaminated else None


def _label(game: IslandState, agent: str) -> None:
    if agent == game.story.slide_label:
        game.slide = "labelled"
        game.told = (Lesson("agent", agent),)


def _fields(game: IslandState) -> list[str]:
    return [f"{field}={choice}" for field, choices in game.story.choices.items() for choice in choices]


def _fill(game: IslandState, entry: str) -> None:
    field, _, choice = entry.partition("=")
    game.worksheet[field] = choice


def _submit(game: IslandState, _: str) -> str:
    right = {field: game.worksheet[field] == game.story.truth[field] for field in FIELDS}
    game.told = tuple(
        Lesson("right" if right[field] else "wrong", f"{field}={game.worksheet[field]}") for field in FIELDS
    )
    game.milestones[2] = True
    game.milestones[3] |= all(right.values())
    return SUBMIT_GOAL


def _can_submit(game: IslandState) -> bool:
    return game.place == game.story.desk and game.is_complete


ACTION_RULES: dict[str, ActionRule] = {
    words.MOVE: ActionRule(_free(_ways_out), _move),
    words.OPEN: ActionRule(_free(IslandState.shut_here), _open),
    words.CLOSE: ActionRule(
        _free(lambda game: [each for each in game.story.at(game.place).openable if each in game.opened]), _close
    ),
    words.PICK_UP: ActionRule(_free(lambda game: [] if game.hands else game.things_here()), _pick_up),
    words.DROP: ActionRule(_free(lambda game: [game.hands] if game.hands else []), _drop),
    words.EXAMINE: ActionRule(
        _free(lambda game: [*game.things_here(), *([game.hands] if game.hands else [])]), lambda game, thing: None
    ),
    words.LOOK: ActionRule(_free(lambda game: [""]), lambda game, _: None),
    words.TALK: ActionRule(_free(lambda game: list(game.story.at(game.place).people)), _talk),
    words.ASK: ActionRule(_topics, _ask),
    words.ANSWER: ActionRule(_answers, _answer),
    words.PART: ActionRule(lambda game: [game.talking] if game.talking else [], _part),
    words.READ_BOOK: ActionRule(_free(lambda game: list(game.story.at(game.place).books)), _read_book),
    words.READ_POSTER: ActionRule(_free(lambda game: list(game.story.at(game.place).posters)), _read_poster),
    words.TAKE_NOTE: ActionRule(lambda game: [""] if game.told else [], _take_note),
    words.READ_NOTES: ActionRule(lambda game: [""] if game.notes else [], _read_notes),
    words.TEST: ActionRule(
        _free(_test_options),
        _test,
    ),
    words.LABEL: ActionRule(
        _free(lambda game: list(words.AGENTS) if game.slide == "ready" and game.place == game.story.slide_at else []),
        _label,
    ),
    words.FILL: ActionRule(_fields, _fill),
    words.SUBMIT: ActionRule(
        lambda game: [""] if _can_submit(game) and game.talking in (None, game.story.nurse) else [], _submit
    ),
}


# --- commands ---


def commands_now(game: IslandState) -> tuple[str, ...]:
    """Return every command that is possible now, in the order of ``ACTION_RULES``."""
    if game.is_over:
        return ()
    return tuple(_text(action, each) for action, rule in ACTION_RULES.items() for each in rule.options(game))


def read_command(game: IslandState, command: str) -> tuple[str, str]:
    """Return the action and argument of a command; raise a ``TelosError`` if it is not possible now."""
    action, _, argument = command.strip().partition(" ")
    if action not in ACTION_RULES:
        raise TelosError(f"there is no action {action!r}", name_hint(action, ACTION_RULES))
    if game.is_over:
        raise TelosError(f"cannot {command!r}: the game is over", "reset it")
    options = ACTION_RULES[action].options(game)
    if not argument and len(options) == 1:
        return action, options[0]  # the only possible argument
    if argument in options:
        return action, argument
    raise TelosError(f"cannot {command!r} now: {_why_not(game, action, argument, options)}")


def _why_not(game: IslandState, action: str, argument: str, options: list[str]) -> str:
    if game.talking and action not in _IN_TALK and not options:
        return f"the player is talking with {game.talking!r}; part first"
    if not options:
        return _NEEDS.get(action, "it is not possible here")
    way = game.story.map.way(game.place, argument) if action == words.MOVE else None
    if way is not None:
        return f"{way.door!r} is closed; open it first"
    return name_hint(argument, options) if any(options) else f"{action!r} takes no argument"


def _text(action: str, argument: str) -> str:
    return f"{action} {argument}" if argument else action


# --- the world ---


class Island:
    """A mystery for one player. A step is one action with its duration; without a command it is a second.

    >>> island = Island()
    >>> island.step({"player": "move gate"})
    >>> event = island.events[0]
    >>> event.action, event.context["argument"], event.context["loc"], event.context["state"], event.time
    ('move', 'gate', 'dock', '0000', 6.5)
    """

    def __init__(self, story: IslandStory | None = None, *, seed: int = 0, player: str = "player") -> None:
        self.story = story or load_story()
        self.player = player
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start a new game at the dock."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random takes -7 for 7
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        self._game = IslandState.create(self.story, seed)
        self._events: tuple[Event, ...] = ()

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out the player's command, or advance by a second."""
        for name in commands:
            if name != self.player:
                raise TelosError(f"there is no player {name!r}", name_hint(name, [self.player]))
        if not commands:
            self._game.time += 1.0
            self._events = ()
            return
        self._events = (self._act(*read_command(self._game, commands[self.player])),)

    def _act(self, action: str, argument: str) -> Event:
        game = self._game
        context = {
            "loc": game.place,
            "area": self.story.map.places[game.place].area,
            "state": game.state,
            "argument": (game.hands or "") if action == "test-object" else argument,
            "tests": game.tests,
        }
        game.time += seconds_of(game, action, argument)
        if action != TAKE_NOTE:  # a note is about the lessons of the action before it
            game.told = ()
        goal = ACTION_RULES[action].apply(game, argument)
        return Event(action, context, player=self.player, time=game.time, goal=goal)

    @property
    def events(self) -> tuple[Event, ...]:
        """The event of the last step; none for a second without a command."""
        return self._events

    @property
    def is_over(self) -> bool:
        """Whether the mystery is solved or the hour is over."""
        return self._game.is_over

    def remove(self, thing: str) -> None:
        """Take a thing off the island, such as one that somebody has eaten; it must not be carried."""
        if thing not in self.story.things:
            raise TelosError(f"there is no thing {thing!r} on the island", name_hint(thing, self.story.things))
        if self._game.hands == thing:
            raise TelosError(f"{thing!r} is in the player's hands", "let the player put it down first")
        self._game.lying[thing] = GONE

    def commands(self) -> tuple[str, ...]:
        """Return every command that is possible now."""
        return commands_now(self._game)

    def view(self) -> IslandView:
        """Return the visible state."""
        return to_island_view(self._game, self.player)
