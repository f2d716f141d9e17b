"""Games that people recorded with ``telos play``: every recogniser reads them, and is scored where the goal is known.

Start with ``run_study``; ``read_games`` replays the recordings, ``played_result`` makes tables and charts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from telos.core.errors import DefinitionError, Fault, TelosError
from telos.core.event import Event
from telos.files.reading import open_input, parse_json
from telos.parallel import parallel_map
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import EventGate, Reader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.recognizer import Recognizer
from telos.studies.players import Session, session_of
from telos.studies.results import (
    Bar,
    BarChart,
    Block,
    Bullets,
    ChartRow,
    Paragraph,
    Progress,
    Section,
    StudyResult,
    Table,
    no_progress,
)
from telos.studies.scoring import Reading, Score, Tally, read, scored
from telos.worlds.adventure.recording import read_recording
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import load_rules

NAME = "played"
OWN = "own"
METHODS = {
    "fsm": "FSM",
    "constant": "constant T",
    "ffbm": "FFBM",
    "iohmm": "IOHMM",
    OWN: "IOHMM, own lessons",
}
# Percents that the papers give for people who were new to their games.
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "flairs": {"fsm": 46.0, "constant": 44.0, "ffbm": 59.0},
    "aiide, test round": {"fsm": 54.0, OWN: 66.0},
}
NOTES = (
    "Players are human: these are recordings of games that people played with `telos play`.",
    "At each update of the FFBM, a method is right if its likeliest goal is the one that the player was given. The "
    "accuracy of a game is the share of its updates; means are over games, with bootstrap intervals.",
    "A game with rounds is scored on its test round, where all methods start knowing nothing; if it did not come so "
    "far, on its training round, and such games are pooled by themselves.",
    "The IOHMM was trained on simulated players. 'Own lessons' was trained on the player's own training round, by "
    "counting, and on nothing else.",
    "Published figures are those of people who were new to the game; who recorded these may not have been.",
)


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """One recorded game. In free play the true goal is unknown, so there is only what was ``believed``."""

    file: str
    player: str
    rules: str
    seconds: float
    phases: tuple[int, int]  # done, and all of the game
    is_free: bool
    part: str  # the round that was scored; empty for the whole game
    updates: int
    tallies: Mapping[str, Tally]
    believed: Mapping[str, Mapping[str, float]]  # by method: at which share of updates each goal was the likeliest

    @property
    def condition(self) -> str:
        """Return the condition; games of one condition are pooled."""
        return f"{self.rules}, {self.part} round" if self.part else self.rules

    @property
    def warning(self) -> str:
        """Return a warning about the figures; empty if there is none."""
        if self.is_free:
            return f"{self.file} is free play: nobody knows what the player was after, so it is told and not scored"
        if not self.updates:
            return f"{self.file} has no update with a given goal: there is nothing to score"
        if self.phases[0] < self.phases[1]:
            return f"{self.file} was not finished: {self.phases[0]} of {self.phases[1]} phases were"
        return ""


@dataclass(frozen=True, slots=True)
class RecordedGames:
    """All games that were read, in the order in which they were named."""

    seed: int
    games: tuple[RecordedGame, ...]

    @property
    def pooled(self) -> dict[str, dict[str, Score]]:
        """Return the scores of every method over the games that can be pooled."""
        found: dict[str, dict[str, Score]] = {}
        for condition in dict.fromkeys(game.condition for game in self.games if game.tallies):
            games = [game.tallies for game in self.games if game.condition == condition and game.tallies]
            found[condition] = {
                method: scored(
                    method,
                    [tallies[method] for tallies in games],
                    goals=list(dict.fromkeys(goal for each in games for goal in each[method].by_goal)),
                    rng=Random(f"played {self.seed} {condition} {method}"),
                    published=PUBLISHED.get(condition, {}).get(method),
                )
                for method in METHODS
                if method in games[0]
            }
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(game.warning for game in self.games if game.warning)


SUFFIX = ".jsonl"
MAX_FRAMES = 8 * 60 * 60 * FRAMES_A_SECOND  # eight hours; a longer recording is a mistake
CLOCK = "ffbm"  # all methods are scored at its updates
TRAINING, TEST = "training", "test"
# The recognisers by the goals of the game; those of the second game can also be trained on its first round.
_READERS: tuple[tuple[frozenset[str], Mapping[str, str]], ...] = (
    (
        frozenset({"level", "explore", "town"}),
        {"fsm": "flairs-fsm", "constant": "flairs-constant", "ffbm": "flairs", "iohmm": "flairs-iohmm"},
    ),
    (
        frozenset({"explore", "level", "return"}),
        {"fsm": "aiide-fsm", "constant": "aiide-constant", "ffbm": "aiide-ffbm", "iohmm": "aiide-iohmm"},
    ),
)
Moments = list[tuple[Event, str | None]]

_TITLE = "Games that people played"
_SHORT = {"constant": "const", "own": "own"}  # a row of the table has to fit into a terminal


def run_study(places: Sequence[Path], *, seed: int = 1, jobs: int = 1, progress: Progress = no_progress) -> StudyResult:
    """Read recordings, given as files and folders; if one is bad, all faults of all files are reported.

    ``seed`` draws the start states of the state machines.
    """
    return played_result(read_games(places, seed=seed, jobs=jobs, progress=progress))


def read_games(
    places: Sequence[Path], *, seed: int = 1, jobs: int = 1, progress: Progress = no_progress
) -> RecordedGames:
    """Replay recordings and let every recogniser read them."""
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    files = recordings_in(places)
    found = list(progress(parallel_map(partial(_read_or_faults, seed=seed), files, jobs=jobs), len(files)))
    faults = [fault for each in found if not isinstance(each, RecordedGame) for fault in each]
    if faults:
        raise DefinitionError(faults)
    return RecordedGames(seed, tuple(each for each in found if isinstance(each, RecordedGame)))


def recordings_in(places: Sequence[Path]) -> list[Path]:
    """Return the files that are meant: each one that is named, and all recordings of this game in each folder, by name.

    ``telos play --record`` also writes other worlds, simulated players and logs for the studio into the same folder.
    """
    if not places:
        raise TelosError("say which recordings: telos study played FILE_OR_FOLDER")
    found: list[Path] = []
    for place in places:
        inside = [*filter(_may_be_one, sorted(place.glob(f"*{SUFFIX}")))] if place.is_dir() else [place]
        if not inside:
            raise TelosError(f"there is no recording (*{SUFFIX}) in {str(place)!r}", "`telos play` makes some")
        found += inside
    return list(dict.fromkeys(found))


def _may_be_one(file: Path) -> bool:
    """Whether a file may be a game of a person; a broken one may, so that it is looked at and told of."""
    try:
        with open_input(file) as lines:
            header = parse_json(lines.readline(10_000))
    except TelosError:
        return True
    return isinstance(header, dict) and type(header.get("recording")) is int and not header.get("simulated")


def _read_or_faults(file: Path, *, seed: int) -> RecordedGame | tuple[Fault, ...]:
    try:
        return read_game(file, seed=seed)
    except DefinitionError as error:
        return error.faults
    except TelosError as error:
        return (Fault(error.message, suggestion=error.remedy, file=str(file), line=1, column=1),)


def read_game(file: Path, *, seed: int = 1) -> RecordedGame:
    """Play a recording again, and let every recogniser of its game read it."""
    recording = read_recording(file)
    if recording.frames > MAX_FRAMES:
        raise TelosError(f"the recording has {recording.frames} frames", f"at most {MAX_FRAMES} are read")
    if recording.simulated:
        raise TelosError("a simulated player played this", "the study is about people; leave the file out")
    rules = load_rules(recording.rules)
    models = _models(rules)
    session = session_of(recording, name=file.stem)
    part, moments = _scored_part(session)
    readers = _readers(models, Random(f"played {seed} {file.name}"))
    if part == TEST and models["iohmm"] == "aiide-iohmm":  # the model that learns on its own knows these goals only
        readers[OWN] = Reader(_own(_round(session, TRAINING)))
    reading = _reading(readers, moments, is_free=not recording.directed)
    return RecordedGame(
        file=file.name,
        player=recording.player,
        rules=rules.name,
        seconds=recording.frames / FRAMES_A_SECOND,
        phases=(sum(each.is_done for each in session.phases if each.goal is not None), len(rules.phases)),
        is_free=not recording.directed,
        part=part,
        updates=len(reading.truths) if reading else 0,
        tallies={name: reading.tally(name) for name in readers} if reading and recording.directed else {},
        believed={name: _shares(reading.tops(name)) for name in readers} if reading else {},
    )


def _models(rules: Rules) -> Mapping[str, str]:
    for goals, names in _READERS:
        if goals == set(rules.goals):
            return names
    raise TelosError(f"the goals of rules {rules.name!r} are {', '.join(rules.goals)}", "no recogniser here knows them")


def _readers(models: Mapping[str, str], rng: Random) -> dict[str, Recognizer]:
    return {method: create_recognizer(named_model(name), seed=rng.randrange(2**32)) for method, name in models.items()}


def _scored_part(session: Session) -> tuple[str, Moments]:
    """Return what is scored: the test round if the game has rounds and came so far, else its training round, or all.

    All readers start a test round knowing nothing, as in the second paper.
    """
    for part in (TEST, TRAINING):
        if any(phase.round == part for phase in session.phases):
            return part, _round(session, part)
    return "", list(zip(session.events, session.truths, strict=True))


def _round(session: Session, name: str) -> Moments:
    places = [place for phase in session.phases if phase.round == name for place in range(phase.start, phase.end)]
    return [(session.events[place], session.truths[place]) for place in places]


def _own(lessons: Moments) -> IOHMM:
    """Return the model of the second paper, trained on the player's own first round."""
    untrained = named_model("aiide")
    assert isinstance(untrained, IOHMM)
    model = copy_model(untrained)
    learner = Reader(model)
    for event, truth in lessons:
        if truth is not None:
            learner.learn(event, truth)
    return model


