"""MAP as an integer program, in its tight form, solved by HiGHS: ``solve``.

A variable with two values is one binary column; one with more has a binary column for each, which sum to one. A table
over several variables becomes a column for each cell that is not forbidden, and the cells with a value sum to the
column of that value: the linear relaxation sees the joint values instead of one formula at a time. A table that is the
same in all cells but a few has a column for each of these instead, which is smaller and no weaker.
"""

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.logic.network import NO_LIMIT, Deadline, Floats, Ints
from telos.logic.search.potentials import ROUNDING, LongClauses, Potentials, PotentialTables, Solution

Numbers: TypeAlias = NDArray[np.integer[Any]]

MIN_CELLS_PER_ODD = 4  # a table with fewer cells per odd cell gets a column for every cell
INTEGRALITY = 1e-6  # tolerance for an integral column
MIP_GAP = 1e-9  # relative gap at which a solution counts as optimal


@dataclass(frozen=True, slots=True)
class Program:
    """Maximise ``cost @ x + offset`` with ``low <= x <= high`` and ``least <= A x <= most``; A is stored by rows."""

    cost: Floats
    low: Floats
    high: Floats
    binaries: int  # the first columns, which are 0 or 1; the others follow from them
    least: Floats
    most: Floats
    start: Numbers  # (rows + 1,)
    index: Numbers
    value: Floats
    offset: float
    column: Numbers  # of each value of each variable, see ``world``

    def world(self, potentials: Potentials, solution: Floats) -> Ints:
        """Return the value of each variable in a solution."""
        chosen = np.empty(len(potentials.sizes), np.int32)
        for size in np.unique(potentials.sizes):
            rows = np.flatnonzero(potentials.sizes == size)
            first = self.column[potentials.start[rows]]
            if size == 2:
                chosen[rows] = solution[first] > 0.5
            else:
                chosen[rows] = solution[first[:, None] + np.arange(size)].argmax(axis=1)
        return chosen


class OutOfTime(TelosError):
    """The time was up before the integer program had a solution; ``bound`` is the bound proved by then."""

    def __init__(self, message: str, remedy: str = "", *, bound: float = np.inf) -> None:
        super().__init__(message, remedy)
        self.bound = bound


def solve(potentials: Potentials, *, deadline: Deadline = NO_LIMIT) -> Solution | None:
    """Return the best world of potentials by integer programming, or None if no world is allowed.

    When the time is up, the best world so far is returned, with the bound proved by then; ``OutOfTime`` is raised if
    there is none.
    """
    if not potentials.is_possible:
        return None
    if not len(potentials.open):
        return Solution(np.zeros(0, np.int32), potentials.constant, potentials.constant)
    program = to_program(potentials)
    found = _run(program, deadline)
    if found is None:
        return None
    solution, bound = found
    world = program.world(potentials, solution)
    score = potentials.score(world)
    return Solution(world, score, max(score, bound))


def is_possible(potentials: Potentials, *, deadline: Deadline = NO_LIMIT) -> bool:
    """Return whether some world keeps all hard formulas."""
    return solve(potentials, deadline=deadline) is not None


def _run(program: Program, deadline: Deadline) -> tuple[Floats, float] | None:
    """Return a solution and the bound, or None if the program is infeasible.

    The linear relaxation is often integral and thirty times as fast, so it is solved first.
    """
    highspy = _import_highspy()
    solver = _load_program(highspy, program)
    _run_solver(solver, deadline)
    if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
        relaxed = np.array(solver.getSolution().col_value)
        if np.abs(relaxed - relaxed.round())[: program.binaries].max() <= INTEGRALITY:
            return relaxed, float(solver.getInfo().objective_function_value)
    elif solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return None
    columns = np.arange(program.binaries, dtype=np.int32)
    kinds = np.full(program.binaries, int(highspy.HighsVarType.kInteger), np.uint8)
    solver.changeColsIntegrality(program.binaries, columns, kinds)
    solver.setOptionValue("presolve", "choose")
    _run_solver(solver, deadline)
    return _read_solution(highspy, solver, deadline)


def _run_solver(solver: Any, deadline: Deadline) -> None:
    if deadline.left < math.inf:
        solver.setOptionValue("time_limit", deadline.left)
    solver.run()


