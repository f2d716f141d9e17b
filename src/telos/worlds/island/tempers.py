"""Who plays: styles and traits, and the person that chance makes of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from telos.core.errors import TelosError, name_hint

MINUTE = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Traits:
    """What somebody is like, apart from what they care for. Shares and chances are from 0 to 1."""

    proof: float  # fields of the worksheet that must be known, and not guessed, before it is handed in
    notes: float  # of what is learned is written down
    patience: float  # chance to hear another line of what has become long
    curiosity: float  # chance to turn to something new that is in sight
    pause: float  # seconds between actions, on average
    wandering: float  # chance to take another way than meant
    forgetting: float  # chance to lose the thread, for each action
    tidiness: float  # chance to close what was opened
    spread: float  # how much people of one style differ (standard deviation of a logarithm)


@dataclass(frozen=True, slots=True)
class Temper:
    """One person: a style, traits of their own, what each goal weighs with them, and how fast they forget."""

    style: str
    traits: Traits
    cares: Mapping[str, float]
    fades: Mapping[str, float]  # seconds until a kind of fact is gone


@dataclass(frozen=True, slots=True)
class Styles:
    """The file of players: how many there are of each style, and what they are like."""

    share: Mapping[str, float]
    about: Mapping[str, str]
    cares: Mapping[str, Mapping[str, float]]  # what a goal weighs with people of a style; 1 if it does not say
    traits: Mapping[str, Traits]
    fades: Mapping[str, float]  # seconds
    stirs: Mapping[str, Mapping[str, float]]  # what news do to the wish for each goal

    def known(self, style: str) -> str:
        """Return ``style`` if there is one called so."""
        if style not in self.traits:
            raise TelosError(f"there is no style {style!r}", name_hint(style, self.traits))
        return style

    def person(self, rng: Random, goals: tuple[str, ...], style: str | None = None) -> Temper:
        """Draw a person, of a given style or of the one that chance gives them."""
        names = list(self.share)
        drawn = rng.choices(names, [self.share[name] for name in names])[0]
        chosen = drawn if style is None else self.known(style)
        common = self.traits[chosen]
        spread = common.spread
        cares = {goal: self.cares[chosen].get(goal, 1.0) * _factor(rng, spread) for goal in goals}
        traits = replace(
            common,
            curiosity=min(0.9, common.curiosity * _factor(rng, spread)),
            pause=common.pause * _factor(rng, spread / 2),
            wandering=min(0.5, common.wandering * _factor(rng, spread)),
            forgetting=min(0.2, common.forgetting * _factor(rng, spread)),
        )
        memory = _factor(rng, spread)
        return Temper(chosen, traits, cares, {kind: seconds * memory for kind, seconds in self.fades.items()})


def _factor(rng: Random, spread: float) -> float:
    return math.exp(rng.gauss(0.0, spread))
