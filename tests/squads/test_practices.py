"""Practices: targets are shared out evenly, and sightings reach those who do not see for themselves."""

from hypothesis import given
from hypothesis import strategies as st

from squads.soldiers import Soldier, soldier, watched
from telos.squads.practices import TOLD_CONFIDENCE, KeepDown, ShareSightings, ShareTargets, share_out
from telos.squads.squad import Assignment, Order, Squad

NAMES = ("Ann", "Bob", "Cid", "Dee")
SEEN = st.dictionaries(
    st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(("pat", "rex", "zoe")), st.integers(1, 30), min_size=1),
    max_size=4,
)


def mark(member: Soldier, now: float = 0.0) -> str | None:
    fact = member.memory.recall("mark", "current", now)
    return None if fact is None else str(fact["target"])


@given(SEEN)
def test_everybody_gets_an_enemy_in_sight_and_no_enemy_is_left_out_for_a_second_gun(
    seen: dict[str, dict[str, int]],
) -> None:
    shared = share_out({name: dict(each) for name, each in seen.items()})
    assert list(shared) == list(seen)
    assert all(target in seen[name] for name, target in shared.items())
    guns = [*shared.values()]
    for name, target in shared.items():  # nobody is the second gun on one enemy while another in sight has none
        assert guns.count(target) == 1 or all(other in guns for other in seen[name])


def test_who_sees_nobody_gets_no_target() -> None:
    assert share_out({"Ann": {}, "Bob": {"pat": 4.0}}) == {"Bob": "pat"}
    assert share_out({"Ann": {}}) == share_out({}) == {}


def test_nearest_free_member_takes_the_enemy_that_fewest_see() -> None:
    near, far = soldier("Ann").sees("pat", x=10.0).sees("rex", x=12.0), soldier("Bob", 4.0).sees("pat", x=10.0)
    ShareTargets().apply(Squad("red-1", (near, far)), 0.0)
    assert (mark(near), mark(far)) == ("rex", "pat")


def test_targets_are_those_in_sight_and_alive() -> None:
    ann = soldier("Ann").sees("pat")
    ann.note("enemy", "rex", x=1.0, y=0.0, seen=False)
    ann.note("enemy", "zoe", x=1.0, y=0.0, seen=True, alive=False)
    bob = soldier("Bob")
    ShareTargets().apply(Squad("red-1", (ann, bob)), 0.0)
    assert (mark(ann), mark(bob)) == ("pat", None)


def test_sighting_is_told_with_its_witness_its_time_and_less_confidence() -> None:
    ann, bob = soldier("Ann").sees("pat", 2.0, x=7.0), soldier("Bob")
    bob.note("enemy", "pat", 1.0, x=9.0, y=0.0, seen=False, sure=False)  # a noise
    ShareSightings().apply(Squad("red-1", (ann, bob)), 2.5)
    told = bob.memory.recall("enemy", "pat", 2.5)
    assert told is not None
    assert (told.time, told.confidence, told["x"]) == (2.0, TOLD_CONFIDENCE, 7.0)
    assert (told["seen"], told["told_by"]) == (False, "Ann")


def test_sightings_of_ones_own_and_known_deaths_are_kept() -> None:
    ann, bob, cid = soldier("Ann").sees("pat", 2.0), soldier("Bob").sees("pat", 1.5, x=9.0), soldier("Cid")
    cid.note("enemy", "pat", 1.0, x=3.0, y=0.0, seen=True, alive=False)
    ShareSightings().apply(Squad("red-1", (ann, bob, cid)), 2.0)
    kept = [each.memory.recall("enemy", "pat", 2.0) for each in (bob, cid)]
    assert [fact["x"] for fact in kept if fact is not None] == [9.0, 3.0]


def test_old_sightings_and_hearsay_are_not_passed_on() -> None:
    ann, bob, cid = soldier("Ann").sees("pat", 0.0), soldier("Bob"), soldier("Cid")
    bob.note("enemy", "rex", 5.0, x=3.0, y=0.0, seen=False, told_by="Ann")
    ShareSightings().apply(Squad("red-1", (ann, bob, cid)), 5.0)
    assert not cid.memory.all_of("enemy", 5.0)


def test_coordinator_applies_the_practices_that_it_has() -> None:
    for practices, expected in (((ShareTargets(),), "bert"), ((), None)):
        ann, bob = soldier("Ann").sees(), soldier("Bob")
        red, _ = watched(practices=practices)
        red.tick([ann, bob], 0.0)
        assert mark(ann) == expected
        assert not bob.memory.all_of("enemy", 0.0)


def kept_down(squad: Squad, now: float = 0.0) -> dict[str, str]:
    """Apply the practice, and return who was just told to keep whom down."""
    KeepDown().apply(squad, now)
    told = {each.name: each.memory.recall("keep_down", "current", now) for each in squad.members}
    return {name: str(fact["target"]) for name, fact in told.items() if fact is not None and fact.time == now}


def three_who_see(*enemies: str) -> Squad:
    squad = Squad("red-1", tuple(soldier(name) for name in ("Ann", "Bob", "Cid")))
    for member in squad.members:
        for enemy in enemies:
            member.note("enemy", enemy, x=30.0, y=0.0, seen=True)
    return squad


def test_one_of_three_keeps_a_single_enemy_down() -> None:
    assert len(kept_down(three_who_see("pat"))) == 1
    assert kept_down(three_who_see("pat", "rex")) == {}, "all guns are needed to aim"


def test_somebody_in_cover_keeps_the_enemy_down_and_goes_on_while_he_can() -> None:
    squad = three_who_see("pat")
    ann, bob, _ = squad.members
    assert isinstance(ann, Soldier)
    assert isinstance(bob, Soldier)
    bob.stands_at("c1")
    assert kept_down(squad) == {"Bob": "pat"}
    ann.stands_at("c2")
    bob.feels(cover_valid=False)
    assert kept_down(squad, 0.5) == {"Bob": "pat"}
    bob.feels(loaded=False)
    assert kept_down(squad, 1.0) == {"Ann": "pat"}


def test_enemy_that_an_order_keeps_down_needs_no_other_gun() -> None:
    squad = three_who_see("pat")
    orders = {"Ann": Order("suppress", target="pat"), "Bob": Order("cover", node="c3")}
    squad.assignment = Assignment.create("get-to-cover", orders, "", 0.0)
    assert kept_down(squad) == {}


def test_enemy_out_of_sight_is_not_kept_down() -> None:
    squad = three_who_see("pat")
    for member in squad.members[1:]:
        member.memory.forget("enemy", "pat")
    assert kept_down(squad) == {}, "one who sees it has nobody to do it for"
