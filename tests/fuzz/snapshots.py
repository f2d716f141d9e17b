"""What restores snapshots: one target per kind of ``save()``.

A mutated snapshot must be refused with the object unchanged, or be accepted; then the object continues without an
exception, its beliefs are chances that sum to 1, and it can be saved again without NaN.
"""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz.mutations import mutate_data
from fuzz.targets import Violation, check_belief
from telos.core.errors import TelosError
from telos.core.event import Event


@dataclass(slots=True)
class SnapshotTarget:
    """A kind of object that is saved and restored.

    ``make`` returns a new object that has run for a while, ``restore`` puts a snapshot into it and returns the object
    that continues, ``proceed`` runs that on.
    """

    name: str
    make: Callable[[], Any]
    restore: Callable[[Any, Any], Any]
    proceed: Callable[[Any], None]
    save: Callable[[Any], Any] = lambda subject: subject.save()
    fresh: Callable[[], Any] | None = None  # for a kind that is restored only into a new object
    weight: float = 1.0
    good: Any = field(default=None)

    def open(self, folder: Path) -> None:
        """Make the good snapshot."""
        self.good = json.loads(json.dumps(self.save(self.make()), allow_nan=False))

    def check_seeds(self) -> list[str]:
        """Return what is wrong with the good snapshot: it must be accepted, and the object must continue."""
        try:
            self.attempt(json.loads(json.dumps(self.good)))
        except (TelosError, Violation) as error:
            return [f"snapshot: {error}"]
        return []

    def attempt(self, saved: Any) -> None:
        """Restore a snapshot into a new object; raise what is raised, or a ``Violation``."""
        subject = (self.fresh or self.make)()
        before = json.dumps(self.save(subject))
        try:
            restored = self.restore(subject, saved)
        except Exception:
            if json.dumps(self.save(subject)) != before:
                raise Violation("refused, but the object was changed") from None
            raise
        try:
            self.proceed(restored)
            again = json.dumps(self.save(restored), allow_nan=False)
        except TelosError as error:
            raise Violation(f"accepted, but then refused to continue: {error}") from error
        except ValueError as error:
            raise Violation(f"accepted, and then {error}") from error
        assert again

    def run(self, rng: Random, pool: list[bytes]) -> None:
        """Run one case."""
        self.attempt(mutate_data(self.good, rng))

    def make_case(self, rng: Random, pool: list[bytes]) -> tuple[str, bytes]:
        """Return the mutated snapshot of a case, to look at."""
        return "snapshot.json", json.dumps(mutate_data(self.good, rng), indent=1).encode()


# --- recognisers ------------------------------------------------------------------------------------------------------


def _reader_target(name: str, make: Callable[[], Any], events: Iterable[Event]) -> SnapshotTarget:
    """A recogniser: half of the events come before the snapshot, the others later than whatever its time is."""
    first, *rest = _halves(list(events))

    def ready() -> Any:
        reader = make()
        for event in first:
            reader.observe(event)
        return reader

    def restore(reader: Any, saved: Any) -> Any:
        if hasattr(reader, "restore"):
            reader.restore(saved)
            return reader
        return type(reader).resume(reader.model, saved)

    def proceed(reader: Any) -> None:
        check_belief(_beliefs(reader))
        saved = reader.save()
        start, player = saved["time"] or 0.0, saved["player"]
        for number, event in enumerate(rest[0]):
            shown = Event(
                event.action,
                event.context,
                player=event.player if player is None else player,
                time=start + number,
                goal=event.goal,
            )
            check_belief(reader.observe(shown).values())
        reader.belief.why()

    return SnapshotTarget(f"save-{name}", ready, restore, proceed)


def _beliefs(reader: Any) -> Iterable[float]:
    found: Iterable[float] = reader.belief.values()
    return found


def _halves(events: list[Event]) -> tuple[list[Event], list[Event]]:
    half = len(events) // 2
    return events[:half], events[half:]


