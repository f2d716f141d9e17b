"""Kills `open_output` at every step of its code: a child process for each step, which ends itself there.

``python step_killer.py FOLDER lines|opcodes`` prints how many steps there were and how many files were damaged.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from telos.files import open_output, writing

OLD, NEW = b"old\n" * 3000, b"new and longer\n" * 3000
MODULES = {writing.__file__}


def write_until(target: Path, step: int, *, opcodes: bool) -> None:
    """Write the new file in this process, which is killed at that step; end normally after the last one."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in MODULES:
            return None
        frame.f_trace_opcodes = opcodes
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    with open_output(target, binary=True) as file:
        for start in range(0, len(NEW), 9000):
            file.write(NEW[start : start + 9000])
            file.flush()
    sys.settrace(None)


def main() -> None:
    """Kill the writer at each step in turn."""
    folder, opcodes = Path(sys.argv[1]), sys.argv[2] == "opcodes"
    target = folder / "file.txt"
    step, damaged, was_new = 0, [], False
    while True:
        step += 1
        target.write_bytes(OLD)
        child = os.fork()
        if child == 0:
            try:
                write_until(target, step, opcodes=opcodes)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        content = target.read_bytes() if target.exists() else b""
        if content not in (OLD, NEW):
            damaged.append(step)
        was_new |= content == NEW
        for part in folder.glob(".*.part"):
            part.unlink()
        if not os.WIFSIGNALED(status):
            break
    print(step, len(damaged), int(was_new and content == NEW))


if __name__ == "__main__":
    main()
