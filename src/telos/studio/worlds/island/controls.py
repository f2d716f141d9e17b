"""What a person may do on the island, by clicks, numbered choices, arrow keys and the worksheet (`IslandControls`)."""

from collections.abc import Iterator, Sequence

from telos.studio.stage import ClickTarget, Form, FormField, PlayerChoice
from telos.studio.worlds.island.drawing import (
    Point,
    arrange_things,
    person_position,
    position,
)
from telos.studio.worlds.walking import place_towards, places_by_arrow, pressed_arrows
from telos.worlds.island import story as words
from telos.worlds.island.island import QUESTIONS
from telos.worlds.island.playthrough import ASK_HINT, LivePlaythrough
from telos.worlds.island.requests import GO, STOP, seconds_to
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import FIELDS
from telos.worlds.island.trace import to_words

_PLACE_REACH, _PERSON_REACH, _THING_REACH = 24.0, 13.0, 9.0  # of a click, in picture units
_ON_PAPER = (words.MOVE, words.FILL)  # actions that the map and the worksheet offer
# The order of the numbered choices.
_ORDER = (
    words.ANSWER, words.ASK, words.PART, words.TAKE_NOTE, words.TEST, words.LABEL, words.SUBMIT, words.TALK,
    words.READ_BOOK, words.READ_POSTER, words.PICK_UP, words.OPEN, words.CLOSE, words.DROP, words.LOOK,
    words.READ_NOTES, words.EXAMINE,
)  # fmt: skip
_TITLES = {
    words.OPEN: "Open the {}", words.CLOSE: "Close the {}", words.PICK_UP: "Take the {}", words.DROP: "Put the {} down",
    words.EXAMINE: "Examine the {}", words.LOOK: "Look around", words.TALK: "Talk to the {}", words.ASK: "Ask about {}",
    words.ANSWER: "Answer: {}", words.PART: "Say goodbye", words.READ_BOOK: "Read the book “{}”",
    words.READ_POSTER: "Read the poster “{}”", words.TAKE_NOTE: "Note down what you learned",
    words.READ_NOTES: "Read your notes", words.LABEL: "Label the slide: {}",
    words.SUBMIT: "Hand the worksheet in to the nurse",
}  # fmt: skip
_WORKSHEET = "Choose what you have found out. Nothing is final until you hand it in at the nurse's desk."


