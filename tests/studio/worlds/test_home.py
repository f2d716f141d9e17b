"""The house in the studio: pokes, commands, minds and recordings."""

import json
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.agents.motives import MotiveMind
from telos.core.errors import DefinitionError, TelosError
from telos.studio.stage import Happening, Inputs, Stage
from telos.studio.worlds.home import HOME, HomeStage, _counts
from telos.studio.worlds.home_drawing import draw_scene
from telos.studio.worlds.shapes import ROLES, Picture
from telos.worlds.home.home import Home
from telos.worlds.home.house import MOTIVES, NIGHTLY
from telos.worlds.home.household import Household
from telos.worlds.home.motives_file import load_motives_text, parse_motives


def lived(stage: HomeStage, minutes: int, *asked: str) -> list[Happening]:
    happened = list(stage.step(Inputs(asked=asked)))
    for _ in range(minutes - 1):
        happened += stage.step(Inputs())
    return happened


def roles_and_symbols(shapes: Picture) -> tuple[set[str], set[str]]:
    """Return all colours and symbols of a picture, found without knowing which shape has them where."""
    colours, symbols = set(), set()
    for shape in shapes:
        if shape[0] == "s":
            symbols.add(shape[2])
            colours |= {shape[7][key] for key in ("tint", "glow") if key in shape[7]}
        elif shape[0] == "t":
            colours.add(shape[4])
        elif shape[0] == "p":
            colours |= {shape[2], shape[3]}
        else:
            colours |= {part for part in shape[1:] if isinstance(part, str)}
    return colours - {""}, symbols


def known(colours: Iterable[str]) -> bool:
    return {colour.partition("/")[0] for colour in colours} <= ROLES.keys()


@pytest.mark.parametrize("people", ["1", "3", "6"])
def test_pictures_use_known_symbols_and_colours(people: str) -> None:
    stage = HOME.make(3, HOME.complete_settings({"people": people}))
    for minute in range(1440):
        asked = {10: ("poke drop-fridge",), 400: ("poke lock-bathroom",), 900: ("poke cut-power",)}.get(minute, ())
        stage.step(Inputs(asked=asked))
        if minute % 30 == 0:
            colours, symbols = roles_and_symbols([*stage.backdrop()[1], *stage.picture()])
            assert known(colours), colours
            assert symbols <= stage.symbols.keys()
            json.dumps(stage.picture(), allow_nan=False)
    assert all(known({fill, stroke} - {""}) for parts in stage.symbols.values() for fill, _, stroke, _ in parts)


def test_stage_plays_household() -> None:
    stage, household = HomeStage(7, people=3), Household(3, seed=7)
    lived(stage, 500)
    for _ in range(500):
        household.step()
    assert stage.household.view == household.view


def test_residents_are_drawn_pickable_and_have_cards() -> None:
    stage = HomeStage(1, people=5)
    lived(stage, 100)
    picked = [shape[7]["pick"] for shape in stage.picture() if shape[0] == "s" and "pick" in shape[7]]
    assert picked == list(stage.characters()) == ["Ada", "Ben", "Cleo", "Dan", "Eve"]
    written = {shape[3] for shape in stage.picture() if shape[0] == "t"}
    assert set(stage.characters()) <= written


def test_poke_is_happening_and_changes_picture() -> None:
    stage = HomeStage(1)
    key, before = stage.backdrop()
    happened = lived(stage, 1, "poke drop-fridge", "poke lock-bathroom")
    assert [each.label for each in happened if each.kind == "game"] == [
        "a second fridge stands in the living room",
        "the bathroom is locked",
    ]
    assert stage.backdrop()[0] != key
    assert len(stage.backdrop()[1]) == len(before) + 1
    assert stage.hud().task == "The bathroom is locked"
    assert any(shape[2] == "padlock" for shape in stage.picture() if shape[0] == "s")
    assert {"unlock-bathroom", "cut-power"} <= {poke.name for poke in stage.pokes()}
    assert stage.facts()["bathroom_locked"] is True


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("poke lock-bathrom", "did you mean 'lock-bathroom'"),
        ("poke unlock-bathroom", "would change nothing now"),
        ("toilet.use", "'toilet.use'"),
        ("Ada: toilet.us", "did you mean 'toilet.use'"),
        ("Zoe: toilet.use", "Zoe"),
        ("", "names no resident"),
    ],
)
def test_invalid_command_is_refused_and_changes_nothing(asked: str, message: str) -> None:
    stage = HomeStage(1)
    lived(stage, 30)
    before = stage.household.view
    with pytest.raises(TelosError, match=message):
        stage.step(Inputs(asked=("poke drop-fridge", asked)))
    assert stage.household.view == before
    assert "drop-fridge" in {poke.name for poke in stage.pokes()}


