"""Get-to-cover and advance-cover: some run to cover while one suppresses."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.squads.behaviours.protocol import RUNNING, NotNow, Verdict, continued, failed_verdict, fulfilled_verdict
from telos.squads.behaviours.slots import (
    RunCosts,
    assign_nodes,
    choose_suppressed,
    choose_target,
    find_free_cover,
    find_suppressors,
    is_threatened,
    run_cost,
    sees_enemy,
)
from telos.squads.squad import (
    Assignment,
    Member,
    Order,
    OrderTask,
    Squad,
    as_number,
    distance_to,
    in_valid_cover,
    is_order_done,
    known_enemies,
    node_position,
    refusal_reason,
    self_report,
)

Arrived: TypeAlias = Callable[[Member, Order, float], bool]

MIN_ADVANCE = 2.0  # metres nearer to the threat that justify leaving good cover
OVERWHELMING = 3  # members for each known enemy, from which on they run through its view while one suppresses
MAX_METRES_UNSEEN = 1.0  # in view of the enemy, up to which a run needs no suppressive fire
LEAST_AWAY = 8.0  # metres from the nearest enemy, within which nobody is sent to get a view of it


# --- fire and movement ---


def reason_not_to_run(squad: Squad, now: float) -> NotNow | None:
    """Return why no run under fire is possible, whatever the cover."""
    if len(squad.members) < 2:
        return NotNow("there is nobody to suppress meanwhile")
    return None if known_enemies(squad.members, now) else NotNow("no enemy is known")


def fire_and_move(
    squad: Squad, costs: RunCosts, task: OrderTask, now: float, *, most: int, is_urgent: bool
) -> dict[str, Order] | NotNow:
    """Choose one member to suppress and up to ``most`` others to run, those with the cheapest runs.

    Somebody in cover suppresses, or else somebody with nowhere to go. If there is neither, an urgent run goes without,
    except against a single enemy: once that is kept down, nobody fires at the suppressor.
    """
    if not needs_suppression(squad, costs, now):
        runs = order_runs(squad, costs, task, now, most=most)
        return runs or NotNow("nobody has cover to go to")
    able = find_suppressors(squad.members, now)
    if not able:
        return NotNow("nobody who knows the enemy has a loaded weapon")
    is_alone = len({fact.subject for fact in known_enemies(squad.members, now)}) == 1
    # The best one suppresses, unless nobody is left to run.
    for suppressor in able:
        others = {name: each for name, each in costs.items() if name != suppressor.name}
        is_safe = is_alone or in_valid_cover(suppressor, now) or not costs.get(suppressor.name)
        if is_urgent and not is_safe and len(assign_nodes(costs)) > len(assign_nodes(others)):
            return order_runs(squad, costs, task, now, most=most)
        runs = order_runs(squad, others, task, now, most=most)
        if runs:
            runners = [member for member in squad.members if member.name in runs]
            target = choose_suppressed(suppressor, runners, now)
            return {suppressor.name: Order("suppress", target=target), **runs}
    return NotNow(f"only {able[0].name} could suppress, and only {able[0].name} has cover to go to")


def needs_suppression(squad: Squad, costs: RunCosts, now: float) -> bool:
    """Whether one of the cheapest runs leads through the view of an enemy, as far as the runners know."""
    nodes = assign_nodes(costs)
    facts = (member.memory.recall("cover", nodes[member.name], now) for member in squad.members if member.name in nodes)
    return any(fact is not None and as_number(fact.get("in_view")) > MAX_METRES_UNSEEN for fact in facts)


def order_runs(squad: Squad, costs: RunCosts, task: OrderTask, now: float, *, most: int) -> dict[str, Order]:
    """Return the orders of the cheapest runs, each to a node of its own."""
    nodes = assign_nodes(costs)
    orders = {}
    for name in sorted(nodes, key=lambda name: (costs[name][nodes[name]], name))[:most]:
        runner = [member for member in squad.members if member.name == name]
        orders[name] = Order(task, node=nodes[name], place=node_position(nodes[name], runner, now))
    return orders


def describe_runs(orders: Mapping[str, Order]) -> str:
    """Return as text who runs where while who suppresses."""
    runs, suppressor = _list_runs(orders), find_suppressing(orders)
    return f"{runs}; nobody can suppress from cover" if suppressor is None else f"{runs} while {suppressor} suppresses"


def _list_runs(orders: Mapping[str, Order]) -> str:
    return ", ".join(f"{name} can run to {order.node}" for name, order in orders.items() if order.task != "suppress")


def find_suppressing(orders: Mapping[str, Order]) -> str | None:
    """Return who is ordered to suppress, if anybody is."""
    return next((name for name, order in orders.items() if order.task == "suppress"), None)


def watch_runs(assignment: Assignment, squad: Squad, now: float, arrived: Arrived) -> Verdict:
    """Judge the runs: all must arrive. Death, refusal, or a node that no longer protects means failure."""
    running = False
    for name, order in assignment.orders.items():
        if order.task == "suppress":
            continue
        member = squad.member(name)
        if member is None:
            return failed_verdict(f"{name} is dead")
        if arrived(member, order, now):
            continue
        if not _protects(member, order, now):
            return failed_verdict(f"{order.node} no longer protects {name}")
        why = refusal_reason(member, order, now)
        if why is not None:
            return failed_verdict(why)
        running = True
    return (
        _watch_suppression(assignment, squad, now) if running else fulfilled_verdict("everyone who was to run is there")
    )


def _protects(member: Member, order: Order, now: float) -> bool:
    fact = member.memory.recall("cover", order.node or "", now)
    if fact is not None and not fact.get("valid"):
        return False
    return self_report(member, "at", now) != order.node or in_valid_cover(member, now)


def _watch_suppression(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    """Go on while a member suppresses; otherwise find another one for the slot."""
    name = find_suppressing(assignment.orders)
    if name is None:
        return RUNNING
    order, member = assignment.orders[name], squad.member(name)
    why = f"{name} is dead" if member is None else refusal_reason(member, order, now)
    if member is not None and why is None:
        return _update_target(assignment, member, order, now)
    able = (each for each in find_suppressors(squad.members, now) if each.name not in assignment.orders)
    spare = next((each for each in able if not _refused_since(each, assignment.since, now)), None)
    if spare is None:
        return failed_verdict(f"{why}, and nobody else can suppress")
    runs = {each: order for each, order in assignment.orders.items() if each != name}
    runners = [member for member in squad.members if member.name in runs]
    orders = {spare.name: Order("suppress", target=choose_suppressed(spare, runners, now)), **runs}
    return continued(assignment.reordered(orders, f"{why}; {spare.name} suppresses instead"))


def _update_target(assignment: Assignment, member: Member, order: Order, now: float) -> Verdict:
    """Go on; choose another target if the first one is no longer known."""
    known = {fact.subject for fact in known_enemies([member], now)}
    if not known or order.target in known:
        return RUNNING
    aimed = replace(order, target=choose_target(member, now))
    orders = {**assignment.orders, member.name: aimed}
    return continued(assignment.reordered(orders, f"{order.target} is gone; {member.name} suppresses {aimed.target}"))


def _refused_since(member: Member, time: float, now: float) -> bool:
    """Whether a member has refused an order since ``time``; without this, two could pass one back and forth forever."""
    answer = member.memory.recall("order_refused", "current", now)
    return answer is not None and answer.time >= time


# --- get to cover ---


@dataclass(frozen=True, slots=True)
class GetToCover:
    """All members in the open run to cover while one suppresses.

    Needs an enemy, a member to suppress it, and another in the open who knows free cover.
    """

    name: str = "get-to-cover"
    limit: float = 15.0
    cooldown: float = 2.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send members in the open to cover, each to a node of its own."""
        reason = reason_not_to_run(squad, now)
        if reason is not None:
            return reason
        in_the_open = [member for member in squad.members if not in_valid_cover(member, now)]
        if not in_the_open:
            return NotNow("everyone is in valid cover")
        exposed = [member for member in in_the_open if is_threatened(member, now)]
        if not exposed:
            return NotNow(f"{_format_names(in_the_open)} in the open, but not threatened")
        covers = {
            each.name: {f.subject: run_cost(each, f, now) for f in find_free_cover(each, squad.taken, now)}
            for each in exposed
        }
        if not any(covers.values()):
            return NotNow(f"{_format_names(exposed)} in the open, with nowhere to go")
        orders = fire_and_move(squad, covers, "cover", now, most=len(exposed), is_urgent=True)
        if isinstance(orders, NotNow):
            return orders
        return Assignment.create(
            self.name, orders, f"{_format_names(exposed)} in the open; {describe_runs(orders)}", now
        )

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all runners are in valid cover, at any node."""
        return watch_runs(assignment, squad, now, _has_cover)


def _has_cover(member: Member, order: Order, now: float) -> bool:
    return in_valid_cover(member, now)


def _format_names(members: list[Member]) -> str:
    return f"{_join_names([member.name for member in members])} {'is' if len(members) == 1 else 'are'}"


def _join_names(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


# --- advance cover ---


@dataclass(frozen=True, slots=True)
class AdvanceCover:
    """Who sees no enemy from its cover moves up to a view of one; else some move nearer while one suppresses.

    The first needs a comrade who sees an enemy, and free cover with a view. The second needs all members in valid
    cover, one to suppress, and another who knows free cover nearer to the threat; up to half of the squad moves.
    """

    name: str = "advance-cover"
    limit: float = 15.0
    cooldown: float = 6.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Bring idle guns to bear, or send some of the squad nearer to the threat."""
        reason = reason_not_to_run(squad, now)
        if reason is not None:
            return reason
        joining = order_to_join(squad, now)
        if joining:
            why = f"comrades of {_join_names(joining)} see an enemy; {_list_runs(joining)}"
            return Assignment.create(self.name, joining, why, now)
        orders = order_nearer(squad, now)
        if isinstance(orders, NotNow):
            return orders
        return Assignment.create(
            self.name, orders, f"there is cover nearer to the threat; {describe_runs(orders)}", now
        )

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all runners have arrived."""
        return watch_runs(assignment, squad, now, is_order_done)


def order_to_join(squad: Squad, now: float) -> dict[str, Order]:
    """Return the runs of those who see no enemy from their cover to cover with a view, if a comrade sees one.

    They have no fire to lose, and those who see the enemy fire meanwhile, so nobody is told to suppress.
    """
    idle = [member for member in squad.members if in_valid_cover(member, now) and not sees_enemy(member, now)]
    if not any(sees_enemy(member, now) for member in squad.members):
        return {}
    costs = {member.name: _cover_with_view(member, squad, now) for member in idle}
    return order_runs(squad, costs, "advance", now, most=len(idle))


def _cover_with_view(member: Member, squad: Squad, now: float) -> dict[str, float]:
    return {
        each.subject: run_cost(member, each, now)
        for each in find_free_cover(member, squad.taken, now)
        if each.get("sees") and as_number(each.get("threat_distance")) >= LEAST_AWAY
    }


def order_nearer(squad: Squad, now: float) -> dict[str, Order] | NotNow:
    """Return the runs of a squad in cover to cover nearer to the threat, and the order to suppress, or why not.

    Runners are exposed and do not shoot: as many members as known enemies must stay, or one runs out of their sight.
    """
    exposed = next((member for member in squad.members if not in_valid_cover(member, now)), None)
    if exposed is not None:
        return NotNow(f"{exposed.name} is not in valid cover")
    nearer = {member.name: _nearer_cover(member, squad, now) for member in squad.members}
    if not any(nearer.values()):
        return NotNow(f"nobody knows free cover {MIN_ADVANCE:g} m nearer to the threat")
    known = {fact.subject for fact in known_enemies(squad.members, now)}
    most = max(1, len(squad.members) // 2)
    if len(squad.members) < OVERWHELMING * len(known):
        nearer, most = {member.name: _hidden_runs(member, nearer[member.name], now) for member in squad.members}, 1
        if not any(nearer.values()):
            return NotNow(f"against {len(known)}, all {len(squad.members)} are needed where they are")
    return fire_and_move(squad, nearer, "advance", now, most=most, is_urgent=False)


def _nearer_cover(member: Member, squad: Squad, now: float) -> dict[str, float]:
    here = _threat_distance(member, now)
    found = find_free_cover(member, squad.taken, now)
    return {
        each.subject: run_cost(member, each, now)
        for each in found
        if as_number(each.get("threat_distance")) <= here - MIN_ADVANCE
    }


def _hidden_runs(member: Member, costs: Mapping[str, float], now: float) -> dict[str, float]:
    """Return the runs that are hardly in view of the enemy."""
    facts = ((node, member.memory.recall("cover", node, now)) for node in costs)
    return {
        node: costs[node]
        for node, fact in facts
        if fact is not None and as_number(fact.get("in_view")) <= MAX_METRES_UNSEEN
    }


def _threat_distance(member: Member, now: float) -> float:
    """Return the distance from a member's cover to the threat: as sensed, or to the nearest known enemy."""
    own = member.memory.recall("cover", self_report(member, "at", now) or "", now)
    known = (distance_to(member, fact.get("x"), fact.get("y")) for fact in known_enemies([member], now))
    nearest = min(known, default=-float("inf"))  # without a known threat, no cover is nearer to it
    return nearest if own is None else as_number(own.get("threat_distance"), nearest)
