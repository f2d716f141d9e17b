"""Lines of sight are symmetric and match a slow reference."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import FighterPlacement
from telos.worlds.arena.sim.map import ArenaMap, Cell, LineOfSight

cells = st.tuples(st.integers(1, 8), st.integers(1, 6))
blocks = st.sets(cells, max_size=16)


def hall(walls: set[Cell], doors: set[Cell]) -> ArenaMap:
    """A hall with walls; its doors stand alone on the floor, which no map forbids."""
    rows = [["#" if x in (0, 9) or y in (0, 7) or (x, y) in walls else "." for x in range(10)] for y in range(8)]
    for x, y in sorted(doors):
        level, upright = rows[y][x - 1] + rows[y][x + 1], rows[y - 1][x] + rows[y + 1][x]
        if rows[y][x] == "." and "." * 2 in (level, upright):
            rows[y][x] = "+"
            for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                rows[b][a] = "," if rows[b][a] == "." else rows[b][a]  # keep doors apart
    return ArenaMap("\n".join("".join(row) for row in rows).replace(",", "."))


def slow_line(drawn: ArenaMap, one: Cell, other: Cell, shut: set[Cell]) -> bool:
    """Check every grid crossing of the line, and a point between any two."""

    def blocks(cell: Cell) -> bool:
        return drawn.mark(cell) == "#" or cell in shut

    across, down = other[0] - one[0], other[1] - one[1]
    looks = 4 * max(1, abs(across)) * max(1, abs(down))
    for look in range(looks + 1):
        x = one[0] + Fraction(1, 2) + Fraction(across * look, looks)
        y = one[1] + Fraction(1, 2) + Fraction(down * look, looks)
        columns = {math.floor(x)} if x.denominator > 1 else {int(x) - 1, int(x)}
        rows = {math.floor(y)} if y.denominator > 1 else {int(y) - 1, int(y)}
        here = {(column, row) for column in columns for row in rows}
        if len(here) < 4:
            if all(blocks(cell) for cell in here):
                return False
            continue
        onwards = (across > 0) == (down > 0)  # at a corner, the two cells beside the line count
        left, right, top, bottom = int(x) - 1, int(x), int(y) - 1, int(y)
        beside = [(right, top), (left, bottom)] if onwards else [(left, top), (right, bottom)]
        if _both(beside, drawn, shut):
            return False
    return True


def _both(pair: list[Cell], drawn: ArenaMap, shut: set[Cell]) -> bool:
    """A corner is blocked by two solid cells; a door counts while shut."""
    solid = [cell for cell in pair if drawn.mark(cell) in "#+"]
    return len(solid) == 2 and (all(drawn.mark(cell) == "#" for cell in solid) or any(cell in shut for cell in solid))


@given(walls=blocks, doors=blocks, one=cells, other=cells, data=st.data())
def test_lines_of_sight_match_a_slow_reference_and_are_symmetric(
    walls: set[Cell], doors: set[Cell], one: Cell, other: Cell, data: st.DataObject
) -> None:
    drawn = hall(walls - {one, other}, doors - {one, other})
    every = sorted(drawn.doors_at)
    shut = data.draw(st.sets(st.sampled_from(every))) if every else set()
    sight = LineOfSight(drawn)
    assert sight.is_clear(one, other, shut) == slow_line(drawn, one, other, shut)
    assert LineOfSight(drawn).is_clear(other, one, shut) == sight.is_clear(one, other, shut)


def test_walls_block_sight_and_glass_and_furniture_do_not() -> None:
    drawn = ArenaMap("#########\n#  o _  #\n#.=.#...#\n#########")
    sight = LineOfSight(drawn)
    assert sight.is_clear((1, 1), (7, 1), set())
    assert sight.is_clear((1, 2), (3, 2), set())
    assert not sight.is_clear((3, 2), (5, 2), set())


def test_door_beside_a_wall_is_a_gap_only_when_open() -> None:
    sight = LineOfSight(ArenaMap("#####\n#.+.#\n##..#\n#####"))
    assert sight.is_clear((1, 1), (2, 2), set())
    assert not sight.is_clear((1, 1), (2, 2), {(2, 1)})


def arena(drawing: str, *, facing: float = 0.0) -> Arena:
    """Two fighters who face each other across a map."""
    drawn = ArenaMap(drawing)
    (x, y), (a, b) = drawn.places["A"], drawn.places["B"]
    made = Arena(
        drawn, [FighterPlacement("Ada", "one", "soldier", x, y), FighterPlacement("Bo", "two", "soldier", a, b)]
    )
    made.fighter("Ada").facing, made.fighter("Bo").facing = facing, math.pi
    return made


def test_sight_ends_at_thirty_metres_and_behind_the_back() -> None:
    near, far = "#A" + " " * 28 + "B#", "#A" + " " * 31 + "B#"
    wall = "\n" + "#" * 40 + "\n"
    assert arena(wall + near + wall).sees("Ada", "Bo")
    assert not arena(wall + far + wall).sees("Ada", "Bo")
    assert arena(wall + near + wall, facing=math.radians(95)).sees("Ada", "Bo")
    assert not arena(wall + near + wall, facing=math.radians(105)).sees("Ada", "Bo")


def test_darkness_and_cloaks_hide_distant_fighters() -> None:
    lit, dark = "########\n#A    B#\n#      #\n########", "########\n#A    B#\n#     !#\n########"
    close = "########\n#A  B  #\n#     !#\n########"
    assert arena(lit).sees("Ada", "Bo")
    assert not arena(dark).sees("Ada", "Bo")
    assert arena(close).sees("Ada", "Bo")
    hidden = arena(lit)
    hidden.step({"Bo": "animate cloak"})
    for _ in range(4):
        hidden.step({})
    assert hidden.fighter("Bo").cloaked
    assert not hidden.sees("Ada", "Bo")
    assert hidden.sees("Bo", "Ada")


def test_shut_door_blocks_sight_and_an_open_one_does_not() -> None:
    shut, opened = "#######\n#A + B#\n#######", "#######\n#A / B#\n#######"
    assert not arena(shut).sees("Ada", "Bo")
    assert arena(opened).sees("Ada", "Bo")
