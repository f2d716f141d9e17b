"""The live models: designer's models of the three rule sets whose chances are counted in simulated games.

    python -m telos.studies.trained_models live [FOLDER]

writes ``wilds.yaml`` (its director is kept), ``flairs-live.yaml`` and ``aiide-live.yaml``. They see more than the
papers' models: kills and swings, ways to unvisited areas and to town, and whether these part. All chances are rounded,
so that people can read and edit them. No game that they are made from is played in a study.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from telos.core.conditions import Condition
from telos.files import check_output, write_text
from telos.files.reading import read_text
from telos.recognition.observations import EventFeatures, Symbols
from telos.recognition.vocabulary import ADVENTURE
from telos.studies.players import EXPERIENCED, NOVICE, Player, Session, play
from telos.studies.players.intents import play_intent
from telos.studies.players.plain import INTENTS
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules_file import load_rules

COMMAND = "python -m telos.studies.trained_models live"
PLAYS, GAMES = 40, 12  # of each intent, and of each preset
_MAX_FRAMES = 15_000
_COMPANION = "flairs"  # the model of the companion in these games: not the one that is made from them
_SMOOTHING = 2.0  # counts of every outcome before the first event
_SWINGS = 12.0  # of swings at nothing by who wants to fight: simulated players hardly do so, people do
_SHARPNESS = 0.8  # the exponent of chances: events that follow each other are not independent
_SMALLEST = 0.02  # smaller chances are shared

# What is seen, in order; the first that holds counts.
OUTCOMES: Mapping[str, str] = {
    "kill": "killed",
    "hit": "action == swing and attacked",
    "swing": "action == swing",
    "new_area": "cause == area and new_area",
    "area": "cause == area",
    "stop": "action == stop",
    "both_ways_to_monster": "onward and homeward and toward_nearest_monster",
    "both_ways": "onward and homeward",
    "onward_to_monster": "onward and toward_nearest_monster",
    "onward": "onward",
    "homeward_to_monster": "homeward and toward_nearest_monster",
    "homeward": "homeward",
    "to_monster": "toward_nearest_monster",
    "walk": "true",
}
GEM = {"gem": "toward_gem and moved"}  # first of all, where monsters leave gems
CASES = ("in_town", "monsters == 0 and ways_part", "ways_part and monster_near", "ways_part", "monster_near")


@dataclass(frozen=True, slots=True)
class LiveModel:
    """A file to make: its name, its rule set and what it says about itself."""

    name: str
    rules: str
    about: str


MODELS = (
    LiveModel("wilds", "wilds", "The model of a live game, which sees kills, ways home and ways onward"),
    LiveModel("flairs-live", "flairs", "Made for the game of the FLAIRS paper, not taken from it; as wilds"),
    LiveModel("aiide-live", "aiide", "Made for the game of the AIIDE paper, not taken from it; as wilds"),
)


def training_plays(rules: str, *, plays: int = PLAYS, games: int = GAMES) -> list[Session]:
    """Return plays with one intent, and games with given goals, of simulated players that no study plays."""
    model = _COMPANION if load_rules(rules).companion is not None else None
    found = [
        play_intent(rules, intent, Random(f"live {rules} {intent} {number}"), model=model)
        for intent in INTENTS
        for number in range(plays)
    ]
    for preset in (NOVICE, EXPERIENCED):
        for number in range(games):
            rng = Random(f"live {rules} {preset.name} {number}")
            game = Adventure(rules, seed=rng.randrange(2**32), model=model)
            found.append(play(game, Player(rng.randrange(2**32), preset), max_frames=_MAX_FRAMES))
    return found


def count_outcomes(rules: str, plays: Sequence[Session]) -> dict[str, list[dict[str, float]]]:
    """Return the chance of each outcome, by goal and case; the last case is that no other one holds."""
    goals, outcomes = list_goals(rules), list_outcomes(rules)
    symbols, cases = Symbols(outcomes.items()), [Condition.of(case) for case in CASES]
    features: EventFeatures[object] = EventFeatures(ADVENTURE, goals, [*symbols.conditions, *cases], ["cause"])
    find, holds = symbols.finder(features), [features.bound(case) for case in cases]
    counts: dict[tuple[str, int], Counter[str]] = {}
    for each in plays:
        for event, truth in zip(each.events, each.truths, strict=True):
            if truth is None:
                continue
            values = features.features(event)
            case = next((number for number, is_case in enumerate(holds) if is_case(values)), len(holds))
            counts.setdefault((truth, case), Counter())[symbols.names[find(values)]] += 1
    return {
        goal: [_to_chances(goal, counts.get((goal, case), Counter()), symbols.names) for case in range(len(cases) + 1)]
        for goal in goals
    }


def list_outcomes(rules: str) -> dict[str, str]:
    """Return the outcomes of a rule set with their conditions."""
    return {**(GEM if load_rules(rules).gem_size is not None else {}), **OUTCOMES}


def list_goals(rules: str) -> tuple[str, ...]:
    """Return the goals of a rule set in the order of the papers' models."""
    ours = load_rules(rules).goals
    return tuple(goal for goal in ("level", "explore", "town", "return") if goal in ours)


