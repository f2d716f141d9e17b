"""Scenes: a map, the fighters and things on it, their squads and objectives; and the files that describe them.

Start with `load_scene` and `Scene`.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.agents.character import BodyKey, BodyValue, Remark
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.values import FrozenMap, Value
from telos.files.definition import Definition, FileDrawing, raise_faults
from telos.files.reading import read_text
from telos.files.schema import (
    Duration,
    FieldType,
    FileModel,
    PositiveDuration,
    branch_tag,
    name_type,
    parse_duration,
    schema_text,
    text_type,
)
from telos.squads.behaviours import ALL_BEHAVIOURS
from telos.squads.manoeuvres import Manoeuvre, load_built_in, load_manoeuvre, manoeuvre_names
from telos.squads.practices import ALL_PRACTICES
from telos.worlds.arena.sim.commands import CommandParser
from telos.worlds.arena.sim.fighter import BODY_KEYS, MAX_NUMBER, THING_KINDS, check_property
from telos.worlds.arena.sim.map import ArenaMap

DATA = Path(__file__).parent / "data"
CHARACTERS, MAPS, SCENES = DATA / "characters", DATA / "maps", DATA / "scenes"
SQUAD_ACTIVITIES = (*(each.name for each in ALL_BEHAVIOURS), *(each.name for each in ALL_PRACTICES))
_TITLE_LINE = re.compile(r'^title: *"?(.*?)"?$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cue:
    """A command for a fighter without a mind, and its time in seconds from the start of the script."""

    at: float
    do: str


@dataclass(frozen=True, slots=True)
class CastMember:
    """A fighter of a scene. One with a ``script`` has no mind; the script starts over after ``repeat`` seconds.

    ``letter`` is its mark on the map, (``x``, ``y``) its position in metres; ``body`` overrides properties of the
    character.
    """

    letter: str
    name: str
    character: str
    side: str
    x: float
    y: float
    rank: int = 0
    body: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    script: tuple[Cue, ...] | None = None
    repeat: float | None = None


@dataclass(frozen=True, slots=True)
class SceneThing:
    """A thing on the map."""

    letter: str
    name: str
    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a fight starts from, except its seed.

    ``squads`` are the squad behaviours, manoeuvres and practices that are on, ``manoeuvres`` those of them that are
    planned, ``objectives`` the orders of each side, ``title`` is its name in menus.
    """

    name: str
    about: str
    seconds: float
    map: ArenaMap
    cast: tuple[CastMember, ...]
    things: tuple[SceneThing, ...] = ()
    squads: tuple[str, ...] = ()
    manoeuvres: tuple[Manoeuvre, ...] = ()
    objectives: FrozenMap[str, FrozenMap[str, Value]] = field(default_factory=FrozenMap)
    talk: bool = False
    title: str = ""

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the sides of the fight, in the order of the cast."""
        return tuple(dict.fromkeys(member.side for member in self.cast))


def scene_names() -> tuple[str, ...]:
    """Return the names of the scenes in the package."""
    return tuple(sorted(file.stem for file in SCENES.glob("*.yaml")))


@cache  # the files of the package do not change
def scene_titles() -> Mapping[str, str]:
    """Return the titles of the scenes in the package, by name, without loading the scenes.

    >>> scene_titles()["skirmish"]
    'Skirmish'
    """
    found = {name: _TITLE_LINE.search(read_text(SCENES / f"{name}.yaml")) for name in scene_names()}
    return FrozenMap({name: line[1] if line else default_title(name) for name, line in found.items()})


def default_title(scene: str) -> str:
    """Return the title of a scene whose file gives it none.

    >>> default_title("get-to-cover")
    'Get to cover'
    """
    return scene.replace("-", " ").capitalize()


def load_scene(scene: str | os.PathLike[str], *, characters: Path = CHARACTERS) -> Scene:
    """Load a scene of the package by name, or a scene file by path.

    ``characters`` is the folder with a file for each character. Maps are looked for in the folder ``maps`` beside the
    scene's folder, manoeuvres in ``manoeuvres`` there, then in the package. A ``DefinitionError`` holds all faults of
    an invalid file.
    """
    file = Path(scene)
    if isinstance(scene, str) and file.name == scene and not file.suffix:
        if scene not in scene_names():
            remedy = name_hint(scene, scene_names()) or "name a file, as in ./flank.yaml"
            raise TelosError(f"unknown scene {scene!r}", remedy)
        file = SCENES / f"{scene}.yaml"
    known = [each.stem for each in characters.glob("*.yaml")]
    beside = file.absolute().parent.parent
    return read_scene(
        read_text(file),
        file=os.fspath(file),
        maps=[beside / "maps", MAPS],
        characters=known,
        manoeuvres=beside / "manoeuvres",
    )


# --- file model ---


_LETTER = re.compile(r"[A-Z]\Z")
_LONGEST_TITLE = 40  # characters: it must fit a menu
_TITLE_PATTERN = rf"(?! )[^\x00-\x1f\x7f]{{1,{_LONGEST_TITLE}}}"
_TITLE = re.compile(rf"{_TITLE_PATTERN}\Z")
_ONE, _LIST, _CUE, _REPEAT = map(branch_tag, ("one", "list", "cue", "repeat"))

_SceneName: TypeAlias = Annotated[str, name_type("the name of a scene")]
_Title: TypeAlias = Annotated[
    str,
    FieldType(
        f"a title of one line, at most {_LONGEST_TITLE} characters",
        lambda value: isinstance(value, str) and bool(_TITLE.match(value)),
        {"type": "string", "pattern": f"^{_TITLE_PATTERN}$"},
    ),
]
_Map: TypeAlias = Annotated[str, text_type("the name of a map, or a drawing", "write `map: |`, and draw below it")]
_Letter: TypeAlias = Annotated[
    str,
    FieldType(
        "a mark on the map",
        lambda value: isinstance(value, str) and bool(_LETTER.match(value)),
        {"type": "string", "allOf": [{"pattern": "^[A-Z]$"}]},
        "use one of the capital letters A to Z",
    ),
]
_Character: TypeAlias = Annotated[str, text_type("the name of a character")]
_PersonName: TypeAlias = Annotated[str, name_type("the name of somebody")]
_Side: TypeAlias = Annotated[str, name_type("the name of a side")]
_Kind: TypeAlias = Annotated[str, name_type("a kind of thing, such as medkit")]
_Node: TypeAlias = Annotated[str, text_type("the name of a node of the map, such as p1")]
_Room: TypeAlias = Annotated[str, text_type("the name of a room of the map, such as r1")]
_Command: TypeAlias = Annotated[str, text_type("a command such as `goto p1`")]
_Behaviour: TypeAlias = Annotated[str, text_type("the name of a squad behaviour or practice")]
_Squads: TypeAlias = Annotated[
    Annotated[
        str,
        FieldType(
            "`all`, or a list of squad behaviours and practices",
            lambda value: value == "all",
            {"const": "all"},
            "as in `[get-to-cover, search]`",
        ),
        Tag(_ONE),
    ]
    | Annotated[list[_Behaviour], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]
_Rank: TypeAlias = Annotated[
    int,
    FieldType(
        f"a whole number from 0 to {MAX_NUMBER}",
        lambda value: (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and 0 <= value <= MAX_NUMBER
            and value % 1 == 0
        ),
        {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER},
    ),
]
_Bool: TypeAlias = Annotated[
    bool, FieldType("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
]


class CueShape(FileModel):
    """A command, and when it is given."""

    at: Duration = Field(examples=["3 s"])
    """The time since the start of the script: `3 s`."""
    do: _Command = Field(examples=["goto p1"])
    """The command, as it is written for a body."""


class RepeatShape(FileModel):
    """When the script starts over; the last entry."""

    repeat: PositiveDuration = Field(examples=["10 s"])
    """The time since the start of the script: `10 s`."""


_Entry: TypeAlias = Annotated[
    Annotated[CueShape, Tag(_CUE)] | Annotated[RepeatShape, Tag(_REPEAT)],
    Discriminator(lambda value: _REPEAT if isinstance(value, dict) and "repeat" in value else _CUE),
]


class CastShape(FileModel):
    """Somebody in the scene."""

    character: _Character = Field(examples=["soldier"])
    """The kind of character: the name of its file."""
    side: _Side = "red"
    """Whom they fight for."""
    name: _PersonName = ""
    """What they are called; the character and the letter if nothing is said."""
    rank: _Rank = 0
    """The highest of a squad leads it."""
    body: dict[BodyKey, BodyValue] = Field(default_factory=dict)
    """What their body has other than the character's: `{grenades: 2}`."""
    script: list[_Entry] = Field(default_factory=list)
    """Commands by the clock, for somebody who has no mind."""


