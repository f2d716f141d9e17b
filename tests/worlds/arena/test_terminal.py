"""Frames fit the terminal and show every fighter with its goal and plan."""

from math import pi

import pytest
from rich.console import Console

from telos.core.event import Event
from telos.worlds.arena.sim.views import ArenaView, DoorView, GrenadeView, ShotView
from telos.worlds.arena.terminal import ArenaScreen, MindState, TraceNotes
from worlds.arena.pictures import ROWS, Thoughts, busy, crowd, fighter, moment, noted, room_at, screen, thoughts

LARGE = ("#" * 64, *("#" + " " * 62 + "#" for _ in range(22)), "#" * 64)


def picture(drawn: ArenaScreen, view: ArenaView, width: int = 110, height: int = 34, **minds: MindState) -> list[str]:
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(drawn.frame(view, minds))
    return captured.get().splitlines()


def small(
    *fighters: object, rows: tuple[str, ...] = ("#####", "#   #", "#   #", "#####"), **changed: object
) -> list[str]:
    """Return the map alone, where a square metre has one column."""
    drawn = ArenaScreen(rows, TraceNotes(), room_at=lambda place: "r1", scene="", title="")
    lines = picture(drawn, moment(*fighters, **changed), width=len(rows[0]) + 36, height=20)
    return [line[: len(rows[0])] for line in lines[1 : len(rows) + 1]]


