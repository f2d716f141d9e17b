"""Check and re-run a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.studio.models.library import LARGEST
from telos.studio.session import RecognizerSet
from telos.studio.stage import Model

# --- checking ---------------------------------------------------------------------------------------------------------
# What is wrong with a model file while it is written: every fault at its line, whatever the text.


MOST_TOLD = 200  # faults: nobody mends more before looking again
BROKEN = "this text cannot be read at all"


def faults_of(model: Model, text: str) -> tuple[Fault, ...]:
    """Return all faults of a text as a model, in the order of their lines; none if it can be put into force.

    Lines and columns count from 1 and lie inside of the text. What is said about the whole stands at its start.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        split = "split it into several files"
        return (
            Fault(
                f"the text is larger than {LARGEST // 1024} KiB",
                suggestion=split,
                line=1,
                column=1,
                code=FaultCode.TOO_LARGE,
            ),
        )
    lines = text.split("\n")
    found = sorted((_inside(fault, lines) for fault in _found(model, text)), key=lambda each: (each.line, each.column))
    return tuple(found[:MOST_TOLD])


def _found(model: Model, text: str) -> Sequence[Fault]:
    try:
        if model.check is not None:
            return model.check(text)
        if model.make is not None:
            model.make(text)
    except DefinitionError as error:
        return error.faults
    except TelosError as error:
        return (Fault(error.message, suggestion=error.remedy),)
    except Exception as error:  # a model comes from a world, and whoever edits it must not lose the page over that
        return (
            Fault(
                f"{BROKEN}: {type(error).__name__}: {error}",
                suggestion="take back the last change",
                code=FaultCode.UNREADABLE,
            ),
        )
    return ()


def _inside(fault: Fault, lines: Sequence[str]) -> Fault:
    """Return the fault at a place that is there: a file that was cut short is wrong behind its end."""
    line = min(max(fault.line, 1), len(lines))
    column = min(max(fault.column, 1), len(lines[line - 1]) + 1) if line == fault.line else 1
    return replace(fault, line=line, column=column)


# --- rerun ------------------------------------------------------------------------------------------------------------
# One recorded session under two models: what each believed along it, and which of them was right.


Chances: TypeAlias = dict[str, float]  # a belief that can be asked about goals it does not know


@dataclass(frozen=True, slots=True)
class Comparison:
    """The beliefs of an old and a new model at the same events. Where the truth is not known, it is None."""

    name: str
    times: tuple[float, ...]
    truths: tuple[str | None, ...]
    goals: tuple[str, ...]  # of both, those of the old model first
    old: Mapping[str, tuple[float, ...]]  # for each goal how likely it was; 0 if the model does not know it
    new: Mapping[str, tuple[float, ...]]
    old_accuracy: float | None  # the share of judged events at which the likeliest goal was the true one
    new_accuracy: float | None
    judged: int
    differ_at: int | None  # the event at which they differ most; None if they never do
    difference: float  # there: how much belief has moved, from 0 (none) to 1 (all of it)

    @property
    def differ_time(self) -> float | None:
        """When they differ most."""
        return None if self.differ_at is None else self.times[self.differ_at]

    def summary(self) -> str:
        """Say in a line how they compare."""
        if not self.times:
            return "nothing has been seen yet, so there is nothing to compare"
        if self.differ_at is None:
            apart = "both believe the same throughout"
        else:
            apart = f"they differ most at {self.times[self.differ_at]:.1f} s, by {self.difference:.0%}"
        if self.old_accuracy is None or self.new_accuracy is None:
            return f"{apart}; the truth is not known, so nobody can say which is right"
        gained = 100 * (self.new_accuracy - self.old_accuracy)
        shares = f"accuracy {self.old_accuracy:.1%} before, {self.new_accuracy:.1%} after ({gained:+.1f} points"
        return f"{shares}, {self.judged} event{'s' if self.judged != 1 else ''} judged); {apart}"


def compare(recognizers: RecognizerSet, name: str, text: str) -> Comparison:
    """Run the current model and a new text on all observed events; nothing is changed.

    A text with faults raises with all of them.
    """
    seen = tuple(recognizers.events)  # the game goes on meanwhile
    fresh, new = recognizers.rerun(name, text, upto=len(seen))
    known, old = recognizers.rerun(name, upto=len(seen))
    before, after = list(map(dict, old)), list(map(dict, new))
    goals = tuple(dict.fromkeys((*known.goals, *fresh.goals)))
    truths = tuple(each.truth for each in seen)
    moved = [_moved(one, other) for one, other in zip(before, after, strict=True)]
    most = max(moved, default=0.0)
    return Comparison(
        name=name,
        times=tuple(each.event.time for each in seen),
        truths=truths,
        goals=goals,
        old=_curves(goals, before),
        new=_curves(goals, after),
        old_accuracy=_accuracy(truths, old),
        new_accuracy=_accuracy(truths, new),
        judged=sum(truth is not None for truth in truths),
        differ_at=moved.index(most) if most > 1e-9 else None,
        difference=most,
    )


def _curves(goals: Sequence[str], beliefs: Sequence[Chances]) -> dict[str, tuple[float, ...]]:
    return {goal: tuple(belief.get(goal, 0.0) for belief in beliefs) for goal in goals}


def _moved(one: Chances, other: Chances) -> float:
    """Return how much belief lies elsewhere: the total variation distance."""
    return sum(abs(one.get(goal, 0.0) - other.get(goal, 0.0)) for goal in {*one, *other}) / 2


def _accuracy(truths: Sequence[str | None], beliefs: Sequence[Belief]) -> float | None:
    """Return how often the likeliest goal was the true one, of the times that the truth is known."""
    judged = [belief.top == truth for truth, belief in zip(truths, beliefs, strict=True) if truth is not None]
    return sum(judged) / len(judged) if judged else None
