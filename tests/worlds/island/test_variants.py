"""The variant from the text without one of its sentences: what is undone, and that everything else stays."""

from dataclasses import fields

import pytest

from telos.core.errors import TelosError
from telos.worlds.island.playthrough import record_players
from telos.worlds.island.story import IslandStory, load_story
from telos.worlds.island.styles import load_styles
from telos.worlds.island.variants import (
    TEXT_SENTENCES,
    PlayerVariant,
    load_variant,
    name_without,
    text_variant,
)

TODAY, TEXT = load_variant("today"), load_variant("text")


def parts(variant: PlayerVariant) -> dict[str, object]:
    """Return everything in which variants of the players differ, by name."""
    story = {each.name: getattr(variant.story, each.name) for each in fields(IslandStory) if each.name != "_here"}
    traits = {
        trait: {style: getattr(each, trait) for style, each in variant.styles.traits.items()}
        for trait in ("searching", "persistence", "loyalty", "pause", "patience", "curiosity")
    }
    drifts = {f"drift of {goal.name}": goal.drift for goal in variant.domain.goals}
    levels = {f"level of {goal.name}": goal.insistence for goal in variant.domain.goals}
    body = {action.name: (action.preconditions, action.effects) for action in variant.planner.actions}
    seconds = {f"seconds of {action}": each for action, each in variant.story.seconds.items()}
    del story["seconds"]
    return {
        **story, **traits, **drifts, **levels, **seconds,
        "fill": body["fill"],
        "news": variant.styles.triggers,
        "memory": variant.styles.fades,
        "weights": variant.styles.weights,
    }  # fmt: skip


UNDONE = {
    "talk": {"people", "replies", "seconds of ask", "seconds of answer"},
    "pages": {"books", "seconds of read-book"},
    "protocol": {"protocol", "seconds of test-object"},
    "study": {"fill"},
    "search": {"searching"},
    "periods": {
        *("persistence", "drift of explore", "drift of read-up", "drift of handle", "drift of chat"),
    },
    "areas": {"loyalty"},
    "patterns": {"news"},
    "memory": {"memory"},
}


@pytest.mark.parametrize("sentence", TEXT_SENTENCES)
def test_leaving_out_a_sentence_undoes_its_part_and_nothing_else(sentence: str) -> None:
    text, today, without = parts(TEXT), parts(TODAY), parts(load_variant(name_without(sentence)))
    assert {name for name in text if without[name] != text[name]} == UNDONE[sentence]
    assert all(without[name] == today[name] for name in UNDONE[sentence])


def test_without_any_sentence_only_what_was_set_on_counts_is_left_of_the_text() -> None:
    text, today, without = parts(TEXT), parts(TODAY), parts(text_variant(tuple(TEXT_SENTENCES)))
    differs = {name for name in today if without[name] != today[name]}
    wishes = {f"{what} of {goal.name}" for what in ("drift", "level") for goal in TEXT.domain.goals}
    assert differs <= {"pause"} | wishes
    assert all(without[name] == text[name] for name in differs)
    assert text_variant(()).name == "text"
    assert load_story() == TODAY.story
    assert load_styles() is TODAY.styles


def test_every_sentence_changes_what_players_do() -> None:
    whole = [game.events for game in record_players(6, seed=301, variant="text")]
    for sentence in TEXT_SENTENCES:
        games = record_players(6, seed=301, variant=name_without(sentence))
        assert [game.events for game in games] != whole, sentence


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("txt", "there is no variant 'txt' of the island's players; did you mean 'text'"),
        ("text without page", "there is no sentence 'page'; did you mean 'pages'"),
        ("text without", "there is no variant 'text without'"),
    ],
)
def test_an_unknown_variant_or_sentence_is_refused(name: str, message: str) -> None:
    with pytest.raises(TelosError, match=message):
        load_variant(name)
