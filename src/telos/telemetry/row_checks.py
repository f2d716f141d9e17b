"""Rows that no corpus can be made of: said with their number, the first row of a table being row 1."""

from telos.core.errors import TelosError
from telos.telemetry.columns import Columns
from telos.telemetry.frames import pl
from telos.telemetry.parts import FIRST, GROUP, ORDER, ROW


def check_rows(rows: pl.DataFrame, columns: Columns) -> None:
    """Refuse a table without rows, and rows without a player, an action, a group or a time."""
    if not rows.height:
        raise TelosError("the table has no rows", "record one event a line")
    parts = {"player": columns.player, "action": columns.action, GROUP: columns.group, ORDER: columns.order}
    for part, column in parts.items():
        if not column:
            continue
        empty = rows[part].is_null()
        if rows[part].dtype == pl.String:
            empty |= rows[part] == ""
        if empty.any():
            row = rows.row(int(empty.arg_max() or 0), named=True)[ROW] + 1
            what = "nothing that can be put in order" if part == ORDER else "nothing"
            raise TelosError(f"row {row}: column {column!r} says {what}", "mend the row or leave it out")


def check_order(rows: pl.DataFrame, columns: Columns) -> None:
    """Refuse a sequence whose time runs backwards."""
    is_same = pl.col(FIRST) == pl.col(FIRST).shift(1)
    backwards = rows.select(is_same & (pl.col(ORDER) < pl.col(ORDER).shift(1))).to_series().fill_null(False)
    if not backwards.any():
        return
    at = int(backwards.arg_max() or 0)
    before, row = rows.row(at - 1, named=True), rows.row(at, named=True)
    remedy = f"name the column of the session, or write `order: {{column: {columns.order}, sort: true}}`"
    raise TelosError(
        f"row {row[ROW] + 1}: {columns.order!r} runs backwards for player {row['player']!r}, "
        f"from {before[ORDER]} to {row[ORDER]}",
        remedy,
    )


def check_corpus(frame: pl.DataFrame, achieved: pl.DataFrame, columns: Columns) -> None:
    """Refuse a corpus without goals or actions, and a player in two groups, who would be in two folds."""
    where = f"column {columns.achieved or columns.action!r}"
    if not achieved.height:
        raise TelosError(f"no action achieves a goal: {where} names none", "look at what `achieved` is said to be")
    if not frame.height:
        dropped = ", or `drop` may leave nothing" if columns.drop or columns.drop_values else ""
        raise TelosError(f"no action is left before a goal: {where} may hold labels, not achievements{dropped}")
    torn = frame.lazy().select("player", GROUP).unique().group_by("player").len().filter(pl.col("len") > 1).collect()
    if torn.height:
        player = min(torn["player"].to_list())
        groups = torn.filter(pl.col("player") == player)["len"].item()
        raise TelosError(f"player {player!r} is in {groups} groups", "a player belongs to one, so name another column")
