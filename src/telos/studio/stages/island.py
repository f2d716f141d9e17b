"""The island on stage: a visitor's walk on the map, and what Markov logic makes of it.

A step is a second of play. The truth, where it is told, is what the simulated visitor has in mind at that moment, if it
is one of the seven goals. (The study has another truth: the goal that was reached next, which is known with hindsight.)
"""

import json
from collections.abc import Mapping, Sequence

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.planning.warming import warm_up
from telos.studio.drawing.island import picture
from telos.studio.drawing.island_ground import ground
from telos.studio.drawing.island_places import HEIGHT, WIDTH
from telos.studio.drawing.island_symbols import SYMBOLS
from telos.studio.drawing.shapes import Picture
from telos.studio.minds.sheet import MindSheet
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, World
from telos.studio.stages.island_minds import island_sheet, island_why_not
from telos.studio.stages.island_models import island_models
from telos.studio.stages.island_telling import doing, hud, told
from telos.studio.stages.quiet import QuietStage
from telos.worlds.island.islander import IDLE
from telos.worlds.island.outing import Outing
from telos.worlds.island.story import GOALS

YOU, SIMULATED, ANY = "you", "simulated", "any"
_STYLES = ("methodical", "social", "guesser")
_MOST = 10.0  # how far a wish can grow


class IslandStage(QuietStage):
    """One visit, second by second."""

    name = "island"
    title = "Island: an hour to find out what makes the camp ill"
    rate = 4.0
    size: tuple[float, float] = (WIDTH, HEIGHT)
    symbols = SYMBOLS

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        style = None if settings["style"] == ANY else settings["style"]
        self._seed = seed
        self._outing = Outing(seed, style=style, person=settings["plays"] == YOU)
        self.watched: str | None = self._outing.player
        self._walked = [self._outing.view.place]
        self._reached: list[str] = []
        self._log: list[tuple[Event, str | None]] = []

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Let a second go by; what a person asks for is done one after the other."""
        for command in inputs.asked:
            self._outing.ask(command)
        truth, happened = self.truth, []
        for event in self._outing.second():
            view = self._outing.view
            self._log.append((event, truth))
            if view.place != self._walked[-1]:
                self._walked.append(view.place)
            if event.goal is not None:
                self._reached.append(str(event.context["loc"]))
            happened.append(told(event, view.told))
        return happened

    @property
    def time(self) -> float:
        """The seconds of play."""
        return self._outing.time

    @property
    def over(self) -> bool:
        """Whether the mystery is solved, or the hour is up."""
        return self._outing.is_over

    @property
    def truth(self) -> str | None:
        """What a simulated visitor has in mind with what is under way, if it is one of the seven goals."""
        intention = self._outing.now.intention
        return intention if intention in GOALS else None

    def commands(self) -> Sequence[str]:
        """Return what a person may do."""
        return self._outing.commands()

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the map."""
        return "island", ground()

    def picture(self) -> Picture:
        """Return the visitor and the way that led here."""
        outing = self._outing
        islander = outing.islander
        aim = islander.errand.focus.spot if islander is not None and islander.errand is not None else ""
        return picture(
            outing.island.story.map,
            outing.now,
            outing.time,
            self._walked,
            self._reached,
            doing=doing(outing.now, outing.time) or ("" if islander is None else "hesitates"),
            aim=aim,
            who=outing.player,
        )

    def hud(self) -> Hud:
        """Return what is wanted, and how the case stands."""
        return hud(self._outing.view, self._outing.time, wants=self._outing.now.intention, is_new=not self._log)

    def bands(self) -> Mapping[str, str]:
        """Return what a simulated visitor has in mind, whether or not it is one of the seven goals."""
        intention = self._outing.now.intention
        return {} if intention is None else {"mind": "" if intention == IDLE else intention}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return how strong the wishes for the seven goals are."""
        islander = self._outing.islander
        return {} if islander is None else {"wishes": {goal: islander.levels[goal] / _MOST for goal in GOALS}}

    def facts(self) -> Mapping[str, Value]:
        """Return what is known about the visit."""
        view, intention = self._outing.view, self._outing.now.intention
        return {
            "place": view.place,
            "area": view.area,
            "state": view.state,
            "tests": view.tests,
            "notes": view.notes,
            "hands": view.hands or "nothing",
            "talking": view.talking or "nobody",
            "goals": len(self._reached),
            **({} if intention is None else {"wants": intention}),
        }

    # --- minds and models ---------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the formulas."""
        return island_models()

    def characters(self) -> Sequence[str]:
        """Return the visitor, if it is a simulated one."""
        return () if self._outing.islander is None else (self._outing.player,)

    def mind(self, who: str) -> MindSheet | None:
        """Return the visitor's mind on paper."""
        islander = self._outing.islander
        if islander is None or who != self._outing.player:
            return None
        return island_sheet(islander, who, self._outing.time)

    def why_not(self, who: str, what: str) -> str:
        """Say why the visitor does not pursue a goal, or does not do an action."""
        islander = self._outing.islander
        if islander is None or who != self._outing.player:
            raise TelosError(f"nobody called {who!r} can be asked here", "people keep their reasons to themselves")
        return island_why_not(islander, what)

    def recording(self) -> tuple[str, bytes] | None:
        """Return the events so far as JSON Lines, which ``telos recognize`` and ``telos evaluate`` read."""
        lines = [json.dumps(_line(event, truth, human=self._outing.islander is None)) for event, truth in self._log]
        return f"island-seed{self._seed}.jsonl", "".join(f"{line}\n" for line in lines).encode()


def _line(event: Event, truth: str | None, *, human: bool) -> dict[str, object]:
    said = {"player": event.player, "time": event.time, "action": event.action, "context": dict(event.context)}
    return {**said, "goal": event.goal, "truth": truth, **({"human": True} if human else {})}


def _made(seed: int, settings: Mapping[str, str]) -> IslandStage:
    warm_up()  # so that no step waits for a compiler
    return IslandStage(seed, settings)


ISLAND = World(
    "island",
    "Island",
    "A visitor walks about a camp where people fall ill; Markov logic reads what they are after.",
    (
        Setting("plays", "Who plays", SIMULATED, (SIMULATED, YOU), "a simulated visitor, or you by command"),
        Setting("style", "Style", ANY, (ANY, *_STYLES), "what a simulated visitor is like"),
    ),
    _made,
)
