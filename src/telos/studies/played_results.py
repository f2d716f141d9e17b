"""What recorded games have shown: each by itself, and pooled by the game that was played. All of it is human."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from telos.studies.scoring import Tally
from telos.studies.scoring_contest import Score, scored

NAME = "played"
OWN = "own"
METHODS = {
    "fsm": "FSM",
    "constant": "constant T",
    "ffbm": "FFBM",
    "iohmm": "IOHMM",
    OWN: "IOHMM, own lessons",
}
# Percents that the papers give for people who were new to their games.
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "flairs": {"fsm": 46.0, "constant": 44.0, "ffbm": 59.0},
    "aiide, test round": {"fsm": 54.0, OWN: 66.0},
}
NOTES = (
    "Players are human: these are recordings of games that people played with `telos play`.",
    "At each update of the FFBM, a method is right if its likeliest goal is the one that the player was given. The "
    "accuracy of a game is the share of its updates; means are over games, with bootstrap intervals.",
    "A game with rounds is scored on its test round, where all methods start knowing nothing; if it did not come so "
    "far, on its training round, and such games are pooled by themselves.",
    "The IOHMM was trained on simulated players. 'Own lessons' was trained on the player's own training round, by "
    "counting, and on nothing else.",
    "Published figures are those of people who were new to the game; who recorded these may not have been.",
)


@dataclass(frozen=True, slots=True)
class Played:
    """One recorded game. In free play nobody knows the truth, so there is only what was ``believed``."""

    file: str
    player: str
    rules: str
    seconds: float
    phases: tuple[int, int]  # done, and all of the game
    is_free: bool
    part: str  # the round that was scored; empty for the whole game
    updates: int
    tallies: Mapping[str, Tally]
    believed: Mapping[str, Mapping[str, float]]  # by method: at which share of updates each goal was the likeliest

    @property
    def condition(self) -> str:
        """Return with which other games this one can be pooled."""
        return f"{self.rules}, {self.part} round" if self.part else self.rules

    @property
    def warning(self) -> str:
        """Return what is to be known before its figures are used; empty if there is nothing."""
        if self.is_free:
            return f"{self.file} is free play: nobody knows what the player was after, so it is told and not scored"
        if not self.updates:
            return f"{self.file} has no update with a given goal: there is nothing to score"
        if self.phases[0] < self.phases[1]:
            return f"{self.file} was not finished: {self.phases[0]} of {self.phases[1]} phases were"
        return ""


@dataclass(frozen=True, slots=True)
class PlayedStudy:
    """All games that were read, in the order in which they were named."""

    seed: int
    games: tuple[Played, ...]

    @property
    def pooled(self) -> dict[str, dict[str, Score]]:
        """Return the scores of every method over the games that can be pooled."""
        found: dict[str, dict[str, Score]] = {}
        for condition in dict.fromkeys(game.condition for game in self.games if game.tallies):
            games = [game.tallies for game in self.games if game.condition == condition and game.tallies]
            found[condition] = {
                method: scored(
                    method,
                    [tallies[method] for tallies in games],
                    goals=list(dict.fromkeys(goal for each in games for goal in each[method].by_goal)),
                    rng=Random(f"played {self.seed} {condition} {method}"),
                    published=PUBLISHED.get(condition, {}).get(method),
                )
                for method in METHODS
                if method in games[0]
            }
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what is to be known before the figures are used."""
        return tuple(game.warning for game in self.games if game.warning)

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it; accuracies are shares, published figures percents as printed."""
        return {
            "study": NAME,
            "human": True,
            "simulated": False,
            "seed": self.seed,
            "methods": METHODS,
            "games": [_game(each) for each in self.games],
            "pooled": {
                condition: {method: _score(score) for method, score in scores.items()}
                for condition, scores in self.pooled.items()
            },
            "warnings": list(self.warnings),
            "notes": list(NOTES),
        }


def _game(game: Played) -> dict[str, Any]:
    return {
        "file": game.file,
        "player": game.player,
        "rules": game.rules,
        "minutes": round(game.seconds / 60, 3),
        "phases_done": game.phases[0],
        "phases": game.phases[1],
        "free_play": game.is_free,
        "scored_on": game.part or "all",
        "updates": game.updates,
        "accuracy": {method: round(tally.accuracy, 6) for method, tally in game.tallies.items()},
        "by_goal": {method: dict(tally.by_goal) for method, tally in game.tallies.items()},
        "believed": {
            method: {goal: round(share, 6) for goal, share in shares.items()}
            for method, shares in game.believed.items()
        },
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "accuracy": round(score.accuracy, 6),
        "ci": [round(bound, 6) for bound in score.interval],
        "n": len(score.values),
        "published": score.published,
        "by_goal": {goal: round(share, 6) for goal, share in score.by_goal.items()},
    }
