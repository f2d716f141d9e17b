"""The contests of a tournament: for every layer of behaviour, a team that has it against one that does not."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from telos.agents.character import Character
from telos.core.errors import TelosError, name_hint
from telos.squads.behaviours import ALL
from telos.worlds.arena.cast import characters

FULL = "soldier"  # who has all the layers
_LAYER = re.compile(r"layer-(\d+)-(.+)")
_BEHAVIOURS = tuple(behaviour.name for behaviour in ALL)


@dataclass(frozen=True, slots=True)
class Team:
    """What everybody on one side is like, and the squad behaviours that lead them."""

    character: str
    squads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return how a table calls it.

        >>> Team("soldier", squads=("get-to-cover", "search")).name
        'soldier + get-to-cover + search'
        """
        return " + ".join([self.character, *(["squads"] if self.squads == _BEHAVIOURS else self.squads)])


@dataclass(frozen=True, slots=True)
class Contest:
    """Two teams that differ in one layer."""

    name: str
    layer: str
    having: Team
    lacking: Team


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, Character]:
    """Return the characters that may fight: those of the package, and the soldier without each layer."""
    full = characters()[FULL]
    return {**characters(), **{_without(layer): _stripped(full, layer, *pair) for layer, pair in _ladder().items()}}


def contests(layers: Iterable[str] = ()) -> tuple[Contest, ...]:
    """Return the contests about some layers, or about all of them.

    First each layer is added to those below it, without squads; then a soldier who has them all keeps it, against one
    who lost it. Squad behaviours are added to soldiers one by one, and all together.
    """
    full = Team(FULL, _BEHAVIOURS)
    lowest = next(below for below, _ in _ladder().values())
    made = [
        *(Contest(f"{layer} added", layer, Team(above), Team(below)) for layer, (below, above) in _ladder().items()),
        *(Contest(f"{layer} kept", layer, full, Team(_without(layer), _BEHAVIOURS)) for layer in _ladder()),
        *(Contest(f"{each} added", each, Team(FULL, (each,)), Team(FULL)) for each in _BEHAVIOURS),
        Contest("squads added", "squads", full, Team(FULL)),
        Contest("everything", "everything", full, Team(lowest)),
    ]
    known = dict.fromkeys(contest.layer for contest in made)
    wanted = list(layers) or list(known)
    for layer in wanted:
        if layer not in known:
            raise TelosError(f"there is no layer {layer!r}", name_hint(layer, known))
    return tuple(contest for contest in made if contest.layer in wanted)


def _ladder() -> dict[str, tuple[str, str]]:
    """Return for each layer but the first the characters below and above it, the lowest first."""
    found = [(int(match[1]), match[2], name) for name in characters() if (match := _LAYER.fullmatch(name))]
    found.sort()
    return {layer: (below, above) for (_, _, below), (_, layer, above) in pairwise(found)}


def _without(layer: str) -> str:
    return f"{FULL} without {layer}"


def _stripped(full: Character, layer: str, below: str, above: str) -> Character:
    """Return a character without the goals and actions that a layer adds to the one below it."""
    lower, upper = characters()[below], characters()[above]
    goals = {goal.name for goal in upper.goals} - {goal.name for goal in lower.goals}
    actions = {action.name for action in upper.actions} - {action.name for action in lower.actions}
    return replace(
        full,
        name=_without(layer),
        goals=tuple(goal for goal in full.goals if goal.name not in goals),
        actions=tuple(action for action in full.actions if action.name not in actions),
    )
