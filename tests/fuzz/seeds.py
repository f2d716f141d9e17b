"""Good files to mutate: every authored file that is shipped, and small ones of the kinds that are not."""

import gzip
import io
import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from telos.files.formats import FORMATS, find_kind

ROOT = Path(__file__).parents[2]
SHIPPED = (ROOT / "src", ROOT / "examples")
PDDL = ROOT / "tests" / "planning" / "pddl"
STRIPS = ROOT / "tests" / "recognition" / "strips" / "data"

TASKS = """\
tasks:
  kill-enemy:
    methods:
      at-once: {condition: weapon_loaded, subtasks: attack}
      reload-first: {condition: not weapon_loaded, subtasks: [reload, attack]}
  fight-on:
    methods:
      twice: {subtasks: [kill-enemy, reload], order: [kill-enemy before reload]}
      any-way: {condition: [weapon_loaded], subtasks: [reload, kill-enemy], order: any}
"""
TASKS_DOMAIN = """\
domain: range
variables: {weapon_loaded: bool, target_dead: bool}
actions:
  attack: {preconditions: weapon_loaded, effects: target_dead = true}
  reload: {effects: weapon_loaded = true}
goals:
  kill: {wants: target_dead}
"""
COLUMNS = """\
columns: kitchen
time: {column: step, unit: 150 ms}
action: action
player: player
session: trial
goal: event
truth: goal
context: {d_pot: int, hot: bool, facing: text}
"""
# For formats of the registry of which no file is shipped.
CONCURRENT = "recognizer: concurrent\nof: flairs\nabout: each goal by itself\n"
MORE_SEEDS: dict[str, dict[str, str]] = {
    "tasks": {"range.yaml": TASKS},
    "columns": {"kitchen.yaml": COLUMNS},
    "concurrent": {"each.yaml": CONCURRENT},
}

KEYS_COLUMNS = """\
columns: keys
time: t
action: key
player: who
truth: truth
context: {toward_gem: bool, toward_monster: bool, toward_town: bool, toward_unexplored: bool}
"""
KEYS_LOG = "t,key,who,truth,toward_gem,toward_monster,toward_town,toward_unexplored\n" + "".join(
    f"{t},{('swing', 'up', 'stop')[t % 3]},{('ann', 'bo')[t // 20]},level,{t % 2},1,0,{t % 5 == 0:d}\n"
    for t in range(40)
)

CORPUS_COLUMNS = """\
corpus: camp
player: player
order: step
action: action
achieved: won
group: pair
drop: action == noop
features: {loc: place}
"""
CORPUS_LOG = """\
player,pair,step,action,place,won
ann,a,0,walk,camp,
ann,a,1,talk,camp,nurse
bo,a,0,noop,hall,
bo,a,1,eat,hall,
bo,a,2,test,hall,food
bo,a,3,walk,hall,
cy,c,0,walk,camp,
cy,c,1,talk,"camp, east",nurse
"""
KITCHEN_LOG = """\
player,trial,step,action,event,goal,d_pot,hot,facing
ann,t1,0,walk,,soup,3,true,pot
ann,t1,1,stir,soup,soup,2,false,"a ""big"" pot"
bo,t1,0,walk,,salad,3,true,
bo,t1,5,chop,salad,,3,true,board
"""

SMOKING = """\
// people who smoke
person = {Ann, Bob, Cy}
Smokes(person)
Friends(person, person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
!Friends(x,x).
0.5 EXIST y Friends(x,y)
"""
PEOPLE = "Smokes(Ann)\nFriends(Ann,Bob)\nFriends(Bob,Ann)\n!Cancer(Cy)\n"
GOALS = """\
goal(time, goal!)
action(time, action)
action(t, +a) => goal(t, +g)
goal(t-1, +g) => goal(t, +h)
"""
NUMBERED = "num = {0,1,2}\nq(num)\np(num)\n1 q(x) => p(x)\n"
ISLAND = (ROOT / "src/telos/recognition/data/trained/island.mln").read_bytes()
DAY = "".join(
    f"action({t},{act})\ngoal({t},{goal})\n"
    for t, (act, goal) in enumerate([("Chop", "Eat"), ("Stir", "Eat"), ("Walk", "Rest"), ("Sit", "Rest")] * 3)
)

