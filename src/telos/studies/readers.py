"""Which recogniser reads players best: all that ship with a rule set of the adventure, on the same players.

Start with ``run_study``. Three kinds of players: simulated ones who are given one goal after the other, simulated ones
with one plain intent for 20 seconds, and people, if a folder of their recordings is given. The best reader of a rule
set is the headline of the studio.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from telos.core.errors import TelosError
from telos.parallel import parallel_map
from telos.recognition.files.load import create_recognizer, named_model
from telos.studies.played import recordings_in
from telos.studies.players import EXPERIENCED, NOVICE, Player, Session, play, session_of
from telos.studies.players.intents import SECONDS, play_intent
from telos.studies.players.plain import INTENTS
from telos.studies.results import (
    Bar,
    BarChart,
    Block,
    Bullets,
    ChartRow,
    Progress,
    Section,
    StudyResult,
    Table,
    no_progress,
    round_figure,
)
from telos.studies.statistics import interval
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recognizer import READERS
from telos.worlds.adventure.recording import read_recording

NAME = "readers"
QUICK: Mapping[str, int] = {"plays": 5, "games": 2}
SURE = 0.7  # a goal that is likelier than this is what the reader is sure of
GIVEN, PLAIN, PEOPLE = "given goals", "one intent", "people"
TITLES = {"ffbm": "FFBM", "iohmm": "IOHMM", "constant": "constant T", "fsm": "FSM", "live": "live model"}
_PRESETS = {each.name: each for each in (NOVICE, EXPERIENCED)}
_MAX_FRAMES = 20_000  # eleven minutes of a game with given goals
_FLOOR = 1e-3  # of a chance, for the log loss: a state machine gives none to all goals but one
NOTES = (
    "Players are simulated, except those of the recordings that are named on the command line.",
    f"{GIVEN}: half of the games by a new player, half by an experienced one. {PLAIN}: a scripted player who does one "
    f"plain thing for {SECONDS:g} s, or walks home from two to four screens away.",
    "right: share of events at which the likeliest goal is the true one. sure: share at which it is true and above "
    f"{SURE:.0%}. at the end: share of goals that are believed so just before the event that ends them. until sure: "
    "seconds until then; the whole time if it never happens. log loss: mean of -log of the chance of the true goal, at "
    f"least {_FLOOR:g}.",
    "The best reader is the one with the highest share of right events, averaged over the kinds of players, each kind "
    "with the same weight. The studio shows it in the corner of the picture.",
    "The live models and the IOHMMs were made from simulated players with other seeds than those of any study; their "
    "form was chosen on a third set of seeds. No reader was changed after a look at the figures of this study.",
    "Intervals are bootstrap percentiles over plays. No reader is trained during a game.",
)


@dataclass(frozen=True, slots=True)
class Play:
    """One play to read: which rules, which kind of player, and the number of the play; or a recording."""

    rules: str
    kind: str
    who: str  # an intent, a preset, or a file
    number: int
    seed: int

    @property
    def rng(self) -> Random:
        return Random(f"readers {self.seed} {self.rules} {self.kind} {self.who} {self.number}")


@dataclass(frozen=True, slots=True)
class Figures:
    """How well one reader read one play, or one goal of it."""

    right: float
    sure: float
    at_end: float
    until_sure: float
    log_loss: float


@dataclass(frozen=True, slots=True)
class PlayRead:
    """A play as every reader of its rule set read it: in all, and by goal."""

    play: Play
    figures: Mapping[str, Figures]
    by_goal: Mapping[str, Mapping[str, Figures]]  # by goal, then by reader


@dataclass(frozen=True, slots=True)
class ReadersCompared:
    """All plays that were read."""

    seed: int
    reads: tuple[PlayRead, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.play.rules for each in self.reads))

    def kinds(self, rules: str) -> tuple[str, ...]:
        """Return the kinds of players of a rule set."""
        return tuple(dict.fromkeys(each.play.kind for each in self.reads if each.play.rules == rules))

    def of(self, rules: str, kind: str, reader: str) -> list[Figures]:
        """Return the figures of a reader, one per play."""
        return [each.figures[reader] for each in self.reads if (each.play.rules, each.play.kind) == (rules, kind)]

    def of_goal(self, rules: str, kind: str, reader: str) -> dict[str, list[Figures]]:
        """Return the figures of a reader by goal."""
        found: dict[str, list[Figures]] = {}
        for each in self.reads:
            if (each.play.rules, each.play.kind) == (rules, kind):
                for goal, figures in each.by_goal.items():
                    found.setdefault(goal, []).append(figures[reader])
        return found

    def score(self, rules: str, reader: str) -> float:
        """Return the share of right events, averaged over the kinds of players."""
        return fmean(fmean(each.right for each in self.of(rules, kind, reader)) for kind in self.kinds(rules))

    def best(self, rules: str) -> str:
        """Return the reader with the highest score."""
        return max(READERS[rules], key=lambda reader: self.score(rules, reader))


# --- reading ----------------------------------------------------------------------------------------------------------


def run_study(
    places: Sequence[Path] = (),
    *,
    plays: int = 30,
    games: int = 12,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study: so many plays of each intent and games of each preset per rule set, and recordings of people."""
    return readers_result(compare_readers(places, plays=plays, games=games, seed=seed, jobs=jobs, progress=progress))


