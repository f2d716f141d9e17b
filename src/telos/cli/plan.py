"""``telos plan``: the cheapest sequence of actions to a goal, and what each step is for."""

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import in_range
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Literal, bind
from telos.core.plan import Answer, Plan
from telos.core.values import NUMBER, Value, ValueKind, Variable
from telos.files.domain_file import load
from telos.files.writing import check_output, write_text
from telos.planning.explain import visited_states
from telos.planning.planner import DEFAULT_BUDGET, order_goals
from telos.planning.planner import plan as find_plan

if TYPE_CHECKING:
    from telos.planning.pddl import PddlProblem

# --- options: values, goals, handles and function values, each checked against the domain ---


def split_values(files: Sequence[str], values: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Separate files from values: in ``--set ammo=3 at=gate`` Typer takes only the first as the option's value."""
    more = [each for each in files if values and "=" in each and not os.path.exists(each)]
    return [Path(each) for each in files if each not in more], [*values, *more]


def _parse_pairs(option: str, given: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for each in given:
        name, equals, value = (part.strip() for part in each.partition("="))
        if not (name and equals and value) or not each.isprintable():
            raise TelosError(f"{option} {each!r} is not of the form name=value", f"write {option} {example}")
        if name in seen:
            raise TelosError(f"{option} {each}: {name!r} is given twice", "keep one")
        seen.add(name)
        yield name, value


def read_state(given: Sequence[str], domain: Domain) -> dict[str, Value]:
    slots, state = domain.layout.slots, dict[str, Value]()
    for name, value in _parse_pairs("--set", given, "ammo=3"):
        if name not in slots:
            raise TelosError(f"--set {name}={value}: unknown variable {name!r}", name_hint(name, slots))
        state[name] = _parse_value(domain.layout.variable(name), value)
    return state


def _parse_value(variable: Variable, text: str) -> Value:
    """Parse a value by the variable's type."""
    kind, remedy = variable.type.kind, ""
    if kind is ValueKind.BOOL:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        remedy = "write true or false"
    elif kind is ValueKind.INT:
        if re.fullmatch(r"[+-]?[0-9]{1,30}", text):
            return int(text)
        remedy = "write a whole number"
    elif kind is ValueKind.NUMBER:
        number = _parse_number(text)
        if number is not None:
            return number
        remedy = "write a finite number"
    elif kind is ValueKind.ENUM:
        if text in variable.type.labels:
            return text
        remedy = name_hint(text, variable.type.labels)
    else:
        return None if text == "none" else text
    raise TelosError(f"--set {variable.name}={text}: variable {variable.name!r} holds {variable.type}", remedy)


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_answers(given: Sequence[str], needed: Sequence[str]) -> dict[str, Callable[..., Value]]:
    answers: dict[str, Callable[..., Value]] = {}
    for name, text in _parse_pairs("--function", given, "distance=4"):
        if name not in needed:
            known = name_hint(name, needed) or "this domain asks the game for nothing"
            raise TelosError(f"--function {name}={text}: the domain calls no function {name!r}", known)
        value = {"true": True, "false": False}.get(text.lower(), _parse_number(text))
        if value is None:
            raise TelosError(f"--function {name}={text}: a function answers with a finite number, true or false")
        answers[name] = lambda *_, value=value: value
    return answers


def read_handles(given: Sequence[str], domain: Domain) -> dict[str, list[Value]]:
    types = [variable.type for variable in domain.layout.variables]
    types += [of for action in domain.all_actions for of in action.parameters.values()]
    kinds = {*domain.handles, *(of.handle for of in types if of.kind is ValueKind.HANDLE)}
    found: dict[str, list[Value]] = {}
    for kind, names in _parse_pairs("--handle", given, "node=gate,yard"):
        if kind not in kinds:
            known = name_hint(kind, kinds) or "this domain has no handles"
            raise TelosError(f"--handle {kind}={names}: unknown kind of handle {kind!r}", known)
        found[kind] = [name.strip() for name in names.split(",")]
        if not all(found[kind]) or "none" in found[kind]:
            raise TelosError(f"--handle {kind}={names}: write names with commas between them, and not none")
    return found


def read_goals(given: Sequence[str], domain: Domain) -> str | list[str] | None:
    known = {goal.name for goal in domain.goals} | domain.goal_sets.keys()
    for each in given:
        if each not in known:
            raise TelosError(f"--goal {each}: unknown goal or goal set {each!r}", name_hint(each, known))
    if len(given) < 2:
        return given[0] if given else None
    return list(dict.fromkeys(name for each in given for name in domain.goal_sets.get(each, (each,))))


# --- the command ---


@dataclass(frozen=True, slots=True)
class PlanningProblem:
    """A planning problem read from files and options."""

    domain: Domain
    state: Mapping[str, Value]
    pddl: "PddlProblem | None" = None
    unanswered: list[str] = field(default_factory=list)  # functions that were called and have no value

    @property
    def pddl_names(self) -> Mapping[str, str]:
        """Return what PDDL calls each action."""
        return {} if self.pddl is None else self.pddl.pddl_names


def plan(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="A domain file; with --pddl, a domain and a problem.", show_default=False),
    ] = None,
    goals: Annotated[
        list[str] | None,
        typer.Option("--goal", help="A goal or a goal set; may be repeated. Without it: all goals, by priority."),
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", help="A variable's value, as in ammo=3; may be repeated.")
    ] = None,
    actions: Annotated[str | None, typer.Option(help="Plan with this action set only.")] = None,
    handles: Annotated[
        list[str] | None, typer.Option("--handle", help="Objects that the character knows, as in node=gate,yard.")
    ] = None,
    functions: Annotated[
        list[str] | None,
        typer.Option("--function", help="A constant value of a game function, as in distance=4; may be repeated."),
    ] = None,
    how: Annotated[str, typer.Option(help="optimal, or fast: sooner, at most five times the cost.")] = "optimal",
    budget: Annotated[
        int, typer.Option(help="Expand at most so many nodes.", callback=in_range(1, 10**9))
    ] = DEFAULT_BUDGET,
    microseconds: Annotated[
        float | None, typer.Option(help="Stop soon after this time.", callback=in_range(0, 1e12, is_open=True))
    ] = None,
    pddl: Annotated[bool, typer.Option("--pddl", help="The files are a PDDL domain and a PDDL problem.")] = False,
    graph: Annotated[Path | None, typer.Option(help="Draw the searched graph into this .svg file.")] = None,
    plan_file: Annotated[
        Path | None, typer.Option(help="Write the plan into this file, as VAL reads it; with --pddl.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """Plan: print the cheapest sequence of actions to a goal, with costs and reasons, or what is missing for one.

    Exits 0 if there is a plan, 1 if there is none, and 2 on bad input.

    Example: telos plan soldier.yaml --goal kill_enemy --set ammo=3
    """
    paths, values = split_values(files or [], values or [])
    if graph is not None:
        from telos.planning.search_graph import check_svg_path

        check_svg_path(graph, inputs=paths)
    if plan_file is not None:
        if not pddl:
            raise TelosError("a plan file is in PDDL, and --pddl is missing", "without PDDL, use --json")
        check_output(plan_file, inputs=paths)
    problem = _read_pddl(paths, functions or [], values) if pddl else _read(paths, functions or [], values)
    domain, more = problem.domain, read_handles(handles or [], problem.domain)
    with _naming_missing_functions(problem):
        wanted = read_goals(goals or [], domain)
        options: dict[str, Any] = {"actions": actions, "how": how, "budget": budget, "handles": more}
        answer = find_plan(domain, problem.state, wanted, microseconds=microseconds, **options)
        text = json.dumps(_to_json(answer, problem), allow_nan=False) if as_json else _format(answer, problem, wanted)
        is_drawn = graph is not None and _save_graph(answer, problem, options, graph, paths)
    if plan_file is not None and problem.pddl is not None and isinstance(answer, Plan):
        write_text(plan_file, problem.pddl.plan_file(answer), inputs=paths)
    typer.echo(text)
    if plan_file is not None:
        typer.echo(f"plan in {plan_file}" if answer.found else "there is no plan, so no file is written", err=as_json)
    if graph is not None:
        typer.echo(f"drawn to {graph}" if is_drawn else "nothing was searched, so nothing is drawn", err=as_json)
    if not answer.found:
        raise typer.Exit(1)


def _read(paths: Sequence[Path], functions: Sequence[str], values: Sequence[str]) -> PlanningProblem:
    if not paths:
        raise TelosError("nothing to plan with", "name a domain file, as in: telos plan soldier.yaml")
    if len(paths) > 1 or paths[0].suffix.lower() == ".pddl":
        named = ", ".join(map(str, paths))
        raise TelosError(
            f"one YAML file is planned with, not {named}", "PDDL: telos plan --pddl domain.pddl problem.pddl"
        )
    domain = load(paths[0])
    needed = domain.functions_needed
    answers = read_answers(functions, needed)
    unanswered: list[str] = []
    if needed:  # load again, now that the names of the functions are known
        silent = {name: _missing_function(name, unanswered) for name in needed if name not in answers}
        domain = load(paths[0], functions={**silent, **answers})
    return PlanningProblem(domain, read_state(values, domain), unanswered=unanswered)


def _read_pddl(paths: Sequence[Path], functions: Sequence[str], values: Sequence[str]) -> PlanningProblem:
    from telos.planning.pddl import load_pddl

    if len(paths) != 2:
        raise TelosError(f"--pddl takes two files, not {len(paths)}: telos plan --pddl domain.pddl problem.pddl")
    read = load_pddl(*paths)
    read_answers(functions, ())
    return PlanningProblem(read.domain, {**read.state, **read_state(values, read.domain)}, pddl=read)


def _missing_function(name: str, unanswered: list[str]) -> Callable[..., Value]:
    """Return a function that records the call and fails: many plans never call it."""

    def function(*_: Value) -> Value:
        unanswered.append(name)
        raise TelosError(f"only the game knows {name}")

    return function


@contextmanager
def _naming_missing_functions(problem: PlanningProblem) -> Iterator[None]:
    """Turn the error about a function without a value into one that names the option for it."""
    try:
        yield
    except TelosError as error:
        if not problem.unanswered:
            raise
        name = problem.unanswered[0]
        users = ", ".join(problem.domain.users_of(name))
        raise TelosError(
            f"{name}(…) is asked for by {users}, and only a game knows it", f"answer for it, as in: --function {name}=1"
        ) from error


def _format(answer: Answer, problem: PlanningProblem, wanted: str | list[str] | None) -> str:
    """Format an answer for the terminal."""
    priced = answer
    if isinstance(answer, Plan):  # show computed costs as numbers
        steps = zip(answer.steps, _step_costs(answer.steps, problem), strict=True)
        priced = replace(answer, steps=tuple(replace(step, cost=Literal(cost)) for step, cost in steps))
    first, *rest = priced.why().splitlines()
    nodes = "1 node" if answer.expanded == 1 else f"{answer.expanded:,} nodes"
    lines = [typer.style(first, bold=True, fg=None if answer.found else typer.colors.YELLOW), *rest]
    lines += [typer.style(each, dim=True) for each in (*_skipped_goals(answer, problem, wanted), f"{nodes} expanded")]
    return "\n".join(lines)


def _skipped_goals(answer: Answer, problem: PlanningProblem, wanted: str | list[str] | None) -> Iterator[str]:
    """Yield a line for each goal of higher priority that has no plan."""
    if answer.found and not (isinstance(wanted, str) and wanted not in problem.domain.goal_sets):
        names = [goal.name for goal in order_goals(problem.domain, problem.state, wanted)]
        for name in names[: names.index(answer.goal)]:
            yield f"{name} comes first, but no plan was found for it; --goal {name} says why"


def _to_json(answer: Answer, problem: PlanningProblem) -> dict[str, Any]:
    common = {"expanded": answer.expanded, "why": answer.why()}
    if isinstance(answer, Plan):
        costs = _step_costs(answer.steps, problem)
        steps = [_step_json(step, cost, problem) for step, cost in zip(answer.steps, costs, strict=True)]
        return {"found": True, "goal": answer.goal, "steps": steps, "cost": answer.cost, **common}
    return {
        "found": False,
        "goal": answer.goal,
        "stop": answer.stop.name.lower(),
        "missing": [problem.domain.wording.get(str(each), str(each)) for each in answer.missing],
        "partial": [problem.pddl_names.get(step.name, str(step)) for step in answer.partial],
        "cost": None,
        **common,
    }


def _step_json(step: Action, cost: float, problem: PlanningProblem) -> dict[str, Any]:
    pddl = {"pddl": problem.pddl_names[step.name]} if problem.pddl_names else {}
    return {"name": step.name, "arguments": dict(step.arguments), "cost": cost, **pddl}


def _step_costs(steps: tuple[Action, ...], problem: PlanningProblem) -> list[float]:
    """Return the cost of each step in the state where it is taken."""
    layout = problem.domain.layout
    states = visited_states(layout.state(problem.state), steps)
    return [float(bind(step.cost, layout, NUMBER)(state.array)) for step, state in zip(steps, states, strict=False)]


def _save_graph(
    answer: Answer, problem: PlanningProblem, options: Mapping[str, Any], path: Path, inputs: Sequence[Path]
) -> bool:
    from telos.planning.search_graph import (
        record_search,  # only pictures need these two
        save_graph,
    )

    domain = problem.domain
    if answer.goal not in {goal.name for goal in domain.goals}:
        return False  # no goal was relevant, so nothing was searched
    named = options["actions"]
    options = {
        **options,
        "actions": None if named is None else domain.actions_of(named),
        # With this budget the search ends at the same node, whatever ended it the first time.
        "budget": min(options["budget"], max(1, answer.expanded)),
    }
    drawn = record_search(domain, problem.state, answer.goal, called=problem.pddl_names, **options)
    save_graph(drawn, path, inputs=inputs)
    return True