HDDL_DOMAIN = """\
(define (domain errands)
  (:types place thing person - object key cup - thing)
  (:predicates (at ?o - object ?p - place) (wanted ?c - cup))
  (:task tlt :parameters ())
  (:task bring :parameters (?t - thing ?p - place))
  (:task visit :parameters (?p - place))
  (:task reach :parameters (?p - place))
  (:method m-bring-cup :parameters (?c - cup ?p - place) :task (tlt) :precondition (wanted ?c)
    :subtasks (and (bring ?c ?p)))
  (:method m-visit :parameters (?p - place) :task (tlt) :subtasks (visit ?p))
  (:method m-bring :parameters (?t - thing ?p ?q - place) :task (bring ?t ?p)
    :precondition (and (at ?t ?q) (not (= ?p ?q)))
    :ordered-subtasks (and (reach ?q) (take ?t ?q) (reach ?p) (drop ?t ?p)))
  (:method m-visit-talk :parameters (?p - place ?w - person) :task (visit ?p)
    :precondition (and (at ?w ?p))
    :subtasks (and (a (reach ?p)) (b (greet ?w)) (c (sit ?p))) :ordering (and (a < b) (< a c)))
  (:method m-there :parameters (?p - place) :task (reach ?p) :precondition (and (at me ?p)))
  (:method m-walk :parameters (?p ?q - place) :task (reach ?p) :precondition (not (at me ?p))
    :ordered-subtasks (and (walk ?q ?p)))
  (:action walk :parameters (?q ?p - place) :precondition (at me ?q) :effect (and (at me ?p) (not (at me ?q))))
  (:action take :parameters (?t - thing ?q - place) :precondition (at ?t ?q) :effect (not (at ?t ?q)))
  (:action drop :parameters (?t - thing ?p - place) :precondition () :effect (at ?t ?p))
  (:action greet :parameters (?w - person) :precondition () :effect ())
  (:action sit :parameters (?p - place) :precondition () :effect ())
)"""
HDDL_PROBLEM = """\
(define (problem p) (:domain errands)
  (:objects home shop park - place k1 - key c1 c2 - cup me ann - person)
  (:htn :tasks (tlt))
  (:init (at me home) (at k1 shop) (at c1 shop) (at c2 park) (at ann park) (wanted c1)))"""
HDDL_SEEN = {
    "a": ("(bring c1 park)", ["(walk home shop)", "(take C1 shop)", "(walk shop park)", "(drop c1 park)"]),
    "b": ("(visit park)", ["(walk home park)", "(greet ann)", "(sit park)"]),
}
EXPRESSIONS = (
    "ammo > 0", "not loaded and (ammo >= 3 or health < 0.5)", "distance(at, to) <= 3", "a + 2 * b - -c / 4",
    "min(a, b) == max(1, 2)", "place == kitchen", "if(a > 1, 2, 3)", "abs(x - y) <= 1e-3", "hungry or eat",
    "a != none",
)  # fmt: skip
ASSIGNMENTS = ("ammo = ammo - 1", "loaded = true; ammo = 0", "at = to", "x += 1")


def shipped(*suffixes: str) -> list[Path]:
    """Return the shipped files with one of these suffixes."""
    return sorted(file for place in SHIPPED for file in place.rglob("*") if file.suffix in suffixes)


@cache
def seeds_of_format(kind: str) -> dict[str, bytes]:
    """Return the shipped files of a registered format, by name, and small ones where none is shipped."""
    found = {f"{file.parent.name}/{file.name}": file.read_bytes() for file in shipped(".yaml") if _kind(file) == kind}
    more = {name: text.encode() for name, text in MORE_SEEDS.get(kind, {}).items()}
    if not found and not more:
        raise LookupError(f"no file of the format {kind!r} is shipped: add a small one to MORE_SEEDS in {__file__}")
    return {**found, **more}


def _kind(file: Path) -> str | None:
    return find_kind(file.read_text(encoding="utf-8"))


def shipped_domains() -> list[str]:
    """Return the texts of all shipped domains, for formats that are loaded with one."""
    texts = [TASKS_DOMAIN, *(data.decode() for data in seeds_of_format("domain").values())]
    assert FORMATS["domain"].key == "domain"
    return texts


def packed(data: str) -> bytes:
    return gzip.compress(data.encode(), mtime=0)


def squeezed(data: str) -> bytes:
    import zstandard

    return bytes(zstandard.ZstdCompressor().compress(data.encode()))