def _recognizer_targets() -> list[SnapshotTarget]:
    from recognition.readings import flairs, play
    from telos import load, recognizer
    from telos.recognition.ffbm import ConstantT
    from telos.recognition.filtering import Clock, Reader
    from telos.recognition.fsm import FLAIRS_RULES, FSM
    from telos.recognition.hindsight import LaggedReader
    from telos.recognition.iohmm import IOHMM
    from telos.recognition.player_models import FitThreshold, StyleReader, UnknownGoalReader

    domains = Path(__file__).parents[2] / "examples" / "domains"
    goals = ["level", "explore", "town"]
    played = play(16, seed=5)
    makes: dict[str, Callable[[], Any]] = {
        "ffbm": lambda: Reader(flairs()),
        "ticks": lambda: Reader(flairs(clock=Clock(every=0.5))),
        "constant": lambda: Reader(ConstantT.of(flairs())),
        "iohmm": lambda: Reader(IOHMM(counts={"level": {"swing": 9}})),
        "fsm": lambda: FSM(goals, FLAIRS_RULES, rng=Random(3)),
        "lagged": lambda: LaggedReader(flairs(), 4),
        "styles": lambda: StyleReader({"by the book": flairs(), "stubborn": ConstantT.of(flairs())}),
        "unknown": lambda: UnknownGoalReader(flairs(), FitThreshold(-2.0, 5, 0.1)),
    }
    found = [_reader_target(name, make, played) for name, make in makes.items() if hasattr(make(), "save")]
    village = load(domains / "village.yaml", functions={})
    steps = [Event(action.name, time=float(number)) for number, action in enumerate(village.actions[:6])]
    found.append(_reader_target("by-planning", lambda: recognizer(village), steps))
    return [*found, _grammar_target(), _logic_target(), _readers_target(), _director_target(), _online_target()]


def _grammar_target() -> SnapshotTarget:
    from telos.recognition.files.load import create_recognizer
    from telos.worlds.forge.companion import load_plan_grammar

    grammar = load_plan_grammar()
    names = _words_of(grammar)
    return _reader_target(
        "grammar", lambda: create_recognizer(grammar), [Event(name, time=i) for i, name in enumerate(names)]
    )


def _words_of(grammar: Any) -> list[str]:
    """Return a plan that the grammar may produce: what its reader expects next, again and again."""
    from telos.recognition.files.load import create_recognizer

    reader: Any = create_recognizer(grammar)
    names: list[str] = []
    for number in range(6):
        expected = reader.next_actions()
        if not expected:
            break
        names.append(max(expected, key=lambda name: (expected[name], name)))
        reader.observe(Event(names[-1], time=float(number)))
    return names or ["walk"]


def _logic_target() -> SnapshotTarget:
    from telos.recognition.files.load import create_recognizer, named_model

    model: Any = named_model(Path(__file__).parents[2] / "src/telos/recognition/data/trained/island.mln")
    actions = model.logic.constants.get("action", ("walk", "talk"))[:8]
    events = [Event(action, {"loc": "camp"}, time=float(i)) for i, action in enumerate(actions)]
    target = _reader_target("markov-logic", lambda: create_recognizer(model), events)
    target.weight = 0.5
    return target


def _readers_target() -> SnapshotTarget:
    from recognition.readings import flairs, play
    from telos.recognition.player_models import Readers

    played = play(8, seed=2)

    def ready() -> Readers:
        readers = Readers(flairs())
        for number, event in enumerate(played):
            readers.observe(Event(event.action, event.context, player=("ann", "bo")[number % 2], time=event.time))
        return readers

    def proceed(readers: Readers) -> None:
        for player in ("ann", "bo", "cy"):
            time = readers.save().get(player, {}).get("time") or 0.0
            event = played[-1]
            check_belief(readers.observe(Event(event.action, event.context, player=player, time=time + 1.0)).values())

    return SnapshotTarget("save-readers", ready, lambda old, saved: Readers.resume(flairs(), saved), proceed)


def _director_target() -> SnapshotTarget:
    from telos.core.belief import Belief
    from telos.recognition.director import Director, DirectorRule

    goals = ("level", "explore")
    rules = [
        DirectorRule("level > 0.9", hold=10, say="You like to fight.", again_after=20),
        DirectorRule("level > 0.4", until="explore > 0.9", hold=5, say="Hm.", again_after=15),
    ]

    def advise(director: Director, start: float, count: int, player: str = "player") -> None:
        for number in range(count):
            level = (0.95, 0.5)[number % 2]
            event = Event("swing", player=player, time=start + 4.0 * number)
            director.advise(event, Belief.of(goals, [level, 1 - level]))

    def ready() -> Director:
        director = Director(rules, goals)
        advise(director, 0.0, 6)
        return director

    def proceed(director: Director) -> None:
        saved = director.save()
        player = saved.get("player")
        advise(director, max(100.0, saved.get("time") or 0.0), 6, "player" if player is None else player)
        if not all(math.isfinite(value) for value in director.pay.values()):
            raise Violation(f"pay {director.pay}")

    return SnapshotTarget("save-director", ready, _in_place, proceed)


def _in_place(subject: Any, saved: Any) -> Any:
    subject.restore(saved)
    return subject


