"""Forge: people, things, work, commands."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.state import State
from telos.core.values import Value
from telos.worlds.forge.domain import ASK, TO, Village, seconds_of, the_domain, the_village
from telos.worlds.forge.views import ForgeView, PersonView

# --- person -----------------------------------------------------------------------------------------------------------
# Somebody in the village: where they are, what they hold, and what they are about.


@dataclass(slots=True)
class Person:
    """A body. It walks leg by leg, works at one thing at a time, and may stay at a post when that is done."""

    name: str
    place: str
    knows: bool = False  # what the neighbour wants
    hands: str = "free"
    pocket: str = "empty"
    legs: list[str] = field(default_factory=list)  # the places still to be passed, the last being where to
    walked: float = 0.0  # seconds of the present leg
    strayed: tuple[str, float] | None = None  # on the way back from half-way there: where to, and how many seconds off
    deed: Action | None = None
    worked: float = 0.0  # seconds of the present deed
    post: str | None = None  # at the bellows, at the door, or aside
    status: str = "idle"  # idle, running, done or failed
    reason: str = ""

    @property
    def is_walking(self) -> bool:
        """Whether they are between two places."""
        return bool(self.legs) or self.strayed is not None

    @property
    def heading(self) -> str:
        """Return the place they are at, or the next one on their way: what onlookers see."""
        return self.legs[0] if self.legs and self.strayed is None else self.place

    @property
    def is_idle(self) -> bool:
        """Whether they stand about, which may be in somebody's way."""
        return not self.is_walking and self.deed is None and self.post is None

    def begin(self, deed: Action) -> None:
        """Turn to something to do."""
        self.stop()
        self.deed, self.worked, self.status = deed, 0.0, "running"

    def stop(self) -> None:
        """Leave whatever it was, and the post with it."""
        self.legs, self.walked, self.strayed, self.deed, self.post = [], 0.0, None, None, None
        self.status, self.reason = "idle", ""

    def finish(self, status: str, reason: str = "") -> None:
        """End the present deed or walk."""
        self.legs, self.deed, self.walked, self.strayed = [], None, 0.0, None
        self.status, self.reason = status, reason


# --- things -----------------------------------------------------------------------------------------------------------
# The things of the village that change: the fire, the hammer, the neighbour's favour, the door.


ARMFUL = 130.0  # seconds that an armful of wood burns
LITTLE = 30.0  # with less wood than this it is time to fetch more
COOLS = 25.0  # seconds until a hot fire is low when nobody works the bellows


@dataclass(slots=True)
class Things:
    """How things stand. A fire burns down, and cools when nobody works the bellows."""

    wood: float = 0.0  # seconds of it left on the fire
    heat: float = 0.0  # seconds until the fire is low again
    tool: str = "in_shed"
    owed: int = 2
    opened: str = "not_yet"

    @property
    def fire(self) -> str:
        """Whether the fire is out, low or hot.

        >>> Things(wood=20.0, heat=3.0).fire, Things(heat=3.0).fire
        ('hot', 'out')
        """
        if self.wood <= 0:
            return "out"
        return "hot" if self.heat > 0 else "low"

    @property
    def fuel(self) -> bool:
        """Whether there is wood on the fire for a while."""
        return self.wood > LITTLE

    def burn(self, seconds: float, *, tended: bool) -> bool:
        """Let time pass; return whether the fire has just gone out."""
        was = self.wood > 0
        self.wood = max(0.0, self.wood - seconds)
        if not tended:
            self.heat = max(0.0, self.heat - seconds)
        if self.wood <= 0:
            self.heat = 0.0
        return was and self.wood <= 0


# --- work -------------------------------------------------------------------------------------------------------------
# How work goes on: how fast, what stops it, and what it changes when it is done.


CROWDED = 0.8  # how fast one works while somebody stands about in the way
FORGING, FORCING = ("forge-alone", "forge-key"), ("break-door", "break-together", "heave")
GOAL_OF = {"with_key": "key", "by_force": "force", "with_spare": "spare"}


