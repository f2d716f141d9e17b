"""The world ``forge``: a village, its things, and one or two people in it. It moves them and never decides for them."""

from collections.abc import Mapping

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.state import State
from telos.core.values import Value
from telos.worlds.forge.commands import Command, deeds_of, read_command
from telos.worlds.forge.domain import TO, the_domain, the_village
from telos.worlds.forge.person import Person
from telos.worlds.forge.things import Things
from telos.worlds.forge.views import ForgeView, PersonView
from telos.worlds.forge.work import GOAL_OF, Work, apply

STEP = 0.5  # seconds
PLAYER, COMPANION = "player", "companion"
_HELD = {"free": "nothing", "wood": "some_wood", "hammer": "the_hammer", "apples": "a_basket"}
_POCKETED = {"empty": "bare", "gold": "some_gold", "key": "the_key", "spare": "the_spare"}


class Forge:
    """A village for a player, and a companion if there is one. A step is half a second.

    Whoever gets a command leaves what they were at for it; words are said in passing. An event tells what somebody sets
    about, with how things stood for them.

    >>> village = Forge()
    >>> village.step({"player": "go square"})
    >>> village.events[0].action, village.events[0].context["fire"], village.view().person("player").heading
    ('to-square', 'out', 'square')
    """

    def __init__(self, *, companion: bool = True, seed: int = 0) -> None:
        self.domain, self.village = the_domain(), the_village()
        self.names = (PLAYER, COMPANION) if companion else (PLAYER,)
        self._deeds = {name: deeds_of(self.domain, name) for name in self.names}
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start afresh, at the inn. Nothing here is left to chance; the seed is for those who act in it."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        self.ticks = 0
        self.things = Things()
        self.people = {name: Person(name, "inn", knows=name == COMPANION) for name in self.names}
        self._work = Work(self.domain)
        self._events: list[Event] = []

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self.ticks * STEP

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last step, oldest first."""
        return tuple(self._events)

    @property
    def is_over(self) -> bool:
        """Whether the door is open."""
        return self.things.opened != "not_yet"

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out commands and let half a second pass."""
        read = {name: self._read(name, said) for name, said in commands.items()}
        self._events = []
        for name in self.names:
            if name in read:
                self._obey(self.people[name], read[name])
        self.ticks += 1
        for person in self.people.values():
            self._move(person)
        tended = any(person.post == "bellows" for person in self.people.values())
        if self.things.burn(STEP, tended=tended):
            self._events.append(Event("fire-goes-out", player="fire", time=self.time))

    def check(self, commands: Mapping[str, str]) -> None:
        """Refuse commands that make no sense now; nothing happens either way."""
        for name, said in commands.items():
            self._read(name, said)

    def state_of(self, name: str) -> State:
        """Return how things stand for somebody, in the words of the domain."""
        return self.domain.state(self._values(self._person(name)))

    def view(self) -> ForgeView:
        """Return what can be seen now."""
        things = self.things
        return ForgeView(
            time=self.time,
            players=self.names,
            people=tuple(self._seen(person) for person in self.people.values()),
            fire=things.fire,
            wood=things.wood,
            bellows=self._is_post("bellows"),
            tool=things.tool,
            owed=things.owed,
            opened=things.opened,
        )

    def _person(self, name: str) -> Person:
        if name not in self.people:
            raise TelosError(f"nobody here is called {name!r}", name_hint(name, self.people))
        return self.people[name]

    def _read(self, name: str, said: str) -> Command:
        person = self._person(name)
        deeds = self._deeds[name]
        return read_command(said, deeds, self.village, self.state_of(name), is_walking=person.is_walking)

    def _obey(self, person: Person, command: Command) -> None:
        if command.words:
            self._tell("say", person, text=command.words)
        elif command.place:
            self._set_out(person, command.place)
        elif command.deed is not None:
            self._tell(command.deed.name, person)
            person.begin(command.deed)
        else:
            person.stop()

    def _set_out(self, person: Person, to: str) -> None:
        """Send somebody off; who is between two places turns round if that is the shorter way."""
        village, here = self.village, person.place
        towards, off = self._between(person)
        was_on = person.heading != here
        person.stop()
        route = list(village.route(here, to))
        if towards is not None:
            left = village.ways[here][towards] - off
            if left + village.walk(towards, to) <= off + village.walk(here, to):
                route, person.walked = [towards, *village.route(towards, to)], off
            else:
                person.strayed, was_on = (towards, off), False
        person.legs = route
        person.status = "running" if person.is_walking else "done"
        if route and person.strayed is None and not was_on:
            self._tell(f"{TO}{route[0]}", person)

    def _between(self, person: Person) -> tuple[str | None, float]:
        """Return where somebody is going or coming back from, and how many seconds they are off their last place."""
        if person.strayed is not None:
            return person.strayed
        return (person.legs[0], person.walked) if person.legs and person.walked > 0 else (None, 0.0)

    def _move(self, person: Person) -> None:
        if person.is_walking:
            self._walk(person)
        elif person.deed is not None:
            self._toil(person)

    def _walk(self, person: Person) -> None:
        if person.strayed is not None:
            towards, off = person.strayed
            person.strayed = (towards, off - STEP) if off > STEP else None
            if person.strayed is None and person.legs:
                self._tell(f"{TO}{person.legs[0]}", person)
        else:
            person.walked += STEP
        while person.legs and person.walked >= self.village.ways[person.place][person.legs[0]] - 1e-9:
            person.walked -= self.village.ways[person.place][person.legs[0]]
            person.place = person.legs.pop(0)
            if person.legs:
                self._tell(f"{TO}{person.legs[0]}", person)
        if not person.is_walking:
            person.finish("done")

    def _toil(self, person: Person) -> None:
        deed, others = person.deed, [each for each in self.people.values() if each is not person]
        assert deed is not None
        helped = next((each.post for each in others if each.post in ("bellows", "door")), None)
        crowded = any(each.is_idle and each.place == person.place for each in others)
        outcome = self._work.go_on(person, STEP, self.things, helped=helped, crowded=crowded)
        if outcome is None:
            return
        state = self.state_of(person.name)
        if outcome == "done" and not self._work.is_job(deed.name):  # a job is done, whoever helped with it
            outcome = next((f"it needs {unmet}" for unmet in deed.preconditions.unmet(state)), "done")
        if outcome != "done":
            person.finish("failed", outcome)
            return
        was_shut = not self.is_over
        apply(deed, person, state, self.things)
        person.finish("done")
        if was_shut and self.is_over:
            goal = GOAL_OF[self.things.opened]
            self._events.append(Event("door-opens", player=person.name, time=self.time, goal=goal))

    def _is_post(self, post: str, *, but: str = "") -> bool:
        return any(each.post == post for each in self.people.values() if each.name != but)

    def _values(self, person: Person) -> dict[str, Value]:
        things, other = self.things, next((each for each in self.people.values() if each is not person), None)
        return {
            "at": person.place,
            "hands": person.hands,
            "pocket": person.pocket,
            "fire": things.fire,
            "fuel": things.fuel,
            "bellows": self._is_post("bellows"),
            "tool": things.tool,
            "shoulder": self._is_post("door"),
            "knows": person.knows,
            "owed": things.owed,
            "opened": things.opened,
            "friend": other is not None,
            "other_at": other.heading if other else "inn",
            "other_hands": _HELD[other.hands] if other else "nothing",
            "other_pocket": _POCKETED[other.pocket] if other else "bare",
            "aside": person.post == "aside",
        }

    def _tell(self, action: str, person: Person, **more: Value) -> None:
        context = {**self._values(person), **more}
        self._events.append(Event(action, context, player=person.name, time=self.time))

    def _seen(self, person: Person) -> PersonView:
        (x, y), share = self.village.places[person.place], 0.0
        doing = person.post or "nothing"
        towards, off = self._between(person)
        part = 0.0
        if towards is not None:
            part = off / self.village.ways[person.place][towards]
        u, v = self.village.places[towards or person.place]
        if person.is_walking:
            doing = f"go {person.legs[-1] if person.legs else person.place}"
        elif person.deed is not None:
            doing, share = person.deed.name, self._work.share(person)
        where = (person.place, person.heading, person.hands, person.pocket)
        return PersonView(person.name, x + (u - x) * part, y + (v - y) * part, *where, doing, share)
