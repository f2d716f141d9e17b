"""What is read of a running game: `CrowdReader` reads minds, `AttachedBeliefReader` what is believed of players.

Reading is sparing: what a mind is after is cheap and read of all minds; its full view costs much more, so only as many
are read as fit into a small share of the time, that of the character that is looked at first.
"""

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from telos.agents.embedding.crowd import Crowd
from telos.agents.embedding.member import Member
from telos.agents.explain import why_not
from telos.agents.mind import Execution
from telos.agents.trace import Began, Chose, Dropped, Finished, Idle, StepFailed
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.recognizer import Recognizer
from telos.studio.explanation import explain
from telos.studio.mind_view import MindView, build_mind_view

Json = dict[str, Any]
Place = Callable[[Any], Any]

MAX_TEXT = 2_000  # characters of a text in a trace
_MAX_RECORDS = 500  # decisions that wait for the next trace
_MAX_BELIEFS = 50  # of one reader in a trace
_LOOKED_AT, _ELSEWHERE = 0.4, 2.0  # seconds after which a mind of which only memories have changed is viewed again
_MAX_ACTIONS = 100  # of which is told why they are not done
_PLACES = ("position", "cell", "pos", "place", "at")  # attributes of bodies that may hold two numbers


class _Viewed(NamedTuple):
    """Of what of a mind the studio has a view, and since when."""

    execution: Execution | None
    step: int
    version: int  # of its memory
    clock: float


class CrowdReader:
    """Reads the minds of a crowd. While somebody looks on, minds report their decisions to it, too."""

    def __init__(self, crowd: Crowd, where: Place | None = None) -> None:
        self._crowd, self._where = crowd, where or find_place
        self._briefs: dict[str, tuple[Any, ...]] = {}  # what was told last of each member
        self._viewed: dict[str, _Viewed] = {}
        self._changed: dict[str, None] = {}  # members with another plan or step than at their last view
        self._last = ""  # the member that was viewed last
        self._records: list[object] = []
        self._listening: list[Any] = []  # minds that report to us

    def forget(self) -> None:
        """Tell everything anew."""
        self._briefs.clear()
        self._viewed.clear()

    def listen(self, on: bool) -> None:
        """Let the minds report their decisions, or no longer."""
        for mind in self._listening:
            mind.observer = None
        self._listening = [self._crowd[name].mind for name in self._crowd] if on else []
        for mind in self._listening:
            mind.observer = self._note
        self._records.clear()

    def _note(self, record: object) -> None:
        if len(self._records) < _MAX_RECORDS:
            self._records.append(record)

    def events(self) -> list[Json]:
        """Return what the minds have decided since the last call, as entries of the log."""
        taken, self._records = self._records, []
        return [event for record in taken if (event := describe_record(record)) is not None]

    def minds(self, now: float, *, seconds: float, looks_at: str) -> list[Json]:
        """Return what is new about the minds. Full views take about so many seconds: at least one, if there are any."""
        found, viewed = self._read_briefs(), 0
        clock, until = time.perf_counter(), time.thread_time() + seconds
        for name in self._in_turn(looks_at):
            is_spent = seconds <= 0 or (viewed and time.thread_time() >= until)
            if is_spent and name != looks_at:
                break
            self._changed.pop(name, None)
            again = _LOOKED_AT if name == looks_at else _ELSEWHERE
            if not self._is_viewed(member := self._crowd[name], clock, again=again):
                found[name] = {**found.get(name, {"name": name}), **self._view(member, now)}
                self._last, viewed = name, viewed + 1
        return list(found.values())

    def gone(self) -> list[str]:
        """Return the members that have left since they were told of last."""
        gone = [name for name in self._briefs if name not in self._crowd]
        for name in gone:
            del self._briefs[name]
            self._viewed.pop(name, None)
        return gone

    def _read_briefs(self) -> dict[str, Json]:
        found = {}
        for name in self._crowd:
            member = self._crowd[name]
            execution, place = member.mind.execution, self._where(member.body)
            brief = (execution, -1 if execution is None else execution.index, place)
            if (known := self._briefs.get(name)) != brief:
                if known is None or known[:2] != brief[:2]:
                    self._changed[name] = None
                if known is None and self._listening:  # it has come later
                    member.mind.observer = self._note
                    self._listening.append(member.mind)
                self._briefs[name] = brief
                found[name] = _brief(member, place)
        return found

    def _in_turn(self, looks_at: str) -> Iterable[str]:
        """Return the member that is looked at, those with another plan or step, and all others from the last one on."""
        names = tuple(self._crowd)
        start = names.index(self._last) + 1 if self._last in self._crowd else 0
        changed = [name for name in self._changed if name in self._crowd]
        looked_at = [looks_at] if looks_at in self._crowd else []
        return dict.fromkeys((*looked_at, *changed, *names[start:], *names[:start]))

    def _is_viewed(self, member: Member, clock: float, *, again: float) -> bool:
        """Return whether the studio has a view of a mind that is still right, or not older than ``again`` seconds."""
        mind, known = member.mind, self._viewed.get(member.name)
        execution = mind.execution
        step = -1 if execution is None else execution.index
        is_same = known is not None and known.execution is execution and known.step == step
        if is_same and known is not None and (known.version == mind.memory.version or clock < known.clock + again):
            return True
        self._viewed[member.name] = _Viewed(execution, step, mind.memory.version, clock)
        return False

    def _view(self, member: Member, now: float) -> Json:
        try:
            view = build_mind_view(member.mind, now, about=member.character.name)
        except Exception as error:  # a function of the game that raises must not stop the game here
            return {"why": _cut(f"{type(error).__name__}: {error}")}
        return {**describe_view(view), "why_not": _why_not(member, view)}


