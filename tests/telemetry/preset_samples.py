"""Small logs of an invented fishing game in the published layouts of telemetry services. The data is invented.

Every player fishes (casts near water until there is a catch), then sells (offers until there is a deal); and again.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAYERS = ("ann", "bo", "cy", "dee")


class Happening(NamedTuple):
    """One event of the invented game, before it is written in a layout."""

    player: str
    session: str
    number: int
    at: datetime
    event: str
    params: dict[str, Any]


def happenings() -> Iterator[Happening]:
    """Yield the events of all players, mixed as they come in."""
    plays = ["cast", "cast", "walk", "cast", "catch", "walk", "offer", "offer", "deal"] * 3
    for number, event in enumerate(plays):
        for place, player in enumerate(PLAYERS):
            at = START + timedelta(seconds=4 * number + place)
            near = event in ("cast", "catch")
            yield Happening(player, f"s-{player}", number, at, event, {"near_water": near, "gold": 10 + number})


def iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_lines(rows: Iterator[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def separated(rows: Iterator[dict[str, Any]], delimiter: str) -> str:
    listed, text = list(rows), io.StringIO()
    writer = csv.DictWriter(text, list(listed[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(listed)
    return text.getvalue()


def opengamedata() -> str:
    """The event tables (.tsv) of Open Game Data: one row an event, event_data and game_state as JSON."""
    return separated(
        (
            {
                "session_id": f"26030112{each.player}",
                "app_id": "FISHING",
                "timestamp": each.at.strftime("%Y-%m-%d %H:%M:%S.%f"),
                "event_name": each.event,
                "event_data": json.dumps(each.params),
                "event_source": "GAME",
                "app_version": "1.0",
                "app_branch": "main",
                "log_version": "2",
                "offset": "00:00:00",
                "user_id": "",
                "user_data": "{}",
                "game_state": json.dumps({"weather": "rain"}),
                "index": each.number,
            }
            for each in happenings()
        ),
        "\t",
    )


def gameanalytics() -> str:
    """The stream of GameAnalytics' data export: a wrapper with metadata, the event in `data`."""

    def wrapped(data: dict[str, Any], each: Happening) -> dict[str, Any]:
        common = {
            "v": 2, "platform": "windows", "os_version": "windows 11", "device": "unknown", "build": "1.0",
            "user_id": each.player, "session_id": each.session, "session_num": 1,
            "client_ts": int(each.at.timestamp()), "sdk_version": "unity 7.9", "custom_fields": each.params,
        }  # fmt: skip
        meta = {"cohort_week": 1772323200, "first_build": "1.0", "install_ts": 1772323200}
        return {
            "arrival_ts": int(each.at.timestamp()) + 2,
            "country_code": "DK",
            "game_id": 7,
            "ip": "10.0.0.0",
            "user_meta": meta,
            "data": {**data, **common},
        }

    def rows() -> Iterator[dict[str, Any]]:
        for each in happenings():
            if each.number == 0:
                yield wrapped({"category": "user"}, each)  # has no event_id
            yield wrapped({"category": "design", "event_id": each.event, "value": each.params["gold"]}, each)
            if each.number == 26:
                yield wrapped({"category": "session_end", "length": 108}, each)

    return json_lines(rows())


def unity() -> str:
    """The table EVENTS of Unity Analytics' SQL Data Explorer, exported as CSV."""
    return separated(
        (
            {
                "UNITY_ENVIRONMENT_NAME": "production",
                "UNITY_APPLICATION_NAME": "Fishing",
                "EVENT_ID": number,
                "EVENT_JSON": json.dumps({"sessionID": each.session, "platform": "PC_CLIENT", **each.params}),
                "PLATFORM": "PC_CLIENT",
                "EVENT_DATE": each.at.strftime("%Y-%m-%d"),
                "CLIENT_VERSION": "1.0",
                "USER_ID": each.player,
                "USER_COUNTRY": "DK",
                "EVENT_TIMESTAMP": each.at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
                "PLAYER_START_DATE": "2026-03-01",
                "EVENT_NAME": each.event,
            }
            for number, each in enumerate(happenings())
        ),
        ",",
    )


def playfab() -> str:
    """PlayStream events of PlayFab: common properties, and those of the event beside them."""

    def rows() -> Iterator[dict[str, Any]]:
        common = {"EventNamespace": "custom.fishing", "SourceType": "GameClient", "TitleId": "AB12C"}
        title = {"EventName": "title_updated", "EntityId": "AB12C", "EntityType": "title", "Timestamp": iso(START)}
        yield {**title, "EventNamespace": "com.playfab", "EventId": "0"}
        for number, each in enumerate(happenings(), 1):
            own = {"EntityId": each.player, "EntityType": "player", "Timestamp": iso(each.at)}
            yield {"EventName": each.event, "EventId": str(number), **own, **common, **each.params}

    return json_lines(rows())


VERBS = {"catch": "completed", "deal": "passed", "walk": "progressed", "cast": "attempted", "offer": "interacted"}


def xapi() -> str:
    """Statements of xAPI 1.0.3."""
    return json_lines(
        {
            "id": f"00000000-0000-4000-8000-{number:012}",
            "actor": {"objectType": "Agent", "account": {"homePage": "https://example.com", "name": each.player}},
            "verb": {
                "id": f"http://adlnet.gov/expapi/verbs/{VERBS[each.event]}",
                "display": {"en-US": VERBS[each.event]},
            },
            "object": {"objectType": "Activity", "id": "https://example.com/fishing"},
            "result": {"extensions": each.params},
            "context": {"registration": each.session},
            "timestamp": iso(each.at),
            "version": "1.0.3",
        }
        for number, each in enumerate(happenings())
    )


def steam() -> str:
    """A flat log of a game's own, with the names of Steam's Web API."""
    return separated(
        (
            {
                "timestamp": int(each.at.timestamp()),
                "steamid": f"7656119800000000{PLAYERS.index(each.player)}",
                "session_id": each.session,
                "event": each.event,
                "apiname": {"catch": "fish", "deal": "sell"}.get(each.event, ""),
                "properties": json.dumps(each.params),
            }
            for each in happenings()
        ),
        ",",
    )


class Sample(NamedTuple):
    """A sample: its file name, its text, and the actions of the game in its words."""

    file: str
    text: Callable[[], str]
    cast: str = "cast"
    offer: str = "offer"
    catch: str = "catch"
    deal: str = "deal"


SAMPLES = {
    "opengamedata": Sample("events.tsv", opengamedata),
    "gameanalytics": Sample("export.jsonl", gameanalytics),
    "unity": Sample("events.csv", unity),
    "playfab": Sample("playstream.jsonl", playfab),
    "xapi": Sample("statements.jsonl", xapi, cast="attempted", offer="interacted", catch="completed", deal="passed"),
    "steam": Sample("log.csv", steam),
}
