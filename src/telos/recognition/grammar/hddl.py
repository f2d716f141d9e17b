"""Hierarchical domains in HDDL: types, tasks, methods and actions, as far as plan recognition needs them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from telos.core.errors import DefinitionError, Fault, FaultCode

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
MAX_DEPTH = 100
MAX_CHARACTERS = 4_000_000


@dataclass(slots=True)
class HddlForm:
    """The content of a pair of brackets, and the line where it starts."""

    line: int
    parts: list["HddlForm | str"] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The first word, or an empty text."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""

    @property
    def words(self) -> list[str]:
        """The words directly inside."""
        return [part for part in self.parts if isinstance(part, str)]

    @property
    def forms(self) -> list["HddlForm"]:
        """The forms directly inside."""
        return [part for part in self.parts if isinstance(part, HddlForm)]

    def section(self, key: str) -> "HddlForm | None":
        """Return the form after a keyword such as ``:parameters``; None if there is none."""
        for place, part in enumerate(self.parts[:-1]):
            following = self.parts[place + 1]
            if part == key and isinstance(following, HddlForm):
                return following
        return None


def read_forms(text: str, file: str = "<text>") -> HddlForm:
    """Return the single form of a text, in lower case: HDDL ignores case.

    >>> read_forms("(define (domain Toy)) ; a comment").parts[1].words
    ['domain', 'toy']
    """
    if len(text) > MAX_CHARACTERS:
        _refuse(file, 1, f"the file has more than {MAX_CHARACTERS} characters", "split it")
    top, line, last = HddlForm(0), 1, 0
    around = [top]
    for token in _TOKEN.finditer(text):
        line, last = line + text.count("\n", last, token.start()), token.start()
        word = token[0]
        if word == "(":
            if len(around) > MAX_DEPTH:
                _refuse(file, line, "too deeply nested", f"at most {MAX_DEPTH} brackets")
            inner = HddlForm(line)
            around[-1].parts.append(inner)
            around.append(inner)
        elif word == ")":
            if len(around) == 1:
                _refuse(file, line, "a ')' that closes nothing", "delete it")
            around.pop()
        elif not word.startswith(";"):
            around[-1].parts.append(word.lower())
    if len(around) > 1:
        _refuse(file, around[-1].line, "a '(' that is never closed", "close it")
    if len(top.parts) != 1 or not top.forms or top.forms[0].head != "define":
        _refuse(file, 1, "this is not HDDL", "start with `(define (domain …)`")
    return top.forms[0]


def _refuse(file: str, line: int, message: str, remedy: str) -> None:
    raise DefinitionError(
        [Fault(message, suggestion=remedy, file=file, line=line, column=1, code=FaultCode.BAD_SYNTAX)]
    )


ROOT_TYPE = "object"
WILDCARD = "_"  # with a type after it: a quantified argument, any object of that type
ANY_OBJECT = WILDCARD + ROOT_TYPE


class HddlLiteral(NamedTuple):
    """A literal. With `_type` among its arguments: for some object of the type, or, if negative, for none."""

    predicate: str
    arguments: tuple[str, ...]
    positive: bool = True


class HddlStep(NamedTuple):
    """A task or action with its arguments: variables, which start with ``?``, or objects."""

    name: str
    arguments: tuple[str, ...]


class HddlOperator(NamedTuple):
    """An action: its preconditions and effects."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    needs: tuple[HddlLiteral, ...]
    effects: tuple[HddlLiteral, ...]


class LiftedMethod(NamedTuple):
    """A method of a task; ``before`` are the indices of the steps that must precede each step."""

    name: str
    head: HddlStep
    parameters: tuple[tuple[str, str], ...]
    needs: tuple[HddlLiteral, ...]
    steps: tuple[HddlStep, ...]
    before: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class HddlDomain:
    """A hierarchical domain."""

    above: Mapping[str, frozenset[str]]  # each type, with its supertypes and itself
    constants: Mapping[str, str]
    tasks: Mapping[str, tuple[str, ...]]  # the types of their parameters
    methods: Mapping[str, tuple[LiftedMethod, ...]]  # by task
    operators: Mapping[str, HddlOperator]


