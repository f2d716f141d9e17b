"""Saving an arena as plain data, and going on from it exactly where it was."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.grid import Point
from telos.worlds.arena.outcomes import ActOutcome, failed, saved_outcomes
from telos.worlds.arena.stage import Stage
from telos.worlds.arena.things import Grenade
from telos.worlds.arena.views import ShotView

# What changes about a fighter, besides the command that it carries out.
_CHANGES = (
    "x", "y", "facing", "health", "alive", "status", "reason", "rounds", "magazines", "grenades", "cloaked", "on_wall",
    "suppressed", "winded", "out_of_breath", "fires_at", "stepped_at",
)  # fmt: skip


def saved(stage: Stage) -> dict[str, Any]:
    """Return everything about a stage that changes, as plain data."""
    version, numbers, gauss = stage.rng.getstate()
    return {
        "tick": stage.tick,
        "rng": [version, list(numbers), gauss],
        "fighters": {name: _saved_fighter(fighter) for name, fighter in stage.fighters.items()},
        "doors": {name: [door.state, door.held_by] for name, door in stage.doors.items()},
        "used_up": sorted(stage.used_up),
        "broken": sorted(stage.broken),
        "dark": sorted(stage.dark),
        "grenades": [[g.name, g.by, list(g.start), list(g.end), g.thrown] for g in stage.grenades],
        "thrown": stage.thrown,
        "events": [[e.action, dict(e.context), e.player, e.time] for e in stage.events],
        "shots": [list(asdict(shot).values()) for shot in stage.shots],
    }


def restore(stage: Stage, saved: Mapping[str, Any]) -> None:
    """Make a stage with the same map and cast what it was when it was saved."""
    if list(saved["fighters"]) != list(stage.fighters) or list(saved["doors"]) != list(stage.doors):
        raise TelosError(
            f"this was saved from a fight of {', '.join(saved['fighters'])}, not of {', '.join(stage.fighters)}",
            "restore it in an arena with the same map and cast",
        )
    version, numbers, gauss = saved["rng"]
    stage.rng.setstate((version, tuple(numbers), gauss))
    stage.tick, stage.thrown = saved["tick"], saved["thrown"]
    outcomes = saved_outcomes(stage.map.doors, stage.map.lows)
    for name, about in saved["fighters"].items():
        _restore_fighter(stage.fighters[name], about, outcomes)
    for name, (state, held_by) in saved["doors"].items():
        stage.doors[name].state, stage.doors[name].held_by = state, held_by
    stage.used_up, stage.broken, stage.dark = set(saved["used_up"]), set(saved["broken"]), set(saved["dark"])
    stage.grenades = [Grenade(n, by, _point(a), _point(b), tick) for n, by, a, b, tick in saved["grenades"]]
    stage.events = [Event(action, about, player=player, time=time) for action, about, player, time in saved["events"]]
    stage.shots = [ShotView(*shot) for shot in saved["shots"]]
    stage.dying = {}
    stage.note_bodies_and_doors()


def _saved_fighter(fighter: Fighter) -> dict[str, Any]:
    about = {name: getattr(fighter, name) for name in _CHANGES}
    act = None if fighter.act is None else asdict(fighter.act)
    return {**about, "act": act and {**act, "way": [list(point) for point in act["way"]]}}


def _restore_fighter(fighter: Fighter, about: Mapping[str, Any], outcomes: Mapping[str, ActOutcome]) -> None:
    for name in _CHANGES:
        if name != "reason":  # the text of the outcome, which is restored below
            setattr(fighter, name, about[name])
    fighter.outcome = outcomes.get(about["reason"]) or failed(about["reason"])
    act = about["act"]
    fighter.act = act and Act(**{**act, "way": [_point(point) for point in act["way"]]})


def _point(pair: list[float]) -> Point:
    return pair[0], pair[1]
