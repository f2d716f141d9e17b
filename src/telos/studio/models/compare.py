"""Check the text of a model (`find_faults`), and compare two models on the game so far (`compare`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.studio.models.library import MAX_BYTES
from telos.studio.session import RecognizerSet
from telos.studio.stage import Model

# --- checking ---------------------------------------------------------------------------------------------------------


MAX_FAULTS = 200  # that are reported at once
BROKEN = "the text cannot be read"
TOO_LARGE = Fault(
    f"the text is larger than {MAX_BYTES // 1024} KiB",
    suggestion="split it into several files",
    line=1,
    column=1,
    code=FaultCode.TOO_LARGE,
)


def find_faults(model: Model, text: str) -> tuple[Fault, ...]:
    """Return all faults of a text as a model, ordered by line; none if it can be applied.

    Lines and columns count from 1 and lie inside the text. A fault of the whole text is at its start.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        return (TOO_LARGE,)
    lines = text.split("\n")
    found = sorted((_clamp(fault, lines) for fault in _check(model, text)), key=lambda each: (each.line, each.column))
    return tuple(found[:MAX_FAULTS])


def _check(model: Model, text: str) -> Sequence[Fault]:
    try:
        if model.check is not None:
            return model.check(text)
        if model.make is not None:
            model.make(text)
    except DefinitionError as error:
        return error.faults
    except TelosError as error:
        return (Fault(error.message, suggestion=error.remedy),)
    except Exception as error:  # models come from worlds: an unexpected error must not break the page
        return (
            Fault(
                f"{BROKEN}: {type(error).__name__}: {error}",
                suggestion="undo the last change",
                code=FaultCode.UNREADABLE,
            ),
        )
    return ()


def _clamp(fault: Fault, lines: Sequence[str]) -> Fault:
    """Return the fault with a position inside the text: a truncated file has its fault after the end."""
    line = min(max(fault.line, 1), len(lines))
    column = min(max(fault.column, 1), len(lines[line - 1]) + 1) if line == fault.line else 1
    return replace(fault, line=line, column=column)


# --- comparison -------------------------------------------------------------------------------------------------------


Chances: TypeAlias = dict[str, float]  # a belief as a plain dictionary


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The beliefs of an old and a new model at the same events; an unknown true goal is None."""

    name: str
    times: tuple[float, ...]
    truths: tuple[str | None, ...]
    goals: tuple[str, ...]  # of both models, those of the old one first
    old: Mapping[str, tuple[float, ...]]  # probability of each goal; 0 if the model does not know it
    new: Mapping[str, tuple[float, ...]]
    old_accuracy: float | None  # share of judged events at which the most likely goal was the true one
    new_accuracy: float | None
    judged: int
    differ_at: int | None  # the event with the greatest difference; None if there is none
    difference: float  # at that event: the total variation distance

    @property
    def differ_time(self) -> float | None:
        """The time of the greatest difference."""
        return None if self.differ_at is None else self.times[self.differ_at]

    def summary(self) -> str:
        """Return the comparison as one line."""
        if not self.times:
            return "no event has been observed yet, so there is nothing to compare"
        if self.differ_at is None:
            apart = "the beliefs are the same throughout"
        else:
            apart = f"they differ most at {self.times[self.differ_at]:.1f} s, by {self.difference:.0%}"
        if self.old_accuracy is None or self.new_accuracy is None:
            return f"{apart}; the true goal is not known, so the accuracy is not known"
        gained = 100 * (self.new_accuracy - self.old_accuracy)
        shares = f"accuracy {self.old_accuracy:.1%} before, {self.new_accuracy:.1%} after ({gained:+.1f} points"
        return f"{shares}, {self.judged} event{'s' if self.judged != 1 else ''} judged); {apart}"


def compare(recognizers: RecognizerSet, name: str, text: str) -> ModelComparison:
    """Run the current model and a new text on all observed events; nothing is changed.

    A text with faults raises with all of them.
    """
    seen = tuple(recognizers.events)  # the game goes on meanwhile
    fresh, new = recognizers.rerun(name, text, upto=len(seen))
    known, old = recognizers.rerun(name, upto=len(seen))
    before, after = list(map(dict, old)), list(map(dict, new))
    goals = tuple(dict.fromkeys((*known.goals, *fresh.goals)))
    truths = tuple(each.truth for each in seen)
    moved = [_distance(one, other) for one, other in zip(before, after, strict=True)]
    most = max(moved, default=0.0)
    return ModelComparison(
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


def _distance(one: Chances, other: Chances) -> float:
    """Return the total variation distance of two beliefs."""
    return sum(abs(one.get(goal, 0.0) - other.get(goal, 0.0)) for goal in {*one, *other}) / 2


def _accuracy(truths: Sequence[str | None], beliefs: Sequence[Belief]) -> float | None:
    """Return the share of events with a known true goal at which it was the most likely goal."""
    judged = [belief.top == truth for truth, belief in zip(truths, beliefs, strict=True) if truth is not None]
    return sum(judged) / len(judged) if judged else None
