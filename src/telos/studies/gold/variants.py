"""Games, players and protocols of the two papers, put together from what single sentences of their texts say.

With no sentence a variant is the study as before, with all of them it is what the records 0025 and 0026 decided from
the texts before any recogniser read such players. Leaving one sentence out shows what it changes.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

from telos.core.errors import TelosError, name_hint
from telos.studies.players import EXPERIMENTER, NOVICE, Preset, Style, Traits
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_file import load_rules

FLAIRS_SENTENCES: Mapping[str, str] = {
    "outcomes": "eight directions and a still swing are all that is observed",
    "lines": "monsters come in straight lines that are not diagonal",
    "room": "no monsters in town, as Figure 4 implies",
    "maze": "the experienced player, who made the maze, knows it",
    "stands": "the experienced player stands to fight",
    "newcomers": "new players do not know that edges lead on, nor where the town lies",
    "moment": "an update is compared with the goal of its own moment",
}
AIIDE_SENTENCES: Mapping[str, str] = {
    "unexplored": "unexplored is where an explorer heads, on a shortest way",
    "explored": "what has been explored stays explored in the second round",
    "chests": "chests belong to places of the map and stay in both rounds",
    "straight": "players go for monsters along rows and columns",
    "map": "the experimenter, who made the map, knows it",
}
# Who stands to fight lets go of the keys to swing, and lets monsters come.
_STANDING = {"stillness": 1.0, "baiting": 1.0}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a study: rules, the model's file, presets by kind of player, and how updates are scored."""

    rules: Rules
    model: str
    presets: Mapping[str, Preset]
    scores_new_goal: bool = False  # an update at which a goal is reached counts for the goal that begins


def flairs_variant(sentences: Collection[str]) -> Variant:
    """Return the first study with some of ``FLAIRS_SENTENCES``.

    >>> flairs_variant(FLAIRS_SENTENCES).rules.fingerprint == load_rules("flairs-text").fingerprint
    True
    >>> flairs_variant([]).rules.fingerprint == load_rules("flairs").fingerprint
    True
    """
    return _flairs_variant(_checked(sentences, FLAIRS_SENTENCES))


@cache
def _flairs_variant(sentences: frozenset[str]) -> Variant:
    rules = load_rules("flairs")
    if "lines" in sentences:
        rules = replace(rules, monsters=replace(rules.monsters, move="legs"))
    rules = replace(rules, safe_town="room" in sentences, stops="outcomes" not in sentences, name="flairs-text")
    stands = "stands" in sentences
    expert = replace(
        EXPERIMENTER,
        style=_style(EXPERIMENTER, _STANDING if stands else {}),
        traits=Traits(knows_maze="maze" in sentences, stands_to_fight=stands),
    )
    is_new = "newcomers" in sentences
    new = replace(NOVICE, traits=Traits(knows_edges=not is_new, knows_bearings=not is_new))
    model = "flairs-text" if "outcomes" in sentences else "flairs"
    return Variant(rules, model, {"experienced": expert, "new": new}, scores_new_goal="moment" in sentences)


def aiide_variant(sentences: Collection[str]) -> Variant:
    """Return the second study with some of ``AIIDE_SENTENCES``.

    >>> aiide_variant(AIIDE_SENTENCES).rules.fingerprint == load_rules("aiide-text").fingerprint
    True
    >>> aiide_variant([]).rules.fingerprint == load_rules("aiide").fingerprint
    True
    """
    return _aiide_variant(_checked(sentences, AIIDE_SENTENCES))


@cache
def _aiide_variant(sentences: frozenset[str]) -> Variant:
    rules = load_rules("aiide")
    if "explored" in sentences:
        rules = replace(rules, phases=tuple(replace(phase, fresh=False) for phase in rules.phases))
    rules = replace(rules, chest=replace(rules.chest, stay="chests" in sentences), name="aiide-text")
    traits = Traits(knows_taken="chests" in sentences, goes_straight="straight" in sentences)
    expert = replace(EXPERIMENTER, traits=replace(traits, knows_maze="map" in sentences))
    model = "aiide-text" if "unexplored" in sentences else "aiide"
    return Variant(rules, model, {"experimenter": expert, "new": replace(NOVICE, traits=traits)})


def _style(preset: Preset, habits: Mapping[str, float]) -> Style | None:
    return replace(preset.style, **habits) if preset.style else None


def _checked(sentences: Collection[str], known: Mapping[str, str]) -> frozenset[str]:
    for name in sentences:
        if name not in known:
            raise TelosError(f"there is no sentence {name!r}", name_hint(name, known))
    return frozenset(sentences)
