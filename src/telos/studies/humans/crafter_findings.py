"""What the Crafter study found: which comparisons are made, and what they say about the second paper's claim."""

from collections.abc import Mapping, Sequence
from random import Random

from telos.studies.humans.results import Comparison, Figure, HumanStudy, compared
from telos.studies.humans.scores import Score
from telos.studies.statistics import said_p

# Measured on the same rows and folds; they come with the data.
PEERS = {"majority": 18.4, "naive Bayes with context": 46.1, "logistic regression": 51.0, "boosted trees": 50.5}

# The second condition, the first, and what the paper has for them: two accuracies and a p.
PAIRS: tuple[tuple[str, str, tuple[float, float] | None, float | None], ...] = (
    ("own later on later", "own first on first", (70.0, 60.0), 0.01),
    ("own later on later", "own first on later", None, None),
    ("own first on later", "own first on first", None, None),
    ("own later on first", "own first on first", None, None),
    ("own later, as much", "another's later", (74.0, 63.0), 0.03),
    ("pooled later", "pooled first", None, None),
    ("pooled after trial", "pooled trial", None, None),
)
CLAIM, TRAINING, READABILITY = PAIRS[0][:2], PAIRS[1][:2], PAIRS[2][:2]
STYLE, POOLED = PAIRS[4][:2], PAIRS[5][:2]


def study(
    totals: Mapping[str, Score], shares: Mapping[tuple[str, str], Mapping[str, float]], *, seed: int, quick: bool
) -> HumanStudy:
    """Return the study's outcome from the shares of rows that were right, by kind of model, condition and player."""
    rng = Random(seed)
    figures = tuple(Figure.of(f"{kind}, trained on all play of others", each, rng=rng) for kind, each in totals.items())
    comparisons: list[Comparison] = []
    findings: list[str] = []
    for kind in totals:
        made = _comparisons(kind, shares, rng)
        comparisons += made.values()
        findings += _findings(kind, made)
    details = {"peers": PEERS}
    return HumanStudy("crafter", seed, quick, figures, tuple(comparisons), tuple(findings), details)


def _comparisons(
    kind: str, shares: Mapping[tuple[str, str], Mapping[str, float]], rng: Random
) -> dict[tuple[str, str], Comparison]:
    found = {}
    for a, b, published, p in PAIRS:
        first, second = shares.get((kind, a), {}), shares.get((kind, b), {})
        players = sorted(first.keys() & second.keys())
        if players:
            values = [[each[player] for player in players] for each in (first, second)]
            names = (f"{kind}: {a}", b)
            found[a, b] = compared(*names, *values, rng=rng, published=published, published_p=p)
    return found


def _findings(kind: str, made: Mapping[tuple[str, str], Comparison]) -> Sequence[str]:
    """Say what each comparison means, in words that follow from its numbers alone."""
    said = {
        CLAIM: "later play, read with models of later play, beside first play read with models of first play",
        TRAINING: "on the same later play, training on later play instead of first play",
        READABILITY: "for one and the same model, later play instead of first play",
        STYLE: "a player's own model instead of another player's",
        POOLED: "for players never seen, training on others' later play instead of their first play",
    }
    return [f"{kind} model: {words}: {_verdict(made[pair])}." for pair, words in said.items() if pair in made]


def _verdict(comparison: Comparison) -> str:
    test = comparison.test
    points = f"{100 * test.difference:+.1f} points, {said_p(test.p)}"
    if not test.is_significant:
        return f"no difference that could not be chance ({points})"
    return f"{'better' if test.difference > 0 else 'worse'} ({points})"
