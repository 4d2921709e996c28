"""Checks that a request comes from the service: Standard Webhooks signatures over id, time and body."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from standardwebhooks import Webhook, WebhookVerificationError
from standardwebhooks.webhooks import EmptyWebhookSecretError


class BadSecret(ValueError):
    """A malformed signing secret."""


class BadSignature(ValueError):
    """A request without a signature that fits, or one that is more than 5 minutes old."""


class Verifier:
    """Checks signatures against the secrets of a bot. There may be several, since an old secret stays valid for a while
    after a rotation."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Takes secrets as the service shows them, `whsec_…`. Raises BadSecret if there is none or one is malformed."""
        self._webhooks = [_webhook(secret) for secret in secrets]
        if not self._webhooks:
            raise BadSecret("no signing secret was given")

    def check(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Returns if one of the secrets fits. Raises BadSignature otherwise, with the reason."""
        reason = "no matching signature found"
        for webhook in self._webhooks:
            try:
                webhook.verify(body, dict(headers), json_parse=False)
            except (WebhookVerificationError, ValueError) as error:
                reason = str(error) or reason
            else:
                return
        raise BadSignature(f"the signature was refused: {reason}")


def _webhook(secret: str) -> Webhook:
    try:
        if not secret.startswith("whsec_"):
            raise ValueError("it does not begin with whsec_")
        # Webhook itself leaves out characters that are not base64.
        base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        return Webhook(secret)
    except (ValueError, EmptyWebhookSecretError) as error:
        raise BadSecret(f"not a signing secret such as whsec_…: {error}") from None
