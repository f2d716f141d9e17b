"""Helpers for tests of pictures."""

from telos.studio.worlds.shapes import Picture, Symbols


def roles_of(picture: Picture, symbols: Symbols) -> set[str]:
    """Return the colour roles of a picture; an unknown symbol raises."""
    at = {"r": (5, 7), "c": (4, 5), "l": (5,), "p": (2, 3), "t": (4,)}
    found = set()
    for shape in picture:
        if shape[0] == "s":
            for fill, _, stroke, _ in symbols[shape[2]]:
                found |= {fill, stroke}
            found |= {str(shape[7].get("tint", ""))}
        else:
            found |= {shape[i] for i in at[shape[0]]}
    return {role.partition("/")[0] for role in found if role}
