"""A week in the house: people eat, sleep and wash at reasonable times."""

from collections import Counter, defaultdict
from functools import cache

import pytest

from telos.worlds.home.household import Household
from telos.worlds.home.trace import Began, Finished, HomeStarted, Interrupted, Levels

DAYS = 7
HOUSEHOLDS = [(1, 7), (2, 1), (3, 7), (4, 2), (6, 3)]
everywhere = pytest.mark.parametrize(("people", "seed"), HOUSEHOLDS)


@cache
def week(people: int, seed: int) -> tuple[object, ...]:
    records: list[object] = []
    Household(people, seed=seed, trace=records.append).live(minutes=DAYS * 1440)
    return tuple(records)


def names(records: tuple[object, ...]) -> tuple[str, ...]:
    return next(record.people for record in records if isinstance(record, HomeStarted))


def done(records: tuple[object, ...], what: str) -> dict[str, Counter[int]]:
    """Count how often each person did something on each of the seven days, from seven to seven."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for record in records:
        if isinstance(record, Finished | Interrupted) and what in (record.activity, record.action):
            counts[record.person][(record.time - 1 - 7 * 60) // 1440] += 1
    return counts


def nights(records: tuple[object, ...], person: str) -> list[tuple[int, int]]:
    """Return start and end of each sleep in minutes; short breaks (the toilet) do not count."""
    spans: list[tuple[int, int]] = []
    for record in records:
        if getattr(record, "person", None) != person or getattr(record, "activity", None) != "sleep":
            continue
        if isinstance(record, Began):
            spans.append((record.time, record.time))
        elif isinstance(record, Finished | Interrupted) and spans:
            spans[-1] = (spans[-1][0], record.time)
        if len(spans) > 1 and spans[-1][0] - spans[-2][1] < 45:
            spans[-2:] = [(spans[-2][0], spans[-1][1])]
    return spans


@everywhere
def test_people_eat_two_to_six_times_a_day(people: int, seed: int) -> None:
    eaten = done(week(people, seed), "eat")
    for person in names(week(people, seed)):
        assert all(2 <= eaten[person][day] <= 6 for day in range(DAYS)), (person, eaten[person])


@everywhere
def test_people_cook_now_and_then(people: int, seed: int) -> None:
    meals = done(week(people, seed), "table.eat")
    assert all(sum(meals[person].values()) >= DAYS - 2 for person in names(week(people, seed)))


@everywhere
def test_people_sleep_six_to_ten_hours_at_night(people: int, seed: int) -> None:
    for person in names(week(people, seed)):
        slept = nights(week(people, seed), person)
        assert len(slept) in (DAYS, DAYS + 1), (person, slept)
        for began, ended in slept:
            if ended == began:
                continue  # still asleep at the end of the week
            hour = (began / 60 - 12) % 24 + 12
            assert 21 <= hour <= 26, f"{person} went to bed at {hour % 24:.1f}"
            assert 6 <= (ended - began) / 60 <= 10, f"{person} slept {(ended - began) / 60:.1f} hours"


@everywhere
def test_people_use_the_toilet_and_wash_daily(people: int, seed: int) -> None:
    records = week(people, seed)
    toilet, wash, shower = (done(records, what) for what in ("toilet", "wash", "shower.shower"))
    for person in names(records):
        assert all(3 <= toilet[person][day] <= 8 for day in range(DAYS)), (person, toilet[person])
        assert all(wash[person][day] >= 1 for day in range(DAYS)), (person, wash[person])
        assert DAYS - 1 <= sum(shower[person].values()) <= 2 * DAYS, (person, shower[person])


@everywhere
def test_people_have_fun_and_company_daily(people: int, seed: int) -> None:
    fun, company = done(week(people, seed), "fun"), done(week(people, seed), "company")
    for person in names(week(people, seed)):
        assert all(fun[person][day] and company[person][day] for day in range(DAYS))


@everywhere
def test_hunger_stays_low_beside_a_full_fridge(people: int, seed: int) -> None:
    for record in week(people, seed):
        if isinstance(record, Levels | Began | Finished | Interrupted):
            assert record.levels["hunger"] < 9, record
            assert max(record.levels.values()) < 9.5, record


@everywhere
def test_motives_do_not_stay_high_for_half_a_day(people: int, seed: int) -> None:
    high: Counter[tuple[str, str]] = Counter()
    for record in week(people, seed):
        if isinstance(record, Levels):
            for motive, level in record.levels.items():
                high[record.person, motive] = high[record.person, motive] + 1 if level >= 7 else 0
                assert high[record.person, motive] < 12, f"{motive} of {record.person} stays high on day {record.day}"
