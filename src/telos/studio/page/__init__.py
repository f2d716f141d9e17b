"""The page: canvas, timeline, bars and panels."""
