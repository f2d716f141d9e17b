"""What do the minds of a village take? examples/village with Telos, and with behaviour trees of py_trees, in one run.

    python benchmarks/village_peers.py [--frames 1200] [--json]

World and bodies are the same code in both (``village.py``); counted is what gives them minds: with Telos the domain
file, ``add_minds`` and ``Villager.sense``, with py_trees all of ``village_tree.py`` but ``sense``, which it uses, too.
Lines are those with code in them. Concepts are the public names of the library, and the keys of its files, that the
whole village uses or defines for it to call. After that both villages live for as many frames.
"""

import argparse
import ast
import inspect
import io
import json
import statistics
import sys
import time
import tokenize
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

import telos

HERE = Path(__file__).parent
VILLAGE = HERE.parent / "examples" / "village"
sys.path[:0] = [str(VILLAGE), str(HERE)]

from village import SECONDS, World  # noqa: E402

MINDS = {"add_minds", "sense"}  # the functions of village.py that belong to the minds


# --- lines and concepts -----------------------------------------------------------------------------------------------


def code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold code: neither blank, nor comment, nor docstring."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        if documented:
            first = node.body[0]  # type: ignore[attr-defined]
            lines.difference_update(range(first.lineno, first.end_lineno + 1))
    return lines


def functions_of(source: str, names: Iterable[str]) -> list[ast.FunctionDef]:
    """Return the functions and methods of those names."""
    return [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef) and each.name in names]


def used_names(source: str) -> set[str]:
    """Return the attributes that a source uses, and what it defines in classes with a base, for the library to call."""
    nodes = list(ast.walk(ast.parse(source)))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for derived in (node for node in nodes if isinstance(node, ast.ClassDef) and node.bases):
        found |= {each.name for each in derived.body if isinstance(each, ast.FunctionDef)}
        targets = (target for each in derived.body if isinstance(each, ast.Assign) for target in each.targets)
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def public_names(*things: Any) -> set[str]:
    """Return the public names of modules and classes, but not the modules in them."""
    return {
        name
        for thing in things
        for name in dir(thing)
        if not name.startswith("_") and not inspect.ismodule(getattr(thing, name, None))
    }


def keys_of(file: Path) -> set[str]:
    """Return the keys of a domain file that are Telos's words, not the author's."""
    schema = json.loads((Path(telos.__file__).parent / "files" / "domain.schema.json").read_text(encoding="utf-8"))
    words = {key for each in (schema, *schema["$defs"].values()) for key in each.get("properties", {})}

    def keys(value: Any) -> set[str]:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return {*(value if isinstance(value, dict) else ()), *(key for part in parts for key in keys(part))}

    return keys(yaml.safe_load(file.read_text(encoding="utf-8"))) & words


def count_telos() -> dict[str, Any]:
    """Return the lines and the concepts of the minds of examples/village."""
    source, domain = (VILLAGE / "village.py").read_text(encoding="utf-8"), VILLAGE / "village.yaml"
    minds, lines = functions_of(source, MINDS), code_lines(source)
    python = sum(node.lineno <= line <= (node.end_lineno or 0) for node in minds for line in lines)
    authored = [line for line in domain.read_text(encoding="utf-8").splitlines() if line.split("#")[0].strip()]
    used = used_names(source) & (public_names(telos, telos.Crowd, telos.Body) | {"why", "why_not"})
    return {"lines": python + len(authored), "concepts": sorted({*used, *keys_of(domain)})}


def count_py_trees() -> dict[str, Any]:
    """Return the lines and the concepts of the minds that are behaviour trees."""
    import py_trees

    source, shared = (HERE / "village_tree.py").read_text(encoding="utf-8"), (VILLAGE / "village.py").read_text("utf-8")
    sense, lines = functions_of(shared, {"sense"}), code_lines(shared)
    sensing = sum(node.lineno <= line <= (node.end_lineno or 0) for node in sense for line in lines)
    library = (py_trees.composites, py_trees.common.Status, py_trees.display, py_trees.behaviour)
    used = used_names(source) & public_names(*library, py_trees.composites.Selector)
    return {"lines": len(code_lines(source)) + sensing, "concepts": sorted(used)}


# --- how they live ----------------------------------------------------------------------------------------------------


def make_tree_world() -> Any:
    """Return the village with trees for minds."""
    from village_tree import TreeCrowd

    class TreeWorld(World):
        def add_minds(self) -> None:
            self.crowd: Any = TreeCrowd(self.people)

    return TreeWorld()


def live(make: Any, frames: int) -> dict[str, Any]:
    """Let a village live, saved and restored at half time beside itself; return how its people fare."""
    world, again = make(), make()
    world.tick()  # plans are compiled and paths are found: another question
    start = time.process_time()
    for _ in range(frames // 2):
        world.tick()
    spent = time.process_time() - start
    again.restore(json.loads(json.dumps(world.save())))
    for _ in range(frames // 2):
        world.tick()
        again.tick()
    people = list(world.people.values())
    return {
        "gold": sum(each.gold for each in people),
        "axes": sum(each.axe for each in people),
        "hunger": statistics.mean(each.hunger for each in people),
        "tired": statistics.mean(each.tired for each in people),
        "same_after_restore": json.dumps(again.save()) == json.dumps(world.save()),
        "ms_a_frame": spent / (frames // 2) * 1e3,
    }


def measure(frames: int) -> dict[str, Any]:
    """Return the figures of both villages."""
    figures = {"Telos": {**count_telos(), **live(World, frames)}}
    if find_spec("py_trees") is not None:
        figures["py_trees"] = {**count_py_trees(), **live(make_tree_world, frames)}
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=1200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.frames)
    if options.json:
        print(json.dumps(figures))
        return 0
    table = Table("", *figures, title=f"The minds of twenty villagers, {options.frames * SECONDS:g} s of the game")
    rows = {
        "lines for the minds": lambda each: f"{each['lines']}",
        "concepts of the library": lambda each: f"{len(each['concepts'])}",
        "goes on exactly where it was saved": lambda each: "yes" if each["same_after_restore"] else "no",
        "axes, gold in the village": lambda each: f"{each['axes']}, {each['gold']}",
        "hunger, tiredness (mean)": lambda each: f"{each['hunger']:.0f}, {each['tired']:.0f}",
        "ms a frame": lambda each: f"{each['ms_a_frame']:.1f}",
    }
    for title, shown in rows.items():
        table.add_row(title, *map(shown, figures.values()))
    console = Console()
    console.print(table)
    for name, each in figures.items():
        console.print(f"{name}: {', '.join(each['concepts'])}")
    if "py_trees" not in figures:
        console.print("py_trees is not installed, and left out (pip install py_trees)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