def compare_readers(
    places: Sequence[Path] = (),
    *,
    plays: int = 30,
    games: int = 12,
    seed: int = 1,
    jobs: int = 1,
    rules: Iterable[str] = tuple(READERS),
    progress: Progress = no_progress,
) -> ReadersCompared:
    """Play, and let every reader read; the result depends on the seed only, not on the number of jobs."""
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    if plays < 1 or games < 1:
        raise TelosError(f"plays and games are 1 or more, got {plays} and {games}", "leave them out for the usual size")
    schedule = [
        *(Play(each, GIVEN, preset, n, seed) for each in rules for preset in _PRESETS for n in range(games)),
        *(Play(each, PLAIN, intent, n, seed) for each in rules for intent in INTENTS for n in range(plays)),
        *_recorded(places, seed),
    ]
    done = progress(parallel_map(read_play, schedule, jobs=jobs), len(schedule))
    return ReadersCompared(seed, tuple(each for each in done if each is not None))


def _recorded(places: Sequence[Path], seed: int) -> list[Play]:
    found = []
    for number, file in enumerate(recordings_in(places) if places else ()):
        recording = read_recording(file)
        if recording.simulated:
            raise TelosError(
                f"a simulated player played {str(file)!r}", "leave the file out: this part is about people"
            )
        if recording.rules not in READERS:
            raise TelosError(f"{str(file)!r} has the rules {recording.rules!r}", f"there are {', '.join(READERS)}")
        if recording.directed:  # in free play, nobody knows what the player was after
            found.append(Play(recording.rules, PEOPLE, str(file), number, seed))
    return found


def read_play(play_: Play) -> PlayRead | None:
    """Play, and let every reader of the rule set read it; None if no event has a known goal."""
    session = _session(play_)
    if not any(session.truths):
        return None
    rng = Random(f"{play_} readers")
    beliefs = {name: _beliefs(file, session, rng.randrange(2**32)) for name, file in READERS[play_.rules].items()}
    times = [event.time for event in session.events]
    score = partial(_figures, session.truths, times)
    spans = _spans(session.truths)
    whole = {name: score(read, spans) for name, read in beliefs.items()}
    goals = dict.fromkeys(goal for goal in session.truths if goal is not None)
    by_goal = {
        goal: {name: score(read, [s for s in spans if session.truths[s[0]] == goal]) for name, read in beliefs.items()}
        for goal in goals
    }
    return PlayRead(play_, whole, by_goal)


