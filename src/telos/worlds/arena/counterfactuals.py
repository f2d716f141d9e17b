"""What squad orders change: forks of a fight go on with an order and without it, and are compared.

Start with `weigh_orders`. Each time a squad behaviour begins, the fight is saved just before. Forks of it go on with
the orders and without them, with the same dice, and are compared by expected damage, exposure and bursts.
`summarize_orders` takes the means by behaviour and task, `summarize_situations` those by situation as well.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from statistics import fmean
from typing import Any

from telos.agents.memory import Fact
from telos.agents.trace import Began
from telos.core.errors import TelosError
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap
from telos.squads.squad import Order, Squad, in_valid_cover, known_enemies
from telos.worlds.arena.battle import SQUAD_STEPS, Battle
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.sim.combat import is_protected
from telos.worlds.arena.sim.constants import TICKS_A_SECOND, WEAPONS

HORIZON = 8.0  # seconds that a fork goes on
CONTACT_SECONDS = 8.0  # after a side has first known of an enemy, its first contact is over
_ALL = "everybody"
_SHOWN_STEPS = 4


# --- results ---


@dataclass(frozen=True, slots=True)
class Conduct:
    """What a side, and the members whose orders are weighed, did in a fork.

    ``dealt`` and ``taken`` are expected damage points of the side; ``exposed`` are seconds in which an enemy had one of
    the members in view and no cover was between them.
    """

    dealt: float
    taken: float
    exposed: float
    bursts: float

    @property
    def net(self) -> float:
        return self.dealt - self.taken

    def minus(self, other: "Conduct") -> "Conduct":
        """Return the differences of the numbers."""
        return Conduct(
            self.dealt - other.dealt,
            self.taken - other.taken,
            self.exposed - other.exposed,
            self.bursts - other.bursts,
        )


@dataclass(frozen=True, slots=True)
class OrderSituation:
    """When, where and against how many an order is given.

    ``contact`` is "before contact", "first contact" or "later"; ``stance`` is that of the member, "in cover" or "in
    the open", or "all in cover" or "some in the open" if the order is everybody's; ``strength`` is "outnumbered",
    "even" or "more" than the enemies that the squad knows of.
    """

    contact: str
    stance: str
    strength: str

    @property
    def parts(self) -> tuple[str, ...]:
        return self.contact, self.stance, self.strength


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """One order, or all orders of a behaviour (``task`` is "everybody"), and what differed with it and without.

    ``effect`` is the mean over forks of what happened with the order minus what happened without; ``instead`` are the
    steps that the member began without it, in the first fork.
    """

    time: float
    squad: str
    behaviour: str
    task: str
    member: str
    order: str
    why: str
    effect: Conduct
    instead: tuple[str, ...]
    situation: OrderSituation
    seed: int = 0  # of the fight

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as data for JSON."""
        keys = ("seed", "time", "squad", "behaviour", "task", "member", "order", "why")
        about = {key: getattr(self, key) for key in keys}
        return {**about, "situation": asdict(self.situation), **_figures(self.effect), "instead": list(self.instead)}


def _figures(effect: Conduct) -> dict[str, float]:
    return {key: round(getattr(effect, key), 3) for key in ("net", "dealt", "taken", "exposed", "bursts")}