def _online_target() -> SnapshotTarget:
    from telos.logic.online import OnlineFilter
    from telos.logic.syntax import parse_mln

    model = parse_mln(
        "goal = {Eat, Rest}\naction = {Chop, Stir, Walk}\ngoal(time, goal!)\naction(time, action)\n"
        "1.2 action(t, Chop) => goal(t, Eat)\n0.7 action(t-1, Walk) => goal(t, Rest)\n2 goal(t-1, g) => goal(t, g)\n"
    )
    steps = [{"action": name} for name in ("Chop", "Stir", "Walk")]

    def ready() -> OnlineFilter:
        online = OnlineFilter(model)
        for facts in steps:
            online.step(facts)
        return online

    def proceed(online: OnlineFilter) -> None:
        for facts in steps:
            check_belief(float(each) for each in online.step(facts))

    return SnapshotTarget("save-online", ready, _in_place, proceed)


# --- minds ------------------------------------------------------------------------------------------------------------


def _mind_targets() -> list[SnapshotTarget]:
    from agents.yard import Camp, Yard, camp_crowd, live, pass_frames, soldier
    from telos.agents.memory import Fact, WorkingMemory
    from telos.agents.saving import restore_mind, save_mind
    from telos.core.values import FrozenMap

    def memory() -> WorkingMemory:
        found = WorkingMemory({"noise": 10.0})
        found.note(Fact("noise", "shot", 0.25, 0.7, FrozenMap({"loud": True})))
        found.note(Fact("wall", "north", 0.0))
        found.focus["target"] = "bert"
        return found

    def remember(found: WorkingMemory) -> None:
        found.note(Fact("noise", "shot", 3.0))
        found.fade(5.0)
        found.recall("noise", "shot", 5.0)
        for fact in found:
            found.confidence(fact, 6.0)

    def mind() -> tuple[Any, Yard]:
        yard = Yard(held=True)
        made = soldier(yard)
        live(made, yard, 1.2)
        return made, yard

    def put_mind(pair: tuple[Any, Yard], saved: Any) -> tuple[Any, Yard]:
        restore_mind(pair[0], saved)
        return pair

    def crowd() -> tuple[Any, Camp]:
        camp = Camp(4, 1)
        made = camp_crowd(camp, expansions=3, budget=2.0)
        pass_frames(camp, made, 6)
        return made, camp

    def put_crowd(pair: tuple[Any, Camp], saved: Any) -> tuple[Any, Camp]:
        pair[0].restore(saved)
        return pair

    return [
        SnapshotTarget("save-memory", memory, _in_place, remember),
        SnapshotTarget(
            "save-mind", mind, put_mind, lambda pair: live(*pair, 4.0), save=lambda pair: save_mind(pair[0]), weight=0.5
        ),
        SnapshotTarget(
            "save-crowd", crowd, put_crowd, lambda pair: _pass(pair), save=lambda pair: pair[0].save(), weight=0.5
        ),
        _bodies_target(),
        _player_target(),
        _coordinator_target(),
        _dialogue_target(),
    ]


def _bodies_target() -> SnapshotTarget:
    """A crowd of bodies of a game, with steps that are objects; what the game's own code makes of it is told by why."""
    from agents.embedding.test_saving_crowds import NAMES, PathWalker
    from agents.embedding.wood import WOOD, Wood, live
    from telos import Crowd, loads

    domain = loads(WOOD)

    def ready() -> Crowd:
        crowd, world = Crowd(domain, strict=False), Wood()
        for name in NAMES:
            crowd.add(name, PathWalker(world, name), character="cutter")
        live(crowd, 4)
        return crowd

    def proceed(crowd: Crowd) -> None:
        live(crowd, 12, start=2.0)
        for name in crowd:
            crowd[name].why()

    return SnapshotTarget("save-bodies", ready, _in_place, proceed)


def _player_target() -> SnapshotTarget:
    """A player of the service: what the store holds of one."""
    from telos.service import EventMessage, LivePlayers, ModelShelf, SqliteStore, Submission

    def submit(players: LivePlayers, time: float) -> None:
        event = EventMessage("swing", {"monsters": 2, "cause": "input"}, time, id=f"e{time}")
        (outcome,) = players.submit([Submission("adventure", "ann", [event])])
        check_belief(outcome.result()[-1].goals.values())

    def ready() -> LivePlayers:
        store = SqliteStore(None)
        shelf = ModelShelf(store)
        shelf.load("adventure")
        players = LivePlayers(shelf, store, clock=lambda: 5.0)
        for time in range(3):
            submit(players, float(time))
        players.close()
        return players

    def save(players: LivePlayers) -> Any:
        players.close()
        stored: Any = players.store.load("adventure", "ann").snapshot
        return json.loads(stored.state)

    def restore(players: LivePlayers, saved: Any) -> LivePlayers:
        before = players.store.load("adventure", "ann").snapshot
        _put_state(players.store, json.dumps(saved).encode())
        try:
            players.answer("adventure", "ann")
        except TelosError:
            assert before is not None
            _put_state(players.store, before.state)
            raise
        return players

    def proceed(players: LivePlayers) -> None:
        submit(players, max(10.0, players.answer("adventure", "ann").time or 0.0))

    return SnapshotTarget("save-player", ready, restore, proceed, save=save)