def find_place(body: Any) -> tuple[float, float] | None:
    """Return where a body is: its ``x`` and ``y``, or the first attribute that holds two numbers.

    >>> class Walker:
    ...     cell = (3, 4)
    >>> find_place(Walker()), find_place(object())
    ((3, 4), None)
    """
    x, y = getattr(body, "x", None), getattr(body, "y", None)
    if _is_number(x) and _is_number(y):
        return x, y  # type: ignore[return-value]  # both are numbers
    for name in _PLACES:
        match getattr(body, name, None):
            case (first, second) if _is_number(first) and _is_number(second):
                return first, second
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _brief(member: Member, place: Any) -> Json:
    """Return what a mind is after, and where its body is."""
    execution = member.mind.execution
    is_acting = execution is not None and execution.index < len(execution.plan.steps)
    told: Json = {"name": member.name, "goal": "" if execution is None else execution.goal.name}
    told["action"] = action = str(execution.step)[:500] if is_acting and execution is not None else ""
    if execution is None:
        told["doing"] = "waits for a plan" if member.mind.is_waiting else "has nothing to do"
    else:
        told["doing"] = f"{action}, for {execution.goal.name}" if action else execution.goal.name
    if place is not None:
        told |= {"x": float(place[0]), "y": float(place[1])}
    return told


def _why_not(member: Member, view: MindView) -> dict[str, str]:
    """Return why goals are not pursued and actions not done; nothing is planned for that."""
    found = {goal.name: _cut(goal.why) for goal in view.goals if not goal.pursued}
    for name in view.actions[:_MAX_ACTIONS]:
        if name not in found:
            try:
                found[name] = _cut(why_not(member.mind, name))
            except Exception as error:
                found[name] = _cut(f"{type(error).__name__}: {error}")
    return found


def describe_view(view: MindView) -> Json:
    """Return the view of a mind as a part of a trace."""
    goals = [
        {"name": each.name, "weight": _bounded(each.weight), "relevant": each.relevant, "pursued": each.pursued,
         "why": _cut(each.why)}
        for each in view.goals
    ]  # fmt: skip
    plan = [
        {"name": each.name[:200], "state": each.state, "effects": [_cut(effect) for effect in each.effects],
         "needs": [{"text": _cut(need.text), "holds": need.holds} for need in each.needs],
         "cost": None if each.cost is None else _bounded(each.cost)}
        for each in view.plan
    ]  # fmt: skip
    facts = [
        {"kind": each.kind[:200] or "fact", "subject": each.subject[:200], "age": max(0.0, _bounded(each.age)),
         "confidence": min(1.0, max(0.0, each.confidence)), "text": _cut(each.text)}
        for each in view.facts[:500]
    ]  # fmt: skip
    return {
        "about": view.about, "doing": _cut(view.doing), "goals": goals, "plan": plan, "facts": facts,
        "focus": {slot: _cut(on) for slot, on in view.focus}, "orders": [_cut(each) for each in view.orders],
        "actions": list(view.actions), "why": view.why[:20_000],
    }  # fmt: skip


