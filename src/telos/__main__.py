"""``python -m telos`` is the command line, for where no script is on the path."""

from telos.cli.main import run

if __name__ == "__main__":
    run()
