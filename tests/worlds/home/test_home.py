"""The rules of the house: available actions, places, and motives that move as minds predict."""

from collections.abc import Iterator

import pytest

from telos.choosing.choose import Rating
from telos.core.errors import TelosError
from telos.worlds.home import house
from telos.worlds.home.home import Home
from telos.worlds.home.household import Household
from telos.worlds.home.trace import Finished
from telos.worlds.home.views import HomeView, PersonView


def offered(home: Home, person: str = "Ada") -> set[str]:
    return {offer.action.name for offer in home.offers(person)}


def do(home: Home, command: str, person: str = "Ada") -> PersonView:
    """Carry out one command to its end."""
    home.step({person: command})
    while home.view().person(person).doing == command:
        home.step({})
    return home.view().person(person)


def lived(people: int, seed: int, days: int) -> Iterator[tuple[Household, HomeView]]:
    household = Household(people, seed=seed)
    for view in household.minutes(days * 1440):
        yield household, view


def test_meal_is_a_chain_of_actions_that_enable_each_other() -> None:
    home = Home(1)
    full = home.view().things["fridge.food"]
    chain = ["fridge.take-ingredients", "oven.insert", "oven.cook", "oven.take-out", "table.eat"]
    for step, command in enumerate(chain):
        assert command in offered(home)
        assert not offered(home) & set(chain[step + 1 :]), "a later step is on offer too early"
        do(home, command)
    assert home.view().things["fridge.food"] == full - 1
    assert home.view().person("Ada").carrying == "nothing"


def test_only_the_last_step_of_a_meal_lowers_hunger() -> None:
    home = Home(1)
    before = home.view().person("Ada").levels["hunger"]
    for command in ("fridge.take-ingredients", "oven.insert", "oven.cook", "oven.take-out"):
        hungry = do(home, command).levels["hunger"]
        assert hungry > before
        before = hungry
    assert do(home, "table.eat").levels["hunger"] == pytest.approx(max(0, hungry - 7), abs=0.1)


def test_food_in_the_oven_belongs_to_its_cook() -> None:
    home = Home(2)
    do(home, "fridge.take-ingredients")
    do(home, "oven.insert")
    assert "oven.cook" in offered(home, "Ada")
    assert "oven.cook" not in offered(home, "Ben")
    assert "fridge.take-ingredients" not in offered(home, "Ben"), "the oven is full"


def test_empty_fridge_offers_nothing_until_the_delivery() -> None:
    home = Home(1)
    while home.view().things["fridge.food"]:
        do(home, "fridge.get-snack")
    assert not any(name.startswith("fridge") for name in offered(home))
    while not any(event.action == "delivery" for event in home.events):
        home.step({})
    assert home.view().clock == "06:00"
    assert {"fridge.get-snack", "fridge.take-ingredients"} <= offered(home)


def test_place_is_reserved_when_somebody_sets_out() -> None:
    home = Home(3)
    home.step({"Ada": "toilet.use"})
    assert home.view().person("Ada").walking
    assert "toilet.use" not in offered(home, "Ben")
    with pytest.raises(TelosError, match=r"Ben cannot 'toilet\.use' now: somebody else is there"):
        home.step({"Ben": "toilet.use"})


def test_first_named_person_wins_a_contested_place() -> None:
    home = Home(2)
    home.step({"Ben": "shower.shower", "Ada": "shower.shower"})
    assert [person.doing for person in home.view().people] == ["shower.shower", None]


def test_sofa_has_room_for_three() -> None:
    home = Home(4)
    home.step(dict.fromkeys(("Ada", "Ben", "Cleo"), "sofa.watch-tv"))
    assert all(person.doing == "sofa.watch-tv" for person in home.view().people[:3])
    assert "sofa.watch-tv" not in offered(home, "Dan")


def test_bed_is_reserved_for_its_owner() -> None:
    home = Home(2)
    assert {name for name in offered(home, "Ben") if "bed" in name} == {"Bens_bed.sleep"}
    with pytest.raises(TelosError, match=r"Ben cannot 'Adas_bed\.sleep' now: it needs me == Ada"):
        home.step({"Ben": "Adas_bed.sleep"})


def test_conversation_helps_both_and_ends_for_both() -> None:
    home = Home(2)
    for _ in range(180):
        home.step({})  # until they are in the mood
    home.step({"Ada": "Ben.chat"})
    ada, ben = home.view().people
    assert (ada.doing, ben.doing) == ("Ben.chat", "Ada.chat")
    before = [person.levels["company"] for person in (ada, ben)]
    for _ in range(12):
        home.step({})
    assert all(person.levels["company"] < was for person, was in zip(home.view().people, before, strict=True))
    home.step({"Ben": "toilet.use"})
    assert home.view().person("Ada").doing is None
    assert [event.context["stage"] for event in home.events[:2]] == ["stops", "stops"]


