"""A director says what the game should do by what is believed, when it has been believed for long enough."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.recognition.director import Advice, Director, DirectorRule, create_director
from telos.recognition.files.load import built_in_names, create_recognizer, format_model, loads_model, named_model
from telos.recognition.iohmm import IOHMM
from telos.recognition.transitions import TransitionRules
from telos.worlds.adventure import Adventure, GameRecognizer

GOALS = ("level", "explore")
GRIND = DirectorRule("level > 0.9", hold=20, pay={"kill": 0.5}, say="There is little left here.")


def sure(level: float) -> Belief:
    return Belief({"level": level, "explore": 1 - level})


def told(director: Director, *steps: tuple[float, float]) -> list[Advice | None]:
    """Return the advice at each step: a time, and how likely levelling is then."""
    return [director.advise(Event("swing", time=time), sure(level)) for time, level in steps]


def test_a_rule_has_to_hold_for_as_long_as_it_says() -> None:
    director = Director([GRIND], GOALS)
    assert told(director, (0, 0.95), (19, 0.95)) == [None, None]
    assert told(director, (20, 0.95)) == [Advice({"kill": 0.5}, "There is little left here.")]


def test_rule_that_ends_restarts_its_hold_and_restores_full_pay() -> None:
    director = Director([GRIND], GOALS)
    assert told(director, (0, 0.95), (10, 0.5), (11, 0.95), (30, 0.95)) == [None] * 4
    first, over = told(director, (31, 0.95), (32, 0.2))
    assert first is not None
    assert first.pay == {"kill": 0.5}
    assert over == Advice({}, "")


def test_line_is_repeated_only_with_again_after() -> None:
    assert told(Director([GRIND], GOALS), (0, 1.0), (20, 1.0), (21, 1.0), (500, 1.0))[2:] == [None, None]
    again = DirectorRule("level > 0.9", say="Still at it?", again_after=60)
    said = told(Director([again], GOALS), (0, 1.0), (59, 1.0), (60, 1.0), (61, 0.0), (62, 1.0), (120, 1.0))
    assert [bool(each and each.hint) for each in said] == [True, False, True, False, False, True]


def test_with_until_a_wavering_belief_goes_on_holding() -> None:
    rule = DirectorRule("level > 0.9", until="explore > 0.8", hold=20, pay={"kill": 0.5})
    director = Director([rule], GOALS)
    told(director, (0, 0.95), (10, 0.5), (20, 0.3))
    assert director.pay == {"kill": 0.5}
    told(director, (21, 0.1))
    assert director.pay == {}


def test_factors_of_several_rules_are_multiplied() -> None:
    harder = DirectorRule("level > 0.9", hold=60, pay={"kill": 0.5, "gem": 0.5})
    director = Director([GRIND, harder], GOALS)
    told(director, (0, 1.0), (60, 1.0))
    assert director.pay == {"kill": 0.25, "gem": 0.5}


def test_second_due_line_is_shown_at_the_next_event() -> None:
    rules = [DirectorRule("level > 0.5", say="One."), DirectorRule("level > 0.5", say="Two.")]
    said = told(Director(rules, GOALS), (0, 1.0), (1, 1.0), (2, 1.0))
    assert [each and each.hint for each in said] == ["One.", "Two.", None]


def test_a_line_names_ways_and_waits_while_there_is_none() -> None:
    rule = DirectorRule("explore > 0.5 and not new_area", hold=10, say="You have not been {unvisited_exits} of here.")
    director = Director([rule], GOALS)
    nowhere, somewhere = {"unvisited_exits": ()}, {"unvisited_exits": ("east", "north")}
    for time in (0.0, 10.0):
        assert director.advise(Event("up", nowhere, time=time), sure(0.1)) is None
    advice = director.advise(Event("up", somewhere, time=11.0), sure(0.1))
    assert advice is not None
    assert advice.hint == "You have not been east or north of here."


def test_a_new_area_is_a_moment_that_starts_the_time_anew() -> None:
    director = Director([DirectorRule("explore > 0.5 and not new_area", hold=10, say="Lost?")], GOALS)
    for time, new in ((0.0, False), (9.0, True), (10.0, False), (19.0, False)):
        assert director.advise(Event("up", {"new_area": new}, time=time), sure(0.1)) is None
    assert director.advise(Event("up", time=20.0), sure(0.1)) == Advice({}, "Lost?")


def test_why_tells_of_every_rule_whether_it_holds_and_since_when() -> None:
    director = Director([GRIND, DirectorRule("explore > 0.5", say="On.")], GOALS)
    told(director, (3, 1.0), (13, 1.0))
    assert director.why().splitlines() == [
        "`level > 0.9` for 20 s: holds since 3 s, for 10 s so far",
        "`explore > 0.5`: does not hold",
    ]
    told(director, (23, 1.0))
    assert "in force, holds since 3 s; kill counts 0.5; said at 23 s" in director.why()


def test_reset_forgets_the_player() -> None:
    director = Director([GRIND], GOALS)
    told(director, (0, 1.0), (20, 1.0))
    director.reset()
    assert director.pay == {}
    assert director.advise(Event("swing", player="another", time=0), sure(1.0)) is None


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from([0.0, 0.5, 0.95])), max_size=20), st.integers(0, 20))
def test_a_restored_director_goes_on_as_if_nothing_had_been(steps: list[tuple[float, float]], cut: int) -> None:
    rules = [GRIND, DirectorRule("level > 0.4", until="explore > 0.9", hold=5, say="Hm.", again_after=15)]
    times = [sum(gap for gap, _ in steps[: i + 1]) for i in range(len(steps))]
    moments = [(time, level) for time, (_, level) in zip(times, steps, strict=True)]
    whole = told(Director(rules, GOALS), *moments)
    first = Director(rules, GOALS)
    before = told(first, *moments[:cut])
    second = Director(rules, GOALS)
    second.restore(json.loads(json.dumps(first.save())))
    assert before + told(second, *moments[cut:]) == whole


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from([0.0, 0.5, 0.95])), max_size=20))
def test_pay_is_what_looking_back_over_all_events_would_say(steps: list[tuple[float, float]]) -> None:
    director, seen, time = Director([GRIND], GOALS), [], 0.0
    for gap, level in steps:
        time += gap
        seen.append((time, level))
        told(director, (time, level))
        start = next((i + 1 for i in reversed(range(len(seen))) if seen[i][1] <= 0.9), 0)
        is_in_force = start < len(seen) and time - seen[start][0] >= 20
        assert director.pay == ({"kill": 0.5} if is_in_force else {})


def test_restoring_under_other_rules_is_refused() -> None:
    with pytest.raises(TelosError, match=r"rules are 1.*has 2"):
        Director([GRIND, GRIND], GOALS).restore(Director([GRIND], GOALS).save())


def test_a_belief_about_other_goals_and_events_of_two_players_are_refused() -> None:
    director = Director([GRIND], GOALS)
    with pytest.raises(TelosError, match="'level'"):
        director.advise(Event("swing"), Belief({"town": 1.0}))
    director.advise(Event("swing"), sure(1.0))
    with pytest.raises(TelosError, match="one player at a time"):
        director.advise(Event("swing", player="another"), sure(1.0))


def test_rules_that_no_game_could_follow_are_refused_with_all_faults() -> None:
    bad = [DirectorRule("levl > 0.9", pay={"kil": 2}), DirectorRule("level > 0.9", say="Go {nowhere}.")]
    with pytest.raises(DefinitionError) as refused:
        Director(bad, GOALS)
    assert [fault.path[:2] for fault in refused.value.faults] == [("director", 0), ("director", 0), ("director", 1)]
    with pytest.raises(TelosError, match="pay"):
        DirectorRule("level > 0.9")
    with pytest.raises(TelosError, match="zero or more"):
        DirectorRule("level > 0.9", pay={"kill": -1})


def test_only_models_that_say_so_have_a_director() -> None:
    with_one = [name for name in built_in_names() if create_director(named_model(name)) is not None]
    assert with_one == ["wilds", "wilds-learner"]


def test_the_wilds_pay_less_to_who_stands_and_fights() -> None:
    model = named_model("wilds")
    director, reader = create_director(model), create_recognizer(model)
    assert director is not None
    hints = []
    for tick in range(120):
        context = {"monsters": 4, "moving": "stop", "area": "3,2", "killed": tick % 8 == 0}
        event = Event("swing", context, time=tick * 0.5)
        advice = director.advise(event, reader.observe(event))
        hints += [advice.hint] if advice and advice.hint else []
    level = reader.belief["level"]
    assert director.pay["kill"] == pytest.approx(0.4 * round(1 - 0.8 * level, 2))
    assert 0.08 <= director.pay["kill"] < 0.2
    assert "which is `1 - 0.8 * belief.level`" in director.why()
    assert len(hints) == 2


# --- pay in proportion to certainty -----------------------------------------------------------------------------------

DULLED = DirectorRule("level > 0.5", pay={"kill": "1 - 0.8 * belief.level", "chest": "1 + explore"})


def test_pay_follows_the_belief_in_hundredths() -> None:
    director = Director([DULLED], GOALS)
    chances = (0.4, 0.6, 0.75, 0.75, 0.751, 0.9, 1.0, 0.3)
    found = told(director, *enumerate(chances))
    pays = [None if each is None else dict(each.pay) for each in found]
    assert pays == [
        None,
        {"kill": 0.52, "chest": 1.4},
        {"kill": 0.4, "chest": 1.25},
        None,  # nothing changed
        None,  # less than a hundredth
        {"kill": 0.28, "chest": 1.1},
        {"kill": 0.2, "chest": 1.0},
        {},
    ]


def test_why_tells_the_factor_and_its_formula() -> None:
    director = Director([DULLED], GOALS)
    told(director, (0, 0.75))
    assert "kill counts 0.4, which is `1 - 0.8 * belief.level`" in director.why()


def test_a_director_with_formulas_is_saved() -> None:
    director = Director([DULLED], GOALS)
    told(director, (0, 0.75))
    saved = director.save()
    again = Director([DULLED], GOALS)
    again.restore(saved)
    assert again.pay == director.pay == {"kill": 0.4, "chest": 1.25}
    assert again.save() == saved
    with pytest.raises(TelosError, match="factors"):
        again.restore({**saved, "factors": [{"kill": 0.1}]})
    assert again.pay == director.pay


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("1 - 2 * belief.level", r"`1 - 2 \* belief.level` can be -1, .* write `max\(0, 1 - 2 \* belief.level\)`"),
        ("1 - 0.1 * monsters", "can be any number"),
        ("1 / level", "divides by `level`, which can be 0; write `max"),
        ("2000 * level", "can be 2000, and at most 1000 is paid"),
        ("1 - 0.5 * belief.levl", "unknown variable 'belief.levl'.*did you mean 'belief.level'"),
        ("in_town", "is true or false, where number is wanted"),
    ],
)
def test_a_formula_is_checked_for_every_belief(formula: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        Director([DirectorRule("level > 0.5", pay={"kill": formula})], GOALS)


@given(level=st.floats(0, 1), slope=st.floats(0, 1))
def test_no_accepted_formula_pays_less_than_nothing(level: float, slope: float) -> None:
    rule = DirectorRule("level >= 0", pay={"kill": f"1 - {slope!r} * belief.level * (1 - explore)"})
    director = Director([rule], GOALS)
    director.advise(Event("swing"), sure(level))
    assert director.pay["kill"] == pytest.approx(1 - slope * level * level, abs=0.0051)


# --- pay for all kinds of earnings ------------------------------------------------------------------------------------

HUNT = """
recognizer: ffbm
goals: [fight, flee]
observations:
  fight: {swing: 0.8, walk: 0.2}
  flee: {swing: 0.3, walk: 0.7}
