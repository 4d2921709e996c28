"""What every test run shares: a real Redis, and a closing list of what was skipped and why."""

from __future__ import annotations

from collections import Counter

import pytest

pytest_plugins = ("tests.fixtures_redis",)


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
