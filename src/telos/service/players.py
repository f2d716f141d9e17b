"""Live players: ``LivePlayers`` reads events as they come, and keeps every one before it answers.

    submissions ──▶ readers (in memory) ──▶ log and snapshots (store) ──▶ answers

Nothing is answered before the store has it. If the store fails, the players concerned are read again from it, so that
memory never holds what the store does not. The same happens if another process has added events of them, so that
several processes may share a store. One thread at a time works with a ``LivePlayers``.
"""

import logging
import secrets
import time as clocks
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import msgspec

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.recognizer import Recognizer
from telos.service.messages import (
    BeliefMessage,
    EventMessage,
    PlayerAnswer,
    ProblemCode,
    RefusedEvent,
    ServiceError,
    belief_message,
    check_name,
    check_player,
    damaged,
)
from telos.service.models import LiveModel, ModelShelf
from telos.service.store import EventRow, Head, SnapshotRow, Store, StoreConflict, StoredPlayer

MAX_RECENT = 64  # ids of a player's last events, in memory and snapshots; older ones meet those of the store
MAX_TRIES = 5  # to add events of a player to whom other processes add, too
_LOG = logging.getLogger("telos.service")
_JSON = msgspec.json.Encoder()
_EVENT = msgspec.json.Decoder(EventMessage)


class PlayerState(msgspec.Struct, forbid_unknown_fields=True):
    """What a snapshot of the store holds: what the reader saves, and what the service knows of the player."""

    reader: dict[str, Any]
    time: float | None
    top: str
    since: float | None
    recent: list[tuple[str, int]]


_STATE = msgspec.json.Decoder(PlayerState)


@dataclass(slots=True)
class Submission:
    """Events of one player for one model, in order."""

    model: str
    player: str
    events: Sequence[EventMessage]
    is_quiet: bool = False  # only the last belief is wanted
    skips_faults: bool = False  # a faulty event is left out, and those after it are read


@dataclass(slots=True)
class Outcome:
    """The beliefs after the events of a submission, and the error that stopped it, if one did."""

    beliefs: list[BeliefMessage] = field(default_factory=list)
    error: ServiceError | None = None
    accepted: int = 0  # events that are kept now, whether they were new or repeated
    added: int = 0  # events that were new
    refused: list[RefusedEvent] = field(default_factory=list)  # if faults are skipped

    def result(self) -> list[BeliefMessage]:
        """Return the beliefs; raise the error with those before it."""
        if self.error is None:
            return self.beliefs
        more = {"accepted": self.accepted, "beliefs": self.beliefs}
        raise ServiceError(self.error.code, self.error.message, self.error.remedy, **more)


@dataclass(slots=True)
class LivePlayer:
    """A player in memory: the reader, and the number of the last event that it has read and that the store has."""

    model: LiveModel
    reader: Recognizer
    life: int  # see Head
    seq: int = 0
    stored_seq: int = 0  # that the store has: less than ``seq`` only while events are being added
    saved_seq: int = 0  # of the last snapshot
    time: float | None = None
    top: str = ""
    since: float | None = None  # when the top goal came to the top
    recent: "OrderedDict[str, int]" = field(default_factory=OrderedDict)

    def observe(self, name: str, event: EventMessage) -> Belief:
        """Read an event; a fault changes nothing."""
        at = (self.time or 0.0) if event.time is None else event.time
        belief = self.reader.observe(Event(event.action, _facts(event.context), player=name, time=at, goal=event.goal))
        self.seq, self.time = self.seq + 1, at
        if event.id is not None:
            self.recent[event.id] = self.seq
            if len(self.recent) > MAX_RECENT:
                self.recent.popitem(last=False)
        if belief.top != self.top or self.since is None:
            self.top, self.since = belief.top, at
        return belief

    def state(self) -> bytes:
        """Return the state as the store keeps it."""
        saver: Any = self.reader
        return _JSON.encode(PlayerState(saver.save(), self.time, self.top, self.since, list(self.recent.items())))


