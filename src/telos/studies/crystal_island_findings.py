"""What the numbers of the study say, in plain words, made from the numbers alone."""

from collections.abc import Iterator

from telos.studies.crystal_island_published import AIMS, PUBLISHED
from telos.studies.markov.contenders import BIGRAM, COMPARED, FACTORED, MAJORITY, UNIGRAM
from telos.studies.markov.outcome import AHEAD, ONLINE, Outcome
from telos.studies.statistics import LEVEL, said_p
from telos.studies.statistics_anova import Anova

PRINTED: dict[str, float] = PUBLISHED["f1"]  # type: ignore[assignment]


def findings(island: Outcome) -> Iterator[str]:
    """Say how the chapter's table came out on simulated players."""
    ours = {key: island.scores[key].decodings[AHEAD].mean for key in (MAJORITY, *COMPARED)}
    listed = ", ".join(f"{key} {ours[key]:.3f} ({PRINTED[key]:.3f})" for key in ours)
    yield f"F1 with look-ahead, simulated, published in brackets: {listed}."
    order = sorted(ours, key=lambda key: -ours[key])
    printed = sorted(PRINTED, key=lambda key: -PRINTED[key])
    same = "the same as" if order == printed else f"not that of the chapter ({' > '.join(printed)}): it is"
    yield f"The order of the models is {same} {' > '.join(order)}."
    yield f"Analysis of variance, {said_anova(island.anovas[AHEAD])}; published F(2,18) = 71.87, p < .0001."
    pairs = island.pairs[AHEAD]
    told = [f"{pair.first} and {pair.second} ({said_p(pair.p)})" for pair in pairs if pair.p is None or pair.p >= LEVEL]
    apart = "all pairs differ" if not told else f"no significant difference between {', '.join(told)}"
    yield f"Tukey: {apart}; published: all pairs p < .01."
    yield from _two_ways(island)
    yield from _further(island)
    if island.microseconds is not None:
        first, again = island.microseconds
        yield f"One live update takes {again:.0f} µs, and {first:.0f} µs where everything is met for the first time."


def said_anova(found: Anova) -> str:
    """Say an analysis of variance as papers do."""
    if found.f is None:
        return "there is nothing to test: no difference varies between folds"
    return f"F({found.between},{found.within}) = {found.f:.2f}, {said_p(found.p)}"


def _two_ways(island: Outcome) -> Iterator[str]:
    for key in (UNIGRAM, BIGRAM, FACTORED):
        ways = island.scores[key].decodings
        online, ahead = ways[ONLINE].mean, ways[AHEAD].mean
        if key == FACTORED or abs(online - ahead) > 0.0005:
            yield f"{island.scores[key].label}: {online:.3f} online, {ahead:.3f} with look-ahead."


def _further(island: Outcome) -> Iterator[str]:
    """Say what each further file of formulas is worth beside the chapter's."""
    plain = island.scores[FACTORED]
    for score in island.scores.values():
        if score is plain or not score.label.startswith("factored"):
            continue
        gains = [
            f"{100 * (score.decodings[way].mean - plain.decodings[way].mean):+.1f} points {words}"
            for way, words in ((ONLINE, "online"), (AHEAD, "with look-ahead"))
        ]
        yield f"{score.label}: {' and '.join(gains)} beside the factored MLN."


def human_findings(people: Outcome) -> Iterator[str]:
    """Say how the models fared on people."""
    best = max(people.scores.values(), key=lambda score: score.decodings[ONLINE].f1)
    own = people.scores.get("tailored", best)
    way, aim = own.decodings[ONLINE], AIMS[people.log]
    kept = "met" if way.f1 >= aim else "missed"
    yield (
        f"{people.log} (human): {own.label} is right at {way.f1:.1%} of {people.actions:,} rows online "
        f"(aim {aim:.0%}: {kept}), macro-F1 {way.macro_f1:.3f}; {own.unseen or 0.0:.1%} on those who had no say in it."
    )
    listed = ", ".join(
        f"{score.label} {score.decodings[ONLINE].f1:.1%}" for score in people.scores.values() if score is not own
    )
    yield f"{people.log} (human), online: {listed}."
    ahead = {score.label: score.decodings[AHEAD].f1 for score in people.scores.values() if AHEAD in score.decodings}
    top = max(ahead, key=ahead.__getitem__)
    yield f"{people.log} (human), with look-ahead, which no game has: {top} {ahead[top]:.1%}."
