"""The clients of other languages, and the runner of the test vectors that ``clients/vectors`` has for everybody."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "clients"
COMPILE_SECONDS = 120


def load_script(name: str) -> ModuleType:
    """Return a script of ``clients/vectors`` as a module."""
    spec = importlib.util.spec_from_file_location(f"telos_vectors_{name}", CLIENTS / "vectors" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def lacking(client: str) -> str:
    """Return why a client cannot run here, or nothing."""
    needed = {"javascript": ["node"], "csharp": ["mono", "mcs"], "godot": ["gdparse", "gdlint", "gdformat"]}
    missing = [each for each in needed.get(client, []) if shutil.which(each) is None]
    return f"{' and '.join(missing)} is not installed" if missing else ""


def compile_csharp(folder: Path) -> Path:
    """Return the driver of the client for C#, compiled; any warning is an error."""
    sources = [*sorted((CLIENTS / "csharp").glob("*.cs")), CLIENTS / "csharp" / "test" / "Driver.cs"]
    program = folder / "driver.exe"
    command = ["mcs", "-langversion:6", "-warn:4", "-warnaserror", f"-out:{program}", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return program


def driver_command(client: str, folder: Path) -> list[str]:
    """Return the command that drives a client."""
    if client == "javascript":
        return ["node", str(CLIENTS / "javascript" / "test" / "driver.js")]
    if client == "csharp":
        return ["mono", str(compile_csharp(folder))]
    return [sys.executable, str(Path(__file__).with_name("python_driver.py")), client.removeprefix("python-")]
