"""What every test run shares: a real Redis, and a closing list of what was skipped and why."""

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
    """Lists each reason for which tests were skipped, with their number, so that a green run hides nothing."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reasons[_reason(report)] += 1
    if not reasons:
        return
    terminalreporter.section("skipped")
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number:4}  {reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ") or "no reason given"
