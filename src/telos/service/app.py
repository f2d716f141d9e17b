"""The web application: routes, errors as problem documents, encodings, limits and metrics.

    request ──▶ access.py ──▶ messages.py ──▶ commits.py ──▶ players.py ──▶ store.py
                tokens, rate   typed          batches        readers        kept, then answered

Start with ``Service``, which holds everything, and ``create_app``.
"""

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

from telos.core.errors import TelosError
from telos.service.access import Pages, RateLimit, Scope, Tokens
from telos.service.characters import CharacterRoom, ChoiceRequest, PlanRequest
from telos.service.cluster import Cluster
from telos.service.commits import Committer, Lane, as_problem
from telos.service.messages import (
    JSON,
    MAX_EVENTS,
    MSGPACK,
    EventMessage,
    EventsAnswer,
    PlayerAnswer,
    ProblemCode,
    ServiceError,
    decode,
    encode,
)
from telos.service.models import LiveModel, ModelShelf
from telos.service.openapi import openapi_page, openapi_text
from telos.service.peers import peer_endpoint
from telos.service.players import LivePlayers, Outcome, Submission
from telos.service.store import SharedStore, Store
from telos.service.stream import Subscriptions, stream_endpoint
from telos.service.traces import TraceBoard
from telos.traces import MAX_TRACE_BYTES, PauseRequest, decode_traces

if TYPE_CHECKING:
    from telos.service.jetstream import JetStreamBridge

