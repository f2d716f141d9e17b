"""Tuning numbers of the arena: time, senses, movement, fire, blasts, noise, and the weapons."""

import math
from dataclasses import dataclass

TICK = 0.1  # seconds in a step
TICKS_A_SECOND = 10

# Senses
SIGHT_RANGE = 30.0  # metres
DARK_SIGHT_RANGE = 4.0  # metres at which a fighter in a dark room is seen
CLOAKED_SIGHT_RANGE = 4.0  # metres at which a cloaked fighter is seen
AWARENESS_RANGE = 3.0  # metres at which a fighter outside the field of view is noticed
FIELD_OF_VIEW = math.cos(math.radians(200 / 2))  # cosine of half the angle

# Movement
PACES = {"walk": 0.5, "run": 1.0, "cloaked": 0.75, "crawl": 0.3}  # share of a body's speed
CROWD_SIZE = 3  # other bodies in a cell that slow a walker down
CROWD_SPEED = 0.5  # share of the speed in a crowd
STEP_ASIDE_RANGE = 2.0  # metres in which a body looks for a free cell if its destination is taken
BREATH_RECOVERY = 0.5  # seconds of running that one second of rest makes good
USE_RANGE = 1.6  # metres from which a thing can be used

# Fire
BURST_ROUNDS = 3
BURST_TICKS = 5  # between two bursts
ACCURACY_RANGE = 28.0  # metres over which the chance to hit falls to 37 %, for most weapons
DRAW_SECONDS = 1.0  # to put one weapon away and take another
RELOAD_SECONDS = 1.8
LOST_TARGET_TICKS = 10  # ticks without a line of sight after which a shooter gives up
# Chance to hit a target in the open, compared with one that stands.
CROUCHED_EXPOSURE, RUNNING_EXPOSURE, ROLLING_EXPOSURE, PRONE_EXPOSURE = 0.7, 0.6, 0.25, 0.4
COVER_EXPOSURE = {"covered": 0.12, "prone": 0.12, "half": 0.45, "blind": 0.1}  # the same behind cover, by posture
BLIND_FIRE_ACCURACY = 0.2
SUPPRESSION_ACCURACY = 0.5  # of suppressive fire
SUPPRESSED_ACCURACY_LOSS = 0.75  # for a fully suppressed shooter
DARK_ACCURACY = 0.5  # against a target in a dark room
# Suppression added by a burst: to its target, and to fighters near it. Aimed fire hits, suppressive fire pins.
AIMED_SUPPRESSION, NEARBY_AIMED_SUPPRESSION = 0.35, 0.18
AIMED_SUPPRESSION_LIMIT = 0.8  # up to which aimed fire suppresses
SUPPRESSION, NEARBY_SUPPRESSION = 0.5, 0.3  # of suppressive fire and of blasts
NEAR_MISS_RANGE = 2.0  # metres around a target in which a burst suppresses others
SUPPRESSION_DECAY = 0.3  # per second
PINNED, UNPINNED = 0.9, 0.8  # suppression from which a fighter is pinned, and at which it no longer is

# Melee and grenades
MELEE_DAMAGE, LUNGE_DAMAGE = 60.0, 70.0
LUNGE_RANGE = 4.0  # metres that a lunge covers
LUNGE_STOP = 1.0  # metres from the target at which a lunge stops
THROW_RANGE = 20.0  # metres
FUSE_TICKS = 22  # from the throw to the explosion
FLIGHT_TICKS = 10
BLAST_DAMAGE, BLAST_RADIUS = 90.0, 5.0  # damage at the centre; metres at which it reaches zero

# Things
MEDKIT_HEALTH = 50.0
AMMO_BOX_MAGAZINES = 2

# Metres at which an event is heard, by its action; all other events are silent.
LOUDNESS = {
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


@dataclass(frozen=True, slots=True)
class Weapon:
    """A kind of gun: accuracy at point-blank range, damage of a burst that hits, rounds in a magazine, and its range.

    An accuracy above 1 makes up for distance and suppression.
    """

    name: str
    accuracy: float
    damage: float
    magazine: int
    range: float = ACCURACY_RANGE  # metres over which the chance to hit falls to 37 %

    def hit_chance(self, metres: float) -> float:
        """Return the chance that a burst hits somebody who stands in the open, before all that makes it harder.

        >>> round(WEAPONS["rifle"].hit_chance(10), 2), round(WEAPONS["shotgun"].hit_chance(10), 2)
        (0.49, 0.25)
        """
        return self.accuracy * math.exp(-metres / self.range)


WEAPONS = {
    weapon.name: weapon
    for weapon in (
        Weapon("rifle", accuracy=0.7, damage=25.0, magazine=24),
        Weapon("pistol", accuracy=0.55, damage=12.0, magazine=12),
        Weapon("shotgun", accuracy=1.3, damage=50.0, magazine=9, range=6.0),  # the best gun below ten metres
        Weapon("heavy-rifle", accuracy=1.2, damage=50.0, magazine=36),  # of one who fights many
        Weapon("none", accuracy=0.0, damage=0.0, magazine=0),
    )
}
