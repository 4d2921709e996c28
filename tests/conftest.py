"""What every test run shares: a real Redis, the order of the files, and a closing list of what was skipped and why."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

pytest_plugins = ("tests.fixtures_redis", "tests.fixtures_archives")


def pytest_configure() -> None:
    """Lets the programs that tests start be interrupted. A shell starts what runs in the background with SIGINT
    ignored, and every program inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts tests of minutes first and whole-product tests second. Otherwise the last of them keeps one process busy
    while the others have nothing left to do."""
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None, "/e2e/" not in item.nodeid))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists what was skipped, with each reason: a green run hides nothing."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section("skipped")
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number:4}  {reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ") or "no reason given"
