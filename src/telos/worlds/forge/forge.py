"""The world ``forge``: a village, its things, and one or two people. Commands move them; the world decides nothing.

``Forge`` is the world; ``read_command`` parses and checks what people are told to do.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.state import State
from telos.core.values import Value
from telos.worlds.forge.domain import ASK, TO, Village, load_forge_domain, load_village, seconds_of
from telos.worlds.forge.views import ForgeView, VillagerView

ARMFUL = 130.0  # burning time of an armful of wood, in seconds
LITTLE = 30.0  # below this much wood the fire needs more
COOLS = 25.0  # seconds until a hot fire is low without the bellows
CROWDED = 0.8  # working speed while somebody stands in the way
FORGING, FORCING = ("forge-alone", "forge-key"), ("break-door", "break-together", "heave")
GOAL_OF = {"with_key": "key", "by_force": "force", "with_spare": "spare"}
GO, SAY, WAIT = "go", "say", "wait"
STEP = 0.5  # seconds
PLAYER, COMPANION = "player", "companion"
_HELD = {"free": "nothing", "wood": "some_wood", "hammer": "the_hammer", "apples": "a_basket"}
_POCKETED = {"empty": "bare", "gold": "some_gold", "key": "the_key", "spare": "the_spare"}


# --- people and things ---


@dataclass(slots=True)
class Villager:
    """The body of a person: it walks leg by leg, works at one action at a time, and may stay at a post afterwards."""

    name: str
    place: str
    knows: bool = False  # that the neighbour wants apples
    hands: str = "free"
    pocket: str = "empty"
    legs: list[str] = field(default_factory=list)  # the places ahead, the last one being the destination
    walked: float = 0.0  # seconds of the present leg
    strayed: tuple[str, float] | None = None  # on the way back: the place not reached, and the seconds to go back
    action: Action | None = None
    worked: float = 0.0  # seconds of the present action
    post: str | None = None  # at the bellows, at the door, or aside
    status: str = "idle"  # idle, running, done or failed
    reason: str = ""

    @property
    def is_walking(self) -> bool:
        """Whether the person is between two places."""
        return bool(self.legs) or self.strayed is not None

    @property
    def heading(self) -> str:
        """The present place, or the next one on the way."""
        return self.legs[0] if self.legs and self.strayed is None else self.place

    @property
    def is_idle(self) -> bool:
        """Whether the person stands about, possibly in somebody's way."""
        return not self.is_walking and self.action is None and self.post is None

    def begin(self, action: Action) -> None:
        """Start an action."""
        self.stop()
        self.action, self.worked, self.status = action, 0.0, "running"

    def stop(self) -> None:
        """Stop walking or working and leave the post."""
        self.legs, self.walked, self.strayed, self.action, self.post = [], 0.0, None, None, None
        self.status, self.reason = "idle", ""

    def finish(self, status: str, reason: str = "") -> None:
        """End the present action or walk."""
        self.legs, self.action, self.walked, self.strayed = [], None, 0.0, None
        self.status, self.reason = status, reason


@dataclass(slots=True)
class VillageState:
    """The state of the things. A fire burns down, and cools while nobody works the bellows."""

    wood: float = 0.0  # seconds of burning left
    heat: float = 0.0  # seconds until the fire is low again
    tool: str = "in_shed"
    owed: int = 2
    opened: str = "not_yet"

    @property
    def fire(self) -> str:
        """``out``, ``low`` or ``hot``.

        >>> VillageState(wood=20.0, heat=3.0).fire, VillageState(heat=3.0).fire
        ('hot', 'out')
        """
        if self.wood <= 0:
            return "out"
        return "hot" if self.heat > 0 else "low"

    @property
    def fuel(self) -> bool:
        """Whether enough wood is on the fire."""
        return self.wood > LITTLE

    def burn(self, seconds: float, *, tended: bool) -> bool:
        """Advance the fire by ``seconds``; return whether it has just gone out."""
        was = self.wood > 0
        self.wood = max(0.0, self.wood - seconds)
        if not tended:
            self.heat = max(0.0, self.heat - seconds)
        if self.wood <= 0:
            self.heat = 0.0
        return was and self.wood <= 0


