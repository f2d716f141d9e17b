"""Dialogue."""
