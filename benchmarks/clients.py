"""What a call of ``send`` costs a game's loop, in each client: while the service answers, and while there is none.

    python benchmarks/clients.py

Times are microseconds of one call, over 20,000 calls in a row; nothing may wait for the network. A client is left out
if its language is not installed.
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
CALLS = 20_000


def load_runner() -> ModuleType:
    """Return the runner of the test vectors, which starts services and drives clients."""
    spec = importlib.util.spec_from_file_location("telos_vectors", ROOT / "clients" / "vectors" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def drivers(folder: Path) -> dict[str, list[str]]:
    """Return the commands that drive the clients that can run here."""
    python = [sys.executable, str(ROOT / "tests" / "clients" / "python_driver.py")]
    found = {"Python, Client": python, "Python, AsyncClient": [*python, "async"]}
    if shutil.which("node"):
        found["JavaScript, Node"] = ["node", str(ROOT / "clients" / "javascript" / "test" / "driver.js")]
    if shutil.which("mcs") and shutil.which("mono"):
        sources = [*(ROOT / "clients" / "csharp").glob("*.cs"), ROOT / "clients" / "csharp" / "test" / "Driver.cs"]
        program = folder / "driver.exe"
        subprocess.run(["mcs", "-optimize+", "-langversion:6", f"-out:{program}", *map(str, sources)], check=True)
        found["C#, Mono"] = ["mono", str(program)]
    return found


def measure(runner: Any, command: list[str], address: str, folder: Path) -> dict[str, float]:
    """Return what 20,000 calls took."""
    driver = runner.Driver(command, folder / "errors")
    try:
        driver.ask({"do": "open", "address": address, "retry": [0.05, 0.4], "capacity": 2 * CALLS})
        driver.ask({"do": "pause", "seconds": 0.5})
        driver.ask({"do": "time", "count": CALLS // 10})  # until compilers are warm
        found: dict[str, float] = driver.ask({"do": "time", "count": CALLS})
        return found
    finally:
        driver.end()


def main() -> None:
    runner: Any = load_runner()
    with tempfile.TemporaryDirectory(prefix="telos-clients-") as name:
        folder = Path(name)
        service = runner.Service(folder, {})
        print(f"{'send, microseconds':<22}{'median':>10}{'p99':>10}{'longest':>12}")
        try:
            for client, command in drivers(folder).items():
                for state, address in (("online", service.address), ("offline", "http://127.0.0.1:9")):
                    took = measure(runner, command, address, folder)
                    print(
                        f"{client + ', ' + state:<30}{took['median']:>6.1f}{took['p99']:>8.1f}{took['longest']:>12.1f}"
                    )
        finally:
            service.kill()


if __name__ == "__main__":
    main()
