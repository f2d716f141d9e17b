"""Guess the columns of a log: ``guess_columns`` proposes a column file from names and values, with its reasons.

    first rows ──▶ what each field holds (FieldProfile) ──▶ which is the time, the player, … ──▶ YAML with comments

What the values do not decide is a comment in the file, and listed in ``ColumnGuess.undecided``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.files.reading import parse_json
from telos.telemetry.canonical import parse_times
from telos.telemetry.columns import Columns, loads_columns, named_columns
from telos.telemetry.fields import Fields, as_text
from telos.telemetry.sources.opening import Source, SourceLike, open_source
from telos.telemetry.tables import pl

SAMPLE_ROWS = 20_000
MAX_ODD = 0.02  # the share of cells that may be of another kind than the others
MAX_RENAMES = 200  # actions whose names a file lists

# Words that names of columns consist of, the likeliest first.
_WORDS = {
    "time": ("timestamp", "ts", "time", "at", "when", "date", "datetime", "created", "clock", "tick", "frame", "step"),
    "player": (
        "player",
        "user",
        "uid",
        "steamid",
        "account",
        "who",
        "character",
        "avatar",
        "member",
        "actor",
        "person",
    ),
    "session": ("session", "sid", "run", "match", "race", "visit", "episode", "trial", "round", "registration", "life"),
    "action": ("action", "event", "did", "deed", "verb", "act", "activity", "command", "what", "type", "name", "key"),
    "achieved": (
        *("achieved", "achievement", "milestone", "unlock", "unlocked", "won", "completed", "finished", "reached"),
        *("quest", "mission", "trophy", "goal"),
    ),
    "truth": ("truth", "label", "intent", "objective", "goal"),
}
_NEVER = {"time": ("arrival", "server", "submit", "received", "install", "offset", "zone"), "action": ("id", "time")}
_IGNORED = ("version", "ip", "agent", "country", "uuid", "build", "device", "platform", "sdk", "locale", "language")
# What tells the layout of a preset from others with the same words.
_SIGNATURES = {
    "opengamedata": ("session_id", "event_name", "event_data", "event_source", "timestamp"),
    "gameanalytics": ("data.client_ts", "data.user_id", "data.category"),
    "unity": ("EVENT_NAME", "EVENT_TIMESTAMP", "USER_ID", "EVENT_JSON"),
    "playfab": ("EventName", "EntityId", "EventNamespace", "Timestamp"),
    "xapi": ("actor.account.name", "verb.id", "timestamp"),
    "steam": ("steamid", "apiname", "event", "timestamp"),
}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ENDS = re.compile(r"(?i)(complete|finish|achiev|unlock|win|won|success|reach|deliver|goal|found|record)")
_PERSON = re.compile(r"[a-z]{3,}(er|or)\Z")  # driver, farmer, actor
RARE = 0.05  # the share of rows of an action that may end a pursuit


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """What the first rows hold in one field: ``kind`` is bool, int, number, time, text, object or list."""

    name: str
    kind: str
    rows: int
    filled: int
    values: int  # different ones
    low: float = 0.0  # of numbers and times
    high: float = 0.0
    examples: tuple[str, ...] = ()
    odd: int = 0  # cells of another kind, which are bad when the log is read
    example: str = ""  # one of them

    @property
    def words(self) -> list[str]:
        """The words of the last part of the name, small: ``player_id``, ``player.id`` are player and id."""
        rest, _, last = self.name.rpartition(".")
        if last.lower() in ("id", "name", "key"):
            last = f"{rest.rpartition('.')[2]}_{last}"
        return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", last)]

    @property
    def is_identifier(self) -> bool:
        """Whether almost every row has another value."""
        return self.kind in ("text", "int") and self.filled > 20 and self.values > 0.9 * self.filled


@dataclass(slots=True)
class ColumnGuess:
    """A proposed column file: its text, why each column was taken, and what has to be decided by a person."""

    text: str = ""
    reasons: dict[str, str] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)

    @property
    def columns(self) -> Columns:
        """The columns that the text says."""
        return loads_columns(self.text, name="<guess>")


def guess_columns(source: SourceLike) -> ColumnGuess:
    """Propose a column file for a log from its first rows.

    >>> guess = guess_columns({"user_id": ["a", "a", "b"], "ts": [1772366400000, 1772366401000, 1772366402000],
    ...                        "event": ["cast", "walk", "cast"], "gold": [1, 2, 2]})
    >>> guess.columns.player, guess.columns.unit, guess.columns.context["gold"].kind
    ('user_id', 0.001, 'int')
    """
    opened = open_source(source)
    if not opened.names:
        raise TelosError(f"{opened.name}: none of the first lines can be read", "mend the log first")
    sample = _sample(opened)
    if not sample.height:
        raise TelosError(f"{opened.name}: the log is empty", "record one event a line")
    names = [*opened.names, *_entries(opened, sample)]
    fields = Fields(dict(sample.schema))
    cells = {name: sample.select(fields.expression(name).alias(name))[name] for name in names if name in fields}
    profiles = {name: _profile(name, column) for name, column in cells.items()}
    guess = ColumnGuess()
    lines = list(_lines(opened, profiles, cells, guess))
    guess.text = "\n".join(lines) + "\n"
    return guess


def _sample(source: Source) -> pl.DataFrame:
    """Return the first rows of a log, with some of each file."""
    found, rows = [], 0
    for batch in source.batches(source.names):
        found.append(batch.frame.head(SAMPLE_ROWS))
        rows += batch.frame.height
        if rows >= SAMPLE_ROWS:
            break
    return pl.concat(found, how="diagonal_relaxed") if found else pl.DataFrame()


def _entries(source: Source, sample: pl.DataFrame) -> list[str]:
    """Return the nested fields, down to plain values, of structs and of text that holds JSON objects."""
    found: dict[str, None] = {}
    for name, kind in sample.schema.items():
        if isinstance(kind, pl.Struct):
            found.update(dict.fromkeys(_struct_entries(name, kind)))
        elif kind == pl.String:
            texts = sample[name].drop_nulls().head(500).to_list()
            for said in (text for text in texts if text.lstrip().startswith("{")):
                found.update(dict.fromkeys(_object_entries(name, said)))
    return [name for name in found if name not in source.names]


def _struct_entries(name: str, kind: pl.DataType) -> Iterator[str]:
    if not isinstance(kind, pl.Struct):
        yield name
        return
    for each in kind.fields:
        yield from _struct_entries(f"{name}.{each.name}", each.dtype)  # type: ignore[arg-type]


def _object_entries(name: str, text: str) -> Iterator[str]:
    try:
        said = parse_json(text.encode())
    except TelosError:
        return
    yield from _value_entries(name, said)


def _value_entries(name: str, said: object) -> Iterator[str]:
    if isinstance(said, dict):
        for key, value in said.items():
            yield from _value_entries(f"{name}.{key}", value)
    else:
        yield name


def _profile(name: str, cells: pl.Series) -> FieldProfile:
    if cells.dtype.is_nested():
        return FieldProfile(name, "list" if not isinstance(cells.dtype, pl.Struct) else "object", len(cells), 0, 0)
    kind = cells.dtype
    texts = cells.to_frame().select(as_text(pl.col(cells.name), kind).str.strip_chars())[cells.name].drop_nulls()
    texts = texts.filter(texts != "")
    own = (name, len(cells), len(texts), texts.n_unique())
    examples = tuple(texts.value_counts(sort=True)[cells.name].head(8).to_list())
    if not len(texts):
        return FieldProfile(own[0], "text", *own[1:])
    if kind.is_temporal():
        return FieldProfile(own[0], "time", *own[1:], examples=examples)
    numbers = texts.cast(pl.Float64, strict=False)
    odd = texts.filter(numbers.is_null() | numbers.is_nan())
    is_padded = texts.str.contains(r"^[+-]?0[0-9]").any()
    if len(odd) <= MAX_ODD * len(texts) and not is_padded:
        good = numbers.drop_nulls().drop_nans()
        low, high = float(good.min() or 0), float(good.max() or 0)  # type: ignore[arg-type]
        is_whole = kind.is_integer() or (bool((good == good.round(0)).all()) and not texts.str.contains(r"\d\.").any())
        return FieldProfile(own[0], "int" if is_whole else "number", *own[1:], low, high, examples, len(odd), _one(odd))
    odd = texts.filter(~texts.str.to_lowercase().is_in(["true", "false", "yes", "no"]))
    if len(odd) <= MAX_ODD * len(texts):
        return FieldProfile(own[0], "bool", *own[1:], examples=examples, odd=len(odd), example=_one(odd))
    if texts.head(50).str.starts_with("{").all():
        return FieldProfile(own[0], "object", *own[1:])
    odd = texts.head(2000).filter(parse_times(texts.head(2000)).is_null())
    if len(odd) <= MAX_ODD * min(len(texts), 2000):
        return FieldProfile(own[0], "time", *own[1:], examples=tuple(texts.head(1)), odd=len(odd), example=_one(odd))
    return FieldProfile(own[0], "text", *own[1:], examples=examples)


def _one(odd: pl.Series) -> str:
    return str(odd[0]) if len(odd) else ""


# --- which field is what ----------------------------------------------------------------------------------------------


def _ranked(part: str, profiles: dict[str, FieldProfile]) -> list[FieldProfile]:
    """Return the fields whose names speak of a part, the likeliest first."""
    found = []
    for profile in profiles.values():
        words = profile.words
        places = [place for place, word in enumerate(_WORDS[part]) if word in words]
        if not places or (any(word in words for word in _NEVER.get(part, ())) and part == "time"):
            continue
        extra = len(words) - 1 - ("id" in words) + 2 * (part == "action" and "id" in words)
        found.append(((min(places) + 3 * extra + 2 * profile.name.count("."), profile.name), profile))
    return [profile for _, profile in sorted(found, key=lambda each: each[0])]


def _first(part: str, profiles: dict[str, FieldProfile], used: set[str]) -> FieldProfile | None:
    for profile in _ranked(part, profiles):
        if profile.name not in used and _fits(part, profile):
            return profile
    return _by_values(part, profiles, used)


def _by_values(part: str, profiles: dict[str, FieldProfile], used: set[str]) -> FieldProfile | None:
    """Return the field that may be a part whose name says nothing: a person's, or the first with repeated words."""
    fitting = [each for each in profiles.values() if each.name not in used and _fits(part, each)]
    if part == "player":
        return next((each for each in fitting if any(_PERSON.match(word) for word in each.words)), None)
    if part == "action":
        full = [each for each in fitting if each.filled > 0.95 * each.rows and 2 < each.values <= 500]
        return full[0] if full else None
    return None


