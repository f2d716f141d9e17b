"""One player of the second study: the rounds that they played, coded as the model sees them.

A round is small once coded (which matrix applies, which of nine things was seen), and any model with the same symbols
can be trained on it or scored by it. So games are played once, by many processes, and models are compared afterwards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from telos.core.event import Event
from telos.recognition.files.front import named_model
from telos.recognition.files.machine import Machine
from telos.recognition.forward import Chances, as_weighed, forward
from telos.recognition.hierarchy import like
from telos.recognition.iohmm import IOHMM
from telos.recognition.model import Evidence
from telos.recognition.pulse import Pulse
from telos.studies.players import EXPERIMENTER, NOVICE, Player, Session, play
from telos.studies.scoring import Tally, tally, top
from telos.worlds.adventure.adventure import Adventure

GOALS = ("explore", "level", "return")
TRAINING, TEST = "training", "test"
LONGEST = 72_000  # frames, forty minutes: six phases


@dataclass(frozen=True, slots=True)
class Update:
    """One update: the number of the matrix that applies (0: the usual), that of the symbol seen, and the truth."""

    case: int
    symbol: int
    truth: str


@dataclass(frozen=True, slots=True)
class Game:
    """One game of both rounds, as the model sees it; ``machine`` is what the state machine said at each test update."""

    training: tuple[Update, ...]
    test: tuple[Update, ...]
    machine: tuple[str, ...]
    seconds: float

    @property
    def fsm(self) -> Tally:
        """Return how often the state machine was right in the test round."""
        return tally([update.truth for update in self.test], self.machine)


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody to be invited: a first run always, and for those who come back a later one after so many runs."""

    number: int
    seed: int
    is_experimenter: bool = False
    runs_before: int = 0  # the later run comes after so many; 0: they do not come back


@dataclass(frozen=True, slots=True)
class Visits:
    """The games of one subject: the first, and the later one if they came back; None if they did not finish."""

    subject: Subject
    first: Game | None
    later: Game | None = None


def visited(subject: Subject) -> Visits:
    """Let a subject play all their games."""
    player = player_of(subject)
    first = _game(subject, player)
    for _ in range(subject.runs_before):
        player.after_run()  # games in between are practice: nobody looks at them, so they need not be played out
    later = _game(subject, player) if subject.runs_before else None
    return Visits(subject, first, later)


def player_of(subject: Subject) -> Player:
    """Return the player; the experimenter is one person, whose runs are told apart by their number."""
    if not subject.is_experimenter:
        return Player(_own_seed(subject, "player"), NOVICE)
    player = Player(subject.seed, EXPERIMENTER)
    for _ in range(subject.number):
        player.after_run()
    return player


def _game(subject: Subject, player: Player) -> Game | None:
    game = Adventure("aiide", seed=_own_seed(subject, f"game {player.runs}"))
    session = play(game, player, max_frames=LONGEST)
    return coded(session, Random(_own_seed(subject, f"fsm {player.runs}"))) if session.is_done else None


def coded(session: Session, rng: Random) -> Game:
    """Return a session as the model sees it; ``rng`` draws the state machine's first guess."""
    training, test = (_moments(session, name) for name in (TRAINING, TEST))
    updates, machine = _read(test, rng)
    return Game(tuple(_updates(training)), updates, machine, session.events[-1].time)


def _moments(session: Session, name: str) -> list[tuple[Event, str]]:
    return [
        (session.events[place], phase.goal)
        for phase in session.phases
        if phase.round == name and phase.goal is not None
        for place in range(phase.start, phase.end)
    ]


def _updates(moments: Iterable[tuple[Event, str]]) -> list[Update]:
    model, found = untrained(), []
    pulse = Pulse(model)
    for event, truth in moments:
        counted = pulse.admitted(event)
        placed = None if counted is None else model.placed(counted)
        if placed is not None:
            found.append(Update(*placed, truth))
    return found


def _read(moments: Sequence[tuple[Event, str]], rng: Random) -> tuple[tuple[Update, ...], tuple[str, ...]]:
    """Return the updates of a test round, with what the state machine believed at each."""
    model, updates, said = untrained(), [], []
    rules = named_model("aiide-fsm")
    assert isinstance(rules, Machine)
    machine, pulse = rules.recognizer(rng), Pulse(model)
    for event, truth in moments:
        believed = machine.observe(event).top
        counted = pulse.admitted(event)
        placed = None if counted is None else model.placed(counted)
        if placed is not None:
            updates.append(Update(*placed, truth))
            said.append(believed)
    return tuple(updates), tuple(said)


@cache
def untrained() -> IOHMM:
    """Return the model of the paper before any training."""
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    return model


def counts_of(updates: Iterable[Update]) -> dict[str, dict[str, float]]:
    """Return how often each symbol was seen under each goal: the whole of what training is."""
    names = untrained().symbols.names
    counts: dict[str, dict[str, float]] = {goal: {} for goal in GOALS}
    for update in updates:
        seen = counts[update.truth]
        seen[names[update.symbol]] = seen.get(names[update.symbol], 0.0) + 1.0
    return counts


def trained(updates: Iterable[Update]) -> IOHMM:
    """Return the model trained on these updates."""
    return like(untrained(), counts=counts_of(updates))


def evidence(model: IOHMM, updates: Sequence[Update]) -> list[Evidence]:
    """Return what a model takes coded updates to say; the same as it says of the events themselves."""
    matrices, names = model.matrices, model.symbols.names
    chances = {goal: model.counts.chances(goal) for goal in model.goals}
    likelihoods = [tuple(chances[goal][symbol] for goal in model.goals) for symbol in range(len(names))]
    return [Evidence(matrices[each.case], likelihoods[each.symbol], names[each.symbol]) for each in updates]


def scored_by(model: IOHMM, updates: Sequence[Update]) -> Tally:
    """Return how often a model is right about a round."""
    steps = forward(model.prior, evidence(model, updates))
    return tally([each.truth for each in updates], [model.goals[top(after)] for _, after, _ in steps])


def filtered(model: IOHMM, updates: Sequence[Update]) -> tuple[list[Chances], list[Evidence]]:
    """Return the beliefs of a model about a round, with the evidence as it was weighed, for smoothing."""
    evidences = evidence(model, updates)
    steps = forward(model.prior, evidences)
    return [after for _, after, _ in steps], as_weighed(evidences, steps)


def first_of_each(updates: Iterable[Update], most: int) -> list[Update]:
    """Return the first lessons of each goal, so many at most."""
    seen: dict[str, int] = dict.fromkeys(GOALS, 0)
    kept = []
    for update in updates:
        if seen[update.truth] < most:
            seen[update.truth] += 1
            kept.append(update)
    return kept


def weighted_counts(parts: Iterable[tuple[Sequence[Update], float]]) -> dict[str, dict[str, float]]:
    """Return the counts of several rounds, each with a weight."""
    total: dict[str, dict[str, float]] = {goal: {} for goal in GOALS}
    for updates, weight in parts:
        for goal, seen in counts_of(updates).items():
            for symbol, count in seen.items():
                total[goal][symbol] = total[goal].get(symbol, 0.0) + weight * count
    return total


def _own_seed(subject: Subject, what: str) -> int:
    who = "experimenter" if subject.is_experimenter else "player"
    return Random(f"gold-aiide {subject.seed} {who} {subject.number} {what}").randrange(2**32)
