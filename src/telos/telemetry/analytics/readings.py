"""Readings of a whole log: after the fact, what each player was after at each event, and how surprising that was.

Every session is read forward and backward, because an analysis knows how it went on. The rows of a session have to be
together for that: ``whole_sessions`` keeps memory bounded by sorting a large log into files first.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from telos.files import temporary_folder
from telos.recognition.bulk.encoders import column_encoder
from telos.telemetry.bulk.batches import PLAYER, SESSION, TIME, check_frame
from telos.telemetry.bulk.encoding import BatchEncoder
from telos.telemetry.bulk.reading import spread
from telos.telemetry.ordering import REMEDY
from telos.telemetry.tables import guard_polars

ROWS_AT_ONCE = 2_000_000
_ACHIEVED = "goal"  # the column of logs


def find_readings(frame: pl.DataFrame, model: object, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """Return the readings of whole sessions, in the order of players and time; ``keep`` names columns to keep.

    ``read`` is the likeliest goal given all events of the session, ``certainty`` its chance, and ``surprise`` the share
    of the belief that the later events have moved.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: ffbm, goals: [level, town], actions: [swing, stop], context: {},"
    ...     " transitions: {lasts: 5 updates}, outcomes: {swung: action == swing, other: true},"
    ...     " observations: {level: {swung: 0.9, other: 0.1}, town: {swung: 0.1, other: 0.9}}}")
    >>> log = pl.DataFrame({"time": [0.0, 1.0, 2.0], "action": ["stop", "swing", "swing"]})
    >>> find_readings(log, model)["read"].to_list()
    ['town', 'level', 'level']
    """
    checked = check_frame(frame).sort(PLAYER, SESSION, TIME, maintain_order=True)
    encoder = column_encoder(model)
    batch = BatchEncoder(encoder).encode(checked)
    before = np.tile(np.array(encoder.prior), (len(batch.slots), 1))
    live = batch.evidence.filter(batch.offsets, before).beliefs
    late = batch.evidence.smooth(batch.offsets, before).beliefs
    moved = spread(batch, np.abs(live - late).sum(axis=1, keepdims=True) / 2, np.zeros((len(batch.slots), 1)))
    beliefs = spread(batch, late, before)
    achieved = pl.col(_ACHIEVED) if _ACHIEVED in checked.columns else pl.lit(None, pl.String)
    return checked.select(
        PLAYER,
        session=pl.col(SESSION).replace("", None),
        time=pl.col(TIME),
        read=pl.Series(list(encoder.goals), dtype=pl.String).gather(beliefs.argmax(axis=1)),
        certainty=pl.Series(beliefs.max(axis=1)),
        achieved=achieved.cast(pl.String),
        surprise=pl.Series(moved[:, 0]),
        **{name: pl.col(name) for name in keep},
    )


def whole_sessions(batches: Iterable[pl.DataFrame], *, rows_at_once: int = ROWS_AT_ONCE) -> Iterator[pl.DataFrame]:
    """Yield the rows of a log in frames of whole players; a log of more than ``rows_at_once`` goes through files."""
    held, count, source = [], 0, iter(batches)
    for batch in source:
        held.append(batch)
        count += batch.height
        if count > rows_at_once:
            yield from _by_files(held, source, rows_at_once)
            return
    if held:
        yield pl.concat(held)


def _by_files(held: list[pl.DataFrame], rest: Iterable[pl.DataFrame], rows_at_once: int) -> Iterator[pl.DataFrame]:
    """Deal the rows by player into more parts than are needed, and yield as many of them together as fit."""
    parts, sizes = 64, [0] * 64
    with temporary_folder("telos-sessions-") as folder:
        for number, batch in enumerate(_both(held, rest)):
            dealt = batch.with_columns(part=pl.col(PLAYER).fill_null("player").hash(0) % parts)
            for (part,), rows in dealt.partition_by("part", as_dict=True, include_key=False).items():
                with guard_polars("the log cannot be dealt by player", REMEDY):
                    rows.write_parquet(folder / f"{part}-{number}.parquet", compression="lz4")
                sizes[int(part)] += rows.height
        for group in _groups(sizes, rows_at_once):
            files = sorted(
                (file for part in group for file in folder.glob(f"{part}-*.parquet")),
                key=lambda file: int(file.stem.partition("-")[2]),
            )
            yield pl.concat([pl.read_parquet(file) for file in files])


def _both(held: list[pl.DataFrame], rest: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    while held:
        yield held.pop(0)
    yield from rest


def _groups(sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the numbers of parts that together have at most ``most`` rows, if one alone has not more."""
    group, rows = list[int](), 0
    for part, size in enumerate(sizes):
        if group and rows + size > most:
            yield group
            group, rows = [], 0
        if size:
            group.append(part)
            rows += size
    if group:
        yield group
