"""Rules files: an adventure that a designer wrote down, read and checked."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as File

from telos.core.errors import DefinitionError, Fault, FaultCode, Path, TelosError, name_hint
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.files.times import seconds_of
from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.minds import mind_marks
from telos.worlds.adventure.reading import reader_names
from telos.worlds.adventure.rules import (
    FRAMES_A_SECOND,
    ChestRules,
    CompanionRules,
    MonsterRules,
    Phase,
    PlayerRules,
    Rules,
    SwordRules,
    Worth,
)
from telos.worlds.adventure.rules_shape import RulesShape

DATA = File(__file__).parent / "data"
_BLOCK = re.compile(r"(?:&\S+\s+)?\|")  # what starts a text whose lines stay lines, perhaps with an anchor


def rules_names() -> tuple[str, ...]:
    """Return the names of the rule sets that come with the package.

    >>> rules_names()
    ('aiide', 'flairs', 'wilds')
    """
    return tuple(sorted(file.stem for file in DATA.glob("*.yaml")))


def load_rules(rules: str | os.PathLike[str]) -> Rules:
    """Read one of the rule sets that come with the package, by its name, or the rules file at a path.

    >>> load_rules("flairs").monsters.number
    5
    """
    name = os.fspath(rules)
    if name in rules_names():
        return _shipped(name)
    if File(name).name == name and not File(name).suffix and not File(name).exists():
        remedy = name_hint(name, rules_names()) or "name a file, as in ./mine.yaml"
        raise TelosError(f"there are no rules called {name!r}", remedy)
    return read_rules(read_text(rules), file=name)


@lru_cache(maxsize=8)  # they never change, and every game of a study asks for them
def _shipped(name: str) -> Rules:
    file = DATA / f"{name}.yaml"
    return read_rules(read_text(file), file=os.fspath(file))


def read_rules(text: str, *, file: str = "<text>") -> Rules:
    """Read rules from the text of a rules file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    draft = _Draft(Sheet(text, file, RulesShape, "a rules file"), text.split("\n"))
    if draft.faults or draft.map is None:
        refuse(draft.faults)
    sheet = draft.sheet
    reach = sheet.entry("town", "reach")
    return Rules(
        name=sheet.entry("rules"),
        about=sheet.entry("about", default=""),
        map=draft.map,
        width=int(sheet.entry("screen", "width")),
        height=int(sheet.entry("screen", "height")),
        player=PlayerRules(float(sheet.entry("player", "size")), float(sheet.entry("player", "speed"))),
        sword=draft.sword(),
        monsters=draft.monsters(),
        chest=draft.chest(),
        gem_size=_number(sheet.entry("gems", "size")),
        town_reach=None if reach == "area" else float(reach),
        restart=sheet.entry("death", "restart"),
        worth=Worth(**{key: float(value) for key, value in sheet.entry("worth", default={}).items()}),
        phases=draft.phases(),
        companion=draft.companion(),
        minds=mind_marks() if sheet.entry("monsters", "move") == "minds" else "",
    )