def _reading(readers: Mapping[str, Recognizer], moments: Moments, *, is_free: bool) -> Reading | None:
    """Return what was believed at each update; None if there was none. Free play has no truth, but it has updates."""
    told: Moments = [(event, "") for event, _ in moments] if is_free else moments
    timer = readers[CLOCK]
    assert isinstance(timer, Reader)
    gate = EventGate(timer.model)
    if not any(gate.evidence(event) is not None and truth is not None for event, truth in told):
        return None
    return read(readers, told, clock=CLOCK)


def _shares(tops: Sequence[str]) -> dict[str, float]:
    counts = Counter(tops)
    return {goal: count / len(tops) for goal, count in counts.most_common()}


# --- data for JSON ----------------------------------------------------------------------------------------------------


def _game_data(game: RecordedGame) -> dict[str, Any]:
    return {
        "file": game.file,
        "player": game.player,
        "rules": game.rules,
        "minutes": round(game.seconds / 60, 3),
        "phases_done": game.phases[0],
        "phases": game.phases[1],
        "free_play": game.is_free,
        "scored_on": game.part or "all",
        "updates": game.updates,
        "accuracy": {method: round(tally.accuracy, 6) for method, tally in game.tallies.items()},
        "by_goal": {method: dict(tally.by_goal) for method, tally in game.tallies.items()},
        "believed": {
            method: {goal: round(share, 6) for goal, share in shares.items()}
            for method, shares in game.believed.items()
        },
    }


