"""What fighters shoot with."""

from dataclasses import dataclass


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
