"""Canonical columns: rows of any table as player, session, time, action, goal, truth and the facts of the game.

A ``Converter`` turns raw batches into batches of these columns and counts the rows that have a fault. Everything is
done on whole columns.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.core.expressions import names_in
from telos.core.values import FrozenMap
from telos.recognition.files.schema import Kind
from telos.recognition.measures import MAX_VALUE
from telos.telemetry.columns import Columns, ContextColumn
from telos.telemetry.fields import Fields, as_expression, as_text, as_value
from telos.telemetry.report import LogReport, RowFault, shown
from telos.telemetry.sources import RawBatch
from telos.telemetry.tables import pl

OWN = ("sequence", "row", "player", "session", "time", "action", "goal", "truth")
_TEXTS = ("player", "session", "action", "goal", "truth")
_YES, _NO = ("true", "1", "yes"), ("false", "0", "no")
_TIMES = ("%+", "%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d", "%+ UTC")
MAX_WORDS = 1000  # different words of a column in a batch that are compared with those that a model knows
DROPPED = "is dropped"  # with a blank, as no fact has one


def context_column(fact: str) -> str:
    """Return the column of a fact in canonical batches: its name, or ``context.NAME`` for one of the own columns.

    >>> context_column("monsters"), context_column("time")
    ('monsters', 'context.time')
    """
    return f"context.{fact}" if fact in OWN else fact


def column_type(kind: Kind) -> pl.DataType:
    """Return the type of the column of a fact.

    >>> column_type("bool"), column_type(("day", "night"))
    (Boolean, Enum(categories=['day', 'night']))
    """
    if not isinstance(kind, str):
        return pl.Enum(kind)
    return {
        "bool": pl.Boolean(),
        "int": pl.Int64(),
        "number": pl.Float64(),
        "text": pl.String(),
        "edges": pl.List(pl.String()),
    }[kind]


class Words(NamedTuple):
    """The actions and goals that rows may say; of an empty list, any.

    With ``several``, a row may say that several goals of ``truths`` were pursued, or none. ``least`` are the facts that
    are measured, each with the least number that it can be.
    """

    actions: tuple[str, ...] = ()
    achieved: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    several: bool = False
    least: Mapping[str, float] = FrozenMap()


ANY_WORDS = Words()
NO_GOAL, JOIN = "none", "+"  # what stands for no goal, and between several


def parse_goals(text: str) -> tuple[str, ...]:
    """Return the goals that a row names.

    >>> parse_goals("talk-cook + test-contaminated"), parse_goals("none")
    (('talk-cook', 'test-contaminated'), ())
    """
    named = tuple(part.strip() for part in text.split(JOIN))
    return () if named == (NO_GOAL,) else named


class _Part(NamedTuple):
    """A fact as expressions: its value, whether a cell has a value that does not fit, and the cell as it stands."""

    value: pl.Expr
    is_bad: pl.Expr | None
    raw: pl.Expr


@dataclass(slots=True)
class Converter:
    """Turns raw batches of one layout into canonical ones.

    ``facts`` says where each fact is and of which type it has to be; ``keep`` names more columns, kept as text. For
    corpora: ``raw`` names more fields by the columns that they become, kept in their own types; with ``marks_dropped``,
    rows to leave out stay if they achieve a goal, with a mark in the column ``DROPPED``.
    """

    columns: Columns
    facts: Mapping[str, ContextColumn]
    keep: Sequence[str] = ()
    words: Words = ANY_WORDS
    raw: Mapping[str, str] = FrozenMap()
    marks_dropped: bool = False
    _clean: frozenset[str] = frozenset()
    _different: dict[str, set[str | None]] = field(default_factory=dict)
    _formats: list[str] = field(default_factory=lambda: list(_TIMES))  # the one that fitted last comes first

    def wanted(self, fields: Fields) -> tuple[str, ...]:
        """Return the columns of a table that are needed; names in expressions that are no columns are labels."""
        found = (fields.root(name) for name in self._names())
        return tuple(dict.fromkeys(filter(None, found)))

    def required(self) -> tuple[str, ...]:
        """Return the names of all fields that a log must have."""
        columns = self.columns
        own = (columns.player, columns.session, columns.time_column, columns.action, columns.achieved, columns.truth)
        facts = (each.column for each in self.facts.values())
        places = (place for _, place in self._kept())
        return tuple(dict.fromkeys(filter(None, (*own, *facts, *columns.drop_values, *places, *self.raw.values()))))

    def _kept(self) -> Iterator[tuple[str, str]]:
        """Yield the columns to keep with their fields: a fact of the column file is where this says."""
        for name in self.keep:
            declared = self.columns.context.get(name)
            yield name, declared.column if declared is not None and declared.column else name

    def _names(self) -> Iterator[str]:
        yield from self.required()
        yield from sorted(names_in(self.columns.when.expression))
        yield from sorted(names_in(self.columns.drop.expression) if self.columns.drop else ())
        for each in self.facts.values():
            yield from sorted(each.columns)

    def convert(self, batch: RawBatch, report: LogReport) -> tuple[pl.DataFrame, pl.Series]:
        """Return the canonical columns of a batch, and which rows are good; faults are counted in the report."""
        fields = Fields(dict(batch.frame.schema))
        self._clean = self._find_clean(batch.frame)
        parts = {fact: _fact(source, fields) for fact, source in self.facts.items()}
        parts |= {fact: _measured(parts[fact], least) for fact, least in self.words.least.items() if fact in parts}
        frame = batch.frame.select(
            *self._own(fields),
            *(part.value.alias(context_column(fact)) for fact, part in parts.items()),
            *(part.is_bad.alias(_bad(fact)) for fact, part in parts.items() if part.is_bad is not None),
            *(as_text(fields.expression(place), fields[place]).alias(name) for name, place in self._kept()),
            *(_own_type(name, fields).alias(alias) for alias, name in self.raw.items()),
            self._dropped(fields).alias(DROPPED),
        )
        times, time_faults = self._times(batch, fields)
        frame = frame.with_columns(times)
        good = self._judge(batch, frame, parts, time_faults, fields, report)
        return frame.select(pl.all().exclude([_bad(fact) for fact in parts])), good

    def left_out(self, frame: pl.DataFrame) -> pl.Series:
        """Return which rows of a canonical batch are neither used nor bad."""
        dropped = frame[DROPPED]
        return dropped & frame["goal"].is_null() if self.marks_dropped else dropped

    def _find_clean(self, frame: pl.DataFrame) -> frozenset[str]:
        """Return the columns of names without blanks around them or empty cells, which need no stripping."""
        own = self.columns
        names = {own.player, own.session, own.action, own.achieved, own.truth, *own.drop_values}
        texts = [name for name in names if frame.schema.get(name) == pl.String]
        self._different = {}
        if not texts:
            return frozenset()
        # Names repeat, so that finding the different ones takes a fifth of the time of stripping all.
        different = (frame.lazy().select(pl.col(name).unique()) for name in texts)
        found = dict(zip(texts, (each.to_series() for each in pl.collect_all(different)), strict=True))
        self._different = {name: set(words) for name, words in found.items() if len(words) <= MAX_WORDS}
        return frozenset(
            name for name, words in found.items() if not ((words.str.strip_chars() != words) | (words == "")).any()
        )

    def _says_only(self, own: str, known: Sequence[str]) -> bool:
        """Whether all rows of the batch say known words, as far as the different ones are at hand."""
        column = {"action": self.columns.action, "truth": self.columns.truth}.get(own, "")
        is_renamed = self.columns.actions if own == "action" else self.columns.goal_names
        if column not in self._clean or column not in self._different or is_renamed:
            return False
        return self._different[column] - {None} <= set(known)

    # --- own columns --------------------------------------------------------------------------------------------------

    def _own(self, fields: Fields) -> Iterator[pl.Expr]:
        columns = self.columns
        yield (self._name(columns.player, fields) if columns.player else pl.lit("player")).alias("player")
        yield (self._name(columns.session, fields) if columns.session else pl.lit(None, pl.String)).alias("session")
        action = self._name(columns.action, fields)
        yield (action.replace(dict(columns.actions)) if columns.actions else action).alias("action")
        yield self._goal(fields).alias("goal")
        truth = self._name(columns.truth, fields) if columns.truth else pl.lit(None, pl.String)
        yield (truth.replace(dict(columns.goal_names)) if columns.goal_names else truth).alias("truth")

    def _name(self, column: str, fields: Fields) -> pl.Expr:
        """Return a field as a name: text without blanks around it, or null."""
        kind = fields[column]
        if kind.is_nested():
            raise TelosError(f"column {column!r} holds {kind}, and names are text", "name another column")
        if kind != pl.String:
            return as_text(fields.expression(column), kind)
        if column in self._clean:
            return fields.expression(column)
        stripped = fields.expression(column).str.strip_chars()
        return pl.when(stripped != "").then(stripped)

    def _goal(self, fields: Fields) -> pl.Expr:
        columns = self.columns
        if columns.goals:
            written = self._name(columns.action, fields)
            found = written.replace_strict(dict(columns.goals), default=None, return_dtype=pl.String)
            if columns.actions:  # by the new name of the action, too
                renamed = written.replace(dict(columns.actions))
                by_name = renamed.replace_strict(dict(columns.goals), default=None, return_dtype=pl.String)
                found = pl.coalesce(found, by_name)
        elif columns.achieved:
            found = self._name(columns.achieved, fields)
        else:
            return pl.lit(None, pl.String)
        if columns.goal_names:
            found = found.replace(dict(columns.goal_names))
        return pl.when(as_expression(columns.when, fields)).then(found)

    def _dropped(self, fields: Fields) -> pl.Expr:
        drop = pl.lit(False) if self.columns.drop is None else as_expression(self.columns.drop, fields)
        for column, values in self.columns.drop_values.items():
            drop |= self._name(column, fields).is_in(list(values)).fill_null(False)
        return drop

    # --- times --------------------------------------------------------------------------------------------------------

    def _times(self, batch: RawBatch, fields: Fields) -> tuple[pl.Series, dict[RowFault, pl.Series]]:
        """Return the times in seconds, and the faults of those that are none."""
        name = self.columns.time_column
        if not name or name not in fields:
            return pl.Series("time", [None] * batch.frame.height, pl.Float64), {}
        raw = batch.frame.select(fields.expression(name)).to_series()
        if raw.dtype == pl.String:
            raw = raw.set(raw.str.strip_chars() == "", None)
        times = self._to_seconds(raw, name).alias("time")
        is_bad = raw.is_not_null() & times.is_null()
        is_nan = ~times.is_finite().fill_null(True)
        if raw.dtype.is_float():  # tables without nulls say nan
            is_nan = raw.is_nan() | raw.is_infinite()
        return times, {
            RowFault.NO_TIME: raw.is_null(),
            RowFault.BAD_TIME: is_bad,
            RowFault.NAN_TIME: is_nan.fill_null(False),
        }

    def _to_seconds(self, raw: pl.Series, name: str) -> pl.Series:
        kind = raw.dtype
        if kind.is_numeric():
            return raw.cast(pl.Float64) * self.columns.unit
        if isinstance(kind, pl.Datetime | pl.Date):
            return raw.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
        if isinstance(kind, pl.Duration | pl.Time):
            return raw.cast(pl.Duration("us") if kind == pl.Duration else pl.Int64).cast(pl.Float64) / (
                1e6 if kind == pl.Duration else 1e9
            )
        if kind == pl.Null:
            return raw.cast(pl.Float64)
        if kind != pl.String:
            raise TelosError(f"column {name!r} holds {kind}, which is no time", "name one with numbers or times")
        return self._parse_times(raw)

    def _parse_times(self, texts: pl.Series) -> pl.Series:
        found = texts.str.strip_chars().cast(pl.Float64, strict=False) * self.columns.unit
        for written in list(self._formats):
            if not (found.is_null() & texts.is_not_null()).any():
                break
            parsed = _parse_iso(texts, written)
            if parsed.null_count() < len(parsed):
                self._formats.remove(written)
                self._formats.insert(0, written)
            found = found.zip_with(found.is_not_null(), parsed)
        return found

    # --- faults -------------------------------------------------------------------------------------------------------

    def _judge(
        self,
        batch: RawBatch,
        frame: pl.DataFrame,
        parts: Mapping[str, _Part],
        time_faults: Mapping[RowFault, pl.Series],
        fields: Fields,
        report: LogReport,
    ) -> pl.Series:
        """Count the faults of a batch; return which rows have none. Rows that are left out are not judged."""
        is_kept = ~self.left_out(frame)
        good = is_kept
        for fault, rows in time_faults.items():
            good &= ~self._count(batch, rows & is_kept, fault, self.columns.time_column, fields, report)
        for fault, own, column in (
            (RowFault.NO_PLAYER, "player", self.columns.player),
            (RowFault.NO_ACTION, "action", self.columns.action),
        ):
            good &= ~self._count(batch, frame[own].is_null() & is_kept, fault, column, fields, report)
        for own, known, fault in (
            ("action", self.words.actions, RowFault.UNKNOWN_ACTION),
            ("goal", self.words.achieved, RowFault.UNKNOWN_GOAL),
            ("truth", self.words.truths, RowFault.UNKNOWN_GOAL),
        ):
            if known and not self._says_only(own, known):
                good &= ~self._count_unknown(batch, frame[own], is_kept, known, fault, report, self.words.several)
        for fact, part in parts.items():
            if part.is_bad is None or not frame[_bad(fact)].any():
                continue
            is_label = not isinstance(self.facts[fact].kind, str)
            rows = frame[_bad(fact)].fill_null(False) & ~frame[DROPPED]
            good &= ~rows
            places = rows.arg_true()
            values = batch.frame.select(part.raw.alias("raw"))["raw"]
            where, wanted = self.facts[fact].column or fact, _kind_text(self.facts[fact].kind)
            if fact in self.words.least:
                wanted = f"a number of 0 to {MAX_VALUE:g}" if self.words.least[fact] == 0 else wanted
            report.add_fault(
                RowFault.UNKNOWN_LABEL if is_label else RowFault.BAD_VALUE,
                len(places),
                ((batch.place(i), f"{where} says {shown(values[i])}, not {wanted}") for i in places),
            )
        return good

    @staticmethod
    def _count_unknown(
        batch: RawBatch,
        said: pl.Series,
        is_kept: pl.Series,
        known: Sequence[str],
        fault: RowFault,
        report: LogReport,
        several: bool,
    ) -> pl.Series:
        words = list(known)
        if several and said.name == "truth":
            words += [text for text in said.drop_nulls().unique() if set(parse_goals(text)) <= set(known)]
        rows = said.is_not_null() & ~said.is_in(words).fill_null(False) & is_kept
        if rows.any():
            examples = ((batch.place(i), _unknown_text(said.name, said[i], known)) for i in rows.arg_true())
            report.add_fault(fault, int(rows.sum()), examples)
        return rows

    @staticmethod
    def _count(
        batch: RawBatch, rows: pl.Series, fault: RowFault, column: str, fields: Fields, report: LogReport
    ) -> pl.Series:
        if rows.any():
            values = batch.frame.select(fields.expression(column).alias("raw"))["raw"]
            examples = ((batch.place(i), f"{column} says {shown(values[i])}") for i in rows.arg_true())
            report.add_fault(fault, int(rows.sum()), examples)
        return rows


def _unknown_text(own: str, word: str, known: Sequence[str]) -> str:
    said = f"{_OWN_SAID[own]} {shown(word)}"
    if own != "truth" or (JOIN not in word and word.strip() != NO_GOAL):
        return f"{said}; {name_hint(word, known)}"
    strange = next((goal for goal in parse_goals(word) if goal not in known), None)
    if strange is not None:
        return f"{said}, and no goal is {shown(strange)}; {name_hint(strange, known)}"
    return f"{said}; several goals at once, or none, are for a file of the kind `recognizer: concurrent`"


_OWN_SAID = {"action": "the action is", "goal": "the goal achieved is", "truth": "the goal pursued is"}


def _bad(fact: str) -> str:
    return f"is bad {fact}"


def _own_type(name: str, fields: Fields) -> pl.Expr:
    """Return a field as it stands; an empty cell is null in every format, because CSV cannot distinguish the two."""
    field = fields.expression(name)
    return pl.when(field != "").then(field) if fields[name] == pl.String else field


def parse_times(texts: pl.Series) -> pl.Series:
    """Return text as seconds: numbers as they are, dates in any of the usual ways since 1970, null for others.

    >>> parse_times(pl.Series(["12.5", "1970-01-01T00:01:00Z", "soon"])).to_list()
    [12.5, 60.0, None]
    """
    found = texts.str.strip_chars().cast(pl.Float64, strict=False)
    for written in _TIMES:
        if not (found.is_null() & texts.is_not_null()).any():
            break
        found = found.zip_with(found.is_not_null(), _parse_iso(texts, written))
    return found


def _parse_iso(texts: pl.Series, written: str) -> pl.Series:
    """Return times as seconds since 1970; those in another format are null. A time without a zone is in UTC."""
    if written.endswith(" UTC"):
        texts, written = texts.str.replace(r"\s*UTC$", "Z"), written.removesuffix(" UTC")
    if written == "%Y-%m-%d":
        days = texts.str.to_date(written, strict=False)
        return days.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
    parsed = texts.str.to_datetime(written, strict=False, time_unit="us", time_zone="UTC")
    return parsed.dt.epoch("us").cast(pl.Float64) / 1e6


# --- facts ------------------------------------------------------------------------------------------------------------


def _fact(source: ContextColumn, fields: Fields) -> _Part:
    if source.value is not None:
        field, kind = as_value(source.value, fields)
    else:
        field, kind = fields.expression(source.column), fields[source.column]
    if not isinstance(source.kind, str):
        return _labels(field, kind, source.kind)
    return _READERS[source.kind](field, kind)


def _measured(part: _Part, least: float) -> _Part:
    """Return a fact whose numbers are bad if they are below the least one, or too large to be measured."""
    is_beyond = (part.value.abs() > MAX_VALUE) | (part.value < least)
    return part._replace(is_bad=is_beyond if part.is_bad is None else part.is_bad | is_beyond)


def _labels(field: pl.Expr, kind: pl.DataType, labels: tuple[str, ...]) -> _Part:
    if kind == pl.Boolean:
        field, kind = field.cast(pl.String).str.to_lowercase(), pl.String()
    text = as_text(field, kind).str.strip_chars()
    value = text.cast(pl.Enum(labels), strict=False)
    return _Part(value, text.is_not_null() & value.is_null(), field)


def _bool(field: pl.Expr, kind: pl.DataType) -> _Part:
    if kind == pl.Boolean:
        return _Part(field, None, field)
    if kind.is_numeric():
        number = _without_nan(field, kind)
        value = pl.when(number == 0).then(False).when(number == 1).then(True)
        return _Part(value, number.is_not_null() & value.is_null(), field)
    text = as_text(field, kind).str.strip_chars().str.to_lowercase()
    value = pl.when(text.is_in(_YES)).then(True).when(text.is_in(_NO)).then(False)
    return _Part(value, text.is_not_null() & value.is_null(), field)


def _int(field: pl.Expr, kind: pl.DataType) -> _Part:
    if kind.is_integer() or kind == pl.Boolean:
        value = field.cast(pl.Int64, strict=False)
        return _Part(value, None if kind.is_signed_integer() else field.is_not_null() & value.is_null(), field)
    if kind.is_numeric():
        number = _without_nan(field, kind)
        return _Part(_whole(number), number.is_not_null() & _whole(number).is_null(), field)
    text = as_text(field, kind).str.strip_chars()
    value = pl.coalesce(text.cast(pl.Int64, strict=False), _whole(text.cast(pl.Float64, strict=False)))
    return _Part(value, text.is_not_null() & value.is_null(), field)


def _whole(number: pl.Expr) -> pl.Expr:
    return pl.when(number.is_finite() & (number == number.round(0))).then(number).cast(pl.Int64, strict=False)


def _number(field: pl.Expr, kind: pl.DataType) -> _Part:
    if kind.is_numeric() or kind == pl.Boolean:
        number = _without_nan(field.cast(pl.Float64), pl.Float64())
        return _Part(number, None if not kind.is_float() else number.is_infinite().fill_null(False), field)
    if kind.is_temporal():
        raise TelosError(f"a fact of the type number is in a column of {kind}", "name another column")
    text = as_text(field, kind).str.strip_chars()
    value = text.cast(pl.Float64, strict=False)
    return _Part(value, text.is_not_null() & ~value.is_finite().fill_null(False), field)


def _without_nan(field: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Return a number, and null where a table without nulls says nan."""
    return field.fill_nan(None) if kind.is_float() else field


