"""What a person writes or clicks on the island: `parse_request` reads it, `next_command` carries it out step by step.

A request may name a place, person or thing elsewhere: the player walks there first.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from telos.core.errors import TelosError, name_hint
from telos.worlds.island import story as words
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import ACTIONS, IslandMap, IslandStory

GO, STOP = "go", "stop"
READ = "read"  # a book or a poster
_VERBS: Mapping[str, str] = {
    **{action.replace("-", " "): action for action in ACTIONS},
    **dict.fromkeys(("go", "go to", "walk", "walk to", "move to", "run", "run to", "enter", "head to"), words.MOVE),
    **dict.fromkeys(("talk to", "talk with", "speak to", "speak with", "visit", "greet"), words.TALK),
    **dict.fromkeys(("ask about", "ask for"), words.ASK),
    **dict.fromkeys(("say goodbye", "goodbye", "bye", "leave"), words.PART),
    **dict.fromkeys(("take", "get", "grab", "collect"), words.PICK_UP),
    **dict.fromkeys(("put down", "lay down"), words.DROP),
    **dict.fromkeys(("look at", "inspect"), words.EXAMINE),
    **dict.fromkeys(("look",), words.LOOK),
    **dict.fromkeys(("shut",), words.CLOSE),
    **dict.fromkeys(("note", "note down", "write down"), words.TAKE_NOTE),
    **dict.fromkeys(("test", "test for"), words.TEST),
    **dict.fromkeys(("label",), words.LABEL),
    **dict.fromkeys(("fill", "fill in"), words.FILL),
    **dict.fromkeys(("submit", "hand in", "hand in worksheet"), words.SUBMIT),
    "read": READ,
    "wait": STOP,
    "stop": STOP,
}
_BY_LENGTH = sorted(_VERBS, key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class IslandRequest:
    """What a player is to do: be at a place, carry out a command there; either may be missing. Neither: stop."""

    to: str | None = None
    command: str | None = None


def parse_request(text: str, story: IslandStory, view: IslandView, possible: Sequence[str]) -> IslandRequest:
    """Return the request that a line means; ``possible`` are the commands that can be carried out now.

    Raise a ``TelosError`` for a line that means nothing.

    >>> from telos.worlds.island.island import Island
    >>> island = Island()
    >>> def ask(text):
    ...     return parse_request(text, island.story, island.view(), island.commands())
    >>> ask("move infirmary").to, ask("the south square").to, ask("Talk to the nurse")
    ('infirmary-entrance', 'south-square', IslandRequest(to='nurses-desk', command='talk nurse'))
    """
    plain = _to_plain(text)
    if not plain:
        raise TelosError("there is no command in an empty line", "write `go PLACE`, `talk PERSON`, `read` or `take`")
    verb = next((each for each in _BY_LENGTH if plain == each or plain.startswith(f"{each} ")), None)
    if verb is None:
        return _parse_name(text, plain, story, view, possible)
    action, argument = _VERBS[verb], _to_plain(plain.removeprefix(verb))
    if action == STOP:
        return IslandRequest()
    if action == words.MOVE:
        return _walk(find_place(argument, story.map, view.place), possible)
    return _parse_action(action, argument, story, view, possible)


def _to_plain(text: str) -> str:
    """Return a line in small letters, without punctuation, hyphens and articles."""
    found = re.findall(r"[a-z0-9=]+", text.casefold().replace("'s", "s"))
    while found and found[0] in ("the", "a", "an", "please"):
        found.pop(0)
    return " ".join(word for word in found if word not in ("the", "please"))


def _walk(to: str, possible: Sequence[str]) -> IslandRequest:
    """Return the request to walk to a place: a single command if it is next to this one and the way is open."""
    command = f"{words.MOVE} {to}"
    return IslandRequest(command=command) if command in possible else IslandRequest(to=to)


def _parse_name(text: str, plain: str, story: IslandStory, view: IslandView, possible: Sequence[str]) -> IslandRequest:
    """Return what the bare name of a place or a person means."""
    person = _match(plain, story.people)
    if person is not None:
        return IslandRequest(story.people[person].at, f"{words.TALK} {person}")
    try:
        return _walk(find_place(plain, story.map, view.place), possible)
    except TelosError:
        verbs = sorted({"go", "talk", "ask", "read", "take", *(action.replace("-", " ") for action in ACTIONS)})
        hint = name_hint(plain.partition(" ")[0], verbs)
        remedy = hint if hint.startswith("did") else "write `go PLACE`, `talk PERSON`, `read BOOK` or `take THING`"
        raise TelosError(f"cannot {text.strip()!r} here", remedy) from None


def find_place(name: str, the_map: IslandMap, start: str) -> str:
    """Return the place of a name: one of the map, the nearest of an area, or the nearest that has all its words."""
    if not name:
        raise TelosError("go where?", f"write `go PLACE`; nearby: {', '.join(_near(the_map, start))}")
    plain = {place: place.replace("-", " ") for place in the_map.places}
    exact = [place for place, said in plain.items() if said == name]
    area = [place for place in the_map.places if the_map.places[place].area.replace("-", " ") == name]
    wanted = set(name.split())
    partly = [place for place, said in plain.items() if wanted <= set(said.split())]
    for found in (exact, area, partly):
        if found:
            return min(found, key=lambda place: the_map.distance(start, place))
    areas = {the_map.places[place].area.replace("-", " ") for place in the_map.places}
    hint = name_hint(name, {*plain.values(), *areas})
    near = f"nearby: {', '.join(_near(the_map, start))}"
    raise TelosError(f"there is no place {name!r} on the island", hint if hint.startswith("did") else near)


def _near(the_map: IslandMap, start: str) -> list[str]:
    return [way.to.replace("-", " ") for way in the_map.ways[start]]


def _parse_action(
    action: str, argument: str, story: IslandStory, view: IslandView, possible: Sequence[str]
) -> IslandRequest:
    actions = (words.READ_BOOK, words.READ_POSTER) if action == READ else (action,)
    here = [each for each in possible if each.partition(" ")[0] in actions]
    named = {each.partition(" ")[2]: each for each in here}
    meant = _match(argument, named) if argument else (next(iter(named)) if len(named) == 1 else None)
    if meant is not None:
        return IslandRequest(command=named[meant])
    elsewhere = _elsewhere(actions, argument, story, view)
    if elsewhere is not None:
        return elsewhere
    if len(actions) > 1:  # to read, without a book or a poster of that name anywhere
        known = [*story.books, *story.posters]
        what = "read what?" if not argument else f"there is nothing {argument!r} to read"
        raise TelosError(what, name_hint(argument.replace(" ", "-"), list(named) or known))
    return IslandRequest(command=f"{action} {argument.replace(' ', '-')}".rstrip())  # the world says why it cannot be


def _elsewhere(actions: Iterable[str], argument: str, story: IslandStory, view: IslandView) -> IslandRequest | None:
    """Return the request to walk to what is named, and to act there."""
    for action in actions:
        spot = {words.TEST: story.tester, words.LABEL: story.slide_at, words.SUBMIT: story.desk}.get(action)
        if spot is not None:
            if action != words.SUBMIT and argument not in words.AGENTS:
                return None
            return IslandRequest(spot, f"{action} {argument}".rstrip()) if view.place != spot else None
        places = {name: place for name, place in _where(action, story).items() if place != view.place}
        found = _matches(argument, places) if argument else []
        if found:
            name = min(found, key=lambda each: story.map.distance(view.place, places[each]))
            return IslandRequest(places[name], f"{action} {name}")
    return None


def _where(action: str, story: IslandStory) -> dict[str, str]:
    """Return where the objects of an action are, by name."""
    if action in (words.PICK_UP, words.EXAMINE):
        return {each.name: each.at for each in story.things.values()}
    if action in (words.OPEN, words.CLOSE):
        return dict(story.containers)
    if action == words.TALK:
        return {each.name: each.at for each in story.people.values()}
    texts = {words.READ_BOOK: story.books, words.READ_POSTER: story.posters}.get(action, {})
    return {each.name: each.at for each in texts.values()}


def _match(said: str, names: Iterable[str]) -> str | None:
    return next(iter(_matches(said, names)), None)


def _matches(said: str, names: Iterable[str]) -> list[str]:
    """Return the names that are meant: the same, or else all that have every word of it.

    >>> _matches("milk", ["milk-jug", "milk-glass", "eggs"]), _matches("eggs", ["eggs", "eggs-fried"])
    (['milk-jug', 'milk-glass'], ['eggs'])
    """
    plain = {name: _to_plain(name.replace("-", " ").replace("=", " = ")) for name in names}
    wanted = _to_plain(said.replace("=", " = "))
    exact = [name for name, each in plain.items() if each == wanted]
    parts = set(wanted.split())
    return exact or [name for name, each in plain.items() if parts and parts <= set(each.split())]


def next_command(request: IslandRequest, view: IslandView, the_map: IslandMap) -> str | None:
    """Return the next command of a request: part, open the door ahead, walk on, or act. None: it is done."""
    if request.to is None or view.place == request.to:
        return request.command
    if view.talking is not None:
        return f"{words.PART} {view.talking}"
    ahead = the_map.route(view.place, request.to)[0]
    way = the_map.way(view.place, ahead)
    assert way is not None
    return f"{words.OPEN} {way.door}" if way.door in view.closed else f"{words.MOVE} {ahead}"


def seconds_to(the_map: IslandMap, start: str, to: str, pace: float) -> int:
    """Return the seconds of a walk, for the choice whether to take it."""
    return math.ceil(the_map.distance(start, to) / pace)