def _score_data(score: Score) -> dict[str, Any]:
    return {
        "accuracy": round(score.accuracy, 6),
        "ci": [round(bound, 6) for bound in score.interval],
        "n": len(score.values),
        "published": score.published,
        "by_goal": {goal: round(share, 6) for goal, share in score.by_goal.items()},
    }


# --- the result -------------------------------------------------------------------------------------------------------


def played_result(done: RecordedGames) -> StudyResult:
    """Return the result of games that were read."""
    pooled = done.pooled
    data = {
        "study": NAME,
        "human": True,
        "simulated": False,
        "seed": done.seed,
        "methods": METHODS,
        "games": [_game_data(each) for each in done.games],
        "pooled": {
            condition: {method: _score_data(score) for method, score in scores.items()}
            for condition, scores in pooled.items()
        },
        "warnings": list(done.warnings),
        "notes": list(NOTES),
    }
    count = f"{len(done.games)} recorded game{'' if len(done.games) == 1 else 's'}"
    return StudyResult(
        NAME,
        _TITLE,
        f"{NAME}: human players ({count}, seed {done.seed})",
        done.seed,
        data,
        (*_summary(done, pooled), *_free_summary(done)),
        (*_pooled_details(pooled), *_game_details(done), *_free_details(done)),
        players="human players",
        setting=f"{count}, seed {done.seed}",
        warnings=done.warnings,
        notes=NOTES,
    )


