"""Live players: what is kept is what is believed, whatever restarts, failures, repeats and model swaps happen."""

import copy
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos import Event, TelosError, recognizer
from telos.service import (
    EventMessage,
    EventRow,
    LivePlayers,
    ModelShelf,
    ServiceError,
    SnapshotRow,
    SqliteStore,
    StoreConflict,
    Submission,
)

ACTIONS = ("swing", "stop", "up", "left")


def random_event(rng: Random, time: float, name: str | None = None) -> EventMessage:
    context = {"monsters": rng.randrange(3), "in_town": rng.random() < 0.2, "cause": rng.choice(["input", "tick"])}
    return EventMessage(rng.choice(ACTIONS), context, time, id=name)


def players_of(store: SqliteStore, *, max_open: int = 100, snapshot_every: int = 500) -> LivePlayers:
    shelf = ModelShelf(store)
    shelf.load("adventure")
    return LivePlayers(shelf, store, max_open=max_open, snapshot_every=snapshot_every, clock=lambda: 5.0)


_READER = recognizer("adventure")


def live_belief(events: Sequence[EventMessage]) -> dict[str, float]:
    reader = _READER
    reader.reset()
    for each in events:
        reader.observe(Event(each.action, each.context, time=each.time or 0.0))
    return dict(reader.belief)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**9), every=st.sampled_from([1, 2, 5, 500]), most=st.sampled_from([1, 2, 100]))
def test_beliefs_survive_restarts_snapshots_and_eviction(seed: int, every: int, most: int) -> None:
    rng = Random(seed)
    store = SqliteStore(None)
    players = players_of(store, max_open=most, snapshot_every=every)
    sent: dict[str, list[EventMessage]] = {"ann": [], "bob": [], "cat": []}
    for time in range(rng.randrange(5, 40)):
        name = rng.choice(list(sent))
        events = [random_event(rng, float(time)) for _ in range(rng.randrange(1, 4))]
        sent[name] += events
        (outcome,) = players.submit([Submission("adventure", name, events)])
        assert outcome.error is None
        assert outcome.beliefs[-1].goals == live_belief(sent[name])
        if rng.random() < 0.2:  # a kill: memory is gone, the store stays
            players = players_of(store, max_open=most, snapshot_every=every)
        elif rng.random() < 0.1:  # an orderly end
            players.close()
            players = players_of(store, max_open=most, snapshot_every=every)
    for name, events in sent.items():
        if events:
            answer = players.answer("adventure", name)
            assert (answer.goals, answer.seq) == (live_belief(events), len(events))


