"""Attention: what each goal is about right now, if there is anything that it can be about."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from telos.worlds.island.deduction import Deduction
from telos.worlds.island.map import IslandMap
from telos.worlds.island.recollection import Recollection
from telos.worlds.island.story import Story, TalkGoal
from telos.worlds.island.tempers import Temper
from telos.worlds.island.views import IslandView

_NEAR = 30.0  # metres that make no difference when choosing what to turn to


@dataclass(frozen=True, slots=True)
class Focus:
    """What a goal is about: a place, somebody or something there, and what to do with it."""

    spot: str
    subject: str = ""
    detail: str = ""
    source: str | None = None  # where the thing lies that must be fetched


class Attention:
    """Looks through memory for what a goal could be about; chance settles between equals, and near is better."""

    def __init__(self, story: Story, known: Recollection, case: Deduction, temper: Temper, rng: Random) -> None:
        self._story, self._known, self._case, self._temper, self._rng = story, known, case, temper, rng
        self._about_diseases = frozenset(
            f"book:{book.name}" for book in story.books.values() if any(each.kind == "disease" for each in book.tells)
        )
        self._talk_goals = {goal.name: goal for goal in story.goals}
        main = {f"{who}:{goal.topic}" for goal in story.goals for who in goal.people}
        self._small_talk = {
            who: [said for topic in person.topics if (said := f"{who}:{topic}") not in main]
            for who, person in story.people.items()
        }
        self._others: dict[str, Callable[[IslandView], Focus | None]] = {
            "test-contaminated": self._test,
            "submit-diagnosis": self._submit,
            "explore": self._explore,
            "read-up": self._read,
            "handle": self._handle,
            "chat": self._chat,
            "see-slide": self._slide,
            "review": self._review,
        }

    def focus(self, goal: str, view: IslandView) -> Focus | None:
        """Return what ``goal`` is about, or None if the player knows of nothing."""
        if goal in self._talk_goals:
            return self._talk(self._talk_goals[goal], view)
        return self._others[goal](view)

    def _talk(self, goal: TalkGoal, view: IslandView) -> Focus | None:
        known, now = self._known, view.time
        if any(known.knows("heard", f"{who}:{goal.topic}", now) for who in goal.people):
            return None
        met = {who: spot for who in goal.people if (spot := known.where("person", who, now)) is not None}
        who = self._nearest(view, met)
        return None if who is None else Focus(met[who], who, goal.topic)

    def _chat(self, view: IslandView) -> Focus | None:
        known, now = self._known, view.time
        spots = {
            topic: spot
            for who, spot in known.spots("person", now).items()
            for topic in self._small_talk[who]
            if not known.knows("heard", topic, now)
        }
        chosen = self._nearest(view, spots)
        return None if chosen is None else Focus(spots[chosen], *chosen.split(":"))

    def _test(self, view: IslandView) -> Focus | None:
        now, things = view.time, self._story.things
        if self._known.all_of("found", now):
            return None
        spots = {name: spot for name, spot in self._known.spots("thing", now).items() if things[name].food}
        in_hand = things[view.hands].food if view.hands else None
        if view.hands and in_hand:
            spots[view.hands] = view.place
        wanted = self._case.next_test([things[name].food or "" for name in spots], in_hand, now)
        if wanted is None:
            return None
        food, agent = wanted
        portions = {name: spot for name, spot in spots.items() if things[name].food == food}
        thing = view.hands if view.hands in portions else self._nearest(view, portions)
        return Focus(self._story.tester, thing or "", agent, source=spots[thing or ""])

    def _slide(self, view: IslandView) -> Focus | None:
        if view.slide != "ready":
            return None
        return Focus(self._story.slide_at, self._story.slide_from, self._case.agent(view.time) or "")

    def _submit(self, view: IslandView) -> Focus | None:
        now = view.time
        if self._known.where("person", self._story.nurse, now) is None:
            return None
        if self._case.sure(now) < self._temper.traits.proof:
            return None
        return Focus(self._story.desk)

    def _explore(self, view: IslandView) -> Focus | None:
        unseen = {
            name: name
            for name in self._story.map.places
            if name != view.place and not self._known.knows("visited", name, view.time)
        }
        spot = self._nearest(view, unseen)
        return None if spot is None else Focus(spot)

    def _read(self, view: IslandView) -> Focus | None:
        found = self._new(view, "book", "read") | self._new(view, "poster", "read")
        chosen = self._nearest(view, found, self._telling(view.time))
        if chosen is None:
            return None
        kind, _, name = chosen.partition(":")
        return Focus(found[chosen], name, f"read-{kind}")

    def _telling(self, now: float) -> frozenset[str]:
        """Return the books whose titles speak of a disease, once it is known that one has to be named."""
        return self._about_diseases if self._known.all_of("found", now) else frozenset()

    def _handle(self, view: IslandView) -> Focus | None:
        found = self._new(view, "thing", "handled")
        chosen = self._nearest(view, found)
        return None if chosen is None else Focus(found[chosen], chosen.partition(":")[2], source=found[chosen])

    def _new(self, view: IslandView, kind: str, done: str) -> dict[str, str]:
        spots = self._known.spots(kind, view.time)
        return {f"{kind}:{name}": at for name, at in spots.items() if not self._known.knows(done, name, view.time)}

    def _review(self, view: IslandView) -> Focus | None:
        return Focus(view.place) if view.notes else None

    def _nearest(self, view: IslandView, spots: dict[str, str], sought: frozenset[str] = frozenset()) -> str | None:
        """Draw one of them, the rarer the farther it is, and what is sought before anything else."""
        if not spots:
            return None
        names, here, the_map = [each for each in spots if each in sought] or list(spots), view.place, self._story.map
        return self._rng.choices(names, [_pull(the_map, here, spots[name]) for name in names])[0]


def _pull(the_map: IslandMap, here: str, spot: str) -> float:
    far = the_map.distance(here, spot)
    return 1.0 / (_NEAR + far) ** 2
