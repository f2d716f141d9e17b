"""The description of the service: OpenAPI 3.1, made of the message types, and a page for people."""

import json
from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from telos import web_page
from telos.service.characters import ChoiceAnswer, ChoiceRequest, PlanAnswer, PlanRequest
from telos.service.messages import EventMessage, EventsAnswer, PlayerAnswer, Problem
from telos.service.stream import StreamAnswer, StreamMessage, StreamNews
from telos.traces import GameList, GameTrace, PauseRequest, TraceAnswer, TraceBatch

_PLAYER = {"name": "player", "in": "path", "required": True, "schema": {"type": "string"}}
_MODEL = {"name": "model", "in": "query", "schema": {"type": "string"}, "description": "The first model, if left out."}
_NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
_FILE = {"name": "file", "in": "query", "schema": {"type": "string"},
         "description": "The name of the file; its suffix says what kind of model it is."}  # fmt: skip

_GAME = {"name": "game", "in": "path", "required": True, "schema": {"type": "string"}}
_AFTER = {"name": "after", "in": "query", "schema": {"type": "integer"},
          "description": "The last trace that is known; without it, all so far comes as one trace."}  # fmt: skip
_WAIT = {"name": "wait", "in": "query", "schema": {"type": "integer", "maximum": 10},
         "description": "Seconds to wait for the next trace."}  # fmt: skip

# Path, method, summary, scope, parameters, request, answer.
OPERATIONS: tuple[tuple[str, str, str, str, list[Any], Any, Any], ...] = (
    ("/v1/players/{player}/events", "post", "Send one event or a list; the belief after each comes back.", "write",
     [_PLAYER, _MODEL], EventMessage | list[EventMessage], EventsAnswer),
    ("/v1/players/{player}", "get", "The belief about a player, since when, and why.", "read", [_PLAYER, _MODEL], None,
     PlayerAnswer),
    ("/v1/players/{player}", "delete", "Forget all about a player.", "admin", [_PLAYER], None, dict),
    ("/v1/plan", "post", "Plan for a character.", "read", [], PlanRequest, PlanAnswer),
    ("/v1/choose", "post", "Choose one action for a character.", "read", [], ChoiceRequest, ChoiceAnswer),
    ("/v1/models", "get", "The models and domains of the service.", "read", [], None, dict),
    ("/v1/models/{name}", "put", "Check a model, and use it from now on; players keep their beliefs if the goals are"
     " the same.", "admin", [_NAME, _FILE], str, dict),
    ("/v1/traces", "post", "Send what is new in a game, for studios that look on: one trace or a list.", "write", [],
     GameTrace | list[GameTrace], TraceAnswer),
    ("/v1/traces", "get", "The games that send traces.", "read", [], None, GameList),
    ("/v1/traces/{game}", "get", "The traces of a game.", "read", [_GAME, _AFTER, _WAIT], None, TraceBatch),
    ("/v1/traces/{game}/pause", "post", "Ask a game to stand still, or to go on.", "write", [_GAME], PauseRequest,
     TraceAnswer),
    ("/v1/traces/{game}/pause", "get", "Whether the game is asked to stand still.", "write", [_GAME], None,
     TraceAnswer),
    ("/metrics", "get", "Figures for Prometheus.", "read", [], None, str),
    ("/healthz", "get", "Whether the service answers.", "", [], None, dict),
)  # fmt: skip


@cache
def openapi_text() -> str:
    """Return the description as JSON."""
    kinds = [each for operation in OPERATIONS for each in operation[5:] if each not in (None, dict, str)]
    kinds += [Problem, StreamMessage, StreamAnswer, StreamNews]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(map(str, kinds), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for path, method, summary, scope, parameters, request, answer in OPERATIONS:
        found: dict[str, Any] = {"summary": summary, "parameters": parameters}
        if scope:
            found["security"] = [{"token": [scope]}]
        if request is not None:
            found["requestBody"] = {"required": True, "content": _content(request, schema_of)}
        problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        found["responses"] = {
            "200": {"description": "done", "content": _content(answer, schema_of)},
            "default": {"description": "a problem", "content": problem},
        }
        paths.setdefault(path, {})[method] = found
    stream = "A WebSocket: StreamMessage in; StreamAnswer and StreamNews out. Protocols telos.json and telos.msgpack."
    paths["/v1/stream"] = {"get": {"summary": stream, "responses": {"101": {"description": "a stream"}}}}
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Telos", "version": version("telos"),
                 "description": "Live beliefs about players, and choices and plans for characters."},
        "paths": paths,
        "components": {"schemas": components,
                       "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }  # fmt: skip
    return json.dumps(described, indent=2)


def _content(kind: Any, schema_of: dict[str, Any]) -> dict[str, Any]:
    if kind is str:
        return {"text/plain": {"schema": {"type": "string"}}}
    schema = {"type": "object"} if kind is dict else schema_of[str(kind)]
    return {"application/json": {"schema": schema}, "application/msgpack": {"schema": schema}}


@cache
def openapi_page() -> str:
    """Return a page that lists what the service answers."""
    rows = [[method.upper(), path, summary, scope or "–"] for path, method, summary, scope, *_ in OPERATIONS]
    rows.append(["WS", "/v1/stream", "Events in, beliefs out, acknowledged by number; subscriptions.", "write"])
    body = [
        web_page.heading("A Telos service", 1),
        web_page.paragraph("Live beliefs about players, and choices and plans for characters."),
        web_page.table(["method", "path", "what it does", "scope"], rows, text_columns=(0, 1, 2, 3)),
        '<p>The same for programs: <a href="/openapi.json">openapi.json</a>.</p>',
    ]
    return web_page.web_page("A Telos service", body)