class _Draft:
    """The parts of a rule set as far as they can be made, and the faults met on the way."""

    def __init__(self, sheet: Sheet, lines: Sequence[str]) -> None:
        self.sheet = sheet
        self._map_faults: list[Fault] = []
        self.map = self._read_map(lines)
        self._check_sizes()
        self._check_chest()
        self._check_company()
        self._check_phases()

    @property
    def faults(self) -> list[Fault]:
        return [*self.sheet.faults, *self._map_faults]

    def _read_map(self, lines: Sequence[str]) -> AreaMap | None:
        said = self.sheet.entry("map")
        if said is None:
            return None
        place = self.sheet.document.places["map",].value
        if not _BLOCK.match(lines[place.line - 1], place.column - 1):
            self.sheet.fault(
                "the lines of this drawing run together",
                ("map",),
                "write `map: |`, and draw below it",
                code=FaultCode.BAD_SYNTAX,
            )
            return None
        shift = _indentation(lines[place.line :]) - _indentation(said.split("\n"))
        try:
            return AreaMap.drawn(said)
        except DefinitionError as error:
            for each in error.faults:
                moved = replace(each, file=self.sheet.file, line=each.line + place.line, column=each.column + shift)
                self._map_faults.append(moved)
            return None

    def _check_sizes(self) -> None:
        """Whoever is in an area must have room to move in it."""
        sides = [self.sheet.entry("screen", side) for side in ("width", "height")]
        if None in sides:
            return
        for what, key in ((each, "size") for each in ("player", "monsters", "chest", "gems", "companion")):
            size = self.sheet.entry(what, key)
            if size is not None and size * 4 > min(sides):
                message = f"{size} pixels are too large for a screen of {sides[0]} x {sides[1]}"
                self.sheet.fault(message, (what, key), "a quarter of it at most", code=FaultCode.OUT_OF_RANGE)
        speed = self.sheet.entry("player", "speed")
        if speed is not None and speed * 4 > min(sides):
            self.sheet.fault(
                f"{speed} pixels a frame cross a screen in an instant",
                ("player", "speed"),
                "as in 8",
                code=FaultCode.OUT_OF_RANGE,
            )

    def _check_chest(self) -> None:
        sheet = self.sheet
        if not sheet.is_touched("chest") and (sheet.entry("chest", "number") is None) == (
            sheet.entry("chest", "chance") is None
        ):
            sheet.fault(
                "a chest has either a `number` or a `chance`",
                ("chest",),
                "as in `number: 1`",
                at_key=True,
                code=FaultCode.CONFLICT,
            )
        if self.map is None:
            return
        places, number = self.map.chest_places, sheet.entry("chest", "number")
        if number is not None and number > len(places):
            sheet.fault(
                f"the map has {len(places)} places for {number} chests",
                ("chest", "number"),
                "draw more `C`",
                code=FaultCode.WRONG_COUNT,
            )
        away = sheet.entry("chest", "away", default=1)
        near = [self.map.name(place) for place in places if (self.map.distance[place] or 0) < away]
        if near:
            message = f"the chest at {' and '.join(near)} is nearer to town than {away} screens"
            sheet.fault(message, ("chest", "away"), "move its `C` away from `T`", code=FaultCode.CONFLICT)

    def _check_company(self) -> None:
        sheet, kinds = self.sheet, self.sheet.entry("monsters", "kinds")
        has_minds = sheet.entry("monsters", "move") == "minds"
        if not sheet.is_touched("monsters") and has_minds != bool(kinds):
            message = "monsters with minds are of some `kinds`, and others of none"
            remedy = "as in `kinds: [hunter, guard]`" if has_minds else "write `move: minds`, or leave the kinds out"
            sheet.fault(message, ("monsters", "move"), remedy, code=FaultCode.CONFLICT)
        if sheet.entry("companion") is not None and not sheet.is_touched("monsters") and not has_minds:
            message = "a companion takes monsters with minds, which its staff can stun"
            sheet.fault(
                message,
                ("companion",),
                "write `move: minds`, or leave the companion out",
                at_key=True,
                code=FaultCode.CONFLICT,
            )
        reads = sheet.entry("companion", "reads")
        if reads is not None and reads not in reader_names():
            sheet.fault(
                f"no recogniser {reads!r} comes along",
                ("companion", "reads"),
                name_hint(reads, reader_names()),
                code=FaultCode.UNKNOWN_NAME,
            )

    def _check_phases(self) -> None:
        goals: dict[str, str] = {}
        carrying = False
        if self.sheet.entry("phases") == []:
            self.sheet.fault("there are no phases", ("phases",), "give the player a goal", code=FaultCode.EMPTY)
        for where, _ in list(self.sheet.items("phases")):
            if self.sheet.is_touched(*where):
                carrying = True  # it may be the one in which the chest is found
                continue
            until = self._until(where)
            if not until:
                continue
            if until == "town" and not carrying:
                message = "there is nothing to bring to town yet"
                self.sheet.fault(
                    message,
                    (*where, "until"),
                    "put a phase with `until: chest` right before it",
                    code=FaultCode.UNREACHABLE,
                )
            carrying = until == "chest"
            self._check_goal(where, until, goals)

    def _until(self, where: Path) -> str:
        until, kills = self.sheet.entry(*where, "until"), self.sheet.entry(*where, "kills")
        if (until is None) == (kills is None):
            self.sheet.fault(
                "a phase ends either by `until` or by `kills`", where, "as in `until: chest`", code=FaultCode.CONFLICT
            )
            return ""
        if until == "chest" and self.map is not None and not self.map.chest_places:
            self.sheet.fault(
                "there is no place for a chest on the map",
                (*where, "until"),
                "write `C` into an area",
                code=FaultCode.INCOMPLETE,
            )
            return ""
        return until or "kills"

    def _check_goal(self, where: Path, until: str, goals: dict[str, str]) -> None:
        """What ends a phase tells recognisers which goal was achieved, so it must always be the same goal."""
        goal = self.sheet.entry(*where, "goal")
        if goals.setdefault(until, goal) != goal:
            message = f"a phase with the same end has the goal {goals[until]!r}, this one {goal!r}"
            self.sheet.fault(message, (*where, "goal"), "give them one goal", code=FaultCode.CONFLICT)

    def sword(self) -> SwordRules:
        entry = self.sheet.entry("sword")
        return SwordRules(float(entry["reach"]), float(entry["width"]), _frames(entry["lasts"]), int(entry["ways"]))

    def monsters(self) -> MonsterRules:
        entry = self.sheet.entry("monsters")
        return MonsterRules(
            number=int(entry["number"]),
            size=float(entry["size"]),
            speed=float(entry["speed"]),
            move=entry["move"],
            sight=_number(entry.get("sight")),
            respawn=_frames(entry["respawn"]),
            clear=float(entry["clear"]),
            kinds=tuple(entry.get("kinds") or ()),
        )

    def companion(self) -> CompanionRules | None:
        entry = self.sheet.entry("companion")
        if entry is None:
            return None
        size, speed, reach = (float(entry[key]) for key in ("size", "speed", "reach"))
        return CompanionRules(entry["name"], entry["reads"], size, speed, reach)

    def chest(self) -> ChestRules:
        entry = self.sheet.entry("chest")
        number = entry.get("number")
        return ChestRules(float(entry["size"]), None if number is None else int(number), _number(entry.get("chance")))

    def phases(self) -> tuple[Phase, ...]:
        return tuple(
            Phase(**{"until": "kills", **entry, "kills": int(entry.get("kills", 0))})
            for entry in self.sheet.entry("phases")
        )


def _frames(time: float | str) -> int:
    """Return a written time in frames, one at least."""
    return max(1, round((seconds_of(time) or 0.0) * FRAMES_A_SECOND))


def _number(said: float | None) -> float | None:
    return None if said is None else float(said)


def _indentation(lines: Sequence[str]) -> int:
    """Return how many spaces the first line with something in it starts with."""
    first = next((line for line in lines if line.strip()), "")
    return len(first) - len(first.lstrip(" "))
