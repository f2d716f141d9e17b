"""Rules files (YAML) to ``Rules``, and the domains and characters of the minds that they may name.

``load_rules`` reads a packaged rule set by name or a file by path; ``parse_rules`` reads a text.
"""

import hashlib
import os
from functools import cache, lru_cache
from pathlib import Path

from telos.agents.character import Character
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.definition import Definition, raise_faults
from telos.files.domain_file import load
from telos.files.reading import read_text
from telos.files.schema import parse_duration
from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.recognizer import is_trainable, reader_names
from telos.worlds.adventure.rules import (
    FRAMES_A_SECOND,
    ChestRules,
    CompanionRules,
    DeathRules,
    HeartRules,
    MonsterRules,
    Phase,
    PlayerRules,
    Rules,
    SwordRules,
    Worth,
)
from telos.worlds.adventure.schema import (
    ChestShape,
    CompanionShape,
    HeartsShape,
    MonstersShape,
    PhaseShape,
    RulesShape,
    SwordShape,
)

MINDS = Path(__file__).parent / "data" / "minds"
COMPANION = "companion"

# Seconds until each kind of fact is forgotten.
_BEAST_FADES = FrozenMap({"player": 2.0, "blade": 1.0, "deed": 3.0, "failure": 1.0})
_COMPANION_FADES = FrozenMap({"monster": 1.0, "failure": 1.0})
DATA = Path(__file__).parent / "data"


# --- minds ---


@cache  # constant; every game needs it
def load_beast_domain() -> Domain:
    """Return the domain of monsters with minds.

    >>> [goal.name for goal in load_beast_domain().goals_of("guard")]
    ['stay_alive', 'defend', 'guard']
    """
    return load(MINDS / "beasts.yaml")


@cache
def load_companion_domain() -> Domain:
    """Return the domain of the companion.

    >>> load_companion_domain().goal("keep_off").priority
    40.0
    """
    return load(MINDS / "companion.yaml")


@cache
def load_beast_character(kind: str) -> Character:
    """Return the character of a kind of monster.

    >>> [action.name for action in load_beast_character("stalker").actions]
    ['lurk', 'pounce', 'give-way', 'prowl']
    """
    domain = load_beast_domain()
    return Character(kind, domain.goals_of(kind), domain.actions_of(kind), memory=_BEAST_FADES)


@cache
def load_companion_character() -> Character:
    domain = load_companion_domain()
    return Character(COMPANION, domain.goals_of(COMPANION), domain.actions_of(COMPANION), memory=_COMPANION_FADES)


# Recordings of the first version contain a hash of the files with their comments; the same rules keep that fingerprint.
_EARLIER_FINGERPRINTS = {"fbdc251cfefa": "d4056b1a30f6"}


@cache
def fingerprint_minds() -> str:
    """Return a hash of the files of the minds without comments: games run differently with others."""
    texts = (_without_comments(read_text(MINDS / f"{name}.yaml")) for name in ("beasts", "companion"))
    fingerprint = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    return _EARLIER_FINGERPRINTS.get(fingerprint, fingerprint)


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


# --- loading ---


def rules_names() -> tuple[str, ...]:
    """Return the names of the rule sets that come with the package.

    >>> rules_names()
    ('aiide', 'aiide-text', 'flairs', 'flairs-text', 'tutorial', 'wilds')
    """
    return tuple(sorted(file.stem for file in DATA.glob("*.yaml")))


def load_rules(rules: str | os.PathLike[str]) -> Rules:
    """Return the packaged rule set of that name, or the rules of the file at a path.

    >>> load_rules("flairs").monsters.number
    5
    """
    name = os.fspath(rules)
    if name in rules_names():
        return _load_shipped(name)
    if Path(name).name == name and not Path(name).suffix and not os.path.exists(name):
        remedy = name_hint(name, rules_names()) or "name a file, as in ./mine.yaml"
        raise TelosError(f"there are no rules called {name!r}", remedy)
    return parse_rules(read_text(rules), file=name)


@lru_cache(maxsize=8)  # constant; every game of a study needs them
def _load_shipped(name: str) -> Rules:
    file = DATA / f"{name}.yaml"
    return parse_rules(read_text(file), file=os.fspath(file))