def test_conversation_is_reported_once_per_person() -> None:
    stage = HomeStage(3, people=4)
    told = Counter((each.who, each.label) for each in lived(stage, 700) if each.label.startswith("talks with"))
    trace = [json.loads(line) for line in stage.recording()[1].splitlines()]
    talks = [each for each in trace if str(each.get("action", "")).endswith(".chat")]
    chosen = Counter((each["person"], each["words"]) for each in talks if each["kind"] == "chose")
    begun = Counter((each["person"], each["words"]) for each in talks if each["kind"] == "began")
    assert sum(begun.values()) > 10
    assert all(max(begun[who], chosen[who]) <= told[who] <= begun[who] + 2 for who in told)


def test_labels_stay_inside_picture() -> None:
    home = Home(people=2)
    home.step({"Ada": "toilet.use", "Ben": "bookshelf.read"})
    for _ in range(8):
        home.step({})
    labels = {shape[1]: shape[7]["label"] for shape in draw_scene(home.plan, home.view()) if shape[1] in ("Ada", "Ben")}
    assert labels == {"Ada": "Ada", "Ben": "Ben reads"}


def test_problems_are_shown_above_house() -> None:
    stage = HomeStage(5, people=2)
    assert stage.hud().task == "Poke the house, and see how they react"
    lived(stage, 2, "poke lock-bathroom", "poke cut-power")
    assert (stage.hud().task, stage.hud().message) == ("The bathroom is locked, the power is out", "")
    lived(stage, 2, "poke unlock-bathroom", "poke restore-power")
    assert stage.hud().task.startswith("Poke the house")


def test_directed_resident_performs_available_actions() -> None:
    stage = HOME.make(5, HOME.complete_settings({"people": "2", "you": "Ben"}))
    assert isinstance(stage, HomeStage)
    assert stage.hud().task == "Ben waits: click a thing or a person, or choose below"
    assert "bookshelf.read" in stage.commands()
    stage.step(Inputs(asked=("bookshelf.read",)))
    assert stage.facts()["Ben.doing"] == "bookshelf.read"
    stage.step(Inputs(asked=("Ben: fridge.get-snack",)))
    assert stage.facts()["Ben.doing"] == "fridge.get-snack"
    assert stage.commands() == (), "a snack cannot be broken off"
    assert next(each.label for each in lived(stage, 30) if each.who == "Ben") == "has a snack at the fridge"


def test_unknown_resident_cannot_be_directed() -> None:
    stage = HOME.make(5, HOME.complete_settings({"people": "2", "you": "Finn"}))
    assert isinstance(stage, HomeStage)
    assert stage.you is None
    assert not stage.commands()
    assert stage.hud().task == "Finn does not live here: start a game with more people"


def test_command_that_poke_makes_impossible_is_left_out() -> None:
    stage = HomeStage(5, people=1, you="Ada")
    stage.step(Inputs(asked=("poke lock-bathroom", "toilet.use")))
    assert stage.facts()["Ada.doing"] == "nothing"


def test_mind_view_has_motives_and_table_of_choice() -> None:
    stage = HomeStage(7, people=3)
    lived(stage, 45)
    mind_view = stage.mind("Ada")
    assert mind_view is not None
    weights = [line.weight for line in mind_view.goals]
    assert weights == sorted(weights, reverse=True)
    assert {line.name for line in mind_view.goals} == set(stage.curves()["Ada"])
    assert len(mind_view.plan) == 2
    assert mind_view.plan[1].name == stage.facts()["Ada.doing"]
    assert stage.household.decisions["Ada"].choice.why() in mind_view.why
    assert stage.mind("Zoe") is None


def test_why_not_compares_action_with_chosen_one() -> None:
    stage = HomeStage(7, people=3)
    lived(stage, 1)
    choice = stage.household.decisions["Ada"].choice
    other = next(row for row in choice.table if row.action is not choice.action)
    said = stage.why_not("Ada", other.action.name)
    assert f"{other.value:.2f}" in said
    assert f"{choice.value:.2f}" in said
    lived(stage, 1, "poke lock-bathroom")
    mind_view = stage.mind("Ada")
    assert mind_view is not None
    assert "Bens_bed.sleep" not in mind_view.actions
    with pytest.raises(TelosError, match="neither a motive nor an action of Ada"):
        stage.why_not("Ada", "fly")
    with pytest.raises(TelosError, match="'Zoe'"):
        stage.why_not("Zoe", "sleep")


def test_why_not_answers_for_every_motive_and_action() -> None:
    stage = HomeStage(2, people=3)
    for minute in range(600):
        stage.step(Inputs(asked=("poke lock-bathroom",) if minute == 200 else ()))
        if minute % 60 == 0:
            for who in stage.characters():
                mind_view = stage.mind(who)
                assert mind_view is not None
                for what in (*mind_view.actions, *(line.name for line in mind_view.goals)):
                    assert stage.why_not(who, what).startswith(f"{what}: ")


