"""Island: actions and commands."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.worlds.island import story as words
from telos.worlds.island.state import IslandView, Play, seen
from telos.worlds.island.story import FIELDS, SUBMIT_GOAL, TAKE_NOTE, TEST_GOAL, Lesson, Story, the_story

# --- deeds ------------------------------------------------------------------------------------------------------------
# What each of the nineteen actions does: whether it is possible now, how long it takes, and what it changes.


IN_HAND = ""  # where a thing lies that somebody carries
QUESTIONS = "questions"  # what to ask the nurse about in order to be asked by her


class Deed(NamedTuple):
    """One type of action: its arguments that are possible now, and what carrying it out does.

    ``do`` returns the goal that was achieved, if one was.
    """

    options: Callable[[Play], list[str]]
    do: Callable[[Play, str], str | None]


def seconds_of(play: Play, action: str, argument: str) -> float:
    """Return how long an action takes."""
    if action != words.MOVE:
        return play.story.seconds[action]
    way = play.story.map.way(play.place, argument)
    return way.metres / play.story.pace if way else 0.0


def _free(options: Callable[[Play], list[str]]) -> Callable[[Play], list[str]]:
    """Return the options of an action that nobody does in the middle of a conversation."""
    return lambda play: [] if play.talking else options(play)


def _ways_out(play: Play) -> list[str]:
    return [way.to for way in play.story.map.ways[play.place] if way.door is None or way.door in play.opened]


def _move(play: Play, to: str) -> None:
    way = play.story.map.way(play.place, to)
    assert way is not None
    play.opened.discard(way.door or "")  # doors fall shut behind whoever goes through
    play.place = to


def _open(play: Play, name: str) -> None:
    play.opened.add(name)


def _close(play: Play, name: str) -> None:
    play.opened.discard(name)


def _pick_up(play: Play, thing: str) -> None:
    play.hands = thing
    play.lying[thing] = IN_HAND


def _drop(play: Play, thing: str) -> None:
    play.hands = None
    play.lying[thing] = play.place


def _talk(play: Play, person: str) -> None:
    play.talking, play.question = person, None


def _part(play: Play, person: str) -> None:
    play.talking = play.question = None


def _topics(play: Play) -> list[str]:
    if play.talking is None:
        return []
    asks = [QUESTIONS] if play.talking == play.story.nurse and play.questions else []
    return [*play.story.people[play.talking].topics, *asks]


def _ask(play: Play, topic: str) -> str | None:
    play.question, play.more = None, False
    if topic == QUESTIONS:
        play.question = play.story.questions[play.questions[0]]
        return None
    person = play.story.people[play.talking or ""]
    play.heard[person.name, topic] = heard = play.heard.get((person.name, topic), 0) + 1
    play.more = heard % person.topics[topic].lines > 0
    if play.more:
        return None
    play.told = person.topics[topic].tells
    for goal in play.story.goals:
        if topic == goal.topic and person.name in goal.people:
            return _heard_out(play, goal.name)
    return None


def _heard_out(play: Play, goal: str) -> str | None:
    if goal == words.GOALS[0]:
        play.milestones[0] = True
    if goal in play.achieved:
        return None
    play.achieved.add(goal)
    return goal


def _answer(play: Play, choice: str) -> None:
    assert play.question is not None
    asked = play.questions.popleft()
    if choice == play.question.right:
        play.tests += 1
        play.told = (Lesson("concept", play.question.about),)
    else:
        play.questions.append(asked)  # she will ask it again
    play.question = None


def _read_book(play: Play, book: str) -> None:
    play.told = play.story.books[book].tells


def _read_poster(play: Play, poster: str) -> None:
    play.told = play.story.posters[poster].tells


def _take_note(play: Play, _: str) -> None:
    play.notes += [lesson for lesson in play.told if lesson not in play.notes]


def _read_notes(play: Play, _: str) -> None:
    play.told = tuple(play.notes)


def _test(play: Play, agent: str) -> str | None:
    thing = play.story.things[play.hands or ""]
    play.tests -= 1
    truth = play.story.truth
    contaminated = thing.food == truth["source"]
    found = contaminated and agent == play.story.diseases[truth["disease"]].agent
    play.told = (Lesson("found" if found else "clean", f"{thing.food or thing.name}:{agent}"),)
    if found and not play.slide:
        play.slide = "ready"
    play.milestones[1] |= contaminated
    return TEST_GOAL if contaminated else None


def _label(play: Play, agent: str) -> None:
    if agent == play.story.slide_label:
        play.slide = "labelled"
        play.told = (Lesson("agent", agent),)


def _fields(play: Play) -> list[str]:
    return [f"{field}={choice}" for field, choices in play.story.choices.items() for choice in choices]


def _fill(play: Play, entry: str) -> None:
    field, _, choice = entry.partition("=")
    play.worksheet[field] = choice


def _submit(play: Play, _: str) -> str:
    right = {field: play.worksheet[field] == play.story.truth[field] for field in FIELDS}
    play.told = tuple(
        Lesson("right" if right[field] else "wrong", f"{field}={play.worksheet[field]}") for field in FIELDS
    )
    play.milestones[2] = True
    play.milestones[3] |= all(right.values())
    return SUBMIT_GOAL


def _can_submit(play: Play) -> bool:
    return play.place == play.story.desk and play.is_complete


DEEDS: dict[str, Deed] = {
    words.MOVE: Deed(_free(_ways_out), _move),
    words.OPEN: Deed(_free(Play.shut_here), _open),
    words.CLOSE: Deed(
        _free(lambda play: [each for each in play.story.at(play.place).openable if each in play.opened]), _close
    ),
    words.PICK_UP: Deed(_free(lambda play: [] if play.hands else play.things_here()), _pick_up),
    words.DROP: Deed(_free(lambda play: [play.hands] if play.hands else []), _drop),
    words.EXAMINE: Deed(
        _free(lambda play: [*play.things_here(), *([play.hands] if play.hands else [])]), lambda play, thing: None
    ),
    words.LOOK: Deed(_free(lambda play: [""]), lambda play, _: None),
    words.TALK: Deed(_free(lambda play: list(play.story.at(play.place).people)), _talk),
    words.ASK: Deed(_topics, _ask),
    words.ANSWER: Deed(lambda play: list(play.question.choices) if play.question else [], _answer),
    words.PART: Deed(lambda play: [play.talking] if play.talking else [], _part),
    words.READ_BOOK: Deed(_free(lambda play: list(play.story.at(play.place).books)), _read_book),
    words.READ_POSTER: Deed(_free(lambda play: list(play.story.at(play.place).posters)), _read_poster),
    words.TAKE_NOTE: Deed(lambda play: [""] if play.told else [], _take_note),
    words.READ_NOTES: Deed(lambda play: [""] if play.notes else [], _read_notes),
    words.TEST: Deed(
        _free(lambda play: list(words.AGENTS) if play.hands and play.tests and play.place == play.story.tester else []),
        _test,
    ),
    words.LABEL: Deed(
        _free(lambda play: list(words.AGENTS) if play.slide == "ready" and play.place == play.story.slide_at else []),
        _label,
    ),
    words.FILL: Deed(_fields, _fill),
    words.SUBMIT: Deed(
        lambda play: [""] if _can_submit(play) and play.talking in (None, play.story.nurse) else [], _submit
    ),
}


# --- commands ---------------------------------------------------------------------------------------------------------
# Commands: an action and its argument in words, checked against what is possible now.


_IN_TALK = {words.ASK, words.ANSWER, words.PART}
# What is missing when an action has no option at all.
_NEEDS = {
    words.CLOSE: "nothing is open here",
    words.PICK_UP: "nothing lies here, or the hands are full",
    words.DROP: "the hands are empty",
    words.EXAMINE: "there is nothing here",
    words.TALK: "nobody is here",
    words.ASK: "nobody is being talked to; talk to somebody first",
    words.ANSWER: "nothing was asked; ask the nurse for questions first",
    words.PART: "nobody is being talked to",
    words.READ_BOOK: "there is no book here",
    words.READ_POSTER: "there is no poster here",
    words.TAKE_NOTE: "nothing was learned just now",
    words.READ_NOTES: "nothing is written down yet",
    words.TEST: "it takes something in the hands, a test that is left, and the tester",
    words.LABEL: "there is no slide to be labelled here; a test must have found something",
    words.SUBMIT: "it takes a full worksheet, and the nurse's desk",
}


def commands_now(play: Play) -> tuple[str, ...]:
    """Return every command that is possible now, in the order of the nineteen actions."""
    if play.is_over:
        return ()
    return tuple(_text(action, each) for action, deed in DEEDS.items() for each in deed.options(play))


def read_command(play: Play, command: str) -> tuple[str, str]:
    """Return the action and the argument of a command, or refuse what makes no sense now."""
    action, _, argument = command.strip().partition(" ")
    if action not in DEEDS:
        raise TelosError(f"there is no action {action!r}", name_hint(action, DEEDS))
    if play.is_over:
        raise TelosError(f"cannot {command!r}: the game is over", "reset it")
    options = DEEDS[action].options(play)
    if not argument and len(options) == 1:
        return action, options[0]  # there is only one thing that can be meant
    if argument in options:
        return action, argument
    raise TelosError(f"cannot {command!r} now: {_why_not(play, action, argument, options)}")


def _why_not(play: Play, action: str, argument: str, options: list[str]) -> str:
    if play.talking and action not in _IN_TALK and not options:
        return f"the player is talking with {play.talking!r}; part first"
    if not options:
        return _NEEDS.get(action, "it is not possible here")
    way = play.story.map.way(play.place, argument) if action == words.MOVE else None
    if way is not None:
        return f"{way.door!r} is closed; open it first"
    return name_hint(argument, options) if any(options) else f"{action!r} takes no argument"


def _text(action: str, argument: str) -> str:
    return f"{action} {argument}" if argument else action


# --- island -----------------------------------------------------------------------------------------------------------
# The world ``island``: one visitor, one action a step, and an hour to find out what makes the camp ill.


class Island:
    """A mystery for one player. A step is one action and takes as long as it takes; without a command it is a second.

    >>> island = Island()
    >>> island.step({"player": "move gate"})
    >>> event = island.events[0]
    >>> event.action, event.context["argument"], event.context["loc"], event.context["state"], event.time
    ('move', 'gate', 'dock', '0000', 6.5)
    """

    def __init__(self, story: Story | None = None, *, seed: int = 0, player: str = "player") -> None:
        self.story = story or the_story()
        self.player = player
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start a new game, at the dock."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random takes -7 for 7
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        self._play = Play.begun(self.story, seed)
        self._events: tuple[Event, ...] = ()

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out the player's command, or let a second pass."""
        for name in commands:
            if name != self.player:
                raise TelosError(f"nobody here is called {name!r}", name_hint(name, [self.player]))
        if not commands:
            self._play.time += 1.0
            self._events = ()
            return
        self._events = (self._act(*read_command(self._play, commands[self.player])),)

    def _act(self, action: str, argument: str) -> Event:
        play = self._play
        context = {
            "loc": play.place,
            "area": self.story.map.places[play.place].area,
            "state": play.state,
            "argument": (play.hands or "") if action == "test-object" else argument,
            "tests": play.tests,
        }
        play.time += seconds_of(play, action, argument)
        if action != TAKE_NOTE:  # which is about what was told just before
            play.told = ()
        goal = DEEDS[action].do(play, argument)
        return Event(action, context, player=self.player, time=play.time, goal=goal)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the event of the last step: one for an action, none for a second that passed."""
        return self._events

    @property
    def is_over(self) -> bool:
        """Whether the mystery is solved or the hour is up."""
        return self._play.is_over

    def commands(self) -> tuple[str, ...]:
        """Return every command that is possible now."""
        return commands_now(self._play)

    def view(self) -> IslandView:
        """Return what can be seen now."""
        return seen(self._play, self.player)
