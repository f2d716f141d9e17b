"""Clients whose service is killed again and again: what they sent is counted once, all of it."""

import random
import time
from pathlib import Path
from typing import Any

import pytest

from clients.clients import driver_command, lacking, load_script

runner = load_script("run")


@pytest.mark.slow
@pytest.mark.parametrize("client", ["python-sync", "python-async", "javascript", "csharp"])
def test_every_event_counts_once_whatever_is_killed(client: str, tmp_path: Path) -> None:
    if reason := lacking(client):
        pytest.skip(reason)
    rng, sent = random.Random(5), 0
    service = runner.Service(tmp_path, {})
    network = runner.Network(service.port)
    driver = runner.Driver(driver_command(client, tmp_path), tmp_path / "driver")
    try:
        driver.ask({"do": "open", "address": f"http://127.0.0.1:{network.port}", "retry": [0.02, 0.2], "window": 3})
        for number in range(10):
            for _ in range(rng.randrange(1, 8)):
                count = rng.randrange(1, 60)
                events: list[dict[str, Any]] = [
                    {"player": f"p{(sent + i) % 5}", "action": "swing", "time": float(sent + i)} for i in range(count)
                ]
                assert driver.ask({"do": "send", "events": events}) == {"taken": count}
                sent += count
                time.sleep(rng.uniform(0.0, 0.03))
            if number % 3 == 2:
                network.cut()
            else:
                service.kill()
                service.start()
        assert driver.ask({"do": "settle"}) == {"settled": True}
        counts = driver.ask({"do": "counts"})
        assert (counts["acknowledged"], counts["refused"], counts["dropped"]) == (sent, 0, 0)
        kept = sum(service.ask("GET", f"/v1/players/p{i}")["answer"]["seq"] for i in range(5))
        assert kept == sent
    finally:
        driver.end()
        network.down()
        service.kill()
