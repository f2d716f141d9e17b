"""The programs in the guides do what the guides say."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.clients import CLIENTS, ROOT, lacking
from service.processes import RunningService, running

GUIDES = ROOT / "docs" / "how-to"
UNITY = """
namespace UnityEngine
{
    public class MonoBehaviour { }
    public static class Debug { public static void Log(object said) { } public static void LogWarning(object said) { } }
}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    options = ("--model", "adventure", "--domain", ROOT / "examples" / "domains" / "soldier.yaml")
    with running(*options, errors=tmp_path_factory.mktemp("service") / "errors") as started:
        yield started


def programs(page: str, language: str) -> list[str]:
    """Return the blocks of a language in a guide."""
    text = (GUIDES / f"use-from-{page}.md").read_text(encoding="utf-8")
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
    assert found
    return found


def test_the_javascript_of_the_guide_hears_beliefs(service: RunningService, tmp_path: Path) -> None:
    if reason := lacking("javascript"):
        pytest.skip(reason)
    code = programs("javascript", "js")[0].replace("./clients/javascript", (CLIENTS / "javascript").as_uri())
    code = (
        code.replace("http://127.0.0.1:8700", service.address) + "await client.close();\nconsole.log(client.counts);\n"
    )
    (tmp_path / "game.mjs").write_text(code, encoding="utf-8")
    done = subprocess.run(["node", tmp_path / "game.mjs"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"ann \w+ \{\s+level: ", done.stdout)
    assert "acknowledged: 2" in done.stdout, done.stdout


def test_the_csharp_of_the_guide_compiles(tmp_path: Path) -> None:
    if reason := lacking("csharp"):
        pytest.skip(reason)
    (tmp_path / "PlayerReader.cs").write_text(programs("unity", "csharp")[0], encoding="utf-8")
    (tmp_path / "Unity.cs").write_text(UNITY, encoding="utf-8")
    sources = [*sorted(tmp_path.glob("*.cs")), *sorted((CLIENTS / "csharp").glob("*.cs"))]
    command = ["mcs", "-langversion:6", "-target:library", f"-out:{tmp_path / 'game.dll'}", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_gdscript_of_the_guide_is_read_by_its_tools(tmp_path: Path) -> None:
    if reason := lacking("godot"):
        pytest.skip(reason)
    script = tmp_path / "game.gd"
    script.write_text(programs("godot", "gdscript")[0], encoding="utf-8")
    done = subprocess.run(["gdparse", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_python_of_the_guide_hears_beliefs(service: RunningService, capsys: pytest.CaptureFixture[str]) -> None:
    first, question, _ = programs("python", "py")
    code = first.replace("http://127.0.0.1:8700", service.address).replace("while playing:", "while len(heard) < 2:")
    code = code.replace("print(", "heard.append(1); print(").replace("client.close()", "")
    question = question.replace("...\nif answer.done():", "if answer.result(30):")
    names: dict[str, object] = {"heard": []}
    exec(compile(code + question + "client.close()\n", "guide", "exec"), names)  # noqa: S102
    assert re.search(r"ann level 0\.\d+", capsys.readouterr().out)
    assert [step["action"] for step in names["steps"]] == ["reload", "attack"]  # type: ignore[attr-defined]


def test_the_requests_of_the_guide_are_answered(service: RunningService) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    _, requests = programs("other-engines", "sh")
    answers = []
    requests = requests.replace("localhost:8700", service.address.removeprefix("http://")).replace("/ann", "/new")
    for line in requests.splitlines():
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=True)
        answers.append(json.loads(done.stdout))
    assert [each["seq"] for answer in answers[:2] for each in answer["beliefs"]] == [1, 2, 3]
    assert (answers[2]["seq"], answers[3]["found"]) == (3, True)
