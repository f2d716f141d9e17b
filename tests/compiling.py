"""Kernels are compiled once in a run of tests, however many processes run them.

Numba keeps what it compiles in a folder that all processes share, but it does not keep two of them from compiling the
same function at the same time. Here the second one waits, and then takes the function from that folder.
"""

import zlib
from pathlib import Path
from typing import Any


def compile_in_turns(locks: Path) -> None:
    """Let one process at a time compile a kernel function, among those that name the same file."""
    try:
        import fcntl

        from numba.core.compiler_lock import global_compiler_lock
        from numba.core.dispatcher import Dispatcher
    except ModuleNotFoundError:  # Windows, or no Numba
        return
    file, compile_now = locks.open("r+b"), Dispatcher.compile

    def compile_in_turn(self: Any, signature: Any) -> Any:
        place = zlib.crc32(self.py_func.__qualname__.encode()) >> 1  # each function has a byte of the file to lock
        with global_compiler_lock:  # first: another thread of this process must not wait for it with our byte in hand
            fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
            try:
                return compile_now(self, signature)
            finally:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    Dispatcher.compile = compile_in_turn
