"""The command line, ``telos …``: one module per command; ``main`` assembles them."""

__all__: list[str] = []