def parse_rules(text: str, *, file: str = "<text>") -> Rules:
    """Parse the text of a rules file; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, RulesShape, "a rules file")
    checked = _RulesChecker(definition)
    model = definition.model
    if checked.faults or checked.map is None or model is None:
        raise_faults(checked.faults)
    return Rules(
        name=model.rules,
        about=model.about,
        map=checked.map,
        width=int(model.screen.width),
        height=int(model.screen.height),
        player=PlayerRules(float(model.player.size), float(model.player.speed)),
        sword=_sword(model.sword),
        monsters=_monsters(model.monsters),
        chest=_chest(model.chest),
        gem_size=None if model.gems is None else float(model.gems.size),
        town_reach=None if model.town.reach == "area" else float(model.town.reach),
        restart=model.death.restart,
        worth=Worth(float(model.worth.kill), float(model.worth.gem), float(model.worth.chest)),
        phases=tuple(map(_phase, model.phases)),
        companion=None if model.companion is None else _companion(model.companion),
        minds=fingerprint_minds() if model.monsters.move == "minds" else "",
        hearts=None if model.hearts is None else _hearts(model.hearts),
        death=DeathRules(_frames_or_none(model.death.fall), _frames_or_none(model.death.shield)),
        safe_town=model.town.safe,
        houses=model.town.houses,
        stops=model.events.stops,
    )


def _sword(shape: SwordShape) -> SwordRules:
    return SwordRules(float(shape.reach), float(shape.width), _frames(shape.lasts), int(shape.ways))


def _monsters(shape: MonstersShape) -> MonsterRules:
    return MonsterRules(
        number=int(shape.number),
        size=float(shape.size),
        speed=float(shape.speed),
        move=shape.move,
        sight=_number(shape.sight),
        respawn=_frames(shape.respawn),
        clear=float(shape.clear),
        kinds=tuple(shape.kinds or ()),
    )


def _companion(shape: CompanionShape) -> CompanionRules:
    return CompanionRules(
        shape.name, shape.reads, float(shape.size), float(shape.speed), float(shape.reach), shape.learns
    )


def _hearts(shape: HeartsShape) -> HeartRules:
    return HeartRules(int(shape.number), _frames_or_none(shape.stop), float(shape.knock), _frames(shape.shield))


def _chest(shape: ChestShape) -> ChestRules:
    number = None if shape.number is None else int(shape.number)
    return ChestRules(float(shape.size), number, _number(shape.chance), shape.stay)


def _phase(shape: PhaseShape) -> Phase:
    return Phase(
        goal=shape.goal,
        say=shape.say,
        until=shape.until or "kills",
        kills=int(shape.kills or 0),
        round=shape.round,
        tip=shape.tip,
        death_tip=shape.death_tip,
        fresh=shape.fresh,
        within=int(shape.within or 0),
        footprints=shape.footprints,
    )


class _RulesChecker:
    """Reads the map of a rules file and collects all faults of meaning."""

    def __init__(self, definition: Definition[RulesShape]) -> None:
        self.definition = definition
        self._map_faults: list[Fault] = []
        self.map = self._read_map()
        self._check_sizes()
        self._check_chest()
        self._check_company()
        self._check_phases()

    @property
    def faults(self) -> list[Fault]:
        return [*self.definition.faults, *self._map_faults]

    def _read_map(self) -> AreaMap | None:
        drawing = self.definition.drawing("map")
        if drawing is None:
            return None
        try:
            return AreaMap.from_drawing(drawing.text)
        except DefinitionError as error:
            self._map_faults += map(drawing.in_file, error.faults)
            return None

    def _check_sizes(self) -> None:
        """Check that bodies are small compared with the screen."""
        sides = [self.definition.entry("screen", side) for side in ("width", "height")]
        if None in sides:
            return
        for what, key in ((each, "size") for each in ("player", "monsters", "chest", "gems", "companion")):
            size = self.definition.entry(what, key)
            if size is not None and size * 4 > min(sides):
                message = f"{size} pixels are too large for a screen of {sides[0]} x {sides[1]}"
                self.definition.fault(message, (what, key), "a quarter of it at most", code=FaultCode.OUT_OF_RANGE)
        speed = self.definition.entry("player", "speed")
        if speed is not None and speed * 4 > min(sides):
            self.definition.fault(
                f"{speed} pixels a frame are too fast for the screen",
                ("player", "speed"),
                "as in 8",
                code=FaultCode.OUT_OF_RANGE,
            )

    def _check_chest(self) -> None:
        definition = self.definition
        if not definition.is_touched("chest") and (definition.entry("chest", "number") is None) == (
            definition.entry("chest", "chance") is None
        ):
            definition.fault(
                "a chest has either a `number` or a `chance`",
                ("chest",),
                "as in `number: 1`",
                at_key=True,
                code=FaultCode.CONFLICT,
            )
        self._check_stay()
        if self.map is None:
            return
        places, number = self.map.chest_places, definition.entry("chest", "number")
        if number is not None and number > len(places):
            definition.fault(
                f"the map has {len(places)} places for {number} chests",
                ("chest", "number"),
                "draw more `C`",
                code=FaultCode.WRONG_COUNT,
            )
        away = definition.entry("chest", "away", default=1)
        near = [self.map.name(place) for place in places if (self.map.distance[place] or 0) < away]
        if near:
            message = f"the chest at {' and '.join(near)} is nearer to town than {away} screens"
            definition.fault(message, ("chest", "away"), "move its `C` away from `T`", code=FaultCode.CONFLICT)

    def _check_stay(self) -> None:
        """Check that chests which stay are enough for all phases."""
        definition, number = self.definition, self.definition.entry("chest", "number")
        asking = sum(definition.entry(*where, "until") == "chest" for where, _ in definition.items("phases"))
        if definition.entry("chest", "stay") and number is not None and number < asking:
            message = f"{number} chests stay in the game, and {asking} phases ask for one"
            definition.fault(message, ("chest", "number"), f"write `number: {asking}`", code=FaultCode.WRONG_COUNT)

    def _check_company(self) -> None:
        definition, kinds = self.definition, self.definition.entry("monsters", "kinds")
        has_minds = definition.entry("monsters", "move") == "minds"
        if not definition.is_touched("monsters") and has_minds != bool(kinds):
            message = "monsters need `kinds` if, and only if, they have minds"
            remedy = "as in `kinds: [hunter, guard]`" if has_minds else "write `move: minds`, or leave the kinds out"
            definition.fault(message, ("monsters", "move"), remedy, code=FaultCode.CONFLICT)
        if definition.entry("companion") is not None and not definition.is_touched("monsters") and not has_minds:
            message = "a companion needs monsters with minds"
            definition.fault(
                message,
                ("companion",),
                "write `move: minds`, or leave the companion out",
                at_key=True,
                code=FaultCode.CONFLICT,
            )
        reads = definition.entry("companion", "reads")
        if reads is not None and reads not in reader_names():
            definition.fault(
                f"the package has no recogniser {reads!r}",
                ("companion", "reads"),
                name_hint(reads, reader_names()),
                code=FaultCode.UNKNOWN_NAME,
            )
        elif reads is not None and definition.entry("companion", "learns") and not is_trainable(reads):
            definition.fault(
                f"{reads!r} is written by hand and learns nothing",
                ("companion", "reads"),
                "name a trained recogniser, such as wilds-learner, or leave `learns` out",
                code=FaultCode.CONFLICT,
            )

    def _check_phases(self) -> None:
        goals: dict[str, str] = {}
        carrying = False
        if self.definition.entry("phases") == []:
            self.definition.fault("there are no phases", ("phases",), "give the player a goal", code=FaultCode.EMPTY)
        for where, _ in list(self.definition.items("phases")):
            if self.definition.is_touched(*where):
                carrying = True  # the chest may be found in this phase
                continue
            until = self._until(where)
            if not until:
                continue
            if until == "town" and not carrying:
                message = "there is nothing to bring to town yet"
                self.definition.fault(
                    message,
                    (*where, "until"),
                    "put a phase with `until: chest` right before it",
                    code=FaultCode.UNREACHABLE,
                )
            carrying = until == "chest"
            self._check_goal(where, until, goals)
            self._check_chest_of(where, until)

    def _until(self, where: KeyPath) -> str:
        until, kills = self.definition.entry(*where, "until"), self.definition.entry(*where, "kills")
        if (until is None) == (kills is None):
            self.definition.fault(
                "a phase ends either by `until` or by `kills`", where, "as in `until: chest`", code=FaultCode.CONFLICT
            )
            return ""
        if until == "chest" and self.map is not None and not self.map.chest_places:
            self.definition.fault(
                "there is no place for a chest on the map",
                (*where, "until"),
                "write `C` into an area",
                code=FaultCode.INCOMPLETE,
            )
            return ""
        return until or "kills"

    def _check_goal(self, where: KeyPath, until: str, goals: dict[str, str]) -> None:
        """Check that a phase condition always belongs to the same goal: recognisers rely on it."""
        goal = self.definition.entry(*where, "goal")
        if goals.setdefault(until, goal) != goal:
            message = f"a phase with the same end has the goal {goals[until]!r}, this one {goal!r}"
            self.definition.fault(message, (*where, "goal"), "give them one goal", code=FaultCode.CONFLICT)

    def _check_chest_of(self, where: KeyPath, until: str) -> None:
        """Check that a phase which says where its chest is has one, and that the map has a place for it."""
        within = self.definition.entry(*where, "within")
        for key in ("within", "footprints"):
            if self.definition.entry(*where, key) and until != "chest":
                message = f"`{key}` is about a chest, and this phase asks for none"
                self.definition.fault(message, (*where, key), "leave it out", code=FaultCode.CONFLICT)
        if within is None or until != "chest" or self.map is None:
            return
        number = self.definition.entry("chest", "number", default=1)
        near = [place for place in self.map.chest_places if 0 < (self.map.distance[place] or 0) <= within]
        if len(near) < number:
            message = f"the map has {len(near)} places for chests within {within} screens of town"
            self.definition.fault(message, (*where, "within"), "draw a `C` nearer to `T`", code=FaultCode.WRONG_COUNT)


def _frames(time: float | str) -> int:
    """Return a duration in frames, at least one."""
    return max(1, round((parse_duration(time) or 0.0) * FRAMES_A_SECOND))


def _frames_or_none(time: float | str | None) -> int:
    return 0 if time is None else _frames(time)


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
