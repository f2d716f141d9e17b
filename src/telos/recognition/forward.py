"""The forward algorithm: one step of it, and the whole of it over a sequence."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.recognition.model import Evidence, Matrix

Chances: TypeAlias = tuple[float, ...]
TINY = 1e-200  # below this a step is computed again with larger numbers, before digits are lost


# The belief before an observation was weighed, the belief after, and how likely the observation was: 0 if no goal
# allows what was seen, which is then ignored. A plain tuple, because one is made for every event.
Step: TypeAlias = tuple[Chances, Chances, float]


def step(chances: Chances, evidence: Evidence) -> Step:
    """Take the belief over one event: goals may change, then what was seen is weighed, then it sums to 1 again.

    >>> from telos.recognition.model import Evidence
    >>> step((0.5, 0.5), Evidence(((0.75, 0.25), (0.25, 0.75)), (0.75, 0.25), "swing"))[1]
    (0.75, 0.25)
    """
    transition, likelihood, _ = evidence
    if len(chances) == 3:  # written out: three goals are what most games tell apart, and this is the hot loop
        a, b, c = chances
        (aa, ab, ac), (ba, bb, bc), (ca, cb, cc) = transition
        p, q, r = a * aa + b * ba + c * ca, a * ab + b * bb + c * cb, a * ac + b * bc + c * cc
        x, y, z = likelihood
        x, y, z = p * x, q * y, r * z
        total = x + y + z
        if total > TINY:
            return (p, q, r), (x / total, y / total, z / total), total
        return _faint((p, q, r), evidence)
    predicted = predict(chances, transition)
    weighed = [chance * seen for chance, seen in zip(predicted, likelihood, strict=True)]
    total = sum(weighed)
    if total > TINY:
        return predicted, tuple([each / total for each in weighed]), total
    return _faint(predicted, evidence)


def predict(chances: Chances, transition: Matrix) -> Chances:
    """Return the belief after goals may have changed, before anything more is seen."""
    return tuple(
        sum(chance * row[to] for chance, row in zip(chances, transition, strict=True)) for to in range(len(chances))
    )


def _faint(predicted: Chances, evidence: Evidence) -> Step:
    """Weigh an observation that is next to impossible: made larger first, or ignored if no goal allows it."""
    peak = max(evidence.likelihood)
    if not peak >= 0:  # NaN is not
        raise TelosError(
            f"the model gives {evidence.seen!r} the likelihoods {evidence.likelihood}", "they must be numbers"
        )
    if peak > 0:
        weighed = [chance * (seen / peak) for chance, seen in zip(predicted, evidence.likelihood, strict=True)]
        total = sum(weighed)
        if total > 0:
            return predicted, tuple([each / total for each in weighed]), max(total * peak, 5e-324)
    whole = sum(predicted)
    return predicted, tuple([each / whole for each in predicted]), 0.0


def forward(prior: Sequence[float], evidences: Iterable[Evidence]) -> list[Step]:
    """Return every step of the forward algorithm over a sequence."""
    chances, steps = tuple(prior), []
    for evidence in evidences:
        taken = step(chances, evidence)
        steps.append(taken)
        chances = taken[1]
    return steps


def as_weighed(evidences: Sequence[Evidence], steps: Sequence[Step]) -> list[Evidence]:
    """Return the evidence as the forward algorithm took it: what it ignored says nothing about any goal."""
    return [
        evidence if taken[2] > 0 else evidence._replace(likelihood=(1.0,) * len(evidence.likelihood))
        for evidence, taken in zip(evidences, steps, strict=True)
    ]
