"""The adventure on stage: you play it, or a simulated player does, by the very engine that the studies use."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from telos.core.errors import TelosError
from telos.core.trace import Trace
from telos.core.values import Value
from telos.studio.drawing.adventure import Artist
from telos.studio.drawing.adventure_flashes import Flashes
from telos.studio.drawing.shapes import Picture
from telos.studio.minds.sheet import MindSheet
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, World
from telos.studio.stages.adventure_company import (
    Listener,
    company_bands,
    company_curves,
    company_facts,
    company_sheet,
    company_why_not,
)
from telos.studio.stages.adventure_models import FFBM, RULES, adventure_models, ffbm_text
from telos.studio.stages.adventure_recordings import MONSTERS, recorded
from telos.studio.stages.adventure_seat import PRESETS, YOU, Seat
from telos.studio.stages.adventure_telling import KEYS, changes, fell, hud, told
from telos.studio.stages.quiet import QuietStage
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.rules_files import load_rules

_NOTICE = 5 * FRAMES_A_SECOND  # frames that a notice is shown
_TOLD = 20 * FRAMES_A_SECOND  # ... and what the game says: it covers the ground where one walks


class AdventureStage(QuietStage):
    """One game. All that can be seen is in the view, which is taken once a frame."""

    name = "adventure"
    title = "Adventure: a sword, monsters, a chest somewhere, and what you are after"
    rate = float(FRAMES_A_SECOND)
    keys: tuple[tuple[str, str, str], ...] = (
        ("ArrowUp", "up", "walk up"),
        ("ArrowDown", "down", "walk down"),
        ("ArrowLeft", "left", "walk left"),
        ("ArrowRight", "right", "walk right"),
        ("KeyW", "up", "walk up"),
        ("KeyS", "down", "walk down"),
        ("KeyA", "left", "walk left"),
        ("KeyD", "right", "walk right"),
        ("Space", "swing", "swing the sword"),
        ("KeyX", "swing", "swing the sword"),
    )

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        self._listener = Listener()
        self.game = _begun(seed, settings, self._listener)
        rules = self.game.rules
        self.watched: str | None = self.game.player
        self.awaits = settings["plays"] == "you"
        self.size: tuple[float, float] = (rules.width, rules.height)
        self._rules = settings["rules"]
        self._seat = Seat(settings["plays"], seed, rules)
        self._artist, self._flashes = Artist(rules), Flashes()
        self.symbols = self._artist.symbols
        self._view = self.game.view()
        self._notice, self._notice_until = "", 0
        self._message_since = 0

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Play a frame."""
        if inputs.asked:
            raise TelosError(f"nobody here does {inputs.asked[0]!r}", "walk with the arrow keys, swing with space")
        before, game = self._view, self.game
        game.step({game.player: self._seat.held(inputs.held, before)})
        self._view = after = game.view()
        self._flashes.note(before, after)
        happened = [told(event, directed=game.directed) for event in game.events]
        happened += changes(before, after)
        happened += self._listener.told(game)
        if after.deaths != before.deaths:
            self._notice, self._notice_until = fell(before, after), after.frame + _NOTICE
        if after.message != before.message:
            self._message_since = after.frame
        return happened

    @property
    def time(self) -> float:
        """The world's time."""
        return self._view.time

    @property
    def over(self) -> bool:
        """Whether all phases of a directed game are over."""
        return self._view.done

    @property
    def truth(self) -> str | None:
        """The goal that the game has given, in free play the one that a simulated player has."""
        return self._view.truth if self.game.directed else self._seat.goal

    @property
    def lesson(self) -> str | None:
        """The goal that was given, in a training round."""
        return self._view.truth if self._view.round == "training" else None

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the area."""
        return self._artist.backdrop(self._view)

    def picture(self) -> Picture:
        """Return whoever is in it."""
        return self._artist.picture(self._view, self._flashes)

    def hud(self) -> Hud:
        """Return the task, the score and the tips."""
        pays = self.game.pay.get("kill", 1.0)
        return hud(self._view, len(self.game.rules.phases), message=self._message(), pays=pays)

    def _message(self) -> str:
        """Return what is to be read now: a notice, what the game says, and at first which keys there are."""
        view = self._view
        if view.frame < self._notice_until:
            return self._notice
        if view.frame - self._message_since >= _TOLD:
            return ""
        return view.message or (KEYS if self.awaits and view.frame < _TOLD else "")

    def bands(self) -> Mapping[str, str]:
        """Return what the companion is after, and what a simulated player is at."""
        company = company_bands(self.game, self._view)
        return company if self._seat.player is None else {**company, "player": self._seat.step}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return what is still paid, where the game adapts."""
        return company_curves(self.game)

    def facts(self) -> Mapping[str, Value]:
        """Return what is known about the game."""
        view = self._view
        return {
            "area": view.area,
            "monsters": len(view.monsters),
            "gems": view.gems_held,
            "in_town": view.in_town,
            "carrying": view.carrying,
            "score": view.score,
            "kills": view.kills,
            "deaths": view.deaths,
            "phase": view.phase,
            "round": view.round,
            "visited": len(view.visited),
            "moving": view.moving,
            "x": view.x,
            "y": view.y,
            **company_facts(self.game, view),
        }

    # --- minds and models ---------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the recognisers for these rules."""
        return adventure_models(self._rules)

    def apply(self, name: str, text: str) -> str:
        """Let companion and director go by another model, where there are any."""
        companion = self.game.rules.companion
        if name != FFBM or companion is None:
            return ""
        self.game.use(text)
        return f"{companion.name} reads you by the new model now, and the game adapts by its rules."

    def characters(self) -> Sequence[str]:
        """Return whoever has a mind: the companion, the monsters of the area, a simulated player."""
        return *self.game.minds, *(() if self._seat.player is None else (self.game.player,))

    def mind(self, who: str) -> MindSheet | None:
        """Return a mind on paper."""
        if who == self.game.player:
            return self._seat.sheet(self._view)
        return company_sheet(self.game, self._view, who)

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        if who == self.game.player:
            return self._seat.why_not(what)
        return company_why_not(self.game, who, what)

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game as ``telos study played`` reads it."""
        return recorded(replace(self.game.recording(), simulated=not self.awaits))


def _begun(seed: int, settings: Mapping[str, str], trace: Trace) -> Adventure:
    rules, monsters = settings["rules"], settings["monsters"]
    return Adventure(
        rules,
        directed=settings["goals"] == "directed",
        monsters=int(monsters) if monsters else None,
        seed=seed,
        model=ffbm_text(rules) if load_rules(rules).companion is not None else None,
        trace=trace,
    )


ADVENTURE = World(
    "adventure",
    "Adventure",
    "Find the chest, bring it home, fight monsters; four recognisers watch, and say what you are after.",
    (
        Setting("rules", "Rules", RULES[0], RULES, "wilds has company and adapts; the others are those of two papers"),
        Setting("goals", "Goals", "directed", ("directed", "free"), "given one after the other, or your own"),
        Setting("monsters", "Monsters", "", MONSTERS, "in each area; empty: as the rules say"),
        Setting("plays", "Who plays", YOU, (YOU, *PRESETS), "you, or a simulated player"),
    ),
    AdventureStage,
)