class ObjectiveShape(FileModel):
    """What a side is told to achieve."""

    advance: list[_Node] = Field(default_factory=list)
    """The nodes to advance to, one after the other: `[p1, p2]`."""
    search: list[_Room] = Field(default_factory=list)
    """The rooms to search: `[r1, r2]`."""


class SceneShape(FileModel):
    """A map, who and what is on it, and how they are led."""

    scene: _SceneName = Field(examples=["flank"])
    """The name of the scene, as commands use it."""
    title: _Title = ""
    """Its name in menus, a few words; the name itself if nothing is said."""
    about: Remark = ""
    """One line on what to look at."""
    map: _Map = Field(examples=["courtyard"])
    """The name of a map, or the drawing itself below `map: |`."""
    seconds: PositiveDuration = Field(examples=[60])
    """How long it lasts."""
    cast: dict[_Letter, CastShape] = Field(examples=[{"A": {"character": "soldier"}}])
    """Who stands at which letter of the map."""
    things: dict[_Letter, _Kind] = Field(default_factory=dict)
    """What lies at which letter of the map: `{M: medkit}`."""
    squads: _Squads = Field(default_factory=list)
    """The squad behaviours, manoeuvres and practices that are on: `all` that are built in, or a list."""
    objectives: dict[_Side, ObjectiveShape] = Field(default_factory=dict)
    """What a side is told to achieve: `{red: {advance: [p1, p2]}}`."""
    talk: _Bool = False
    """Whether they speak."""


