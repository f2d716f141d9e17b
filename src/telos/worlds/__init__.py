"""Playable test beds, each a folder."""
