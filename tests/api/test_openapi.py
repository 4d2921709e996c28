"""The document and the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator, ValidationError
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


def test_each_code_of_an_error_has_an_example_with_its_own_status(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) < 400:
                continue
            examples = response["content"]["application/problem+json"]["examples"]
            assert list(examples) == response["x-codes"], (path, method, status)
            assert {example["value"]["status"] for example in examples.values()} == {int(status)}
            assert [example["value"]["code"] for example in examples.values()] == response["x-codes"]
    assert document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(CODES)


def undescribed(where: str, schema: Any) -> Iterator[str]:
    """The properties in a schema that have no description of their own, and refer to none."""
    if isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from undescribed(f"{where}[{number}]", part)
    elif isinstance(schema, dict):
        for name, part in schema.get("properties", {}).items():
            if not part.get("description") and "$ref" not in part:
                yield f"{where}.{name}"
        for name, part in schema.items():
            yield from undescribed(f"{where}/{name}", part) if name != "example" else ()


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi-bot.json"])
def test_every_operation_parameter_schema_and_property_is_described(client: FlaskClient, path: str) -> None:
    document: dict[str, Any] = client.get(path).json or {}
    for where, method, operation in operations(document):
        assert operation["summary"] and operation["description"], (where, method)
        for parameter in [*operation.get("parameters", []), *document["paths"][where].get("parameters", [])]:
            assert parameter["description"], (where, method, parameter["name"])
        for status, response in operation["responses"].items():
            assert response["description"], (where, method, status)
    schemas = document["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []
    assert list(undescribed("", schemas)) == []


def test_seats_are_typed_and_an_answer_has_exactly_one_of_action_and_index(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    seats = Draft202012Validator(schemas["NewGame"]["properties"]["seats"])
    assert seats.is_valid(["creator", "open", {"bot": "greedy"}])
    assert not seats.is_valid(["creator", "somebody"])
    assert not seats.is_valid(["creator", {"bot": 1}])
    whole = {**document, "$ref": "#/components/schemas/Submission"}
    submission = Draft202012Validator(whole)
    action = {"type": "decline"}
    assert submission.is_valid({"decision": "1.hire.0.0", "action": action})
    assert submission.is_valid({"decision": "1.hire.0.0", "index": 0})
    assert not submission.is_valid({"decision": "1.hire.0.0", "index": 0, "action": action})
    assert not submission.is_valid({"decision": "1.hire.0.0"})


def test_callbacks_are_webhooks_and_a_bots_server_is_a_document_of_its_own(client: FlaskClient) -> None:
    document: dict[str, Any] = client.get("/openapi.json").json or {}
    body = document["webhooks"]["callback"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/Callback"}
    of_bot: dict[str, Any] = client.get("/openapi-bot.json").json or {}
    OpenAPIV31SpecValidator(of_bot).validate()
    assert {(path, method) for path, method, _ in operations(of_bot)} == {
        ("/", "get"),
        ("/start", "post"),
        ("/act", "post"),
        ("/end", "post"),
    }


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
    del document["components"]["schemas"]["View"]["properties"]["bank"]
    document["components"]["schemas"]["View"]["required"].remove("bank")
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
