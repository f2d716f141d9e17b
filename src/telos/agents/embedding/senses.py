"""What the sensors of bodies say, as facts, and what follows from facts for the variables of the domain."""

from collections.abc import Iterable, Mapping
from typing import Any

from telos.agents.embedding.body import Body, SensorTiming
from telos.agents.memory import Fact, WorkingMemory
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.template import PRESENT
from telos.core.values import FrozenMap, Value, ValueKind

SENSE = "sense"  # the sensor that every body has


def sensors_of(body: Body) -> dict[str, SensorTiming]:
    """Return the sensors of a body: ``sense`` if its class has one, and the methods that are marked as sensors."""
    kind = type(body)
    found = {} if kind.sense is Body.sense else {SENSE: SensorTiming(kind.sense_every)}
    for name in dir(kind):
        timing = getattr(getattr(kind, name), "telos_sensor", None)
        if isinstance(timing, SensorTiming):
            found[name] = timing
    return found


class Senses:
    """The sensors of one body, and the beliefs that follow from what they said.

    What a sensor says by variable is one fact, whose kind is the sensor's name. The newest value of a variable counts.
    A bool that no sensor tells is whether a fact of that kind is remembered: ``Fact("bell", ...)`` makes ``bell`` true.
    If the body ``remembers`` it, a step that makes it false forgets those facts.
    """

    def __init__(self, who: str, body: Body, domain: Domain, sensors: Mapping[str, SensorTiming]) -> None:
        layout = domain.layout
        self._who, self._body, self._layout, self._sensors = who, body, layout, tuple(sensors)
        self._fading = frozenset(name for name, timing in sensors.items() if timing.fades is not None)
        self._said: dict[str, FrozenMap[str, Value]] = {}
        self._flags = tuple(each.name for each in layout.variables if each.type.kind is ValueKind.BOOL)
        self._templates = {each.name: each for each in domain.templates}
        self._kinds = self._kinds_read()
        self._focuses = tuple(name for each in body.attention if (name := getattr(each, "focus", "")) in layout.slots)

    def read(self, sensor: str, now: float) -> list[Fact]:
        """Return the facts that a sensor of the body reports now; none if one that fades has no news."""
        said = getattr(self._body, sensor)(now)
        if isinstance(said, Mapping):
            return [Fact(sensor, self._who, now, attributes=self._checked(sensor, said))]
        kind = f"{type(self._body).__name__}.{sensor}"
        if said is None and sensor in self._fading:
            return []
        remedy = "return a dictionary of variables and their values ({} if there is nothing to tell), or facts"
        if said is None or isinstance(said, str) or not isinstance(said, Iterable):
            raise TelosError(f"{kind} returned {said!r}", remedy)
        facts = list(said)
        for fact in facts:
            if not isinstance(fact, Fact):
                raise TelosError(f"{kind} returned {fact!r} among its facts", remedy)
            self.check(fact)
        return facts

    def check(self, fact: object) -> None:
        """Raise a ``TelosError`` if a fact cannot be remembered and saved, or is one that is read but for a slip."""
        if not isinstance(fact, Fact):
            raise TelosError(f"{fact!r} is not a fact", 'give telos.Fact("bell", "tower", now)')
        if not all(isinstance(each, str) for each in (fact.kind, fact.subject)):
            remedy = "kind and subject are texts: name the thing, and give the rest as attributes"
            raise TelosError(f"a fact of the kind {fact.kind!r} is about {fact.subject!r}", remedy)
        if self._kinds is not None and fact.kind not in self._kinds:
            _check_slip(f"nothing reads facts of the kind {fact.kind!r}", fact.kind, self._kinds)
        template = self._templates.get(fact.kind)
        if template is not None:
            known = {PRESENT, *template.parameters, *(each.name for each in template.variables)}
            for name in fact.attributes.keys() - known:
                _check_slip(f"a fact about the {fact.kind} {fact.subject!r} has {name!r}", name, known)

    def _kinds_read(self) -> frozenset[str] | None:
        """Return the kinds of facts that are read; None if that is not known, because the body has ways of its own."""
        body = self._body
        kinds = [getattr(each, "kind", None) or getattr(each, "focus", None) for each in body.attention]
        if type(body).believe is not Body.believe or None in kinds:
            return None
        return frozenset({"failure", *map(str, kinds), *self._flags, *body.remembers, *self._templates, *self._sensors})

    def _checked(self, sensor: str, said: Mapping[str, Any]) -> FrozenMap[str, Value]:
        """Return the values that a sensor told, each of the type of its variable."""
        known = self._said.get(sensor)
        if known is not None and known == said:
            return known
        values = {}
        for name, value in said.items():
            if name not in self._layout.slots:
                remedy = name_hint(str(name), self._layout.slots)
                raise TelosError(
                    f"{type(self._body).__name__}.{sensor} tells of {name!r}, which is no variable", remedy
                )
            plain = value.item() if hasattr(value, "item") and getattr(value, "size", 0) == 1 else value  # of NumPy
            try:
                values[name] = self._layout.variable(name).checked(plain)
            except TelosError as error:
                raise error.at(f"{type(self._body).__name__}.{sensor}") from None
        told = self._said[sensor] = FrozenMap(values)
        return told

    def believe(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return the values of variables that follow from memory."""
        facts = [fact for sensor in self._sensors if (fact := memory.recall(sensor, self._who, now)) is not None]
        if len(facts) > 1:
            facts.sort(key=lambda fact: fact.time)
        values: dict[str, Value] = {}
        for fact in facts:
            values.update(fact.attributes)
        for name in self._flags:
            if name not in values and memory.all_of(name, now):
                values[name] = True
        for name in self._focuses:
            values[name] = memory.focus.get(name)
        for name in self._body.remembers:
            made = memory.recall(name, self._who, now)
            if (
                made is not None
                and "value" in made.attributes
                and all(fact.time <= made.time for fact in memory.all_of(name, now))
            ):
                values[name] = made["value"]
        values.update(self._body.believe(memory, now))
        return values


def _check_slip(message: str, word: str, known: Iterable[str]) -> None:
    """Raise if a word is nearly a known one; others may be for the game's own use."""
    remedy = name_hint(word, known)
    if remedy.startswith("did you mean"):
        raise TelosError(message, remedy)


class BodySensor:
    """One sensor of many bodies, for the schedule: it asks the body of the character that senses."""

    cost = 1.0

    def __init__(self, name: str, senses: Mapping[str, Senses]) -> None:
        self._name, self._senses = name, senses

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        return self._senses[who].read(self._name, now)
