"""The command line, ``telos …``: a module for each command; ``app`` names them all, ``main`` runs one.

Commands about logs are in ``logs``, commands that run worlds in ``worlds``.
"""

__all__: list[str] = []
