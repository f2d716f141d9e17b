"""Recorded human games."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from random import Random
from typing import Any

from telos.core.errors import DefinitionError, Fault, TelosError
from telos.core.event import Event
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import EventGate, Reader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.recognizer import Recognizer
from telos.studies.players import Session, session_of
from telos.studies.report import framed, listed, table, write_page
from telos.studies.scoring import Reading, Score, Tally, read, scored, shared_out
from telos.svg import COLOURS, Scale, box, diamond, figure, segment, text
from telos.worlds.adventure.recording import read_recording
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import load_rules

# --- played results ---------------------------------------------------------------------------------------------------
# What recorded games have shown: each by itself, and pooled by the game that was played. All of it is human.


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
class Played:
    """One recorded game. In free play nobody knows the truth, so there is only what was ``believed``."""

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
        """Return with which other games this one can be pooled."""
        return f"{self.rules}, {self.part} round" if self.part else self.rules

    @property
    def warning(self) -> str:
        """Return what is to be known before its figures are used; empty if there is nothing."""
        if self.is_free:
            return f"{self.file} is free play: nobody knows what the player was after, so it is told and not scored"
        if not self.updates:
            return f"{self.file} has no update with a given goal: there is nothing to score"
        if self.phases[0] < self.phases[1]:
            return f"{self.file} was not finished: {self.phases[0]} of {self.phases[1]} phases were"
        return ""


@dataclass(frozen=True, slots=True)
class PlayedStudy:
    """All games that were read, in the order in which they were named."""

    seed: int
    games: tuple[Played, ...]

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
        """Return what is to be known before the figures are used."""
        return tuple(game.warning for game in self.games if game.warning)

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it; accuracies are shares, published figures percents as printed."""
        return {
            "study": NAME,
            "human": True,
            "simulated": False,
            "seed": self.seed,
            "methods": METHODS,
            "games": [_game(each) for each in self.games],
            "pooled": {
                condition: {method: _score(score) for method, score in scores.items()}
                for condition, scores in self.pooled.items()
            },
            "warnings": list(self.warnings),
            "notes": list(NOTES),
        }


def _game(game: Played) -> dict[str, Any]:
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


def _score(score: Score) -> dict[str, Any]:
    return {
        "accuracy": round(score.accuracy, 6),
        "ci": [round(bound, 6) for bound in score.interval],
        "n": len(score.values),
        "published": score.published,
        "by_goal": {goal: round(share, 6) for goal, share in score.by_goal.items()},
    }


# --- played -----------------------------------------------------------------------------------------------------------
# Games that people recorded with ``telos play``: what every recogniser makes of them, and how often it is right.


SUFFIX = ".jsonl"
LONGEST = 8 * 60 * 60 * FRAMES_A_SECOND  # frames: nobody plays on for a working day, and longer ones would be no favour
CLOCK = "ffbm"  # its updates are those at which all are looked at
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
Looked = Played | tuple[Fault, ...]
Watched = Callable[[Iterable[Looked], int], Iterable[Looked]]


def run_study(
    places: Sequence[Path], *, seed: int = 1, jobs: int = 1, watched: Watched = lambda done, total: done
) -> PlayedStudy:
    """Read recordings, and those in folders; one that is bad refuses all, and every fault of every file is told.

    ``seed`` draws where state machines start. ``watched`` is handed the games as they come, with their number, to pass
    them on: a place for a progress bar.
    """
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    files = recordings_in(places)
    looked = list(watched(shared_out(partial(_looked, seed=seed), files, jobs=jobs), len(files)))
    faults = [fault for each in looked if not isinstance(each, Played) for fault in each]
    if faults:
        raise DefinitionError(faults)
    return PlayedStudy(seed, tuple(each for each in looked if isinstance(each, Played)))


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
        with file.open(encoding="utf-8") as lines:
            header = json.loads(lines.readline(10_000))
    except (OSError, ValueError):
        return True
    return isinstance(header, dict) and type(header.get("recording")) is int and not header.get("simulated")


def _looked(file: Path, *, seed: int) -> Looked:
    try:
        return looked_at(file, seed=seed)
    except DefinitionError as error:
        return error.faults
    except TelosError as error:
        return (Fault(error.message, suggestion=error.remedy, file=str(file), line=1, column=1),)


