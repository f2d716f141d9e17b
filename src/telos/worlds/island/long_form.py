"""The long form of the island, decided from the published text: dialogue in words, books by page, steps of a test.

``load_long_form()`` returns it; ``parse_long_form`` reads any other. The map, the people and the mystery are those of
``island.yaml``.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, KeyPath, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, NonNegativeNumber, name_type, text_type
from telos.worlds.island.story import DATA, CountField, IslandStory, Lesson, LessonField, Topic, load_story

_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]
_LEFT_OUT: Any = None


class SpokenTopicShape(FileModel):
    """Schema of a topic in words."""

    says: list[_Text] = Field(examples=["[Welcome., What do you want to know?]"])
    """The lines of the person, one for each turn."""
    after: _Name = Field(default=_LEFT_OUT)
    """The topic of the same person that has to be heard to its end before."""
    tells: list[LessonField] = Field(default_factory=list)
    """What one learns at its end, such as `disease influenza`."""


class LongFormShape(FileModel):
    """Schema of a long form."""

    name: _Name = Field(alias="long-form", examples=["research-camp"])
    """The island that it belongs to."""
    dialogue: dict[_Name, dict[_Name, SpokenTopicShape]] = Field(examples=["{cook: {meals: {says: […]}}}"])
    """The topics of each person; a person who is left out keeps those of the island file."""
    replies: list[_Name] = Field(default_factory=list)
    """The menu of replies after each line but the last of a topic; it does not matter which is taken."""
    pages: dict[_Name, CountField] = Field(default_factory=dict)
    """How many pages a book has; others have one."""
    protocol: list[_Name] = Field(default_factory=list)
    """What is done at the tester, in this order, before it is told what to look for."""
    seconds: dict[_Name, NonNegativeNumber] = Field(default_factory=dict)
    """How long an action takes, in seconds, where it differs from the island file: a page is shorter than a book."""


@cache
def load_long_form() -> IslandStory:
    """Return the long form that comes with the package.

    >>> story = load_long_form()
    >>> story.people["cook"].topics["meals"].after, story.books["on-cholera"].pages, len(story.protocol)
    ('kitchen', 10, 8)
    """
    return read_long_form(DATA / "text.yaml")


def read_long_form(path: str | os.PathLike[str]) -> IslandStory:
    """Read a long form of the packaged island."""
    return parse_long_form(read_text(path), load_story(), file=os.fspath(path))


def parse_long_form(text: str, story: IslandStory, *, file: str = "<text>") -> IslandStory:
    """Return ``story`` with the dialogue, pages and protocol of a long form; a ``DefinitionError`` holds all faults."""
    definition = Definition(text, file, LongFormShape, "a long form of an island")
    entries = definition.model
    if entries is None or definition.faults:
        raise_faults(definition.faults)
    for what, path, known in _find_unknown_names(entries, story):
        name = str(path[-1]) if path[-1] != "after" else _after(entries, path)
        message = f"there is no {what} {name!r}"
        definition.fault(message, path, name_hint(name, known), at_key=path[-1] == name, code=FaultCode.UNKNOWN_NAME)
    definition.raise_if_faulty()
    people = dict(story.people)
    for name, topics in entries.dialogue.items():
        people[name] = replace(people[name], topics={topic: _topic(each) for topic, each in topics.items()})
    books = {name: replace(book, pages=entries.pages.get(name, 1)) for name, book in story.books.items()}
    seconds = {**story.seconds, **{action: float(each) for action, each in entries.seconds.items()}}
    return replace(
        story,
        people=people,
        books=books,
        protocol=tuple(entries.protocol),
        seconds=seconds,
        replies=tuple(entries.replies),
        _here={},
    )


def _topic(entry: SpokenTopicShape) -> Topic:
    tells = tuple(Lesson(*said.split()) for said in entry.tells)
    return Topic(len(entry.says), tells, tuple(entry.says), entry.after)


def _after(entries: LongFormShape, path: KeyPath) -> str:
    return entries.dialogue[str(path[1])][str(path[2])].after


def _find_unknown_names(entries: LongFormShape, story: IslandStory) -> Iterator[tuple[str, KeyPath, list[str]]]:
    for person, topics in entries.dialogue.items():
        if person not in story.people:
            yield "person", ("dialogue", person), list(story.people)
        for name, topic in topics.items():
            if topic.after is not None and topic.after not in topics:
                yield "topic", ("dialogue", person, name, "after"), list(topics)
    for book in entries.pages:
        if book not in story.books:
            yield "book", ("pages", book), list(story.books)
    for action in entries.seconds:
        if action not in story.seconds:
            yield "action", ("seconds", action), list(story.seconds)
    for goal in story.goals:
        for person in goal.people:
            if person in entries.dialogue and goal.topic not in entries.dialogue[person]:
                yield "topic", ("dialogue", person), [goal.topic]


def topic_chain(topics: Mapping[str, Topic], topic: str) -> list[str]:
    """Return the topics that lead to ``topic``, in the order in which they open, and itself.

    >>> topic_chain(load_long_form().people["cook"].topics, "meals")
    ['greeting', 'camp', 'kitchen', 'meals']
    """
    chain = [topic]
    while (before := topics[chain[0]].after) is not None and before not in chain:
        chain.insert(0, before)
    return chain
