"""Signals that ask us to end."""

from __future__ import annotations

import signal

import pytest

from service.processes.interrupts import Interrupted, interrupts


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_interrupts_and_the_second_asks_to_hurry(signum: signal.Signals) -> None:
    repeats: list[str] = []
    with interrupts(lambda: repeats.append("hurry")):
        with pytest.raises(Interrupted):
            signal.raise_signal(signum)
        assert not repeats
        signal.raise_signal(signum)
    assert repeats == ["hurry"]


def test_disarmed_no_signal_cuts_the_tidying_short() -> None:
    repeats: list[str] = []
    with interrupts(lambda: repeats.append("hurry")) as state:
        state.armed = False
        signal.raise_signal(signal.SIGTERM)
    assert repeats == ["hurry"]


def test_the_handlers_of_before_come_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts(lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
