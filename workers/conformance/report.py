"""The report of a check: findings, and the grade that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from service.operations.bots.faults import printable

Grade = Literal["ok", "advice", "fault"]
DETAIL_LIMIT = 300
SLOW_MS = 1000
"""A tournament's default `move_ms`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check. `advice`: the bot may play as it is. `fault`: it will lose decisions or matches. `fix`
    says what to do about it."""

    check: str
    grade: Grade
    detail: str
    fix: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As in the API's answer. Both texts are fit to be shown."""
        return {
            "check": self.check,
            "grade": self.grade,
            "detail": printable(self.detail, DETAIL_LIMIT),
            "fix": self.fix,
        }


@dataclass(slots=True)
class Report:
    """Findings in the order of the checks, and the times of all answers that counted."""

    kind: str
    version: str | None = None
    up: bool = False
    """Whether a push bot has answered `GET /` as the protocol asks."""
    failure: str = ""
    """Why it has not."""
    findings: list[Finding] = field(default_factory=list)
    answer_ms: list[int] = field(default_factory=list)
    asks: int = 0

    def ok(self, check: str, detail: str) -> None:
        """Notes that all is well."""
        self.findings.append(Finding(check, "ok", detail))

    def advise(self, check: str, detail: str, fix: str) -> None:
        """Notes what could be better."""
        self.findings.append(Finding(check, "advice", detail, fix))

    def fault(self, check: str, detail: str, fix: str) -> None:
        """Notes what must be fixed."""
        self.findings.append(Finding(check, "fault", detail, fix))

    def judge_speed(self, answer_ms: Sequence[int]) -> None:
        """Notes how quick the answers were. There must be at least one."""
        times = sorted(answer_ms)
        detail = f"Half of the answers took {times[len(times) // 2]} ms or less, the slowest {times[-1]} ms."
        if times[-1] > SLOW_MS:
            fix = f"A tournament's usual `move_ms` is {SLOW_MS}: what goes beyond comes out of the bank."
            self.advise("speed", detail, fix)
        else:
            self.ok("speed", detail)

    @property
    def grade(self) -> str:
        """`ready`: all is well. `fair`: there is advice only. `faulty`: a finding is a fault."""
        grades = {finding.grade for finding in self.findings}
        return "faulty" if "fault" in grades else "fair" if "advice" in grades else "ready"

    def to_json(self) -> dict[str, Any]:
        """As in the API's answer."""
        times = sorted(self.answer_ms)
        return {
            "kind": self.kind,
            "grade": self.grade,
            "version": self.version,
            "asks": self.asks,
            "median_ms": times[len(times) // 2] if times else None,
            "slowest_ms": times[-1] if times else None,
            "findings": [finding.to_json() for finding in self.findings],
        }
