"""Ambiguous speech is resolved by the recognised plan and the place."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import DefinitionError
from telos.worlds.forge.domain import PLANS, load_forge_domain, load_village, parse_village
from telos.worlds.forge.speech import (
    DOUBT,
    REACH,
    Understanding,
    load_utterances,
    parse_companion_lines,
    parse_utterances,
    understand,
)

SURE = {plan: {each: 0.9 if each == plan else 0.05 for each in PLANS} for plan in PLANS}


def heard(name: str, place: str, belief: dict[str, float] | None = None, **state: object) -> Understanding:
    utterance = load_utterances()[name]
    return understand(utterance.says[0], utterance, place, load_forge_domain().state(state), belief, load_village())


@pytest.mark.parametrize(
    ("name", "place", "plan", "state", "means"),
    [
        ("help", "forge", "key", {}, "fire"),
        ("help", "forge", "key", {"fire": "low"}, "bellows"),
        ("help", "door", "force", {}, "shoulder"),
        ("help", "cottage", "spare", {}, "apples"),
        ("thing", "door", "force", {}, "hammer"),
        ("thing", "cottage", "spare", {}, "apples"),
        ("heat", "forge", "key", {"fire": "hot"}, "bellows"),
        ("push", "door", "force", {}, "shoulder"),
        ("way", "river", "key", {}, "move"),
    ],
)
def test_same_words_mean_what_fits_the_place(
    name: str, place: str, plan: str, state: dict[str, object], means: str
) -> None:
    assert heard(name, place, SURE[plan], **state).means == means


def test_plan_decides_where_the_place_is_neutral() -> None:
    assert [heard("there", "square", SURE[plan]).options[0].means for plan in PLANS] == ["fire", "shoulder", "apples"]
    assert heard("there", "square").means is None  # undecided without a belief


def test_alternatives_are_listed_with_probabilities() -> None:
    said = heard("help", "forge", SURE["key"]).why().splitlines()
    assert said[0] == "'Can you help me with this?', said at the forge: fire"
    assert said[1].endswith("plan key 90%, forge right here")
    assert [line.split()[0] for line in said[1:]] == ["fire", "shoulder", "apples", "hammer"]


chance = st.floats(0.01, 1.0)


@given(
    name=st.sampled_from(sorted(load_utterances())),
    place=st.sampled_from(sorted(load_village().places)),
    weights=st.tuples(chance, chance, chance),
    fire=st.sampled_from(["out", "low", "hot"]),
)
def test_probabilities_are_normalised_belief_times_fit(
    name: str, place: str, weights: tuple[float, float, float], fire: str
) -> None:
    belief = {plan: weight / sum(weights) for plan, weight in zip(PLANS, weights, strict=True)}
    state = load_forge_domain().state({"fire": fire})
    expected: dict[str, float] = {}
    for reading in load_utterances()[name].readings:
        if reading.condition.holds(state):
            fit = DOUBT + (1 - DOUBT) * belief.get(reading.plan, 1.0)
            near = math.exp(-load_village().walk(place, reading.at) / REACH) if reading.at else 1.0
            expected[reading.means] = expected.get(reading.means, 0.0) + reading.likely * fit * near
    total = sum(expected.values())
    found = {each.means: each.chance for each in heard(name, place, belief, fire=fire).options}
    assert found == pytest.approx({means: weight / total for means, weight in expected.items()})


BAD = """\
utterances:
  help:
    says: ["Help!"]
    readings:
      - {means: fyre, at: forge}
      - {means: fire, at: forg, plan: kee}
      - {means: fire, if: fire == hott}
      - {means: fire, if: fire ==}
  aid:
    says: ["Help!"]
    readings: []
"""


def test_utterance_file_faults_are_reported_with_lines() -> None:
    with pytest.raises(DefinitionError) as refused:
        parse_utterances(BAD, load_forge_domain(), file="bad.yaml")
    said = str(refused.value)
    for line, words in (
        (5, "unknown means 'fyre'; did you mean 'fire'?"),
        (6, "unknown at 'forg'; did you mean 'forge'?"),
        (6, "unknown plan 'kee'; did you mean 'key'?"),
        (7, "hott"),
        (8, "bad.yaml:8"),
        (10, "'Help!' is said under 'help' too"),
        (11, "'aid' means nothing"),
    ):
        assert any(each.startswith(f"bad.yaml:{line}:") and words in each for each in said.splitlines()), (line, said)


def test_lines_and_village_file_faults_name_their_lines() -> None:
    lines = "goals: {tend_fir: [Hm.], push: []}\nchange: [Oh.]\nunclear: [Eh?]\nlost: [Eh?]\nopened: [Ah!]\n"
    with pytest.raises(DefinitionError, match="no goal 'tend_fir'; did you mean 'tend_fire'") as refused:
        parse_companion_lines(lines, load_forge_domain())
    assert "nothing is said for 'push'" in str(refused.value)
    with pytest.raises(DefinitionError, match="there is no place 'in'") as refused:
        parse_village("village: v\nplaces: {in: [1, 2], door: [1]}\ndrawing: x\n", load_forge_domain())
    assert "'forge' is not drawn" in str(refused.value)
    assert "'door' is drawn at" in str(refused.value)
