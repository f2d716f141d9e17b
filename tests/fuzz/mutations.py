"""Seeded mutations of files (bytes) and of snapshots (plain data): the damage that transfers, editors and attackers do.

`mutate_file` takes the bytes of a good file; gzip files, archives and Parquet tables are also opened, damaged inside
and packed again. `mutate_data` takes plain data as JSON has it, and may put NaN and infinities into it.
"""

import copy
import gzip
import io
import json
import math
import re
import tarfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

EXTREMES = (
    "0", "-0", "-1", "1", "-0.0", "0.5", "1e308", "-1e308", "1e-320", "1e999", "-1e999", ".inf", "-.inf", ".nan",
    "NaN", "Infinity", "nan", "inf", "2147483648", "9007199254740993", "9223372036854775808", "18446744073709551616",
    "1000000000", "99999999999999999999", "1" * 400, "1" * 5000, "0x7f", "0o17", "1_000", "0b1", "1e", "1.2.3", "٣",
)  # fmt: skip
WORDS = (
    "null", "~", "true", "false", "yes", "[]", "{}", "[[]]", "[1, 2]", "{a: 1}", "''", '""', "- x",
    "!!python/object:os.system x", "!!binary aGk=", "!!set {a}", "2020-01-01", "12:30:00", "<<: *a", "&a [*a]", "*a",
    "&a x", "%TAG ! x", "...", "---", "../../etc/passwd", "/dev/zero", "/", ".", "..", "con", "\\u0000", "\\ud800",
    "{x}{x}", "%s%n", "$HOME", "?", ":", "#", "- - - -", "|", ">", "@", "`", "\t", "any", "none", "not", "and or",
    "=>", "!", "+", "*", "exists", "(and)", "(< a)", "- object",
)  # fmt: skip
OPENERS = (
    "[",
    "(",
    "{",
    "((",
    "[{",
    "- ",
    "{a: ",
    '{"a":',
    "not ",
    "!",
    "-",
    "+",
    '"',
    "'",
    "if(",
    "(and ",
    "(not ",
    "> ",
)
BLANKS = (" ", "\t", "\n", "\r", " \n", ",", ";", ".", "0", "_", "x", "\\", "=", "*", "#", "\u00a0", "\ufeff", "{x}")
LINE_ENDS = (b"\r", b"\r\n", b"\n\r", b"\x85", b"\x0b", b"\x0c", b"\xe2\x80\xa8", b"\x00", b"\n\n", b"")
_TOKEN = re.compile(rb"[A-Za-z_][\w-]*|-?\d+(?:\.\d+)?(?:e-?\d+)?|[^\s\w]")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
_KEY = re.compile(rb'[A-Za-z_][\w -]{0,60}"?\s{0,5}:')  # bounded, because it is searched in bombs too
_LARGEST = 300_000  # bytes of a mutated file: bombs repeat less than that


Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]


# --- bytes ------------------------------------------------------------------------------------------------------------


