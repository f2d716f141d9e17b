"""How logs of people are read by planning: one domain file for each game, and what a row of the log means in it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from telos.core.event import Event
from telos.core.files.load import load
from telos.core.values import Value
from telos.recognition.by_planning import Options, PlanModel, PlanReader
from telos.recognition.logs import LogRow
from telos.studies.humans.crafter_model import THINGS
from telos.studies.humans.plays import DATA, Play, Seen, Source

PRESS, IDLE = "press", "idle"
SIGHTS = tuple(f"d_{thing}" for thing in THINGS)  # -1 where nothing of the kind is in view
ACHIEVED = "achieved"  # the context entry that says what the row before achieved, as far as a recogniser may know


class Standing(NamedTuple):
    """How the goals stood at one scored row: what was wasted, what is to go, and which could be meant at all."""

    group: str
    truth: str
    wasted: tuple[float, ...]
    to_go: tuple[float, ...]
    is_open: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """A game whose log can be read by planning: its columns, its domain, and the events that a row stands for."""

    source: Source
    domain: str
    options: Options
    events: Callable[[PlanReader, Seen], Iterator[Event]]

    def reader(self) -> PlanReader:
        """Return a reader that has seen nothing yet."""
        return PlanReader(PlanModel(load(DATA / f"{self.domain}.yaml"), **self.options))


def standings(game: Game, plays: Sequence[Play]) -> Iterator[Standing]:
    """Read every sequence from its start, and yield how the goals stood at each scored row."""
    reader = game.reader()
    for play in plays:
        reader.reset()
        for row in play.rows:
            for event in game.events(reader, row):
                reader.observe(event)
            if row.is_scored and row.truth is not None:
                yield _standing(reader, play.group, row.truth)


def _standing(reader: PlanReader, group: str, truth: str) -> Standing:
    accounts = {each.goal: each for each in reader.why().accounts}
    found = [accounts[goal] for goal in reader.goals]
    is_open = tuple(chance > 0.0 for chance in reader.belief.values())
    to_go = tuple(0.0 if each.to_go is None else each.to_go for each in found)
    return Standing(group, truth, tuple(each.wasted for each in found), to_go, is_open)


def _look_at_life(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return what the columns say about the domain's variables, and what was achieved by the row before."""
    slept = before is not None and before.event.action == "sleep"
    return {**now.event.context, "asleep": slept, ACHIEVED: None if before is None else before.event.goal}


def _live(reader: PlanReader, row: Seen) -> Iterator[Event]:
    """Every key is a press; what it did is seen in the next row. An achievement begins a new pursuit."""
    event = row.event
    achieved = event.context[ACHIEVED]
    if achieved is not None:
        yield Event(IDLE, player=event.player, time=event.time, goal=achieved)
    start = reader.model.start
    told = {name: start[name] if name in SIGHTS and value < 0 else value for name, value in event.context.items()}
    action = IDLE if event.action == "noop" else PRESS
    yield Event(action, told, player=event.player, time=event.time)


# What `interact` does by what is in front and what is held, and the goal that is reached by it.
USES = {
    ("onions", "nothing"): ("take-onion", "get_onion"),
    ("dishes", "nothing"): ("take-dish", "get_dish"),
    ("pot", "onion"): ("pot-onion", "pot_onion"),
    ("pot", "dish"): ("plate-soup", "plate_soup"),
    ("serving", "soup"): ("deliver", "deliver_soup"),
    ("counter", "onion"): ("put-onion", "put_onion_on_counter"),
    ("counter", "dish"): ("put-dish", "put_dish_on_counter"),
    ("counter", "soup"): ("put-soup", "put_soup_on_counter"),
    ("counter", "nothing"): ("pick-onion", "take_onion_from_counter"),  # most often; nobody sees what lies there
}
DISTANCES = ("d_onions", "d_dishes", "d_pot", "d_serving")


def _look_at_kitchen(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return what position says, and nothing of what hands and pots hold."""
    here = now.event.context
    shown = {name: max(1, int(here[name])) for name in DISTANCES}
    return {**shown, "facing_tile": here["facing_tile"], "last": "nothing_yet"}


def _cook(reader: PlanReader, row: Seen) -> Iterator[Event]:
    """What the cook holds is known from what was done; an `interact` that could do nothing is a press like another."""
    event = row.event
    use = USES.get((str(event.context["facing_tile"]), str(reader.state["held"])))
    if event.action == "interact" and use is not None:
        yield Event(use[0], event.context, player=event.player, time=event.time, goal=use[1])
    else:
        action = IDLE if event.action == "stay" else PRESS
        yield Event(action, event.context, player=event.player, time=event.time)


# The log tells how things stand after every key, and that is the player's doing; plays are long, and old steps say
# little about what is pursued now.
_TOLD: Options = {"luck": False, "ignores": (IDLE,), "sees_all": True}
GAMES = {
    "crafter": Game(
        Source("crafter-planning", idle="noop", look=_look_at_life),
        "crafter-domain",
        {**_TOLD, "relevance": True, "lasts": 30.0},
        _live,
    ),
    "overcooked": Game(
        Source("overcooked", idle="stay", look=_look_at_kitchen, group="pair"),
        "overcooked-domain",
        {**_TOLD, "lasts": 30.0},
        _cook,
    ),
}
