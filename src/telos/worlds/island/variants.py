"""Variants of the island's players: as today, as decided from the published text, and that without one sentence.

``load_variant`` returns one by its name. ``TEXT_SENTENCES`` are the sentences of record 0027 that change the players or
their game; ``text without pages`` is the variant in which that one is undone: its part is as it is today, everything
else as in ``text``. What was set on the published counts (the wishes for the seven goals, pauses) stays as in ``text``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

from telos.core.action import Action
from telos.core.conditions import ALWAYS
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.planning.planner import Planner
from telos.worlds.island import story as words
from telos.worlds.island.long_form import load_long_form
from telos.worlds.island.story import DATA, IslandStory, load_story
from telos.worlds.island.styles import (
    PlayerStyles,
    find_pursuits,
    load_player_domain,
    load_styles,
    read_styles,
    replace_drifts,
)

TODAY, TEXT = "today", "text"
VARIANTS = (TODAY, TEXT)
TEXT_SENTENCES: Mapping[str, str] = {
    "talk": "conversations take turns: topics open one after the other, with a reply between two lines",
    "pages": "books have pages, and tell with the last one",
    "protocol": "a test takes eight steps at the tester",
    "study": "reading about diseases until enough is known is a step of the diagnosis",
    "search": "a person who was never met is looked for in the building named by the scenario",
    "periods": "exploring and deliberate work take turns: other wishes grow slowly, and a goal is gone on with",
    "areas": "players choose among what the present area offers",
    "patterns": "what is learned raises particular goals, for the sake of the story",
    "memory": "places, people, things and conversations are remembered for the whole hour",
}
_WITHOUT = f"{TEXT} without "
# The wishes that grow more slowly in favour of deliberate work.
_EXPLORING = ("explore", "read-up", "handle", "chat")


@dataclass(frozen=True, slots=True, eq=False)
class PlayerVariant:
    """A way of simulating players: the island that they play, their domain and planner, and their styles.

    ``today`` is the island's own; ``text`` was decided sentence by sentence from the published text.
    """

    name: str
    story: IslandStory
    domain: Domain
    planner: Planner
    pursuits: Mapping[str, Action]  # for each goal, the action that stands for pursuing it in a choice between goals
    styles: PlayerStyles


def name_without(sentence: str) -> str:
    """Return the name of the variant ``text`` without a sentence.

    >>> name_without("pages")
    'text without pages'
    """
    return _WITHOUT + sentence


@cache
def load_variant(name: str = TODAY) -> PlayerVariant:
    """Return a variant of the players: ``today``, ``text``, or ``text without`` a sentence.

    >>> load_variant("text").story.protocol[0], load_variant().story.protocol
    ('clean-tray', ())
    >>> load_variant("text without protocol").story.protocol
    ()
    """
    if name == TODAY:
        return _assemble(name, load_story(), load_player_domain(), load_styles())
    if name == TEXT:
        return text_variant(())
    sentence = name.removeprefix(_WITHOUT)
    if sentence == name:
        raise TelosError(f"there is no variant {name!r} of the island's players", name_hint(name, VARIANTS))
    return text_variant((sentence,))


def text_variant(left_out: Collection[str]) -> PlayerVariant:
    """Return the variant from the text without some of ``TEXT_SENTENCES``; their parts are as in ``today``."""
    for sentence in left_out:
        if sentence not in TEXT_SENTENCES:
            raise TelosError(f"there is no sentence {sentence!r}", name_hint(sentence, TEXT_SENTENCES))
    name = _WITHOUT + ", ".join(left_out) if left_out else TEXT
    domain = load_player_domain("islander-text.yaml")
    if "periods" in left_out:
        domain = replace_drifts(domain, _drifts_of_today())
    return _assemble(
        name,
        _story_without(left_out),
        domain,
        _styles_without(left_out),
        always_ready=("fill",) if "study" in left_out else (),
    )


def _assemble(
    name: str, story: IslandStory, domain: Domain, styles: PlayerStyles, *, always_ready: Collection[str] = ()
) -> PlayerVariant:
    """Put a variant together; the actions ``always_ready`` lose their preconditions."""
    body = [domain.action(each) for each in domain.action_sets["body"]]
    body = [replace(each, preconditions=ALWAYS) if each.name in always_ready else each for each in body]
    return PlayerVariant(name, story, domain, Planner(domain, body), find_pursuits(domain), styles)


def _story_without(left_out: Collection[str]) -> IslandStory:
    """Return the long form, with the dialogue, books and tester of today's island where they are left out."""
    story, today = load_long_form(), load_story()
    seconds = dict(story.seconds)

    def take_times(*actions: str) -> None:
        seconds.update({action: today.seconds[action] for action in actions})

    if "talk" in left_out:
        story = replace(story, people=today.people, replies=today.replies)
        take_times(words.ASK, words.ANSWER)
    if "pages" in left_out:
        story = replace(story, books=today.books)
        take_times(words.READ_BOOK)
    if "protocol" in left_out:
        story = replace(story, protocol=today.protocol)
        take_times(words.TEST)
    return replace(story, seconds=seconds, _here={}) if left_out else story


def _styles_without(left_out: Collection[str]) -> PlayerStyles:
    """Return the styles from the text, with the traits, news and memory of today's where they are left out."""
    styles, today = read_styles(DATA / "players-text.yaml"), load_styles()
    undone = {
        trait: 0.0
        for sentence, trait in (("search", "searching"), ("periods", "persistence"), ("areas", "loyalty"))
        if sentence in left_out
    }
    return replace(
        styles,
        traits={name: replace(each, **undone) for name, each in styles.traits.items()},
        triggers=today.triggers if "patterns" in left_out else styles.triggers,
        fades=today.fades if "memory" in left_out else styles.fades,
    )


def _drifts_of_today() -> dict[str, float]:
    domain = load_player_domain()
    return {name: domain.goal(name).drift for name in _EXPLORING}