class IslandControls:
    """Offers a person what is possible now, and turns arrow keys into requests."""

    def __init__(self, playthrough: LivePlaythrough) -> None:
        self._playthrough = playthrough
        self._story = playthrough.island.story
        self._held: frozenset[str] = frozenset()

    # --- keys ---------------------------------------------------------------------------------------------------------

    def request_of_keys(self, keys: str) -> str | None:
        """Return the request of an arrow that was pressed now, or that is held while the player is idle."""
        held = frozenset(keys.split("+")) - {""}
        before, self._held = self._held, held
        if not (pressed_arrows(before, held) or self._is_idle):
            return None
        to = place_towards(held, *self._ways())
        return None if to is None else f"{GO} {to}"

    @property
    def _is_idle(self) -> bool:
        playthrough = self._playthrough
        return playthrough.request is None and playthrough.now.share(playthrough.time) >= 1.0

    def _ways(self) -> tuple[Point, dict[str, Point]]:
        the_map, here = self._story.map, self._here.place
        near = {way.to: position(the_map.place(way.to)) for way in the_map.ways[here]}
        return position(the_map.place(here)), near

    @property
    def _here(self) -> IslandView:
        """The view after all actions under way: what a request would act on."""
        return self._playthrough.island.view()

    def places_by_arrow(self) -> dict[str, str]:
        """Return the place that each arrow leads to, while the player is idle and in no conversation."""
        return places_by_arrow(*self._ways()) if self._is_idle and self._here.talking is None else {}

    # --- choices ------------------------------------------------------------------------------------------------------

    def choices(self) -> list[PlayerChoice]:
        """Return what can be done here and now."""
        walking = [PlayerChoice("Stop walking", STOP)] if self._playthrough.request is not None else []
        hint = [PlayerChoice("Ask for a hint", ASK_HINT)] if self._playthrough.tutor is not None else []
        return walking or [*(self._choice(command) for command in self._commands_here()), *hint]

    def _commands_here(self) -> list[str]:
        """Return the commands of this place without walking, the doors and the worksheet, in a useful order."""
        possible = [each for each in self._playthrough.commands() if each.partition(" ")[0] in _ORDER]
        kept = [each for each in possible if each.partition(" ")[2] not in self._story.map.doors]
        return sorted(kept, key=lambda each: _ORDER.index(each.partition(" ")[0]))

    def _choice(self, command: str) -> PlayerChoice:
        action, _, argument = command.partition(" ")
        if action == words.TEST:
            return PlayerChoice(f"Test the {to_words(self._here.hands or 'thing')} for {argument}", command)
        if argument == QUESTIONS:
            return PlayerChoice("Ask for a question, to earn a test", command)
        if argument == "worksheet":
            return PlayerChoice("Ask about the worksheet", command)
        return PlayerChoice(_TITLES[action].format(to_words(argument).removeprefix("on ")), command)

    # --- the picture --------------------------------------------------------------------------------------------------

    def targets(self) -> list[ClickTarget]:
        """Return the things at this place, all people, and all places."""
        return [*self._things(), *self._people(), *self._places()]

    def _things(self) -> Iterator[ClickTarget]:
        view = self._here
        if view.place != self._playthrough.view.place:
            return  # they are drawn on arrival
        commands = self._commands_here()
        for thing in arrange_things(self._story.map, view):
            choices = [self._choice(each) for each in commands if each.partition(" ")[2] == thing.name]
            if choices:
                yield ClickTarget(thing.name, to_words(thing.name), thing.x, thing.y, _THING_REACH, tuple(choices))

    def _people(self) -> Iterator[ClickTarget]:
        view = self._here
        for who in self._story.people.values():
            title = to_words(who.name)
            if view.talking == who.name:
                choices = tuple(self._choice(each) for each in self._commands_here())
            else:
                choices = (PlayerChoice(f"Talk to the {title}{self._distance(who.at)}", f"{words.TALK} {who.name}"),)
            yield ClickTarget(who.name, title, *person_position(self._story, who.name), _PERSON_REACH, choices)

    def _places(self) -> Iterator[ClickTarget]:
        here = self._here.place
        for name, place in self._story.map.places.items():
            title = to_words(name)
            walk = [PlayerChoice(f"Walk to the {title}{self._distance(name)}", f"{GO} {name}")]
            choices = self.choices() if name == here else walk
            if choices:
                yield ClickTarget(name, title, *position(place), _PLACE_REACH, tuple(choices))

    def _distance(self, to: str) -> str:
        seconds = seconds_to(self._story.map, self._here.place, to, self._story.pace)
        return f", {seconds} s" if seconds else ""

    def aim(self) -> str:
        """Return the place that the player is walking to, or the empty text."""
        request = self._playthrough.request
        return (request.to or "") if request is not None else ""

    # --- the worksheet ------------------------------------------------------------------------------------------------

    def worksheet(self) -> Form:
        """Return the worksheet as a form."""
        view = self._here
        fields = tuple(
            FormField(
                field.capitalize(),
                to_words(view.worksheet.get(field, "")),
                tuple(
                    PlayerChoice(to_words(each), f"{words.FILL} {field}={each}") for each in self._story.choices[field]
                ),
            )
            for field, choices in self._story.choices.items()
        )
        is_full = len(view.worksheet) == len(FIELDS)
        submit = PlayerChoice("Take it to the nurse", words.SUBMIT) if is_full else None
        return Form("Worksheet", _WORKSHEET, fields, submit)

    def commands(self) -> Sequence[str]:
        """Return the commands that may be entered now: what is possible here, and the way to every place."""
        possible = [each for each in self._playthrough.commands() if not each.startswith(f"{words.FILL} ")]
        places = [f"{GO} {name}" for name in self._story.map.places if name != self._here.place]
        people = [f"{words.TALK} {name}" for name in self._story.people]
        return list(dict.fromkeys([*possible, *places, *people])) if possible else ()