PROBLEM = "application/problem+json"
COLLECT_SECONDS = 600.0  # between two full collections of garbage
_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)  # of requests, in the metrics
Body = TypeVar("Body")
_LOG = logging.getLogger("telos.service")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds: bytes of a body, requests a second of a client (0: any number), and how long events are kept."""

    body_bytes: int = 8_000_000
    rate: float = 0.0
    keep_seconds: float | None = None
    max_open: int = 50_000
    snapshot_every: int = 500


class Metrics:
    """What one service counts, for Prometheus; in a registry of its own."""

    def __init__(self, committer: Committer) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self.events = Counter("telos_events", "Events kept.", ["model"], registry=registry)
        self.refused = Counter("telos_refused", "Requests refused.", ["problem"], registry=registry)
        self.seconds = Histogram(
            "telos_request_seconds", "From a request to its answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self.forwarded = Counter("telos_forwarded", "Events handed on to other processes.", registry=registry)
        self.streams = Gauge("telos_streams", "Open streams.", registry=registry)
        waiting = Gauge("telos_waiting_events", "Events that wait to be kept.", registry=registry)
        waiting.set_function(lambda: committer.waiting)
        players = Gauge("telos_open_players", "Players in memory.", registry=registry)
        players.set_function(lambda: len(committer.players))

    def text(self) -> bytes:
        """Return all figures in the text format of Prometheus."""
        return generate_latest(self._registry)


@dataclass(slots=True)
class Service:
    """Everything that a running service consists of."""

    shelf: ModelShelf
    store: Store
    characters: CharacterRoom
    default_model: str
    tokens: Tokens = field(default_factory=Tokens)
    limits: Limits = field(default_factory=Limits)
    pages: Pages = field(default_factory=Pages)
    cluster: Cluster | None = None
    bridge: "JetStreamBridge | None" = None  # to NATS
    committer: Committer = field(init=False)
    metrics: Metrics = field(init=False)
    subscriptions: Subscriptions = field(default_factory=Subscriptions)
    traces: TraceBoard = field(default_factory=TraceBoard)
    rate: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        players = LivePlayers(
            self.shelf, self.store, max_open=self.limits.max_open, snapshot_every=self.limits.snapshot_every
        )
        self.committer = Committer(players, self._publish)
        self.metrics = Metrics(self.committer)
        self.rate = RateLimit(self.limits.rate)

    def join(self, address: str) -> None:
        """Be one of the processes that share the store; ``address`` is where the others reach this one."""
        if isinstance(self.store, SharedStore):
            self.cluster = Cluster(self, self.store, address)

    def admit(self, authorization: str | None, address: str, scope: Scope | None) -> str:
        """Raise if a client may not do this, or does too much; return the name by which its requests are counted.

        Refused tokens are counted by address, so that guessing is limited, too.
        """
        try:
            client = self.tokens.check(authorization, scope) or address
        except ServiceError:
            self._count_request(address)
            raise
        self._count_request(client)
        return client

    def _count_request(self, client: str) -> None:
        wait = self.rate.wait(client)
        if wait:
            raise ServiceError(
                ProblemCode.TOO_MANY, f"more than {self.limits.rate:g} requests a second", f"wait {wait:.2g} s",
            )  # fmt: skip

    def enqueue(self, submissions: Sequence[Submission], lane: Lane) -> "asyncio.Future[list[Outcome]]":
        """Let submissions be kept in the order of these calls, by the processes that have the players."""
        return (self.committer if self.cluster is None else self.cluster).enqueue(submissions, lane)

    async def submit(self, submission: Submission) -> Outcome:
        """Keep events and return their outcome; refuses them if too many wait."""
        self.committer.check_room()
        (outcome,) = await self.enqueue([submission], Lane())
        return outcome

    async def answer(self, model: str, player: str) -> PlayerAnswer:
        """Return what is known about a player."""
        if self.cluster is not None:
            return await self.cluster.answer(model, player)
        return await self.committer.run(self.committer.players.answer, model, player)

    async def forget(self, player: str) -> int:
        """Delete all about a player; return the number of events."""
        count = await self.committer.run(self.committer.players.forget, player)
        if self.cluster is not None:
            await self.cluster.forgotten(player)
        return count

    def _publish(self, submission: Submission, outcome: Outcome) -> None:
        self.metrics.events.labels(submission.model).inc(outcome.added)
        self.subscriptions.publish(outcome.beliefs)

    async def prune(self) -> None:
        """Delete events that are older than is kept, once an hour; others are served in between."""
        seconds = self.limits.keep_seconds
        while seconds is not None:
            try:
                while await self.committer.run(self.committer.players.prune, time.time() - seconds):
                    pass
            except TelosError as error:
                _LOG.warning("old events are not deleted: %s", error)
            await asyncio.sleep(min(3600.0, seconds))

    async def collect(self) -> None:
        """Free garbage in cycles now and then, for processes whose collector leaves the old alone."""
        while True:
            await asyncio.sleep(COLLECT_SECONDS)
            gc.collect()

    async def refresh(self) -> None:
        """Learn of the models that other processes put into a shared store, once a second."""
        while self.store.is_shared:
            await asyncio.sleep(1.0)
            try:
                await self.committer.run(self.shelf.refresh)
            except TelosError as error:
                _LOG.warning("models are not refreshed: %s", error)


def create_app(service: Service) -> Starlette:
    """Return the application of a service."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.committer.start()
        tasks = [asyncio.create_task(each) for each in (service.prune(), service.refresh(), service.collect())]
        if service.cluster is not None:
            await service.cluster.start()
        if service.bridge is not None:
            service.bridge.start()
        yield
        if service.bridge is not None:
            await service.bridge.stop()
        for task in tasks:
            task.cancel()
        if service.cluster is not None:
            await service.cluster.stop()
        await service.committer.stop()
        service.store.close()

    def route(path: str, method: str, scope: Scope | None, handle: "Handler") -> Route:
        return Route(path, _endpoint(service, path, scope, handle), methods=[method])

    app = Starlette(
        lifespan=lifespan,
        routes=[
            route("/v1/players/{player:path}/events", "POST", Scope.WRITE, _post_events),
            route("/v1/players/{player:path}", "GET", Scope.READ, _get_player),
            route("/v1/players/{player:path}", "DELETE", Scope.ADMIN, _forget_player),
            route("/v1/plan", "POST", Scope.READ, _post_plan),
            route("/v1/choose", "POST", Scope.READ, _post_choose),
            route("/v1/models", "GET", Scope.READ, _get_models),
            route("/v1/models/{name}", "PUT", Scope.ADMIN, _put_model),
            route("/v1/traces", "POST", Scope.WRITE, _post_traces),
            route("/v1/traces", "GET", Scope.READ, _get_games),
            route("/v1/traces/{game}", "GET", Scope.READ, _get_traces),
            route("/v1/traces/{game}/pause", "GET", Scope.WRITE, _get_pause),
            route("/v1/traces/{game}/pause", "POST", Scope.WRITE, _ask_pause),
            route("/metrics", "GET", Scope.READ, _get_metrics),
            route("/healthz", "GET", None, _get_health),
            route("/openapi.json", "GET", None, _get_openapi),
            route("/", "GET", None, _get_page),
            WebSocketRoute("/v1/stream", stream_endpoint(service)),
            WebSocketRoute("/v1/peer", peer_endpoint(service)),
        ],
        exception_handlers={404: _not_found, 405: _not_found},
    )
    if service.pages.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(service.pages.origins), allow_methods=["*"], allow_headers=["*"]
        )
    return app


Handler = Callable[[Service, Request], Awaitable[Any]]


def _endpoint(service: Service, path: str, scope: Scope | None, handle: Handler) -> Callable[[Request], Any]:
    """Return an endpoint that admits, measures, encodes, and answers every error with a problem document."""
    seconds = service.metrics.seconds.labels(path.replace(":path", ""))

    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            service.pages.check(request.headers)
            if scope is not None:
                client = request.client.host if request.client else ""
                service.admit(request.headers.get("authorization"), client, scope)
            answer = await handle(service, request)
            if isinstance(answer, Response):
                return answer
            media = MSGPACK if MSGPACK in request.headers.get("accept", "") else JSON
            return Response(encode(answer, media), media_type=media)
        except Exception as error:
            return _problem(service, error)
        finally:
            seconds.observe(time.perf_counter() - began)

    return endpoint


