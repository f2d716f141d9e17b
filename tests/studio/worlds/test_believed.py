"""The headline of the adventure over the real session: scripted players who pursue one goal, and review cases."""

from random import Random

import pytest

from telos.core.belief import Belief
from telos.studies.players.plain import PlainPlayer
from telos.studio.session import Session
from telos.studio.worlds.adventure import ADVENTURE, AdventureStage
from telos.studio.worlds.adventure.stage import HEADLINES

SURE = 0.7
SEEDS = range(500, 510)  # the models were made and chosen on other players


def new_game(rules: str, seed: int) -> tuple[Session, AdventureStage]:
    session = Session(ADVENTURE, seed, {"rules": rules, "goals": "free"})
    assert isinstance(session.stage, AdventureStage)
    return session, session.stage


def play_intent(intent: str, seed: int, *, rules: str = "wilds") -> tuple[Session, Belief]:
    """Play 20 s of one intent and return the game with the headline's belief; for town, when the player arrives."""
    session, stage = new_game(rules, seed)
    player = PlainPlayer("explore" if intent == "town" else intent, seed=seed)
    name, areas = session.headline, stage.game.rules.map
    assert name is not None
    turns, turned = Random(seed).randrange(2, 5), 0 if intent != "town" else None
    while turned is None or stage.game.frame - turned < 600:
        view, belief = stage.game.view(), session.recognizers.beliefs[name]
        column, row = map(int, view.area.split(","))
        away = areas.distance[(row - 1) * areas.columns + column - 1] or 0
        if turned is None and stage.game.frame >= 300 and (away >= turns or stage.game.frame >= 2700):
            turned = stage.game.frame
            player.pursue("town")
        session.hold(player.input(view))
        session.advance()
        if intent == "town" and turned is not None and stage.game.view().in_town:
            return session, belief
    return session, session.recognizers.beliefs[name]


def count_sure(intent: str, seeds: range, *, rules: str = "wilds") -> int:
    beliefs = [play_intent(intent, seed, rules=rules)[1] for seed in seeds]
    goal = "return" if (rules, intent) == ("aiide", "town") else intent
    return sum(belief.top == goal and belief[goal] > SURE for belief in beliefs)


@pytest.mark.parametrize("intent", ["level", "explore", "town"])
def test_headline_is_sure_of_one_goal_pursued_for_20_s(intent: str) -> None:
    assert count_sure(intent, SEEDS[:2]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("intent", ["level", "explore", "town"])
def test_headline_is_sure_in_8_of_10_tries(intent: str) -> None:
    assert count_sure(intent, SEEDS) >= 8


def test_headline_is_recogniser_of_every_rule_set() -> None:
    for rules, name in HEADLINES.items():
        session, _ = new_game(rules, 1)
        assert session.headline == name
        assert name in session.recognizers.names


def test_belief_in_town_adds_up_over_updates() -> None:
    session, stage = new_game("wilds", 5)
    keys = ("up", "right", "down", "left")
    for frame in range(330):  # the review's square, with a swing every half second
        session.hold(keys[frame // 45 % 4] + ("+swing" if frame % 15 < 3 else ""))
        session.advance()
    assert stage.game.view().in_town
    belief = session.recognizers.beliefs["ffbm"]
    assert belief["level"] > SURE, "swinging counts, and is not forgotten at the next update"


def test_standing_still_from_the_start_is_unsure() -> None:
    session, _ = new_game("wilds", 5)
    for _ in range(600):
        session.advance()
    chances = sorted(session.recognizers.beliefs["ffbm"].values())
    assert chances[-1] - chances[-2] < 0.2


def test_player_who_stops_is_quiet_after_some_seconds() -> None:
    session, _ = new_game("wilds", 5)
    session.hold("right")
    for _ in range(60):
        session.advance()
    session.hold("")
    for _ in range(200):
        session.advance()
    assert not session.frame_data["quiet"]
    for _ in range(60):
        session.advance()
    assert session.frame_data["quiet"], "the corner says unsure"
    session.hold("left")
    session.advance()
    assert not session.frame_data["quiet"]


def test_newcomer_who_was_told_to_fight_is_read_so() -> None:
    session = Session(ADVENTURE, 4, {"plays": "newcomer", "goals": "directed"})
    right: list[bool] = []
    while not session.is_over and session.last < 12_000:
        truth = session.stage.truth
        session.advance()
        right += [session.recognizers.beliefs["ffbm"].top == truth] if truth == "level" else []
    assert session.is_over
    assert sum(right) / len(right) > 0.6
    accuracy = session.scoreboard.accuracy("ffbm")
    others = [session.scoreboard.accuracy(name) or 0.0 for name in ("iohmm", "constant", "fsm")]
    assert accuracy is not None
    assert accuracy > max(others)
