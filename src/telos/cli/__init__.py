"""The command line: ``telos …``, one small module per command."""
