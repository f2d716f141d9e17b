"""Games that people recorded with ``telos play``: what every recogniser makes of them, and how often it is right."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from telos.core.errors import DefinitionError, Fault, TelosError
from telos.core.event import Event
from telos.recognition.files.front import fresh, named_model
from telos.recognition.hierarchy import like
from telos.recognition.iohmm import IOHMM
from telos.recognition.pulse import Pulse
from telos.recognition.reader import Reader
from telos.recognition.recognizer import Recognizer
from telos.studies.played_results import OWN, Played, PlayedStudy
from telos.studies.players import Session, session_of
from telos.studies.scoring import Reading, read
from telos.studies.scoring_pool import shared_out
from telos.worlds.adventure.recording import read_recording
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_files import load_rules

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
    return {method: fresh(named_model(name), seed=rng.randrange(2**32)) for method, name in models.items()}


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
    model = like(untrained)
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
    pulse = Pulse(timer.model)
    if not any(pulse.evidence(event) is not None and truth is not None for event, truth in told):
        return None
    return read(readers, told, clock=CLOCK)


def _shares(tops: Sequence[str]) -> dict[str, float]:
    counts = Counter(tops)
    return {goal: count / len(tops) for goal, count in counts.most_common()}
