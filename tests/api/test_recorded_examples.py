"""The examples in the OpenAPI document are what the service answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.openapi import EXAMPLES
from tests.api.checked_client import Document
from tests.api.examples import record


def json_responses(document: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(path, method, status) -> what the document says of each successful answer in JSON."""
    return {
        (path, method, status): response["content"]["application/json"]
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict)
        for status, response in operation["responses"].items()
        if status.startswith("2") and "application/json" in response.get("content", {})
    }


def test_every_answer_in_json_has_an_example_that_fits_its_schema(client: FlaskClient) -> None:
    document = client.get("/openapi.json").get_json()
    checked, found = Document(document), json_responses(document)
    assert len(found) > 40
    for (path, method, status), content in found.items():
        assert "example" in content, f"{method} {path} {status} has no example: run make examples"
        checked.validator(path, method, status, "application/json").validate(content["example"])


@pytest.mark.slow
def test_the_examples_are_what_the_service_answers_today() -> None:
    """The first check of a bot is left to run out of time, which takes 25 s."""
    assert record() == json.loads(EXAMPLES.read_text("utf-8")), "run make examples, and look at the difference"