def scene_schema() -> str:
    """Return the JSON Schema of a scene file."""
    return schema_text(SceneShape, "Telos scene file")


# --- reading a scene ---


def read_scene(
    text: str, *, file: str, maps: Sequence[Path], characters: Collection[str], manoeuvres: Path | None = None
) -> Scene:
    """Read a scene from the text of a scene file; ``maps`` are the folders to search for its map, in that order.

    Manoeuvres are those in the folder ``manoeuvres``, and those of the package. A ``DefinitionError`` holds all faults
    of the text, of its map and of its manoeuvres.
    """
    draft = _SceneReader(Definition(text, file, SceneShape, "a scene file"), maps, characters, manoeuvres)
    model = draft.sheet.model
    if draft.faults or draft.map is None or model is None:
        raise_faults(draft.faults)
    return Scene(
        name=model.scene,
        about=model.about,
        seconds=parse_duration(model.seconds) or 0.0,
        map=draft.map,
        cast=tuple(draft.cast),
        things=tuple(draft.things),
        squads=tuple(dict.fromkeys(draft.squads)),
        manoeuvres=tuple(draft.manoeuvres.values()),
        objectives=FrozenMap({side: FrozenMap(_orders(each)) for side, each in model.objectives.items()}),
        talk=model.talk,
        title=model.title or default_title(model.scene),
    )


