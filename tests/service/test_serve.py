"""The command ``telos serve``: TLS, several models, and options that are refused before anything is served."""

import json
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

from service.processes import event, running
from telos import TelosError
from telos.cli.main import app

FSM = """
recognizer: fsm
goals: [rest, fight]
start: rest
actions: [swing]
context: {}
rules: [{if: action == swing, then: fight}]
"""


def ask(address: str, path: str, body: Any = None, **options: Any) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{address}{path}", data), timeout=20, **options) as answer:
        return json.load(answer)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")
def test_tls_and_several_models_are_served(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "brawl.yaml").write_text(FSM, encoding="utf-8")
    options = ("--model", "adventure", "--model", tmp_path / "brawl.yaml", "--certificate", certificate, "--key", key)
    trusting = ssl.create_default_context(cafile=str(certificate))
    with running(*options, errors=tmp_path / "errors") as service:
        assert service.address.startswith("https://127.0.0.1:")
        models = ask(service.address, "/v1/models", context=trusting)["models"]
        assert [(each["name"], each["default"]) for each in models] == [("adventure", True), ("brawl", False)]
        brawl = ask(service.address, "/v1/players/ann/events?model=brawl", {"action": "swing"}, context=trusting)
        assert brawl["beliefs"][0]["top"] == "fight"
        adventure = ask(service.address, "/v1/players/ann/events", event(0), context=trusting)
        assert (adventure["beliefs"][0]["model"], adventure["beliefs"][0]["seq"]) == ("adventure", 1)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--host", "0.0.0.0"], "--tokens"),
        (["--certificate", "cert.pem"], "--key"),
        (["--certificate", "missing.pem", "--key", "missing.pem", "--port", "0"], "TLS"),
        (["--model", "adventur"], "adventure"),
        (["--domain", "missing.yaml"], "missing.yaml"),
        (["--tokens", "missing"], "missing"),
        (["--host", "256.0.0.1", "--tokens", "tokens"], "256.0.0.1"),
        (["--host", ""], "--host '' lets other machines in"),
        (["--tokens", "many"], "many:20: "),
    ],
)
def test_faulty_options_are_refused_in_one_line(
    options: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokens").write_text("admin abcdefghijklmnopqrst\n", encoding="utf-8")
    (tmp_path / "many").write_text("x\n" * 10_000, encoding="utf-8")
    result = CliRunner().invoke(app, ["serve", *options])
    assert isinstance(result.exception, (SystemExit, ValueError)), result.output
    said = result.output or str(result.exception)
    assert word in said
    assert said.count("\n") <= 20


@pytest.mark.parametrize(
    ("extra", "options", "word"),
    [
        ("nats", ["--nats", "nats://127.0.0.1:1"], "no servers available"),  # and it ends
        ("nats", ["--nats", "\x1b"], "--nats \\x1b: "),
        ("psycopg", ["--store", "postgresql://[x"], "--store: Invalid IPv6 URL"),
    ],
)
def test_servers_that_cannot_be_reached_are_named(
    extra: str, options: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["serve", "--port", "0", *options])
    assert isinstance(result.exception, TelosError)
    assert word in str(result.exception)