@dataclass(frozen=True, slots=True)
class HddlProblem:
    """The types of objects, the initial facts, and the initial tasks."""

    objects: Mapping[str, str]
    facts: frozenset[tuple[str, ...]]
    tasks: tuple[HddlStep, ...]


def read_hddl_domain(text: str, *, name: str = "<text>") -> HddlDomain:
    """Read a domain; features beyond the supported subset are refused, with their line."""
    reader, top = _Reader(name), read_forms(text, name)
    parts: dict[str, list[HddlForm]] = {}
    for form in top.forms:
        parts.setdefault(form.head, []).append(form)
    parents = dict(pair for form in parts.get(":types", []) for pair in reader.typed(form, 1))
    tasks = {reader.name(form): tuple(kind for _, kind in reader.parameters(form)) for form in parts.get(":task", [])}
    operators = {reader.name(form): reader.operator(form) for form in parts.get(":action", [])}
    methods: dict[str, tuple[LiftedMethod, ...]] = dict.fromkeys(tasks, ())
    for form in parts.get(":method", []):
        method = reader.method(form)
        for step in (method.head, *method.steps):
            if step.name not in tasks and step.name not in operators:
                reader.refuse(form, f"unknown task {step.name!r} in {method.name!r}", "declare it")
        if method.head.name not in tasks:
            reader.refuse(form, f"{method.head.name!r} is an action, and methods are for tasks", "declare a task")
        methods[method.head.name] = (*methods[method.head.name], method)
    constants = dict(pair for form in parts.get(":constants", []) for pair in reader.typed(form, 1))
    return HddlDomain(_ancestors(parents, name), constants, tasks, methods, operators)


def read_hddl_problem(text: str, *, name: str = "<text>") -> HddlProblem:
    """Read a problem."""
    reader, top = _Reader(name), read_forms(text, name)
    found = {form.head: form for form in top.forms}
    objects = dict(reader.typed(found[":objects"], 1)) if ":objects" in found else {}
    facts = frozenset(tuple(form.words) for form in (found[":init"].forms if ":init" in found else []) if form.words)
    tasks: list[HddlStep] = []
    if ":htn" in found:
        keys = (":tasks", ":subtasks", ":ordered-subtasks", ":ordered-tasks")
        listed = next((form for key in keys if (form := found[":htn"].section(key))), None)
        tasks = [step for _, step in reader.steps(listed)]
    if not tasks:
        reader.refuse(top, "there is no task to do", "add `:htn :tasks (…)`")
    return HddlProblem(objects, facts, tuple(tasks))


