"""The frame buffer returns every kept frame unchanged."""

from hypothesis import given
from hypothesis import strategies as st

from telos.studio.recording import FrameBuffer


@given(st.integers(1, 700), st.integers(64, 300), st.data())
def test_kept_frames_are_returned_unchanged(frames: int, most: int, data: st.DataObject) -> None:
    buffer = FrameBuffer(most)
    for number in range(frames):
        buffer.add(b'{"n":%d}' % number)
    assert buffer.last == frames - 1
    assert buffer.last - buffer.first + 1 <= most + 64
    for number in data.draw(st.lists(st.integers(buffer.first, buffer.last), min_size=1, max_size=20)):
        assert buffer.frame(number) == b'{"n":%d}' % number


def test_dropped_frame_is_answered_with_nearest() -> None:
    buffer = FrameBuffer(64)
    for number in range(200):
        buffer.add(b"%d" % number)
    assert buffer.first == 128
    assert buffer.frame(0) == b"128"
    assert buffer.frame(999) == b"199"