def describe_record(record: object) -> Json | None:
    """Return a decision of a mind as an entry of the log; None if it has none."""
    match record:
        case Chose(time_, who, goal, _, why, passed_over):
            reasons = [why, *(f"not {other}: {each}" for other, each in passed_over.items())]
            return _event(time_, who, f"chooses {goal}", "mind", "\n".join(filter(None, reasons)))
        case Idle(time_, who, why):
            return _event(time_, who, "has nothing to do", "mind", "\n".join(f"not {g}: {w}" for g, w in why.items()))
        case StepFailed(time_, who, step, reason):
            return _event(time_, who, f"{step} failed: {reason}", "failed")
        case Dropped(time_, who, goal, _, why):
            return _event(time_, who, f"drops the plan for {goal}", "plan", why)
        case Began(time_, who, step):
            return _event(time_, who, f"begins {step}", "plan")
        case Finished(time_, who, step):
            return _event(time_, who, f"has done {step}", "plan")
    return None


def _event(now: float, who: str, text: str, category: str, why: str = "") -> Json:
    return {"time": now, "who": who, "text": _cut(text), "category": category, "why": why[:20_000]}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _bounded(value: float) -> float:
    return min(max(value, -1e9), 1e9) if not math.isnan(value) else 0.0


# --- players ----------------------------------------------------------------------------------------------------------


class AttachedBeliefReader:
    """Notes what a recogniser believes: after each event that it observes while somebody looks on."""

    def __init__(self, name: str, reader: Recognizer, is_watched: Callable[[], bool]) -> None:
        self.name, self._reader, self._is_watched = name, reader, is_watched
        self._noted: list[tuple[str, str, Belief]] = []  # player, event, belief
        self._observe = observe = reader.observe
        self.time = 0.0
        self._is_told = False

        def observe_noting(event: Event) -> Belief:
            belief = observe(event)
            self.time = event.time
            if self._is_watched():
                self._noted.append((event.player, event.action, belief))
                del self._noted[:-_MAX_BELIEFS]
            return belief

        try:
            reader.observe = observe_noting  # type: ignore[method-assign]  # of this one only
        except AttributeError:
            raise TelosError(
                f"{type(reader).__name__} has no room for a note-taker", "give the class no __slots__"
            ) from None

    def release(self) -> None:
        """Leave the recogniser as it was."""
        self._reader.__dict__.pop("observe", None)

    def forget(self) -> None:
        """Tell the present belief anew."""
        self._is_told = False

    @property
    def has_news(self) -> bool:
        """Whether there is something to tell."""
        return bool(self._noted) or not self._is_told

    def beliefs(self) -> list[Json]:
        """Return the beliefs since the last call, the last one with its reasons."""
        noted, self._noted = self._noted, []
        if not noted and not self._is_told:
            noted = [("", "", self._reader.belief)]
        self._is_told = True
        told: list[Json] = [
            {
                "reader": self.name,
                "player": player[:200],
                "event": event[:200],
                "goals": dict(belief),
                **({"concurrent": True} if belief.is_concurrent else {}),
            }
            for player, event, belief in noted
        ]
        if told:
            told[-1]["why"] = self._explain(noted[-1][2])
        return told

    def _explain(self, belief: Belief) -> list[str]:
        try:
            lines = explain(self._reader, belief)
        except Exception as error:  # the game goes on
            return [_cut(f"{type(error).__name__}: {error}")]
        return [_cut(f"{line.figure}  {line.words}".strip()) for line in lines[1:100]]
