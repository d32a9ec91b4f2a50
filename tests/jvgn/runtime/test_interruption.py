"""Signals that ask a training to stop may come several times."""

import signal

import pytest

from jvgn.storage.processes import watched


def test_a_terminating_signal_is_noted_however_often_it_comes():
    """A scheduler and torchrun both send it: the second must not end a process that saves its state."""
    with watched() as interruption:
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        assert interruption.has_come


@pytest.fixture
def _at_a_keyboard():
    """Processes that a shell starts in the background ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_at_a_keyboard")
def test_a_second_interrupt_from_the_keyboard_ends_the_training_at_once():
    with pytest.raises(KeyboardInterrupt), watched() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.has_come
        signal.raise_signal(signal.SIGINT)
