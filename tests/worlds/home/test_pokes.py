"""Interventions of an onlooker, and how people react."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.home.home import POKES, Home, apply_poke, available_pokes
from telos.worlds.home.household import Household
from telos.worlds.home.trace import Accident, Began, Delivered, HomeChoice, HomeLog, Poked

BATHROOM = {"toilet.use", "shower.shower", "basin.wash-hands"}


def on_offer(home: Home, person: str = "Ada") -> set[str]:
    return {offer.action.name for offer in home.offers(person)}


def walk_to(home: Home, command: str, person: str = "Ada") -> None:
    home.step({person: command})
    while home.view().person(person).walking:
        home.step({})


def test_locked_bathroom_offers_nothing_until_unlocked() -> None:
    home = Home(2)
    before = on_offer(home)
    apply_poke(home, "lock-bathroom")
    assert not BATHROOM & on_offer(home)
    assert on_offer(home) == before - BATHROOM
    with pytest.raises(TelosError, match=r"Ada cannot 'toilet\.use' now: the bathroom is locked"):
        home.step({"Ada": "toilet.use"})
    apply_poke(home, "unlock-bathroom")
    assert on_offer(home) == before


def test_person_in_locked_bathroom_finishes_and_leaves() -> None:
    home = Home(2)
    walk_to(home, "shower.shower")
    apply_poke(home, "lock-bathroom")
    assert home.view().person("Ada").doing == "shower.shower"
    while home.view().person("Ada").doing:
        home.step({})
    assert home.view().person("Ada").levels["hygiene"] == 0
    assert not BATHROOM & on_offer(home), "nor is there anything for who is inside"
    walk_to(home, "bookshelf.read")
    assert home.view().person("Ada").room == "study"


def test_person_on_the_way_to_locked_bathroom_turns_back() -> None:
    home = Home(2)
    home.step({"Ada": "toilet.use"})
    assert home.view().person("Ada").walking
    apply_poke(home, "lock-bathroom")
    assert home.view().person("Ada").doing is None
    home.step({})
    assert [(event.player, event.action) for event in home.events] == [
        ("onlooker", "lock-bathroom"),
        ("Ada", "toilet.use"),
    ]


def test_locked_room_is_not_entered_for_a_talk() -> None:
    home = Home(2)
    for _ in range(180):
        home.step({})
    walk_to(home, "toilet.use")
    while home.view().person("Ada").doing:
        home.step({})
    assert "Ada.chat" in on_offer(home, "Ben")
    apply_poke(home, "lock-bathroom")
    assert "Ada.chat" not in on_offer(home, "Ben")
    with pytest.raises(TelosError, match="the bathroom is locked"):
        home.step({"Ben": "Ada.chat"})


def test_locked_bathroom_is_used_again_after_unlocking() -> None:
    household = Household(4, seed=3)
    household.poke("lock-bathroom")
    inside = {person.name for person in household.view.people if person.room == "bathroom"}
    for view in household.minutes(3 * 60):
        now_inside = {person.name for person in view.people if person.room == "bathroom"}
        assert now_inside <= inside, view.clock
        inside = now_inside
    pressed = {person.name for person in household.view.people if person.levels["bladder"] > 6}
    assert len(pressed) >= 2
    household.poke("unlock-bathroom")
    relieved = set()
    for view in household.minutes(90):
        relieved |= {person.name for person in view.people if person.doing == "toilet.use"}
    assert relieved >= pressed


def test_accidents_happen_only_while_bathroom_is_locked() -> None:
    seen: list[object] = []
    household = Household(2, seed=3, trace=seen.append)
    household.live(minutes=1440)
    assert not any(isinstance(record, Accident) for record in seen)
    household.poke("lock-bathroom")
    household.live(minutes=12 * 60)
    accidents = [record for record in seen if isinstance(record, Accident)]
    assert {record.person for record in accidents} == {"Ada", "Ben"}
    assert all(person.levels["bladder"] < 10 and person.levels["hygiene"] > 4 for person in household.view.people)


def test_second_fridge_offers_the_same_and_blocks_nothing() -> None:
    home = Home(3, seed=1)
    cells = {cell for places in home.places.of.values() for cell in places}
    apply_poke(home, "drop-fridge")
    assert {"second_fridge.get-snack", "second_fridge.take-ingredients"} <= on_offer(home)
    assert home.food == 2 * home.view().things["fridge.food"]
    assert not cells & set(home.plan.cells("R"))
    start = home.view().person("Ada").cell
    assert all(home.plan.distance(start, cell) is not None for cell in home.plan.floor)
    assert all(home.plan.distance(start, cell) is not None for places in home.places.of.values() for cell in places)


def test_second_fridge_leaves_current_actions_unchanged() -> None:
    household = Household(3, seed=4)
    household.live(minutes=200)
    before = household.view
    household.poke("drop-fridge")
    assert household.view.people == before.people
    assert {name: household.view.things[name] for name in before.things} == before.things
    household.live(minutes=1440)


def test_people_eat_from_the_nearer_fridge() -> None:
    seen: list[object] = []
    household = Household(4, seed=7, trace=seen.append)
    household.poke("drop-fridge")
    household.live(minutes=2 * 1440)
    chosen = [record.action for record in seen if isinstance(record, HomeChoice)]
    assert any(name.startswith("second_fridge") for name in chosen)
    assert any(name.startswith("fridge") for name in chosen)


def test_second_fridge_appears_once_and_is_gone_after_reset() -> None:
    home = Home(1)
    apply_poke(home, "drop-fridge")
    with pytest.raises(TelosError, match="'drop-fridge' would change nothing now"):
        apply_poke(home, "drop-fridge")
    home.reset(0)
    assert "second_fridge" not in home.things
    assert home.view() == Home(1).view()


def test_fridges_without_food_offer_nothing_until_delivery() -> None:
    home = Home(1)
    apply_poke(home, "drop-fridge")
    apply_poke(home, "take-food")
    assert home.food == 0
    assert not any("fridge" in name for name in on_offer(home))
    apply_poke(home, "deliver-food")
    assert {"fridge.get-snack", "second_fridge.get-snack"} <= on_offer(home)
    home.step({})
    assert [event.action for event in home.events] == ["drop-fridge", "take-food", "deliver-food", "delivery"]


def test_power_cut_stops_television_and_console() -> None:
    home = Home(2)
    walk_to(home, "sofa.watch-tv")
    apply_poke(home, "cut-power")
    assert home.view().person("Ada").doing is None
    assert not {"sofa.watch-tv", "console.play"} & on_offer(home)
    with pytest.raises(TelosError, match="the power is out"):
        home.step({"Ada": "console.play"})
    apply_poke(home, "restore-power")
    assert {"sofa.watch-tv", "console.play"} <= on_offer(home)


def test_alarm_gathers_everybody_in_the_hall_for_a_while() -> None:
    household = Household(6, seed=2)
    household.live(minutes=20 * 60)
    assert any(person.kind == "sleep" for person in household.view.people), "some are asleep"
    household.poke("sound-alarm")
    for _ in range(10):
        household.step()
    assert {person.room for person in household.view.people} == {"hall"}
    assert len({person.cell for person in household.view.people}) == 6
    household.live(minutes=30)
    assert any(person.doing not in (None, "gather", "potter") for person in household.view.people)


def test_gather_is_not_a_command() -> None:
    with pytest.raises(TelosError, match="nothing in the house offers 'gather'"):
        Home(1).step({"Ada": "gather"})


@pytest.mark.parametrize("name", ["unlock-bathroom", "restore-power"])
def test_poke_without_effect_is_rejected(name: str) -> None:
    home = Home(1)
    assert name not in {each.name for each in available_pokes(home)}
    with pytest.raises(TelosError, match=f"'{name}' would change nothing now; try one of lock-bathroom"):
        apply_poke(home, name)


def test_unknown_poke_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(TelosError, match="there is no poke 'lock-bathrom'; did you mean 'lock-bathroom'"):
        apply_poke(Home(1), "lock-bathrom")


def test_trace_reports_pokes_in_words() -> None:
    log, lines = HomeLog(), list[str]()
    seen: list[object] = []
    household = Household(1, seed=0, trace=seen.append)
    household.poke("cut-power")
    household.poke("deliver-food")
    household.step()
    lines = [line for record in seen if (line := log.line(record)) is not None]
    assert "day 1 07:00  the power is out" in lines
    assert any(isinstance(record, Delivered) for record in seen)
    assert [record.poke for record in seen if isinstance(record, Poked)] == ["cut-power", "deliver-food"]


def test_played_person_waits_for_commands() -> None:
    seen: list[object] = []
    household = Household(2, seed=5, played=["Ben"], trace=seen.append)
    household.live(minutes=60)
    assert household.view.person("Ben").doing is None
    household.step({"Ben": "bookshelf.read"})
    assert household.view.person("Ben").doing == "bookshelf.read"
    household.live(minutes=10)
    begun = [record.action for record in seen if isinstance(record, Began) and record.person == "Ben"]
    assert begun[-1] == "bookshelf.read"
    assert set(begun[:-1]) <= {"Ada.chat"}, "who waits may be talked to"
    with pytest.raises(TelosError, match="Bob"):
        Household(2, played=["Bob"])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.lists(st.tuples(st.integers(0, 240), st.sampled_from(sorted(POKES))), max_size=12))
def test_random_pokes_keep_the_run_valid_and_repeatable(seed: int, script: list[tuple[int, str]]) -> None:
    assert _poked(seed, script) == _poked(seed, script)


def _poked(seed: int, script: list[tuple[int, str]]) -> list[str]:
    lines: list[str] = []
    household = Household(3, seed=seed, trace=lambda record: lines.append(as_json(record)))
    for minute in range(300):
        for when, name in script:
            if when == minute and name in {each.name for each in available_pokes(household.home)}:
                household.poke(name)
        household.step()
        at_it = [person.cell for person in household.view.people if person.doing and not person.walking]
        assert len(set(at_it)) == len(at_it), "two in one place"
        plan = household.home.plan
        assert all(person.cell in plan.floor | plan.seats for person in household.view.people)
    return lines
