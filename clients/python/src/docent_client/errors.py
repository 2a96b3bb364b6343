"""Errors of docent. Each kind of error is an exception type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class DocentError(Exception):
    """A refusal by the server or by the client.

    `id` names the text of the server, and `params` are the values in it. Both are
    empty for errors of the client. If `retryable` is true, the same request may
    succeed later. `retry_after` is the wait in seconds that the server asked for.
    """

    code: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str,
        *,
        id: str = "",
        params: tuple[Any, ...] = (),
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.id = id
        self.params = params
        self.retryable = retryable
        self.retry_after = retry_after


class InvalidError(DocentError):
    """The request is wrong."""

    code = "invalid"


class NotFoundError(DocentError):
    """The named object does not exist."""

    code = "not_found"


class ConflictError(DocentError):
    """The request conflicts with the current state."""

    code = "conflict"


class UnauthorizedError(DocentError):
    """Credentials are missing or wrong."""

    code = "unauthorized"


class ForbiddenError(DocentError):
    """The credentials do not allow this."""

    code = "forbidden"


class RateLimitedError(DocentError):
    """There were too many requests."""

    code = "rate_limited"


class BusyError(DocentError):
    """Too many messages or requests are waiting."""

    code = "busy"


class UnavailableError(DocentError):
    """The server, or a service that it needs, is unavailable."""

    code = "unavailable"


class CanceledError(DocentError):
    """The request was stopped."""

    code = "canceled"


class InternalError(DocentError):
    """An internal error of the server."""

    code = "internal"


_kinds: dict[str, type[DocentError]] = {
    kind.code: kind
    for kind in (
        InvalidError,
        NotFoundError,
        ConflictError,
        UnauthorizedError,
        ForbiddenError,
        RateLimitedError,
        BusyError,
        UnavailableError,
        CanceledError,
        InternalError,
    )
}

_statuses: dict[int, type[DocentError]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitedError,
    499: CanceledError,
    500: InternalError,
}


def from_body(body: Mapping[str, Any], retry_after: float | None = None) -> DocentError:
    """Return the error that a server describes as {code, id, params, message, retryable}."""
    kind = _kinds.get(str(body.get("code")), DocentError)
    params = body.get("params")
    return kind(
        str(body.get("message", "")),
        id=str(body.get("id") or ""),
        params=tuple(params) if isinstance(params, list) else (),
        retryable=body.get("retryable") is True,
        retry_after=retry_after,
    )


def from_status(status: int, body: Any, retry_after: float | None = None) -> DocentError:
    """Return the error of a response. Proxies answer without a body of docent."""
    if isinstance(body, dict) and isinstance(body.get("message"), str) and "code" in body:
        return from_body(body, retry_after)
    kind = _statuses.get(status) or (InvalidError if status < 500 else UnavailableError)
    retryable = kind in (RateLimitedError, UnavailableError)
    return kind(f"the server answered with status {status}", retryable=retryable, retry_after=retry_after)