def test_sleeping_or_busy_person_is_not_available_for_talk() -> None:
    home = Home(3)
    for _ in range(180):
        home.step({})
    assert {"Ben.chat", "Cleo.chat"} <= offered(home, "Ada")
    home.step({"Ben": "Bens_bed.sleep", "Cleo": "shower.shower"})
    assert not {"Ben.chat", "Cleo.chat"} & offered(home, "Ada")
    assert "Ada.chat" not in offered(home, "Ada")


def test_interrupted_action_has_moved_motives_partly() -> None:
    home = Home(1)
    for _ in range(60):
        home.step({})
    home.step({"Ada": "sofa.watch-tv"})
    while home.view().person("Ada").walking:
        home.step({})
    before = home.view().person("Ada")
    for _ in range(30):
        home.step({})
    assert home.view().person("Ada").levels["fun"] == pytest.approx(before.levels["fun"] - 30 * 2 / 60)
    home.step({"Ada": "potter"})
    assert home.events[0].context["stage"] == "stops"
    assert home.view().person("Ada").doing == "potter"


def test_action_interrupted_on_the_way_has_no_effects() -> None:
    home = Home(1)
    things = home.view().things
    home.step({"Ada": "bookshelf.read"})
    home.step({"Ada": "potter"})
    assert home.view().things == {**things, "Ada.free": home.view().things["Ada.free"]}


def test_uninterruptible_action_rejects_other_commands() -> None:
    home = Home(1)
    home.step({"Ada": "fridge.get-snack"})
    with pytest.raises(TelosError, match=r"Ada cannot 'potter' now: 'fridge\.get-snack' cannot be interrupted"):
        home.step({"Ada": "potter"})


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ({"Adda": "potter"}, "Adda"),
        ({"Ada": "oven.cok"}, "nothing in the house offers 'oven.cok'; did you mean 'oven.cook'"),
        ({"Ada": "oven.cook"}, "Ada cannot 'oven.cook' now: it needs oven.contents == raw and oven.owner == me"),
        ({"Ben": "potter", "Ada": "nonsense"}, "nothing in the house offers 'nonsense'"),
    ],
)
def test_impossible_commands_are_rejected_without_effect(commands: dict[str, str], message: str) -> None:
    home = Home(2)
    before = home.view()
    with pytest.raises(TelosError, match=message):
        home.step(commands)
    assert home.view() == before


@pytest.mark.parametrize("people", [0, 7, -1, True, 2.0])
def test_number_of_people_out_of_range_is_rejected(people: int) -> None:
    with pytest.raises(TelosError, match="1 to 6"):
        Home(people)


@pytest.mark.parametrize("seed", [-1, 1.5, "seven", None])
def test_invalid_seed_is_rejected(seed: int) -> None:
    with pytest.raises(TelosError, match="seed"):
        Home(1, seed=seed)


def test_people_avoid_walls_and_share_no_place() -> None:
    before = {person.name: person.cell for person in Home(6, seed=5).view().people}
    for household, view in lived(6, seed=5, days=2):
        plan = household.home.plan
        for person in view.people:
            steps = plan.distance(before[person.name], person.cell)
            assert steps is not None
            assert steps <= house.PACE
            assert person.cell in plan.floor | plan.seats
            assert person.walking or person.doing is None or person.cell not in plan.doors
        at_it = [person.cell for person in view.people if person.doing is not None and not person.walking]
        assert len(set(at_it)) == len(at_it), f"two in one place at {view.clock}"
        before = {person.name: person.cell for person in view.people}


def test_completed_action_leaves_motives_as_predicted() -> None:
    finished: list[Finished] = []
    household = Household(3, seed=7, trace=lambda record: isinstance(record, Finished) and finished.append(record))
    expected: dict[tuple[str, str, int], dict[str, float]] = {}
    for _ in range(2 * 1440):
        now, before = household.home.time, dict(household.decisions)
        household.step()
        for person, decision in household.decisions.items():
            rating = next(row for row in decision.choice.table if row.action is decision.action)
            if decision is not before.get(person):
                expected[person, rating.action.name, now + int(rating.time)] = predicted(rating, now)
    compared = 0
    for record in finished:
        for motive, level in expected.get((record.person, record.action, record.time), {}).items():
            assert record.levels[motive] == pytest.approx(level, abs=1e-9), record
            compared += 1
    assert compared > 500


def predicted(rating: Rating, now: int) -> dict[str, float]:
    """Return the levels that a choice predicts, without promises and without what it cannot know."""
    unknown = set(rating.action.promises)
    turns = {(now + minute) % 1440 for minute in range(int(rating.time))} & {house.EVENING, house.MORNING}
    if turns:  # the need for sleep drifts by the clock; a choice uses the present drift
        unknown.add("sleep")
    return {motive: level for motive, level in rating.levels.items() if motive not in unknown}


def test_people_differ_by_seed_and_from_each_other() -> None:
    levels = {tuple(person.levels.values()) for seed in range(5) for person in Home(3, seed=seed).view().people}
    assert len(levels) == 15


def test_need_for_sleep_rises_faster_at_night() -> None:
    home = Home(1)
    by_day = home.view().person("Ada").drift["sleep"]
    while home.view().clock != "21:00":
        home.step({})
    assert home.view().person("Ada").drift["sleep"] > 3 * by_day
