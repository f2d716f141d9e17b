"""The commands that run worlds: ``play``, ``watch`` (fights.py: what orders change in fights) and ``tournament``."""

__all__: list[str] = []