def _problem(service: Service, error: Exception) -> Response:
    if isinstance(error, TelosError) and not isinstance(error, ServiceError):
        error = ServiceError(ProblemCode.INVALID, error.message or str(error), error.remedy)
    raised = error if isinstance(error, ServiceError) else as_problem(error)
    problem = raised.problem()
    service.metrics.refused.labels(raised.code.value).inc()
    headers = {"retry-after": "1"} if problem.status in (429, 503) else {}
    if problem.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(encode(problem), problem.status, headers, PROBLEM)


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    what = "there is nothing at" if status == 404 else f"{request.method} is not possible at"
    problem = ServiceError(ProblemCode.NOT_FOUND, f"{what} {request.url.path[:200]}", "see /openapi.json").problem()
    problem.status = status
    return Response(encode(problem), status, media_type=PROBLEM)


async def _body(service: Service, request: Request, kind: type[Body]) -> Body:
    """Return the body of a request, within the limit of its size."""
    data = await read_body(request, service.limits.body_bytes)
    media = MSGPACK if request.headers.get("content-type", "").startswith(MSGPACK) else JSON
    return decode(data, kind, media)


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request; a larger one is refused before all of it has arrived."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise ServiceError(ProblemCode.TOO_LARGE, f"a body has at most {limit:,} bytes", "send fewer at once")
        parts.append(part)
    return b"".join(parts)


def _model(service: Service, request: Request) -> str:
    name = request.query_params.get("model") or service.default_model
    return service.shelf.current(name).name


# --- handlers ---------------------------------------------------------------------------------------------------------


async def _post_events(service: Service, request: Request) -> Any:
    events = await _body(service, request, EventMessage | list[EventMessage])  # type: ignore[arg-type]  # a union
    found = events if isinstance(events, list) else [events]
    if len(found) > MAX_EVENTS:
        raise ServiceError(
            ProblemCode.TOO_LARGE, f"{len(found):,} events at once; at most {MAX_EVENTS:,}", "split them"
        )
    submission = Submission(_model(service, request), request.path_params["player"], found)
    return EventsAnswer((await service.submit(submission)).result())


async def _get_player(service: Service, request: Request) -> Any:
    return await service.answer(_model(service, request), request.path_params["player"])


async def _forget_player(service: Service, request: Request) -> Any:
    player = request.path_params["player"]
    return {"player": player, "events": await service.forget(player)}


async def _post_plan(service: Service, request: Request) -> Any:
    return await asyncio.to_thread(service.characters.plan, await _body(service, request, PlanRequest))


async def _post_choose(service: Service, request: Request) -> Any:
    return await asyncio.to_thread(service.characters.choose, await _body(service, request, ChoiceRequest))


def describe_model(service: Service, model: LiveModel) -> dict[str, Any]:
    """Return what a client should know about a model."""
    default = model.name == service.default_model
    return {"name": model.name, "version": model.version, "goals": list(model.goals), "default": default}


async def _get_models(service: Service, request: Request) -> Any:
    models = [describe_model(service, service.shelf.current(name)) for name in service.shelf.names]
    return {"models": models, "domains": list(service.characters.names)}


async def _put_model(service: Service, request: Request) -> Any:
    data = await read_body(request, service.limits.body_bytes)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ServiceError(ProblemCode.INVALID, f"the model is not UTF-8: {error}") from None
    name = request.path_params["name"]
    file = request.query_params.get("file") or f"{name}.yaml"
    return describe_model(service, await service.committer.run(service.shelf.put, name, file, text))


async def _post_traces(service: Service, request: Request) -> Any:
    data = await read_body(request, min(service.limits.body_bytes, MAX_TRACE_BYTES))
    packed = request.headers.get("content-type", "").startswith(MSGPACK)
    return service.traces.post(decode_traces(data, packed=packed))


async def _get_games(service: Service, request: Request) -> Any:
    return service.traces.games()


async def _get_traces(service: Service, request: Request) -> Any:
    query = request.query_params
    after, wait = (_whole_number(name, query.get(name)) for name in ("after", "wait"))
    return await service.traces.read(request.path_params["game"], after, float(wait or 0))


async def _get_pause(service: Service, request: Request) -> Any:
    return service.traces.answer(request.path_params["game"])


async def _ask_pause(service: Service, request: Request) -> Any:
    asked = await _body(service, request, PauseRequest)
    return service.traces.ask_pause(request.path_params["game"], asked.paused)


def _whole_number(name: str, text: str | None) -> int | None:
    """Return a number of the address, if it is there."""
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise ServiceError(ProblemCode.INVALID, f"{name} must be a whole number, got {text[:40]!r}")
    return int(text)


async def _get_metrics(service: Service, request: Request) -> Any:
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")


async def _get_health(service: Service, request: Request) -> Any:
    return {"status": "ok", "models": len(service.shelf.names), "waiting": service.committer.waiting}


async def _get_openapi(service: Service, request: Request) -> Any:
    return Response(openapi_text(), media_type=JSON)


async def _get_page(service: Service, request: Request) -> Any:
    return Response(openapi_page(), media_type="text/html")