def _session(play_: Play) -> Session:
    if play_.kind == PEOPLE:
        return session_of(read_recording(Path(play_.who)))
    rng = play_.rng
    if play_.kind == PLAIN:
        return play_intent(play_.rules, play_.who, rng)
    game = Adventure(play_.rules, seed=rng.randrange(2**32))
    return play(game, Player(rng.randrange(2**32), _PRESETS[play_.who]), max_frames=_MAX_FRAMES)


def _beliefs(file: str, session: Session, seed: int) -> list[Mapping[str, float]]:
    """Return the belief of a reader after each event."""
    reader = create_recognizer(named_model(file), seed=seed)
    return [reader.observe(event) for event in session.events]


def _spans(truths: Sequence[str | None]) -> list[tuple[int, int]]:
    """Return the stretches of events with one known goal: first, and behind the last."""
    starts = [n for n in range(len(truths)) if n == 0 or truths[n] != truths[n - 1]]
    ends = [*starts[1:], len(truths)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if truths[start] is not None]


def _figures(
    truths: Sequence[str | None],
    times: Sequence[float],
    beliefs: Sequence[Mapping[str, float]],
    spans: Sequence[tuple[int, int]],
) -> Figures:
    right, sure, losses = [], [], []
    ends, waits = [], []
    for start, end in spans:
        goal = truths[start]
        assert goal is not None
        chances = [belief[goal] for belief in beliefs[start:end]]
        is_sure = [chance > SURE for chance in chances]
        right += [max(belief, key=belief.__getitem__) == goal for belief in beliefs[start:end]]
        sure += is_sure
        losses += [-math.log(max(chance, _FLOOR)) for chance in chances]
        ends.append(is_sure[-2] if len(is_sure) > 1 else is_sure[-1])  # the last event shows that it was achieved
        first = next((n for n, each in enumerate(is_sure) if each), len(is_sure) - 1)
        waits.append(times[start + first] - times[start])
    return Figures(fmean(right), fmean(sure), fmean(ends), fmean(waits), fmean(losses))


# --- the result -------------------------------------------------------------------------------------------------------


def readers_result(done: ReadersCompared) -> StudyResult:
    """Return the result of plays that were read."""
    best = {rules: done.best(rules) for rules in done.rules}
    simulated = sum(each.play.kind != PEOPLE for each in done.reads)
    people = len(done.reads) - simulated
    players = "simulated players" + (" and people" if people else "")
    count = f"{simulated} plays of simulated players" + (f", {people} recordings of people" if people else "")
    data = {
        "study": NAME,
        "simulated": True,
        "human": bool(people),
        "seed": done.seed,
        "plays": len(done.reads),
        "readers": {rules: dict(READERS[rules]) for rules in done.rules},
        "best": best,
        "rules": {rules: _rules_data(done, rules) for rules in done.rules},
        "notes": list(NOTES),
    }
    return StudyResult(
        NAME,
        "Which recogniser reads players best",
        f"{NAME}: {players} ({count}, seed {done.seed})",
        done.seed,
        data,
        tuple(_summary(done)),
        tuple(_details(done)),
        players=players,
        setting=f"{count}, seed {done.seed}",
        findings=tuple(_finding(done, rules, best[rules]) for rules in done.rules),
        notes=NOTES,
    )


def _finding(done: ReadersCompared, rules: str, best: str) -> str:
    second = max((each for each in READERS[rules] if each != best), key=lambda reader: done.score(rules, reader))
    return (
        f"{rules}: the best reader is the {TITLES[best]}, right at {done.score(rules, best):.0%} of events; "
        f"next is the {TITLES[second]} with {done.score(rules, second):.0%}."
    )


