"""Recordings of the adventure, in and out of the studio: the very files that ``telos study played`` reads."""

from collections.abc import Iterator

from telos.core.errors import TelosError
from telos.studio.log import MOST_BYTES, MOST_LINES, MOST_MODELS, MOST_SEED, Applied, Entry, GameLog
from telos.studio.stage import Inputs
from telos.studio.stages.adventure_models import FFBM, RULES, ffbm_text
from telos.worlds.adventure.recording import Recording, loads_recording, recording_text
from telos.worlds.adventure.rules_files import load_rules

LONGEST = 2 * 60 * 60 * 30  # frames: two hours; a line of a file can claim any number of them
MONSTERS = ("", "3", "5", "8", "15")  # what the studio lets one choose; "" is what the rules say


def recorded(recording: Recording) -> tuple[str, bytes]:
    """Return a recording as a file: its name, and what is in it."""
    return f"adventure-{recording.rules}-seed{recording.seed}.jsonl", recording_text(recording).encode()


def from_recording(data: bytes) -> GameLog:
    """Return a recording that somebody brings along as a game to be played again; a bad one is told with its line.

    Recordings name their rules; only those that come with the package are taken, since others would be files here.
    """
    if len(data) > MOST_BYTES:
        raise TelosError(f"the recording has {len(data)} bytes", f"bring one of at most {MOST_BYTES}")
    if data.count(b"\n") > MOST_LINES:
        raise TelosError(f"the recording has more than {MOST_LINES} lines", "bring a shorter one")
    try:
        recording = loads_recording(data.decode())
    except UnicodeDecodeError:
        raise TelosError("this recording is no text", "download one from the studio") from None
    if len(recording.models) > MOST_MODELS:  # each is told again all that was seen
        raise TelosError(f"the recording has {len(recording.models)} models in it", f"at most {MOST_MODELS} are taken")
    if recording.rules not in RULES:
        raise TelosError(f"this was recorded with the rules {recording.rules!r}", f"the studio has {', '.join(RULES)}")
    if recording.fingerprint not in ("", load_rules(recording.rules).fingerprint):
        raise TelosError(f"this was recorded under other rules than {recording.rules!r} are now", "record it again")
    monsters = "" if recording.monsters is None else str(recording.monsters)
    if monsters not in MONSTERS:
        raise TelosError(f"this was recorded with {monsters} monsters", f"the studio has {', '.join(MONSTERS[1:])}")
    if not 0 <= recording.seed < MOST_SEED or recording.frames > LONGEST:
        raise TelosError(f"this has the seed {recording.seed} and {recording.frames} frames: too large to be played")
    goals = "directed" if recording.directed else "free"
    settings = {"rules": recording.rules, "goals": goals, "monsters": monsters, "plays": "you"}
    runs = list(_runs(recording))
    return GameLog("adventure", recording.seed, settings, runs, recording.frames)


def _runs(recording: Recording) -> Iterator[tuple[Entry, int]]:
    """Yield the inputs, and between them the models; the one that the stage begins with anyway is left out."""
    frame, models = 0, [each for each in recording.models if each != (0, ffbm_text(recording.rules))]
    for held, frames in recording.inputs:
        end = frame + frames
        while models and models[0][0] < end:
            at, text = models.pop(0)
            if at > frame:
                yield Inputs(held), at - frame
            frame = max(frame, at)
            yield Applied(FFBM, text), 1
        yield Inputs(held), end - frame
        frame = end
