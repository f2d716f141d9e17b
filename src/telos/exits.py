"""The end of the process: at once and quiet, with no temporary file and no worker process left behind.

The command line ends on a signal by ``exit_now`` and not by a ``KeyboardInterrupt`` that unwinds the stack: imports,
callbacks of extension modules, finalizers and threads swallow or convert that exception, or print it. What must not
outlive the process is registered instead: files in ``temporary_files``, and child processes of ``multiprocessing``.

This module imports next to nothing, because Ctrl-C prints a traceback until ``end_on_signals`` was called.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any, NoReturn
else:
    import _signal as signal  # without the enumerations, whose import takes longer than all the rest

temporary_files: set[str] = set()  # paths; a writer adds one before it makes the file or folder, and removes it after

_SHOW_CURSOR = b"\x1b[?25h\r\x1b[K"  # and clear the line of a progress bar


class _State:
    held = 0  # depth of `uninterrupted`
    pending: "int | None" = None  # the signal that came meanwhile
    is_ending = is_flushing = False


def end_on_signals() -> None:
    """End the process quietly on Ctrl-C (exit code 130), SIGTERM (143) and SIGHUP (129).

    A signal that the caller of the process ignores, as ``nohup`` does, stays ignored.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    if _State.is_flushing:
        os._exit(128 + number)  # impatient: the reader of the output does not read
    if _State.held or _State.is_ending:
        _State.pending = number
        return
    exit_now(128 + number)


def exit_now(code: int, *, flush: bool = True) -> "NoReturn":
    """End the process without unwinding: stop child processes, remove temporary files, write out what was printed."""
    _State.is_ending = True
    for clean in (_stop_children, _remove_temporary_files):
        try:
            clean()
        except Exception:
            continue  # the process ends anyway
    _State.is_flushing = True
    try:
        if "rich.live" in sys.modules and os.isatty(2):
            os.write(2, _SHOW_CURSOR)
        if flush and sys.stdout is not None:
            sys.stdout.flush()
    except Exception:
        pass  # closed, or being written at this moment
    os._exit(code)


def _stop_children() -> None:
    multiprocessing: Any = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        children = multiprocessing.active_children()
        for child in children:
            child.kill()
        for child in children:
            child.join(1.0)


def _remove_temporary_files() -> None:
    shutil: Any = sys.modules.get("shutil")  # whoever makes temporary folders has imported it
    for path in list(temporary_files):
        try:
            if shutil is not None and os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        except OSError:
            continue


class uninterrupted:  # noqa: N801  a context manager, named like those of contextlib
    """Hold signals back inside the block; they take effect at its end. Processes started inside never see Ctrl-C.

    They inherit the blocked signal, so that they are quiet before their first line of Python too.
    """

    def __enter__(self) -> None:
        _State.held += 1
        self._mask: Any = None
        if hasattr(signal, "pthread_sigmask"):
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def __exit__(self, *_: object) -> None:
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        _State.held -= 1
        if _State.pending is not None and not _State.held:
            exit_now(128 + _State.pending)


class on_interrupt:  # noqa: N801  a context manager, named like those of contextlib
    """Let the first Ctrl-C inside the block call a function instead of ending the process; the second one ends it."""

    def __init__(self, call: "Callable[[], object]") -> None:
        self._call = call

    def __enter__(self) -> None:
        self._before: Any = signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        self._call()

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)
