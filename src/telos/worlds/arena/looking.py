"""Views of an arena: what a screen, a study or a test sees of it."""

from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import middle
from telos.worlds.arena.stage import Stage
from telos.worlds.arena.views import ArenaView, DoorView, FighterView, GrenadeView


def view_of(stage: Stage, *, over: bool, winner: str | None) -> ArenaView:
    """Return everything that can be seen at this moment."""
    return ArenaView(
        stage.time,
        tuple(stage.fighters),
        tuple(fighter_view(stage, fighter) for fighter in stage.fighters.values()),
        tuple(DoorView(door.name, *middle(door.cell), door.state, door.held_by) for door in stage.doors.values()),
        tuple(sorted(stage.broken)),
        tuple(sorted(stage.dark)),
        tuple(GrenadeView(each.name, *each.position(stage.tick), each.left(stage.tick)) for each in stage.grenades),
        tuple(stage.shots),
        over,
        winner,
    )


def fighter_view(stage: Stage, fighter: Fighter) -> FighterView:
    """Return what can be seen of one fighter."""
    act, node = fighter.act, stage.node_of(fighter)
    return FighterView(
        name=fighter.name,
        side=fighter.side,
        character=fighter.character,
        x=fighter.x,
        y=fighter.y,
        facing=fighter.facing,
        health=fighter.health,
        alive=fighter.alive,
        state=act.state if act else "",
        doing=act.text if act else "",
        status=fighter.status,
        reason=fighter.reason,
        rounds=fighter.rounds,
        magazines=fighter.magazines,
        grenades=fighter.grenades,
        at=node.name if node else None,
        in_cover=stage.cover_of(fighter) is not None,
        crouched=fighter.crouched,
        cloaked=fighter.cloaked,
        on_wall=fighter.on_wall,
        suppressed=fighter.suppressed,
    )
