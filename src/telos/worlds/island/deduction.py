"""What a player concludes from what they remember, field by field of the worksheet, and where they must guess."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from telos.worlds.island.recollection import Recollection
from telos.worlds.island.story import AGENTS, Disease, Story

_TELLING = 2  # symptoms that must be known before one disease stands out from the others


@dataclass(slots=True)
class Deduction:
    """The state of the case in somebody's head. Guesses are kept until they turn out wrong."""

    story: Story
    known: Recollection
    rng: Random
    _guesses: dict[str, str] = field(default_factory=dict)

    def entries(self, now: float) -> dict[str, tuple[str, bool]]:
        """Return what the player would write into each field, and whether they know it."""
        source, disease = self._source(now), self._disease(now)
        treatment = self._confirmed("treatment", now)
        if treatment is None and disease is not None and self.known.knows("disease", disease, now):
            treatment = self.story.diseases[disease].treatment
        found = {"disease": disease, "source": source, "treatment": treatment}
        return {name: (value or self._guess(name, now), value is not None) for name, value in found.items()}

    def sure(self, now: float) -> int:
        """Return how many fields are known."""
        return sum(is_known for _, is_known in self.entries(now).values())

    def _confirmed(self, name: str, now: float) -> str | None:
        said = [each for each in self.known.all_of("right", now) if each.startswith(f"{name}=")]
        return said[-1].partition("=")[2] if said else None

    def _source(self, now: float) -> str | None:
        found = self.known.all_of("found", now)
        return self._confirmed("source", now) or (found[-1].partition(":")[0] if found else None)

    def agent(self, now: float) -> str | None:
        """Return what sort of thing makes people ill, if that is known."""
        labelled, found = self.known.all_of("agent", now), self.known.all_of("found", now)
        return labelled[-1] if labelled else found[-1].partition(":")[2] if found else None

    def _disease(self, now: float) -> str | None:
        confirmed = self._confirmed("disease", now)
        if confirmed is not None:
            return confirmed
        symptoms = set(self.known.all_of("symptom", now))
        if len(symptoms) < _TELLING:
            return None
        fits = [each.name for each in self._read_about(now) if symptoms <= each.symptoms and self._may_be(each, now)]
        return fits[0] if len(fits) == 1 else None

    def _read_about(self, now: float) -> list[Disease]:
        return [self.story.diseases[name] for name in self.known.all_of("disease", now)]

    def _may_be(self, disease: Disease, now: float) -> bool:
        agent = self.agent(now)
        if self.known.knows("wrong", f"disease={disease.name}", now):
            return False
        return agent is None or disease.agent == agent

    def _guess(self, name: str, now: float) -> str:
        held = self._guesses.get(name)
        if held is None or self.known.knows("wrong", f"{name}={held}", now):
            held = self._guesses[name] = self.rng.choice(self._guessable(name, now))
        return held

    def _guessable(self, name: str, now: float) -> Sequence[str]:
        choices = self.story.choices[name]
        left = [each for each in choices if not self.known.knows("wrong", f"{name}={each}", now)] or list(choices)
        if name == "disease":
            likely = [each.name for each in self._read_about(now) if each.name in left and self._may_be(each, now)]
        else:
            likely = [each for each in self.known.all_of("meal", now) if each in left] if name == "source" else []
        return likely or left

    def next_test(self, foods: Sequence[str], in_hand: str | None, now: float) -> tuple[str, str] | None:
        """Return which of the foods to test for what, or None if all that can be thought of was tested.

        What is in the hand is tested for everything before another food is fetched.
        """
        meals = set(self.known.all_of("meal", now))
        open_tests = [
            (food, agent)
            for food in dict.fromkeys(foods)
            for agent in AGENTS
            if not self.known.knows("clean", f"{food}:{agent}", now)
            and not self.known.knows("found", f"{food}:{agent}", now)
        ]
        suspected = [each for each in open_tests if each[0] == in_hand]
        suspected = suspected or [each for each in open_tests if each[0] in meals] or open_tests
        return self.rng.choice(suspected) if suspected else None
