"""How work goes on: how fast, what stops it, and what it changes when it is done."""

from collections.abc import Callable

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.state import State
from telos.worlds.forge.domain import seconds_of
from telos.worlds.forge.person import Person
from telos.worlds.forge.things import ARMFUL, COOLS, Things

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
