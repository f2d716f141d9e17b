"""Helpers that play the island by hand."""

from telos.core.event import Event
from telos.worlds.island.island import Island


def do(island: Island, *commands: str) -> Event:
    """Carry out commands and return the last event."""
    for command in commands:
        island.step({island.player: command})
    return island.events[0]


def go(island: Island, to: str) -> None:
    """Walk to a place and open doors on the way."""
    for place in island.story.map.route(island.view().place, to):
        way = island.story.map.way(island.view().place, place)
        assert way is not None
        if way.door in island.view().closed:
            do(island, f"open {way.door}")
        do(island, f"move {place}")


def hear(island: Island, person: str, topic: str) -> list[Event]:
    """Go to a person and hear a topic to its end."""
    go(island, island.story.people[person].at)
    do(island, f"talk {person}")
    lines = island.story.people[person].topics[topic].lines
    return [do(island, f"ask {topic}") for _ in range(lines)]


def fetch(island: Island, thing: str) -> None:
    """Go to a thing and pick it up."""
    go(island, island.story.things[thing].at)
    do(island, f"pick-up {thing}")
