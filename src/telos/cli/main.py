"""The entry point of ``telos``: signals, standard streams, exit codes.

Exit codes: 0 for success or yes; 1 for a negative answer, or a reader of the output that left early; 2 for bad input,
output that cannot be written, or an internal error; 130 after Ctrl-C, 143 after SIGTERM and 129 after SIGHUP. All are
reported in one or a few lines at most. ``TELOS_DEBUG=1`` shows the traceback of whatever ended a command with 2.

Nothing heavy is imported before signals are handled; the commands are in ``telos.cli.app``.
"""

import errno
import io
import os
import sys

from telos.exits import end_on_signals, exit_now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from telos.cli.app import COMMANDS, app, load_command

__all__ = ["COMMANDS", "app", "load_command", "run"]


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from telos.cli import app as commands

    return getattr(commands, name)


def run() -> "NoReturn":
    """Run the command line and end the process; whatever goes wrong is reported in a few red lines."""
    end_on_signals()
    open_streams()
    code = _run_command()
    _close_streams(code)
    sys.exit(code)


def _run_command() -> int:
    try:
        from telos.cli.app import app

        _report_quietly()
        app()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        _print_error(str(end.code))
        return 1
    except KeyboardInterrupt:
        return 130
    except BaseException as error:  # a panic of polars is not an Exception
        if os.environ.get("TELOS_DEBUG"):
            import traceback

            traceback.print_exception(error)
        else:
            _print_error(describe_error(error))
        return 2
    return 0


# --- errors ---


def describe_error(error: BaseException) -> str:
    """Return the line for an error that ended a command; anything unexpected is called an internal error."""
    from telos.core.errors import TelosError

    if isinstance(error, TelosError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory; try a smaller input, or fewer --jobs"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; flatten it"
    if isinstance(error, OSError) and error.strerror:
        files = " and ".join(str(each) for each in (error.filename, error.filename2) if each is not None)
        return str(TelosError(f"{files}: {error.strerror}" if files else error.strerror))
    name = type(error).__name__
    if isinstance(error, ImportError):
        return _one_line(f"a library cannot be loaded: {name}: {error}", "install it again")
    return _one_line(f"internal error: {name}: {error}", "please report it, with what TELOS_DEBUG=1 shows")


def _one_line(message: str, remedy: str) -> str:
    from telos.core.errors import TelosError

    return str(TelosError(" ".join(message.split()), remedy))


def _print_error(line: str) -> None:
    typer: Any = sys.modules.get("typer")
    if typer is None:
        print(line, file=sys.stderr)
    else:
        typer.secho(line, fg=typer.colors.RED, err=True)


def _report_quietly() -> None:
    """Let warnings and the errors of threads and finalizers take one line each, and no traceback."""
    import threading
    import warnings

    if os.environ.get("TELOS_DEBUG"):
        return

    def report(event: "Any") -> None:
        if event.exc_value is not None and not isinstance(event.exc_value, KeyboardInterrupt):
            _print_error(describe_error(event.exc_value))

    def format_warning(message: "Warning | str", *_: "Any", **__: "Any") -> str:
        return f"warning: {message}\n"

    warnings.formatwarning = format_warning
    threading.excepthook = report
    sys.unraisablehook = report


# --- standard streams ---


class _OutputFile(io.FileIO):
    """Standard output: the process ends when it cannot be written, because nobody would see the rest."""

    code_if_left = 1  # exit code when the reader of a pipe has left

    def write(self, data: "Any", /) -> int:
        while True:
            try:
                count: int | None = super().write(data)
            except OSError as error:
                self._end(error)
            if count is not None:
                return count
            self._wait()

    def _end(self, error: OSError) -> "NoReturn":
        if error.errno == errno.EPIPE:
            exit_now(self.code_if_left, flush=False)
        _print_error(f"standard output: cannot be written: {error.strerror}")
        exit_now(2, flush=False)

    def _wait(self) -> None:
        """Wait until a pipe that does not block can be written again."""
        import select

        select.select([], [self.fileno()], [])


class _ErrorFile(io.FileIO):
    """Standard error: what cannot be written is dropped, because there is nowhere to say so."""

    def write(self, data: "Any", /) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def open_streams() -> None:
    """Replace standard streams by such that handle failing writes; missing ones are opened.

    No file opened later may get the number of a standard stream, or output would be printed into it.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):  # writing to 1 shall fail
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest free number
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stdout = _wrap(sys.stdout, _OutputFile(1, "w", closefd=False))
    sys.stderr = _wrap(sys.stderr, _ErrorFile(2, "w", closefd=False))


def _wrap(stream: "Any", file: io.FileIO) -> "Any":
    """Return a text stream with the settings of a standard stream; characters it lacks are replaced."""
    if stream is not None and not isinstance(stream, io.TextIOWrapper):
        return stream  # of a program that shows output elsewhere
    return io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding="utf-8" if stream is None else stream.encoding,
        errors="replace",
        line_buffering=file.fileno() == 2 or (stream is not None and stream.line_buffering),
        write_through=stream is not None and stream.write_through,
    )


def _close_streams(code: int) -> None:
    """Write out what was printed; the end of the interpreter has nothing left to fail on."""
    import signal

    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, _OutputFile):
        raw.code_if_left = code
    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done; modules that handle it may be gone already
