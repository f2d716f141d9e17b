"""Frames of events as columns of numbers: ``BatchColumns``.

A frame has the columns ``player``, ``session``, ``time``, ``action`` and ``goal`` (the goal achieved), one for each
context entry (``context.NAME`` for one that is called as a column of every log), and ``truth`` (the goal pursued) where
it is known. Text becomes indices into labels that are the same in all batches of a log.
"""

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError, name_hint
from telos.core.values import MAX_FLOAT, Type, Value, ValueKind
from telos.recognition.bulk.columns import NO_LABEL, Column, ColumnNeeds, EventColumns, measured
from telos.recognition.measures import MAX_VALUE
from telos.recognition.measures.measure import value_message
from telos.telemetry.canonical import context_column
from telos.telemetry.tables import pl

PLAYER, SESSION, TIME, ACTION, ACHIEVED, TRUTH = "player", "session", "time", "action", "goal", "truth"
ROW = "row"  # the number of a row in its log, in frames that are parts of one
OWN_COLUMNS = (PLAYER, SESSION, TIME, ACTION, ACHIEVED, TRUTH)
_SEPARATOR = "\x1f"  # between the parts of a list that stands for one label


class Labels:
    """The labels of one column, numbered in the order in which they appear.

    >>> labels = Labels(["swing"])
    >>> labels.codes(pl.Series(["stop", None, "swing"])).tolist(), labels.values
    ([1, -1, 0], ['swing', 'stop'])
    """

    def __init__(self, known: Sequence[str] = ()) -> None:
        self.values: list[Value] = list(known)
        self._texts: list[str] = list(known)
        self._numbers: dict[str, int] = {text: number for number, text in enumerate(known)}

    def codes(self, series: pl.Series) -> NDArray[np.int32]:
        """Return the code of each value, ``NO_LABEL`` for null; new values become labels."""
        texts = _as_texts(series)
        coded = self._cast(texts)
        if coded.null_count() > texts.null_count():
            is_new = coded.is_null() & texts.is_not_null()
            self._add(series.filter(is_new), texts.filter(is_new))
            coded = self._cast(texts)
        found: NDArray[np.int32] = coded.fill_null(NO_LABEL).to_numpy(writable=True)
        return found

    def written(self, codes: NDArray[np.int32]) -> pl.Series:
        """Return the labels of codes as JSON, null for ``NO_LABEL``; for states that are saved."""
        known = [json.dumps(value, ensure_ascii=False) for value in self.values]
        return pl.Series([*known, None], dtype=pl.String).gather(np.where(codes < 0, len(known), codes))

    def read(self, written: pl.Series) -> NDArray[np.int32]:
        """Return the codes of labels as ``written`` returned them."""
        texts = written.drop_nulls().unique(maintain_order=True)
        values = [json.loads(text) for text in texts.to_list()]
        codes = [self.code(tuple(value) if isinstance(value, list) else value) for value in values]
        found = written.replace_strict(texts, codes, default=NO_LABEL, return_dtype=pl.Int32)
        return found.to_numpy(writable=True)

    def code(self, value: Value) -> int:
        """Return the code of one value, which may be a new one."""
        if value is None:
            return NO_LABEL
        text = _text_of(value)
        if text not in self._numbers:
            self._append(value, text)
        return self._numbers[text]

    def _append(self, value: Value, text: str) -> None:
        self._numbers[text] = len(self._texts)
        self.values.append(tuple(value) if isinstance(value, list) else value)
        self._texts.append(text)

    def _cast(self, texts: pl.Series) -> pl.Series:
        return texts.cast(pl.Enum(self._texts), strict=False).to_physical().cast(pl.Int32)

    def _add(self, values: pl.Series, texts: pl.Series) -> None:
        fresh = pl.DataFrame({"value": values, "text": texts}).unique("text", maintain_order=True)
        for value, text in fresh.iter_rows():
            self._append(value, text)


def _text_of(value: Value) -> str:
    """Return a value as polars casts it to text."""
    if isinstance(value, tuple):
        return _SEPARATOR.join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_texts(series: pl.Series) -> pl.Series:
    if isinstance(series.dtype, pl.List | pl.Array):
        listed = series.cast(pl.List(pl.String))
        return listed.list.join(_SEPARATOR, ignore_nulls=False)
    if series.dtype.is_nested():
        raise TelosError(f"column {series.name!r} holds {series.dtype}", "give text, numbers, truth values or lists")
    return series if series.dtype == pl.String else series.cast(pl.String)


