"""How a body carries out a command: it begins, goes on tick by tick, and is done or fails."""

from telos.worlds.arena.animations import ANIMATIONS, ON_THE_WALL, Animation
from telos.worlds.arena.commands import Command
from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.moving import set_out, walk
from telos.worlds.arena.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.rules import TICKS_A_SECOND
from telos.worlds.arena.stage import Stage
from telos.worlds.arena.uses import USES, Use, too_far


def begin(stage: Stage, me: Fighter, command: Command) -> None:
    """Leave whatever the body was doing for ``command``; who is told the same again just goes on with it."""
    follows = command.state == "goto" and command.target in stage.fighters  # who may have moved since
    if me.act is not None and me.act.text == command.text and not follows:
        return
    stage.leave(me)
    if not command.state:
        return
    act = Act(command.state, command.text, command.name, command.target)
    me.act, me.status = act, "running"
    _ended(stage, me, _begun(stage, me, act, command))


def go_on(stage: Stage, me: Fighter) -> None:
    """Let a tick of the present command pass."""
    act = me.act
    if act is None:
        return
    act.ticks += 1
    if act.state == "goto":
        _ended(stage, me, walk(stage, me, act))
        return
    played = played_by(stage, act)
    outcome = played.each(stage, me, act)
    if outcome is None and act.ticks >= act.lasts and not played.looping:
        outcome = played.end(stage, me, act) or DONE
    _ended(stage, me, outcome)


def played_by(stage: Stage, act: Act) -> Animation | Use:
    """Return the animation that an act plays; the use of a thing is an animation that the thing prescribes."""
    return ANIMATIONS[act.name] if act.state == "animate" else USES[kind_of(stage, act.target)][act.name]


def kind_of(stage: Stage, name: str) -> str:
    """Return the kind of a fixture or thing."""
    return stage.things[name].kind if name in stage.things else stage.map.fixtures[name].kind


def _begun(stage: Stage, me: Fighter, act: Act, command: Command) -> ActOutcome | None:
    if me.on_wall and act.name not in ON_THE_WALL:
        return failed("on the wall")
    if act.state == "goto":
        return set_out(stage, me, act, command)
    played = played_by(stage, act)
    act.lasts = round(played.seconds * TICKS_A_SECOND)
    if isinstance(played, Animation):
        act.posture, act.crouched = played.posture, played.crouched
        if act.target:
            act.x, act.y = command.point or stage.place_of(act.target)
    elif far := too_far(stage, me, act):
        return far
    return played.begin(stage, me, act)


def _ended(stage: Stage, me: Fighter, outcome: ActOutcome | None) -> None:
    if outcome is not None:
        stage.leave(me, outcome)
