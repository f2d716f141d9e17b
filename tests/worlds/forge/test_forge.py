"""The village: walking, working, the fire, and rejected commands."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.checks import check_world
from telos.core.errors import DefinitionError, TelosError
from telos.worlds.forge.domain import load_forge_domain, load_village
from telos.worlds.forge.forge import ARMFUL, COOLS, STEP, Forge
from telos.worlds.forge.scene import ForgeScene

PLACES = sorted(load_village().places)
DEEDS = sorted({action.name for action in load_forge_domain().actions if not action.name.startswith(("to-", "ask-"))})


def do(forge: Forge, command: str, who: str = "player") -> None:
    """Give a command and advance until it is done."""
    forge.step({who: command})
    while forge.people[who].status == "running":
        forge.step({})


def lit(forge: Forge) -> None:
    """Let the companion light the fire."""
    for command in ("go woods", "take-wood", "go forge", "light-fire"):
        do(forge, command, "companion")


def now_and_then(forge: Forge) -> dict[str, str]:
    """Send people to changing places."""
    number = int(forge.view().time)
    return {"player": f"go {PLACES[number % len(PLACES)]}"} if number % 11 == 0 else {}


def test_village_passes_the_world_contract_while_played() -> None:
    check_world(Forge, play=now_and_then, steps=300)


def test_scene_passes_the_world_contract() -> None:
    check_world(ForgeScene, steps=100)
    check_world(lambda: ForgeScene("key"), steps=200)


def test_walking_takes_its_cost_and_reports_each_leg() -> None:
    forge = Forge(companion=False)
    seen = []
    forge.step({"player": "go river"})
    while forge.people["player"].is_walking:
        seen += [(event.time, event.action) for event in forge.events]
        forge.step({})
    assert seen == [(0.0, "to-square"), (8.0, "to-bridge"), (16.0, "to-river")]
    assert forge.time == load_village().walk("inn", "river") == 24.0


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.integers(1, 40)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_turning_on_the_way_takes_the_shorter_route(
    errands: list[tuple[str, int]],
) -> None:
    forge = Forge(companion=False)
    village, person = forge.village, forge.people["player"]
    for place, steps in errands:
        at, towards = person.place, person.heading
        worst = max(village.walk(end, place) for end in (at, towards)) + village.ways[at].get(towards, 8.0)
        forge.step({"player": f"go {place}"})
        took = 1
        while person.is_walking and took < steps:
            forge.step({})
            took += 1
        if not person.is_walking:
            assert person.place == place
            assert took * STEP <= worst + STEP


def test_action_takes_its_cost_and_has_its_effects() -> None:
    forge = Forge(companion=False)
    do(forge, "go woods")
    start = forge.time
    do(forge, "take-wood")
    assert forge.time - start == 6.0
    assert forge.view().person("player").hands == "wood"


def test_fire_cools_without_bellows_and_burns_down_without_wood() -> None:
    forge = Forge()
    lit(forge)
    do(forge, "work-bellows", "companion")
    assert forge.view().fire == "hot"
    for _ in range(round(2 * COOLS)):
        forge.step({})
    assert forge.view().fire == "hot"  # the companion is still at the bellows
    do(forge, "go bridge", "companion")
    while forge.view().fire == "hot":
        forge.step({})
    assert forge.view().fire == "low"
    ended = []
    for _ in range(round(ARMFUL / STEP)):
        forge.step({})
        ended += [event.action for event in forge.events]
    assert (forge.view().fire, ended) == ("out", ["fire-goes-out"])


def forged(*, helped: bool) -> float:
    """Return the time it takes to forge a key."""
    forge = Forge()
    lit(forge)
    do(forge, "work-bellows", "companion")
    do(forge, "go river")
    do(forge, "pan-gold")
    do(forge, "go forge")
    if not helped:
        do(forge, "go bridge", "companion")
    forge.things.wood = ARMFUL
    start = forge.time
    do(forge, "forge-key" if helped else "forge-alone")
    assert forge.view().person("player").pocket == "key"
    return forge.time - start


def test_key_is_forged_faster_with_help_at_the_bellows() -> None:
    assert (forged(helped=True), forged(helped=False)) == (40.0, 58.0)


def test_forging_stops_without_fire_and_keeps_its_progress() -> None:
    forge = Forge()
    lit(forge)
    do(forge, "work-bellows", "companion")
    do(forge, "go river")
    do(forge, "pan-gold")
    do(forge, "go forge")
    forge.things.wood = 10.0
    do(forge, "forge-key")
    assert (forge.people["player"].status, forge.people["player"].reason) == ("failed", "the fire is out")
    lit(forge)
    do(forge, "work-bellows", "companion")
    start = forge.time
    do(forge, "forge-key")
    assert 29.0 <= forge.time - start <= 31.0


def test_door_needs_two_people_or_a_hammer() -> None:
    forge = Forge()
    do(forge, "go door")
    with pytest.raises(TelosError, match="cannot heave now: it needs shoulder"):
        forge.step({"player": "heave"})
    do(forge, "go door", "companion")
    do(forge, "lean-in", "companion")
    forge.step({"player": "heave"})
    for _ in range(10):
        forge.step({})
    do(forge, "go lane", "companion")
    assert (forge.people["player"].status, forge.people["player"].reason) == ("failed", "it takes two, or a hammer")
    do(forge, "go shed")
    do(forge, "take-hammer")
    do(forge, "go door")
    do(forge, "go door", "companion")
    do(forge, "lean-in", "companion")
    start = forge.time
    forge.step({"player": "break-together"})
    while not forge.is_over:
        forge.step({})
    assert forge.time - start < 14.0  # part of the job was done by heaving
    assert [(event.action, event.goal) for event in forge.events] == [("door-opens", "force")]


def test_idle_person_slows_down_work() -> None:
    forge = Forge()
    do(forge, "go woods", "companion")
    do(forge, "go woods")
    start = forge.time
    do(forge, "take-wood")
    crowded = forge.time - start
    do(forge, "put-down")
    do(forge, "step-aside", "companion")
    start = forge.time
    do(forge, "take-wood")
    assert crowded > forge.time - start == 6.0


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ({"player": "go forg"}, "there is no place 'forg' in the village; did you mean 'forge'?"),
        ({"player": "pan-glod"}, "there is no command 'pan-glod'; did you mean 'pan-gold'?"),
        ({"player": "pan-gold"}, "cannot pan-gold now: it needs at == river"),
        ({"player": "step-aside"}, "there is no command 'step-aside'"),
        ({"player": "say "}, "there is nothing to say"),
        ({"playr": "wait"}, "playr"),
    ],
)
def test_impossible_command_is_rejected_without_effect(commands: dict[str, str], message: str) -> None:
    forge = Forge()
    before = forge.view()
    with pytest.raises(TelosError) as refused:
        forge.step(commands)
    assert message in str(refused.value)
    assert forge.view() == before


@given(st.lists(st.tuples(st.sampled_from(["player", "companion"]), st.sampled_from(DEEDS + PLACES)), max_size=60))
@settings(max_examples=60, deadline=None)
def test_random_commands_keep_the_village_consistent(commands: list[tuple[str, str]]) -> None:
    forge = Forge()
    for who, what in commands:
        try:
            forge.step({who: f"go {what}" if what in PLACES else what})
        except (TelosError, DefinitionError):
            continue
        for _ in range(7):
            forge.step({})
        view = forge.view()
        assert 0 <= view.owed <= 2
        assert view.wood >= 0.0
        held = [person.hands for person in view.people].count("hammer")
        assert held == (view.tool == "in_hand")
