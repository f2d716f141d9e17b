"""The forge on stage: a locked door, three ways through it, and a companion who reads which one you are after."""

from collections.abc import Mapping, Sequence

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import as_json
from telos.core.values import Value
from telos.planning.warming import warm_up
from telos.studio.drawing.forge_map import HEIGHT, WIDTH, village_map
from telos.studio.drawing.forge_scene import picture
from telos.studio.drawing.forge_symbols import SYMBOLS
from telos.studio.drawing.shapes import Picture
from telos.studio.minds.sheet import MindSheet
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, World
from telos.studio.stages.forge_hands import ARROWS, KEYS, Hands
from telos.studio.stages.forge_happenings import happenings
from telos.studio.stages.forge_minds import companion_sheet, player_sheet, why_not_of_companion, why_not_of_player
from telos.studio.stages.forge_models import GRAMMAR, grammar_reader, models
from telos.studio.stages.quiet import QuietStage
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.forge import COMPANION, PLAYER
from telos.worlds.forge.log import PLANS as PLAN_WORDS
from telos.worlds.forge.log import deed
from telos.worlds.forge.scene import AFTER, COMPANIONS, Scene
from telos.worlds.forge.work import GOAL_OF

YOU = "you"
_TASK = "Get through the locked door: forge a key, force it, or earn the neighbour's spare"
_HINT, _HINT_TO_TALK = "Arrows walk", "talk to your companion in the box below"
_HOW = {"with_key": "with a key of gold", "by_force": "by force", "with_spare": "with the spare key"}
_AFTER_PLAYING = "Look back on the timeline: when was that plain?"
_AFTER_WATCHING = "Look back on the timeline, or try it yourself, under New game."


