"""The trained models that come along for the adventure: counted from simulated players, and made again by one command.

    python -m telos.studies.trained_adventure FOLDER

writes ``flairs-iohmm.yaml`` and ``aiide-iohmm.yaml`` into a folder; without one, into the package.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from telos.recognition.ffbm import FFBM
from telos.recognition.files import load
from telos.recognition.files.load import format_model, named_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.observations import AIIDE_SYMBOLS
from telos.studies.players import EXPERIENCED, NOVICE, Player, Preset, Session, play
from telos.worlds.adventure.adventure import Adventure

PLAYERS = 20  # of each kind
LONGEST = 72_000  # frames, forty minutes: the second game has six phases
DATA = Path(load.__file__).parents[1] / "data"
_COMMAND = "python -m telos.studies.trained_adventure"


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
    """Return the model before its first lesson."""
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
    return IOHMM(rules.goals, symbols=seen, transitions=rules.transitions, clock=rules.clock, name=course.name)


def sessions(course: Course, *, players: int = PLAYERS) -> list[Session]:
    """Return the games that a model is trained on: one of each of so many players of every kind."""
    found = []
    for preset, monsters in course.monsters:
        for number in range(players):
            rng = Random(f"trained {course.rules} {preset.name} {number}")
            game = Adventure(course.rules, monsters=monsters, seed=rng.randrange(2**32))
            found.append(play(game, Player(rng.randrange(2**32), preset), max_frames=LONGEST))
    return found


def trained(course: Course, games: Sequence[Session]) -> IOHMM:
    """Return the model after all lessons of these games; every goal that was given is one that is known."""
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
    first, name, *rest = format_model(model).splitlines()
    head = ["# yaml-language-server: $schema=../recognizer.schema.json", first, name, f"about: {about}"]
    return "\n".join([*head, *rest]) + "\n"


def main(folder: Path = DATA) -> None:
    """Train and write all models."""
    for course in COURSES:
        games = sessions(course)
        (folder / f"{course.name}.yaml").write_text(file_text(course, trained(course, games), len(games)), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