def _fits(part: str, profile: FieldProfile) -> bool:
    filled = profile.filled / max(profile.rows, 1)
    if part == "time":
        return profile.kind in ("time", "int", "number") and filled > 0.5
    if part in ("player", "session"):
        return profile.kind in ("text", "int") and filled > 0.5 and not profile.is_identifier
    if part == "action":
        return profile.kind == "text" and filled > 0.5 and not profile.is_identifier and profile.values > 1
    if part == "achieved":
        return profile.kind == "text" and 0 < filled < 0.6
    return profile.kind == "text" and profile.values <= 100 and not profile.is_identifier and filled >= 0.6


def _unit(profile: FieldProfile) -> tuple[str, str]:
    """Return the unit to write, empty for seconds, and why."""
    if profile.kind == "time":
        return "", f"dates such as {profile.examples[0] if profile.examples else ''}"
    for limit, unit, said in ((1e17, "0.000001 ms", "ns"), (1e14, "0.001 ms", "µs"), (1e11, "1 ms", "ms")):
        if profile.high >= limit:
            return unit, f"{said} since 1970"
    if profile.high >= 1e8:
        return "", "seconds since 1970"
    return "", f"numbers from {profile.low:g} to {profile.high:g}, taken as seconds; for ticks write a unit"


# --- the file ---------------------------------------------------------------------------------------------------------