class BatchColumns:
    """Turns frames into what a model reads; the labels are kept from batch to batch."""

    def __init__(self, needs: ColumnNeeds) -> None:
        self.needs = needs
        self.labels = {ACTION: Labels(needs.actions), ACHIEVED: Labels(needs.achieved or ())}
        for name, kind in needs.context.items():
            if kind is None or kind.kind in (ValueKind.ENUM, ValueKind.HANDLE, ValueKind.ANY):
                self.labels[name] = Labels(() if kind is None else kind.labels)

    def columns(self, frame: pl.DataFrame) -> EventColumns:
        """Return the columns of a frame that the model reads, checked."""
        found = {ACTION: self._names(frame, ACTION, self.needs.actions)}
        if self.needs.achieved is not None or self.needs.past:
            found[ACHIEVED] = self._names(frame, ACHIEVED, self.needs.achieved or ())
        for name, minimum in self.needs.measures.items():
            found[measured(name)] = self._measured(frame, name, minimum)
        for name, kind in self.needs.context.items():
            column = context_column(name)
            if column not in frame.columns and name in self.needs.optional:
                continue
            if column not in frame.columns:
                raise TelosError(f"there is no column {name!r}, which the model reads", name_hint(name, frame.columns))
            found[name] = self._entry(frame[column], name, kind)
        return EventColumns(frame.height, found)

    def _measured(self, frame: pl.DataFrame, name: str, minimum: float) -> Column:
        """Return a measured column with NaN where it is null; what cannot be measured is refused with its row."""
        if context_column(name) not in frame.columns:
            raise TelosError(f"there is no column {name!r}, which the model reads", name_hint(name, frame.columns))
        series = frame[context_column(name)]
        if not series.dtype.is_numeric() and series.dtype != pl.Null:
            raise _wrong(name, "number", series)
        numbers: NDArray[np.float64] = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
        is_null = series.is_null().to_numpy()
        wrong = ~is_null & ~((np.abs(numbers) <= MAX_VALUE) & (numbers >= minimum))
        if wrong.any():
            number = int(wrong.argmax())
            row = frame[ROW][number] if ROW in frame.columns else number
            message = value_message("column", name, float(numbers[number]), minimum)
            raise TelosError(f"row {row + 1:,}: {message}", "correct it, or leave the cell empty if not known")
        return Column(numbers)

    def _names(self, frame: pl.DataFrame, name: str, known: Sequence[str]) -> Column:
        series = frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=pl.String)
        labels = self.labels[name]
        codes = labels.codes(series)
        if known and len(labels.values) > len(known):
            unknown = labels.values[len(known)]
            what = "action" if name == ACTION else "goal"
            said = f"unknown action {unknown!r}" if name == ACTION else f"unknown goal {unknown!r} was achieved"
            raise TelosError(f"{said} in column {what!r}", name_hint(str(unknown), known))
        if name == ACTION and len(codes) and int(codes.min()) == NO_LABEL:
            raise TelosError(f"row {int(codes.argmin()) + 1:,} has no action", "leave such rows out")
        return Column(codes, labels.values)

    def _entry(self, series: pl.Series, name: str, kind: Type | None) -> Column:
        start = self.needs.starts.get(name)
        if name in self.labels:
            return self._labelled(series, name, kind, start)
        assert kind is not None
        if kind.kind is ValueKind.BOOL:
            if series.dtype not in (pl.Boolean, pl.Null):
                raise _wrong(name, "bool", series)
            return Column(series.cast(pl.Boolean).fill_null(bool(start)).to_numpy(writable=True))
        if not series.dtype.is_numeric() and series.dtype != pl.Null:
            raise _wrong(name, str(kind), series)
        return Column(_numbers(series, name, kind, start))

    def _labelled(self, series: pl.Series, name: str, kind: Type | None, start: Value) -> Column:
        labels = self.labels[name]
        codes = labels.codes(series)
        if start is not None:
            codes = np.where(codes == NO_LABEL, np.int32(labels.code(start)), codes)
        if kind is not None and kind.labels and len(labels.values) > len(kind.labels):
            unknown = labels.values[len(kind.labels)]
            raise TelosError(f"column {name!r} holds {kind}, not {unknown!r}", name_hint(str(unknown), kind.labels))
        return Column(codes, labels.values)


def _numbers(series: pl.Series, name: str, kind: Type, start: Value) -> NDArray[np.float64] | NDArray[np.int64]:
    if kind.kind is ValueKind.INT or series.dtype.is_integer():
        if not series.dtype.is_integer():
            broken = series.filter((series % 1 != 0).fill_null(False))
            if len(broken):
                raise TelosError(f"column {name!r} holds int, not {broken[0]!r}")
        whole: NDArray[np.int64] = series.cast(pl.Int64).fill_null(int(start)).to_numpy()
        return whole
    numbers: NDArray[np.float64] = series.cast(pl.Float64).fill_null(float(start)).to_numpy()
    if not np.all(np.abs(numbers) <= MAX_FLOAT):
        worst = numbers[~(np.abs(numbers) <= MAX_FLOAT)][0]
        raise TelosError(f"column {name!r} holds number, not {worst}", "clean it, or leave such cells empty")
    return numbers


def _wrong(name: str, kind: str, series: pl.Series) -> TelosError:
    return TelosError(
        f"column {name!r} holds {series.dtype}, and the model reads it as {kind}", "say its type in the column file"
    )


def check_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with all columns of its own; a missing player is ``player``, a missing session is empty."""
    for name in (TIME, ACTION):
        if name not in frame.columns:
            raise TelosError(f"there is no column {name!r}", f"{name_hint(name, frame.columns)}, or give columns=")
    if frame[TIME].null_count() or not frame[TIME].dtype.is_numeric():
        raise TelosError(f"column {TIME!r} must have a number of seconds in each row", "give columns=")
    return frame.with_columns(_text(frame, PLAYER, "player"), _text(frame, SESSION, ""), pl.col(TIME).cast(pl.Float64))


def _text(frame: pl.DataFrame, name: str, default: str) -> pl.Expr:
    if name not in frame.columns:
        return pl.lit(default).alias(name)
    if frame.schema[name].is_nested():
        raise TelosError(f"column {name!r} holds {frame.schema[name]}, and names are text", "give columns=")
    column = pl.col(name) if frame.schema[name] == pl.String else pl.col(name).cast(pl.String)
    return column.fill_null(default)
