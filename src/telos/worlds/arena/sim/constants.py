"""All tuning numbers, weapons."""

import math
from dataclasses import dataclass

# --- rules ------------------------------------------------------------------------------------------------------------
# The numbers of the arena, all in one place: time, senses, fire, blasts and noise.


TICK = 0.1  # seconds a step
TICKS_A_SECOND = 10

# Senses
SIGHT = 30.0  # metres that anybody sees at all
SIGHT_IN_THE_DARK = 4.0  # metres at which somebody in a dark room is seen
SIGHT_OF_THE_CLOAKED = 4.0  # metres at which the air is seen to shimmer
AWARE = 3.0  # metres at which somebody is noticed behind one's back
FIELD_OF_VIEW = math.cos(math.radians(200 / 2))  # the cosine of half of it

# Moving
PACES = {"walk": 0.5, "run": 1.0, "cloaked": 0.75}  # shares of a body's speed
CROWD = 3  # others in a cell that make it a crowd
IN_A_CROWD = 0.5  # share of the speed that a crowd leaves
STEP_ASIDE = 2.0  # metres that a body looks for a free cell in, when somebody stands where it goes
GETS_BREATH_BACK = 0.5  # seconds of running that a second without running makes good
REACH_OF_HANDS = 1.6  # metres from which a thing can be used

# Fire
BURST = 3  # rounds
BETWEEN_BURSTS = 5  # ticks
FALLS_OFF = 28.0  # metres over which the chance to hit falls to 37 %
LOSES_SIGHT = 10  # ticks without a line to the target, after which a shooter gives up
CROUCHED, RUNNING, ROLLING = 0.7, 0.6, 0.25  # chance to hit such a target in the open, compared with one that stands
SHELTERED = {
    "covered": 0.12,
    "half": 0.45,
    "blind": 0.1,
}  # the same behind cover, by how much the target shows
BLIND = 0.2  # accuracy of who fires without looking
SPRAYING = 0.8  # accuracy of who fires to keep heads down
UNDER_FIRE = 0.75  # accuracy that being fully suppressed takes away
INTO_THE_DARK = 0.5  # accuracy against a target in a dark room
SUPPRESSES, SUPPRESSES_FRIENDS = 0.35, 0.18  # how much a burst adds, for its target and for who is near
NEAR_MISS = 2.0  # metres in which a burst makes others keep their heads down
CALMS_DOWN = 0.3  # suppression lost in a second

# Fists, and what flies through the air
MELEE, LUNGE = 60.0, 70.0  # damage
LEAP = 4.0  # metres that a lunge covers
ARM = 1.0  # metres at which a lunge stops short of its target
THROW = 20.0  # metres that a grenade can be thrown
FUSE = 22  # ticks from leaving the hand until it goes off
FLIGHT = 10  # ticks in the air
BLAST, BLAST_RADIUS = 90.0, 5.0  # damage at the centre, and metres at which none is left

# Things
HEALS = 50.0  # health that a medkit gives
AMMO = 2  # magazines in a box

# How far each event is heard, in metres; what is not here makes no noise.
LOUD = {
    "shot": 40.0,
    "step": 7.0,
    "kicked": 25.0,
    "broke": 25.0,
    "exploded": 60.0,
    "shouted": 25.0,
    "talked": 6.0,
    "opened": 6.0,
    "closed": 6.0,
    "locked": 6.0,
    "unlocked": 6.0,
    "stuck": 6.0,
    "reloaded": 6.0,
}


# --- weapons ----------------------------------------------------------------------------------------------------------
# What fighters shoot with.


@dataclass(frozen=True, slots=True)
class Weapon:
    """A kind of gun: how well it hits at no distance at all, what a burst does, and the rounds of a magazine."""

    name: str
    accuracy: float
    damage: float
    magazine: int


WEAPONS = {
    weapon.name: weapon
    for weapon in (
        Weapon("rifle", accuracy=0.7, damage=25.0, magazine=24),
        Weapon("pistol", accuracy=0.55, damage=12.0, magazine=12),
        Weapon("none", accuracy=0.0, damage=0.0, magazine=0),
    )
}