class _SceneReader:
    """Builds the parts of a scene and collects their faults."""

    def __init__(
        self,
        sheet: Definition[SceneShape],
        maps: Sequence[Path],
        characters: Collection[str],
        manoeuvres: Path | None = None,
    ) -> None:
        self.sheet = sheet
        self._other_faults: list[Fault] = []  # of the map, and of manoeuvres
        self._characters, self._manoeuvre_folder = characters, manoeuvres
        self.manoeuvres: dict[str, Manoeuvre] = {}
        self._names: dict[str, str] = {}  # letters by name
        self._commands: list[tuple[KeyPath, str]] = []
        self.map = self._read_map(maps)
        self.cast = [self._read_member(where) for where, _ in list(sheet.items("cast"))]
        self.things = [self._read_thing(where, kind) for where, kind in list(sheet.items("things"))]
        self.squads = list(self._read_squads())
        self._check_commands()
        self._check_objectives()

    @property
    def faults(self) -> list[Fault]:
        """Return all faults, including those of the map and of manoeuvres."""
        return [*self.sheet.faults, *self._other_faults]

    def _read_map(self, folders: Sequence[Path]) -> ArenaMap | None:
        name = self.sheet.entry("map")
        if name is None:
            return None
        if not self.sheet.is_block("map"):
            return self._find_map(name, folders)
        drawing = self.sheet.drawing("map")
        return None if drawing is None else self._parse_map(drawing, self.sheet.entry("scene", default=""))

    def _find_map(self, name: str, folders: Sequence[Path]) -> ArenaMap | None:
        if name.endswith(".txt"):
            files = [Path(self.sheet.file).parent / name]
        else:
            files = [folder / f"{name}.txt" for folder in folders]
        file = next((each for each in files if os.path.isfile(each)), None)
        if file is None:
            known = {each.stem for folder in folders for each in folder.glob("*.txt")}
            remedy = name_hint(name, known) or "or draw it below `map: |`"
            self.sheet.fault(f"unknown map {name!r}", ("map",), remedy, code=FaultCode.UNKNOWN_NAME)
            return None
        try:
            drawing = FileDrawing(read_text(file), os.fspath(file))
        except DefinitionError as error:
            self._other_faults += error.faults
            return None
        return self._parse_map(drawing, file.stem)

    def _parse_map(self, drawing: FileDrawing, name: str) -> ArenaMap | None:
        try:
            return ArenaMap(drawing.text, name=name)
        except DefinitionError as error:
            self._other_faults += map(drawing.in_file, error.faults)
            return None

    def _read_member(self, where: KeyPath) -> CastMember:
        sheet = self.sheet
        letter, character = str(where[-1]), sheet.entry(*where, "character", default="")
        if character and character not in self._characters:
            suggestion = name_hint(character, self._characters)
            sheet.fault(
                f"unknown character {character!r}", (*where, "character"), suggestion, code=FaultCode.UNKNOWN_NAME
            )
        name = sheet.entry(*where, "name", default=f"{character}-{letter}")
        self._check_name(name, where)
        self._check_body((*where, "body"))
        side, rank = sheet.entry(*where, "side", default="red"), int(sheet.entry(*where, "rank", default=0))
        body = _freeze(sheet.entry(*where, "body", default={}))
        script, repeat = self._read_script((*where, "script"))
        x, y = self._read_place(where)  # last: its fault makes the whole entry unreadable
        return CastMember(letter, name, character, side, x, y, rank, body, script, repeat)

    def _read_thing(self, where: KeyPath, kind: str) -> SceneThing:
        letter, (x, y) = str(where[-1]), self._read_place(where)
        if self.sheet.entry("cast", letter) is not None:
            message = f"the letter {letter!r} is used by the cast"
            self.sheet.fault(message, where, "use another letter of the map", at_key=True, code=FaultCode.DUPLICATE)
        elif kind not in THING_KINDS:
            self.sheet.fault(
                f"unknown kind of thing {kind!r}", where, name_hint(kind, THING_KINDS), code=FaultCode.UNKNOWN_NAME
            )
        name = f"{kind}-{letter}"
        if name in self._names:
            message = f"{name!r} is this thing, and {self._names[name]!r} of the cast is called so, too"
            self.sheet.fault(message, where, "give them another name", code=FaultCode.DUPLICATE)
        return SceneThing(letter, name, kind, x, y)

    def _read_place(self, where: KeyPath) -> tuple[float, float]:
        letter = str(where[-1])
        if self.map is None:
            return 0.0, 0.0  # its faults are reported, and no scene is built
        if letter not in self.map.places:
            message = f"the map has no letter {letter!r}"
            self.sheet.fault(
                message,
                where,
                f"the map has {', '.join(sorted(self.map.places)) or 'no letters'}",
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
            return 0.0, 0.0
        return self.map.places[letter]

    def _check_name(self, name: str, where: KeyPath) -> None:
        """Report a name that is used twice; commands use one namespace for fighters and places."""
        letter, path = str(where[-1]), (*where, "name")
        first = self._names.setdefault(name, letter)
        if first != letter:
            self.sheet.fault(
                f"{first!r} and {letter!r} are both called {name!r}",
                path,
                "give one another name",
                code=FaultCode.DUPLICATE,
            )
        elif self.map is not None and (name in self.map.nodes or name in self.map.fixtures):
            self.sheet.fault(
                f"{name!r} is a place on the map", path, "give them another name", code=FaultCode.DUPLICATE
            )

    def _check_body(self, path: KeyPath) -> None:
        """Check all properties as the arena will, so that none fails when a fight begins."""
        for where, value in list(self.sheet.items(*path)):
            key = str(where[-1])
            if key not in BODY_KEYS:
                self.sheet.fault(
                    f"unknown body key {key!r}",
                    where,
                    name_hint(key, BODY_KEYS),
                    at_key=True,
                    code=FaultCode.UNKNOWN_NAME,
                )
                continue
            try:
                check_property(key, value)
            except TelosError as error:
                self.sheet.fault(error.message, where, error.remedy, code=FaultCode.OUT_OF_RANGE)

    def _read_script(self, path: KeyPath) -> tuple[tuple[Cue, ...] | None, float | None]:
        sheet = self.sheet
        if sheet.entry(*path) is None:
            return None, None
        cues: list[Cue] = []
        repeat: float | None = None
        for where, _ in list(sheet.items(*path)):
            if sheet.is_touched(*where):
                continue
            if repeat is not None:
                sheet.fault(
                    "this entry is after `repeat`", where, "put `repeat` at the end", code=FaultCode.UNREACHABLE
                )
                continue
            latest = cues[-1].at if cues else 0.0
            repeat = parse_duration(sheet.entry(*where, "repeat"))
            at = parse_duration(sheet.entry(*where, "at")) if repeat is None else repeat
            if at is None:
                continue
            if at < latest:
                key = "at" if repeat is None else "repeat"
                sheet.fault(
                    f"the time {at:g} s is before that of an earlier entry, {latest:g} s",
                    (*where, key),
                    "put them in order",
                    code=FaultCode.CONFLICT,
                )
            elif repeat is None:
                cues.append(Cue(at, sheet.entry(*where, "do")))
                self._commands.append(((*where, "do"), cues[-1].do))
        if repeat is not None and not cues and not sheet.is_touched(*path):
            sheet.fault(
                "the script has nothing to repeat",
                path,
                "put cues before it, as in `{at: 3 s, do: goto p1}`",
                code=FaultCode.EMPTY,
            )
        return tuple(cues), repeat

    def _check_commands(self) -> None:
        """Parse all commands as the arena will, so that none fails during a fight."""
        people = [(*path, key) for path, _ in self.sheet.items("cast") for key in ("name", "character")]
        has_unread_members = len(self.sheet.entry("cast", default=())) > len(self.cast)
        if (
            self.map is None
            or has_unread_members
            or any(self.sheet.is_touched(*path) for path in (*people, ("things",)))
        ):
            return  # a command may name a fighter or thing that could not be read
        kinds = {name: node.kind for name, node in self.map.fixtures.items()}
        kinds |= {thing.name: thing.kind for thing in self.things}
        names = (member.name for member in self.cast)
        parser = CommandParser(names, self.map.nodes, kinds, (*self.map.doors, *self.map.lows))
        for where, text in self._commands:
            try:
                parser.parse(text)
            except TelosError as error:
                self.sheet.fault(error.message, where, error.remedy, code=FaultCode.BAD_SYNTAX)

    def _read_squads(self) -> Iterator[str]:
        if self.sheet.entry("squads") == "all":
            yield from SQUAD_ACTIVITIES
            return
        for where, name in list(self.sheet.items("squads")):
            if self._read_manoeuvre(name) or name in SQUAD_ACTIVITIES:
                yield name
            else:
                known = (*SQUAD_ACTIVITIES, *self._manoeuvre_names())
                remedy = "write `squads: all`" if name == "all" else name_hint(name, known)
                self.sheet.fault(
                    f"unknown squad behaviour or practice {name!r}", where, remedy, code=FaultCode.UNKNOWN_NAME
                )

    def _manoeuvre_names(self) -> tuple[str, ...]:
        own = sorted(self._manoeuvre_folder.glob("*.yaml")) if self._manoeuvre_folder is not None else []
        return (*(file.stem for file in own), *manoeuvre_names())

    def _read_manoeuvre(self, name: str) -> bool:
        """Load a manoeuvre of the scene's folder or of the package; return whether there is one of that name."""
        if name not in self._manoeuvre_names():
            return False
        file = None if self._manoeuvre_folder is None else self._manoeuvre_folder / f"{name}.yaml"
        try:
            self.manoeuvres[name] = (
                load_manoeuvre(file, called=name) if file is not None and file.is_file() else load_built_in(name)
            )
        except DefinitionError as error:
            self._other_faults += error.faults
        return True

    def _check_objectives(self) -> None:
        sides = {member.side for member in self.cast}
        if self.sheet.is_touched("cast"):
            return  # the side may be that of a fighter that could not be read
        for where, _ in list(self.sheet.items("objectives")):
            if where[-1] not in sides:
                self.sheet.fault(
                    f"unknown side {where[-1]!r}",
                    where,
                    name_hint(str(where[-1]), sides),
                    at_key=True,
                    code=FaultCode.UNKNOWN_NAME,
                )
            if self.map is not None:
                self._check_places((*where, "advance"), "node", self.map.nodes)
                self._check_places((*where, "search"), "room", self.map.rooms)

    def _check_places(self, path: KeyPath, what: str, known: Collection[str]) -> None:
        for where, name in list(self.sheet.items(*path)):
            if name not in known:
                self.sheet.fault(
                    f"the map has no {what} {name!r}", where, name_hint(name, known), code=FaultCode.UNKNOWN_NAME
                )


def _orders(objective: ObjectiveShape) -> dict[str, Value]:
    """Return the orders of an objective that are written."""
    return {key: tuple(getattr(objective, key)) for key in ("advance", "search") if key in objective.model_fields_set}


def _freeze(data: Any) -> Value:
    """Return plain data as immutable values."""
    if isinstance(data, dict):
        return FrozenMap({key: _freeze(value) for key, value in data.items()})
    return tuple(map(_freeze, data)) if isinstance(data, list) else data