@pytest.mark.parametrize("rows", [ROWS, LARGE], ids=["small map", "large map"])
@pytest.mark.parametrize("number", [1, 2, 4, 8, 12])
@pytest.mark.parametrize(("width", "height"), [(110, 34), (80, 24), (200, 60), (60, 20), (30, 8)])
def test_frame_fits_the_terminal(width: int, height: int, number: int, rows: tuple[str, ...]) -> None:
    view = busy(number, dead=number // 4)
    lines = picture(screen(rows), view, width, height, **thoughts(view))
    assert len(lines) < height
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("rows", [ROWS, LARGE], ids=["small map", "large map"])
@pytest.mark.parametrize(("width", "height"), [(110, 34), (80, 24)])
def test_frame_shows_eight_fighters_with_goal_and_step(width: int, height: int, rows: tuple[str, ...]) -> None:
    view = moment(*crowd(8))
    minds = {each.name: Thoughts("survive", ("run", "hide"), 1) for each in view.fighters}
    lines = picture(screen(rows), view, width, height, **minds)
    text = "\n".join(lines)
    for each in view.fighters:
        assert f"{each.name[0]} {each.name} " in text
    assert text.count("survive: ") == 8
    assert text.count("hide") == 8


@pytest.mark.parametrize(("width", "height"), [(110, 34), (80, 24)])
def test_frame_shows_map_fighters_and_log(width: int, height: int) -> None:
    lines = picture(screen(LARGE), busy(), width, height)
    assert lines[0].startswith(" flank  12.3 s   red ●●●●  blue ●●●×")
    assert lines[0].endswith("arena · seed 3 · 1 s/s · Ctrl-C ends")
    assert sum("█  " in line for line in lines) > 8
    assert any("12.0  Ann → Bob: “Status?”" in line for line in lines)
    assert any("Zoe  is dead, killed by Ann" in line for line in lines)
    assert any(line.endswith("× Xia") for line in lines)


def test_dead_fighters_share_a_line_and_leave_a_cross() -> None:
    lines = picture(screen(), moment(*crowd(6, dead=3)))
    assert sum("× Dee Una Vic" in line for line in lines) == 1
    assert sum(line[:80].count("×") for line in lines[1:10]) == 3


def test_roster_shows_the_plan_after_its_goal() -> None:
    mind = Thoughts("kill_enemy", ("reload", "attack"), 1)
    lines = picture(screen(), moment(fighter()), Ann=mind)
    assert any("kill_enemy: reload ▸ attack" in line for line in lines)


def test_long_plan_is_shown_from_the_current_step() -> None:
    mind = Thoughts("kill_enemy", ("open-the-first-door", "open-the-second-door", "reload", "attack"), 2)
    lines = picture(screen(), moment(fighter()), width=80, Ann=mind)
    assert any("kill_enemy: reload ▸ attack" in line for line in lines)


def test_only_the_current_step_is_highlighted() -> None:
    drawn = screen().frame(moment(fighter()), {"Ann": Thoughts("kill_enemy", ("reload", "attack"), 1)})
    console = Console(width=110, height=34, force_terminal=True, color_system="truecolor")
    bold = {piece.text.strip() for piece in console.render(drawn) if piece.style and piece.style.bold}
    assert "attack" in bold
    assert "reload" not in bold


def test_spoken_line_is_shown_beside_the_speaker_for_a_while() -> None:
    talking, silent = (picture(screen(), moment(fighter(), time=time)) for time in (12.3, 20.0))
    assert any(line.endswith("“Status?”") and "Bob" not in line for line in talking)
    assert any(line.endswith("  sees Una") for line in silent)  # the reason for her goal


def test_crowded_roster_counts_the_hidden_fighters() -> None:
    many = [fighter(name=f"rat-{number}", side="rats") for number in range(500)]
    for width in (110, 80):
        lines = picture(screen(LARGE), moment(*many), width, 24)
        assert "rats 500/500" in lines[0]
        shown = sum(line.count("rat-") for line in lines)
        assert any(f"… and {500 - shown} more" in line for line in lines)


def test_letters_distinguish_similar_names() -> None:
    names = ("Ann", "Amy", "soldier-a", "soldier-b", "soldier-c")
    drawn = small(*(fighter(name=name, x=1.5 + number % 3, y=1.5 + number // 3) for number, name in enumerate(names)))
    assert drawn == ["█████", "█AYS█", "█BC █", "█████"]


def test_map_distinguishes_doors_windows_furniture_and_nodes() -> None:
    rows = ("##+=#####", "#  o  A #", "#_^*   1%", "/   #   =", "######%##")
    assert small(fighter(x=6.5), rows=rows) == [
        "██━═█████",
        "█  ▒  A █",
        "█▂▴∗   1┃",
        "╱   █   ║",
        "██████━██",
    ]


def test_solid_rock_is_blank() -> None:
    rows = ("#######", "#######", "#######", "#### ##", "#######")
    assert small(rows=rows) == ["       ", "       ", "   ███ ", "   █ █ ", "   ███ "]


def test_doors_and_windows_show_their_current_state() -> None:
    rows = ("##+=#", "#   #", "#####")
    now = small(rows=rows, doors=(DoorView("d1", 2.5, 0.5, "open"),), broken_windows=("w1",))
    assert now[0] == "██╱╌█"


def test_shot_leaves_a_trace_up_to_a_wall() -> None:
    shot = ShotView("Ann", 1.5, 1.5, 7.5, 1.5, None)
    rows = ("#########", "#   #   #", "#########")
    assert small(fighter(x=1.5), rows=rows, shots=(shot,))[1] == "█A··█·· █"


def test_grenade_blinks_and_explodes() -> None:
    lying = GrenadeView("g1", 2.5, 1.5, 1.0)
    assert {small(time=time, grenades=(lying,))[1] for time in (3.0, 3.1, 3.2, 3.3)} == {"█ ● █", "█ ○ █"}
    notes = TraceNotes()
    notes.note(Event("exploded", {"x": 3.5, "y": 3.5}, player="Ann", time=5.0))
    drawn = ArenaScreen(("#######", *["#     #"] * 5, "#######"), notes, room_at=room_at, scene="", title="")
    burning = [
        sum(line.count("✶") + line.count("∗") for line in picture(drawn, moment(time=time))) for time in (5.0, 5.2, 7.0)
    ]
    assert 0 < burning[0] < burning[1]
    assert burning[2] == 0


def test_dark_room_is_shaded() -> None:
    assert small(fighter(x=2.5), dark_rooms=("r1",))[1] == "█░A░█"
    assert small(fighter(x=2.5), dark_rooms=("r2",))[1] == "█ A █"


def test_wide_map_shows_square_cells_and_facing() -> None:
    around = [fighter(name=name, x=1.5 + eighth, facing=eighth * pi / 4) for eighth, name in enumerate("ABCDEFGH")]
    drawn = ArenaScreen(("#" * 10, "#        #", "#" * 10), TraceNotes(), room_at=room_at, scene="", title="")
    assert picture(drawn, moment(*around))[2].startswith("██A→B↘C↓D↙E←F↖G↑H↗██")


def test_large_map_is_shown_around_the_living() -> None:
    for x, y in ((2.5, 2.5), (60.5, 21.5), (30.5, 12.5)):
        alive, dead = fighter(x=x, y=y), fighter(name="Zed", x=62.5, y=1.5, alive=False)
        lines = picture(screen(LARGE), moment(alive, dead), 40, 14)
        below = next(row for row, line in enumerate(lines) if line.startswith("A Ann"))
        assert 4 < below < 14
        assert sum(line.count("A") for line in lines[1:below]) == 1


def test_header_names_the_winner() -> None:
    assert " red wins " in picture(screen(), moment(fighter(), over=True, winner="red"))[0]
    assert " nobody wins " in picture(screen(), moment(fighter(), over=True))[0]


def test_frame_does_not_change_with_the_fight() -> None:
    notes = noted()
    drawn = ArenaScreen(ROWS, notes, room_at=room_at, scene="flank", title="")
    frame = drawn.frame(moment(fighter()), {})
    console = Console(width=110, height=34, color_system=None)
    with console.capture() as before:
        console.print(frame)
    notes.note(Event("dead", {"target": "Ann"}, player="Una", time=13.0))
    with console.capture() as after:
        console.print(frame)
    assert before.get() == after.get()
