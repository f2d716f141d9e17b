"""The playable worlds, a folder each, behind one protocol and one registry (registry.py).

    arena      squad combat on a drawn map          adventure  an action-adventure; its player is recognised
    home       a house and its inhabitants' motives forge      a companion that recognises the player's plan
    island     a mystery for simulated players

Every world has its rules in a module of its own name, what is visible in ``views``, its trace records and text log in
``trace`` and its terminal picture in ``terminal``. Several worlds share ``routes``, ``plots`` and the layout in
``terminal``. Start with ``WORLDS`` and ``world(name)``.
"""

from telos.worlds.registry import WORLDS, View, World, WorldEntry, known_world, world

__all__ = ["WORLDS", "View", "World", "WorldEntry", "known_world", "world"]
