"""Scripts that make the trained models of the package from simulated players.

    python -m telos.studies.trained_models adventure [FOLDER]
    python -m telos.studies.trained_models live [FOLDER]
    python -m telos.studies.trained_models island > src/telos/recognition/data/trained/island.mln
    python -m telos.studies.trained_models island-goals > src/telos/recognition/data/trained/island-goals.mln

The first writes ``flairs-iohmm.yaml`` and ``aiide-iohmm.yaml`` into a folder, by default the package's, the second the
live models (``live_models``). The formulas of the third are those of ``island-narrative.mln`` without the ones that
connect goals of different moments: these help to read a whole story in hindsight, but not online. Its players differ
from those of all studies. The last is for goals that do not exclude one another (``island-concurrent.mln``).
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from telos.files import check_output, write_text
from telos.logic.formulas import Atom, iter_atoms
from telos.logic.learning import learn
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax import format_mln, load_mln
from telos.recognition.ffbm import FFBM
from telos.recognition.files import load
from telos.recognition.files.load import model_lines, named_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.observations import AIIDE_SYMBOLS
from telos.studies.live_models import write_live_models
from telos.studies.players import EXPERIENCED, NOVICE, Player, Preset, Session, play
from telos.worlds.adventure.adventure import Adventure

PLAYERS = 20  # of each kind
MAX_FRAMES = 72_000  # frames, forty minutes: the second game has six phases
DATA = Path(load.__file__).parents[1] / "data"
_COMMAND = "python -m telos.studies.trained_models adventure"
ISLAND_PLAYERS, ISLAND_SEED = 100, 2011
_PENALTY, _STEPS = 200.0, 25
_MIN_WEIGHT = 0.005  # smaller weights are left out, so that people can read the file
_ISLAND_HEAD = """\
// What a player of the island is after, live: what is done, where, how far the story has come, and what was achieved.
// Weights of {players} simulated players. Made with: python -m telos.studies.trained_models island

"""

_GOALS_HEAD = """\
// Which goals a player of the island pursues, live: several, one or none, as `goal` has no `!`.
// Weights of {players} simulated players. Made with: python -m telos.studies.trained_models island-goals

