"""Advance cover: half of a squad in cover moves up to cover nearer to the threat, while one suppresses."""

from dataclasses import dataclass

from telos.squads.assignment import Assignment
from telos.squads.behaviour import NotNow, Verdict
from telos.squads.covering import fire_and_move, in_words, no_call, watch_runs
from telos.squads.member import Member, distance, enemies, feels, in_valid_cover, number, walk
from telos.squads.orders import is_done
from telos.squads.slots import free_cover
from telos.squads.squad import Squad

NEARER = 2.0  # metres towards the threat that make it worth leaving good cover


@dataclass(frozen=True, slots=True)
class AdvanceCover:
    """Needs everyone in valid cover, somebody to suppress, and another who knows free cover nearer to the threat."""

    name: str = "advance-cover"
    limit: float = 15.0
    cooldown: float = 6.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send up to half of the squad forward, as far as those who stay outnumber the enemy's guns."""
        reason = no_call(squad, now)
        if reason is not None:
            return reason
        exposed = next((member for member in squad.members if not in_valid_cover(member, now)), None)
        if exposed is not None:
            return NotNow(f"{exposed.name} is not in valid cover")
        nearer = {member.name: _nearer(member, squad, now) for member in squad.members}
        if not any(nearer.values()):
            return NotNow(f"nobody knows free cover {NEARER:g} m nearer to the threat")
        # Who moves is exposed and does not shoot: there have to be as many left to keep heads down as there are heads.
        known = {fact.subject for fact in enemies(squad.members, now)}
        spare = len(squad.members) - len(known)
        if spare < 1:
            return NotNow(f"against {len(known)}, all {len(squad.members)} are needed where they are")
        orders = fire_and_move(squad, nearer, "advance", now, most=min(spare, max(1, len(squad.members) // 2)))
        if isinstance(orders, NotNow):
            return orders
        return Assignment.begun(self.name, orders, f"there is cover nearer to the threat; {in_words(orders)}", now)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all who run have arrived."""
        return watch_runs(assignment, squad, now, is_done)


def _nearer(member: Member, squad: Squad, now: float) -> dict[str, float]:
    here = _threat_distance(member, now)
    found = free_cover(member, squad.taken, now)
    return {each.subject: walk(member, each) for each in found if number(each.get("threat_distance")) <= here - NEARER}


def _threat_distance(member: Member, now: float) -> float:
    """Return how far a member's own cover is from the threat: as its sensors say, else from the nearest enemy known."""
    own = member.memory.recall("cover", feels(member, "at", now) or "", now)
    known = (distance(member, fact.get("x"), fact.get("y")) for fact in enemies([member], now))
    nearest = min(known, default=-float("inf"))  # who knows of no threat has nothing to come nearer to
    return nearest if own is None else number(own.get("threat_distance"), nearest)