def looked_at(file: Path, *, seed: int = 1) -> Played:
    """Play a recording again, and let every recogniser of its game read it."""
    recording = read_recording(file)
    if recording.frames > LONGEST:
        raise TelosError(f"the recording has {recording.frames} frames", f"at most {LONGEST} are read")
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
    return Played(
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


# --- played page ------------------------------------------------------------------------------------------------------
# Recorded games as one web page: the figures of each, and of all that can be pooled.


_TITLE = "Games that people played"
_WIDTH, _ROW, _LEFT, _RIGHT = 760.0, 30.0, 170.0, 60.0
_CHANCE = 1 / 3  # of three goals


def save_page(study: PlayedStudy, path: Path) -> None:
    """Write the page of a study."""
    write_page(page(study), path)


def page(study: PlayedStudy) -> str:
    """Return the page of a study, whole."""
    count = f"{len(study.games)} recorded game{'' if len(study.games) == 1 else 's'}"
    body = [
        f"<h1>{_TITLE}</h1>",
        f'<p class="soft"><span class="tag">human players</span> {count}, seed {study.seed}</p>',
        *([f'<div class="findings">{listed(study.warnings)}</div>'] if study.warnings else []),
        *_pooled(study),
        *_games(study),
        *_believed(study),
        "<h2>How it was done</h2>",
        listed(NOTES),
    ]
    return framed(_TITLE, body)


def _pooled(study: PlayedStudy) -> Iterable[str]:
    for condition, scores in study.pooled.items():
        yield f"<h2>Accuracy: {escape(condition)}</h2><figure>{bars(condition, scores)}</figure>"
        goals = list(dict.fromkeys(goal for score in scores.values() for goal in score.by_goal))
        rows = [_row(score, goals) for score in scores.values()]
        yield table(["", "human", "95% interval", "games", "published", *goals], rows)


def _row(score: Score, goals: list[str]) -> list[str]:
    low, high = score.interval
    return [
        METHODS[score.method],
        f"{score.accuracy:.1%}",
        f"{low:.1%} to {high:.1%}",
        str(len(score.values)),
        "" if score.published is None else f"{score.published:g}%",
        *(f"{score.by_goal[goal]:.0%}" if goal in score.by_goal else "" for goal in goals),
    ]


def _games(study: PlayedStudy) -> Iterable[str]:
    scored = [game for game in study.games if game.tallies]
    if scored:
        head = ["game", "player", "rules", "minutes", "phases", "updates", *METHODS.values()]
        yield "<h2>Game by game</h2>" + table(head, [_game_row(game) for game in scored])


def _game_row(game: Played) -> list[str]:
    done, phases = game.phases
    shares = [f"{game.tallies[method].accuracy:.0%}" if method in game.tallies else "" for method in METHODS]
    minutes = f"{game.seconds / 60:.1f}"
    return [game.file, game.player, game.condition, minutes, f"{done}/{phases}", str(game.updates), *shares]


def _believed(study: PlayedStudy) -> Iterable[str]:
    free = [game for game in study.games if game.is_free and game.believed]
    if free:
        yield "<h2>Free play: what was believed</h2>"
        yield '<p class="soft">At which share of updates each goal was the likeliest. Nobody knows the truth.</p>'
    for game in free:
        goals = list(dict.fromkeys(goal for shares in game.believed.values() for goal in shares))
        rows = [
            [METHODS[method], *(f"{shares.get(goal, 0.0):.0%}" for goal in goals)]
            for method, shares in game.believed.items()
        ]
        yield f"<h3>{escape(game.file)}: {escape(game.player)}, {escape(game.rules)}</h3>" + table(["", *goals], rows)


def bars(condition: str, scores: dict[str, Score]) -> str:
    """Draw the accuracy of every method, with its interval, and the published figure as a diamond."""
    across = Scale(0, 1, _LEFT, _WIDTH - _RIGHT)
    bottom = 20 + _ROW * len(scores)
    parts = [segment(across(_CHANCE), 12, across(_CHANCE), bottom, "dash")]
    for number, (method, score) in enumerate(scores.items()):
        y, (low, high) = 20 + _ROW * number, score.interval
        tip = f"{METHODS[method]}: {score.accuracy:.1%} (95% interval {low:.1%} to {high:.1%})"
        width = across(score.accuracy) - _LEFT
        parts += [
            text(_LEFT - 10, y + 15, METHODS[method], anchor="end"),
            box(_LEFT, y, width, _ROW - 9, f"f{number % COLOURS}", tip),
            segment(across(low), y + 10.5, across(high), y + 10.5, "whisker"),
            text(across(1) + 8, y + 15, f"{score.accuracy:.0%}"),  # in a column, where no diamond can be
        ]
        if score.published is not None:
            parts.append(diamond(across(score.published / 100), y + 10.5, f"published: {score.published:g}%"))
    foot = "bars: human, with 95% intervals · ◇ published · dashes: chance"
    parts.append(text(_LEFT, bottom + 18, foot, look="soft small"))
    return figure(_WIDTH, bottom + 28, parts, label=f"How often each method was right, {condition}: human players")
