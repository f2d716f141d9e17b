"""The companion recognises the player's plan with the shared domain, helps unasked, and follows changes of plan."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import telos
from telos.agents.memory import Fact
from telos.agents.trace import Chose, Dropped
from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.planning.planner import get_planner
from telos.recognition.by_planning.reader import PlanReader
from telos.worlds.forge.companion import ForgeCompanion, load_plan_grammar
from telos.worlds.forge.domain import DOMAIN, PLANS, load_forge_domain
from telos.worlds.forge.forge import COMPANION, PLAYER
from telos.worlds.forge.player import PlayerLimits
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.trace import (
    BeliefUpdated,
    DoorOpened,
    ForgeAction,
    ForgeSpeech,
    ForgeStarted,
    PlanChanged,
    Understood,
)

STEADY = PlayerLimits(reaction=(0.5, 1.0), dawdles=0.0, strays=0.0, vague=0.0)  # a player without lapses


def played(plan: str, companion: str = "reads", *, seed: int = 1, limits: PlayerLimits | None = STEADY) -> list[object]:
    """Return the trace of a scene played to its end."""
    records: list[object] = []
    scene = ForgeScene(plan, companion, seed=seed, limits=limits, trace=records.append)
    for _ in scene.moments():
        pass
    return records


def seconds(plan: str, companion: str, **options: PlayerLimits) -> float:
    (opened,) = [each for each in played(plan, companion, **options) if isinstance(each, DoorOpened)]
    return opened.time


def when(records: list[object], who: str, action: str) -> float:
    return next(
        each.time for each in records if isinstance(each, ForgeAction) and (each.who, each.action) == (who, action)
    )


def companion_of(scene: ForgeScene) -> ForgeCompanion:
    assert scene.companion is not None
    return scene.companion


def test_scene_of_seed_seven_matches_the_golden_trace(golden: Callable[[str, str], None]) -> None:
    records = played("key", seed=7, limits=None)
    assert isinstance(records[0], ForgeStarted)
    golden("forge_seed7.jsonl", "".join(f"{as_json(record)}\n" for record in records))


def test_one_domain_is_used_for_planning_and_recognition() -> None:
    scene = ForgeScene("key")
    companion, player = companion_of(scene), scene.player
    assert isinstance(companion.reader, PlanReader)
    assert player is not None
    domain = companion.reader.model.domain
    assert domain is companion.mind.domain is player.world.domain is load_forge_domain()
    assert companion.reader.model.planner is get_planner(domain, PLAYER)  # the planner that the player uses
    from_file = telos.load(DOMAIN)
    reader = telos.recognizer(from_file, goals=list(PLANS), actions=PLAYER, sees_all=True)
    for step in telos.plan(from_file, {"friend": True}, "spare", actions=PLAYER).steps:
        reader.observe(telos.Event(str(step)))
    assert reader.belief.top == "spare"


@pytest.mark.parametrize("plan", PLANS)
def test_rational_player_is_recognised_early(plan: str) -> None:
    read = [each.belief for each in played(plan, "reads") if isinstance(each, BeliefUpdated)]
    right = [max(belief, key=lambda name: belief[name]) == plan and belief[plan] > 0.5 for belief in read]
    last_wrong = max((number for number, is_right in enumerate(right, start=1) if not is_right), default=0)
    assert last_wrong <= 0.4 * len(read)


def test_companion_lights_the_fire_unasked_and_tends_it() -> None:
    records = played("key")
    assert when(records, COMPANION, "light-fire") < when(records, PLAYER, "to-forge") + 8.0
    assert not [each for each in records if isinstance(each, ForgeSpeech) and each.who == PLAYER]
    assert when(records, COMPANION, "work-bellows") < when(records, PLAYER, "forge-key")


def test_waiting_companion_only_follows_until_asked() -> None:
    records = played("force", "waits")
    asked = next(each.time for each in records if isinstance(each, ForgeSpeech) and each.who == PLAYER)
    before = {each.goal for each in records if isinstance(each, Chose) and each.time <= asked}
    assert before <= {"keep_clear", "keep_company"}
    assert when(records, COMPANION, "lean-in") > asked


def test_early_request_holds_until_player_came_and_left() -> None:
    records = played("key", "waits", limits=replace(STEADY, foresees=True))
    assert next(each.means for each in records if isinstance(each, Understood)) == "fire"
    assert when(records, COMPANION, "light-fire") < when(records, PLAYER, "forge-key")
    assert when(records, COMPANION, "to-door") > when(records, PLAYER, "forge-key") + 40.0


def test_request_is_dropped_when_player_pursues_another_plan() -> None:
    records: list[object] = []
    scene = ForgeScene(None, trace=records.append)
    do(scene, "say Light the fire, please.", "go cottage", "call-on-her", "go orchard", "pick-apples")
    goals = [each.goal for each in records if isinstance(each, Chose) and not each.goal.startswith("keep")]
    assert goals[0] == "make_fire"
    assert goals[-1] == "do_favour"


def test_companion_waits_at_door_while_player_gets_hammer() -> None:
    records = played("force")
    assert when(records, COMPANION, "lean-in") < when(records, PLAYER, "break-together")
    assert not any(isinstance(each, Understood) for each in records)


def test_companion_brings_hammer_to_player_at_the_door() -> None:
    scene = ForgeScene(None)
    do(scene, "go square", "go lane", "go door")
    for _ in range(60):
        scene.step({})
    assert companion_of(scene).reading == "force"
    assert scene.world.things.tool == "at_door"
    assert scene.world.view().person(COMPANION).doing == "door"  # helps to push afterwards


def test_companion_follows_a_change_of_plan_and_says_so() -> None:
    fickle = PlayerLimits(reaction=(0.5, 1.0), dawdles=0.0, strays=0.0, vague=0.0, turns=12.0, turns_to="spare")
    records = played("key", limits=fickle)
    turned = next(each.time for each in records if isinstance(each, PlanChanged))
    goals = [each.goal for each in records if isinstance(each, Chose) and not each.goal.startswith("keep")]
    assert goals[0] == "tend_fire"
    assert "do_favour" in goals
    dropped = [
        each for each in records if isinstance(each, Dropped) and each.goal == "tend_fire" and each.time > turned
    ]
    assert dropped
    said = [each.text for each in records if isinstance(each, ForgeSpeech) and each.who == COMPANION]
    assert any("not" in text and "key" in text for text in said[1:])
    assert isinstance(records[-1], DoorOpened | ForgeSpeech)
    assert next(each for each in records if isinstance(each, DoorOpened)).plan == "spare"


def test_small_change_of_belief_keeps_the_recognised_plan() -> None:
    scene = ForgeScene(None)
    companion = companion_of(scene)
    readings = []
    for chances in ((0.6, 0.3), (0.5, 0.45), (0.42, 0.55), (0.3, 0.65), (0.45, 0.5)):
        for plan, chance in zip(("key", "spare"), chances, strict=True):
            companion.mind.note(Fact("plan", plan, 1.0, attributes={"chance": chance}))
        companion.think(1.0)
        readings.append(companion.reading)
    assert readings == ["key", "key", "key", "spare", "spare"]


@pytest.mark.parametrize("plan", PLANS)
def test_recognition_beats_waiting_and_waiting_beats_none(plan: str) -> None:
    reads, waits, alone = (seconds(plan, companion) for companion in ("reads", "waits", "none"))
    assert reads < waits < alone


@pytest.mark.parametrize("plan", PLANS)
def test_plan_grammar_works_in_place_of_the_domain(plan: str) -> None:
    assert seconds(plan, "parses") < seconds(plan, "waits")
    scene = ForgeScene(plan, "parses", limits=STEADY)
    for _ in scene.moments():
        if scene.world.is_over:
            break
        assert scene.view().expects is not None


def test_grammar_actions_are_domain_actions() -> None:
    known = {action.name for action in load_forge_domain().actions_of(PLAYER)}
    assert set(load_plan_grammar().actions) <= known


def do(scene: ForgeScene, *commands: str) -> None:
    """Command the player, one command after the other."""
    for command in commands:
        scene.step({PLAYER: command})
        while scene.world.people[PLAYER].status == "running":
            scene.step({})


def test_commanded_player_is_recognised_and_helped() -> None:
    scene = ForgeScene(None)
    do(scene, "go river", "pan-gold", "go forge")
    assert companion_of(scene).reading == "key"
    for _ in range(60):
        scene.step({})
    assert scene.view().village.bellows
    do(scene, "forge-key", "go door", "unlock")
    assert scene.is_over


def test_utterance_means_what_fits_place_and_plan() -> None:
    scene = ForgeScene(None)
    do(scene, "go lane", "go door", "say Can you help me with this?")
    heard = companion_of(scene).heard
    assert heard is not None
    assert heard.means == "shoulder"
    assert heard.options[0].chance > 0.8 > sum(each.chance for each in heard.options[1:])
    assert "said at the door: shoulder" in companion_of(scene).why()


def test_unknown_utterance_makes_the_companion_ask_back() -> None:
    scene = ForgeScene(None)
    do(scene, "say What a lovely evening!")
    for _ in range(4):
        scene.step({})
    assert scene.said[-1][1:] == (COMPANION, "I do not know what you mean.")


def test_misunderstood_player_repeats_plainly() -> None:
    vague = PlayerLimits(reaction=(0.5, 1.0), dawdles=0.0, strays=0.0, vague=1.0)
    for seed in range(12):
        records = played("key", "waits", seed=seed, limits=vague)
        meant = [each.means for each in records if isinstance(each, Understood)]
        assert meant[-1] == "bellows"


def test_patience_with_broken_promises_ends() -> None:
    scene = ForgeScene("key", "reads", seed=1, limits=STEADY)
    player = scene.player
    assert player is not None
    scene.companion = None  # leaves silently
    player.count_on("fire", 0.0)
    for _ in scene.moments():
        pass
    assert scene.world.is_over


@pytest.mark.parametrize("companion", ["reads", "parses", "waits", "none"])
@pytest.mark.parametrize("plan", PLANS)
def test_simulated_players_open_the_door(plan: str, companion: str) -> None:
    for seed in range(8):
        scene = ForgeScene(plan, companion, seed=seed)
        while not scene.is_over:
            scene.step({})
        assert scene.world.is_over, f"seed {seed}"


def test_relying_on_a_promise_does_not_change_the_recognised_plan() -> None:
    scene = ForgeScene(None)
    do(scene, "go cottage", "call-on-her", "go orchard")
    companion = companion_of(scene)
    assert (companion.promise, companion.reading) == ("apples", "spare")
    do(scene, "go cottage")  # empty-handed
    assert companion.reading == "spare"


def test_player_and_companion_do_not_deadlock() -> None:
    scene = ForgeScene("force", "reads", seed=1565959586)  # took a quarter of an hour once
    while not scene.is_over:
        scene.step({})
    assert scene.world.time < 250.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ForgeScene("kee"), "there is no plan 'kee'; did you mean 'key'?"),
        (lambda: ForgeScene("key", "red"), "there is no companion 'red'; did you mean 'reads'?"),
        (lambda: ForgeScene("key", seed=-1), "a seed is a whole number, zero or more, got -1"),
        (lambda: ForgeScene("key").step({"companion": "go inn"}), "'companion' cannot be commanded here"),
    ],
)
def test_invalid_input_is_rejected(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        make()
    assert message in str(refused.value)