def _flip_bits(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _each in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _set_bytes(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _each in range(rng.choice((1, 2, 5))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.choice(
                (0, 9, 10, 13, 27, 34, 39, 127, 128, 192, 255, 58, 45, 91)
            )
    return bytes(changed)


def _span(data: bytes, rng: Random, largest: int = 200) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randint(1, largest))


def _insert_bytes(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    at, _end = _span(data, rng)
    new = rng.choice(
        (rng.randbytes(rng.randint(1, 30)), b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x1b[31m", b"\x07")
    )
    return data[:at] + new + data[at:]


def _delete_chunk(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    start, end = _span(data, rng, rng.choice((1, 20, 2000)))
    return data[:start] + data[end:]


def _duplicate_chunk(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    start, end = _span(data, rng, rng.choice((4, 60, 2000)))
    times = min(rng.choice((1, 2, 50, 5000)), max(1, _LARGEST // max(1, end - start)))
    return data[:end] + data[start:end] * times + data[end:]


def _truncate(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _empty_or_foreign(data: bytes, rng: Random, pool: Sequence[bytes]) -> bytes:
    return rng.choice(
        (b"", b"\n", b"\x00" * 64, b"\xef\xbb\xbf", b"{}", b"[]", b"null", b"---\n...\n", rng.choice(pool))
    )


# --- lines ------------------------------------------------------------------------------------------------------------


def _shuffle_lines(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.choice((2, 5, 1000))]
    rng.shuffle(part)
    lines[start : start + len(part)] = part
    return b"\n".join(lines)


def _edit_line(data: bytes, rng: Random, pool: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines[at:at] = [lines[at]] * rng.choice((1, 1, 3, min(2000, _LARGEST // (len(lines[at]) + 1))))
    elif how == 2:
        lines[at] = b" " * rng.randint(1, 5) + lines[at]
    elif how == 3:
        lines[at] = lines[at].lstrip()[: rng.randrange(len(lines[at]) + 1)]
    else:
        lines[at:at] = [rng.choice(rng.choice(pool).split(b"\n"))]
    return b"\n".join(lines)


def _change_line_ends(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    end = rng.choice(LINE_ENDS)
    if rng.random() < 0.6:
        return data.replace(b"\n", end)
    parts = data.split(b"\n")
    return b"".join(part + rng.choice((b"\n", end)) for part in parts[:-1]) + parts[-1]


# --- tokens -----------------------------------------------------------------------------------------------------------


def _replaced(data: bytes, found: re.Match[bytes], new: bytes) -> bytes:
    return data[: found.start()] + new + data[found.end() :]


def _pick(pattern: re.Pattern[bytes], data: bytes, rng: Random) -> re.Match[bytes] | None:
    for _each in range(4):
        found = pattern.search(data, rng.randrange(len(data) + 1))
        if found is not None:
            return found
    return pattern.search(data)


def _swap_tokens(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    one, two = _pick(_TOKEN, data, rng), _pick(_TOKEN, data, rng)
    if one is None or two is None:
        return data
    first, second = sorted((one, two), key=lambda each: each.start())
    return _replaced(_replaced(data, second, first[0]), first, second[0])


def _foreign_token(data: bytes, rng: Random, pool: Sequence[bytes]) -> bytes:
    one, two = _pick(_TOKEN, data, rng), _pick(_TOKEN, rng.choice(pool), rng)
    return data if one is None or two is None else _replaced(data, one, two[0])


def _odd_number(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    found = _pick(_NUMBER, data, rng)
    return data if found is None else _replaced(data, found, rng.choice(EXTREMES).encode())


def _odd_word(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    found = _pick(_TOKEN, data, rng)
    word = rng.choice((*WORDS, *EXTREMES)).encode()
    return data + word if found is None else _replaced(data, found, word)


def _odd_value(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Replace what stands after a colon, to the end of its line or item."""
    found = _pick(re.compile(rb":[ \t]+[^\n,}\]]+"), data, rng)
    return data if found is None else _replaced(data, found, b": " + rng.choice((*WORDS, *EXTREMES)).encode())


def _rename_key(data: bytes, rng: Random, pool: Sequence[bytes]) -> bytes:
    found = _pick(_KEY, data, rng)
    if found is None:
        return data
    other = _pick(_KEY, rng.choice((data, rng.choice(pool))), rng)
    new = (
        other[0]
        if other is not None and rng.random() < 0.5
        else rng.choice((b"x:", b"1:", b"[a]:", b"? a\n:", b"'':", b"null:"))
    )
    return _replaced(data, found, new)


def _long_name(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    found = _pick(_TOKEN, data, rng)
    sign = rng.choice(("x", "é", "\u202e", "0", "-", "a/", "a.", "a b "))
    name = (sign * rng.choice((256, 300, 5000, 100_000)))[:100_000].encode()
    return data + name if found is None else _replaced(data, found, name)


def _bomb(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Insert an opening bracket, a blank or the like many times over."""
    found = _pick(_TOKEN, data, rng)
    at = found.start() if found is not None else 0
    sign = rng.choice((*OPENERS, *BLANKS))
    times = rng.choice((30, 300, 3000, 40_000, 100_000))
    middle = sign * min(times, _LARGEST // len(sign.encode()))
    return data[:at] + middle.encode() + data[at:]


def _blanks(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Insert a long run of blanks and then a sign that does not fit: patterns that try every split take for ever."""
    found = _pick(_TOKEN, data, rng)
    at = found.start() if found is not None else 0
    run = rng.choice((" ", " ", "\t", " \t", "a", "1", "-")) * rng.choice((3_000, 10_000, 30_000))
    return (
        data[:at]
        + run.encode()
        + rng.choice(("=", "=", '"', "'", "{", "}", "(", ")", "?", "!", ":", "")).encode()
        + data[at:]
    )


def _aliases(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Give a value an anchor and name it elsewhere, or put a YAML alias bomb in front."""
    if rng.random() < 0.3:
        levels = "".join(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}'] * 9)}]\n" for i in range(1, rng.choice((5, 9, 30))))
        return b"b0: &b0 [x]\n" + levels.encode() + data
    one, two = _pick(re.compile(rb": +"), data, rng), _pick(re.compile(rb": +[^\n]*"), data, rng)
    if one is None or two is None:
        return data
    first, second = sorted((one, two), key=lambda each: each.start())
    return _replaced(_replaced(data, second, b": *a"), first, b": &a ")


def _change_encoding(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    text = data.decode("utf-8", errors="replace")
    how = rng.randrange(7)
    if how == 0:
        return b"\xef\xbb\xbf" + data
    if how == 1:
        return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-7")), errors="replace")
    if how == 2:
        return (text + "é").encode("latin-1", errors="replace")
    at = rng.randrange(len(text) + 1)
    sign = rng.choice(
        (
            "\u2028",
            "\x85",
            "\ufeff",
            "\u202e",
            "\U0001f600",
            "İ",
            "ß",
            "\x1b[2J",
            "\x7f",
            "\u0301" * 500,
            "０",
            "″",
            "—",
        )
    )
    return (text[:at] + sign + text[at:]).encode("utf-8", errors="replace")


def _change_json_line(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Change the parsed value of a line of JSON, or of the whole file, and write it again."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    for place in (at, 0):
        try:
            value = json.loads(lines[place])
        except (ValueError, RecursionError):
            continue
        lines[place] = _dump(mutate_data(value, rng)).encode("utf-8", errors="surrogatepass")
        return b"\n".join(lines)
    return _odd_value(data, rng, ())


def _dump(value: Any) -> str:
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):  # digits beyond the limit
        return json.dumps(str(type(value)))


MUTATIONS: tuple[Mutation, ...] = (
    _flip_bits, _set_bytes, _insert_bytes, _delete_chunk, _duplicate_chunk, _truncate, _empty_or_foreign,
    _shuffle_lines, _edit_line, _edit_line, _change_line_ends, _swap_tokens, _foreign_token, _odd_number, _odd_number,
    _odd_word, _odd_word, _blanks, _odd_value, _odd_value, _rename_key, _long_name, _bomb, _aliases, _change_encoding,
    _change_json_line, _change_json_line,
)  # fmt: skip


def mutate_file(data: bytes, rng: Random, pool: Sequence[bytes], name: str = "") -> bytes:
    """Return a damaged copy of a file; ``pool`` are other files to take parts from, ``name`` tells containers."""
    packed = _repack(data, rng, pool, name) if rng.random() < 0.6 else None
    if packed is not None:
        return packed
    for _each in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = rng.choice(MUTATIONS)(data, rng, pool)[: 4 * _LARGEST]
    return data


# --- containers -------------------------------------------------------------------------------------------------------


def _repack(data: bytes, rng: Random, pool: Sequence[bytes], name: str) -> bytes | None:
    """Damage the contents of a container and pack them again; None if the file is not one."""
    if ".tar" in name:
        return _repack_tar(data, rng, pool, name)
    if name.endswith(".gz"):
        inside = gzip.decompress(data)
        if rng.random() < 0.05:
            inside += inside[-1000:] * 20_000  # a bomb: repetition packs well
        return gzip.compress(mutate_file(inside, rng, pool), 1, mtime=0)
    if name.endswith(".parquet"):
        return _repack_parquet(data, rng, pool)
    return None


def _repack_tar(data: bytes, rng: Random, pool: Sequence[bytes], name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [(each, (archive.extractfile(each) or io.BytesIO()).read()) for each in archive if each.isfile()]
    at = rng.randrange(len(members))
    how = rng.randrange(6)
    if how < 3:
        members[at] = members[at][0], mutate_file(members[at][1], rng, pool)
    elif how == 3:
        members[at][0].name = rng.choice(("../x", "/x", "x" * 300, "a/b/c.pddl", "", "obs.dat", "._obs.dat", "é"))
    elif how == 4:
        members[at][0].type = rng.choice((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, b"z"))
        members[at][0].linkname = "/etc/passwd"
    else:
        members += members[: rng.randint(1, len(members))] * rng.choice((1, 200))
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:bz2" if name.endswith("bz2") else "w:gz") as archive:  # type: ignore[call-overload]
        for info, inside in members:
            info.size = len(inside)
            archive.addfile(info, io.BytesIO(inside))
    return target.getvalue()


def _repack_parquet(data: bytes, rng: Random, pool: Sequence[bytes]) -> bytes | None:
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(data))
    column = rng.choice(frame.columns)
    try:
        match rng.randrange(6):
            case 0:
                frame = frame.drop(column)
            case 1:
                frame = frame.rename({column: rng.choice(("x", "", "x" * 300, *frame.columns))})
            case 2:
                kinds = (pl.Float64, pl.Int8, pl.Boolean, pl.Date, pl.Categorical, pl.Binary, pl.UInt64, pl.Null)
                frame = frame.with_columns(pl.col(column).cast(rng.choice(kinds), strict=False))
            case 3:
                frame = frame.with_columns(
                    pl.lit(rng.choice((None, math.nan, math.inf, -1, "", "x" * 5000))).alias(column)
                )
            case 4:
                frame = frame.with_columns(pl.struct(frame.columns[:2]).alias(column))
            case _:
                frame = pl.read_csv(
                    io.BytesIO(mutate_file(frame.write_csv().encode(), rng, pool)), infer_schema_length=None
                )
        target = io.BytesIO()
        frame.write_parquet(target)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, OSError):
        return None
    return target.getvalue()


# --- plain data -------------------------------------------------------------------------------------------------------

NUMBERS: tuple[Any, ...] = (
    math.nan, math.inf, -math.inf, -1, 0, 1, 2, 5, -4, 0.5, -0.0, 1e308, -1e308, 1e-320, 10**20, -(10**20), 10**400,
    2**53 + 1, True,
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, "", "x", "x" * 300, "\ud800", "nan", "1", [], {}, [[]], [None], ["x"], {"a": 1}, {"": None},
    [math.nan], *NUMBERS,
)  # fmt: skip


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every entry of nested data, as the list or mapping that it is in and its index or key."""
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        each = waiting.pop()
        inside = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        for key, value in inside:
            found.append((each, key))
            waiting.append(value)
    return found


def mutate_data(data: Any, rng: Random) -> Any:
    """Return a copy of plain data with one to three entries dropped, renamed, replaced, moved or repeated."""
    data = copy.deepcopy(data)
    for _each in range(rng.choice((1, 1, 1, 2, 3))):
        found = places(data)
        if not found or rng.random() < 0.01:
            return rng.choice(ODD_VALUES)
        holder, key = _pick_place(found, rng)
        _change_entry(holder, key, found, rng)
    return data


def _pick_place(found: list[tuple[Any, Any]], rng: Random) -> tuple[Any, Any]:
    """Pick a holder first and then an entry of it, so that long lists do not take all the changes."""
    if rng.random() < 0.5:
        return rng.choice(found)
    holders = list({id(holder): holder for holder, _ in found}.values())
    holder = rng.choice(holders)
    return holder, rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))


def _change_entry(holder: Any, key: Any, found: list[tuple[Any, Any]], rng: Random) -> None:
    value = holder[key]
    match rng.randrange(10):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            other, name = rng.choice(found)
            holder[rng.choice(("x", "", "0", "x" * 300, name if isinstance(other, dict) else "y"))] = holder.pop(key)
        case 2 if isinstance(holder, dict):
            holder["unknown"] = rng.choice(ODD_VALUES)
        case 1 | 2:
            holder[key:key] = [value] * rng.choice((1, 2, 100))
        case 3 | 4 if isinstance(value, int | float):
            holder[key] = rng.choice(NUMBERS)
        case 3 if isinstance(value, list):
            rng.shuffle(value)
        case 4 if isinstance(value, list):
            del value[rng.randrange(len(value) + 1) :]
        case 5:
            other, name = rng.choice(found)
            holder[key] = copy.deepcopy(other[name])
        case 6:
            holder[key] = [value]
        case 7 if isinstance(value, int | float) and not isinstance(value, bool):
            near = abs(value) < 10**200
            holder[key] = rng.choice((-value, value + 1, *((str(value), value * 1e9, float(value)) if near else ())))
        case _:
            holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
