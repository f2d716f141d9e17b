"""A mind on paper: all that the inspector shows of one character at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal of the character: how much it counts now, whether it matters at all, and why it is (not) pursued."""

    name: str
    weight: float  # a priority or an insistence: whatever goals of this mind compete by
    relevant: bool
    pursued: bool
    why: str


@dataclass(frozen=True, slots=True)
class Need:
    """A precondition of a step, in words, and whether it holds now (None: an earlier step will see to it)."""

    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of the plan: ``done``, ``now`` or ``next``, with its preconditions, effects and cost."""

    name: str
    state: str
    needs: tuple[Need, ...] = ()
    effects: tuple[str, ...] = ()
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact in working memory: what about, how old in seconds, how sure (0 to 1), and its attributes in words."""

    kind: str
    subject: str
    age: float
    confidence: float
    text: str


@dataclass(frozen=True, slots=True)
class MindSheet:
    """One character at one moment."""

    who: str
    about: str  # "soldier of defence", "lives here": one line
    time: float
    doing: str  # one line: what it is up to
    goals: tuple[GoalLine, ...] = ()
    plan: tuple[StepLine, ...] = ()
    facts: tuple[FactLine, ...] = ()
    focus: tuple[tuple[str, str], ...] = ()  # what attention rests on: ("target", "Bert")
    orders: tuple[str, ...] = ()
    lines: tuple[tuple[float, str], ...] = ()  # what it said, and when
    actions: tuple[str, ...] = ()  # all it can do: "why not?" may be asked of each, and of each goal
    why: str = ""  # the whole story, in words
