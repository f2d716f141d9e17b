"""open_log: any table as a stream of events in canonical columns, with a report of all that is wrong with it.

path, folder, glob, frame ──▶ sources ──▶ canonical.py ──▶ ordering.py ──▶ batches
                                           types, faults     sequences, late rows, duplicates
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.reading import FilePath
from telos.recognition.files.schema import Kind
from telos.telemetry.canonical import ANY_WORDS, DROPPED, Converter, Words, column_type, context_column, find_facts
from telos.telemetry.columns import DROP, Columns, named_columns
from telos.telemetry.fields import Fields
from telos.telemetry.ordering import Flags, RowOrder, Sequences, sort_rows
from telos.telemetry.report import LogReport, RowFault
from telos.telemetry.sources import RawBatch, Source, open_source
from telos.telemetry.sources.opening import SourceLike, schema_of
from telos.telemetry.tables import guard_batches, pl

Progress = Callable[[int], object]


@dataclass(slots=True, eq=False)
class Log:
    """The events of a log, as batches of canonical columns.

    Every batch is a polars frame with the columns of ``schema``:

    ===========  =========  ==========================================================================================
    sequence     UInt32     number of the player's session, in the order in which they first stand in the log
    row          Int64      number of the row in the source, from 0, so that results can be joined to it
    player       String     never null
    session      String     null if the log has none
    time         Float64    seconds, finite; never runs backwards within a sequence (the number of the row, if there
                            is no time)
    action       String     never null
    goal         String     the goal that this action achieved, or null
    truth        String     the goal that the player pursued (the label to train and score by), or null if unknown
    *facts*      by kind    Boolean, Int64, Float64, String, Enum (labels) or List(String) (edges); null is "not said",
                            which models take as the start value of its type
    *keep*       String     other columns of the source that were asked for
    *raw*        as it is   fields that were asked for under other names, for corpora; and a mark of dropped rows
    ===========  =========  ==========================================================================================

    A fact is in the column ``column(fact)``: its name, or ``context.NAME`` if it is called as one of the first eight.
    Rows of several sequences may be mixed in a batch, and sequences go on in later batches. Memory is bounded by the
    batches and a few numbers for each sequence; if the rows are to be sorted, parts of them go to temporary files.

    ``batches`` may be called again; each call reads the source from its start. ``report`` is that of the last call,
    and is complete at its end. Bad rows are skipped and counted if ``skip_bad``; else ``batches`` yields nothing from
    the first one on, and raises a ``TelosError`` at the end that tells of all.
    """

    name: str
    columns: Columns
    context: Mapping[str, Kind]
    keep: tuple[str, ...]
    skip_bad: bool
    is_sorted: bool  # the rows are put in order; else late rows are bad
    report: LogReport
    _source: Source
    _converter: Converter
    _fields: Fields
    _optional: frozenset[str] = frozenset()
    checks: list[Callable[[LogReport], object]] = field(default_factory=list)  # called at the end; they may add notes

    @property
    def schema(self) -> pl.Schema:
        """Return the types of the canonical columns."""
        own = {"sequence": pl.UInt32(), "row": pl.Int64(), "player": pl.String(), "session": pl.String()}
        own |= {"time": pl.Float64(), "action": pl.String(), "goal": pl.String(), "truth": pl.String()}
        facts = {context_column(fact): column_type(kind) for fact, kind in self.context.items()}
        raw = {alias: self._fields[name] for alias, name in self._converter.raw.items()}
        marks = {DROPPED: pl.Boolean()} if self._converter.marks_dropped else {}
        return pl.Schema({**own, **facts, **dict.fromkeys(self.keep, pl.String()), **raw, **marks})

    @property
    def size(self) -> int:
        """Return the size of the source, in the unit that ``progress`` is told: bytes of files, or rows."""
        return self._source.size

    def column(self, fact: str) -> str:
        """Return the canonical column of a fact."""
        return context_column(fact)

    def batches(self, progress: Progress | None = None) -> Iterator[pl.DataFrame]:
        """Yield the events in batches of some hundred thousand; ``progress`` is told how much has been read."""
        report = self.report = LogReport(notes=list(self._source.notes), is_sorted=self.is_sorted)
        sequences, order = Sequences(), RowOrder()
        rows = self._checked(sequences, order, report, progress)
        if self.is_sorted:
            rows = self._without_twice(sort_rows(rows), report)
        for batch in guard_batches(rows, f"{self.name}: cannot be read"):
            report.kept += batch.height
            if batch.height and (self.skip_bad or not report.bad_rows):
                self._count(batch, report)
                yield batch.select(self.schema.names())
        report.players, report.sequences = sequences.players, sequences.known.height
        self.finish(report)

    def convert(self, batch: RawBatch, report: LogReport) -> pl.DataFrame:
        """Return the good rows of a part of the log in canonical columns, as they stand; faults go to the report.

        The rows are not put in order, and have no numbers of sequences: for parts of a log on different machines.
        """
        rows, good, _ = self._converted(batch, report)
        found = rows.filter(good)
        report.kept += found.height
        self._count(found, report)
        return found.select(name for name in self.schema.names() if name != "sequence")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns of the source that are read."""
        return self._converter.wanted(self._fields)

    def finish(self, report: LogReport) -> None:
        """Refuse a log that has been read if it has bad rows that are not skipped, or nothing is left of it."""
        if report.bad_rows and not self.skip_bad:
            raise report.refusal(self.name)
        self._check_content(report)

    def collect(self) -> pl.DataFrame:
        """Return all events as one table."""
        return pl.concat([self.schema.to_frame(), *self.batches()])

    # --- stages -------------------------------------------------------------------------------------------------------

    def _checked(
        self, sequences: Sequences, order: RowOrder, report: LogReport, progress: Progress | None
    ) -> Iterator[pl.DataFrame]:
        """Yield the good rows with the numbers of their sequences; unsorted logs without late rows and duplicates."""
        for batch in self._source.batches(self._converter.wanted(self._fields)):
            rows, good, numbers = self._converted(batch, report)
            frame = sequences.number(rows if good.all() else rows.filter(good))
            late, most, ties = order.check(frame)
            report.late, report.most_late = report.late + int(late.sum()), max(report.most_late, most)
            if not self.is_sorted:
                if late.any():
                    self._add_late(batch, frame, late, numbers.filter(good), report)
                    frame, ties = frame.filter(~late), ties[~late]
                frame = self._once(frame, order, ties, report)
            if progress is not None:
                progress(batch.position)
            yield frame

    def _converted(self, batch: RawBatch, report: LogReport) -> tuple[pl.DataFrame, pl.Series, pl.Series]:
        """Return the canonical rows of a batch, which are good, and their places in the batch."""
        first = report.rows
        report.rows += batch.frame.height + len(batch.bad)
        report.add_fault(
            RowFault.UNREADABLE, len(batch.bad), ((f"{batch.file}:{each.line}", each.reason) for each in batch.bad)
        )
        frame, good = self._converter.convert(batch, report)
        dropped = int(self._converter.left_out(frame).sum())
        report.dropped += dropped
        report.bad_rows += len(batch.bad) + int((~good).sum()) - dropped
        places = pl.int_range(frame.height, dtype=pl.Int64, eager=True).alias("row")
        frame = frame.with_columns(places + first)
        if not self.columns.time_column:
            frame = frame.with_columns(frame["row"].cast(pl.Float64).alias("time"))
        return frame, good, places

    def _add_late(
        self, batch: RawBatch, frame: pl.DataFrame, late: Flags, places: pl.Series, report: LogReport
    ) -> None:
        column, players = self.columns.time_column, frame["player"]
        times = batch.frame.select(Fields(dict(batch.frame.schema)).expression(column).alias("time"))["time"]
        examples = (
            (batch.place(places[i]), f"{column} runs backwards for player {players[i]!r}, to {times[places[i]]}")
            for i in np.flatnonzero(late).tolist()
        )
        report.add_fault(RowFault.LATE, int(late.sum()), examples)
        report.bad_rows += int(late.sum())

    def _without_twice(self, batches: Iterator[pl.DataFrame], report: LogReport) -> Iterator[pl.DataFrame]:
        order = RowOrder()
        for frame in batches:
            yield self._once(frame, order, order.check(frame).ties, report)

    def _once(self, frame: pl.DataFrame, order: RowOrder, ties: Flags, report: LogReport) -> pl.DataFrame:
        """Count the rows that stand twice, and drop them if the column file says so."""
        if not self.columns.time_column:
            return frame
        compared = [name for name in frame.columns if name not in ("row", DROPPED)]
        twice = order.duplicates(frame, compared, ties)
        report.duplicates += int(twice.sum())
        if self.columns.duplicates != DROP or not twice.any():
            return frame
        report.dropped += int(twice.sum())
        report.dropped_duplicates += int(twice.sum())
        return frame.filter(~twice)

    def _count(self, batch: pl.DataFrame, report: LogReport) -> None:
        for name, counter in (("action", report.actions), ("goal", report.goals), ("truth", report.truths)):
            _add_counts(counter, batch[name])
        for fact in self.context:
            column = batch[context_column(fact)]
            report.filled[fact] += len(column) - column.null_count()

    def _check_content(self, report: LogReport) -> None:
        if not report.rows:
            raise TelosError(f"{self.name}: the log is empty", "record one event a line")
        if not report.kept:
            raise TelosError(f"{self.name}: no row of the log is left", "\n".join(report.lines()))
        never = [fact for fact in self.context if not report.filled[fact] and fact not in self._optional]
        if never:
            names = ", ".join(repr(self._converter.facts[fact].column or fact) for fact in never)
            report.note(f"no row says anything in {names}")
        for check in self.checks:
            check(report)


