"""The tutor: players who are stuck, who guess, who ask for hints without trying, the villager, and ordinary players."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import pytest

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.worlds.island.island import Island
from telos.worlds.island.playthrough import ASK_HINT, LivePlaythrough, Playthrough, consult_tutor
from telos.worlds.island.story import DATA, load_story
from telos.worlds.island.trace import IslandTutorSpoke, describe
from telos.worlds.island.tutor import (
    EATS,
    GUESSING,
    HINT,
    HINT_REFUSED,
    PREMATURE,
    REFUSES,
    STUCK,
    IslandTutor,
    TutorLine,
    parse_tutor,
)

TEXT = (DATA / "tutor.yaml").read_text(encoding="utf-8")
STORY = load_story()


class Visit:
    """A scripted player with a tutor who sees every action."""

    def __init__(self) -> None:
        self.island, self.tutor = Island(seed=1), IslandTutor()

    def do(self, commands: Iterable[str], belief: Belief | None = None) -> list[TutorLine]:
        told = []
        for command in commands:
            self.island.step({self.island.player: command})
            event = self.island.events[0]
            line = self.tutor.observe(event, self.island.view(), belief)
            if line is not None and line.rule == EATS:
                self.island.remove(str(event.context["argument"]))
            told += [] if line is None else [line]
        return told

    def walk(self, place: str, belief: Belief | None = None) -> list[TutorLine]:
        told = []
        while self.island.view().place != place:
            here = self.island.view()
            ahead = STORY.map.route(here.place, place)[0]
            way = STORY.map.way(here.place, ahead)
            assert way is not None
            told += self.do([f"open {way.door}"] if way.door in here.closed else [f"move {ahead}"], belief)
        return told


def pace(visit: Visit, times: int, belief: Belief | None = None) -> list[TutorLine]:
    return visit.do(["move gate", "move dock"] * times, belief)


def test_a_player_who_is_stuck_is_redirected_and_not_pestered() -> None:
    visit = Visit()
    told = pace(visit, 80)
    minutes = visit.island.view().time / 60
    assert minutes > 15
    assert {line.rule for line in told} == {STUCK}
    assert 6 <= told[0].time / 60 < 6.6
    assert told[0].suggests == "talk-nurse"
    assert "nurse" in told[0].says
    assert "nothing new for 6." in told[0].because
    gaps = [(two.time - one.time) / 60 for one, two in pairwise(told)]
    assert all(gap >= 6 for gap in gaps)
    assert told[0].because in visit.tutor.why() or told[-1].because in visit.tutor.why()


def test_a_player_who_is_believed_to_be_busy_has_more_time() -> None:
    visit, busy = Visit(), Belief.concurrent({"talk-nurse": 0.9, "test-contaminated": 0.1})
    told = pace(visit, 80, busy)
    assert 12 <= told[0].time / 60 < 12.6
    assert "although talk-nurse is believed with 90%" in told[0].because


def test_new_places_and_lessons_are_progress() -> None:
    visit = Visit()
    assert pace(visit, 25) == []  # five minutes
    assert visit.do(["move gate", "read-poster welcome-sign", "move south-square", "read-poster notice-board"]) == []
    assert visit.do(["move gate", "move south-square"] * 20) == []


def guess(visit: Visit, *diseases: str) -> list[TutorLine]:
    told = visit.walk("nurses-desk")
    for disease in diseases:
        entries = [f"fill-worksheet disease={disease}", "fill-worksheet source=rice", "fill-worksheet treatment=rest"]
        told += visit.do([*entries, "submit-diagnosis"])
    return told


def test_wrong_diagnoses_in_quick_succession_are_noticed_and_one_is_not() -> None:
    assert guess(Visit(), "cholera") == []
    (line,) = guess(Visit(), "cholera", "anthrax")
    assert (line.rule, line.by, line.suggests) == (GUESSING, "nurse", "talk-patient")  # not to herself
    assert line.because == "2 wrong diagnoses in 6 minutes"
    slow = Visit()
    told = guess(slow, "cholera")
    for _ in range(7 * 60):
        slow.island.step({})
    assert GUESSING not in {line.rule for line in told + guess(slow, "anthrax")}


def test_wrong_answers_in_quick_succession_are_noticed() -> None:
    visit = Visit()
    visit.walk("nurses-desk")
    visit.do(["talk nurse"])
    told = []
    for _ in range(3):
        visit.do(["ask questions"])
        question = visit.island.view().question
        assert question is not None
        wrong = next(each for each in question.choices if each != question.right)
        told += visit.do([f"answer {wrong}"])
    assert [line.rule for line in told] == [GUESSING]
    assert told[0].because == "3 wrong answers in 6 minutes"


def test_tests_before_the_patients_are_premature_by_belief_or_by_a_test() -> None:
    visit = Visit()
    believed = Belief.concurrent({"test-contaminated": 0.7})
    (line,) = pace(visit, 2, believed)
    assert (line.rule, line.suggests) == (PREMATURE, "talk-patient")
    assert "testing is believed with 70%" in line.because
    assert pace(visit, 10, believed) == []  # said once
    other = Visit()
    other.walk("test-bench")
    (line,) = other.do(["pick-up peanuts", "test-object toxins"])
    assert (line.rule, line.because) == (PREMATURE, "1 test, and talk-patient is not achieved")


def test_hints_are_refused_to_a_player_who_does_not_try() -> None:
    live = LivePlaythrough(seed=3, person=True, tutor=IslandTutor())
    for _ in range(4):
        live.ask(ASK_HINT)
        live.advance()
    assert [line.rule for line in live.tutor_lines] == [HINT, HINT, HINT_REFUSED, HINT_REFUSED]
    assert live.tutor_lines[2].because == "3 hints in 5 minutes and 0 tries since the last one"
    for command in ["look-around", "examine rope", "pick-up rope", "drop rope", "examine rope"]:
        live.ask(command)
        for _ in range(4):
            live.advance()
    live.ask(ASK_HINT)
    assert live.tutor_lines[-1].rule == HINT
    assert not any(event.action == ASK_HINT for event in live.events)


def test_the_villager_refuses_the_apple_before_it_is_offered_and_eats_what_the_story_does_not_need() -> None:
    visit = Visit()
    visit.walk("south-tables")
    visit.do(["pick-up apple"])
    told = [line for line in visit.walk("garden") if line.rule == REFUSES]
    assert len(told) == 1
    assert told[0].because.startswith("feeding the gardener is believed with ")
    assert told[0].says == "Thank you, but keep the apple. It may still tell you something."
    assert visit.do(["drop apple"]) == []  # it was said
    assert "apple" in visit.island.view().things
    visit.walk("serving-counter")
    visit.do(["pick-up cheese"])
    visit.walk("garden")
    (line,) = visit.do(["drop cheese"])
    assert line.rule == EATS
    assert "cheese" not in visit.island.view().things
    with pytest.raises(TelosError, match="cannot 'pick-up cheese' now"):
        visit.do(["pick-up cheese"])


@pytest.mark.parametrize("context", [{"loc": "dining-hall"}, {"loc": "dining-hall", "argument": "crown"}])
def test_events_of_another_island_are_no_reason_to_speak(context: dict[str, str]) -> None:
    visit = Visit()
    there = next(person.at for name, person in STORY.people.items() if name == visit.tutor.settings.villager.person)
    visit.walk(there)
    assert visit.tutor.observe(Event("drop", context, time=5.0), visit.island.view()) is None


def test_nobody_eats_without_a_tutor() -> None:
    visit = Visit()
    visit.walk("serving-counter")
    visit.do(["pick-up cheese"])
    visit.walk("garden")
    visit.island.step({visit.island.player: "drop cheese"})
    assert consult_tutor(visit.island, visit.island.events[0], None, None) is None
    assert "cheese" in visit.island.view().things


def lines_of(style: str, seed: int) -> tuple[list[Event], list[IslandTutorSpoke]]:
    """Return the events of a simulated player with a tutor, and what was said."""
    said: list[IslandTutorSpoke] = []
    game = Playthrough(
        seed,
        style=style,
        tutor=IslandTutor(),
        trace=lambda each: said.append(each) if isinstance(each, IslandTutorSpoke) else None,
    )
    events = [event for _ in range(5000) if not game.island.is_over and (event := game.step()) is not None]
    assert game.island.is_over
    return events, said


def test_ordinary_players_are_left_alone() -> None:
    """Ten simulated players who read and ask: at most two redirections an hour on average, and six at most."""
    told = Counter[str]()
    for seed in range(5):
        for style in ("methodical", "social"):
            _, said = lines_of(style, seed)
            redirected = [line for line in said if line.rule in (STUCK, GUESSING, PREMATURE)]
            assert len(redirected) <= 6
            told.update(line.rule for line in redirected)
    assert told.total() <= 2 * 10
    assert told[GUESSING] <= 3
    assert told[STUCK] <= 10


def test_a_suggestion_is_followed_by_a_simulated_player() -> None:
    followed = asked = 0
    for seed in range(8):
        events, said = lines_of("guesser", seed)
        for line in said:
            if line.rule == PREMATURE:
                asked += 1
                assert line.suggests == "talk-patient"
                followed += any(event.goal == "talk-patient" and event.time > line.time for event in events)
    assert asked >= 4
    assert followed >= asked * 3 / 4
    spoken = describe(said[0]) or ""
    assert "» " in spoken
    assert said[0].says in spoken


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("by: technician", "by: technican", "there is no person 'technican'; did you mean 'technician'?"),
        ("{goal: talk-cook,", "{goal: talk-cok,", "there is no goal 'talk-cok'; did you mean 'talk-cook'?"),
        ("refuses: [apple,", "refuses: [aple,", "there is no thing 'aple'; did you mean 'apple'?"),
        ("stuck: {minutes: 6,", "stuck: {minute: 6,", "unknown key 'minute'; did you mean 'minutes'?"),
        ('  guessing: "That', '  guesing: "That', "nothing is said for 'guessing'; add a line"),
        ("diagnoses: 2", "diagnoses: 0", "diagnoses must be a whole number, 1 or more, got 0"),
    ],
)
def test_faults_of_a_tutor_file_are_reported(good: str, bad: str, message: str) -> None:
    assert good in TEXT
    with pytest.raises(DefinitionError) as refused:
        parse_tutor(TEXT.replace(good, bad, 1), file="mine.yaml")
    assert message in str(refused.value)
