"""Minds for the people of ``home``: the loop of view, decide and step."""

from collections.abc import Collection, Iterator, Mapping

from telos.agents.motives import Decision, MotiveMind
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap
from telos.worlds.home import home
from telos.worlds.home.home import MOTIVE_NAMES, Home
from telos.worlds.home.house import MOTIVES
from telos.worlds.home.motives_file import MotiveTable
from telos.worlds.home.trace import (
    Accident,
    Began,
    Delivered,
    Finished,
    HomeChoice,
    HomeEnded,
    HomeStarted,
    Interrupted,
    Levels,
    Poked,
)
from telos.worlds.home.views import HomeView, PersonView, clock_of, day_of

_STAGES = {"begins": Began, "finishes": Finished, "stops": Interrupted}


class Household:
    """People who live in ``home`` by their motives; those in ``played`` wait for commands instead.

    >>> seen = []
    >>> household = Household(people=1, seed=7, trace=seen.append)
    >>> household.live(minutes=60)
    >>> first = next(record for record in seen if isinstance(record, HomeChoice))
    >>> first.clock, first.action, first.why
    ('07:00', 'bookshelf.read', 'fun 1.6 → 0.1')
    """

    def __init__(self, people: int = 3, *, seed: int = 0, played: Collection[str] = (), trace: Trace = silent) -> None:
        self.home = Home(people, seed=seed)
        self.view = self.home.view()
        names = self.view.players
        unknown = sorted(set(played) - set(names))
        if unknown:
            raise TelosError(f"there is no person {unknown[0]!r}", name_hint(unknown[0], names))
        self.played = frozenset(played)
        self.minds = {name: MotiveMind(MOTIVES) for name in names}
        self.decisions: dict[str, Decision] = {}  # the latest of each person
        self.trace = trace
        trace(HomeStarted(*_moment(self.home.time), world="home", seed=seed, people=names))

    def poke(self, name: str) -> None:
        """Apply an intervention before the next minute; ``telos.worlds.home.POKES`` lists them."""
        home.apply_poke(self.home, name)
        self.view = self.home.view()

    def set_motives(self, table: MotiveTable) -> None:
        """Let everybody live by other motives from now on; levels and what they are doing stay."""
        for name, body in self.home.bodies.items():
            body.set_drift(table.motives, table.nightly)
            self.minds[name] = MotiveMind(table.motives, urgent=table.urgent)
        self.view = self.home.view()

    def step(self, told: Mapping[str, str] | None = None) -> HomeView:
        """Let those decide who have no current action, or a reason to change it; advance by a minute; return the view.

        People in ``told`` (person to action name) follow that command instead of deciding; an invalid command raises a
        ``TelosError`` before anybody has decided.
        """
        self.home.check(told or {})
        commands = dict(told or {})
        for person in self.view.people:
            if person.name in commands or person.name in self.played:
                continue
            decision = self._decide(person)
            if decision is not None and decision.action.on not in (
                told or {}
            ):  # a commanded person is not free to talk
                commands[person.name] = decision.action.name
        if self.view.time % 60 == 0:
            self._emit_levels()
        self.home.step(commands)
        for event in self.home.events:
            self._emit(event)
        self.view = self.home.view()
        return self.view

    def live(self, *, minutes: int) -> None:
        """Advance by ``minutes``."""
        for _ in self.minutes(minutes):
            pass

    def minutes(self, count: int) -> Iterator[HomeView]:
        """Advance by ``count`` minutes and yield the view after each."""
        if count < 0:
            raise TelosError(f"minutes must be zero or more, got {count}")
        for _ in range(count):
            yield self.step()
        self._emit_levels()
        self.trace(HomeEnded(*_moment(self.home.time), minutes=count))

    def _decide(self, person: PersonView) -> Decision | None:
        """Return what ``person`` starts now, or None if they continue."""
        mind = self.minds[person.name]
        doing = None if person.doing is None else self.home.activity(person.doing).action
        restless = mind.restless(doing, person.levels) if doing is not None and person.interruptible else None
        if doing is not None and restless is None:
            return None
        offers = self.home.offers(person.name)
        travel = {offer.action.name: offer.travel for offer in offers}
        decision = mind.decide(
            [offer.action for offer in offers],
            person.levels,
            drift=person.drift,
            travel=lambda action: travel[action.name],
        )
        if doing is not None and not mind.reconsider(doing, decision):
            return None
        self.decisions[person.name] = decision
        activity = self.home.activity(decision.action.name)
        self.trace(
            HomeChoice(
                *_moment(self.home.time),
                person=person.name,
                action=decision.action.name,
                activity=activity.kind,
                words=activity.words,
                value=decision.choice.value,
                why=decision.why,
                runner_up=decision.runner_up,
                travel=travel[decision.action.name],
                instead_of=person.doing,
                because=restless,
            )
        )
        return decision

    def _emit_levels(self) -> None:
        for person in self.view.people:
            self.trace(Levels(*_moment(self.view.time), person.name, person.room, person.doing, person.levels))

    def _emit(self, event: Event) -> None:
        when = _moment(int(event.time))
        if event.action == "delivery":
            self.trace(Delivered(*when, food=event.context["food"]))
        elif event.action == "accident":
            self.trace(Accident(*when, person=event.player, room=event.context["room"]))
        elif event.player == home.ONLOOKER:
            self.trace(Poked(*when, poke=event.action, words=event.context["words"]))
        elif event.context["stage"] in _STAGES:
            activity = self.home.activity(event.action)
            levels = FrozenMap({name: event.context[name] for name in MOTIVE_NAMES})
            record = _STAGES[event.context["stage"]]
            self.trace(
                record(*when, event.player, event.action, activity.kind, activity.words, event.context["room"], levels)
            )


def _moment(time: int) -> tuple[int, int, str]:
    return time, day_of(time), clock_of(time)
