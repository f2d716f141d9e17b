"""``telos watch arena --list``: the scenes there are."""

import json

import typer

from telos.worlds.arena.scene import load_scene, scene_names


def list_scenes(*, as_json: bool) -> None:
    """Say which scenes there are, with a line about each."""
    scenes = [load_scene(name) for name in scene_names()]
    if as_json:
        typer.echo(json.dumps([{"name": each.name, "about": each.about, "seconds": each.seconds} for each in scenes]))
        return
    widest = max((len(each.name) for each in scenes), default=0)
    for each in scenes:
        typer.echo(f"{each.name:<{widest}}  {each.about}")
