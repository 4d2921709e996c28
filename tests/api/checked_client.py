"""A client that holds every answer to the OpenAPI document: its status is documented, its body fits the schema, and
the body has no member that the schema does not name."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from service.api.openapi import DOCUMENT_PATH

BASE = "urn:document"


def closed(node: Any) -> Any:
    """The same schema, without room for members that nobody has described."""
    if isinstance(node, dict):
        return {k: False if k == "additionalProperties" and v is True else closed(v) for k, v in node.items()}
    return [closed(item) for item in node] if isinstance(node, list) else node


class Document:
    """The document of an application, for checking answers."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.paths: dict[str, Any] = document["paths"]
        strict = closed(document)
        resource: Resource[Any] = DRAFT202012.create_resource(strict)
        self._registry: Registry[Any] = Registry().with_resource(BASE, resource)
        self._validators: dict[tuple[str, str, str, str], Draft202012Validator] = {}

    def check(self, path: str, method: str, response: TestResponse) -> None:
        """Fails when the answer is not one that the document knows."""
        operation = self.paths[path][method]
        status = str(response.status_code)
        assert status in operation["responses"], f"{method} {path} answered {status}, which is not documented"
        content = operation["responses"][status].get("content")
        if content is None or method == "head":
            assert response.data == b""
            return
        media_type = response.mimetype or ""
        assert media_type in content, f"{method} {path} answered {media_type}, which is not documented"
        if media_type == "application/problem+json":
            code = (response.json or {}).get("code")
            assert code in operation["responses"][status]["x-codes"], f"{method} {path} answered {code}"
        if media_type.endswith("json"):
            self.validator(path, method, status, media_type).validate(response.json)

    def validator(self, path: str, method: str, status: str, media_type: str) -> Draft202012Validator:
        """Checks bodies of one kind of answer against the document."""
        key = (path, method, status, media_type)
        if key not in self._validators:
            steps = ["paths", path, method, "responses", status, "content", media_type, "schema"]
            pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)
            self._validators[key] = Draft202012Validator({"$ref": f"{BASE}#/{pointer}"}, registry=self._registry)
        return self._validators[key]


class CheckedClient(FlaskClient):
    """Flask's test client with that check."""

    @cached_property
    def document(self) -> Document:
        """The application's document."""
        kept: Document | None = self.application.extensions.get("tests-document")
        if kept is None:
            found = super().open(DOCUMENT_PATH)
            kept = self.application.extensions["tests-document"] = Document(found.json or {})
        return kept

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """Sends a request and checks the answer."""
        response = super().open(*args, **kwargs)
        request = response.request
        template = self._template(request.path, request.method)
        if template is not None and request.method in ("GET", "POST", "PATCH", "DELETE"):
            self.document.check(template, request.method.lower(), response)
        elif response.status_code >= 400 and request.method != "HEAD":
            assert response.mimetype == "application/problem+json"
            assert response.json is not None and response.json["status"] == response.status_code
        return response

    def _template(self, path: str, method: str) -> str | None:
        """The path as the document writes it; None where it describes none."""
        adapter = self.application.url_map.bind("localhost")
        try:
            rule, _ = adapter.match(path, method, return_rule=True)
        except HTTPException:
            return None
        parts = [f"{{{text}}}" if dynamic else text for dynamic, text in rule._trace]
        template = "".join(parts).removeprefix("|")
        return template if template in self.document.paths else None
