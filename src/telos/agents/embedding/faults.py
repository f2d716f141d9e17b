"""What is missing for a character to live in a game: methods, functions, variables, sensors; all of it at once."""

from collections.abc import Collection, Iterator, Mapping

from telos.agents.character import Character
from telos.agents.embedding.actuator import find_method, method_names, signature_fault
from telos.agents.embedding.body import Body
from telos.agents.embedding.senses import Senses, sensors_of
from telos.agents.memory import WorkingMemory
from telos.agents.problems import function_faults
from telos.core.domain import Domain
from telos.core.errors import Fault, FaultCode, TelosError, name_hint
from telos.core.values import Value


def body_faults(body: Body, character: Character, domain: Domain) -> Iterator[Fault]:
    """Yield what a body and a game lack for the actions, functions and sensors of a character."""
    yield from _method_faults(body, character, domain)
    yield from function_faults(character, domain)
    yield from _sensor_faults(body, character)
    yield from _name_faults(body, domain)


def handle_faults(domain: Domain, handles: Mapping[str, Collection[Value]]) -> Iterator[Fault]:
    """Yield the handles of a domain that the game does not have."""
    for kind, known in handles.items():
        if kind not in domain.handles:
            yield Fault(
                f"the domain has no handles of the kind {kind!r}",
                path=("handles", kind),
                suggestion=name_hint(kind, domain.handles),
                code=FaultCode.UNKNOWN_NAME,
            )
        for name in domain.handles.get(kind, ()):
            if name not in known:
                yield Fault(
                    f"the game has no {kind} {name!r}",
                    path=("handles", kind),
                    suggestion=name_hint(name, map(str, known)),
                    code=FaultCode.UNKNOWN_NAME,
                )


def _method_faults(body: Body, character: Character, domain: Domain) -> Iterator[Fault]:
    """Yield the faults of methods; one that all things of a template lack is one fault."""
    told: set[str] = set()
    for name, fault in _faults_of_methods(body, character, domain):
        if name not in told:
            told.add(name)
            yield fault


def _faults_of_methods(body: Body, character: Character, domain: Domain) -> Iterator[tuple[str, Fault]]:
    """Yield the faults of methods with the names of their actions, that of the template for its things."""
    kind = type(body).__name__
    own = [name for name in dir(type(body)) if not name.startswith("_") and callable(getattr(type(body), name))]
    for action in character.actions:
        template = domain.template_of.get(action.on or "")
        things = () if template is None else ("thing",)
        expected = method_names(action)[-1 if things else 0]
        name = f"{template.name}.{action.name.removeprefix(f'{action.on}.')}" if template is not None else action.name
        method = find_method(body, action)
        if method is None:
            arguments = "".join(f", {each}" for each in (*things, *action.parameters))
            hint = name_hint(expected, own)
            hint = f"; {hint}" if hint.startswith("did you mean") else ""
            yield (
                name,
                Fault(
                    f"{kind} has no method for the action {name!r}",
                    path=("actions", name),
                    suggestion=f"write `def {expected}(self{arguments})`{hint}",
                    code=FaultCode.INCOMPLETE,
                ),
            )
        elif fault := signature_fault(method):
            code = FaultCode.WRONG_COUNT
            yield name, Fault(f"{kind}.{method.name}: {fault}", path=("actions", name), code=code)


def _sensor_faults(body: Body, character: Character) -> Iterator[Fault]:
    sensors = sensors_of(body)
    for name in character.sensors:
        if name not in sensors:
            yield Fault(
                f"{type(body).__name__} has no sensor {name!r}",
                path=("sensors", name),
                suggestion=name_hint(name, sensors) or "write `def sense(self, now)`",
                code=FaultCode.UNKNOWN_NAME,
            )


def _name_faults(body: Body, domain: Domain) -> Iterator[Fault]:
    """Yield the faults of what the class of a body declares."""
    kind = type(body).__name__
    for attribute in ("sense_every", "patience"):
        value = getattr(body, attribute)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            message = f"{kind}.{attribute} is {value!r}; it must be a number of seconds, zero or more"
            yield Fault(message, path=(attribute,), code=FaultCode.INVALID)
    texts = [attribute for attribute in ("remembers", "saves") if isinstance(getattr(body, attribute), str)]
    for attribute in texts:
        value = getattr(body, attribute)
        remedy = f"write {attribute} = ({value!r},)"
        yield Fault(f"{kind}.{attribute} is a text", path=(attribute,), suggestion=remedy, code=FaultCode.INVALID)
    for name in body.remembers if "remembers" not in texts else ():
        if name not in domain.layout.slots:
            yield Fault(
                f"{kind} remembers {name!r}, which is no variable",
                path=("remembers",),
                suggestion=name_hint(name, domain.layout.slots),
                code=FaultCode.UNKNOWN_NAME,
            )
    for name in body.saves if "saves" not in texts else ():
        if not hasattr(body, name):
            yield Fault(
                f"{kind} saves {name!r}, which it does not have",
                path=("saves",),
                suggestion=name_hint(name, vars(body)),
                code=FaultCode.UNKNOWN_NAME,
            )


def sensing_faults(
    body: Body, character: Character, domain: Domain, senses: Senses, now: float, raised: list[Exception]
) -> Iterator[Fault]:
    """Sense once, and yield what is wrong with that, and the variables that actions change and nothing tells.

    What the body raises is a fault, and is added to ``raised``.
    """
    memory = WorkingMemory()
    for name in sensors_of(body):
        try:
            for fact in senses.read(name, now):
                memory.note(fact)
        except Exception as error:
            raised.append(error)
            yield _fault_of(f"{type(body).__name__}.{name}", error)
    try:
        for attention in body.attention:
            attention.choose(memory, now)
        told = set(senses.believe(memory, now))
    except Exception as error:
        raised.append(error)
        yield _fault_of(f"what {type(body).__name__} believes", error)
        return
    if not raised:
        by_facts = {name for name in domain.layout.slots if name.partition(".")[0] in domain.template_of}
        yield from _untold_faults(type(body).__name__, character, told | set(body.remembers) | by_facts)
    for name in sorted(told - domain.layout.slots.keys()):
        yield Fault(
            f"{type(body).__name__}.believe tells of {name!r}, which is no variable",
            path=("variables", name),
            suggestion=name_hint(name, domain.layout.slots),
            code=FaultCode.UNKNOWN_NAME,
        )


def _untold_faults(kind: str, character: Character, told: Collection[str]) -> Iterator[Fault]:
    untold: dict[str, str] = {}  # with the first action that changes it
    for action in character.actions:
        for effect in action.effects:
            if effect.variable not in told:
                untold.setdefault(effect.variable, action.name)
    for name, user in untold.items():
        yield Fault(
            f"nothing tells {kind} what {user!r} does to {name!r}",
            path=("variables", name),
            suggestion=f"return {name!r} from sense(), or name it in `remembers` if only steps and stimuli make it so",
            code=FaultCode.INCOMPLETE,
        )


def _fault_of(what: str, error: Exception) -> Fault:
    if isinstance(error, TelosError):
        return Fault(error.message, suggestion=error.remedy, path=("sensors",), code=FaultCode.INVALID)
    return Fault(f"{what} raised {type(error).__name__}: {error}", path=("sensors",), code=FaultCode.INVALID)