class FailingStore(SqliteStore):
    """A store whose disk is full at times, or to which another process has written."""

    fails_with: Exception | None = None

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Fail if told to."""
        error, self.fails_with = self.fails_with, None
        if error is not None:
            raise error
        super().append(events, snapshots)


def test_events_of_a_failed_commit_are_not_believed() -> None:
    store = FailingStore(None)
    players, rng = players_of(store), Random(1)
    first, second = random_event(rng, 1.0), random_event(rng, 2.0)
    players.submit([Submission("adventure", "ann", [first])])
    store.fails_with = TelosError("database or disk is full")
    with pytest.raises(TelosError, match="full"):
        players.submit([Submission("adventure", "ann", [second])])
    assert players.answer("adventure", "ann").goals == live_belief([first])
    players.submit([Submission("adventure", "ann", [second])])
    assert players.answer("adventure", "ann").goals == live_belief([first, second])


def test_events_that_another_process_added_come_first() -> None:
    store = SqliteStore(None)
    one, two, rng = players_of(store), players_of(store), Random(2)
    events = [random_event(rng, float(time)) for time in range(6)]
    for number, event in enumerate(events):
        players = (one, two)[number % 2]
        (outcome,) = players.submit([Submission("adventure", "ann", [event])])
        assert outcome.beliefs[-1].goals == live_belief(events[: number + 1])


def test_a_conflict_that_never_ends_is_told() -> None:
    class Crowded(SqliteStore):
        def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
            raise StoreConflict

    with pytest.raises(ServiceError, match="several processes"):
        players_of(Crowded(None)).submit([Submission("adventure", "ann", [EventMessage("swing")])])


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("between", [0, 600])
def test_an_event_sent_twice_counts_once(restarts: bool, between: int) -> None:
    store, rng = SqliteStore(None), Random(3)
    players = players_of(store)
    event = random_event(rng, 0.0, "event-1")
    more = [random_event(rng, float(time), f"more-{time}") for time in range(1, between + 1)]
    players.submit([Submission("adventure", "ann", [event, *more])])
    if restarts:
        players = players_of(store)
    (outcome,) = players.submit([Submission("adventure", "ann", [copy.copy(event), random_event(rng, 1e6, "last")])])
    assert outcome.error is None
    assert [each.repeated for each in outcome.beliefs] == [True, False]
    assert players.answer("adventure", "ann").seq == between + 2


def test_an_event_that_stands_twice_in_a_request_counts_once() -> None:
    store = SqliteStore(None)
    players_of(store).submit([Submission("adventure", "ann", [EventMessage("swing", id="old")])])
    twice = [EventMessage("stop", id="new"), EventMessage("stop", id="new"), EventMessage("stop", id="old")]
    other = players_of(store)
    players_of(store).submit([Submission("adventure", "ann", [EventMessage("swing", id="between")])])
    (outcome,) = other.submit([Submission("adventure", "ann", twice)])
    assert [each.repeated for each in outcome.beliefs] == [False, True, True]
    assert other.answer("adventure", "ann").seq == 3


def test_a_faulty_event_keeps_those_before_it() -> None:
    players = players_of(SqliteStore(None))
    good, late = EventMessage("swing", time=5.0), EventMessage("swing", time=1.0)
    (outcome,) = players.submit([Submission("adventure", "ann", [good, late, good])])
    with pytest.raises(ServiceError, match=r"event 1.*backwards") as caught:
        outcome.result()
    assert caught.value.problem().accepted == 1
    assert players.answer("adventure", "ann").seq == 1


def test_a_forgotten_player_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    players = players_of(SqliteStore(path), snapshot_every=1)
    players.submit([Submission("adventure", "Ann-the-Player", [EventMessage("swing")]),
                    Submission("adventure", "bob", [EventMessage("swing")])])  # fmt: skip
    assert players.forget("Ann-the-Player") == 1
    with pytest.raises(ServiceError, match="no player"):
        players.answer("adventure", "Ann-the-Player")
    players.store.close()
    assert all(b"Ann-the-Player" not in file.read_bytes() for file in tmp_path.iterdir())
    assert players_of(SqliteStore(path)).answer("adventure", "bob").seq == 1


def test_pruned_events_leave_beliefs_as_they_were() -> None:
    store, rng = SqliteStore(None), Random(4)
    players = players_of(store, snapshot_every=3)
    events = [random_event(rng, float(time)) for time in range(8)]
    for event in events:
        players.submit([Submission("adventure", "ann", [event])])
    assert store.prune(6.0) == 6
    assert players_of(store).answer("adventure", "ann").goals == live_belief(events)


def test_a_swapped_model_keeps_beliefs_where_goals_are_the_same() -> None:
    store, rng = SqliteStore(None), Random(5)
    players = players_of(store)
    text = players.shelf.current("adventure").text
    events = [random_event(rng, float(time)) for time in range(20)]
    players.submit([Submission("adventure", "ann", events[:10])])
    before = players.answer("adventure", "ann")
    assert players.shelf.put("adventure", "adventure.yaml", text.replace("0.8", "0.6")).version == 2
    after = players.answer("adventure", "ann")
    assert (after.goals, after.version) == (before.goals, 2)
    players.submit([Submission("adventure", "ann", events[10:])])
    # A restart reads the first ten events with the first version, and the others with the second.
    assert players_of_shelf(store).answer("adventure", "ann") == players.answer("adventure", "ann")
    other = "recognizer: fsm\ngoals: [rest, fight]\nstart: rest\nactions: [swing]\ncontext: {}\n"
    players.shelf.put("adventure", "adventure.yaml", other + "rules: [{if: action == swing, then: fight}]\n")
    assert players.answer("adventure", "ann").goals == {"rest": 1.0, "fight": 0.0}


def players_of_shelf(store: SqliteStore) -> LivePlayers:
    return LivePlayers(ModelShelf(store), store)


def test_a_faulty_model_changes_nothing() -> None:
    players = players_of(SqliteStore(None))
    with pytest.raises(ServiceError, match=r"adventure\.yaml:1"):
        players.shelf.put("adventure", "adventure.yaml", "recognizer: fbm")
    assert players.shelf.current("adventure").version == 1


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_bytes(b"these are not the events you are looking for" * 100)
    with pytest.raises(TelosError, match="--data"):
        SqliteStore(path)


def test_events_are_pruned_of_players_who_are_still_open() -> None:
    store, rng = SqliteStore(None), Random(6)
    events = [random_event(rng, float(time)) for time in range(20)]
    players = players_of(store)
    for name in ("ann", "bob", "cat"):
        players.submit([Submission("adventure", name, events)])
    assert players.prune(6.0, limit=2)
    assert not players.prune(6.0, limit=2)
    assert [store.load("adventure", name).events for name in ("ann", "bob", "cat")] == [[], [], []]
    assert players_of(store).answer("adventure", "ann").goals == live_belief(events)
    assert players.submit([Submission("adventure", "ann", [EventMessage("swing")])])[0].beliefs[0].seq == 21


class SharedStore(SqliteStore):
    """A store of which each process has a memory of its own."""

    is_shared = True


@settings(max_examples=30)
@given(seed=st.integers(0, 10**9), every=st.sampled_from([2, 500]))
def test_players_who_move_between_processes_carry_beliefs_along(seed: int, every: int) -> None:
    rng, store = Random(seed), SharedStore(None)
    processes = [players_of(store, snapshot_every=every) for _ in range(3)]
    sent: list[EventMessage] = []
    for time in range(30):
        players, what = rng.choice(processes), rng.random()
        if what < 0.05:
            players.forget("ann")
            sent = []
        elif what < 0.1:
            players.prune(6.0)
        elif what < 0.2:
            players.close()
        elif what < 0.4 and sent:
            answer = players.answer("adventure", "ann")
            assert (answer.seq, answer.goals) == (len(sent), live_belief(sent))
        else:
            again = [each for each in sent[-2:] if rng.random() < 0.3]
            new = [
                random_event(rng, float(time) if sent else 0.0, f"{seed}-{time}-{i}")
                for i in range(rng.randrange(1, 3))
            ]
            (outcome,) = players.submit([Submission("adventure", "ann", [*again, *new])])
            sent += new
            assert (outcome.error, outcome.added) == (None, len(new))
            assert outcome.beliefs[-1].goals == live_belief(sent)


def test_a_process_that_is_behind_refuses_nothing_that_is_right() -> None:
    store = SharedStore(None)
    one, two = players_of(store), players_of(store)
    one.submit([Submission("adventure", "ann", [EventMessage("swing", time=100.0)])])
    two.forget("ann")
    (outcome,) = one.submit([Submission("adventure", "ann", [EventMessage("swing", time=1.0)])])
    assert (outcome.error, outcome.beliefs[0].seq) == (None, 1)


def test_a_swapped_model_reaches_other_processes() -> None:
    store = SharedStore(None)
    one, two = players_of(store), players_of(store)
    text = one.shelf.current("adventure").text
    assert one.shelf.put("adventure", "adventure.yaml", text.replace("0.8", "0.6")).version == 2
    assert two.shelf.put("adventure", "adventure.yaml", text.replace("0.8", "0.7")).version == 3
    one.submit([Submission("adventure", "ann", [EventMessage("swing")])])
    assert two.answer("adventure", "ann").version == 3
    one.shelf.refresh()
    assert one.answer("adventure", "ann") == two.answer("adventure", "ann")