def service_messages() -> dict[str, bytes]:
    """Return messages to the service in both encodings."""
    import msgspec

    events = [
        {"action": "swing", "context": {"monsters": 2, "in_town": False, "cause": "input"}, "time": 1.5, "id": "a1"},
        {"action": "up", "time": 2, "goal": "town"},
    ]
    messages: dict[str, Any] = {
        "event": events[0],
        "events": events,
        "stream": {"seq": 1, "player": "ann", "events": events, "batch": [{"player": "bo", "events": events}]},
        "plan": {"domain": "soldier", "state": {"ammo": 3, "weapon_loaded": False}, "goal": ["kill_enemy", "cover"]},
        "choice": {
            "actions": [{"name": "eat", "changes": {"hunger": -2, "thirst": 0.5}, "duration": 3}],
            "goals": [{"name": "hunger", "insistence": 4, "curve": "square"}, {"name": "thirst", "insistence": 1.5}],
        },
    }
    found = {f"{name}.json": json.dumps(message).encode() for name, message in messages.items()}
    return {**found, **{f"{name}.msgpack": msgspec.msgpack.encode(each) for name, each in messages.items()}}


def traces() -> dict[str, bytes]:
    """Return what an attached game tells, as messages in both encodings and as a recording."""
    import msgspec

    shapes = [
        {"kind": "path", "points": [[0, 0], [3, 1]]}, {"kind": "circle", "x": 1, "y": 1, "radius": 2.5},
        {"kind": "sight", "x": 1, "y": 1, "angle": 1, "spread": 0.5}, {"kind": "score", "x": 2, "value": 0.7},
        {"kind": "rect", "width": 2, "colour": "gold"}, {"kind": "text", "text": "here"},
    ]  # fmt: skip
    ann = {
        "name": "Ann", "x": 3.5, "y": 1, "angle": 0.5, "side": "red", "goal": "eat", "action": "goto(inn)",
        "goals": [{"name": "eat", "weight": 7, "why": "hungry"}, {"name": "sleep", "relevant": False}],
        "plan": [{"name": "goto(inn)", "state": "now", "effects": ["at = inn"], "cost": 4},
                 {"name": "order", "needs": [{"text": "at == inn", "holds": None}]}],
        "facts": [{"kind": "inn", "subject": "north", "text": "open", "age": 3, "confidence": 0.9}],
        "focus": {"target": "inn"}, "orders": ["stay"], "actions": ["goto", "order"], "why": "hungry",
        "why_not": {"order": "not there"},
    }  # fmt: skip
    told: list[dict[str, Any]] = [
        {"game": "farm", "run": "one", "time": 1.5, "minds": [ann, {"name": "Bob"}], "values": {"wolves": 2, "d": "a"},
         "map": {"rows": ["..~~", ".t#i"], "legend": {"i": "inn", "t": "leaf"}, "centred": True}},
        {"game": "farm", "run": "one", "time": 2, "minds": [{"name": "Bob", "x": -40, "goal": "dig"}], "gone": ["Ann"],
         "channels": {"ways": shapes}, "squads": [{"name": "red", "members": ["Bob"], "orders": {"Bob": "dig"}}],
         "beliefs": [{"reader": "ann", "event": "swing", "goals": {"level": 0.8, "town": 0.2}, "why": ["monsters"]}],
         "lines": [{"who": "Bob", "text": "Hm."}], "events": [{"text": "howls", "who": "wolf", "category": "danger"}]},
        {"game": "farm", "run": "two", "time": 0, "map": {"width": 9, "height": 4, "cell": 0.5}, "paused": True},
        {"game": "farm", "run": "two", "end": True},
    ]  # fmt: skip
    head, end = (
        {"recording": "telos traces", "version": 1, "game": "farm"},
        {"end": "telos traces", "traces": len(told)},
    )
    recording = b"".join(msgspec.json.encode(line) + b"\n" for line in (head, *told, end))
    return {
        "traces.json": json.dumps(told).encode(),
        "traces.msgpack": msgspec.msgpack.encode(told),
        "recording.jsonl": recording,
    }


def service_store() -> bytes:
    """Return the database of a service with two players: one with a snapshot, one with events after it."""
    import tempfile

    from telos.service import EventMessage, LivePlayers, ModelShelf, SqliteStore, Submission

    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "service.db")
        shelf = ModelShelf(store)
        shelf.load("adventure")
        players = LivePlayers(shelf, store, clock=lambda: 5.0)
        for time, name in enumerate(("ann", "bob", "ann", "bob")):
            players.submit([Submission("adventure", name, [EventMessage("swing", {"monsters": 2}, float(time))])])
            if time == 2:
                players.close()
        store.close()
        return (Path(folder) / "service.db").read_bytes()