def _add_counts(counter: Counter[str], column: pl.Series) -> None:
    if column.null_count() == len(column):
        return
    for name, count in column.value_counts().iter_rows():
        if name is not None:
            counter[name] += count


def open_log(
    source: SourceLike,
    columns: Columns | FilePath | None = None,
    *,
    context: Mapping[str, Kind] | None = None,
    optional: Collection[str] = (),
    words: Words = ANY_WORDS,
    keep: Sequence[str] = (),
    skip_bad: bool = False,
    sort: bool | None = None,
    drop_duplicates: bool | None = None,
    raw: Mapping[str, str] = FrozenMap(),
    marks_dropped: bool = False,
) -> Log:
    """Open the log of any game as a stream of events in canonical columns; see ``Log``.

    ``source`` is a file (CSV, JSON Lines, both also ``.gz`` and ``.zst``, or Parquet), a folder, a pattern with ``*``,
    a list of these, a polars frame (eager or lazy), a pandas frame, an Arrow table, or anything with Arrow's stream
    interface. ``columns`` says what its columns are: a ``Columns``, a column file or the name of a preset; a log that
    uses Telos' own names needs none.

    ``context`` are the facts that are needed, each with its type, as a model declares them; those of the column file if
    left out; a log may lack those in ``optional``. ``words`` are the actions and goals that rows may say. ``keep``
    names more columns of the source, and ``raw`` fields by the names of their columns, which keep their types.
    ``marks_dropped`` passes on rows that are left out, but achieve a goal. ``skip_bad`` goes on without the bad rows.
    ``sort`` and ``drop_duplicates`` override what the column file says.

    >>> log = open_log({"player": ["ann", "ann"], "time": ["0", "1.5"], "action": ["walk", "shop"], "gold": ["3", ""]},
    ...                context={"gold": "int"})
    >>> log.collect().rows()
    [(0, 0, 'ann', None, 0.0, 'walk', None, None, 3), (0, 1, 'ann', None, 1.5, 'shop', None, None, None)]
    """
    described = named_columns(columns) if isinstance(columns, str | os.PathLike) else columns
    opened = open_source(source, delimiter=described.delimiter if described else "")
    fields = Fields(schema_of(opened))
    if described is None:
        try:
            described = own_columns(opened.names)
        except TelosError as error:
            raise error.at(opened.name) from None
    if drop_duplicates is not None:
        described = replace(described, duplicates=DROP if drop_duplicates else "keep")
    try:
        facts = find_facts(described, context, fields, is_open=opened.is_open, optional=optional)
    except TelosError as error:
        raise error.at(opened.name) from None
    converter = Converter(described, facts, tuple(keep), words, dict(raw), marks_dropped)
    _check_fields(converter, fields, opened)
    return Log(
        opened.name,
        described,
        {fact: each.kind for fact, each in facts.items()},
        tuple(keep),
        skip_bad,
        described.sort if sort is None else sort,
        LogReport(),
        opened,
        converter,
        _open_fields(converter, fields, opened),
        frozenset(optional),
    )