def _ancestors(parents: Mapping[str, str], file: str) -> dict[str, frozenset[str]]:
    above: dict[str, frozenset[str]] = {}
    for kind in {*parents, *parents.values(), ROOT_TYPE}:
        chain, at = [kind], kind
        while parents.get(at, ROOT_TYPE) not in chain:
            at = parents.get(at, ROOT_TYPE)
            chain.append(at)
            if len(chain) > MAX_DEPTH:
                _refuse(file, 1, f"type {kind!r} is too deep below {ROOT_TYPE}", f"at most {MAX_DEPTH} types")
        above[kind] = frozenset(chain)
    return above


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file

    def refuse(self, form: HddlForm, message: str, remedy: str) -> NoReturn:
        raise DefinitionError(
            [Fault(message, suggestion=remedy, file=self._file, line=form.line, column=1, code=FaultCode.BAD_SYNTAX)]
        )

    def typed(self, form: HddlForm | None, start: int = 0) -> Iterator[tuple[str, str]]:
        """Yield names with their types; a type stands after a hyphen and applies to all names before it."""
        names: list[str] = []
        words = iter(form.words[start:] if form else ())
        for word in words:
            if word == "-":
                kind = next(words, ROOT_TYPE)
                yield from ((name, kind) for name in names)
                names = []
            else:
                names.append(word)
        yield from ((name, ROOT_TYPE) for name in names)

    def name(self, form: HddlForm) -> str:
        """Return the name after the first word of a form, such as ``(:action NAME …)``."""
        if len(form.parts) < 2 or not isinstance(form.parts[1], str) or form.parts[1].startswith(":"):
            self.refuse(form, f"a {form.head} without a name", f"write `({form.head} name …)`")
        return form.parts[1]

    def parts(self, form: HddlForm, count: int) -> list[HddlForm]:
        """Return the first ``count`` forms inside a form; more or fewer are refused."""
        if len(form.forms) != count:
            self.refuse(
                form, f"({form.head} …) has {len(form.forms)} parts in brackets, not {count}", "add or delete some"
            )
        return form.forms

    def parameters(self, form: HddlForm) -> tuple[tuple[str, str], ...]:
        return tuple(self.typed(form.section(":parameters")))

    def operator(self, form: HddlForm) -> HddlOperator:
        needs, effects = form.section(":precondition"), form.section(":effect")
        return HddlOperator(
            self.name(form), self.parameters(form), tuple(self.literals(needs)), tuple(self.literals(effects))
        )

    def method(self, form: HddlForm) -> LiftedMethod:
        head = form.section(":task")
        if head is None:
            self.refuse(form, f"method {self.name(form)!r} has no task", "add `:task (…)`")
        name = self.name(form)
        ordered = form.section(":ordered-subtasks") or form.section(":ordered-tasks")
        listed = list(self.steps(ordered or form.section(":subtasks") or form.section(":tasks")))
        places = {label: place for place, (label, _) in reversed(list(enumerate(listed)))}
        before = [{place - 1} if ordered and place else set() for place in range(len(listed))]
        for pair in self._inside(form.section(":ordering") or form.section(":order")):
            first, then = self._order(pair)
            for label in (first, then):
                if label not in places:
                    self.refuse(pair, f"the order of {name!r} names {label!r}, which is not a step", "name a step")
            before[places[then]].add(places[first])
        return LiftedMethod(
            name,
            HddlStep(head.head, tuple(head.words[1:])),
            self.parameters(form),
            (*self.literals(form.section(":precondition")), *self.literals(form.section(":constraints"))),
            tuple(step for _, step in listed),
            tuple(map(frozenset, before)),
        )

    def _order(self, pair: HddlForm) -> tuple[str, str]:
        """Return the labels of ``(< first then)`` or ``(first < then)``."""
        match pair.parts:
            case ["<", str(first), str(then)] | [str(first), "<", str(then)]:
                return first, then
        self.refuse(pair, "this is not an order of two steps", "write `(< first then)`")

    def steps(self, form: HddlForm | None) -> Iterator[tuple[str, HddlStep]]:
        """Yield the steps with their labels, if any."""
        for each in self._inside(form):
            inner = each.forms[0] if each.forms else each
            if not inner.head or inner.forms or (each.forms and not (len(each.parts) == 2 and each.head)):
                self.refuse(each, "this is not a step", "write `(task argument …)` or `(label (task argument …))`")
            yield (each.head if each.forms else ""), HddlStep(inner.head, tuple(inner.words[1:]))

    def literals(self, form: HddlForm | None) -> Iterator[HddlLiteral]:
        for each in self._inside(form):
            yield from self._literal(each, positive=True, free={})

    def _literal(self, form: HddlForm, *, positive: bool, free: Mapping[str, str]) -> Iterator[HddlLiteral]:
        match form.head:
            case "and" if positive:
                for part in form.forms:
                    yield from self._literal(part, positive=True, free=free)
            case "not":
                yield from self._literal(self.parts(form, 1)[0], positive=not positive, free=free)
            case "forall" | "exists" as quantifier:
                variables, condition = self.parts(form, 2)
                names = {name: WILDCARD + kind for name, kind in self.typed(variables)}
                for found in self._literal(condition, positive=positive, free={**free, **names}):
                    if found.positive != (quantifier == "exists"):
                        self.refuse(
                            form, f"{quantifier} over this is not supported", "use `exists p` or `forall not p`"
                        )
                    yield found
            case "or" | "imply" | "when" | "and" as word:
                self.refuse(form, f"{word!r} is not supported here", "write several methods or actions")
            case "" if not form.parts:
                return  # `()` is an empty conjunction
            case "":
                self.refuse(form, "a condition without a predicate", "write `(predicate argument …)`")
            case predicate:
                yield HddlLiteral(predicate, tuple(free.get(word, word) for word in form.words[1:]), positive)

    def _inside(self, form: HddlForm | None) -> list[HddlForm]:
        """Return the parts of `(and …)`, or the single form in its place."""
        if form is None or not form.parts:
            return []
        return form.forms if form.head == "and" or not form.head else [form]