@dataclass(frozen=True, slots=True)
class OrderSummary:
    """The mean effect of the orders of one task of a behaviour, with 95% intervals (half widths) of the means.

    ``situation`` is the part of the situation that they have in common, if they were chosen by one.
    """

    behaviour: str
    task: str
    orders: int
    mean: Conduct
    margin: FrozenMap[str, float]
    situation: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as data for JSON; margins are None if there is one order only."""
        margins = {key: None if math.isinf(each) else round(each, 3) for key, each in self.margin.items()}
        return {
            "behaviour": self.behaviour,
            "task": self.task,
            **({"situation": self.situation} if self.situation else {}),
            "orders": self.orders,
            "mean": _figures(self.mean),
            "margin": margins,
        }


def summarize_orders(effects: Iterable[OrderEffect]) -> tuple[OrderSummary, ...]:
    """Return the mean effects by behaviour and task.

    The margins of a single fight are too narrow, as its orders are not independent.
    """
    return _summarize((each, "") for each in effects)


def summarize_situations(effects: Iterable[OrderEffect]) -> tuple[OrderSummary, ...]:
    """Return the mean effects by behaviour, task and each part of the situation; an order counts for every part."""
    return _summarize((each, part) for each in effects for part in each.situation.parts)


def _summarize(effects: Iterable[tuple[OrderEffect, str]]) -> tuple[OrderSummary, ...]:
    groups: dict[tuple[str, str, str], list[OrderEffect]] = {}
    for each, part in effects:
        groups.setdefault((each.behaviour, each.task, part), []).append(each)
    return tuple(
        OrderSummary(
            behaviour,
            task,
            len(found),
            _mean([each.effect for each in found]),
            FrozenMap({key: _margin(found, key) for key in ("net", "exposed", "bursts")}),
            part,
        )
        for (behaviour, task, part), found in sorted(groups.items())
    )


def _mean(found: list[Conduct]) -> Conduct:
    return Conduct(*(fmean(getattr(one, key) for one in found) for key in ("dealt", "taken", "exposed", "bursts")))


def _margin(effects: list[OrderEffect], key: str) -> float:
    """Return the half width of the 95% interval of a mean.

    Orders of one fight resemble each other, so fights are what is counted; the orders of a single fight are counted
    themselves, and the interval is too narrow then.
    """
    numbers = [getattr(each.effect, key) for each in effects]
    seeds = [each.seed for each in effects]
    units = seeds if len(set(seeds)) > 1 else range(len(numbers))
    if len(numbers) < 2:
        return math.inf
    mean, off = fmean(numbers), Counter[int]()
    for unit, number in zip(units, numbers, strict=True):
        off[unit] += number - mean
    squares = sum(each * each for each in off.values())
    return 1.96 * math.sqrt(squares * len(off) / (len(off) - 1)) / len(numbers)


# --- the fight and its forks ---


@dataclass(frozen=True, slots=True)
class OrderMoment:
    """The beginning of a behaviour: the fight just before it, and what is ordered."""

    saved: Mapping[str, Any]
    time: float
    side: str
    squad: str
    behaviour: str
    orders: FrozenMap[str, Order]
    why: str
    contact: str = "later"
    strength: str = "even"
    covered: frozenset[str] = frozenset()  # members who are in valid cover

    def situation(self, member: str | None = None) -> OrderSituation:
        """Return the situation of a member's order; without a member, that of all orders together."""
        if member is not None:
            stance = "in cover" if member in self.covered else "in the open"
        else:
            stance = "all in cover" if self.orders.keys() <= self.covered else "some in the open"
        return OrderSituation(self.contact, stance, self.strength)


def find_order_moments(scene: Scene, *, seed: int, seconds: float | None = None) -> Iterator[OrderMoment]:
    """Play a fight, and yield the moments at which squad behaviours begin."""
    battle = Battle(replace(scene, talk=False), seed=seed)
    limit = scene.seconds if seconds is None else seconds
    first_known: dict[str, float] = {}  # when each side has first known of an enemy
    while not battle.arena.over and battle.arena.time < limit:
        now = battle.arena.time
        is_due = round(now * 10) % SQUAD_STEPS == 0
        saved = battle.save(plans=False) if is_due else {}
        if is_due:
            for side in scene.sides:
                members = [each for each in battle.comrades.values() if each.side == side and each.alive]
                if side not in first_known and known_enemies(members, now):
                    first_known[side] = now
        battle.step()
        if is_due:
            yield from (_moment(saved, side, squad, first_known.get(side)) for side, squad in _begun(battle, now))


def sample_moments(scene: Scene, *, seed: int, most: int | None, seconds: float | None = None) -> list[OrderMoment]:
    """Return ``most`` of the moments of a fight, drawn at random and in the order of time; all of them if None."""
    found = list(find_order_moments(scene, seed=seed, seconds=seconds))
    if most is None or len(found) <= most:
        return found
    places = sorted(Random(seed).sample(range(len(found)), most))
    return [found[place] for place in places]


