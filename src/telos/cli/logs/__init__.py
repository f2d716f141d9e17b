"""Commands that read logs: columns, corpus, train, evaluate, recognize and goals, on one machine or on a cluster."""

__all__: list[str] = []
