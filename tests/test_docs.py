"""What the pages state in tables and examples is what the code does; and every link leads somewhere."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from service.api.errors import CODES
from service.api.schemas.events import EventSchema
from service.chance import Draws, draw_hash, shuffled
from service.config import Settings
from service.engine.components import Room, standard_components
from service.engine.setup import all_tokens, block_seed, commitment, draw_setup, match_seed

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
EXAMPLE_SEED = "kill-1"
#: Codes of the transport itself, which no client's program meets.
NOT_LISTED = {"bad_request"}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of every row of the tables below a heading, up to the next heading, backticks left out."""
    below = re.split(rf"^#+ {re.escape(heading)}$", text, flags=re.MULTILINE)
    assert len(below) == 2, f"{heading!r} is no heading, or several"
    section = re.split(r"^#+ ", below[1], flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    return [[cell.strip().replace("`", "") for cell in line.strip()[1:-1].split("|")] for line in lines]


def without_code(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors that a page's headings get where Markdown is shown."""
    headings = re.findall(r"^#+ (.+)$", without_code(text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_within_the_project_leads_somewhere(path: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        there = (path.parent / target).resolve() if target else path
        if not there.exists() or (anchor and anchor not in anchors(there.read_text(encoding="utf-8"))):
            lost.append(link)
    assert lost == []


def test_the_ships_of_the_rules_page_are_those_of_the_standard_set() -> None:
    listed = [row for row in rows(page("rules.md"), "The standard set") if re.fullmatch(r"s\d\d", row[0])]
    for players, column in ((2, 1), (3, 1), (4, 3)):
        given = [(row[0], int(row[column]), tuple(map(int, row[column + 1].split()))) for row in listed]
        assert given == [(ship.id, ship.capacity, ship.points) for ship in standard_components(players).ships]


def test_the_warehouses_of_the_rules_page_are_those_of_the_standard_set() -> None:
    def said(room: Room) -> str:
        parts = [f"{room.good} good" if room.good else "", f"{room.broken} broken" if room.broken else ""]
        return ", ".join(part for part in [*parts, "coin" if room.coin else ""] if part)

    listed = [row for row in rows(page("rules.md"), "The standard set") if re.fullmatch(r"w\d", row[0])]
    assert listed == [[house.id, said(house.upper), said(house.lower)] for house in standard_components(4).warehouses]


def test_the_examples_of_chance_are_what_the_engine_draws() -> None:
    text = page("rules.md")
    dealt = draw_setup(standard_components(2), 2, EXAMPLE_SEED)
    ships = shuffled(EXAMPLE_SEED, "ships", [ship.id for ship in standard_components(2).ships])
    order = ", ".join(f"{seat} {worker}" for seat, worker in shuffled(EXAMPLE_SEED, "order", all_tokens(2)))
    board, tokens = Draws(EXAMPLE_SEED, "warehouses"), Draws(EXAMPLE_SEED, "order")
    assert f"`{draw_hash(EXAMPLE_SEED, 'warehouses', 0).hex()[:16]}…`" in text
    assert f"are {', '.join(str(board.below(m)) for m in range(7, 1, -1))}. The board is" in text
    assert f"The board is {' '.join(dealt.warehouses)}." in text
    assert f"{' '.join(ships[:3])} are docked; the others are in the order {' '.join(ships[3:])}." in text
    assert f"shuffled from that order: {' '.join(dealt.ships[3:])}." in text
    assert f"are {', '.join(str(tokens.below(m)) for m in (4, 3, 2))}; the order is {order}." in text


def test_the_examples_of_tournament_seeds_and_commitment_are_what_the_engine_derives() -> None:
    text = page("protocol.md")
    of_block = block_seed(EXAMPLE_SEED, 0)
    for value in (of_block, match_seed(of_block, 0, 0), commitment(bytes(16), EXAMPLE_SEED)):
        assert f"`{value}`" in text


def test_every_error_code_is_in_the_table_with_its_status() -> None:
    listed = {code: int(row[1]) for row in rows(page("protocol.md"), "Errors")[1:] for code in row[0].split(", ")}
    assert listed == {code: int(status) for code, (status, _) in CODES.items() if code not in NOT_LISTED}


def test_every_type_of_event_is_in_the_table() -> None:
    listed = [kind for row in rows(page("protocol.md"), "Events")[1:] for kind in row[0].split(", ")]
    assert sorted(listed) == sorted(EventSchema.type_schemas)


def test_every_setting_is_in_the_table_with_its_default() -> None:
    def said(default: object) -> str:
        if isinstance(default, tuple):
            return " ".join(map(str, default))
        return str(int(default)) if isinstance(default, bool) else str(default)

    listed = {row[0]: row[1] for row in rows(page("operations.md"), "Settings")[1:]}
    assert listed == {item.metadata["variable"]: said(item.default) for item in fields(Settings)}


def test_settled_doubts_are_numbered_and_each_is_marked_where_it_applies() -> None:
    text = page("rules.md")
    numbers = [int(row[0][1:]) for row in rows(text, "Settled doubts")[1:]]
    assert numbers[0] == 1
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert {int(mark) for mark in re.findall(r"\*\*\[S(\d+)\]\*\*", text)} == set(numbers)


def test_every_variable_of_the_compose_file_is_in_the_table_with_its_default() -> None:
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    used = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", compose))
    assert compose.count("${") == len(re.findall(r"\$\{\w+:-[^}]*\}", compose))
    assert {row[0]: row[1] for row in rows(page("operations.md"), "With Docker")[1:]} == used
    assert all(f"#   {name} " in compose for name in used), "and in the comment at its top"
