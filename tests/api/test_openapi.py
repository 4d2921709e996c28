"""The document and the reference."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import ValidationError
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.api.errors import CODES
from tests.api.checked_client import Document
from tests.api.game_setup import new_game


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    """The document."""
    found: dict[str, Any] = client.get("/openapi.json").json or {}
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and operation of all operations."""
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "patch", "put", "delete")
    ]


def test_the_document_is_valid_openapi_31(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


def test_every_route_below_v1_is_described(app: Flask, document: dict[str, Any]) -> None:
    described = {(path, method.upper()) for path, method, _ in operations(document)}
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1/")
    }
    assert {entry for entry in described if entry[0].startswith("/v1/")} == served


def test_every_operation_has_a_name_a_summary_and_its_errors(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    for path, method, operation in operations(document):
        assert operation["summary"], (path, method)
        assert {"422", "500", "503"} <= set(operation["responses"]), (path, method)
        if "{" in path:
            assert "404" in operation["responses"], (path, method)
        if "requestBody" in operation:
            assert {"400", "413", "415"} <= set(operation["responses"]), (path, method)
        if operation["security"]:
            assert "401" in operation["responses"], (path, method)


def test_errors_are_problem_details_with_the_codes_that_can_happen(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) < 400:
                continue
            schema = response["content"]["application/problem+json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}
            codes = response["x-codes"]
            assert codes, (path, method, status)
            assert {int(CODES[code].status) for code in codes} == {int(status)}


def test_the_action_is_a_union_told_apart_by_its_type(document: dict[str, Any]) -> None:
    action = document["components"]["schemas"]["Action"]
    assert action["discriminator"]["propertyName"] == "type"
    assert set(action["discriminator"]["mapping"]) == {"decline", "hire", "play", "load", "unload"}
    for word, reference in action["discriminator"]["mapping"].items():
        member = document["components"]["schemas"][reference.rsplit("/", 1)[1]]
        assert member["properties"]["type"]["enum"] == [word]
        assert "type" in member["required"]
        assert member["additionalProperties"] is False


def test_requests_refuse_unknown_members_and_answers_may_have_them(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["NewGame"]["additionalProperties"] is False
    assert schemas["Observation"]["additionalProperties"] is True


def test_the_check_of_answers_fails_on_what_is_not_described(client: FlaskClient, document: dict[str, Any]) -> None:
    del document["components"]["schemas"]["Observation"]["properties"]["bank"]
    document["components"]["schemas"]["Observation"]["required"].remove("bank")
    check = Document(document)
    response = client.get(new_game(client).path)
    with pytest.raises(ValidationError, match="bank"):
        check.check("/v1/games/{game}", "get", response)
    del check.paths["/v1/games/{game}"]["get"]["responses"]["200"]
    with pytest.raises(AssertionError, match="not documented"):
        check.check("/v1/games/{game}", "get", response)


def test_the_reference_works_without_the_internet(client: FlaskClient) -> None:
    page = client.get("/docs", follow_redirects=True)
    assert page.status_code == 200
    assert "/openapi.json" in page.text
    linked = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert linked
    for address in linked:
        assert not address.startswith(("http:", "https:", "//")), address
        path = address if address.startswith("/") else f"/docs/{address.removeprefix('./')}"
        assert client.get(path.split("?")[0]).status_code == 200, path