def is_corpus(names: Collection[str]) -> bool:
    """Whether a table with these columns is a prepared corpus."""
    return {"player", "step", "action", "goal", "fold"} <= set(names)


def own_columns(names: Sequence[str]) -> Columns:
    """Return the columns of a table that uses Telos' own names: an event log, or a prepared corpus.

    >>> own_columns(["player", "step", "action", "near", "goal", "fold"]).truth
    'goal'
    """
    if "action" not in names:
        remedies = name_hint("action", names), "say what the columns are, with a column file: telos columns guess LOG"
        raise TelosError("there is no column 'action'", "; or ".join(filter(None, remedies)))
    is_labelled = "fold" in names and "truth" not in names  # a corpus: its goals are labels, not achievements
    achieved = next((name for name in ("achieved", "goal") if name in names), "")
    return Columns(
        action="action",
        time=next((name for name in ("time", "step") if name in names), ""),
        player="player" if "player" in names else "",
        session="session" if "session" in names else "",
        achieved="" if is_labelled else achieved,
        truth="goal" if is_labelled and "goal" in names else "truth" if "truth" in names else "",
    )


def _check_fields(converter: Converter, fields: Fields, source: Source) -> None:
    """Refuse a log that lacks columns, and name all of them; a log of JSON may have them in later lines."""
    missing = [name for name in converter.required() if name not in fields]
    if source.is_open:
        missing = [name for name in missing if name == converter.columns.action]
    if missing:
        more = f", nor {', '.join(map(repr, missing[1:]))}" if missing[1:] else ""
        hint = name_hint(missing[0], source.names)
        if is_corpus(source.names):
            hint = "this is a prepared corpus, which needs no column file: leave --columns out"
        raise TelosError(f"{source.name}: there is no column {missing[0]!r}{more}", hint)


def _open_fields(converter: Converter, fields: Fields, source: Source) -> Fields:
    """Return the fields with those that later lines of JSON may have."""
    if not source.is_open:
        return fields
    later = {name.split(".")[0]: pl.String() for name in converter.required() if name not in fields}
    return Fields({**later, **{name: fields[name] for name in fields}})
