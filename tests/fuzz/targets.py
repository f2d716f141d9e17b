"""What reads files: one target per loader, each with good files to mutate. Formats come from the registry.

A case passes if the mutated file loads and what was loaded can be used, or if a ``TelosError`` of moderate length
refuses it.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from fuzz import seeds
from fuzz.mutations import mutate_file
from telos.core.errors import TelosError
from telos.files.formats import FORMATS


@dataclass(slots=True)
class FileTarget:
    """A loader of files. ``prepare`` fills the folder with what the loader needs beside the mutated file."""

    name: str
    good: Mapping[str, bytes]
    load: Callable[[Path], object]
    prepare: Callable[[Path], object] = lambda folder: None
    weight: float = 1.0  # share of the cases; slow loaders get less
    folder: Path = field(default_factory=Path)

    def open(self, folder: Path) -> None:
        """Prepare the folder in which the cases of this target are written."""
        self.folder = folder / self.name
        self.folder.mkdir(parents=True)
        self.prepare(self.folder)

    def check_seeds(self) -> list[str]:
        """Return what is wrong with the good files: they must all load."""
        return [f"{name}: {fault}" for name, data in self.good.items() if (fault := self._fault_of(name, data))]

    def _fault_of(self, name: str, data: bytes) -> str:
        try:
            self.load_bytes(name, data)
        except TelosError as error:
            return str(error)
        return ""

    def load_bytes(self, name: str, data: bytes) -> None:
        """Write a file and load it."""
        file = self.folder / name
        before = file.read_bytes() if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        try:
            self.load(file)
        finally:
            file.unlink(missing_ok=True)
            if before is not None:
                file.write_bytes(before)

    def make_case(self, rng: Random, pool: list[bytes]) -> tuple[str, bytes]:
        """Return the name and the bytes of a mutated file."""
        name = rng.choice(sorted(self.good))
        others = pool if rng.random() < 0.5 else list(self.good.values())
        return name, mutate_file(self.good[name], rng, others, name)

    def run(self, rng: Random, pool: list[bytes]) -> None:
        """Run one case; raise what the loader raises."""
        self.load_bytes(*self.make_case(rng, pool))


# --- using what was loaded --------------------------------------------------------------------------------------------


class Violation(Exception):
    """Something was accepted and then broke a promise."""


def check_belief(chances: Any) -> None:
    """Raise unless the chances are numbers from 0 to 1 that sum to 1."""
    values = list(chances)
    if not values or not all(type(each) in (int, float) and 0 <= each <= 1 for each in values):
        raise Violation(f"impossible belief {values[:5]}")
    if abs(sum(values) - 1) > 1e-6:
        raise Violation(f"the belief sums to {sum(values)}")


def _use_domain(domain: Any) -> None:
    from telos import plan

    for goal in [goal.name for goal in domain.goals][:2]:
        plan(domain, domain.state(), goal, budget=50)


def _use_recognizer(model: Any) -> None:
    from recognition.readings import play
    from telos.recognition.files.load import create_recognizer

    reader = create_recognizer(model, seed=1)
    for event in play(3, seed=2):
        check_belief(reader.observe(event).values())


def _use_concurrent(model: Any) -> None:
    from recognition.readings import play
    from telos.recognition.files.load import create_recognizer

    reader = create_recognizer(model)
    for event in play(3, seed=2):
        if not all(0.0 <= chance <= 1.0 for chance in reader.observe(event).values()):
            raise Violation(f"chances that are none: {reader.belief!r}")


def _use_grammar(grammar: Any) -> None:
    from telos.core.event import Event
    from telos.recognition.files.load import create_recognizer

    reader = create_recognizer(grammar, seed=1)
    for action in sorted(grammar.actions)[:3] if hasattr(grammar, "actions") else ():
        check_belief(reader.observe(Event(action)).values())


def _use_columns(columns: Any) -> None:
    from telos.telemetry import open_log

    table = [line.split(",") for line in seeds.KITCHEN_LOG.splitlines()]
    open_log(dict(zip(table[0], map(list, zip(*table[1:], strict=False)), strict=True)), columns).collect()


_USES: dict[str, Callable[[Any], None]] = {
    "columns": _use_columns,
    "domain": _use_domain,
    "recognizer": _use_recognizer,
    "concurrent": _use_concurrent,
    "grammar": _use_grammar,
}


def _read_format(kind: str, file: Path) -> object:
    found = FORMATS[kind].load_function()(file)
    with suppress(TelosError):  # what was loaded may still refuse an event or ask for a function
        _USES.get(kind, lambda _: None)(found)
    return found


# --- registered formats -----------------------------------------------------------------------------------------------


def _format_targets() -> list[FileTarget]:
    return [_with_domain(kind) if FORMATS[kind].needs_domain else _plain(kind) for kind in FORMATS]


def _plain(kind: str) -> FileTarget:
    return FileTarget(kind, seeds.seeds_of_format(kind), partial(_read_format, kind), _neighbours(kind))


def _neighbours(kind: str) -> Callable[[Path], object]:
    """Return what puts the files beside a scene that it names: maps and characters."""
    if kind != "scene":
        return lambda folder: None

    def copy(folder: Path) -> None:
        for each in ("maps", "characters"):
            shutil.copytree(seeds.ROOT / "src" / "telos" / "worlds" / "arena" / "data" / each, folder / each)

    return copy


def _with_domain(kind: str) -> FileTarget:
    """A format that is read with a domain: that one of the shipped domains with which each seed loads."""
    domains = [_domain(text) for text in seeds.shipped_domains()]
    good, chosen = seeds.seeds_of_format(kind), dict[str, Any]()

    def load(file: Path) -> object:
        return FORMATS[kind].load_function()(file, chosen[file.name])

    def prepare(folder: Path) -> None:
        for name, data in good.items():  # all of them, as a character may be like another of its folder
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        for file in (folder / name for name in good):
            chosen[file.name] = next((each for each in domains if _loads(kind, file, each)), domains[0])

    return FileTarget(kind, good, load, prepare)


@cache
def _domain(text: str) -> Any:
    from telos import loads

    return loads(text)


def _loads(kind: str, file: Path, domain: Any) -> bool:
    try:
        FORMATS[kind].load_function()(file, domain)
    except TelosError:
        return False
    return True


# --- worlds -----------------------------------------------------------------------------------------------------------


def _world_targets() -> list[FileTarget]:
    worlds = seeds.ROOT / "src" / "telos" / "worlds"
    return [
        FileTarget(
            "map", {file.name: file.read_bytes() for file in (worlds / "arena/data/maps").glob("*.txt")}, _read_map
        ),
        FileTarget("recording-adventure", {"game.jsonl": seeds.adventure_recording()}, _read_adventure, weight=0.3),
        FileTarget("recording-arena", {"fight.jsonl": seeds.arena_recording()}, _read_arena, weight=0.5),
        FileTarget("recording-studio", {"log.jsonl": seeds.studio_log()}, _read_studio),
    ]


def _read_map(file: Path) -> object:
    from telos.worlds.arena.sim.map import load_map

    return load_map(file)


def _read_adventure(file: Path) -> None:
    from telos.worlds.adventure.adventure import replay_frames
    from telos.worlds.adventure.recording import read_recording

    for _ in islice(replay_frames(read_recording(file)), 70):
        pass


def _read_arena(file: Path) -> None:
    from telos.worlds.arena.replay import replay_fight

    with file.open(encoding="utf-8", errors="replace") as lines:
        for _ in islice(replay_fight(lines, name=str(file)), 60):
            pass


def _read_studio(file: Path) -> None:
    from telos.studio.recording import parse_game_log

    log = parse_game_log(file.read_bytes(), name=str(file))
    assert parse_game_log(log.to_bytes()).steps == log.steps


# --- planning and logic -----------------------------------------------------------------------------------------------


def _planning_targets() -> list[FileTarget]:
    problems = {"blocks": "blocks-sussman", "delivery": "delivery-two-ways", "lamps": "lamps-row"}
    domains = {f"{name}.pddl": (seeds.PDDL / f"{name}.pddl").read_bytes() for name in problems}
    tasks = {f"{name}.pddl": (seeds.PDDL / f"{name}.pddl").read_bytes() for name in problems.values()}
    domain_of = {f"{task}.pddl": f"{name}.pddl" for name, task in problems.items()}

    def write(folder: Path) -> None:
        for name, data in {**domains, **tasks}.items():
            (folder / name).write_bytes(data)

    def load_domain(file: Path) -> object:
        return _plan_pddl(file, file.with_name(f"{problems[file.stem]}.pddl"))

    return [
        FileTarget("pddl-domain", domains, load_domain, write),
        FileTarget("pddl-problem", tasks, lambda file: _plan_pddl(file.with_name(domain_of[file.name]), file), write),
        FileTarget("hddl-domain", {"domain.hddl": seeds.HDDL_DOMAIN.encode()}, _read_hddl_domain),
        FileTarget("hddl-problem", {"problem.hddl": seeds.HDDL_PROBLEM.encode()}, _read_hddl_problem),
        FileTarget(
            "expression", {f"{i}.txt": each.encode() for i, each in enumerate(seeds.EXPRESSIONS)}, _parse_expression
        ),
        FileTarget(
            "assignments", {f"{i}.txt": each.encode() for i, each in enumerate(seeds.ASSIGNMENTS)}, _parse_assignments
        ),
    ]


def _plan_pddl(domain: Path, problem: Path) -> None:
    from telos import plan
    from telos.planning.pddl import load_pddl

    read = load_pddl(domain, problem, most=2_000)
    plan(read.domain, read.state, read.goal.name, budget=30)


def _read_hddl_domain(file: Path) -> object:
    from telos.recognition.grammar.hddl import read_hddl_domain
    from telos.recognition.grammar.lifted_state import build_lifted_tables

    return build_lifted_tables(read_hddl_domain(_text(file), name=str(file)), {})


def _read_hddl_problem(file: Path) -> object:
    from telos.recognition.grammar.hddl import read_hddl_problem

    return read_hddl_problem(_text(file), name=str(file))


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", errors="replace")


def _parse_expression(file: Path) -> object:
    from telos.core.expressions import parse_expression

    return str(parse_expression(_text(file)))


def _parse_assignments(file: Path) -> object:
    from telos.core.expressions import parse_assignments

    return str(parse_assignments(_text(file)))


def _logic_targets() -> list[FileTarget]:
    models = {file.name: file.read_bytes() for file in seeds.shipped(".mln") if "trained" not in file.parts}
    trained = {f"trained-{file.name}": file.read_bytes() for file in seeds.shipped(".mln") if "trained" in file.parts}
    small = {"smoking.mln": seeds.SMOKING, "goals.mln": seeds.GOALS, "numbered.mln": seeds.NUMBERED}

    def include(folder: Path) -> None:
        for name, data in models.items():
            (folder / name).write_bytes(data)

    def write(folder: Path) -> None:
        (folder / "people.mln").write_text(seeds.SMOKING, encoding="utf-8")
        (folder / "day.mln").write_text(seeds.GOALS, encoding="utf-8")

    return [
        FileTarget("mln", {**models, **{name: text.encode() for name, text in small.items()}}, _read_mln, include),
        FileTarget("mln-trained", trained, _read_logic_model, weight=0.2),
        FileTarget("db", {"people.db": seeds.PEOPLE.encode(), "day.db": seeds.DAY.encode()}, _read_db, write),
        _learning_target(),
    ]


def _learning_target() -> FileTarget:
    good: dict[str, bytes] = {}

    def write(folder: Path) -> None:
        good["state.json"] = seeds.learning_state(folder)

    return FileTarget("learning-state", good, _resume_learning, write, weight=0.1)


def _read_mln(file: Path) -> object:
    from telos.logic.syntax import format_mln, load_mln

    return format_mln(load_mln(file))


def _read_logic_model(file: Path) -> object:
    from telos.recognition.markov_logic import load_logic_model

    _read_mln(file)
    return load_logic_model(file)


def _read_db(file: Path) -> object:
    from telos.logic.syntax import load_db, load_mln

    return load_db(file, load_mln(file.with_suffix(".mln")))


def _resume_learning(file: Path) -> None:
    from typer.testing import CliRunner

    from telos.cli.logic import logic

    words = [
        "learn",
        file.with_name("goals.mln"),
        file.with_name("day.db"),
        "-q",
        "goal",
        "-o",
        file.with_name("o.mln"),
    ]
    words += ["--resume", file, "--epochs", "3"]
    answer = CliRunner().invoke(logic, [str(each) for each in words], catch_exceptions=False)
    if answer.exit_code not in (0, 2):
        raise Violation(f"exit code {answer.exit_code}")


# --- logs, tables and collections -------------------------------------------------------------------------------------


def _log_targets() -> list[FileTarget]:
    hunt = (seeds.ROOT / "examples" / "recognizers" / "hunt.jsonl").read_text(encoding="utf-8")
    logs = {
        "hunt.jsonl": hunt.encode(),
        "play.jsonl": seeds.adventure_log().encode(),
        "play.jsonl.gz": seeds.packed(hunt),
    }
    tables = {"log.csv": seeds.KITCHEN_LOG.encode(), "log.csv.gz": seeds.packed(seeds.KITCHEN_LOG)}
    corpora = {"log.csv": seeds.CORPUS_LOG.encode(), "log.csv.gz": seeds.packed(seeds.CORPUS_LOG), **_other_corpora()}
    human = {"overcooked.csv.gz": seeds.human_log("overcooked"), "crafter.csv.gz": seeds.human_log("crafter")}
    return [
        FileTarget("log", logs, _read_log),
        FileTarget("log-table", tables, _read_log_table),
        FileTarget("table", corpora, _prepare_table),
        FileTarget(
            "sessions", {"hunt.jsonl": hunt.encode(), "play.jsonl": seeds.adventure_log().encode()}, _read_sessions
        ),
        FileTarget("human-log", human, _read_human_log, weight=0.5),
    ]


def _event_log_targets() -> list[FileTarget]:
    """Logs in blocks of columns: the events in canonical columns, and the beliefs of a model about them."""
    import io

    import polars as pl

    def files(frame: pl.DataFrame) -> dict[str, bytes]:
        texts = {
            "log.csv": frame.write_csv(),
            "log.tsv": frame.write_csv(separator="\t"),
            "log.jsonl": frame.write_ndjson(),
        }
        found = {name: text.encode() for name, text in texts.items()}
        for name in ("log.csv", "log.jsonl"):
            found |= {f"{name}.gz": seeds.packed(texts[name]), f"{name}.zst": seeds.squeezed(texts[name])}
        table = io.BytesIO()
        frame.write_parquet(table)
        return {**found, "log.parquet": table.getvalue()}

    kitchen = pl.read_csv(io.StringIO(seeds.KITCHEN_LOG), infer_schema=False)
    played = [json.loads(line) for line in seeds.adventure_log(30).splitlines()]
    own = pl.DataFrame(
        [
            {**{k: row.get(k) for k in ("player", "time", "action", "goal", "truth")}, **row["context"]}
            for row in played
        ],
        infer_schema_length=None,
    )
    own = own.select(pl.exclude(pl.List(pl.String), pl.List(pl.Null)))
    return [
        FileTarget("event-log", files(kitchen), _read_event_log, _write_columns),
        FileTarget("model-log", files(own), _read_model_log),
    ]


def _write_columns(folder: Path) -> None:
    (folder / "kitchen.yaml").write_text(seeds.COLUMNS, encoding="utf-8")


def _read_event_log(file: Path) -> None:
    from telos.telemetry import open_log

    columns = file.with_name("kitchen.yaml")
    for options in (
        {"skip_bad": True, "sort": True, "drop_duplicates": True},
        {},
    ):  # the last one says whether it loads
        fault: TelosError | None = None
        try:
            frame = open_log(file, columns, **options).collect()
        except TelosError as error:
            fault = error
            continue
        if not frame["time"].is_finite().all() or frame["action"].null_count():
            raise Violation(f"events without a time or an action: {frame.head(3)}")
    if fault is not None:
        raise fault


def _read_model_log(file: Path) -> None:
    from telos.recognition.files.load import named_model
    from telos.telemetry import open_model_log
    from telos.telemetry.bulk import create_reader

    model = named_model("aiide")
    reader = create_reader(model, seed=1)
    for frame in open_model_log(file, [model]).batches():
        beliefs, _ = reader.beliefs(frame)
        for row in beliefs[:50].tolist():
            check_belief(row)


# --- the service ------------------------------------------------------------------------------------------------------


def _service_targets() -> list[FileTarget]:
    tokens = b"# who may do what\nwrite,read   rJ3kV0yYt6QzAbCd   # servers\nadmin  Zq7Lr9PpT4sD1234\n"
    return [
        FileTarget("service-message", seeds.service_messages(), _answer_message),
        FileTarget("service-store", {"service.db": seeds.service_store()}, _open_store, weight=0.5),
        FileTarget("service-model", {name: data for kind in ("recognizer", "grammar")
                                     for name, data in seeds.seeds_of_format(kind).items()}
                   | {"island.mln": seeds.ISLAND}, _send_model, weight=0.5),
        FileTarget("tokens", {"tokens.txt": tokens}, _read_tokens),
        FileTarget("traces", seeds.traces(), _show_traces),
    ]  # fmt: skip


@cache
def _service() -> Any:
    """Return a service in memory that the cases share: no message may harm those after it."""
    from telos import load
    from telos.service import CharacterRoom, ModelShelf, Service, SqliteStore

    store = SqliteStore(None)
    shelf = ModelShelf(store)
    shelf.load("adventure")
    soldier = load(seeds.ROOT / "examples" / "domains" / "soldier.yaml")
    return Service(shelf, store, CharacterRoom({"soldier": soldier}), "adventure")


def _answer_message(file: Path) -> None:
    from telos.service.characters import ChoiceRequest, PlanRequest
    from telos.service.messages import JSON, MSGPACK, EventMessage, decode, encode
    from telos.service.players import Submission
    from telos.service.stream import StreamMessage

    service, data = _service(), file.read_bytes()
    media = MSGPACK if file.suffix == ".msgpack" else JSON
    if file.stem == "plan":
        encode(service.characters.plan(decode(data, PlanRequest, media)), media)
        return
    if file.stem == "choice":
        encode(service.characters.choose(decode(data, ChoiceRequest, media)), media)
        return
    if file.stem == "stream":
        told = decode(data, StreamMessage, media)
        parts = [(part.player, part.events) for part in told.batch] + [(told.player or "ann", told.events)]
    else:
        found: Any = decode(data, EventMessage | list[EventMessage], media)  # type: ignore[arg-type]
        parts = [("ann", found if isinstance(found, list) else [found])]
    players = service.committer.players
    try:
        for outcome in players.submit([Submission("adventure", player, events) for player, events in parts]):
            for belief in outcome.result():
                check_belief(belief.goals.values())
    finally:
        for player, _ in parts:  # each case begins anew: times may not run backwards
            with suppress(TelosError):
                players.forget(player)


def _show_traces(file: Path) -> None:
    """Show what a game tells as a page does: every frame, the minds, and the log."""
    from telos.studio.attached import attached_world, load_recording
    from telos.studio.attached.recording import RecordedSource
    from telos.studio.session import Session
    from telos.traces import decode_traces

    if file.suffix == ".jsonl":
        source = load_recording(file)
    else:
        source = RecordedSource("farm", decode_traces(file.read_bytes(), packed=file.suffix == ".msgpack"))
    session = Session(attached_world(source, steps=source.count, rate=source.rate), 0)
    while session.is_scripted:
        session.advance()
        session.frame()
        session.backdrop(session.frame_data["key"])
        for who in session.minds()[:5]:
            view = session.mind(who)
            assert view is not None
            for what in (*view.actions[:3], *(goal.name for goal in view.goals[:3])):
                with suppress(TelosError):
                    session.why_not(who, what)
    session.history()
    session.result()
    for beliefs in session.recognizers.beliefs.values():
        check_belief(beliefs.values())


def _open_store(file: Path) -> None:
    from telos.service import LivePlayers, ModelShelf, SqliteStore
    from telos.service.messages import EventMessage
    from telos.service.players import Submission

    fault: TelosError | None = None
    store = SqliteStore(file)
    try:
        players = LivePlayers(ModelShelf(store), store)
        for name in ("ann", "bob"):
            try:
                check_belief(players.answer("adventure", name).goals.values())
                (outcome,) = players.submit([Submission("adventure", name, [EventMessage("swing", {"monsters": 1})])])
                check_belief(outcome.result()[-1].goals.values())
            except TelosError as error:
                fault = error
        players.close()
    finally:
        store.close()
    if fault is not None:
        raise fault


def _send_model(file: Path) -> None:
    text = file.read_bytes().decode("utf-8", errors="replace")
    from telos.service.models import read_model

    read_model(file.name, text)


def _read_tokens(file: Path) -> object:
    from telos.service import load_tokens

    return load_tokens(file)


def _other_corpora() -> dict[str, bytes]:
    import io

    import polars as pl

    frame = pl.read_csv(io.StringIO(seeds.CORPUS_LOG))
    lines = frame.write_ndjson()
    table = io.BytesIO()
    frame.write_parquet(table)
    return {"log.jsonl": lines.encode(), "log.jsonl.gz": seeds.packed(lines), "log.parquet": table.getvalue()}


def _read_log(file: Path) -> None:
    from telos.telemetry.logs import read_log

    for _ in read_log(file):
        pass


def _read_log_table(file: Path) -> None:
    from telos.telemetry.columns import loads_columns
    from telos.telemetry.logs import read_log

    for _ in read_log(file, columns=loads_columns(seeds.COLUMNS)):
        pass


def _prepare_table(file: Path) -> object:
    from telos.telemetry.columns import loads_columns
    from telos.telemetry.corpus import prepare
    from telos.telemetry.tables import read_table

    columns = loads_columns(seeds.CORPUS_COLUMNS)
    return prepare(read_table(file, columns), columns, folds=2, seed=1).statistics()


def _read_sessions(file: Path) -> object:
    from telos.studies.players.sessions import read_sessions

    return read_sessions(file)


def _read_human_log(file: Path) -> None:
    from telos.studies.humans import crafter, overcooked
    from telos.studies.humans.logs import read_plays

    target = file.with_name("events.csv.gz")
    shutil.copyfile(file, target)
    read_plays(file.parent, crafter.SOURCE if file.name.startswith("crafter") else overcooked.SOURCE)


def _collection_targets() -> list[FileTarget]:
    grid = {
        name: (seeds.STRIPS / name).read_bytes()
        for name in ("grid/observations.jsonl", "grid/hyps.dat", "grid/template.pddl")
    }
    grid |= {"grid/domain.pddl": (seeds.STRIPS / "grid/domain.pddl").read_bytes()}

    def write(folder: Path) -> None:
        shutil.copytree(seeds.STRIPS, folder, dirs_exist_ok=True)

    index, labels = (seeds.STRIPS / "index.csv").read_bytes(), (seeds.STRIPS / "labels.jsonl").read_bytes()
    tars = {"case.tar.bz2": seeds.strips_archive("w:bz2"), "case.tar.gz": seeds.strips_archive("w:gz")}
    return [
        FileTarget("strips-index", {"index.csv": index}, lambda file: _read_cases(file.parent), write),
        FileTarget("strips-labels", {"labels.jsonl": labels}, _read_labels),
        FileTarget("strips-instance", grid, lambda file: _read_instance(file.parent), write, weight=0.2),
        FileTarget("strips-archive", tars, _read_archive, weight=0.3),
        *_hddl_targets(),
    ]


def _read_cases(folder: Path) -> object:
    from telos.recognition.strips.problem import read_cases

    return read_cases(folder)


def _read_labels(file: Path) -> object:
    from telos.recognition.strips.problem import read_labels

    return read_labels(file)


def _read_instance(folder: Path) -> object:
    from telos.recognition.strips.problem import read_cases, read_shared_problem

    return read_cases(folder), read_shared_problem(folder)


def _read_archive(file: Path) -> object:
    from telos.recognition.strips.problem import read_cases, read_shared_problem, read_true_goal

    return read_cases(file), read_shared_problem(file), read_true_goal(file)


def _hddl_targets() -> list[FileTarget]:
    files = {
        "domain.hddl": seeds.HDDL_DOMAIN,
        "problems/a.hddl": seeds.HDDL_PROBLEM,
        "problems/b.hddl": seeds.HDDL_PROBLEM,
    }
    for name, place in (("observations.jsonl", 1), ("labels.jsonl", 0)):
        key = "obs" if place else "goals"
        rows = [{"id": each, key: told[1] if place else [told[0]]} for each, told in seeds.HDDL_SEEN.items()]
        files[name] = "".join(f"{json.dumps(row)}\n" for row in rows)

    def write(folder: Path) -> None:
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def load(file: Path) -> object:
        from telos.studies.plan_grammars import read_problems

        folder = file.parent.parent if file.parent.name == "problems" else file.parent
        getattr(read_problems, "cache_clear", lambda: None)()
        return read_problems(str(folder), "monroe")

    return [FileTarget("plan-problems", {name: text.encode() for name, text in files.items()}, load, write)]


@cache
def file_targets() -> dict[str, FileTarget]:
    """Return all targets by name."""
    parts = (_format_targets, _world_targets, _planning_targets, _logic_targets, _log_targets, _collection_targets)
    parts += (_event_log_targets, _service_targets)
    return {target.name: target for make in parts for target in make()}
