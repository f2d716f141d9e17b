"""Damaged, unwritable and full folders of compiled kernels: planning goes on with one warning."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import telos

pytest.importorskip("numba")

SOURCE = Path(telos.__file__).parents[1]
KERNEL = (
    "def double(x: int) -> int:\n    return 2 * x\n\n\ndef quadruple(x: int) -> int:\n    return double(double(x))\n"
)
RUN = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import some_kernel
    from telos.core import kernels
    types_of = {TYPES}
    functions = kernels.compile_functions((some_kernel,), types_of=types_of)
    assert functions.quadruple(5) == 20 and functions.double(1) == 2
    kernels.compile_functions((some_kernel,)).quadruple(3)
told = [str(each.message) for each in caught if each.category is RuntimeWarning]
print(len(told), *told)
"""
EAGER, LAZY = RUN.replace("{TYPES}", '{int: "int64"}'), RUN.replace("{TYPES}", "None")


def run(folder: Path, code: str, cache: Path, before: str = "") -> str:
    (folder / "some_kernel.py").write_text(KERNEL, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": f"{SOURCE}{os.pathsep}{folder}"}
    done = subprocess.run(
        [sys.executable, "-c", before + code], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def put_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [cut, flip_a_bit, lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"\x80\x05garbage" * 99)],
    ids=["cut", "bit", "empty", "garbage"],
)
@pytest.mark.parametrize("code", [pytest.param(EAGER, marks=pytest.mark.slow), LAZY], ids=["eager", "lazy"])
def test_damaged_cache_is_replaced_with_one_warning(tmp_path: Path, damage: Callable[[Path], None], code: str) -> None:
    cache = tmp_path / "cache"
    assert run(tmp_path, code, cache).startswith("0")
    for path in cache.rglob("*.nb*"):
        damage(path)
    said = run(tmp_path, code, cache)
    assert said.startswith("1")
    assert str(cache) in said
    assert "NUMBA_CACHE_DIR" in said
    assert run(tmp_path, code, cache).startswith("0")


def test_cache_that_cannot_be_replaced_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(tmp_path, EAGER, cache)
    for path in list(cache.rglob("*.nbc")):
        put_a_folder(path)
    assert run(tmp_path, EAGER, cache).startswith("1")


def test_file_in_place_of_the_cache_folder_is_one_warning(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_text("not a folder", encoding="utf-8")
    said = run(tmp_path, EAGER, cache)
    assert said.startswith("1")
    assert str(cache) in said


def test_file_size_limit_leaves_no_stumps(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
    cache = tmp_path / "cache"
    assert run(tmp_path, EAGER, cache, limit).startswith("1")
    assert not [path for path in cache.rglob("*") if path.is_file()]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=16k", "tmpfs", place], check=False).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_full_disk_is_one_warning(tmp_path: Path, small_disk: Path) -> None:
    assert run(tmp_path, EAGER, small_disk).startswith("1")


def test_processes_that_write_at_the_same_time_leave_a_good_cache(tmp_path: Path) -> None:
    (tmp_path / "some_kernel.py").write_text(KERNEL, encoding="utf-8")
    cache = tmp_path / "cache"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": f"{SOURCE}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-c", LAZY]
    together = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [each.communicate(timeout=300)[0][:1] for each in together] == ["0", "0", "0"]
    assert run(tmp_path, LAZY, cache).startswith("0")


@pytest.mark.slow
def test_planner_works_with_a_damaged_cache(tmp_path: Path) -> None:
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import telos
    lamp = telos.Domain(variables=[telos.Variable("lit", "bool")],
                        actions=[telos.Action("switch", effects="lit = true")],
                        goals=[telos.Goal("light", wants="lit")])
    assert telos.warm_up() and [step.name for step in telos.plan(lamp, {}, "light").steps] == ["switch"]
print(len([each for each in caught if each.category is RuntimeWarning]))
"""
    cache = tmp_path / "cache"
    assert run(tmp_path, code, cache).startswith("0")
    files = sorted(cache.rglob("*.nbc"))
    for path in files[-2:]:  # all of them would take long to compile again
        cut(path)
    assert len(files) > 2
    assert run(tmp_path, code, cache).startswith("1")


def test_what_the_game_redirects_while_a_kernel_is_compiled_stays_redirected(tmp_path: Path) -> None:
    pytest.importorskip("colorama")
    redirected = """
import io, sys
from numba.core import errors
mine = io.StringIO()
with errors.ColorShell():  # a thread words a message
    sys.stdout = mine
print("still mine")
assert mine.getvalue() == "still mine\\n", "Numba has put back another sys.stdout"
sys.stdout = sys.__stdout__
print("done")
"""
    assert run(tmp_path, EAGER + redirected, tmp_path / "cache").splitlines()[-1] == "done"
