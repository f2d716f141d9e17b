"""Who was trained on whom: the models of the second study, for one test round."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from telos.recognition.hierarchy import best_strength, like, personal, pooled
from telos.recognition.iohmm import IOHMM
from telos.studies.gold_aiide_runs import (
    Game,
    filtered,
    first_of_each,
    scored_by,
    trained,
    untrained,
    weighted_counts,
)
from telos.studies.scoring import Tally, share_right
from telos.studies.scoring_lag import LAGS, judged_late
from telos.studies.sensitivity import AIIDE_DIALS, aiide_model, one_at_a_time

METHODS = {
    "trained": "trained on the player",
    "fsm": "FSM",
    "experimenter": "trained on the experimenter",
    "stranger": "trained on another player",
    "pooled": "trained on all other players",
    "personal": "other players, then the player",
    "before": "trained on the player's first run",
    "itself": "trained on the test round itself",
}
LESSONS = (1, 3, 10, 30, 100, 300)  # of each goal
WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)  # of the lessons of a first run


def tallies(games: Sequence[Game], experimenter: IOHMM) -> list[dict[str, Tally]]:
    """Return how every method reads the test round of each game; the games are of different players."""
    own = [trained(game.training) for game in games]
    said = []
    for at, game in enumerate(games):
        models = {"trained": own[at], "experimenter": experimenter, "itself": trained(game.test)}
        others = [*own[at + 1 :], *own[:at]]
        if others:
            models["stranger"] = others[0]
            pool = pooled(others)
            models["pooled"] = pool
            prior = personal(pool, best_strength(pool, others))
            models["personal"] = like(prior, counts=own[at].counts.seen)
        read = {name: scored_by(model, game.test) for name, model in models.items()}
        said.append({name: {**read, "fsm": game.fsm}[name] for name in METHODS if name in read or name == "fsm"})
    return said


def likeness(games: Sequence[Game]) -> float:
    """Return how alike players are: what all of them did is worth so many lessons about one of them."""
    models = [trained(game.training) for game in games]
    return best_strength(pooled(models), models)


def by_lessons(games: Sequence[Game]) -> dict[int, list[float]]:
    """Return the accuracies of models that were trained on only the first lessons of each goal."""
    return {
        most: [scored_by(trained(first_of_each(game.training, most)), game.test).accuracy for game in games]
        for most in LESSONS
    }


def by_lag(games: Sequence[Game]) -> dict[int, list[float]]:
    """Return the accuracies of models trained on the player that may wait before they answer."""
    accuracies: dict[int, list[float]] = {lag: [] for lag in LAGS}
    for game in games:
        model = trained(game.training)
        beliefs, evidences = filtered(model, game.test)
        truths = [update.truth for update in game.test]
        for lag in LAGS:
            judged = judged_late(beliefs, evidences, lag)
            accuracies[lag].append(share_right(model.goals, judged, truths))
    return accuracies


def by_weight(pairs: Sequence[tuple[Game, Game]]) -> dict[float, list[float]]:
    """Return the accuracies on the later run if the lessons of the first are kept, with a weight."""
    return {
        weight: [
            scored_by(
                like(untrained(), counts=weighted_counts([(first.training, weight), (later.training, 1.0)])), later.test
            ).accuracy
            for first, later in pairs
        ]
        for weight in WEIGHTS
    }


def by_dial(games: Sequence[Game]) -> Mapping[tuple[str, float], float]:
    """Return the mean accuracy with one number of the model turned, by number and factor."""
    values: dict[tuple[str, float], list[float]] = {}
    for game in games:
        own = trained(game.training)

        def make(own: IOHMM = own, **numbers: float) -> IOHMM:
            return aiide_model(own, **numbers)

        for key, model in one_at_a_time(AIIDE_DIALS, make).items():
            assert isinstance(model, IOHMM)
            values.setdefault(key, []).append(scored_by(model, game.test).accuracy)
    return {key: fmean(each) for key, each in values.items()}
