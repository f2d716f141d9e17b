"""Fire and movement, which both ways of going to cover share: some run, each to its own node, while one suppresses."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from telos.squads.assignment import Assignment
from telos.squads.behaviour import RUNNING, NotNow, Verdict, failed, fulfilled, goes_on
from telos.squads.member import Member, enemies, feels, in_valid_cover, place_of
from telos.squads.orders import Order, Task, refusal
from telos.squads.slots import distinct_nodes, suppressors, target_of
from telos.squads.squad import Squad

Ways: TypeAlias = Mapping[str, Mapping[str, float]]  # of each member that may run, how far each node is
Arrived: TypeAlias = Callable[[Member, Order, float], bool]


def no_call(squad: Squad, now: float) -> NotNow | None:
    """Say why nobody would run under fire, whatever the cover."""
    if len(squad.members) < 2:
        return NotNow("there is nobody to suppress meanwhile")
    return None if enemies(squad.members, now) else NotNow("no enemy is known")


def fire_and_move(squad: Squad, ways: Ways, task: Task, now: float, *, most: int) -> dict[str, Order] | NotNow:
    """Choose one to suppress and up to ``most`` others to run, those with the shortest ways."""
    able = suppressors(squad.members, now)
    if not able:
        return NotNow("nobody who knows the enemy has a loaded weapon")
    # The best one suppresses, unless that leaves nobody to run.
    for suppressor in able:
        others = {name: each for name, each in ways.items() if name != suppressor.name}
        nodes = distinct_nodes(others)
        runners = sorted(nodes, key=lambda name: (others[name][nodes[name]], name))[:most]
        if runners:
            orders = {suppressor.name: Order("suppress", target=target_of(suppressor, now))}
            for name in runners:
                knower = [member for member in squad.members if member.name == name]
                orders[name] = Order(task, node=nodes[name], place=place_of(nodes[name], knower, now))
            return orders
    return NotNow(f"only {able[0].name} could suppress, and only {able[0].name} has cover to go to")


def in_words(orders: Mapping[str, Order]) -> str:
    """Say who runs where while who suppresses."""
    (suppressor, _), *runs = orders.items()
    return f"{', '.join(f'{name} can run to {order.node}' for name, order in runs)} while {suppressor} suppresses"


def watch_runs(assignment: Assignment, squad: Squad, now: float, arrived: Arrived) -> Verdict:
    """Judge the runs: all must arrive; nobody waits for the dead or the unwilling, nor for cover that is none."""
    running = False
    for name, order in assignment.orders.items():
        if order.task == "suppress":
            continue
        member = squad.member(name)
        if member is None:
            return failed(f"{name} is dead")
        if arrived(member, order, now):
            continue
        if not _protects(member, order, now):
            return failed(f"{order.node} no longer protects {name}")
        why = refusal(member, order, now)
        if why is not None:
            return failed(why)
        running = True
    return _suppressed(assignment, squad, now) if running else fulfilled("everyone who was to run is there")


def _protects(member: Member, order: Order, now: float) -> bool:
    fact = member.memory.recall("cover", order.node or "", now)
    if fact is not None and not fact.get("valid"):
        return False
    return feels(member, "at", now) != order.node or in_valid_cover(member, now)


def _suppressed(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    """Go on if somebody lays suppression fire; if not, find somebody else for that slot."""
    name, order = next(each for each in assignment.orders.items() if each[1].task == "suppress")
    member = squad.member(name)
    why = f"{name} is dead" if member is None else refusal(member, order, now)
    if member is not None and why is None:
        return _aimed(assignment, member, order, now)
    able = (each for each in suppressors(squad.members, now) if each.name not in assignment.orders)
    spare = next((each for each in able if not _refused_since(each, assignment.since, now)), None)
    if spare is None:
        return failed(f"{why}, and nobody else can suppress")
    runs = {each: order for each, order in assignment.orders.items() if each != name}
    orders = {spare.name: Order("suppress", target=target_of(spare, now)), **runs}
    return goes_on(assignment.reordered(orders, f"{why}; {spare.name} suppresses instead"))


def _aimed(assignment: Assignment, member: Member, order: Order, now: float) -> Verdict:
    """Go on, at another target if there is nothing to be known of the first any more."""
    known = {fact.subject for fact in enemies([member], now)}
    if not known or order.target in known:
        return RUNNING
    aimed = replace(order, target=target_of(member, now))
    orders = {**assignment.orders, member.name: aimed}
    return goes_on(assignment.reordered(orders, f"{order.target} is gone; {member.name} suppresses {aimed.target}"))


def _refused_since(member: Member, time: float, now: float) -> bool:
    """Whether a member has refused an order of late; two of that mind would hand one back and forth for ever."""
    answer = member.memory.recall("order_refused", "current", now)
    return answer is not None and answer.time >= time
