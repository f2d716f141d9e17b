"""The animations that a body can play: one line each, and what happens at the start, in every tick and at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from telos.worlds.arena import poses, shooting, striking
from telos.worlds.arena.fighter import Act, Fighter
from telos.worlds.arena.outcomes import ActOutcome
from telos.worlds.arena.stage import Stage

# None: it goes on.
Happening: TypeAlias = Callable[[Stage, Fighter, Act], ActOutcome | None]


def nothing(stage: Stage, me: Fighter, act: Act) -> ActOutcome | None:
    """Go on."""
    return None


@dataclass(frozen=True, slots=True)
class Animation:
    """How long an animation lasts, how the body stands meanwhile, and what it does."""

    name: str
    seconds: float
    looping: bool = False
    target: str = "any"  # "fighter" or "place" if it must be aimed at one; "any" if that is left to the commander
    posture: str = "covered"  # what it shows of the body behind cover: "open", "half", "covered", "blind"; or "rolling"
    crouched: bool = False
    threatens: bool = False  # whoever it is aimed at has a gun pointed at them
    begin: Happening = nothing
    each: Happening = nothing
    end: Happening = nothing


_GUN, _GUN_IN_COVER = shooting.take_gun, shooting.take_gun_in_cover

ANIMATIONS = {
    animation.name: animation
    for animation in (
        Animation("fire", 0.5, True, "fighter", "open", threatens=True, begin=_GUN, each=shooting.fire),
        Animation(
            "fire_from_cover", 0.5, True, "fighter", "half", threatens=True, begin=_GUN_IN_COVER, each=shooting.fire
        ),
        Animation(
            "blind_fire",
            0.5,
            True,
            target="fighter",
            posture="blind",
            crouched=True,
            threatens=True,
            begin=_GUN_IN_COVER,
            each=shooting.blind_fire,
        ),
        Animation("suppress", 3.0, False, "place", "half", threatens=True, begin=_GUN, each=shooting.suppress),
        Animation("aim", 0.5, True, "fighter", "half", threatens=True, begin=_GUN, each=shooting.aim),
        Animation("reload", 1.8, begin=poses.take_magazine, end=poses.reload),
        Animation("melee", 0.6, True, "fighter", "open", begin=striking.in_reach, each=striking.strike),
        Animation(
            "lunge",
            striking.LUNGE_LASTS,
            True,
            "fighter",
            "open",
            begin=striking.in_leap,
            each=striking.leap,
        ),
        Animation("throw", 0.7, False, "place", "half", begin=striking.take_grenade, end=striking.throw),
        Animation("roll", 0.6, posture="rolling", begin=striking.roll, each=striking.glide),
        Animation("shuffle", 0.5, posture="open", begin=striking.shuffle, each=striking.glide),
        Animation("duck", 0.8, crouched=True),
        Animation("hunker", 2.0, crouched=True),
        Animation("look", 1.5, each=poses.look_about),
        Animation("look_back", 1.0, each=poses.look_back),
        Animation("watch", 2.0, begin=poses.face),
        Animation("cloak", 0.3, end=poses.cloak),
        Animation("uncloak", 0.3, end=poses.uncloak),
        Animation("jump_to_wall", 0.5, posture="open", begin=poses.find_wall, end=poses.stick),
        Animation("jump_down", 0.3, posture="open", begin=poses.on_wall, end=poses.drop),
        Animation("breathe", 3.0, end=poses.get_breath_back),
        Animation("shout", 0.5, begin=poses.shout),
        Animation("talk", 0.5, begin=poses.talk),
        Animation("idle", 0.5, begin=poses.face),
    )
}
ON_THE_WALL = frozenset({"watch", "jump_down"})  # all that one can do up there
