"""Ctrl-C is for the process that waits; what asks a process to stop is taken for Ctrl-C."""

from __future__ import annotations

import signal
import threading

import pytest

from tower_sim.tools import pool, terminable, terminal


@pytest.mark.parametrize("is_held_back", [True, False])
def test_a_process_that_works_for_another_does_not_die_of_ctrl_c(is_held_back: bool, monkeypatch: pytest.MonkeyPatch):
    """It would, and the others wait for it for ever; also where the system cannot hold the signal back."""
    if not is_held_back:
        monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    with pool.processes(1) as crew:
        assert list(crew.map(signal.raise_signal, [signal.SIGINT] * 2)) == [None, None]


@pytest.mark.parametrize("stop", terminal._STOPS)
def test_what_asks_a_process_to_stop_is_ctrl_c_in_the_block_and_again_what_it_was_after_it(stop: signal.Signals):
    before = signal.getsignal(stop)
    with pytest.raises(KeyboardInterrupt), terminable():
        signal.raise_signal(stop)
    assert signal.getsignal(stop) == before


def test_out_of_the_main_thread_nothing_is_changed():
    seen: list[object] = []

    def look() -> None:
        with terminable():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
