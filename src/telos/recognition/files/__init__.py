"""Recogniser files: how each goal looks, in YAML that designers write, read with every fault named by line."""
