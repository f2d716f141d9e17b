"""HiGHS, the solver of integer programs: one call with the whole program as arrays."""

from typing import Any

import numpy as np

from telos.core.errors import TelosError
from telos.logic.network import Floats
from telos.logic.search.potentials import Potentials, Solved
from telos.logic.search.program import Program, program_of

WHOLE = 1e-6  # a column that is this near a whole number is one
TIGHT = 1e-9  # relative: an answer that is this near the bound is the best there is


def solve(potentials: Potentials, *, seconds: float | None = None) -> Solved | None:
    """Return the best world of potentials by integer programming, or None if no world is allowed.

    After ``seconds`` the best world so far is returned, with the bound that is proved by then.
    """
    if not potentials.is_possible:
        return None
    if not len(potentials.open):
        return Solved(np.zeros(0, np.int32), potentials.constant, potentials.constant)
    program = program_of(potentials)
    found = _run(program, seconds)
    if found is None:
        return None
    solution, bound = found
    world = program.world(potentials, solution)
    score = potentials.score(world)
    return Solved(world, score, max(score, bound))


def is_possible(potentials: Potentials) -> bool:
    """Whether some world keeps all hard formulas."""
    return solve(potentials) is not None


def _run(program: Program, seconds: float | None) -> tuple[Floats, float] | None:
    """Return a solution and the bound, or None if the rows contradict each other.

    The form is so tight that its linear relaxation is often whole by itself, and thirty times as fast: it comes first.
    """
    highspy = _highspy()
    solver = _loaded(highspy, program, seconds)
    solver.run()
    if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
        relaxed = np.array(solver.getSolution().col_value)
        if np.abs(relaxed - relaxed.round())[: program.binaries].max() <= WHOLE:
            return relaxed, float(solver.getInfo().objective_function_value)
    elif solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return None
    columns = np.arange(program.binaries, dtype=np.int32)
    kinds = np.full(program.binaries, int(highspy.HighsVarType.kInteger), np.uint8)
    solver.changeColsIntegrality(program.binaries, columns, kinds)
    solver.setOptionValue("presolve", "choose")
    solver.run()
    return _answer(highspy, solver, seconds)


def _answer(highspy: Any, solver: Any, seconds: float | None) -> tuple[Floats, float] | None:
    status, information = solver.getModelStatus(), solver.getInfo()
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return None
    if information.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        raise TelosError(
            f"the integer program was not solved in {seconds or 0:g} s ({solver.modelStatusToString(status)})",
            "give it more time, or use method='walksat'",
        )
    return np.array(solver.getSolution().col_value), float(information.mip_dual_bound)


def _loaded(highspy: Any, program: Program, seconds: float | None) -> Any:
    """Return a solver that knows the relaxation of a program."""
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.cost), len(program.most)
    lp.sense_, lp.offset_ = highspy.ObjSense.kMaximize, program.offset
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.cost, program.low, program.high
    lp.row_lower_, lp.row_upper_ = program.least, program.most
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = program.start, program.index, program.value
    solver = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "mip_rel_gap": TIGHT, "mip_abs_gap": TIGHT, "presolve": "off"}
    for name, value in {**options, **({} if seconds is None else {"time_limit": float(seconds)})}.items():
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    return solver


def _highspy() -> Any:
    try:
        import highspy
    except ImportError:
        raise TelosError("integer programs need HiGHS: pip install \"telos[logic]\", or use method='walksat'") from None
    return highspy