# --- work ---


class WorkProgress:
    """Durations of actions (their costs in the domain) and the progress of the two shared jobs.

    Forging and breaking the door are one job each, whatever the method: progress stays when a helper comes or goes.
    ``jobs`` holds the share of each that is done.
    """

    def __init__(self, domain: Domain) -> None:
        self._seconds = {action.name: seconds_of(action) for action in domain.actions}
        self.jobs: dict[str, float] = {}

    def seconds(self, action: str) -> float:
        """Return the undisturbed duration of an action."""
        return self._seconds[action]

    def is_job(self, action: str) -> bool:
        """Whether an action belongs to a job that others may help with."""
        return _job(action) is not None

    def share(self, person: Villager) -> float:
        """Return the progress of a person's action from 0 to 1."""
        if person.action is None:
            return 0.0
        job = _job(person.action.name)
        return self.jobs.get(job, 0.0) if job else min(1.0, person.worked / self.seconds(person.action.name))

    def advance(
        self, person: Villager, seconds: float, things: VillageState, *, helped: str | None, crowded: bool
    ) -> str | None:
        """Work for some seconds; return "done", what is wrong, or None. ``helped`` is the post that a helper holds."""
        assert person.action is not None
        pace = seconds * (CROWDED if crowded else 1.0)
        job = _job(person.action.name)
        if job is None:
            person.worked += pace
            return "done" if person.worked >= self.seconds(person.action.name) - 1e-9 else None
        way = self._method(person, helped)
        if way is None:
            return "it takes two, or a hammer"
        if job == "key" and things.fire == "out":
            return "the fire is out"
        if job == "key":
            things.heat = COOLS  # a person alone works the bellows in between, which is why it takes longer
        self.jobs[job] = self.jobs.get(job, 0.0) + pace / self.seconds(way)
        return "done" if self.jobs[job] >= 1.0 - 1e-9 else None

    def _method(self, person: Villager, helped: str | None) -> str | None:
        """Return the method of the job now, which may differ from the one it was started with."""
        assert person.action is not None
        if person.action.name in FORGING:
            return "forge-key" if helped == "bellows" else "forge-alone"
        if person.hands == "hammer":
            return "break-together" if helped == "door" else "break-door"
        return "heave" if helped == "door" else None


def _job(action: str) -> str | None:
    return "key" if action in FORGING else "door" if action in FORCING else None


def apply_effects(action: Action, person: Villager, state: State, things: VillageState) -> None:
    """Apply the effects of a finished action as the domain states them."""
    after = action.result(state)
    person.hands, person.pocket = after["hands"], after["pocket"]
    person.knows = after["knows"]
    things.tool, things.owed, things.opened = after["tool"], after["owed"], after["opened"]
    if action.name in _ON_FIRE_OR_POST:
        _ON_FIRE_OR_POST[action.name](person, things)


def _stack(person: Villager, things: VillageState) -> None:
    things.wood = min(2 * ARMFUL, things.wood + ARMFUL)


def _blow(person: Villager, things: VillageState) -> None:
    things.heat = COOLS


def _stay_at(post: str) -> Callable[[Villager, VillageState], None]:
    def stay(person: Villager, things: VillageState) -> None:
        person.post = post
        if post == "bellows":
            things.heat = COOLS

    return stay


# Effects that the domain states in a word and the village keeps by the second.
_ON_FIRE_OR_POST: dict[str, Callable[[Villager, VillageState], None]] = {
    "light-fire": _stack,
    "feed-fire": _stack,
    "pump": _blow,
    "work-bellows": _stay_at("bellows"),
    "lean-in": _stay_at("door"),
    "step-aside": _stay_at("aside"),
}


# --- commands: `go PLACE`, an action, `say WORDS` or `wait` ---


@dataclass(frozen=True, slots=True)
class ForgeCommand:
    """A parsed command: a place to go to, an action, words to say, or none of these (wait)."""

    place: str = ""
    action: Action | None = None
    words: str = ""


