"""The tape keeps every frame, up to a number, and gives each back as it was."""

from hypothesis import given
from hypothesis import strategies as st

from telos.studio.recording import FrameBuffer


@given(st.integers(1, 700), st.integers(64, 300), st.data())
def test_every_frame_that_is_kept_comes_back_as_it_was(frames: int, most: int, data: st.DataObject) -> None:
    tape = FrameBuffer(most)
    for number in range(frames):
        tape.add(b'{"n":%d}' % number)
    assert tape.last == frames - 1
    assert tape.last - tape.first + 1 <= most + 64
    for number in data.draw(st.lists(st.integers(tape.first, tape.last), min_size=1, max_size=20)):
        assert tape.frame(number) == b'{"n":%d}' % number


def test_what_is_not_kept_any_more_is_answered_with_the_nearest_frame() -> None:
    tape = FrameBuffer(64)
    for number in range(200):
        tape.add(b"%d" % number)
    assert tape.first == 128
    assert tape.frame(0) == b"128"
    assert tape.frame(999) == b"199"
