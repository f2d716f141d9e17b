"""The world ``island``: one visitor, one action a step, and an hour to find out what makes the camp ill."""

from collections.abc import Mapping

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.worlds.island.commands import commands_now, read_command
from telos.worlds.island.deeds import DEEDS, seconds_of
from telos.worlds.island.play import Play
from telos.worlds.island.story import TAKE_NOTE, Story
from telos.worlds.island.story_files import the_story
from telos.worlds.island.views import IslandView, seen


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
