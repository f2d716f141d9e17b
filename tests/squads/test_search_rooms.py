"""Search by pairs, room by room."""

from squads.soldiers import Soldier, soldier, tasks, watched
from telos.squads.squad import BehaviourEnded


def conclusions(told: list[object]) -> list[tuple[str, bool, str]]:
    return [(each.behaviour, each.fulfilled, each.why) for each in told if isinstance(each, BehaviourEnded)]


def hunters(count: int, *rooms: tuple[str, float, int]) -> list[Soldier]:
    """Soldiers in a row, all of whom know the rooms; they have lost bert, whom the first saw at time 0."""
    found = [soldier(name, float(i)) for i, name in enumerate("ABCDE"[:count])]
    for each in found:
        for room, distance, nodes in rooms:
            each.knows_room(room, distance, nodes)
    found[0].sees(time=0.0)
    return found


def where(squad: list[Soldier]) -> dict[str, tuple[str, str | None, str | None]]:
    orders = {each.name: each.order for each in squad if each.order is not None}
    return {name: (order["task"], order["room"], order["target"]) for name, order in orders.items()}


def test_search_begins_once_an_enemy_is_lost() -> None:
    squad = hunters(2, ("r1", 5.0, 1))
    red, _ = watched()
    red.tick(squad, 2.0)
    assert "  not search: bert is in sight" in red.squads[0].why().splitlines()
    squad[0].note("enemy", "bert", 1.0, x=9.0, y=9.0, seen=False)
    red.tick(squad, 3.9)
    assert "  not search: the enemy was noticed just now" in red.squads[0].why().splitlines()
    red.tick(squad, 4.1)
    assert red.squads[0].behaviour == "search"


def test_pairs_get_distinct_rooms_nearest_first() -> None:
    squad = hunters(4, ("r1", 9.0, 1), ("r2", 5.0, 2), ("r3", 30.0, 1))
    red, _ = watched()
    red.tick(squad, 4.0)
    assert where(squad) == {
        "A": ("search", "r2", None),
        "B": ("watch", "r2", "A"),
        "C": ("search", "r1", None),
        "D": ("follow", "r1", "C"),
    }
    assert tasks(squad)["A"] == ("search", "r2.0")
    assert tasks(squad)["B"] == ("watch", "r2.1"), "a room with two nodes has one for each"


def test_likelier_room_comes_first_where_members_infer_it() -> None:
    squad = hunters(2, ("r1", 9.0, 1), ("r2", 5.0, 1))
    for each in squad:
        for room, distance, likely in (("r1", 9.0, 0.6), ("r2", 5.0, 0.1)):
            each.note(
                "node", f"{room}.0", x=distance, y=0.0, room=room, kind="search", distance=distance, likely=likely
            )
    red, _ = watched()
    red.tick(squad, 4.0)
    assert where(squad)["A"] == ("search", "r1", None)  # 15 m / 0.6 = 25 come before 11 m / 0.1 = 110


def test_odd_member_joins_the_last_pair() -> None:
    squad = hunters(3, ("r1", 9.0, 1), ("r2", 5.0, 1))
    red, _ = watched()
    red.tick(squad, 4.0)
    assert where(squad) == {"A": ("search", "r2", None), "B": ("follow", "r2", "A"), "C": ("follow", "r2", "A")}


def test_search_continues_until_all_rooms_are_done() -> None:
    squad = hunters(2, ("r1", 9.0, 1), ("r2", 5.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[1].note("searched", "r2", 10.0)
    red.tick(squad, 10.0)
    assert where(squad)["A"] == ("search", "r1", None)
    squad[0].does()
    red.tick(squad, 20.0)
    assert conclusions(told) == [("search", True, "every room is searched")]
    assert where(squad) == {}


def test_time_limit_applies_per_room() -> None:
    squad = hunters(2, ("r1", 9.0, 1), ("r2", 5.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[0].does()
    red.tick(squad, 20.0)
    red.tick(squad, 39.9)
    assert red.squads[0].engaged
    red.tick(squad, 40.0)
    assert conclusions(told) == [("search", False, "no headway for 20 s")]


def test_arriving_is_not_searching() -> None:
    squad = hunters(2, ("r1", 9.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[0].feels(at="r1.0")
    red.tick(squad, 5.0)
    assert not conclusions(told)


def test_finished_pair_moves_on_before_the_other() -> None:
    squad = hunters(4, ("r1", 9.0, 1), ("r2", 5.0, 1), ("r3", 30.0, 1))
    red, _ = watched()
    red.tick(squad, 4.0)
    still = squad[2].order
    squad[0].does()
    red.tick(squad, 5.0)
    assert where(squad)["A"] == ("search", "r3", None)
    assert squad[2].order is still
    squad[2].does()
    red.tick(squad, 6.0)
    assert set(where(squad)) == {"A", "B"}, "there is no room left for the other pair"


def test_contact_ends_the_search() -> None:
    squad = hunters(2, ("r1", 9.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[1].sees("carl", 5.0)
    red.tick(squad, 5.0)
    assert conclusions(told) == [("search", False, "contact: carl")]
    assert where(squad) == {}


def test_member_without_partner_joins_another_pair() -> None:
    squad = hunters(4, ("r1", 9.0, 1), ("r2", 5.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[2].alive = False
    red.tick(squad, 5.0)
    assert where(squad) == {
        "A": ("search", "r2", None),
        "B": ("follow", "r2", "A"),
        "D": ("follow", "r2", "A"),
    }
    squad[0].does()
    red.tick(squad, 6.0)
    assert where(squad)["A"] == ("search", "r1", None), "the room of the dead man is not forgotten"
    assert not conclusions(told)


def test_search_fails_for_a_single_member() -> None:
    squad = hunters(2, ("r1", 9.0, 1))
    red, told = watched()
    red.tick(squad, 4.0)
    squad[0].alive = False
    red.tick(squad, 5.0)
    assert conclusions(told) == [("search", False, "A is dead, and nobody is left to watch over B")]
    assert where(squad) == {}


def test_rooms_are_searched_again_after_a_sighting() -> None:
    squad = hunters(2, ("r1", 9.0, 1))
    squad[0].note("searched", "r1", 3.0)
    red, _ = watched()
    red.tick(squad, 4.0)
    assert "  not search: every room is searched" in red.squads[0].why().splitlines()
    squad[0].sees(time=10.0)
    red.tick(squad, 10.0)
    red.tick(squad, 13.1)
    assert where(squad)["A"] == ("search", "r1", None)


def test_objective_names_the_rooms() -> None:
    squad = hunters(2, ("r1", 5.0, 1), ("r2", 9.0, 1))
    squad[0].memory.forget("enemy", "bert")
    red, told = watched()
    red.tick(squad, 0.0)
    assert "  not search: no enemy was lost, and no rooms are to be searched" in red.squads[0].why().splitlines()
    red.set_objective("red-1", {"search": ["r2"]})
    red.tick(squad, 1.0)
    assert where(squad)["A"] == ("search", "r2", None)
    squad[0].does()
    for now in range(2, 20):
        red.tick(squad, float(now))
    assert conclusions(told) == [("search", True, "every room is searched")]