class ForgeStage(QuietStage):
    """The village, half a second a step, at twice the pace of life. The player is you, or simulated, with a plan."""

    name, title = "forge", "A locked door, and a companion who sees what you are up to"
    rate, size, symbols = 4.0, (WIDTH, HEIGHT), SYMBOLS
    watched: str | None = PLAYER

    def __init__(self, seed: int, *, play: str = YOU, companion: str = "reads") -> None:
        self._records: list[object] = []
        self.scene = Scene(None if play == YOU else play, companion, seed=seed, trace=self._records.append)
        self.keys = KEYS if self.scene.player is None else ()
        self._hands = Hands(self.scene)
        self._read: list[Event] = []  # what readers were told
        self._over_at: float | None = None
        self._grammar: str | None = None
        self._backdrops = {is_open: village_map(self.scene.world.village, is_open=is_open) for is_open in (False, True)}

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Let half a second pass; a command that makes no sense is refused before anything has happened."""
        if inputs.asked and self.scene.player is not None:
            raise TelosError(f"you only look on, so {inputs.asked[0]!r} is nobody's to do", "begin with play=you")
        command = self._hands.command(inputs) if self.scene.player is None else None
        known = len(self._records)
        self.scene.step({} if command is None else {PLAYER: command})
        if self.scene.is_over and self._over_at is None:
            self._over_at = self.scene.world.time + 2 * AFTER
        events = [self._as_read(event) for event in self.scene.events if event.player == PLAYER and event.goal is None]
        deeds = [event for event in events if event.action != "say"]
        self._read += deeds
        return happenings(self._records[known:], deeds, self.scene)

    def _as_read(self, event: Event) -> Event:
        companion = self.scene.companion
        return event if companion is None or event.action == "say" else companion.as_the_player_sees_it(event)

    # --- the picture --------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the village; the gate of the town is shut, or open."""
        is_open = self.scene.world.is_over
        return "open" if is_open else "shut", self._backdrops[is_open]

    def picture(self) -> Picture:
        """Return people, things and what is said."""
        is_you = self.scene.player is None
        ways = self._hands.ways() if is_you and not self.scene.is_over else {}
        hints = {ARROWS[key]: name for key, name in ways.items()}
        return picture(self.scene.world.village, self.scene.view(), hints=hints, is_you=is_you)

    def hud(self) -> Hud:
        """Return what there is to do, which number key does what, and how things stand."""
        village = self.scene.world.view()
        player = village.person(PLAYER)
        plan = None if self.scene.player is None else self.scene.player.plan
        counts = [("hands", player.hands), ("pocket", player.pocket), ("fire", village.fire)]
        counts += [("apples owed", str(village.owed))] if self.scene.world.people[PLAYER].knows else []
        return Hud(
            task=_TASK if plan is None else f"The player wants to {PLAN_WORDS[plan]}",
            message=self._message(player.doing),
            counts=tuple(counts),
            clock=village.clock,
            over=self._ending() if self.over else "",
        )

    def _message(self, doing: str) -> str:
        if self.scene.is_over:
            return ""
        if self.scene.player is not None:
            return "" if doing == "nothing" else f"The player {deed(doing)}"
        if doing != "nothing":
            return f"{deed(doing)[0].upper()}{deed(doing)[1:]}"
        deeds = [f"{number} {name.replace('-', ' ')}" for number, name in enumerate(self._hands.deeds(), 1)]
        return "   ".join(deeds) or (_HINT if self.scene.companion is None else f"{_HINT}; {_HINT_TO_TALK}")

    def _ending(self) -> str:
        opened = self.scene.world.things.opened
        after = _AFTER_WATCHING if self.scene.player is not None else _AFTER_PLAYING
        if opened not in GOAL_OF:
            return f"It has become too late for the door. {after}"
        return f"The door is open after {self.scene.world.view().clock}, {_HOW[opened]}. {after}"

    @property
    def time(self) -> float:
        """The seconds since the start."""
        return self.scene.world.time

    @property
    def over(self) -> bool:
        """Whether the door is open, and a word was said about it."""
        return self._over_at is not None and self.scene.world.time >= self._over_at

    # --- the instruments ----------------------------------------------------------------------------------------------

    @property
    def truth(self) -> str | None:
        """The plan of a simulated player; that of a person shows only in the end."""
        if self.scene.player is not None:
            return self.scene.player.plan
        return GOAL_OF.get(self.scene.world.things.opened)

    def models(self) -> Sequence[Model]:
        """Return the two readers, that of the companion first."""
        return models(self.scene.mode, self._grammar)

    def apply(self, name: str, text: str) -> str:
        """Let a companion that parses go by a new grammar; it is told again what the player has done so far."""
        if name != GRAMMAR:
            return ""
        reader = grammar_reader(text)
        self._grammar = text
        if self.scene.companion is None or self.scene.mode != "parses":
            return ""
        for event in self._read:
            reader.observe(event)
        self.scene.companion.read_by(reader, self.scene.world.time)
        return "The companion reads you by the new grammar now."

    def bands(self) -> Mapping[str, str]:
        """Return what the player does, and which goal the companion pursues."""
        doing = self.scene.world.view().person(PLAYER).doing
        rows = {PLAYER: "walk" if doing.startswith("go ") else doing}
        if self.scene.companion is not None:
            rows[COMPANION] = self.scene.companion.mind.goal or "nothing"
        return rows

    def facts(self) -> Mapping[str, Value]:
        """Return how things stand in the village, with both, and in the companion's head."""
        village, companion = self.scene.world.view(), self.scene.companion
        facts: dict[str, Value] = {
            "fire": village.fire,
            "wood": village.wood,
            "bellows": village.bellows,
            "hammer": village.tool,
            "owed": village.owed,
            "opened": village.opened,
        }
        for person in village.people:
            facts |= {
                f"{person.name}.at": person.place,
                f"{person.name}.hands": person.hands,
                f"{person.name}.pocket": person.pocket,
                f"{person.name}.doing": person.doing,
            }
        if companion is not None:
            facts |= {"companion.goal": companion.mind.goal or "nothing", "reading": companion.reading or "unsure"}
        return facts

    def characters(self) -> Sequence[str]:
        """Return the companion, and a player who is simulated."""
        found = [] if self.scene.companion is None else [COMPANION]
        return found if self.scene.player is None else [*found, PLAYER]

    def mind(self, who: str) -> MindSheet | None:
        """Return the companion's mind, or the plan of a simulated player."""
        if who == COMPANION and self.scene.companion is not None:
            return companion_sheet(self.scene.companion, self.scene)
        if who == PLAYER and self.scene.player is not None:
            return player_sheet(self.scene.player, self.scene)
        return None

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        if who == COMPANION and self.scene.companion is not None:
            return why_not_of_companion(self.scene.companion, what)
        if who == PLAYER and self.scene.player is not None:
            return why_not_of_player(self.scene.player, what)
        raise TelosError(f"nobody called {who!r} can be asked here")

    def commands(self) -> Sequence[str]:
        """Return where the player can go, what can be done here, and what may be said."""
        return () if self.scene.is_over or self.scene.player is not None else self._hands.commands()

    def recording(self) -> tuple[str, bytes]:
        """Return the trace so far, as ``telos watch forge --json`` prints it."""
        lines = "".join(f"{as_json(record)}\n" for record in self._records)
        return f"forge-seed{self.scene.seed}.jsonl", lines.encode()


def _make(seed: int, settings: Mapping[str, str]) -> ForgeStage:
    warm_up()  # so that no step waits for a compiler
    return ForgeStage(seed, play=settings["play"], companion=settings["companion"])


FORGE = World(
    "forge",
    "Forge",
    "A locked door and three ways through it. Your companion watches, sees what you are after, and does its part.",
    (
        Setting("play", "The player", YOU, (YOU, *PLANS), "you, or somebody simulated with a plan for the door"),
        Setting("companion", "The companion", "reads", COMPANIONS, "how it finds out what the player is after"),
    ),
    _make,
)