def _begun(battle: Battle, now: float) -> Iterator[tuple[str, Squad]]:
    """Yield the squads, with their side, that have begun a behaviour."""
    for coordinator in battle.coordinators:
        for squad in coordinator.squads:
            if squad.assignment is not None and squad.assignment.began == now:
                yield coordinator.side, squad


def _moment(saved: Mapping[str, Any], side: str, squad: Squad, first_known: float | None) -> OrderMoment:
    assignment = squad.assignment
    assert assignment is not None
    now = assignment.began
    enemies = len({fact.subject for fact in known_enemies(squad.members, now)})
    ahead = len(squad.members) - enemies
    return OrderMoment(
        saved,
        now,
        side,
        squad.name,
        assignment.behaviour,
        assignment.orders,
        assignment.why,
        contact=_describe_contact(first_known, now),
        strength="outnumbered" if ahead < 0 else "more" if ahead > 0 else "even",
        covered=frozenset(member.name for member in squad.members if in_valid_cover(member, now)),
    )


def _describe_contact(first_known: float | None, now: float) -> str:
    if first_known is None:
        return "before contact"
    return "first contact" if now - first_known <= CONTACT_SECONDS else "later"


class OrderlessBattle(Battle):
    """A fight in which some members never learn of the orders of one behaviour, and their squad does not notice.

    ``unheard`` are their names, ``since`` is the time at which the behaviour begins.
    """

    def __init__(self, scene: Scene, *, seed: int, unheard: Iterable[str], since: float, trace: Trace = silent) -> None:
        super().__init__(scene, seed=seed, trace=trace)
        self._unheard, self._since = frozenset(unheard), since
        self._hidden: dict[str, Fact] = {}

    def _update_squads(self, now: float) -> None:
        for name, order in self._hidden.items():  # for the squad, the orders are where it has put them
            self.comrades[name].memory.note(order)
        super()._update_squads(now)
        self._hidden = {}
        for coordinator in self.coordinators:
            for squad in coordinator.squads:
                if squad.assignment is not None and squad.assignment.began == self._since:
                    for name in self._unheard & squad.assignment.orders.keys():
                        self._hide(name, now)

    def _hide(self, name: str, now: float) -> None:
        memory = self.comrades[name].memory
        order = memory.recall("order", "current", now)
        if order is not None:
            self._hidden[name] = order
            memory.forget("order", "current")


def weigh_orders(
    scene: Scene,
    *,
    seed: int,
    seconds: float | None = None,
    forks: int = 2,
    horizon: float = HORIZON,
) -> Iterator[OrderEffect]:
    """Yield the effect of each order of a fight, in the order of time; "everybody" stands for a whole behaviour."""
    if forks < 1:
        raise TelosError(f"an order needs at least 1 fork, got {forks}")
    if not horizon > 0:
        raise TelosError(f"a fork goes on for more than 0 seconds, got {horizon!r}")
    for moment in find_order_moments(scene, seed=seed, seconds=seconds):
        yield from weigh_moment(scene, moment, seed=seed, forks=forks, horizon=horizon)


def weigh_moment(scene: Scene, moment: OrderMoment, *, seed: int, forks: int, horizon: float) -> Iterator[OrderEffect]:
    """Yield the effect of all orders of a behaviour that begins, then that of each order."""
    names = tuple(moment.orders)

    def play(unheard: tuple[str, ...]) -> "list[ConductWatch]":
        return [
            play_fork(scene, moment, seed=seed, dice=dice, unheard=unheard, horizon=horizon) for dice in range(forks)
        ]

    given, without = play(()), play(names)
    yield _order_effect(moment, seed, None, given, without)
    for name in names:
        # If a behaviour orders only one member, the forks without its order are those without any.
        yield _order_effect(moment, seed, name, given, without if len(names) == 1 else play((name,)))