def _read_solution(highspy: Any, solver: Any, deadline: Deadline) -> tuple[Floats, float] | None:
    status, information = solver.getModelStatus(), solver.getInfo()
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return None
    if information.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        raise OutOfTime(
            f"the integer program was not solved in {deadline.seconds or 0:g} s ({solver.modelStatusToString(status)})",
            "give it more time, or use method='walksat'",
            bound=_proved_bound(information),
        )
    return np.array(solver.getSolution().col_value), _proved_bound(information)


def _proved_bound(information: Any) -> float:
    """Return the bound of a maximum, infinite if none was proved."""
    bound = float(information.mip_dual_bound)
    return bound if math.isfinite(bound) else math.inf


def _load_program(highspy: Any, program: Program) -> Any:
    """Return a solver with the relaxation of a program loaded."""
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.cost), len(program.most)
    lp.sense_, lp.offset_ = highspy.ObjSense.kMaximize, program.offset
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.cost, program.low, program.high
    lp.row_lower_, lp.row_upper_ = program.least, program.most
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = program.start, program.index, program.value
    solver = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "mip_rel_gap": MIP_GAP, "mip_abs_gap": MIP_GAP, "presolve": "off"}
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    return solver


def _import_highspy() -> Any:
    try:
        import highspy
    except ImportError:
        raise TelosError(
            "integer programs need HiGHS", "pip install \"telos[logic]\", or use method='walksat'"
        ) from None
    return highspy


# --- the program ------------------------------------------------------------------------------------------------------


def to_program(potentials: Potentials) -> Program:
    """Return potentials as an integer program."""
    builder = _ProgramBuilder.from_potentials(potentials)
    for tables in potentials.tables:
        builder.add_tables(tables)
    builder.add_clauses(potentials.clauses)
    return builder.build()