def _summary(done: RecordedGames, pooled: Mapping[str, Mapping[str, Score]]) -> Iterable[Block]:
    scored = [game for game in done.games if game.tallies]
    if not scored:
        return
    methods = (_SHORT.get(method, label) for method, label in METHODS.items())
    columns = ("game", "player", "rules", "min", "phases", "updates", *methods)
    rows = tuple(_game_row(game, missing="-") for game in scored)
    note = (
        "how often each method was right about the goal that the player was given; human. "
        "const: constant T; own: an IOHMM trained on the player's own training round"
    )
    yield Table(columns, rows, note, text_columns=(0, 1, 2))
    means = []
    for condition, scores in pooled.items():
        for method, score in scores.items():
            low, high = score.interval
            numbers = (str(len(score.values)), f"{score.accuracy:.1%}", f"{low:.1%}-{high:.1%}")
            means.append((condition, METHODS[method], *numbers, _percent(score.published)))
    columns = ("pooled", "method", "games", "human", "95% interval", "published")
    yield Table(columns, tuple(means), "means over games; published: people new to the game", text_columns=(0, 1))


def _free_summary(done: RecordedGames) -> Iterable[Block]:
    for game in _free_games(done):
        yield Paragraph(f"{game.file}: free play of {game.player}; what was believed, by update:")
        yield Bullets(
            tuple(
                f"{METHODS[method]}: " + ", ".join(f"{goal} {share:.0%}" for goal, share in shares.items())
                for method, shares in game.believed.items()
            )
        )


def _pooled_details(pooled: Mapping[str, Mapping[str, Score]]) -> Iterable[Block]:
    for condition, scores in pooled.items():
        yield Section(f"Accuracy: {condition}")
        bars = tuple(
            Bar(METHODS[method], score.accuracy, score.interval, score.published) for method, score in scores.items()
        )
        games = max(len(score.values) for score in scores.values())
        title = f"How often each method was right, {condition}"
        yield ChartRow((BarChart(f"accuracy-{condition}", title, ((condition, f"n = {games}", bars),), "human"),))
        goals = list(dict.fromkeys(goal for score in scores.values() for goal in score.by_goal))
        rows = tuple(_pooled_row(score, goals) for score in scores.values())
        yield Table(("", "human", "95% interval", "games", "published", *goals), rows)


def _pooled_row(score: Score, goals: Sequence[str]) -> tuple[str, ...]:
    low, high = score.interval
    return (
        METHODS[score.method],
        f"{score.accuracy:.1%}",
        f"{low:.1%} to {high:.1%}",
        str(len(score.values)),
        _percent(score.published),
        *(f"{score.by_goal[goal]:.0%}" if goal in score.by_goal else "" for goal in goals),
    )


def _game_details(done: RecordedGames) -> Iterable[Block]:
    scored = [game for game in done.games if game.tallies]
    if scored:
        yield Section("Game by game")
        columns = ("game", "player", "rules", "minutes", "phases", "updates", *METHODS.values())
        yield Table(columns, tuple(_game_row(game) for game in scored), text_columns=(0, 1, 2))


def _game_row(game: RecordedGame, missing: str = "") -> tuple[str, ...]:
    done, phases = game.phases
    shares = [f"{game.tallies[method].accuracy:.0%}" if method in game.tallies else missing for method in METHODS]
    numbers = (f"{game.seconds / 60:.1f}", f"{done}/{phases}", str(game.updates))
    return (game.file.removesuffix(SUFFIX), game.player, f"{game.rules} {game.part}".rstrip(), *numbers, *shares)


def _free_details(done: RecordedGames) -> Iterable[Block]:
    free = _free_games(done)
    if free:
        text = "At which share of updates each goal was the likeliest. The true goal is not known."
        yield Section("Free play: what was believed", text)
    for game in free:
        goals = list(dict.fromkeys(goal for shares in game.believed.values() for goal in shares))
        rows = tuple(
            (METHODS[method], *(f"{shares.get(goal, 0.0):.0%}" for goal in goals))
            for method, shares in game.believed.items()
        )
        yield Section(f"{game.file}: {game.player}, {game.rules}", level=3)
        yield Table(("", *goals), rows)


def _free_games(done: RecordedGames) -> list[RecordedGame]:
    return [game for game in done.games if game.is_free and game.believed]


def _percent(published: float | None) -> str:
    return "" if published is None else f"{published:g}%"