def test_curves_stay_between_zero_and_one() -> None:
    stage = HomeStage(2, people=2, you="Ben")  # whom nobody tells anything
    lived(stage, 1440)
    levels = [level for curves in stage.curves().values() for level in curves.values()]
    assert all(0 <= level <= 1 for level in levels)
    assert max(levels) == 1


def test_choices_have_reasons() -> None:
    stage = HomeStage(7, people=3)
    happened = lived(stage, 300)
    assert happened
    assert all(each.why for each in happened)
    times = [each.time for each in happened]
    assert times == sorted(times)


def test_recording_is_trace_of_watch_command() -> None:
    stage = HomeStage(7, people=2)
    lived(stage, 60, "poke take-food")
    name, data = stage.recording()
    records = [json.loads(line) for line in data.decode().splitlines()]
    assert name == "home-seed7.jsonl"
    assert records[0]["kind"] == "started"
    assert "poked" in {record["kind"] for record in records}


POKES = ("lock-bathroom", "unlock-bathroom", "drop-fridge", "take-food", "deliver-food", "cut-power", "sound-alarm")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.lists(st.sampled_from((*POKES, None, None, None)), max_size=60))
def test_same_inputs_give_same_frames(seed: int, script: list[str | None]) -> None:
    def shown() -> list[object]:
        stage: Stage = HOME.make(seed, HOME.complete_settings({"people": "3"}))
        seen: list[object] = []
        for name in script:
            try:
                seen.append(stage.step(Inputs(asked=(f"poke {name}",) if name else ())))
            except TelosError as error:
                seen.append(str(error))
            seen.append((stage.picture(), stage.hud(), stage.bands()))
        return seen

    assert shown() == shown()


def test_motives_of_package_are_those_of_world() -> None:
    table = parse_motives(load_motives_text())
    assert (table.nightly, table.urgent) == (NIGHTLY, MotiveMind(MOTIVES).urgent)
    assert [_counts(each) for each in table.motives] == [_counts(each) for each in MOTIVES]


def test_file_of_package_changes_nothing_when_applied() -> None:
    on, alone = HomeStage(3), HomeStage(3)
    for minute in range(600):
        if minute == 200:
            assert on.apply("motives", load_motives_text()).endswith("Changed: no level or rate.")
        assert on.step(Inputs()) == alone.step(Inputs())
    assert on.facts() == alone.facts()


def test_new_motives_change_running_house() -> None:
    on, alone = HomeStage(3), HomeStage(3)
    hungry = load_motives_text().replace("hunger:  {hourly: 0.8,", "hunger:  {hourly: 8,")
    for stage in (on, alone):
        for _ in range(30):
            stage.step(Inputs())
    assert on.apply("motives", hungry).endswith("Changed: hunger.")
    assert on.models()[0].text == hungry
    meals = [0, 0]
    for _ in range(600):
        for number, stage in enumerate((on, alone)):
            meals[number] += sum("snack" in each.label for each in stage.step(Inputs()))
    assert meals[0] > 2 * meals[1] + 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hunger:", "hungre:", "did you mean 'hunger'"),
        ("power: 2, weight: 0.3", "power: 9, weight: 0.3", "a whole number from 1 to 4"),
        ("  hygiene: {hourly: 0.22, comfort: 4, power: 2}\n", "", "'hygiene' is missing"),
        ("urgent: 8", "urgent: often", "urgent"),
    ],
)
def test_faults_of_motives_are_refused_with_line(old: str, new: str, message: str) -> None:
    text = load_motives_text()
    assert old in text
    on = HomeStage(3)
    with pytest.raises(DefinitionError, match=message):
        on.apply("motives", text.replace(old, new))
    (model,) = on.models()
    assert model.text == text
    assert model.check is not None
    faults = model.check(text.replace(old, new))
    assert faults
    assert all(fault.line for fault in faults)


def test_directed_resident_is_played_by_clicks() -> None:
    on = HomeStage(3, people=2, you="Ada")
    targets = {each.name: each for each in on.targets()}
    assert {"fridge", "sofa", "toilet", "phone"} <= set(targets)
    assert [each.title for each in targets["fridge"].choices] == ["Have a snack", "Take ingredients to cook"]
    assert {each.command for each in on.choices()} == set(on.commands())
    on.step(Inputs(asked=("sofa.watch-tv",)))
    assert on.facts()["Ada.doing"] == "sofa.watch-tv"


def test_interventions_are_named_choices_of_watched_house() -> None:
    on = HomeStage(3)
    assert on.targets() == ()
    assert [each.title for each in on.choices()] == [each.title for each in on.pokes()]
    on.step(Inputs(asked=(on.choices()[0].command,)))
    assert on.keys == ()