"""


@dataclass(frozen=True, slots=True)
class Course:
    """What a model is trained on: a rule set, and its monsters by the kind of player (None: as the rules say)."""

    name: str
    rules: str
    monsters: tuple[tuple[Preset, int | None], ...]
    about: str


FLAIRS = Course(
    "flairs-iohmm",
    "flairs",
    ((NOVICE, 3), (EXPERIENCED, 5)),
    "An Input-Output Hidden Markov Model for the game of the FLAIRS paper, trained",
)
AIIDE = Course(
    "aiide-iohmm",
    "aiide",
    ((NOVICE, None), (EXPERIENCED, None)),
    "The Input-Output Hidden Markov Model of the AIIDE paper, trained",
)
COURSES = (FLAIRS, AIIDE)


def untrained(course: Course) -> IOHMM:
    """Return the model before training."""
    if course.rules == "aiide":
        model = named_model("aiide")
        assert isinstance(model, IOHMM)
        return copy_model(model, name=course.name)
    rules = named_model(course.rules)
    assert isinstance(rules, FFBM)
    # It differs from the model of the paper in what goals look like only; there are no gems in this game.
    seen = [
        pair for pair in zip(AIIDE_SYMBOLS.names, AIIDE_SYMBOLS.conditions, strict=True) if pair[0] != "approach_gem"
    ]
    return IOHMM(
        rules.goals,
        symbols=seen,
        transitions=rules.transitions,
        clock=rules.clock,
        vocabulary=rules.vocabulary,
        name=course.name,
    )


def sessions(course: Course, *, players: int = PLAYERS) -> list[Session]:
    """Return the training games: one of each of so many players of every kind."""
    found = []
    for preset, monsters in course.monsters:
        for number in range(players):
            rng = Random(f"trained {course.rules} {preset.name} {number}")
            game = Adventure(course.rules, monsters=monsters, seed=rng.randrange(2**32))
            found.append(play(game, Player(rng.randrange(2**32), preset), max_frames=MAX_FRAMES))
    return found


def trained(course: Course, games: Sequence[Session]) -> IOHMM:
    """Return the model trained on all updates of these games whose goal is known."""
    model = untrained(course)
    for game in games:
        reader = Reader(model)
        for event, truth in zip(game.events, game.truths, strict=True):
            if truth is not None:
                reader.learn(event, truth)
    return model


def file_text(course: Course, model: IOHMM, games: int) -> str:
    """Return the recogniser file of a trained model, which says where its counts come from."""
    about = f"{course.about} on {games} games of simulated players; `{_COMMAND}` makes it again."
    first, name, *rest = model_lines(model)
    head = ["# yaml-language-server: $schema=../recognizer.schema.json", first, name, f"about: {about}"]
    return "\n".join([*head, *rest]) + "\n"


def live_island() -> MarkovLogic:
    """Return the island formulas with learned weights."""
    from telos.studies.crystal_island.logs import database, island_log  # needs polars, an extra
    from telos.studies.crystal_island.models import DATA as FORMULAS

    formulas = load_mln(FORMULAS / "island-narrative.mln")
    formulas = replace(formulas, rules=tuple(rule for rule in formulas.rules if _is_of_one_moment(rule)))
    log = island_log(ISLAND_PLAYERS, ISLAND_SEED, folds=2)
    facts = database(log, formulas, range(len(log.start) - 1), log.goals, with_goals=True)
    learned = learn(formulas, facts, ["goal"], by="likelihood", l2=_PENALTY, epochs=_STEPS).model
    return replace(learned, rules=tuple(_rounded(rule) for rule in learned.rules))


def live_goals() -> MarkovLogic:
    """Return the island formulas for goals that do not exclude one another, with learned weights."""
    from telos.studies.crystal_island.concurrent import train_concurrent  # needs polars, an extra

    formulas = load_mln(DATA / "island-concurrent.mln")
    learned = train_concurrent(formulas, ISLAND_PLAYERS, ISLAND_SEED, variant="today")
    return replace(learned, rules=tuple(_rounded(rule, 0.03, 2) for rule in learned.rules))


def _is_of_one_moment(rule: Rule) -> bool:
    return sum(isinstance(each, Atom) and each.predicate == "goal" for each in iter_atoms(rule.formula)) == 1


def _rounded(rule: Rule, least: float = _MIN_WEIGHT, digits: int = 3) -> Rule:
    return replace(
        rule, weights={key: round(weight, digits) for key, weight in rule.weights.items() if abs(weight) >= least}
    )


def main(arguments: Sequence[str]) -> None:
    """Write the models that are named."""
    if list(arguments) == ["island-goals"]:
        print(_GOALS_HEAD.format(players=ISLAND_PLAYERS) + format_mln(live_goals()), end="")
        return
    if list(arguments) == ["island"]:
        print(_ISLAND_HEAD.format(players=ISLAND_PLAYERS) + format_mln(live_island()), end="")
        return
    if not arguments or arguments[0] not in ("adventure", "live") or len(arguments) > 2:
        raise SystemExit(
            "usage: python -m telos.studies.trained_models adventure [FOLDER] | live [FOLDER] | island | island-goals"
        )
    folder = Path(arguments[1]) if len(arguments) > 1 else DATA
    if arguments[0] == "live":
        write_live_models(folder)
        return
    for course in COURSES:
        check_output(folder / f"{course.name}.yaml")
    for course in COURSES:
        games = sessions(course)
        write_text(folder / f"{course.name}.yaml", file_text(course, trained(course, games), len(games)))


if __name__ == "__main__":
    main(sys.argv[1:])