def _lines(
    source: Source, profiles: dict[str, FieldProfile], cells: dict[str, pl.Series], guess: ColumnGuess
) -> Iterator[str]:
    rows = max(len(column) for column in cells.values())
    yield f"# Proposed by `telos columns guess` from the first {rows:,} rows of {_base(source.name)}: check each line."
    yield "columns: guessed"
    preset = next((name for name, signs in _SIGNATURES.items() if all(sign in profiles for sign in signs)), "")
    used: set[str] = set()
    base = Columns(action="")
    if preset:
        base = named_columns(preset)
        yield _line(f"preset: {preset}", "its names are those of this layout; the lines below change it")
        guess.reasons["preset"] = preset
        used |= {base.time, base.player, base.session, base.action, base.achieved, *base.drop_values} - {""}
    else:
        yield from _own_lines(profiles, cells, guess, used)
    action = base.action or guess.reasons.get("action", "")
    yield from _achieved_lines(profiles, cells, guess, used, action, has_goal=bool(base.achieved))
    yield from _context_lines(profiles, guess, used)
    if action in cells:
        yield from _rename_lines("actions", _names(cells[action]), base.actions)
    goals = [cells[guess.reasons[part]] for part in ("achieved", "truth") if part in guess.reasons]
    if goals:
        yield from _rename_lines("goals", sorted({name for column in goals for name in _names(column)}), {})