transitions: {lasts: 20 updates}
director:
  - if: belief.fight > 0.5
    pay: 1 - 0.8 * belief.fight
"""


def test_a_factor_alone_is_for_whatever_is_earned() -> None:
    model = loads_model(HUNT)
    assert loads_model(format_model(model)) == model
    director = create_director(model)
    assert director is not None
    advice = director.advise(Event("swing"), Belief({"fight": 0.75, "flee": 0.25}))
    assert advice is not None
    assert dict(advice.pay) == {"all": 0.4}
    assert advice.factor("gold") == 0.4
    known = create_director(model, earnings=["gold", "wood"])
    assert known is not None
    advice = known.advise(Event("swing"), Belief({"fight": 0.75, "flee": 0.25}))
    assert advice is not None
    assert dict(advice.pay) == {"gold": 0.4, "wood": 0.4}


def test_all_and_a_kind_of_earnings_are_multiplied() -> None:
    director = Director([DirectorRule("level >= 0", pay={"all": "1 - belief.level", "kill": 0.5})], GOALS)
    advice = director.advise(Event("swing"), sure(0.4))
    assert advice is not None
    assert dict(advice.pay) == {"kill": 0.3, "gem": 0.6, "chest": 0.6}
    assert DirectorRule("level > 0.5", pay=0).pay == {"all": 0.0}


def test_the_adventure_pays_all_earnings_by_a_factor_alone() -> None:
    text = format_model(named_model("wilds")).replace("pay: {kill: ", "pay: {all: ")
    assert {"all"} == {what for rule in loads_model(text).director or () for what in rule.pay}
    reading = GameRecognizer(text, seed=1)
    for second in range(40):
        context = {"monsters": 4, "moving": "stop", "killed": second % 5 == 0}
        reading.observe(Event("swing", context, time=float(second)))
    assert reading.fault == ""
    assert set(reading.pay) == {"kill", "gem", "chest"}
    assert max(reading.pay.values()) < 0.5
    game = Adventure("wilds", seed=1)
    game.adapt(Advice(FrozenMap({"all": 0.5, "gem": 0.5})))
    assert game.pay["gem"] == 0.25
    assert game.pay["kill"] == 0.5


@pytest.mark.parametrize(
    ("pay", "message"),
    [
        ("1 - 2 * belief.fight", r":10:10: `1 - 2 \* belief.fight` can be -1, and nothing is paid less than 0"),
        ("1 - belief.figt", r":10:10: unknown variable 'belief.figt' in .*; did you mean 'belief.fight'\?"),
        ("min(1, 1 / belief.fight)", r"divides by `belief.fight`, which can be 0; write `max\(0.01, belief.fight\)`"),
        ("-1", r":10:10: pay must be a factor from 0 to 1000"),
        ("[0.5]", r":10:10: pay must be a factor from 0 to 1000.*, got a list"),
        ("{}", r":9:5: this rule changes nothing"),
    ],
)
def test_a_bad_factor_alone_is_told_with_its_line(pay: str, message: str) -> None:
    text = HUNT.replace("pay: 1 - 0.8 * belief.fight", f"pay: {pay}")
    with pytest.raises(TelosError, match=message):
        loads_model(text, name="hunt.yaml")


def test_a_goal_that_does_not_exist_is_told_also_where_the_context_is_not_listed() -> None:
    with pytest.raises(TelosError, match=r"unknown variable 'belief.figt'"):
        loads_model(HUNT.replace("belief.fight > 0.5", "belief.figt > 0.5"))


def test_a_restored_game_traces_changes_of_pay_as_the_game_that_was_saved() -> None:
    """Traces have steps of a tenth: what they had last is part of a save."""
    traced: dict[str, list[Any]] = {"saved": [], "restored": []}
    games = {
        name: Adventure("wilds", seed=3, trace=lambda each, found=found: found.append(each))
        for name, found in traced.items()
    }
    games["saved"].adapt(Advice(FrozenMap({"kill": 0.6})))
    games["saved"].adapt(Advice(FrozenMap({"kill": 0.52})))  # too small a step
    games["restored"].restore(json.loads(json.dumps(games["saved"].save())))
    traced["saved"].clear()
    for game in games.values():
        game.adapt(Advice(FrozenMap({"kill": 0.48})))
    assert [dict(each.pay) for each in traced["saved"]] == [{"kill": 0.48}]
    assert traced["restored"] == traced["saved"]


def test_saved_factors_are_those_that_a_formula_can_give() -> None:
    director = Director([DULLED], GOALS)
    director.advise(Event("swing", time=0.0), sure(0.75))
    saved = director.save()
    saved["factors"][0]["kill"] = 1e308
    with pytest.raises(TelosError, match=r"saved director: factors\[0\].kill must be at most 1000"):
        director.restore(saved)


def test_what_formulas_read_is_context_of_models_in_python_too() -> None:
    rule = DirectorRule("belief.a > 0.5 and gold > 3", pay="min(1, max(0, wood / 10))")
    model = IOHMM(
        ["a", "b"],
        symbols=(("s", "action == s"), ("o", "true")),
        transitions=TransitionRules(lasts=10),
        director=[rule],
    )
    assert {"gold", "wood"} <= set(model.vocabulary.context)
    director = create_director(loads_model(format_model(model)))
    assert director is not None
    advice = director.advise(Event("s", {"gold": 5, "wood": 4}), Belief({"a": 0.9, "b": 0.1}))
    assert advice is not None
    assert dict(advice.pay) == {"all": 0.4}
