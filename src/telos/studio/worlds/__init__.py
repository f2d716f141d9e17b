"""Stages by world."""