def _own_lines(
    profiles: dict[str, FieldProfile], cells: dict[str, pl.Series], guess: ColumnGuess, used: set[str]
) -> Iterator[str]:
    found: dict[str, FieldProfile] = {}
    for part in ("time", "player", "session", "action"):
        profile = _first(part, profiles, used)
        others = [each.name for each in _ranked(part, profiles) if each is not profile and _fits(part, each)]
        others = [name for name in others if name not in used][:4]
        if profile is None:
            yield from _missing(part, profiles, guess)
            continue
        found[part] = profile
        used.add(profile.name)
        guess.reasons[part] = profile.name
        unit, why = _unit(profile) if part == "time" else ("", f"{profile.values:,} different")
        shown = f"{{column: {_text(profile.name)}, unit: {unit}}}" if unit else _text(profile.name)
        yield _line(f"{part}: {shown}", why + (f"; or one of {', '.join(others)}" if others else ""))
        if part == "time" and profile.kind != "time" and profile.high < 1e8:
            guess.undecided.append(f"is one of {profile.name} a second?")
    if "time" in found:
        yield from _order_lines(found, cells)


def _missing(part: str, profiles: dict[str, FieldProfile], guess: ColumnGuess) -> Iterator[str]:
    if part == "action":
        texts = [each.name for each in profiles.values() if each.kind == "text"][:6]
        guess.undecided.append("which column says what the player did?")
        yield _line("action: CHANGE_ME", f"nothing looks like it; text is in {', '.join(texts) or 'no column'}")
        return
    said = {"time": "rows are taken in their order", "player": "all is one player", "session": "one session a player"}
    guess.undecided.append(f"no column looks like the {part}: {said[part]}")
    yield f"# {part}:  no column looks like it; {said[part]}"


def _order_lines(found: dict[str, FieldProfile], cells: dict[str, pl.Series]) -> Iterator[str]:
    """Say whether rows are late or stand twice."""
    keys = [cells[found[part].name].alias(part) for part in ("player", "session") if part in found]
    time = cells[found["time"].name]
    seconds = parse_times(time) if time.dtype == pl.String else time
    table = pl.DataFrame([*keys, seconds.alias("time")])
    by = [key.name for key in keys]
    change = pl.col("time").diff() < 0
    late = table.select((change.over(by) if by else change).sum()).item() or 0
    if late:
        order = f"order: {{column: {_text(found['time'].name)}, sort: true}}"
        yield _line(order, f"{late:,} rows are earlier than one before of the same player")
    whole = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(cells.values())])
    plain = whole.select(name for name, kind in whole.schema.items() if not kind.is_nested())
    twice = plain.height - plain.n_unique()
    if twice:
        yield _line("duplicates: drop", f"{twice:,} rows stand twice")


def _achieved_lines(
    profiles: dict[str, FieldProfile],
    cells: dict[str, pl.Series],
    guess: ColumnGuess,
    used: set[str],
    action: str,
    *,
    has_goal: bool,
) -> Iterator[str]:
    for part in ("achieved", "truth"):
        profile = _first(part, profiles, used)
        if profile is None or (part == "achieved" and has_goal):
            continue
        has_goal = has_goal or part == "achieved"
        used.add(profile.name)
        guess.reasons[part] = profile.name
        share = profile.filled / profile.rows
        yield _line(f"{part}: {_text(profile.name)}", f"in {share:.0%} of rows: {', '.join(profile.examples[:4])}")
    if has_goal:
        return
    ends = [] if action not in cells else _ending(cells[action])
    guess.undecided.append("which rows achieve a goal, and which? `telos corpus prepare` needs it")
    shown = ", ".join(f"{_text(name)}: GOAL" for name in ends[:6]) or "ACTION: GOAL"
    yield f"# achieved: {{actions: {{{shown}}}}}"
    yield "#   nothing says which rows achieve a goal; name the actions, or `{when: CONDITION, goal: COLUMN}`"