def _order_effect(
    moment: OrderMoment,
    seed: int,
    member: str | None,
    given: "Sequence[ConductWatch]",
    without: "Sequence[ConductWatch]",
) -> OrderEffect:
    """Return what differs between forks with an order and without it; without a member, that of all orders."""
    who = tuple(moment.orders) if member is None else (member,)
    pairs = zip(given, without, strict=True)
    effect = _mean([one.conduct(who).minus(other.conduct(who)) for one, other in pairs])
    task: str = _ALL
    text, instead = "; ".join(f"{name} {moment.orders[name]}" for name in who), tuple[str, ...]()
    if member is not None:
        task, text, instead = moment.orders[member].task, str(moment.orders[member]), without[0].steps(member)
    return OrderEffect(
        moment.time,
        moment.squad,
        moment.behaviour,
        task,
        member or _ALL,
        text,
        moment.why,
        effect,
        instead,
        moment.situation(member),
        seed,
    )


def play_fork(
    scene: Scene, moment: OrderMoment, *, seed: int, dice: int | None, unheard: Iterable[str], horizon: float
) -> "ConductWatch":
    """Continue a fight from a moment, and return what everybody on the side of the squad did.

    ``unheard`` are those who do not learn of their orders; ``dice`` seeds the shots of the continuation, or None leaves
    them as they fell in the fight.
    """
    watch = ConductWatch(moment.side)
    battle = OrderlessBattle(
        replace(scene, talk=False), seed=seed, unheard=unheard, since=moment.time, trace=watch.note
    )
    battle.restore(moment.saved)
    if dice is not None:
        battle.arena.state.rng.seed(dice)
    end = moment.time + horizon
    while not battle.arena.over and battle.arena.time < end:
        battle.step()
        watch.look(battle)
    return watch


class ConductWatch:
    """Adds up what a side and its members do in a fork."""

    def __init__(self, side: str) -> None:
        self._side = side
        self._dealt = self._taken = 0.0
        self._exposed: Counter[str] = Counter()  # steps of a tenth of a second
        self._bursts: Counter[str] = Counter()
        self._steps: dict[str, dict[str, None]] = {}

    def conduct(self, members: Iterable[str]) -> Conduct:
        """Return the damage of the side, and the exposure and bursts of some members."""
        names = tuple(members)
        exposed, bursts = (sum(each[name] for name in names) for each in (self._exposed, self._bursts))
        return Conduct(self._dealt, self._taken, exposed / TICKS_A_SECOND, bursts)

    def steps(self, name: str) -> tuple[str, ...]:
        """Return the first plan steps that a member began, each once."""
        return tuple(self._steps.get(name, ()))[:_SHOWN_STEPS]

    def note(self, record: object) -> None:
        """Note the steps that members begin."""
        if isinstance(record, Began):
            self._steps.setdefault(record.who, {}).setdefault(record.step)

    def look(self, battle: Battle) -> None:
        """Add up damage, bursts and exposure of the last step."""
        arena = battle.arena
        for shot in arena.expected_damage:
            self._add(battle, shot.shooter, shot.target, shot.damage)
            self._bursts[shot.shooter] += 1
        for event in arena.events:
            if event.action == "hit" and event.context["weapon"] not in WEAPONS:  # grenades and fists, as it happens
                self._add(battle, event.player, str(event.context["target"]), float(event.context["damage"]))
        for name in arena.living(self._side):
            self._exposed[name] += _is_exposed(battle, name)

    def _add(self, battle: Battle, shooter: str, target: str, damage: float) -> None:
        if battle.arena.fighter(target).side == self._side:
            self._taken += damage
        elif battle.arena.fighter(shooter).side == self._side:
            self._dealt += damage


def _is_exposed(battle: Battle, name: str) -> bool:
    """Whether an enemy sees a fighter without cover in between."""
    arena = battle.arena
    me = arena.fighter(name)
    foes = (foe for foe in map(arena.fighter, arena.enemies_of(name)) if arena.sees(foe.name, name))
    return any(not is_protected(arena.state, me, foe.position) for foe in foes)
