"""Models of play styles in the wilds: two that are trained on simulated players, beside one that is written by hand.

`python -m telos.studies.style_models [FOLDER]` writes ``style-bold.yaml`` and ``style-cautious.yaml``, by default
into the package; ``style-pacifist.yaml`` is written by hand and sees other outcomes. With ``--score`` it prints how
often the style of other simulated players is read right, after half a minute and at the end of a game.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from telos.files import write_text
from telos.recognition.ffbm import FFBM
from telos.recognition.files import load
from telos.recognition.files.load import model_lines, named_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM
from telos.recognition.player_models import StyleReader
from telos.studies.live_models import OUTCOMES
from telos.studies.players import Player, Preset, Session, play
from telos.studies.players.presets import Style
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recognizer import STYLES

RULES = "wilds"
PLAYS = 20  # games of each kind
SCORED = 20
DATA = Path(load.__file__).parents[1] / "data"
_MAX_FRAMES = 9_000  # five minutes
_EARLY = 30.0  # seconds
_COMMAND = "python -m telos.studies.style_models"
# Two ways to play among those that the simulated players have: who goes for monsters and strikes on the run, and who
# keeps away, lets them come, and stands to strike. Their other habits are plain.
PRESETS = {
    "bold": Preset(
        "bold",
        experience=0.85,
        spread=0.05,
        learning=0.0,
        style=Style(distance=0.1, baiting=0.1, stillness=0.1, boldness=0.9, mashing=0.8),
    ),
    "cautious": Preset(
        "cautious",
        experience=0.85,
        spread=0.05,
        learning=0.0,
        style=Style(distance=0.9, baiting=0.9, stillness=0.9, boldness=0.1, mashing=0.2),
    ),
}


def play_games(preset: Preset, purpose: str, count: int) -> list[Session]:
    """Return games of simulated players; ``purpose`` keeps the seeds of training and scoring apart."""
    found = []
    for number in range(count):
        rng = Random(f"styles {purpose} {preset.name} {number}")
        game = Adventure(RULES, seed=rng.randrange(2**32))
        found.append(play(game, Player(rng.randrange(2**32), preset), max_frames=_MAX_FRAMES))
    return found


def train_style(name: str, games: Sequence[Session]) -> IOHMM:
    """Return the model of a style, trained on games whose goals are known."""
    base = named_model(RULES)
    assert isinstance(base, FFBM)
    model = IOHMM(
        base.goals,
        symbols=OUTCOMES.items(),
        transitions=base.transitions,
        clock=base.clock,
        vocabulary=base.vocabulary,
        name=f"style-{name}",
    )
    for game in games:
        reader = Reader(model)
        for event, truth in zip(game.events, game.truths, strict=True):
            if truth is not None:
                reader.learn(event, truth)
    return model


def style_text(name: str, model: IOHMM) -> str:
    """Return the file of a style, which says where its counts come from."""
    about = f"How {name} players go about the wilds, by counts of {PLAYS} simulated games; `{_COMMAND}` makes it again."
    first, called, *rest = model_lines(model)
    head = ["# yaml-language-server: $schema=../recognizer.schema.json", first, called, f"about: {about}"]
    return "\n".join([*head, *rest]) + "\n"


def score_styles(count: int = SCORED) -> dict[str, tuple[float, float]]:
    """Return for each kind of player the share of games whose style is read right: after half a minute, and in all."""
    models = {style: named_model(file) for style, file in STYLES.items()}
    found = {}
    for style, preset in PRESETS.items():
        early = late = 0
        for game in play_games(preset, "scored", count):
            reader, first = StyleReader(models), ""
            for event in game.events:
                belief = reader.observe(event)
                if not first and event.time >= _EARLY:
                    first = belief.top
            early += first == style
            late += reader.belief.top == style
        found[style] = early / count, late / count
    return found


def main(arguments: Sequence[str]) -> None:
    """Write the models of the styles, or score them."""
    if "--score" in arguments:
        for style, (early, late) in score_styles().items():
            print(f"{style}: right in {early:.0%} of {SCORED} games after half a minute, in {late:.0%} at the end")
        return
    folder = Path(arguments[0]) if arguments else DATA
    for style, preset in PRESETS.items():
        model = train_style(style, play_games(preset, "trained", PLAYS))
        write_text(folder / f"style-{style}.yaml", style_text(style, model))


if __name__ == "__main__":
    main(sys.argv[1:])
