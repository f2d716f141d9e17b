"""`plan_svg` draws a plan as SVG: its steps from top to bottom with preconditions and effects, and the goal.

Colours are the page's CSS variables (``--telos-ROLE``), so one drawing serves both themes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.core.expressions import names_in, parse_expression
from telos.studio.mind_view import MindView, Need, StepLine
from telos.svg import clip_text, disc, escape_text, label, mark, mono_width, path, role_colour, rounded_box, title

WIDTH = 420
_SPINE = 19  # x of the numbered discs
_LEFT, _RIGHT = 42, 386  # the edges of a step's box; links to preconditions enter on the right
_GAP = 18  # between two boxes
_HEAD, _ROW, _FOOT, _PAD = 30, 24, 22, 8
_LANE = 7  # between two parallel links
_LANES = 4
_MAX_NEED = 42  # characters of a precondition; its tooltip has the full text


def plan_svg(view: MindView) -> str:
    """Return the plan of a mind as an SVG element, 420 pixels wide; the same view gives the same text."""
    if not view.plan:
        return _empty(view)
    placed = list(_place_steps(view.plan))
    bottom = placed[-1].bottom
    parts = [
        *_arrows(placed),
        *(part for number, each in enumerate(placed) for part in _step(each, number)),
        *_links(placed),
        *_goal(view, bottom + _GAP),
    ]
    return _svg(bottom + _GAP + 44, f"The plan of {view.who}", parts)


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="telos-plan" width="{WIDTH}" height="{height:g}" '
    head += f'viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape_text(title)}">'
    return "".join([head, *parts, "</svg>"])


def _empty(view: MindView) -> str:
    words = f"No plan: {view.who} {view.doing}." if view.doing else f"{view.who} has no plan at the moment."
    shown = label(WIDTH / 2, 32, clip_text(words, 64), "faint", size=13, anchor="middle")
    return _svg(56, words, [rounded_box(1, 6, WIDTH - 2, 44, "", "line", radius=8, dashed=True), shown])


# --- layout -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pill:
    """A precondition with its place; ``maker`` is the earlier step that makes it true, if known."""

    need: Need
    x: float
    y: float
    width: float
    maker: int | None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A step with its place."""

    step: StepLine
    top: float
    height: float
    pills: tuple[_Pill, ...]

    @property
    def bottom(self) -> float:
        return self.top + self.height


def _place_steps(steps: Sequence[StepLine]) -> Iterator[_Placed]:
    top = 4.0
    for number, step in enumerate(steps):
        pills = tuple(_pills(steps, number, top + _HEAD))
        rows = len({pill.y for pill in pills})
        foot = _FOOT if _shows_effects(step) else 0
        height = _HEAD + rows * _ROW + foot + (_PAD if pills or foot else 2)
        yield _Placed(step, top, height, pills)
        top += height + _GAP


def _shows_effects(step: StepLine) -> bool:
    """Return whether to draw the effects of a step; those of a finished step hold already."""
    return step.state != "done" and bool(step.effects)


def _pills(steps: Sequence[StepLine], number: int, top: float) -> Iterator[_Pill]:
    """Yield the preconditions of a step in rows; one with a link from an earlier step ends its row."""
    x, y = float(_LEFT + 12), top
    for need in sorted(steps[number].needs, key=lambda each: (each.holds is not False, each.holds is None)):
        width = mono_width(clip_text(need.text, _MAX_NEED)) + 30
        if x > _LEFT + 12 and (need.holds is None or x + width > _RIGHT - 10):
            x, y = _LEFT + 12, y + _ROW
        maker = _find_maker(steps, number, need.text) if need.holds is None else None
        yield _Pill(need, x, y, width, maker)
        x += width + 6


def _find_maker(steps: Sequence[StepLine], number: int, need: str) -> int | None:
    """Return the last earlier step that sets a variable of the precondition."""
    try:
        read = names_in(parse_expression(need))
    except TelosError:  # some worlds write preconditions as plain text
        return None
    for before in range(number - 1, -1, -1):
        if steps[before].state != "done" and any(_variable(each) in read for each in steps[before].effects):
            return before
    return None


def _variable(effect: str) -> str:
    found = re.match(r"[\w.]+", effect)
    return found[0] if found else ""


# --- drawing ----------------------------------------------------------------------------------------------------------

_COLOURS = {
    "done": ("good", "faint"),
    "now": ("accent", "ink"),
    "next": ("faint", "ink"),
}  # of the disc, of the name


def _step(placed: _Placed, number: int) -> Iterator[str]:
    step = placed.step
    colour, words = _COLOURS.get(step.state, _COLOURS["next"])
    is_now = step.state == "now"
    opacity = ' opacity="0.65"' if step.state == "done" else ""
    action = step.name.partition("(")[0]
    data = f'data-state="{escape_text(step.state)}" data-what="{escape_text(action)}"'
    yield f'<g class="telos-plan-step" {data}{opacity}>'
    yield f"<title>{escape_text(f'{step.name} ({_format_state(step.state)})')}</title>"
    yield rounded_box(
        _LEFT, placed.top, _RIGHT - _LEFT, placed.height, "panel", colour if is_now else "line", bold=is_now
    )
    yield from _disc(step.state, number, placed.top + 15, colour)
    room = 40 if step.cost is None else 34
    yield label(_LEFT + 12, placed.top + 20, clip_text(step.name, room), words, size=13, bold=step.state != "done")
    if step.cost is not None:
        yield label(_RIGHT - 12, placed.top + 20, f"cost {step.cost:g}", "faint", anchor="end")
    for pill in placed.pills:
        yield from _pill(pill)
    if _shows_effects(step):
        yield from _effects(step.effects, placed.bottom - _PAD - 4)
    yield "</g>"


