"""The world ``adventure``: a small game of monsters and treasure, in which a player's goals can be read."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from telos.core.errors import TelosError, nearest
from telos.core.event import Event
from telos.worlds.adventure.directions import keys_text, read_keys
from telos.worlds.adventure.frame import advance
from telos.worlds.adventure.monsters import populate
from telos.worlds.adventure.noticing import cause_of, notice
from telos.worlds.adventure.play import Play
from telos.worlds.adventure.quests import begin
from telos.worlds.adventure.recording import Recording
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_files import load_rules
from telos.worlds.adventure.saving import restored, restored_event, saved, saved_event
from telos.worlds.adventure.views import AdventureView, seen

_MOST_MONSTERS = 1_000


class Adventure:
    """One player, one step a frame; an input is what is held down: ``"up"``, ``"up+left"``, ``"swing"``, ``""``.

    ``directed`` games give the player one goal after the other, and know the truth about it; in free play nobody does.

    >>> game = Adventure("flairs", seed=7)
    >>> game.step({"player": "up+right"})
    >>> [(event.action, event.context["cause"], event.context["area"]) for event in game.events], game.truth
    ([('up_right', 'input', '2,2')], 'explore')
    """

    def __init__(
        self,
        rules: str | os.PathLike[str] | Rules = "flairs",
        *,
        directed: bool = True,
        monsters: int | None = None,
        seed: int = 0,
        player: str = "player",
    ) -> None:
        if monsters is not None and (type(monsters) is not int or not 0 <= monsters <= _MOST_MONSTERS):
            raise TelosError(f"monsters is their number in an area, 0 to {_MOST_MONSTERS}, got {monsters!r}")
        self.rules = rules if isinstance(rules, Rules) else load_rules(rules)
        self.directed = directed
        self.player = player
        # Rules that were made in Python have no file; replaying them needs the rules themselves.
        self._source = self.rules.name if isinstance(rules, Rules) else os.fspath(rules)
        self._monsters = monsters
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start a new game, at the town; the seed and the inputs fix all that follows."""
        self._seed = seed
        number = self.rules.monsters.number if self._monsters is None else self._monsters
        self._play = Play(self.rules, directed=self.directed, number=number, seed=seed)
        begin(self._play)
        populate(self._play)
        self._events: tuple[Event, ...] = ()
        self._inputs: list[tuple[str, int]] = []

    def step(self, commands: Mapping[str, str]) -> None:
        """Move on by one frame, a thirtieth of a second; without a command, the player holds what they held."""
        for name in commands:
            if name != self.player:
                raise TelosError(f"nobody here is called {name!r}; {nearest(name, [self.player])}")
        play = self._play
        before, area = play.keys, play.area
        keys = read_keys(commands[self.player]) if commands else before
        swings = advance(play, keys)
        self._record(keys_text(keys) if keys != before or not self._inputs else self._inputs[-1][0])
        cause = cause_of(play, input_changed=keys != before, area_changed=play.area != area)
        self._events = (notice(play, cause, swings=swings, player=self.player),) if cause else ()

    def _record(self, text: str) -> None:
        if self._inputs and self._inputs[-1][0] == text:
            self._inputs[-1] = (text, self._inputs[-1][1] + 1)
        else:
            self._inputs.append((text, 1))

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the event of the last frame, if it was one."""
        return self._events

    @property
    def truth(self) -> str | None:
        """Return the goal that the player has been given; None in free play, and when all phases are over."""
        task = self._play.task
        return task.goal if task else None

    @property
    def round(self) -> str:
        """Return the name of the round that the phase belongs to, such as ``training``."""
        task = self._play.task
        return task.round if task else ""

    @property
    def done(self) -> bool:
        """Whether all phases are over; the game may be played on."""
        return self.directed and self._play.task is None

    @property
    def frame(self) -> int:
        """Return how many frames have been played."""
        return self._play.frame

    def view(self) -> AdventureView:
        """Return what can be seen now."""
        return seen(self._play, self.player)

    def recording(self) -> Recording:
        """Return the game so far, ready to be written or replayed."""
        return Recording(
            rules=self._source,
            seed=self._seed,
            directed=self.directed,
            monsters=self._monsters,
            inputs=tuple(self._inputs),
            player=self.player,
            fingerprint=self.rules.fingerprint,
        )

    def save(self) -> dict[str, Any]:
        """Return the whole game as plain data that fits JSON."""
        events = [saved_event(event) for event in self._events]
        inputs = [list(run) for run in self._inputs]
        return {**saved(self._play), "seed": self._seed, "inputs": inputs, "events": events}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from what ``save()`` returned, here or in another adventure that was made the same way."""
        try:
            play = restored(self._play, data)
            inputs = [(str(text), int(frames)) for text, frames in data["inputs"]]
            events = tuple(map(restored_event, data["events"]))
            seed = data["seed"]
        except (KeyError, TypeError, IndexError) as error:
            raise TelosError(f"this is no saved adventure: {error!r}; use what save() returned") from None
        self._play, self._inputs, self._events, self._seed = play, inputs, events, seed


def replayed(recording: Recording, rules: Rules | None = None) -> Iterator[Adventure]:
    """Yield the game after each frame of a recording; ``rules`` are needed if they have no file."""
    game = Adventure(
        rules or recording.rules,
        directed=recording.directed,
        monsters=recording.monsters,
        seed=recording.seed,
        player=recording.player,
    )
    if recording.fingerprint not in ("", game.rules.fingerprint):
        raise TelosError(
            f"this was recorded under other rules than {recording.rules!r} are now "
            f"({recording.fingerprint}, not {game.rules.fingerprint}); replay it with the rules that it was played by"
        )
    for text in recording.frame_inputs():
        game.step({game.player: text})
        yield game


def replay(recording: Recording, rules: Rules | None = None) -> Iterator[Event]:
    """Yield the events of a recorded game, each the same as when it was played."""
    for game in replayed(recording, rules):
        yield from game.events
