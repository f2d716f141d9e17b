"""The player's controls of the forge: keys, entered lines and clicks become commands of the world (`ForgeControls`)."""

import re
from collections import deque
from collections.abc import Sequence

from telos.core.errors import TelosError
from telos.studio.stage import ClickTarget, Inputs, PlayerChoice
from telos.studio.worlds.forge.drawing import PLACE_NAMES, place_people, to_picture
from telos.studio.worlds.walking import place_towards, places_by_arrow, pressed_arrows
from telos.worlds.forge.forge import COMPANION, GO, PLAYER, SAY, WAIT, manual_actions
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.speech import find_utterance, load_utterances

_MAX_COMMANDS = 20  # that wait
_PLACE_REACH, _PERSON_REACH = 26.0, 14.0  # of a click, in picture units
_NOTE_SECONDS = 8.0  # that the screen says how a line was understood
_TITLES = {  # actions as choices
    "pan-gold": "Pan gold in the river",
    "take-wood": "Take wood from the woods",
    "light-fire": "Light the fire in the forge",
    "feed-fire": "Put the wood on the fire",
    "pump": "Pump the bellows",
    "work-bellows": "Stay and work the bellows",
    "forge-alone": "Forge a key from the gold, alone",
    "forge-key": "Forge a key from the gold",
    "unlock": "Unlock the door with your key",
    "take-hammer": "Take the hammer from the shed",
    "pick-up-hammer": "Pick up the hammer by the door",
    "lay-hammer": "Lay the hammer down",
    "lean-in": "Put a shoulder to the door",
    "break-door": "Break the door with the hammer",
    "break-together": "Break the door, with a push from your companion",
    "heave": "Heave at the door together",
    "call-on-her": "Ask the neighbour for her spare key",
    "pick-apples": "Pick a basket of apples",
    "give-apples": "Give the neighbour the apples",
    "get-spare": "Take the spare key from the neighbour",
    "use-spare": "Open the door with the spare key",
    "put-down": "Put down what you carry",
    "empty-pocket": "Throw the gold away",
}
_TO_SAY = ("help", "plain-fire", "plain-bellows", "plain-hammer", "plain-shoulder", "plain-apples", "way")
_GOING = re.compile(r"(?:go|walk|run|move|head|return)(?: back)?(?: to)? (.+)")
_FILLERS = {"the", "a", "an", "to", "some", "my", "i"}


