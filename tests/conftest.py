"""What every test run shares: a real Redis, and a closing list of what was skipped, why, and what was tried again."""

from __future__ import annotations

from collections import Counter

import pytest

pytest_plugins = ("tests.fixtures_redis", "tests.fixtures_archives")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--soak`: also the tests that take minutes."""
    parser.addoption("--soak", action="store_true", help="run the long tests, too (make soak)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: takes minutes; run by `make soak`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--soak"):
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="takes minutes: make soak"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists what was skipped, with each reason, and what only passed when tried again: a green run hides nothing."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section("skipped")
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number:4}  {reason}")
    again = Counter(report.nodeid for report in terminalreporter.stats.get("rerun", []))
    if again:
        terminalreporter.section("failed, and tried again")
    for test, number in sorted(again.items()):
        terminalreporter.write_line(f"{number:4}  {test}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ") or "no reason given"