def _context_lines(profiles: dict[str, FieldProfile], guess: ColumnGuess, used: set[str]) -> Iterator[str]:
    facts, left_out, names = [], [], set()
    for profile in profiles.values():
        if profile.name in used or profile.kind == "object":
            continue
        fact = re.sub(r"\W", "_", profile.name.rpartition(".")[2])
        fact = fact if _PLAIN.match(fact) else f"f_{fact}"
        why = _useless(profile)
        if not why and fact in names:
            why = "another fact has this name"
        if why:
            left_out.append(f"{profile.name} ({why})")
            continue
        names.add(fact)
        kind = {"time": "text", "list": "edges"}.get(profile.kind, profile.kind)
        place = kind if fact == profile.name else f"{{column: {_text(profile.name)}, type: {kind}}}"
        about = f"from {profile.low:g} to {profile.high:g}" if kind in ("int", "number") else ""
        about = about or (", ".join(profile.examples[:5]) if kind == "text" else "")
        if profile.odd:
            cells = "1 cell is" if profile.odd == 1 else f"{profile.odd:,} cells are"
            about += f"; {cells} not, such as {profile.example}"
        facts.append(_line(f"  {fact}: {place}", about))
    if facts:
        yield "context:"
        yield from facts
    if left_out:
        yield f"# left out: {', '.join(left_out)}"
        guess.reasons["left out"] = ", ".join(left_out)


def _useless(profile: FieldProfile) -> str:
    if not profile.filled and profile.kind != "list":
        return "empty"
    if profile.values == 1:
        return f"always {profile.examples[0]}"
    if profile.kind == "text" and profile.is_identifier:
        return "different in every row"
    if profile.kind == "time" or profile.words[-1:] == ["id"] or any(word in _IGNORED for word in profile.words):
        return "of the machine, the build or the row"
    return "different in every row" if profile.kind == "int" and profile.low >= 1e8 else ""


def _rename_lines(key: str, names: Sequence[str], known: Mapping[str, str]) -> Iterator[str]:
    """Rename actions and goals that no condition could name, such as ``Start:world``."""
    odd = [name for name in names if not _PLAIN.match(name) and name not in known]
    if not odd or len(odd) > MAX_RENAMES:
        return
    plain: dict[str, str] = {}
    for name in odd:
        short = re.sub(r"\W+", "_", re.sub(r"^\w+://\S*/", "", name)).strip("_") or "unnamed"
        short = short if _PLAIN.match(short) else f"a_{short}"
        plain[name] = short if short not in plain.values() and short not in names else f"{short}_{len(plain)}"
    yield _line(f"{key}:", "so that conditions can name them")
    yield from (f"  {_text(name)}: {short}" for name, short in plain.items())


def _ending(actions: pl.Series) -> list[str]:
    """Return the actions that may achieve goals: those whose names say so, then the rare ones."""
    counts = dict(actions.cast(pl.String).drop_nulls().value_counts(sort=True).rows())
    rare = [name for name, count in counts.items() if name and count < RARE * len(actions)]
    return sorted(rare, key=lambda name: not _ENDS.search(name)) + [
        name for name in counts if name not in rare and _ENDS.search(name)
    ]


def _names(cells: pl.Series) -> Sequence[str]:
    found: list[str] = cells.cast(pl.String).str.strip_chars().drop_nulls().unique().sort().to_list()
    return [name for name in found if name]


def _line(text: str, comment: str) -> str:
    return f"{text:<43} # {' '.join(comment.split())[:110]}" if comment else text


def _text(name: str) -> str:
    """Return a name as YAML text, in quotes where it needs them."""
    is_plain = re.match(r"[A-Za-z_][\w./-]*\Z", name) and name.lower() not in (
        "true",
        "false",
        "null",
        "yes",
        "no",
        "on",
    )
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _base(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]
