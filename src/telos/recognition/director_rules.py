"""What a director goes by: rules of a model file, over what is believed about the player and what the game knows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from telos.core.binding import Scope, check
from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.expressions import Name, walk
from telos.core.frozen import FrozenMap
from telos.core.numbers import not_negative
from telos.core.state import Layout
from telos.core.values import BOOL, KEYWORDS, VARIABLE_NAME, Variable
from telos.recognition.vocabulary import ADVENTURE, Vocabulary
from telos.recognition.wording import labelled

EARNED = ("kill", "gem", "chest")  # what the adventure pays for
_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True, init=False)
class DirectorRule:
    """While ``condition`` has held for ``hold`` seconds, earnings count by the factors of ``pay``, and ``say`` is said.

    A belief wavers: with ``until``, what has begun to hold goes on until that holds, whatever becomes of ``condition``.
    ``say`` is said when the rule comes into force, and ``again_after`` so many seconds once more if it still is. A
    name in braces stands for what the game knows, or for how likely a goal is; a line waits while there is nothing to
    put there.

    >>> DirectorRule("level > 0.9", hold=20, pay={"kill": 0.5}).pay["kill"]
    0.5
    """

    condition: Condition
    until: Condition | None
    hold: float
    pay: FrozenMap[str, float]
    say: str
    again_after: float | None

    def __init__(
        self,
        condition: ConditionLike,
        *,
        until: ConditionLike = None,
        hold: float = 0.0,
        pay: Mapping[str, float] | None = None,
        say: str = "",
        again_after: float | None = None,
    ) -> None:
        if not pay and not say:
            raise TelosError("a rule that neither pays nor says anything does nothing", "give it pay or say")
        if again_after is not None and not say:
            raise TelosError("nothing is said, so nothing can be said again", "give it say")
        factors = {what: not_negative(f"what {what!r} counts by", factor) for what, factor in (pay or {}).items()}
        object.__setattr__(self, "condition", Condition.of(condition))
        object.__setattr__(self, "until", None if until is None else Condition.of(until))
        object.__setattr__(self, "hold", not_negative("how long a rule must hold", hold))
        object.__setattr__(self, "pay", FrozenMap(factors))
        object.__setattr__(self, "say", say)
        object.__setattr__(
            self, "again_after", None if again_after is None else not_negative("again_after", again_after)
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions that it asks."""
        return (self.condition,) if self.until is None else (self.condition, self.until)


def director_layout(vocabulary: Vocabulary, goals: Sequence[str]) -> Layout:
    """Return what a rule may speak of: all that an event tells, and how likely each goal is, by the goal's name.

    >>> director_layout(ADVENTURE, ["level", "town"]).slots["town"] > 0
    True
    """
    told = vocabulary.variables(goals)
    taken = {variable.name for variable in told}
    return Layout([*told, *(Variable(goal, "number") for goal in goals if _is_word(goal) and goal not in taken)])


def director_faults(condition: Condition, vocabulary: Vocabulary, goals: Sequence[str]) -> list[Fault]:
    """Return everything that keeps a condition from being asked of a belief and an event.

    >>> print(*director_faults(Condition.of("levl > 0.9"), ADVENTURE, ["level", "town"]))
    unknown variable 'levl' in `levl > 0.9`; did you mean 'level'?
    """
    layout = director_layout(vocabulary, goals)
    expression = labelled(condition.expression, layout)
    found = check(expression, Scope(layout), BOOL)
    for node in walk(expression):
        if isinstance(node, Name) and node.name in goals and node.name in vocabulary.context:
            remedy = "give the goal another name"
            found.append(
                Fault(
                    f"{node.name!r} is a goal and a name of the context",
                    "",
                    remedy,
                    offset=node.column,
                    code=FaultCode.CONFLICT,
                )
            )
    return [replace(fault, text=str(condition)) for fault in found]


def places(say: str) -> tuple[str, ...]:
    """Return the names in braces.

    >>> places("Nobody has been {unvisited_exits} of {area}.")
    ('unvisited_exits', 'area')
    """
    return tuple(_PLACE.findall(say))


def filled(say: str, words: Mapping[str, str]) -> str:
    """Return a line with every name in braces replaced by its word.

    >>> filled("Go {way}.", {"way": "north or east"})
    'Go north or east.'
    """
    return _PLACE.sub(lambda match: words[match[1]], say)


def say_faults(say: str, vocabulary: Vocabulary, goals: Sequence[str]) -> list[Fault]:
    """Return everything that keeps a line from being filled in.

    >>> print(*say_faults("Go {unvisited_exit}.", ADVENTURE, ["level"]))
    nothing is called 'unvisited_exit' in `{unvisited_exit}`; did you mean 'unvisited_exits'?
    """
    known = director_layout(vocabulary, goals).slots
    found = []
    for match in _PLACE.finditer(say):
        if match[1] not in known:
            message, remedy = f"nothing is called {match[1]!r}", name_hint(match[1], known)
            found.append(Fault(message, match[0], remedy, offset=match.start(), code=FaultCode.UNKNOWN_NAME))
    if "{" in _PLACE.sub("", say) or "}" in _PLACE.sub("", say):
        found.append(
            Fault("a brace has no partner", say, "write names in braces, as in `{area}`", code=FaultCode.BAD_SYNTAX)
        )
    return found


def pay_faults(pay: Iterable[str], vocabulary: Vocabulary) -> list[Fault]:
    """Return what is paid for and cannot be earned in the adventure; what other games pay for is not known here.

    >>> print(*pay_faults(["kil"], ADVENTURE))
    kil: nothing is earned by 'kil'; did you mean 'kill'?
    """
    if vocabulary.context != ADVENTURE.context:
        return []
    unknown = [what for what in pay if what not in EARNED]
    return [
        Fault(
            f"nothing is earned by {what!r}",
            suggestion=name_hint(what, EARNED),
            path=(what,),
            code=FaultCode.UNKNOWN_NAME,
        )
        for what in unknown
    ]


def checked_rules(
    rules: Iterable[DirectorRule] | None, vocabulary: Vocabulary, goals: Sequence[str]
) -> tuple[DirectorRule, ...] | None:
    """Return the rules of a model (None for none), if they can be those of a game with these words and goals."""
    found = tuple(rules or ())
    faults = [
        fault.at("director", number)
        for number, rule in enumerate(found)
        for fault in (
            *(fault for each in rule.conditions for fault in director_faults(each, vocabulary, goals)),
            *say_faults(rule.say, vocabulary, goals),
            *pay_faults(rule.pay, vocabulary),
        )
    ]
    if faults:
        raise DefinitionError(faults)
    return found or None


def _is_word(goal: str) -> bool:
    return bool(VARIABLE_NAME.match(goal)) and goal not in KEYWORDS