def _rules_data(done: ReadersCompared, rules: str) -> dict[str, Any]:
    return {
        reader: {
            "score": round_figure(done.score(rules, reader)),
            **{
                kind: {
                    **_figures_data(done, rules, kind, reader),
                    "by_goal": {goal: _means(each) for goal, each in done.of_goal(rules, kind, reader).items()},
                }
                for kind in done.kinds(rules)
            },
        }
        for reader in READERS[rules]
    }


def _means(found: Sequence[Figures]) -> dict[str, float | None]:
    names = ("right", "sure", "at_end", "until_sure", "log_loss")
    return {name: round_figure(fmean(getattr(each, name) for each in found)) for name in names}


def _figures_data(done: ReadersCompared, rules: str, kind: str, reader: str) -> dict[str, Any]:
    found = done.of(rules, kind, reader)
    low, high = _interval(done, rules, kind, reader)
    return {"n": len(found), **_means(found), "right_ci": [round_figure(low), round_figure(high)]}


def _interval(done: ReadersCompared, rules: str, kind: str, reader: str) -> tuple[float, float]:
    values = [each.right for each in done.of(rules, kind, reader)]
    return interval(values, rng=Random(f"readers {done.seed} {rules} {kind} {reader}"))


def _summary(done: ReadersCompared) -> Iterable[Block]:
    columns = ("rules", "players", "reader", "n", "right", "95% interval", "sure", "at end", "until sure", "log loss")
    rows = []
    for rules in done.rules:
        best = done.best(rules)
        for kind in done.kinds(rules):
            rows += [_row(done, rules, kind, reader, is_best=reader == best) for reader in READERS[rules]]
    yield Table(columns, tuple(rows), "* the best reader of the rules, by the mean of `right`", text_columns=(0, 1, 2))
    yield Bullets(tuple(_finding(done, rules, done.best(rules)) for rules in done.rules))


def _row(done: ReadersCompared, rules: str, kind: str, reader: str, *, is_best: bool) -> tuple[str, ...]:
    found = done.of(rules, kind, reader)
    low, high = _interval(done, rules, kind, reader)
    mean = _means(found)
    return (
        rules,
        kind,
        TITLES[reader] + (" *" if is_best else ""),
        str(len(found)),
        f"{mean['right']:.0%}",
        f"{low:.0%}-{high:.0%}",
        f"{mean['sure']:.0%}",
        f"{mean['at_end']:.0%}",
        f"{mean['until_sure']:.1f} s",
        f"{mean['log_loss']:.2f}",
    )


def _details(done: ReadersCompared) -> Iterable[Block]:
    for rules in done.rules:
        yield Section(f"Rules {rules}", _finding(done, rules, done.best(rules)))
        groups = []
        for kind in done.kinds(rules):
            bars = tuple(
                Bar(TITLES[reader], fmean(each.right for each in found), _interval(done, rules, kind, reader))
                for reader in READERS[rules]
                if (found := done.of(rules, kind, reader))
            )
            groups.append((kind, f"n = {len(done.of(rules, kind, next(iter(READERS[rules]))))}", bars))
        title = f"How often each reader was right, {rules}"
        yield ChartRow((BarChart(f"readers-{rules}", title, tuple(groups)),))
        yield Table(*_goal_table(done, rules), text_columns=(0, 1, 2))


def _goal_table(done: ReadersCompared, rules: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], str]:
    columns = ("players", "goal", "reader", "right", "sure", "at end", "until sure", "log loss")
    rows = []
    for kind in done.kinds(rules):
        for reader in READERS[rules]:
            for goal, found in done.of_goal(rules, kind, reader).items():
                mean = _means(found)
                shares = [f"{mean[name]:.0%}" for name in ("right", "sure", "at_end")]
                rows.append(
                    (kind, goal, TITLES[reader], *shares, f"{mean['until_sure']:.1f} s", f"{mean['log_loss']:.2f}")
                )
    return columns, tuple(sorted(rows, key=lambda row: (row[0], row[1]))), "by the goal that was pursued"
