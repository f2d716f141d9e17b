"""Between one model for all players and one for each: the pooled model as a prior, the player's own counts on top."""

import math
from collections.abc import Sequence

from telos.core.errors import TelosError
from telos.core.numbers import not_negative
from telos.recognition.iohmm import IOHMM


def pooled(models: Sequence[IOHMM], *, name: str = "") -> IOHMM:
    """Return the model that all of the players' lessons together make.

    >>> ann, bo = IOHMM(counts={"level": {"swing": 3}}), IOHMM(counts={"level": {"swing": 2, "stop": 1}})
    >>> pooled([ann, bo]).counts.seen["level"]["swing"]
    5.0
    """
    if not models:
        raise TelosError("give at least one model to pool")
    first = models[0]
    for model in models:
        if (model.goals, model.symbols, model.transitions) != (first.goals, first.symbols, first.transitions):
            raise TelosError(
                f"{model!r} and {first!r} differ in goals, symbols or transitions", "pool models of one kind"
            )
    seen = [model.counts.seen for model in models]
    sums = {
        goal: {symbol: math.fsum(each[goal][symbol] for each in seen) for symbol in first.symbols.names}
        for goal in first.goals
    }
    return like(first, counts=sums, pseudo_counts=first.counts.pseudo, name=name)


def personal(pool: IOHMM, strength: float, *, pseudo_counts: float = 1.0, name: str = "") -> IOHMM:
    """Return a fresh model for one player that starts from the pooled one, worth ``strength`` sightings of each goal.

    With strength 0 it is a model of its own; the larger, the longer it takes to leave the pool. Teach it as usual.
    """
    if not_negative("strength", strength) == 0:
        return like(pool, counts=None, pseudo_counts=pseudo_counts, name=name)
    own = not_negative("pseudo_counts", pseudo_counts)
    before = {
        goal: {
            symbol: own + strength * chance
            for symbol, chance in zip(pool.symbols.names, pool.counts.chances(goal), strict=True)
        }
        for goal in pool.goals
    }
    return like(pool, counts=None, pseudo_counts=before, name=name)


def best_strength(
    pool: IOHMM, players: Sequence[IOHMM], candidates: Sequence[float] = (0, 1, 3, 10, 30, 100, 300, 1000)
) -> float:
    """Return the strength that makes the players' own counts likeliest, each goal's chances drawn around the pool's.

    A high one says that players are much alike, a low one that each plays in a way of her own.
    """
    if not players or not candidates:
        raise TelosError("give at least one player's model and one candidate")
    return max(candidates, key=lambda strength: sum(_marginal(personal(pool, strength), each) for each in players))


def _marginal(prior: IOHMM, player: IOHMM) -> float:
    """Return the log-likelihood of a player's counts if her chances are drawn from the prior's Dirichlet."""
    total = 0.0
    for goal in prior.goals:
        pseudo, seen = prior.counts.pseudo[goal], player.counts.seen[goal]
        whole, count = math.fsum(pseudo.values()), math.fsum(seen.values())
        total += math.lgamma(whole) - math.lgamma(whole + count)
        total += math.fsum(math.lgamma(pseudo[s] + seen[s]) - math.lgamma(pseudo[s]) for s in pseudo)
    return total


def like(model: IOHMM, **changed: object) -> IOHMM:
    """Return a model like another, with some of its parts changed; what either learns later is its own."""
    parts: dict[str, object] = {
        "symbols": model.symbols,
        "transitions": model.transitions,
        "counts": model.counts.seen,
        "pseudo_counts": model.counts.pseudo,
        "discount": model.discount,
        "learned": None if model.learned is None else model.learned.copy(),
        "prior": model.prior,
        "clock": model.clock,
        "vocabulary": model.vocabulary,
        "name": model.name,
        "director": model.director,
    }
    return IOHMM(model.goals, **{**parts, **changed})  # type: ignore[arg-type]
