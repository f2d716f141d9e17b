"""The forge in the studio: controls, recognisers, minds and recordings."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, TelosError
from telos.planning import search
from telos.studio.stage import Happening, Inputs, PlayerChoice
from telos.studio.worlds.forge import FORGE, ForgeStage, make_grammar_reader
from telos.studio.worlds.forge.controls import _TITLES
from telos.studio.worlds.shapes import ROLES
from telos.worlds.forge.domain import load_forge_domain
from telos.worlds.forge.forge import manual_actions
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.trace import BeliefUpdated


def played(stage: ForgeStage, steps: int = 4000, *, held: str = "", asked: tuple[str, ...] = ()) -> list[Happening]:
    happened = list(stage.step(Inputs(held, asked)))
    for _ in range(steps - 1):
        if stage.over:
            break
        happened += stage.step(Inputs(held))
    return happened


def go(stage: ForgeStage, *commands: str) -> None:
    """Carry out commands, each to its end."""
    for command in commands:
        stage.step(Inputs(asked=(command,)))
        while stage.scene.world.people["player"].status == "running":
            stage.step(Inputs())


@pytest.mark.parametrize("plan", ["key", "force", "spare"])
def test_simulated_player_opens_door_as_in_scene(plan: str) -> None:
    stage, scene = ForgeStage(4, play=plan), ForgeScene(plan, seed=4)
    played(stage)
    for _ in scene.moments():
        pass
    assert stage.over
    assert stage.facts()["opened"] == scene.view().village.opened
    assert "The door is open" in stage.hud().over
    assert stage.hud().message == ""
    assert stage.backdrop()[0] == "open"


@pytest.mark.parametrize("companion", ["reads", "parses"])
def test_bars_show_belief_of_companion(companion: str) -> None:
    stage = ForgeStage(3, play="key", companion=companion)
    beliefs: list[Belief] = []
    first = stage.models()[0]
    assert first.make is not None
    reader = first.make(first.text)
    for happening in played(stage):
        if happening.event is not None:
            beliefs.append(reader.observe(happening.event))
    told = [record for record in stage._records if isinstance(record, BeliefUpdated)]
    assert len(told) == len(beliefs) > 5
    for record, belief in zip(told, beliefs, strict=True):
        assert dict(record.belief) == pytest.approx(dict(belief))


_READ = ("village", "lines", "utterances")  # files that can only be read


def test_recognizer_of_companion_comes_first() -> None:
    assert [model.name for model in ForgeStage(0, companion="reads").models()] == ["planning", "grammar", *_READ]
    assert [model.name for model in ForgeStage(0, companion="parses").models()] == ["grammar", "planning", *_READ]
    assert [model.name for model in ForgeStage(0).models() if model.editable] == ["grammar"]


def test_arrow_leads_to_place_and_on_while_held() -> None:
    stage = ForgeStage(0, companion="none")
    stage.step(Inputs("right"))
    assert stage.facts()["player.doing"] == "go square"
    played(stage, 16, held="right")
    assert stage.facts()["player.at"] == "square"
    played(stage, 2, held="right")
    assert stage.facts()["player.doing"] == "go lane"
    stage.step(Inputs("up+right"))
    assert stage.facts()["player.doing"] == "go forge", (
        "two arrows mean what lies between them, seen from the next place"
    )


def test_arrow_without_place_does_nothing() -> None:
    stage = ForgeStage(0, companion="none")
    assert not stage.step(Inputs("left"))
    assert not stage.step(Inputs("up+down"))
    assert stage.facts()["player.at"] == "inn"


def test_number_key_performs_choice_with_that_number() -> None:
    stage = ForgeStage(0, companion="none")
    assert list(stage.choices()) == []
    go(stage, "go woods")
    assert stage.choices() == [PlayerChoice("Take wood from the woods", "take-wood")]
    stage.step(Inputs("1"))
    assert stage.facts()["player.doing"] == "take-wood"
    stage.step(Inputs("1"))
    assert stage.facts()["player.doing"] == "take-wood", "it counts when it goes down, and only then"
    go(stage, "wait", "take-wood")
    assert dict(stage.hud().counts)["hands"] == "wood"


def test_every_action_of_player_has_title_as_choice() -> None:
    assert set(manual_actions(load_forge_domain(), "player")) - {"step-aside"} <= set(_TITLES)


@pytest.mark.parametrize(
    ("line", "command", "note"),
    [
        ("please light the fire", "say please light the fire", ""),
        ("Go to the forge!", "go forge", ""),
        ("walk to the neighbour's cottage", "go cottage", ""),
        ("the square", "go square", ""),
        ("dance", "say dance", "Said to your companion"),
        ("take the wood", "take-wood", "You do it yourself. To ask your companion: say take the wood"),
        ("Take wood from the woods", "take-wood", "You do it yourself"),
        ("take wood please", "say take wood please", "Said to your companion"),
    ],
)
def test_free_text_is_command_or_speech(line: str, command: str, note: str) -> None:
    stage = ForgeStage(0)
    go(stage, "go woods")
    stage.step(Inputs(asked=(line,)))
    events = [event for event in stage.scene.events if event.player == "player"]
    walks = [f"go {stage.scene.world.people['player'].legs[-1]}"] if stage.scene.world.people["player"].legs else []
    done = [f"say {e.context['text']}" if e.action == "say" else e.action for e in events if e.action[:3] != "to-"]
    assert [*done, *walks] == [command]
    assert stage._controls.note.startswith(note)
    assert bool(note) == bool(stage._controls.note)


def test_clicks_reach_every_place_and_companion() -> None:
    stage = ForgeStage(0)
    targets = {each.name: each for each in stage.targets()}
    assert set(targets) == {*stage.scene.world.village.places, "companion"} - {"inn"}, "nothing can be done at the inn"
    for target in targets.values():
        for choice in target.choices:
            stage.scene.world.check({"player": choice.command})
    go(stage, "go woods")
    here = next(each for each in stage.targets() if each.name == "woods")
    assert [choice.command for choice in here.choices] == ["take-wood"]
    assert ForgeStage(0, play="key").targets() == ()


def test_utterance_is_said_to_companion_who_reports_meaning() -> None:
    stage = ForgeStage(0)
    happened = played(stage, 10, asked=("Light the fire, please.",))
    assert ("said", "player", "“Light the fire, please.”") in [(each.kind, each.who, each.label) for each in happened]
    understood = next(each for each in happened if each.label == "understands: fire")
    assert "fire 100%" in understood.why
    assert stage.facts()["companion.goal"] == "make_fire"
    assert any(shape[7].get("says") for shape in stage.picture() if shape[0] == "s")


def test_every_listed_command_is_possible() -> None:
    stage = ForgeStage(0)
    assert {"go square", "go door", "say Can you help me with this?"} <= set(stage.commands())
    go(stage, "go river")
    assert "pan-gold" in stage.commands()
    for command in stage.commands():
        stage.scene.world.check({"player": command})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("go mars", "there is no place 'mars'"),
        ("pan-gold", "cannot pan-gold now: it needs at == river"),
        ("pan-glod", "cannot 'pan-glod' here"),
        ("say", "there is nothing to say"),
        ("", "cannot '' here"),
    ],
)
def test_invalid_command_is_refused_and_changes_nothing(asked: str, message: str) -> None:
    stage = ForgeStage(0)
    before = stage.scene.world.view()
    with pytest.raises(TelosError, match=message):
        stage.step(Inputs("right", (asked,)))
    assert stage.scene.world.view() == before
    stage.step(Inputs("right"))
    assert stage.facts()["player.doing"] == "go square", "the key still counts as just pressed"


def test_several_commands_in_one_step_are_carried_out_in_turn() -> None:
    stage = ForgeStage(0)
    happened = played(stage, 3, asked=("say On three!", "go square"))
    assert [each.label for each in happened if each.who == "player"] == ["“On three!”", "goes to the square"]


def test_truth_of_person_is_known_only_at_end() -> None:
    stage = ForgeStage(0, companion="none")
    go(stage, "go shed", "take-hammer", "go door")
    shut = stage.truth
    assert shut is None
    go(stage, "break-door")
    assert stage.truth == "force"
    assert ForgeStage(0, play="spare").truth == "spare"


def test_companion_uses_new_grammar_on_earlier_events() -> None:
    stage = ForgeStage(0, companion="parses")
    go(stage, "go river")
    companion = stage.scene.companion
    assert companion is not None
    assert companion.reader is not None
    text = next(model.text for model in stage.models() if model.name == "grammar")
    again = dict(companion.reader.belief)
    assert stage.apply("grammar", text + "# the same\n") == "The companion uses the new grammar now."
    assert dict(companion.reader.belief) == pytest.approx(again)
    stage.apply("grammar", text.replace("noise: 0.1", "noise: 0.6"))
    assert dict(companion.reader.belief) != pytest.approx(again)
    assert "noise: 0.6" in stage.models()[0].text
    assert ForgeStage(0, companion="reads").apply("grammar", text) == ""


def test_invalid_grammar_is_refused_and_companion_keeps_its_own() -> None:
    stage = ForgeStage(0, companion="parses")
    text = stage.models()[0].text
    reader = stage.scene.companion.reader if stage.scene.companion else None
    for bad in (text.replace("goals: [key, force, spare]", "goals: [key, force]"), "recognizer: grammar", "]["):
        with pytest.raises(DefinitionError) as raised:
            stage.apply("grammar", bad)
        assert all(fault.line for fault in raised.value.faults)
    assert stage.scene.companion is not None
    assert stage.scene.companion.reader is reader
    assert stage.models()[0].text == text


def test_grammar_of_other_game_is_refused() -> None:
    other = "recognizer: grammar\ngoals: [rest]\ntasks: {rest: {nap: {steps: lie}}}\n"
    with pytest.raises(
        DefinitionError, match=r"grammar\.yaml:2:1: 'key' is missing; the goals of this grammar are key"
    ):
        make_grammar_reader(other)
    more = "recognizer: grammar\ngoals: [key, force, spare, rest]\ntasks:\n"
    more += "".join(f"  {goal}: {{one: {{steps: do-{goal}}}}}\n" for goal in ("key", "force", "spare", "rest"))
    with pytest.raises(DefinitionError, match="'rest'"):
        make_grammar_reader(more)


def test_minds_can_be_inspected_at_any_time() -> None:
    stage = ForgeStage(5, play="spare")
    assert list(stage.characters()) == ["companion", "player"]
    for step in range(200):
        stage.step(Inputs())
        if step % 20 == 0:
            for who in stage.characters():
                mind_view = stage.mind(who)
                assert mind_view is not None
                for what in (*mind_view.actions, *(line.name for line in mind_view.goals)):
                    assert stage.why_not(who, what)
    assert list(ForgeStage(0, companion="none").characters()) == []
    assert ForgeStage(0).mind("player") is None
    with pytest.raises(TelosError, match="'player'"):
        ForgeStage(0).why_not("player", "key")


def test_inspection_changes_nothing() -> None:
    watched, alone = ForgeStage(6, play="key"), ForgeStage(6, play="key")
    for _ in range(200):
        for who in watched.characters():
            watched.mind(who)
            watched.why_not(who, "put-down")
        watched.picture(), watched.hud(), watched.bands(), watched.facts(), watched.commands()
        assert watched.step(Inputs()) == alone.step(Inputs())
    assert watched.picture() == alone.picture()


@pytest.mark.parametrize("plan", ["key", "force", "spare"])
def test_pictures_use_known_symbols_and_colours(plan: str) -> None:
    stage = ForgeStage(2, play=plan)
    while not stage.over:
        stage.step(Inputs())
        placed = [shape for shape in (*stage.backdrop()[1], *stage.picture()) if shape[0] == "s"]
        assert {shape[2] for shape in placed} <= stage.symbols.keys()
        json.dumps(stage.picture(), allow_nan=False)
    roles = {
        each.partition("/")[0]
        for parts in stage.symbols.values()
        for fill, _, stroke, _ in parts
        for each in (fill, stroke)
    }
    assert roles - {""} <= ROLES.keys()


def test_recording_is_trace_of_watch_command() -> None:
    stage = ForgeStage(7, play="key")
    played(stage)
    name, data = stage.recording()
    records = [json.loads(line) for line in data.decode().splitlines()]
    assert name == "forge-seed7.jsonl"
    assert records[0]["kind"] == "started"
    assert "opened" in {record["kind"] for record in records}


LINES = ("go forge", "go woods", "take-wood", "say A little help?", "wait", "pan-gold", "nonsense")
KEYS = ("", "up", "down", "left", "right", "up+right", "1", "2", "1+left", "x")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.lists(st.sampled_from(LINES), max_size=2)), max_size=60))
def test_same_inputs_give_same_frames(script: list[tuple[str, list[str]]]) -> None:
    def shown() -> list[object]:
        stage = FORGE.make(1, FORGE.complete_settings({}))
        seen: list[object] = []
        for held, asked in script:
            try:
                seen.append(stage.step(Inputs(held, tuple(asked))))
            except TelosError as error:
                seen.append(str(error))
                seen.append(stage.step(Inputs(held)))  # keys alone are never refused
            seen.append((stage.picture(), stage.hud(), stage.bands()))
        return seen

    assert shown() == shown()


def test_commands_are_disabled_while_watching() -> None:
    stage = ForgeStage(4, play="key")
    assert (stage.keys, list(stage.commands())) == ((), [])
    with pytest.raises(TelosError, match="disabled while watching"):
        stage.step(Inputs(asked=("go door",)))
    held, alone = ForgeStage(4, play="key"), ForgeStage(4, play="key")
    for _ in range(40):
        held.step(Inputs("left+1"))
        alone.step(Inputs())
    assert held.facts() == alone.facts()


def test_hud_hints_what_to_do_without_possible_action() -> None:
    stage = ForgeStage(4)
    assert stage.hud().message.startswith("Click where to go, or use the arrow keys")
    go(stage, "go woods")
    stage.step(Inputs(asked=("take-wood",)))
    assert stage.hud().message == "Gathers wood"


def test_no_step_waits_for_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(search, "_compiled", None)
    FORGE.make(4, FORGE.complete_settings({}))
    assert search.is_loaded()
