"""Models of play styles in the wilds: two that are trained on simulated players, beside one that is written by hand.

`python -m telos.studies.style_models [FOLDER]` writes ``style-bold.yaml`` and ``style-cautious.yaml``, by default
into the package; ``style-pacifist.yaml`` is written by hand and sees other outcomes. With ``--score`` it prints how
often the style of other simulated players is read right, after half a minute and at the end of a game. It also writes
``wilds-learner.yaml``, from which the companion of the tutorial starts to learn.
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
from telos.recognition.iohmm import IOHMM, find_best_strength, personalize
from telos.recognition.player_models import StyleReader
from telos.studies.live_models import OUTCOMES
from telos.studies.players import EXPERIENCED, NOVICE, Player, Preset, Session, Style, play
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recognizer import load_model_text, load_styles

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


def train_learner() -> tuple[IOHMM, float]:
    """Return the model that the tutorial starts from, and how many observations of each goal it is worth.

    That is the strength under which the counts of single players are likeliest; nobody's accuracy is looked at.
    """
    games = [game for preset in (NOVICE, EXPERIENCED) for game in play_games(preset, "learner", PLAYS // 2)]
    pool = train_style("learner", games)
    strength = find_best_strength(pool, [train_style("player", [game]) for game in games])
    return personalize(pool, strength, name="wilds-learner"), strength


def learner_text(model: IOHMM, strength: float) -> str:
    """Return the file of the tutorial's model, with the director of the wilds."""
    about = (
        f"What the companion of the tutorial starts from, worth {strength:g} observations a goal, by counts "
        f"of {PLAYS} simulated games; `{_COMMAND}` makes it again. What it learns from the player is counted on top."
    )
    base = load_model_text(RULES)
    return file_text(model, about) + base[base.index("director:") :]


def file_text(model: IOHMM, about: str) -> str:
    """Return a recogniser file with a line that says where its counts come from."""
    first, called, *rest = model_lines(model)
    head = ["# yaml-language-server: $schema=../recognizer.schema.json", first, called, f"about: {about}"]
    return "\n".join([*head, *rest]) + "\n"


def style_text(name: str, model: IOHMM) -> str:
    """Return the file of a style, which says where its counts come from."""
    about = f"How {name} players go about the wilds, by counts of {PLAYS} simulated games; `{_COMMAND}` makes it again."
    return file_text(model, about)


def score_styles(count: int = SCORED) -> dict[str, tuple[float, float]]:
    """Return for each kind of player the share of games whose style is read right: after half a minute, and in all."""
    models = load_styles()
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


def score_learner(count: int = SCORED // 2) -> dict[str, tuple[float, float]]:
    """Return how often goals are read right in the second game of simulated players: as it came, and having learned."""
    text = load_model_text("wilds-learner")
    found = {}
    for name, preset in PRESETS.items():
        fresh: list[bool] = []
        learned: list[bool] = []
        for number in range(count):
            rng = Random(f"styles tutorial {name} {number}")
            person, first = rng.randrange(2**32), Adventure("tutorial", seed=rng.randrange(2**32))
            play(first, Player(person, preset), max_frames=_MAX_FRAMES)
            assert first.reading is not None
            second = play(Adventure(RULES, seed=rng.randrange(2**32)), Player(person, preset), max_frames=_MAX_FRAMES)
            for model, right in ((text, fresh), (first.reading.model_text(), learned)):
                loaded = load.loads_model(model)
                assert isinstance(loaded, IOHMM)
                reader = Reader(loaded)
                for event, truth in zip(second.events, second.truths, strict=True):
                    belief = reader.observe(event)
                    right += [] if truth is None else [belief.top == truth]
        found[name] = sum(fresh) / len(fresh), sum(learned) / len(learned)
    return found


def main(arguments: Sequence[str]) -> None:
    """Write the models of the styles, or score them."""
    if "--score" in arguments:
        for style, (early, late) in score_styles().items():
            print(f"{style}: right in {early:.0%} of {SCORED} games after half a minute, in {late:.0%} at the end")
        for style, (before, after) in score_learner().items():
            print(f"{style}: goals read right in a second game: {before:.1%} as it came, {after:.1%} having learned")
        return
    folder = Path(arguments[0]) if arguments else DATA
    for style, preset in PRESETS.items():
        model = train_style(style, play_games(preset, "trained", PLAYS))
        write_text(folder / f"style-{style}.yaml", style_text(style, model))
    write_text(folder / "wilds-learner.yaml", learner_text(*train_learner()))


if __name__ == "__main__":
    main(sys.argv[1:])
