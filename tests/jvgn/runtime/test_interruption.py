"""Signals that ask to stop: how often one may come."""

import signal
import time

import pytest

from jvgn.runtime.interruption import watched
from jvgn.storage.stopping import UNHEARD, stoppable


def test_a_terminating_signal_is_noted_however_often_it_comes():
    """Under a scheduler it comes from there and from torchrun: the second must not end what saves its state."""
    with watched() as interruption:
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        assert interruption.has_come


@pytest.fixture
def _at_a_keyboard():
    """What a shell starts in the background does not hear of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_at_a_keyboard")
def test_a_second_interrupt_from_the_keyboard_is_not_waited_for():
    with pytest.raises(KeyboardInterrupt), watched() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.has_come
        signal.raise_signal(signal.SIGINT)


def test_a_signal_that_was_noted_is_not_sent_again_to_the_command():
    with stoppable():
        listening = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(listening)
        with watched() as interruption:
            signal.raise_signal(signal.SIGTERM)
        assert interruption.has_come
        time.sleep(3 * UNHEARD)
        assert signal.set_wakeup_fd(listening) == listening
