"""The report of a check in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.table import Table

from service.cli.output import plain
from service.cli.terminal import console

GRADES = {
    "ready": "ready: nothing to fix",
    "fair": "fair: it can play; there is advice",
    "faulty": "faulty: it would lose decisions or matches",
}
EXIT_FAULTY = 1


def print_report(report: Mapping[str, Any]) -> int:
    """Prints the findings, each with what to fix, and the grade; `report` is as in the API's answer. The exit code: 1
    for a faulty bot."""
    table = Table("check", "grade", "found, and what to fix")
    for finding in report["findings"]:
        detail = plain(finding["detail"])
        if finding["fix"]:
            detail += f"\n→ {plain(finding['fix'])}"
        table.add_row(plain(finding["check"], 60), plain(finding["grade"], 20), detail)
    console().print(table)
    grade, version = report["grade"], report["version"]
    about = f", version {plain(version, 60)}" if version else ""
    click.echo(f"{GRADES.get(grade, plain(grade, 20))} ({plain(report['asks'], 20)} asks{about})")
    return EXIT_FAULTY if grade == "faulty" else 0
