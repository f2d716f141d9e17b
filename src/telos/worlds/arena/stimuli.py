"""What reaches a mind at once, whatever its sensors are busy with: pain, near misses, noise, and words."""

from collections.abc import Iterable

from telos.agents.crowd import Crowd
from telos.agents.memory import Fact
from telos.core.event import Event
from telos.worlds.arena.arena import NEUTRAL, Arena
from telos.worlds.arena.facts import fact, fallen, gone
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.rules import NEAR_MISS

HEARD = 0.7  # confidence in where a noise came from


class Stimuli:
    """Hands the events of a step to those who feel or hear them."""

    def __init__(self, arena: Arena, crowd: Crowd) -> None:
        self._arena, self._crowd = arena, crowd

    def deliver(self, events: Iterable[Event], now: float) -> None:
        """Let everybody perceive what happened in the last step."""
        for event in events:
            if event.action == "hit":
                self._hurt(event, now)
            elif event.action == "shot":
                self._missed(event, now)
            elif event.action == "dead":
                self._fallen(event, now)
            elif event.action == "exploded":
                self._is_over(str(event.context["grenade"]), now)
            if event.context["loud"] > 0:
                self._heard(event, now)

    def _feel(self, who: str, *facts: Fact) -> None:
        for each in facts:
            self._crowd.stimulate(who, each)

    def _hurt(self, event: Event, now: float) -> None:
        victim = str(event.context["target"])
        node = self._arena.map.at.get(self._arena.fighter(victim).cell)
        in_cover = bool(event.context.get("in_cover"))
        self._feel(victim, fact("fire", "me", now), fact("hit", "me", now, in_cover=in_cover))
        if in_cover and node is not None:
            self._count_hits(victim, node.name, now)

    def _count_hits(self, victim: str, node: str, now: float) -> None:
        """Being hit at a place makes it less of a cover; the second time in a short while, it is none."""
        mind = self._crowd.minds.get(victim)
        if mind is None:
            return
        before = mind.memory.recall("hits_at", node, now)
        count = 1 if before is None else before["count"] + 1
        self._feel(victim, fact("hits_at", node, now, count=count))
        if count >= 2:
            self._feel(victim, fact("unsafe", node, now), fact("cover_lost", "me", now, node=node))

    def _missed(self, event: Event, now: float) -> None:
        target = event.context.get("target")
        if target in self._crowd.minds:
            self._feel(str(target), fact("fire", "me", now))
            near = self._arena.fighter(str(target)).position
            side = self._arena.fighter(str(target)).side
            for other in self._arena.near(near, NEAR_MISS):
                if other.side == side and other.name != target:
                    self._feel(other.name, fact("fire", "me", now))

    def _fallen(self, event: Event, now: float) -> None:
        victim = self._arena.fighter(str(event.context["target"]))
        dead = fallen(victim, now)
        for name in self._crowd.minds:
            other = self._arena.fighter(name)
            if not _opposed(other, victim):
                continue
            if name == event.player or self._arena.line(other.position, victim.position):
                self._feel(name, dead)

    def _is_over(self, grenade: str, now: float) -> None:
        """Let those who feared a grenade forget it."""
        for name, mind in self._crowd.minds.items():
            if mind.memory.recall("grenade", grenade, now) is not None:
                self._feel(name, gone("grenade", grenade, now))

    def _heard(self, event: Event, now: float) -> None:
        maker = event.player
        if maker not in self._arena.fighters:
            return
        stranger = self._arena.fighter(maker)
        x, y = float(event.context["x"]), float(event.context["y"])
        for name, mind in self._crowd.minds.items():
            if not _opposed(self._arena.fighter(name), stranger) or not self._arena.hears(name, event):
                continue
            known = mind.memory.recall("enemy", maker, now)
            if known is None or not known["seen"]:
                sure = known is not None and known["sure"]
                noise = fact("enemy", maker, now, HEARD, x=round(x), y=round(y), seen=False, sure=sure, alive=True)
                self._feel(name, noise)


def _opposed(one: Fighter, other: Fighter) -> bool:
    """Whether two are enemies; the neutral are nobody's."""
    return one.side != other.side and NEUTRAL not in (one.side, other.side)