def adventure_log(count: int = 40) -> str:
    """Return a labelled event log of the adventure."""
    from recognition.readings import play

    lines = []
    for number, event in enumerate(play(count, seed=1)):
        said: dict[str, Any] = {
            "player": "p1",
            "time": event.time,
            "action": event.action,
            "context": dict(event.context),
        }
        if event.goal is not None:
            said["goal"] = event.goal
        said["truth"] = "level" if number < count / 2 else "explore"
        lines.append(json.dumps(said))
    return "\n".join(lines) + "\n"


def strips_archive(mode: str) -> bytes:
    """Return a goal-recognition problem in the original layout, as an archive."""
    case = json.loads((STRIPS / "grid" / "observations.jsonl").read_text().splitlines()[0])
    goals = (STRIPS / "grid" / "hyps.dat").read_text().splitlines()
    texts = {name: (STRIPS / "grid" / name).read_text() for name in ("domain.pddl", "template.pddl", "hyps.dat")}
    texts |= {"obs.dat": "\n".join(case["obs"]), "real_hyp.dat": goals[0]}
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return target.getvalue()


def adventure_recording() -> bytes:
    """Return a recording of the adventure, with a model applied in it."""
    from telos.worlds.adventure.adventure import Adventure
    from telos.worlds.adventure.recognizer import load_model_text
    from telos.worlds.adventure.recording import recording_text

    game = Adventure("wilds", seed=7)
    for number in range(60):
        game.step({game.player: ("up", "right+swing", "")[number // 20]})
        if number == 30:
            game.use(load_model_text("flairs"))
    return recording_text(game.recording()).encode()


def arena_recording() -> bytes:
    """Return the trace of a short fight, as ``telos watch arena --json`` prints it."""
    from telos.core.trace import as_json
    from telos.worlds.arena.battle import Battle
    from telos.worlds.arena.scene import load_scene

    lines: list[str] = []
    for _ in Battle(load_scene("flank"), seed=1, trace=lambda record: lines.append(as_json(record))).seconds(4.0):
        pass
    return "".join(f"{line}\n" for line in lines).encode()


def studio_log() -> bytes:
    """Return a log of the studio."""
    from telos.studio.recording import AppliedModel, GameLog
    from telos.studio.stage import Inputs

    log = GameLog("adventure", 7, {"rules": "wilds"})
    for number in range(20):
        log.add(Inputs("up" if number < 10 else "", ("pause",) if number == 12 else ()))
    log.add(AppliedModel("mine.yaml", "recognizer: fsm\ngoals: [level, town]\n"))
    log.add(Inputs("left", ()))
    return log.to_bytes()


def human_log(kind: str) -> bytes:
    """Return a small log in the shape of the logs of people, packed."""
    import csv

    from studies.humans.kitchen_logs import COOK_COLUMNS, CRAFT_COLUMNS, crafting, kitchen

    rows = kitchen(pairs=2, rounds=3) if kind == "overcooked" else crafting(players=2, episodes=3)
    text = io.StringIO()
    table = csv.DictWriter(text, COOK_COLUMNS if kind == "overcooked" else CRAFT_COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return packed(text.getvalue())


def learning_state(folder: Path) -> bytes:
    """Return the state that ``telos logic learn --resume`` saves."""
    from typer.testing import CliRunner

    from telos.cli.logic import logic

    (folder / "goals.mln").write_text(GOALS, encoding="utf-8")
    (folder / "day.db").write_text(DAY, encoding="utf-8")
    words = ["learn", "goals.mln", "day.db", "-q", "goal", "-o", "out.mln", "--resume", "state.json", "--epochs", "2"]
    words = [str(folder / each) if "." in each else each for each in words]
    answer = CliRunner().invoke(logic, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return (folder / "state.json").read_bytes()


def played_recording() -> bytes:
    """Return a recording that ``telos study played`` takes: a short game of one of the papers."""
    from telos.worlds.adventure.adventure import Adventure
    from telos.worlds.adventure.recording import recording_text

    game = Adventure("flairs", seed=7)
    for number in range(90):
        game.step({game.player: ("up", "right+swing", "left")[number // 30]})
    return recording_text(game.recording()).encode()
