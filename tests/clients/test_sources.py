"""The sources of the clients: GDScript that its tools accept, types that agree with the code, and light imports."""

import json
import re
import subprocess
import sys

import pytest

from clients.clients import CLIENTS, lacking

GODOT = sorted((CLIENTS / "godot").rglob("*.gd"))
PAGES = {
    "godot": "docs/how-to/use-from-godot.md",
    "csharp": "docs/how-to/use-from-unity.md",
    "javascript": "docs/how-to/use-from-javascript.md",
}


@pytest.mark.parametrize("command", [["gdparse"], ["gdlint"], ["gdformat", "--check"]], ids=lambda each: str(each[0]))
def test_gdscript_is_accepted_by_its_tools(command: list[str]) -> None:
    if reason := lacking("godot"):
        pytest.skip(reason)
    assert GODOT
    done = subprocess.run([*command, *map(str, GODOT)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_godot_client_is_said_to_be_untested_in_the_engine() -> None:
    for path in (CLIENTS / "godot" / "README.md", CLIENTS.parent / PAGES["godot"]):
        assert "not been run in the engine" in " ".join(path.read_text(encoding="utf-8").split())


def test_types_for_javascript_name_what_the_client_has() -> None:
    code = (CLIENTS / "javascript" / "index.js").read_text(encoding="utf-8")
    types = (CLIENTS / "javascript" / "index.d.ts").read_text(encoding="utf-8")
    body = code[code.index("export class Client ") :]
    declared = types[types.index("export class Client ") :]
    methods = set(re.findall(r"^  (?:async |get )?([a-z]\w*)\(", body, re.M)) - {"constructor"}
    named = set(re.findall(r"^  (?:readonly )?([a-z]\w*)(?:<.*?>)?[(:]", declared, re.M)) - {"constructor"}
    assert methods == named
    options = re.search(r"const \{ (token.*?) \} = options", code)
    assert options is not None
    expected = {each.split("=")[0].strip() for each in re.sub(r"\[.*?\]", "", options[1]).split(",")}
    listed = types[types.index("interface ClientOptions") : types.index("interface PlanOptions")]
    assert expected == set(re.findall(r"^  (\w+)\?:", listed, re.M))


def test_javascript_packs_every_module_that_it_imports() -> None:
    folder = CLIENTS / "javascript"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert not {"dependencies", "devDependencies", "peerDependencies"} & set(package)
    imported = {
        name for path in folder.glob("*.js") for name in re.findall(r'["\']\./([\w-]+\.js)["\']', path.read_text())
    }
    assert imported <= set(package["files"])
    assert all((folder / name).exists() for name in package["files"])


def test_the_python_client_loads_nothing_of_the_service() -> None:
    code = "import sys, json, telos.service\ntelos.service.Client\nprint(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert "telos.service.client.blocking" in loaded
    assert not {"starlette", "uvicorn", "msgspec", "numpy", "telos.service.app", "websockets"} & set(loaded)


def test_clients_name_no_machine() -> None:
    for path in CLIENTS.rglob("*"):
        if path.is_file() and path.suffix != ".json":
            assert not re.search(r"/(tmp|work|home)/", path.read_text(encoding="utf-8")), path