def _to_chances(goal: str, counts: Counter[str], names: Sequence[str]) -> dict[str, float]:
    before = {name: _SWINGS if (goal, name) == ("level", "swing") else _SMOOTHING for name in names}
    weights = {name: (counts[name] + before[name]) ** _SHARPNESS for name in names}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def model_text(model: LiveModel, chances: Mapping[str, Sequence[Mapping[str, float]]], *, director: str = "") -> str:
    """Return the recogniser file."""
    goals, rules = list(chances), load_rules(model.rules)
    home = rules.goal_of("town")
    others = [goal for goal in goals if goal != home]
    lines = [
        "# yaml-language-server: $schema=../recognizer.schema.json",
        "recognizer: ffbm",
        f"name: {model.name}",
        f"about: {model.about}. Rounded counts of simulated players; `{COMMAND}` makes it again.",
        f"goals: [{', '.join(goals)}]",
        "vocabulary: adventure",
        "clock: {on: [input, area], every: 500 ms}",
        "transitions:",
        "  lasts: 120 updates",
        "  when:",
        "    - if: chest_taken                       # who has found it mostly takes it home",
        f"      from explore: {{{home}: 0.8, others: shared}}",
        "    - if: in_town                           # who has come home wants something else; others go on",
        f"      from {home}: {{{', '.join(f'{goal}: 1/2' for goal in others)}, {home}: 0}}",
        "outcomes:                                   # the first that holds is what was seen",
        *(f"  {name}: {condition}" for name, condition in list_outcomes(model.rules).items()),
        "observations:",
    ]
    for goal, cases in chances.items():
        lines.append(f"  {goal}:")
        for number, row in enumerate(cases):
            if number < len(CASES):
                lines += [f"    - if: {CASES[number]}", f"      then: {_format_row(row)}"]
            else:
                lines.append(f"    - else: {_format_row(row)}")
    return "\n".join(lines) + "\n" + director


def _format_row(row: Mapping[str, float]) -> str:
    """Return chances as a flow mapping, rounded to hundredths; the small ones share what is left."""
    large = {name: round(100 * chance) for name, chance in row.items() if chance >= _SMALLEST}
    small = len(row) - len(large)
    spare = max(small, 100 - sum(large.values())) if small else 0
    most = max(large, key=lambda name: large[name])
    large[most] += 100 - spare - sum(large.values())
    shared = ", others: shared" if small else ""
    return f"{{{', '.join(f'{name}: {percent / 100:g}' for name, percent in large.items())}{shared}}}"


def write_live_models(folder: Path) -> None:
    """Make all live models again; the director of a file that is there is kept."""
    for model in MODELS:
        check_output(folder / f"{model.name}.yaml")
    for model in MODELS:
        file = folder / f"{model.name}.yaml"
        before = read_text(file) if file.exists() else ""
        director = before[at:] if (at := before.find("director:")) >= 0 else ""
        chances = count_outcomes(model.rules, training_plays(model.rules))
        write_text(file, model_text(model, chances, director=director))