def manual_actions(domain: Domain, role: str) -> dict[str, Action]:
    """Return the actions done by hand, by name: not walking, not asking.

    >>> from telos.worlds.forge.domain import load_forge_domain
    >>> actions = manual_actions(load_forge_domain(), "player")
    >>> "pan-gold" in actions, "ask-fire" in actions
    (True, False)
    """
    return {each.name: each for each in domain.actions_of(role) if not each.name.startswith((TO, ASK))}


def read_command(
    said: str, actions: dict[str, Action], village: Village, state: State, *, is_walking: bool
) -> ForgeCommand:
    """Parse a command; raise a ``TelosError`` if it is not possible now."""
    verb, _, rest = said.strip().partition(" ")
    if verb == GO:
        return ForgeCommand(place=village.known(rest.strip()))
    if verb == SAY:
        if not rest.strip():
            raise TelosError("there is nothing to say", "write the words after `say`")
        return ForgeCommand(words=rest.strip())
    if said.strip() == WAIT:
        if is_walking:
            raise TelosError("cannot wait between two places", "go to one of them")
        return ForgeCommand()
    if said.strip() not in actions:
        raise TelosError(f"there is no command {said!r}", name_hint(said, _known(actions)))
    action = actions[said.strip()]
    if is_walking:
        raise TelosError(f"cannot {action} now: on the way from {state['at']}", "go somewhere first")
    unmet = action.preconditions.unmet(state)
    if unmet:
        raise TelosError(f"cannot {action} now: it needs {' and '.join(map(str, unmet))}")
    return ForgeCommand(action=action)


def _known(actions: Collection[str]) -> list[str]:
    return [f"{GO} PLACE", f"{SAY} WORDS", WAIT, *actions]


# --- the world ---