def _put_state(store: Any, state: bytes) -> None:
    store._database.execute("UPDATE snapshots SET state = ?", (state,))


def _pass(pair: tuple[Any, Any]) -> None:
    from agents.yard import pass_frames

    pass_frames(pair[1], pair[0], 20)


def _coordinator_target() -> SnapshotTarget:
    from squads.soldiers import watched
    from squads.test_coordinator import crowd, shuffle

    def ready() -> tuple[Any, Any]:
        rng = Random(4)
        everyone = crowd(rng)
        red, _ = watched()
        red.advance_to(None, ["p1", "c2"])
        for step in range(12):
            for _ in range(4):
                shuffle(rng.choice(everyone), rng, step * 0.4)
            red.tick(everyone, step * 0.4)
        return red, everyone

    def restore(pair: tuple[Any, Any], saved: Any) -> tuple[Any, Any]:
        pair[0].restore(saved, pair[1])
        return pair

    def proceed(pair: tuple[Any, Any]) -> None:
        for step in range(12, 24):
            pair[0].tick(pair[1], step * 0.4)

    return SnapshotTarget("save-coordinator", ready, restore, proceed, save=lambda pair: pair[0].save())


def _dialogue_target() -> SnapshotTarget:
    from squads.dialogue.test_dialogue import dialogue, squad, talk
    from telos.squads.dialogue.occasions import Occasion

    def ready() -> tuple[Any, Any]:
        men, told = squad("Ann", "Bob", "Cy"), dialogue()
        told.notice(Occasion("hit", 0.0, "Bob"))
        talk(told, men, until=0.6)
        told.notice(Occasion("hit", 0.6, "Cy"))
        return told, men

    def restore(pair: tuple[Any, Any], saved: Any) -> tuple[Any, Any]:
        pair[0].restore(saved)
        return pair

    def proceed(pair: tuple[Any, Any]) -> None:
        told, men = pair
        now = told.save()["now"] or 0.0  # any time is possible: only a game knows its own
        if now > 1e6:
            told.tick(men, now)
            return
        start = max(0.7, math.ceil(now * 10) / 10)
        talk(told, men, start=start, until=start + 4.3)
        told.notice(Occasion("hit", start + 4.3, "Ann"))
        talk(told, men, start=start + 4.4, until=start + 6.3)

    return SnapshotTarget("save-dialogue", ready, restore, proceed, save=lambda pair: pair[0].save())


# --- worlds -----------------------------------------------------------------------------------------------------------


def _world_targets() -> list[SnapshotTarget]:
    from telos.worlds.adventure.adventure import Adventure
    from telos.worlds.arena.battle import Battle
    from telos.worlds.arena.scene import load_scene

    def battle(scene: str, seconds: float) -> Callable[[], Battle]:
        def ready() -> Battle:
            found = Battle(load_scene(scene), seed=1)
            for _ in found.seconds(seconds):
                pass
            return found

        return ready

    def adventure(rules: str) -> Callable[[], Adventure]:
        def ready() -> Adventure:
            game = Adventure(rules, seed=7)
            _walk(game, 40)
            return game

        return ready

    def fight(found: Battle) -> None:
        for _ in range(15):
            if found.arena.over:
                return
            found.step()

    return [
        SnapshotTarget(
            "save-battle",
            battle("flank", 1.0),
            _in_place,
            fight,
            fresh=lambda: Battle(load_scene("flank"), seed=1),
            weight=0.4,
        ),
        SnapshotTarget(
            "save-battle-talk",
            battle("layer-7-talk", 1.5),
            _in_place,
            fight,
            fresh=lambda: Battle(load_scene("layer-7-talk"), seed=1),
            weight=0.4,
        ),
        SnapshotTarget("save-adventure", adventure("wilds"), _in_place, lambda game: _walk(game, 40)),
        SnapshotTarget("save-adventure-flairs", adventure("flairs"), _in_place, lambda game: _walk(game, 40)),
    ]


def _walk(game: Any, frames: int) -> None:
    for number in range(frames):
        if game.done:
            return
        game.step({game.player: ("up", "right+swing", "left", "")[number // 7 % 4]})
    if game.belief is not None:
        check_belief(game.belief.values())
    if not all(math.isfinite(value) for value in game.pay.values()):
        raise Violation(f"pay {game.pay}")
    game.view()


@cache
def snapshot_targets() -> dict[str, SnapshotTarget]:
    """Return all targets by name."""
    parts = (_recognizer_targets, _mind_targets, _world_targets)
    return {target.name: target for make in parts for target in make()}