@dataclass(slots=True)
class _ProgramBuilder:
    """A program under construction; ``[v = k]`` is ``sign * x[column] + shift`` at ``start[v] + k``."""

    start: Numbers
    column: Numbers
    sign: Floats
    shift: Floats
    offset: float
    cost: list[Floats]
    low: list[Floats]
    high: list[Floats]
    columns: int
    binaries: int
    rows: int = 0
    least: list[Floats] = field(default_factory=list)
    most: list[Floats] = field(default_factory=list)
    entries: list[tuple[Numbers, Numbers, Floats]] = field(default_factory=list)  # rows, columns, values

    @staticmethod
    def from_potentials(potentials: Potentials) -> "_ProgramBuilder":
        """Create the columns of the variables, with the scores of single values and exactly-one rows."""
        sizes, start = potentials.sizes, potentials.start
        width = np.where(sizes == 2, 1, sizes)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        is_pair = sizes[owner] == 2
        within = np.arange(len(owner)) - start[:-1][owner]
        first = np.concatenate([[0], np.cumsum(width)])
        column = (first[:-1][owner] + np.where(is_pair, 0, within)).astype(np.int32)
        is_no = is_pair & (within == 0)
        count = int(first[-1])
        builder = _ProgramBuilder(
            start, column, np.where(is_no, -1.0, 1.0), np.where(is_no, 1.0, 0.0), potentials.constant,
            [np.zeros(count)], [np.zeros(count)], [np.ones(count)], count, count,
        )  # fmt: skip
        barred = np.isneginf(potentials.single)
        builder.low[0][column[barred & is_no]] = 1.0
        builder.high[0][column[barred & ~is_no]] = 0.0
        builder.add_single(np.arange(len(owner)), np.where(barred, 0.0, potentials.single))
        block = ~is_pair
        rows = np.cumsum(sizes > 2)[owner[block]] - 1
        builder.add_rows(rows, column[block], np.ones(len(rows)), np.ones(int((sizes > 2).sum())), None)
        return builder

    def add_single(self, position: Numbers, worth: Floats) -> None:
        """Add scores of single values."""
        np.add.at(self.cost[0], self.column[position], worth * self.sign[position])
        self.offset += float((worth * self.shift[position]).sum())

    def add_columns(self, cost: Floats) -> Numbers:
        """Add columns between 0 and 1, and return their numbers."""
        fresh = np.arange(self.columns, self.columns + len(cost), dtype=np.int32)
        self.cost.append(cost)
        self.low.append(np.zeros(len(cost)))
        self.high.append(np.ones(len(cost)))
        self.columns += len(cost)
        return fresh

    def add_rows(
        self, row: Numbers, column: Numbers, value: Floats, most: Floats, least: float | None = -np.inf
    ) -> None:
        """Add rows, numbered from 0, with entries and bounds; ``least`` None makes them equations."""
        self.entries.append((row + self.rows, column, value))
        self.most.append(most)
        self.least.append(most if least is None else np.full(len(most), least))
        self.rows += len(most)

    def add_tables(self, tables: PotentialTables) -> None:
        """Add tables over several variables, each in its smaller form."""
        if not len(tables.scope):
            return
        if tables.sizes == (2, 2):
            tables = self._without_singles(tables)
        ground = _most_common(tables.values)
        odd = np.abs(tables.values - np.where(np.isfinite(ground), ground, 0.0)[:, None]) > ROUNDING
        count = odd.sum(axis=1)
        is_few = np.isfinite(ground) & ((count == 1) | (count * MIN_CELLS_PER_ODD <= tables.values.shape[1]))
        penalties = (odd & np.isfinite(tables.values) & (tables.values < ground[:, None])).sum(axis=1)
        is_few &= (count == 1) | (penalties == 0)  # separate penalties on shared variables weaken the relaxation
        self.offset += float(ground[is_few].sum())
        which, cell = np.nonzero(odd & is_few[:, None])
        self._add_cells_alone(tables, which, cell, tables.values[which, cell] - ground[which])
        self._add_joint(tables.take(~is_few))

    def _without_singles(self, tables: PotentialTables) -> PotentialTables:
        """Move the part of a 2x2 table that depends on one atom to that atom: at most one odd cell remains.

        The relaxation does not change, and three columns are saved.
        """
        whole = np.isfinite(tables.values).all(axis=1)
        part = tables.values[whole]
        base = part[:, 0]
        left, right = part[:, 2] - base, part[:, 1] - base
        yes = self.start[tables.scope[whole]] + 1
        self.add_single(yes[:, 0], left)
        self.add_single(yes[:, 1], right)
        rest = tables.values.copy()
        rest[whole] = base[:, None]
        rest[whole, 3] = part[:, 3] - left - right
        return PotentialTables(tables.sizes, tables.scope, rest)

    def _add_cells_alone(self, tables: PotentialTables, which: Numbers, cell: Numbers, worth: Floats) -> None:
        """Add scores of single cells: a reward requires all of its values, a penalty follows from them."""
        values = cell[:, None] // tables.strides % np.array(tables.sizes)
        position = self.start[tables.scope[which]] + values
        width = position.shape[1]
        hard = np.isneginf(worth)
        rows = np.arange(int(hard.sum()))
        self._add_not_all(rows, position[hard], np.full(len(rows), width - 1.0))
        reward, penalty = worth > 0, ~hard & (worth < 0)
        column = self.add_columns(worth[reward])
        self._add_at_most(np.repeat(column, width), position[reward].reshape(-1))
        column = self.add_columns(worth[penalty])
        rows = np.arange(len(column))
        self.entries.append((rows + self.rows, column, np.full(len(rows), -1.0)))
        self._add_not_all(rows, position[penalty], np.full(len(rows), width - 1.0))

    def _add_not_all(self, rows: Numbers, position: Numbers, most: Floats) -> None:
        """Add rows: the values at these positions sum to at most ``most``."""
        every = position.reshape(-1)
        row = np.repeat(rows, position.shape[1])
        self.add_rows(row, self.column[every], self.sign[every], most - self.shift[position].sum(axis=1))

    def _add_at_most(self, column: Numbers, position: Numbers) -> None:
        """Add rows: each column is at most the value at its position."""
        rows = np.arange(len(column))
        self.entries.append((rows + self.rows, column, np.ones(len(rows))))
        self.add_rows(rows, self.column[position], -self.sign[position], self.shift[position])

    def _add_joint(self, tables: PotentialTables) -> None:
        """Add a column for every allowed cell; the cells with a value sum to that value."""
        count = len(tables.scope)
        if not count:
            return
        which, cell = np.nonzero(np.isfinite(tables.values))
        column = self.add_columns(tables.values[which, cell])
        self.add_rows(which, column, np.ones(len(which)), np.ones(count), None)
        values = cell[:, None] // tables.strides % np.array(tables.sizes)
        for place, size in enumerate(tables.sizes):
            own = values[:, place]
            seen = own > 0  # the first value is implied by the others
            row = which[seen] * (size - 1) + own[seen] - 1
            self.entries.append((row + self.rows, column[seen], np.ones(len(row))))
            position = (self.start[tables.scope[:, place]][:, None] + np.arange(1, size)).reshape(-1)
            rows = np.arange(len(position))
            self.add_rows(rows, self.column[position], -self.sign[position], self.shift[position], None)

    def add_clauses(self, clauses: LongClauses) -> None:
        """Add disjunctions: a hard one is a row, a soft one a column and a row."""
        owner = clauses.owner
        position = self.start[clauses.variable] + clauses.value
        denied = clauses.negated == 1
        sign = np.where(denied, -self.sign[position], self.sign[position])
        shift = np.where(denied, 1.0 - self.shift[position], self.shift[position])
        hard, reward = np.isinf(clauses.gain), clauses.gain > 0
        worth = np.where(hard, 0.0, clauses.gain)
        column = self.add_columns(worth[~hard])
        column_of = np.zeros(len(worth), np.int32)
        column_of[~hard] = column
        # A clause holds only if a literal does: (column or 1) - sum of literals <= 0.
        number = np.cumsum(reward) - 1
        literal = reward[owner]
        soft = reward & ~hard
        self.entries.append((number[soft] + self.rows, column_of[soft], np.ones(int(soft.sum()))))
        most = np.asarray(np.bincount(owner, weights=shift, minlength=len(worth)) - hard, np.float64)
        self.add_rows(number[owner[literal]], self.column[position[literal]], -sign[literal], most[reward])
        # A clause with a negative weight holds as soon as any literal does: literal - column <= 0.
        literal = ~reward[owner]
        rows = np.arange(int(literal.sum()))
        self.entries.append((rows + self.rows, column_of[owner[literal]], np.full(len(rows), -1.0)))
        self.add_rows(rows, self.column[position[literal]], sign[literal], -shift[literal])

    def build(self) -> Program:
        row, column, value = (np.concatenate(parts) for parts in zip(*self.entries, strict=True))
        row, column, value = _sum_duplicates(row, column, value, self.columns)
        start = np.searchsorted(row, np.arange(self.rows + 1)).astype(np.int32)
        return Program(
            np.concatenate(self.cost), np.concatenate(self.low), np.concatenate(self.high), self.binaries,
            np.concatenate(self.least), np.concatenate(self.most), start, column.astype(np.int32), value,
            self.offset, self.column,
        )  # fmt: skip


def _sum_duplicates(row: Numbers, column: Numbers, value: Floats, columns: int) -> tuple[Numbers, Numbers, Floats]:
    """Sort entries by row and sum those at the same place, as when a clause names a variable twice."""
    place = row.astype(np.int64) * max(1, columns) + column
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    first = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]])) if len(place) else np.zeros(0, int)
    value = np.add.reduceat(value, first) if len(first) else value
    place = place[first]
    return place // max(1, columns), place % max(1, columns), value


def _most_common(values: Floats) -> Floats:
    """Return the most common number of each row."""
    ordered = np.sort(values, axis=1)
    with np.errstate(invalid="ignore"):  # forbidden cells: -inf minus -inf
        changes = ~(np.diff(ordered, axis=1) <= ROUNDING) & ~(ordered[:, 1:] == ordered[:, :-1])
    run = np.zeros(values.shape, np.int32)
    for cell in range(1, values.shape[1]):
        run[:, cell] = np.where(changes[:, cell - 1], 0, run[:, cell - 1] + 1)
    return np.asarray(ordered[np.arange(len(ordered)), run.argmax(axis=1)])