class ForgeControls:
    """Turns keys, entered lines and clicks into commands; a held arrow continues at each place."""

    def __init__(self, scene: ForgeScene) -> None:
        self._scene = scene
        self._actions = manual_actions(scene.world.domain, PLAYER)
        self._held: frozenset[str] = frozenset()
        self._waiting: deque[str] = deque(maxlen=_MAX_COMMANDS)
        self._note = (0.0, "")

    def command(self, inputs: Inputs) -> str | None:
        """Return the player's new command for this step, if any; entered lines take precedence over keys."""
        parsed = [self._parse(line) for line in inputs.asked]
        if parsed and not self._waiting:
            self._scene.world.check({PLAYER: parsed[0][0]})
        if parsed:
            self._note = (self._scene.world.time + _NOTE_SECONDS, parsed[-1][1])
        self._waiting.extend(command for command, _ in parsed)
        held = frozenset(inputs.held.split("+")) - {""}
        pressed, before = held - self._held, self._held
        self._held = held
        while self._waiting:
            command = self._waiting.popleft()
            if self._is_possible(command):
                return command
        return self._from_keys(pressed, before, held)

    @property
    def note(self) -> str:
        """How the last line was understood, for a few seconds, if it could have been meant otherwise."""
        return self._note[1] if self._scene.world.time < self._note[0] else ""

    # --- lines --------------------------------------------------------------------------------------------------------

    def _parse(self, line: str) -> tuple[str, str]:
        """Return a line as a command, and a note where it could have been meant otherwise.

        Whatever is no command is said to the companion.
        """
        said = line.strip()
        verb, _, words = said.partition(" ")
        if verb == SAY or said == WAIT or said in self._actions:
            return said, ""
        if verb == GO and words.strip() in self._scene.world.village.places:
            return said, ""
        plain = " ".join(re.findall(r"[a-z']+", said.casefold()))
        place = self._find_place(plain)
        if place is not None:
            return f"{GO} {place}", ""
        has_companion = self._scene.companion is not None
        action = self._find_action(plain)
        if action is not None and not (has_companion and "please" in plain.split()):
            return action, f"You do it yourself. To ask your companion: say {said}" if has_companion else ""
        if verb == GO:
            return said, ""  # the world knows no such place, and says which there are
        if has_companion and plain and ("-" not in said or " " in said):
            is_known = find_utterance(said, load_utterances().values()) is not None
            return f"{SAY} {said}", "" if is_known else f"Said to your companion. {self._remedy()}"
        raise TelosError(f"cannot {said!r} here", self._remedy())

    def _remedy(self) -> str:
        can = ", ".join(self.actions()) or WAIT
        talk = "" if self._scene.companion is None else "say WORDS, "
        return f"You can: go PLACE, {talk}{can}"

    def _find_place(self, plain: str) -> str | None:
        """Return the place that is meant by ``go to the inn``, ``walk to the neighbour``, ``the woods``."""
        going = _GOING.fullmatch(plain)
        words = (going.group(1) if going else plain).removeprefix("the ")
        names = self._scene.world.village.places
        if words in names:
            return words
        return next((name for name, title in PLACE_NAMES.items() if words in (title, title.split("'")[0])), None)

    def _find_action(self, plain: str) -> str | None:
        """Return the action that is possible now and has these words, small ones left out."""
        wanted = [word for word in plain.split() if word not in _FILLERS]
        for name in self.actions():
            title = re.findall(r"[a-z]+", _TITLES.get(name, name).casefold())
            known = {tuple(name.split("-")), tuple(word for word in title if word not in _FILLERS)}
            if tuple(wanted) in known:
                return name
        return None

    def _is_possible(self, command: str) -> bool:
        """Return whether a queued command is still possible."""
        try:
            self._scene.world.check({PLAYER: command})
        except TelosError:
            return False
        return True

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _from_keys(self, pressed: frozenset[str], before: frozenset[str], held: frozenset[str]) -> str | None:
        for number, name in enumerate(self.actions()[:9], 1):
            if str(number) in pressed:
                return name
        person = self._scene.world.people[PLAYER]
        is_free = not person.is_walking and person.action is None
        if pressed_arrows(before, held) or is_free:
            to = place_towards(held, *self._ways())
            return None if to is None else f"{GO} {to}"
        return None

    def _ways(self) -> tuple[tuple[float, float], dict[str, tuple[float, float]]]:
        """Return the point where the player is or is heading, and those of the neighbouring places."""
        village, here = self._scene.world.village, self._scene.world.people[PLAYER].heading
        return to_picture(*village.places[here]), {
            name: to_picture(*village.places[name]) for name in village.ways[here]
        }

    def places_by_arrow(self) -> dict[str, str]:
        """Return the place that each arrow leads to, while the player is idle."""
        person = self._scene.world.people[PLAYER]
        if person.is_walking or person.action is not None:
            return {}
        return places_by_arrow(*self._ways())

    # --- what is offered ----------------------------------------------------------------------------------------------

    def actions(self) -> list[str]:
        """Return the actions that the player can perform now, in the order of the number keys."""
        if self._scene.world.people[PLAYER].is_walking:
            return []
        state = self._scene.world.state_of(PLAYER)
        return [name for name, action in self._actions.items() if action.is_possible(state)]

    def choices(self) -> list[PlayerChoice]:
        """Return the possible actions with what they act on."""
        return [PlayerChoice(_TITLES.get(name, name.replace("-", " ").capitalize()), name) for name in self.actions()]

    def targets(self) -> list[ClickTarget]:
        """Return the places, each with the way there or what can be done there, and the companion with what to say."""
        village, person = self._scene.world.village, self._scene.world.people[PLAYER]
        found = []
        for name, cell in village.places.items():
            title = PLACE_NAMES.get(name, f"the {name}")
            is_here = name == person.place and not person.is_walking
            choices = self.choices() if is_here else [PlayerChoice(f"Go to {_with_article(title)}", f"{GO} {name}")]
            if choices:
                found.append(ClickTarget(name, title, *to_picture(*cell), _PLACE_REACH, tuple(choices)))
        if self._scene.companion is not None:
            x, y = place_people(self._scene.view().village)[COMPANION]
            known = load_utterances()
            lines = [known[name].says[0] for name in _TO_SAY if name in known]
            talk = tuple(PlayerChoice(f"“{line}”", f"{SAY} {line}") for line in lines)
            found.append(ClickTarget(COMPANION, "Say to your companion", x, y, _PERSON_REACH, talk))
        return found

    def commands(self) -> Sequence[str]:
        """Return the commands that may be entered now: actions, places and utterances."""
        here = self._scene.world.people[PLAYER].heading
        near = [f"{GO} {name}" for name in self._scene.world.village.ways[here]]
        far = [f"{GO} {name}" for name in self._scene.world.village.places if name != here]
        has_companion = self._scene.companion is not None
        words = [f"{SAY} {each.says[0]}" for each in load_utterances().values()] if has_companion else []
        return list(dict.fromkeys([*self.actions(), *near, *far, *words]))


def _with_article(title: str) -> str:
    return title if title.startswith("the ") else f"the {title}"
