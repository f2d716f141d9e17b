"""What a service counts, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from telos.service.commits import Committer

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """The counters of one service, in a registry of their own."""

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