class Work:
    """Knows how many seconds everything takes: what the domain says it costs.

    Forging and breaking are one job each, however it is gone about: what one has done stays done when help comes, or
    goes. ``jobs`` holds how much of each is done, as a share.
    """

    def __init__(self, domain: Domain) -> None:
        self._seconds = {action.name: seconds_of(action) for action in domain.actions}
        self.jobs: dict[str, float] = {}

    def seconds(self, deed: str) -> float:
        """Return how long a deed takes, undisturbed."""
        return self._seconds[deed]

    def is_job(self, deed: str) -> bool:
        """Whether a deed is part of a job that others may help with."""
        return _job(deed) is not None

    def share(self, person: Person) -> float:
        """Return how much of what somebody is doing is done."""
        if person.deed is None:
            return 0.0
        job = _job(person.deed.name)
        return self.jobs.get(job, 0.0) if job else min(1.0, person.worked / self.seconds(person.deed.name))

    def go_on(self, person: Person, seconds: float, things: Things, *, helped: str | None, crowded: bool) -> str | None:
        """Work for some seconds; return "done", what is wrong, or None. ``helped``: the post that somebody else has."""
        assert person.deed is not None
        pace = seconds * (CROWDED if crowded else 1.0)
        job = _job(person.deed.name)
        if job is None:
            person.worked += pace
            return "done" if person.worked >= self.seconds(person.deed.name) - 1e-9 else None
        way = self._way(person, helped)
        if way is None:
            return "it takes two, or a hammer"
        if job == "key" and things.fire == "out":
            return "the fire is out"
        if job == "key":
            things.heat = COOLS  # who forges alone works the bellows in between, which is what takes so long
        self.jobs[job] = self.jobs.get(job, 0.0) + pace / self.seconds(way)
        return "done" if self.jobs[job] >= 1.0 - 1e-9 else None

    def _way(self, person: Person, helped: str | None) -> str | None:
        """Return how the job is gone about now, which may not be how it was begun."""
        assert person.deed is not None
        if person.deed.name in FORGING:
            return "forge-key" if helped == "bellows" else "forge-alone"
        if person.hands == "hammer":
            return "break-together" if helped == "door" else "break-door"
        return "heave" if helped == "door" else None


def _job(deed: str) -> str | None:
    return "key" if deed in FORGING else "door" if deed in FORCING else None


def apply(deed: Action, person: Person, state: State, things: Things) -> None:
    """Let a finished deed change what the domain says it changes."""
    after = deed.result(state)
    person.hands, person.pocket = after["hands"], after["pocket"]
    person.knows = after["knows"]
    things.tool, things.owed, things.opened = after["tool"], after["owed"], after["opened"]
    if deed.name in _ON_FIRE_OR_POST:
        _ON_FIRE_OR_POST[deed.name](person, things)


def _stack(person: Person, things: Things) -> None:
    things.wood = min(2 * ARMFUL, things.wood + ARMFUL)


def _blow(person: Person, things: Things) -> None:
    things.heat = COOLS


def _stay_at(post: str) -> Callable[[Person, Things], None]:
    def stay(person: Person, things: Things) -> None:
        person.post = post
        if post == "bellows":
            things.heat = COOLS

    return stay


# What the domain says in a word, and the village keeps by the second.
_ON_FIRE_OR_POST: dict[str, Callable[[Person, Things], None]] = {
    "light-fire": _stack,
    "feed-fire": _stack,
    "pump": _blow,
    "work-bellows": _stay_at("bellows"),
    "lean-in": _stay_at("door"),
    "step-aside": _stay_at("aside"),
}


# --- commands ---------------------------------------------------------------------------------------------------------
# Commands: ``go PLACE``, the name of an action, ``say WORDS`` or ``wait``; checked before anything happens.


GO, SAY, WAIT = "go", "say", "wait"


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody is told to do: exactly one of a place to go to, a deed, words to say, and waiting."""

    place: str = ""
    deed: Action | None = None
    words: str = ""


def deeds_of(domain: Domain, role: str) -> dict[str, Action]:
    """Return what hands can do, by name; what is said or walked is not among it.

    >>> from telos.worlds.forge.domain import the_domain
    >>> "pan-gold" in deeds_of(the_domain(), "player"), "ask-fire" in deeds_of(the_domain(), "player")
    (True, False)
    """
    return {each.name: each for each in domain.actions_of(role) if not each.name.startswith((TO, ASK))}


def read_command(said: str, deeds: dict[str, Action], village: Village, state: State, *, is_walking: bool) -> Command:
    """Return what a command means, or refuse what makes no sense now."""
    verb, _, rest = said.strip().partition(" ")
    if verb == GO:
        return Command(place=village.known(rest.strip()))
    if verb == SAY:
        if not rest.strip():
            raise TelosError("there is nothing to say", "write the words after `say`")
        return Command(words=rest.strip())
    if said.strip() == WAIT:
        if is_walking:
            raise TelosError("cannot wait between two places", "go to one of them")
        return Command()
    if said.strip() not in deeds:
        raise TelosError(f"there is no command {said!r}", name_hint(said, _known(deeds)))
    deed = deeds[said.strip()]
    if is_walking:
        raise TelosError(f"cannot {deed} now: on the way from {state['at']}", "go somewhere first")
    unmet = deed.preconditions.unmet(state)
    if unmet:
        raise TelosError(f"cannot {deed} now: it needs {' and '.join(map(str, unmet))}")
    return Command(deed=deed)


def _known(deeds: Collection[str]) -> list[str]:
    return [f"{GO} PLACE", f"{SAY} WORDS", WAIT, *deeds]


# --- forge ------------------------------------------------------------------------------------------------------------
# The world ``forge``: a village, its things, and one or two people in it. It moves them and never decides for them.


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