def _format_state(state: str) -> str:
    return {"done": "done", "now": "under way", "next": "still to come"}.get(state, state)


def _disc(state: str, number: int, y: float, colour: str) -> Iterator[str]:
    yield disc(_SPINE, y, 11, colour if state == "now" else "panel", colour)
    if state == "done":
        yield mark("tick", _SPINE, y, colour)
    else:
        words = "panel" if state == "now" else "ink"
        yield label(_SPINE, y + 4, str(number + 1), words, anchor="middle", bold=True)


# The look of a precondition, by whether it holds: colour, mark, dashed edge, tooltip.
_LOOKS = {
    True: ("good", "tick", False, "holds now"),
    None: ("warn", "soon", True, "an earlier step makes it true"),
    False: ("danger", "cross", False, "does not hold, and no step makes it true"),
}


def _pill(pill: _Pill) -> Iterator[str]:
    colour, sign, is_dashed, status = _LOOKS[pill.need.holds]
    is_bad = pill.need.holds is False
    yield f'<g class="telos-plan-need"><title>{escape_text(f"{pill.need.text}: {status}")}</title>'
    fill = "danger/14" if is_bad else ""
    yield rounded_box(
        pill.x, pill.y, pill.width, 19, fill, colour if pill.need.holds is not True else "line", 9.5, is_dashed
    )
    yield mark(sign, pill.x + 12, pill.y + 9.5, colour)
    words = clip_text(pill.need.text, _MAX_NEED)
    yield label(pill.x + 22, pill.y + 13.5, words, "danger" if is_bad else "ink", size=11, mono=True, bold=is_bad)
    yield "</g>"


def _effects(effects: Sequence[str], y: float) -> Iterator[str]:
    words = ", ".join(effects)
    yield f"<g><title>{escape_text(f'effects: {words}')}</title>"
    yield mark("brings", _LEFT + 18, y - 4, "faint")
    yield label(_LEFT + 30, y, clip_text(words, 46), "faint", size=11, mono=True)
    yield "</g>"


def _arrows(placed: Sequence[_Placed]) -> Iterator[str]:
    """Yield the arrows from step to step, and to the goal."""
    ends = [each.top + 2 for each in placed[1:]] + [placed[-1].bottom + _GAP + 4]
    for each, end in zip(placed, ends, strict=True):
        colour = "good" if each.step.state == "done" else "faint"
        yield path(f"M{_SPINE} {each.top + 28:g}V{end - 4:g}", stroke=colour, width=1.5)
        yield path(f"M{_SPINE - 4} {end - 7:g}L{_SPINE} {end:g}L{_SPINE + 4} {end - 7:g}Z", fill=colour)


def _links(placed: Sequence[_Placed]) -> Iterator[str]:
    """Yield a link from each step to the preconditions that it makes true, around the right side of the boxes."""
    links = [(placed[pill.maker], pill) for each in placed for pill in each.pills if pill.maker is not None]
    for number, (maker, pill) in enumerate(links):
        x, tip = _RIGHT + 8 + _LANE * (number % _LANES), pill.x + pill.width
        start, end = maker.bottom - 12 - 4 * (number % 2), pill.y + 9.5
        way = f"M{_RIGHT} {start:g}H{x - 4:g}Q{x:g} {start:g} {x:g} {start + 4:g}"
        way += f"V{end - 4:g}Q{x:g} {end:g} {x - 4:g} {end:g}H{tip + 5:g}"
        yield path(way, stroke="warn", width=1.3, dashed=True)
        yield path(f"M{tip + 7:g} {end - 3.5:g}L{tip + 1:g} {end:g}L{tip + 7:g} {end + 3.5:g}Z", fill="warn")


def _goal(view: MindView, top: float) -> Iterator[str]:
    pursued = next((goal for goal in view.goals if goal.pursued), None)
    name = pursued.name if pursued is not None else "nothing in particular"
    yield f'<g class="telos-plan-goal" data-what="{escape_text(name)}">{title(f"the goal: {name}")}'
    yield disc(_SPINE, top + 19, 11, "panel", "accent") + disc(_SPINE, top + 19, 6, "", "accent")
    yield f'<circle cx="{_SPINE}" cy="{top + 19:g}" r="2.2" fill="{role_colour("accent")}"/>'
    yield rounded_box(_LEFT, top + 4, _RIGHT - _LEFT, 30, "accent/14", "accent", 15)
    yield label(_LEFT + 14, top + 24, clip_text(name, 40), "ink", size=13, bold=True)
    if pursued is not None:
        yield label(_RIGHT - 14, top + 24, f"{pursued.weight:g}", "faint", anchor="end")
    yield "</g>"