def _text(field: pl.Expr, kind: pl.DataType) -> _Part:
    if kind.is_nested():
        raise TelosError(f"a fact of the type text is in a column of {kind}", "name an entry of it")
    text = as_text(field, kind)
    return _Part(pl.when(text != "none").then(text), None, field)  # so that conditions can ask `held == none`


def _edges(field: pl.Expr, kind: pl.DataType) -> _Part:
    if isinstance(kind, pl.List | pl.Array):
        return _Part(field.cast(pl.List(pl.String)), None, field)
    text = as_text(field, kind).str.replace_all(r'[\[\]",]', " ").str.strip_chars()
    return _Part(pl.when(text != "").then(text.str.replace_all(r"\s+", " ").str.split(" ")), None, field)


_READERS = {"bool": _bool, "int": _int, "number": _number, "text": _text, "edges": _edges}


def _kind_text(kind: Kind) -> str:
    said = {"bool": "true or false", "int": "a whole number", "number": "a finite number"}
    return said.get(kind, kind) if isinstance(kind, str) else f"one of {', '.join(kind)}"


# --- where facts are --------------------------------------------------------------------------------------------------


def find_facts(
    columns: Columns,
    context: Mapping[str, Kind] | None,
    fields: Fields,
    *,
    is_open: bool,
    optional: Collection[str] = (),
) -> dict[str, ContextColumn]:
    """Return where the facts of a log are: those that a model needs, or else those of the column file.

    A needed fact that the column file does not name is in the column of its name, or an entry of the column that
    ``facts`` names, or of ``context``. A fact that is
    nowhere raises a ``TelosError`` that names all of them, unless it is ``optional``; a log that ``is_open`` may have
    it in later rows.
    """
    if context is None:
        return dict(columns.context)
    found: dict[str, ContextColumn] = {}
    missing = []
    for fact, kind in context.items():
        declared = columns.context.get(fact)
        own = [f"{columns.facts}.{fact}"] if columns.facts else []
        places = [fact, *own, f"context.{fact}", f"context_{fact}"]
        if declared is not None:
            found[fact] = ContextColumn(declared.column, kind, declared.value)
        elif place := next((place for place in places if place in fields), None):
            is_list = kind == "text" and isinstance(fields[place], pl.List | pl.Array)  # a model that takes any value
            found[fact] = ContextColumn(place, "edges" if is_list else kind)
        elif is_open:
            other = f"context.{fact}" if "context" in fields else fact
            found[fact] = ContextColumn(own[0] if own else other, kind)
        elif fact not in optional:
            missing.append(fact)
    if missing:
        more = f"; the model also reads {', '.join(map(repr, missing[1:]))}" if missing[1:] else ""
        raise TelosError(
            f"there is no column {missing[0]!r}, which the model reads{more}",
            f"{name_hint(missing[0], fields)}; or name the column under `context` of the column file",
        )
    return found