def _facts(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts as an event holds them: lists become tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in context.items()}


class LivePlayers:
    """The readers of all players under all models, kept by a store.

    At most ``max_open`` players are in memory; others are written to a snapshot and read when they are next heard of.
    A snapshot is written every ``snapshot_every`` events of a player, so that a restart reads few events again.
    """

    def __init__(
        self,
        shelf: ModelShelf,
        store: Store,
        *,
        max_open: int = 50_000,
        snapshot_every: int = 500,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self.shelf, self.store = shelf, store
        self._max_open, self._every, self._clock = max_open, snapshot_every, clock
        self._open: OrderedDict[tuple[str, str], LivePlayer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def submit(self, submissions: Sequence[Submission]) -> list[Outcome]:
        """Read events and keep them; return what became of each submission.

        Raises a ``TelosError`` if the store fails; then none of the events is kept.
        """
        for attempt in range(MAX_TRIES):
            rows: list[EventRow] = []
            touched = {(each.model, each.player) for each in submissions}
            try:
                outcomes = [self._read(each, rows, is_careful=attempt > 0) for each in submissions]
                if rows:
                    self.store.append(rows, self._due_snapshots(touched))
                    self._count_stored(touched)
                self._close_some()
                return outcomes
            except StoreConflict:
                self._drop(touched)  # ahead of the store, or behind it: they are read from it again
            except BaseException:
                self._drop(touched)
                raise
        raise ServiceError(
            ProblemCode.UNAVAILABLE, "several processes add events of the same player",
            "send them again later, and each player to one process",
        )  # fmt: skip

    def _count_stored(self, keys: Iterable[tuple[str, str]]) -> None:
        for key in keys:
            player = self._open.get(key)
            if player is not None:
                player.stored_seq = player.seq

    def _read(self, submission: Submission, rows: list[EventRow], *, is_careful: bool) -> Outcome:
        outcome = Outcome()
        received = self._clock()
        try:
            check_player(submission.player)
            if not submission.events:
                return outcome  # no player is opened for nothing
            player = self._player(submission.model, submission.player)
            known = self._known(submission, player) if is_careful else {}
            is_repeated = True
            for place, event in enumerate(submission.events):
                is_known = event.id in known or event.id in player.recent
                try:
                    belief = None if is_known else self._observe(submission, player, place)
                except ServiceError as error:
                    if not submission.skips_faults:
                        raise
                    outcome.refused.append(RefusedEvent(submission.player, place, error.problem(), event.id))
                    continue
                outcome.accepted += 1
                is_repeated = belief is None
                if belief is not None:
                    outcome.added += 1
                    rows.append(_row(submission, player, event, received))
                if not submission.is_quiet:
                    found = player.reader.belief if belief is None else belief
                    outcome.beliefs.append(_message(submission, player, found, repeated=is_repeated))
        except ServiceError as error:
            outcome.error = error
        if submission.is_quiet and outcome.accepted:
            outcome.beliefs.append(_message(submission, player, player.reader.belief, repeated=is_repeated))
        return outcome

    def _observe(self, submission: Submission, player: LivePlayer, place: int) -> Belief | None:
        """Read an event; None if it is refused because it is an old one that the store has already."""
        event = submission.events[place]
        try:
            return player.observe(submission.player, event)
        except TelosError as error:
            if not self._is_fresh((submission.model, submission.player), player):
                raise StoreConflict from None  # what is in memory is out of date, so that the fault may be none
            if event.id is not None and self.store.known_ids(submission.model, submission.player, [event.id]):
                return None
            message = error.message if len(submission.events) == 1 else f"event {place}: {error.message}"
            raise ServiceError(ProblemCode.INVALID, message, error.remedy) from None

    def _known(self, submission: Submission, player: LivePlayer) -> Mapping[str, int]:
        """Return the events that the store has already, by id; asked only after a conflict, as it takes time."""
        ids = [each.id for each in submission.events if each.id is not None]
        return self.store.known_ids(submission.model, submission.player, ids)

    # --- players in memory --------------------------------------------------------------------------------------------

    def _player(self, model: str, name: str) -> LivePlayer:
        """Return a player under the present version of a model, from memory or from the store."""
        key = (model, name)
        player = self._open.get(key)
        current = self.shelf.current(model)
        if player is None:
            player = self._open[key] = self._load(model, name)
        else:
            self._open.move_to_end(key)
        if player.model.version != current.version:
            _move_to(player, current, name)
        return player

    def _is_fresh(self, key: tuple[str, str], player: LivePlayer) -> bool:
        """Whether no other process has added events of a player, or forgotten the player, since it was read.

        Called before events of the player are in memory that the store has not got, or to decide about a retry.
        """
        if not self.store.is_shared:
            return True
        head = self.store.head(*key)
        if head is None:
            return not player.stored_seq
        return head == Head(player.life, player.stored_seq)

    def _load(self, model: str, name: str) -> LivePlayer:
        """Return a player as the store has it; what no service can have written is an error of this player alone."""
        stored = self.store.load(model, name)
        for version in {each.version for each in (stored.snapshot, *stored.events) if each is not None}:
            self.shelf.version(model, version)
        try:
            _check_numbers(stored)
            return self._replay(model, name, stored)
        except ServiceError:
            raise
        except (TelosError, msgspec.DecodeError, ValueError) as error:
            message = error.message if isinstance(error, TelosError) else str(error)
            raise damaged(f"player {name!r} under {model!r}: {message}") from None

    def _replay(self, model: str, name: str, stored: StoredPlayer) -> LivePlayer:
        """Return a player with the state of the snapshot, and the events after it read under the models of then."""
        head, snapshot, events = stored
        versions = [each.version for each in events]
        first = snapshot.version if snapshot else versions[0] if versions else self.shelf.current(model).version
        life = secrets.randbits(62) if head is None else head.life
        player = _new_player(self.shelf.version(model, first), name, life)
        if snapshot is not None:
            _restore(player, snapshot)
        for row in events:
            if row.version != player.model.version:
                _move_to(player, self.shelf.version(model, row.version), name)
            event = _EVENT.decode(row.body)
            event.time = row.time
            player.observe(name, event)
        player.stored_seq = player.seq
        return player

    def _due_snapshots(self, keys: Iterable[tuple[str, str]]) -> list[SnapshotRow]:
        due = [key for key in sorted(keys) if key in self._open]
        return [self._snapshot(key) for key in due if self._open[key].seq - self._open[key].saved_seq >= self._every]

    def _snapshot(self, key: tuple[str, str]) -> SnapshotRow:
        player = self._open[key]
        player.saved_seq = player.seq
        return SnapshotRow(*key, player.seq, player.model.version, player.state(), player.life)

    def _close_some(self) -> None:
        """Write the players that were not heard of for longest to snapshots, and drop them from memory."""
        extra = [key for key, _ in zip(self._open, range(len(self._open) - self._max_open), strict=False)]
        changed = [key for key in extra if self._open[key].seq > self._open[key].saved_seq]
        if changed:
            self.store.append([], [self._snapshot(key) for key in changed])
        self._drop(extra)

    def _drop(self, keys: Iterable[tuple[str, str]]) -> None:
        for key in keys:
            self._open.pop(key, None)

    def close(self) -> None:
        """Write all players to snapshots, so that the next start reads no event again."""
        changed = [key for key, player in self._open.items() if player.seq > player.saved_seq]
        for start in range(0, len(changed), 1000):
            self.store.append([], [self._snapshot(key) for key in changed[start : start + 1000]])
        self._open.clear()

    # --- questions ----------------------------------------------------------------------------------------------------

    def answer(self, model: str, name: str) -> PlayerAnswer:
        """Return what is known about a player, or raise if nothing is."""
        key = (model, check_player(name))
        player = self._fresh_player(*key)
        if not player.seq:
            self._drop([key])
            raise ServiceError(ProblemCode.NOT_FOUND, f"there is no player {name!r}", "send an event of that player")
        self._close_some()
        belief = player.reader.belief
        return PlayerAnswer(
            name, model, player.model.version, player.seq, player.time, belief.top, player.since, dict(belief),
            why_lines(player.reader),
        )  # fmt: skip

    def _fresh_player(self, model: str, name: str) -> LivePlayer:
        player = self._player(model, name)
        if not self._is_fresh((model, name), player):
            self._drop([(model, name)])
            player = self._player(model, name)
        return player

    def prune(self, received_before: float, *, limit: int = 200) -> bool:
        """Delete events received before a time; beliefs stay. Return whether more remain, as it takes time."""
        stale = self.store.stale(received_before, limit)
        count = 0
        for key in stale:
            try:
                self._fresh_player(*key)
            except ServiceError as error:  # a player whose state is damaged keeps the events
                _LOG.warning("old events of %s are not deleted: %s", key, error)
                continue
            self.store.append([], [self._snapshot(key)])
            self._close_some()
            count += 1
        if len(stale) == limit and count:
            return True
        self.store.prune(received_before)
        return False

    def forget(self, name: str) -> int:
        """Delete all about a player; return the number of events."""
        self.drop(check_name("player", name))
        return self.store.forget(name)

    def drop(self, name: str) -> None:
        """Take a player out of memory."""
        self._drop([key for key in self._open if key[1] == name])


def _row(submission: Submission, player: LivePlayer, event: EventMessage, received: float) -> EventRow:
    return EventRow(
        submission.model, submission.player, player.seq, event.id, player.model.version, player.time or 0.0, received,
        _JSON.encode(event), player.life,
    )  # fmt: skip


def _message(submission: Submission, player: LivePlayer, belief: Belief, *, repeated: bool) -> BeliefMessage:
    return belief_message(submission.player, submission.model, player.seq, player.time, belief, repeated=repeated)


def why_lines(reader: Recognizer) -> list[str]:
    """Return the reasons of a belief, line by line."""
    explain: Any = getattr(reader, "why", None) or reader.belief.why
    return str(explain()).splitlines()


# --- states and versions ----------------------------------------------------------------------------------------------


def _new_player(model: LiveModel, name: str, life: int) -> LivePlayer:
    reader = model.recognizer(seed=crc32(name.encode()))
    return LivePlayer(model, reader, life, top=reader.belief.top)


def _check_numbers(stored: StoredPlayer) -> None:
    """Raise unless the events follow the snapshot without a gap, up to the head."""
    last = 0 if stored.snapshot is None else stored.snapshot.seq
    for row in stored.events:
        if row.seq != last + 1:
            raise ValueError(f"after event {last} comes event {row.seq}")
        last = row.seq
    head = 0 if stored.head is None else stored.head.seq
    if head != last or last < 0:
        raise ValueError(f"it has {head} events, and the last that is there is {last}")


def _restore(player: LivePlayer, snapshot: SnapshotRow) -> None:
    state = _STATE.decode(snapshot.state)
    player.reader = player.model.resume(state.reader)
    if state.top not in player.reader.goals:
        raise ValueError(f"there is no goal {state.top[:40]!r}")
    player.seq = player.saved_seq = snapshot.seq
    player.time, player.top, player.since = state.time, state.top, state.since
    player.recent = OrderedDict(state.recent)


def _move_to(player: LivePlayer, model: LiveModel, name: str) -> None:
    """Continue under another version of the model: with the belief if the goals are the same, else from the prior."""
    saver: Any = player.reader
    goals_then, player.model = player.reader.goals, model
    fresh = model.recognizer(seed=crc32(name.encode()))
    try:
        player.reader = model.resume(saver.save()) if fresh.goals == goals_then else fresh
    except TelosError:  # another kind of model, whose readers keep something else
        player.reader = fresh
    if player.reader.belief.top != player.top:
        player.top, player.since = player.reader.belief.top, player.time