class Forge:
    """A village for a player and, optionally, a companion. A step is half a second.

    A command interrupts what its person was doing; words are said in passing. An event reports the start of an action
    with the state as that person sees it.

    >>> village = Forge()
    >>> village.step({"player": "go square"})
    >>> village.events[0].action, village.events[0].context["fire"], village.view().person("player").heading
    ('to-square', 'out', 'square')
    """

    def __init__(self, *, companion: bool = True, seed: int = 0) -> None:
        self.domain, self.village = load_forge_domain(), load_village()
        self.names = (PLAYER, COMPANION) if companion else (PLAYER,)
        self._actions = {name: manual_actions(self.domain, name) for name in self.names}
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Return everybody to the inn. The world is deterministic; the seed is for those who act in it."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        self.ticks = 0
        self.things = VillageState()
        self.people = {name: Villager(name, "inn", knows=name == COMPANION) for name in self.names}
        self._work = WorkProgress(self.domain)
        self._events: list[Event] = []

    @property
    def time(self) -> float:
        """The seconds since the start."""
        return self.ticks * STEP

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the last step, oldest first."""
        return tuple(self._events)

    @property
    def is_over(self) -> bool:
        """Whether the door is open."""
        return self.things.opened != "not_yet"

    def step(self, commands: Mapping[str, str]) -> None:
        """Carry out commands and advance by half a second."""
        read = {name: self._read(name, said) for name, said in commands.items()}
        self._events = []
        for name in self.names:
            if name in read:
                self._execute(self.people[name], read[name])
        self.ticks += 1
        for person in self.people.values():
            self._move(person)
        tended = any(person.post == "bellows" for person in self.people.values())
        if self.things.burn(STEP, tended=tended):
            self._events.append(Event("fire-goes-out", player="fire", time=self.time))

    def check(self, commands: Mapping[str, str]) -> None:
        """Raise a ``TelosError`` for commands that are not possible now; changes nothing."""
        for name, said in commands.items():
            self._read(name, said)

    def state_of(self, name: str) -> State:
        """Return the state of the domain as a person sees it."""
        return self.domain.state(self._values(self._person(name)))

    def view(self) -> ForgeView:
        """Return the visible state."""
        things = self.things
        return ForgeView(
            time=self.time,
            players=self.names,
            people=tuple(self._to_view(person) for person in self.people.values()),
            fire=things.fire,
            wood=things.wood,
            bellows=self._is_post("bellows"),
            tool=things.tool,
            owed=things.owed,
            opened=things.opened,
        )

    def _person(self, name: str) -> Villager:
        if name not in self.people:
            raise TelosError(f"there is no person {name!r}", name_hint(name, self.people))
        return self.people[name]

    def _read(self, name: str, said: str) -> ForgeCommand:
        person = self._person(name)
        actions = self._actions[name]
        return read_command(said, actions, self.village, self.state_of(name), is_walking=person.is_walking)

    def _execute(self, person: Villager, command: ForgeCommand) -> None:
        if command.words:
            self._emit("say", person, text=command.words)
        elif command.place:
            self._set_out(person, command.place)
        elif command.action is not None:
            self._emit(command.action.name, person)
            person.begin(command.action)
        else:
            person.stop()

    def _set_out(self, person: Villager, to: str) -> None:
        """Start a walk; a person between two places turns round if that is shorter."""
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
            self._emit(f"{TO}{route[0]}", person)

    def _between(self, person: Villager) -> tuple[str | None, float]:
        """Return the place a person walks to or back from, and the seconds since their last place."""
        if person.strayed is not None:
            return person.strayed
        return (person.legs[0], person.walked) if person.legs and person.walked > 0 else (None, 0.0)

    def _move(self, person: Villager) -> None:
        if person.is_walking:
            self._walk(person)
        elif person.action is not None:
            self._advance_work(person)

    def _walk(self, person: Villager) -> None:
        if person.strayed is not None:
            towards, off = person.strayed
            person.strayed = (towards, off - STEP) if off > STEP else None
            if person.strayed is None and person.legs:
                self._emit(f"{TO}{person.legs[0]}", person)
        else:
            person.walked += STEP
        while person.legs and person.walked >= self.village.ways[person.place][person.legs[0]] - 1e-9:
            person.walked -= self.village.ways[person.place][person.legs[0]]
            person.place = person.legs.pop(0)
            if person.legs:
                self._emit(f"{TO}{person.legs[0]}", person)
        if not person.is_walking:
            person.finish("done")

    def _advance_work(self, person: Villager) -> None:
        action, others = person.action, [each for each in self.people.values() if each is not person]
        assert action is not None
        helped = next((each.post for each in others if each.post in ("bellows", "door")), None)
        crowded = any(each.is_idle and each.place == person.place for each in others)
        outcome = self._work.advance(person, STEP, self.things, helped=helped, crowded=crowded)
        if outcome is None:
            return
        state = self.state_of(person.name)
        if outcome == "done" and not self._work.is_job(action.name):  # a job has no preconditions to check again
            outcome = next((f"it needs {unmet}" for unmet in action.preconditions.unmet(state)), "done")
        if outcome != "done":
            person.finish("failed", outcome)
            return
        was_shut = not self.is_over
        apply_effects(action, person, state, self.things)
        person.finish("done")
        if was_shut and self.is_over:
            goal = GOAL_OF[self.things.opened]
            self._events.append(Event("door-opens", player=person.name, time=self.time, goal=goal))

    def _is_post(self, post: str, *, but: str = "") -> bool:
        return any(each.post == post for each in self.people.values() if each.name != but)

    def _values(self, person: Villager) -> dict[str, Value]:
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

    def _emit(self, action: str, person: Villager, **more: Value) -> None:
        context = {**self._values(person), **more}
        self._events.append(Event(action, context, player=person.name, time=self.time))

    def _to_view(self, person: Villager) -> VillagerView:
        (x, y), share = self.village.places[person.place], 0.0
        doing = person.post or "nothing"
        towards, off = self._between(person)
        part = 0.0
        if towards is not None:
            part = off / self.village.ways[person.place][towards]
        u, v = self.village.places[towards or person.place]
        if person.is_walking:
            doing = f"go {person.legs[-1] if person.legs else person.place}"
        elif person.action is not None:
            doing, share = person.action.name, self._work.share(person)
        where = (person.place, person.heading, person.hands, person.pocket)
        return VillagerView(person.name, x + (u - x) * part, y + (v - y) * part, *where, doing, share)
