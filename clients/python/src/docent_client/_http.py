"""The requests and responses of the HTTP API, without input or output."""

from __future__ import annotations

import email.utils
import json
import mimetypes
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, TypeVar

import httpx

from .errors import DocentError, InternalError, InvalidError, UnavailableError, from_body, from_status
from .types import Answer, Collection, Document, Ingested, Phase, Piece, Turn

T = TypeVar("T")

File = str | os.PathLike[str] | tuple[str, bytes]
"""A path, or a name with content."""

Upload = list[tuple[str, tuple[str, bytes | IO[bytes], str]]]

TIMEOUT = httpx.Timeout(300, connect=10)

MAX_SEARCH = 2000
"""The maximum length of the text that ingest searches."""

INDEX_PAUSES = (0.02, 0.05, *[0.1] * 50)
"""The pauses of ingest while it waits for the index, in seconds."""

MAX_RETRY_AFTER = 300.0


def headers(token: str | None) -> dict[str, str]:
    """Return the header with a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def question(
    text: str,
    collections: Sequence[str] | None,
    documents: Sequence[int] | None,
    folders: Sequence[str] | None,
    tags: Sequence[str] | None,
    k: int | None,
    model: str | None,
    history: Iterable[Turn],
    prompt: str | None,
) -> dict[str, Any]:
    """Return the body of a question."""
    body: dict[str, Any] = {"question": text}
    if collections is not None:
        body["collections"] = list(collections)
    if documents is not None:
        body["documents"] = list(documents)
    if folders is not None:
        body["folders"] = list(folders)
    if tags is not None:
        body["tags"] = list(tags)
    if k is not None:
        body["k"] = k
    if model is not None:
        body["model"] = model
    if turns := [{"role": t.role, "text": t.text} for t in history]:
        body["history"] = turns
    if prompt is not None:
        body["prompt"] = prompt
    return body


def wanted(**values: str | int | Sequence[str] | Sequence[int] | None) -> dict[str, Any]:
    """Return the given query parameters."""
    return {name: value for name, value in values.items() if value is not None}


def upload(files: Iterable[File], open_files: ExitStack) -> Upload:
    """Return the parts of an upload. open_files closes the files later."""
    parts: Upload = []
    for file in files:
        content: bytes | IO[bytes]
        if isinstance(file, tuple):
            name, content = file
        else:
            path = Path(file)
            name, content = path.name, open_files.enter_context(path.open("rb"))
        media = mimetypes.guess_type(name)[0] or "application/octet-stream"
        parts.append(("file", (name, content, media)))
    return parts


def ingested(body: Mapping[str, Any]) -> list[Ingested]:
    """Return the results of an upload."""
    return [
        Ingested(r["source"], r["status"], r.get("chunks", 0), r.get("document_id"), r.get("reason", ""))
        for r in body["results"]
    ]


def first_text(body: Mapping[str, Any]) -> str:
    """Return the text to search for the first of some chunks."""
    return str(body["chunks"][0]["text"])[:MAX_SEARCH]


def page(body: Mapping[str, Any]) -> tuple[list[Document], int | None]:
    """Return the documents of a page, and the cursor of the next page."""
    return [Document.parse(raw) for raw in body["documents"]], body.get("next")


def removed(body: Mapping[str, Any]) -> int:
    """Return the number of deleted documents."""
    return int(body["removed"])


def collections(body: Iterable[Mapping[str, Any]]) -> list[Collection]:
    """Return the collections of a list."""
    return [Collection(c["name"], c["documents"], c["right"], c["restricted"]) for c in body]


def last_stored(results: Sequence[Ingested]) -> int | None:
    """Return the id of the last document that has new passages."""
    stored = [r.document_id for r in results if r.status in ("added", "changed") and r.chunks]
    return stored[-1] if stored else None


FAILURES = (httpx.HTTPError, httpx.InvalidURL, UnicodeError, RuntimeError)
"""The errors of httpx for a request without a response, also of a closed client."""


def failure(err: Exception) -> DocentError:
    """Return the error for a request without a response."""
    if not isinstance(err, httpx.HTTPError) or isinstance(err, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return InvalidError(f"the request cannot be sent: {err}")
    return UnavailableError(f"the server does not answer: {err or type(err).__name__}", retryable=True)


def retry_after(values: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the wait of the header Retry-After in seconds, up to five minutes."""
    value = values.get("Retry-After") or ""
    if value.isascii() and value.isdigit():
        return min(float(value), MAX_RETRY_AFTER)
    try:
        at = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError):
        return None
    return min(max(at - (time.time() if now is None else now), 0.0), MAX_RETRY_AFTER)


def refusal(response: httpx.Response) -> DocentError:
    """Return the error of a response. Its body must have been read."""
    try:
        body = response.json()
    except ValueError:
        body = None
    return from_status(response.status_code, body, retry_after(response.headers))


def parse(read: Callable[[Any], T], raw: Any) -> T:
    """Return what read makes of a part of a response."""
    try:
        return read(raw)
    except (LookupError, TypeError, ValueError, AttributeError) as err:
        raise InternalError(f"the response is not from docent: {err!r}") from err


def decode(response: httpx.Response, read: Callable[[Any], T]) -> T:
    """Return what read makes of the JSON of a response, or raise its error."""
    if response.is_error:
        raise refusal(response)
    return parse(lambda text: read(json.loads(text)), response.content)


class Events:
    """Reads the server-sent events of an answer line by line."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []
        self.complete = False

    def feed(self, line: str) -> Iterator[Phase | Piece | Answer]:
        """Yield the event that ends with a line. An error event raises."""
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._name = value
            elif name == "data":
                self._data.append(value)
            return
        name, data = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        if not data:
            return
        if name == "phase":
            yield parse(lambda text: Phase(json.loads(text)["phase"]), data)
        elif name == "delta":
            yield parse(lambda text: Piece(json.loads(text)["text"]), data)
        elif name == "message":
            self.complete = True
            yield parse(lambda text: Answer.parse(json.loads(text)), data)
        elif name == "error":
            raise parse(lambda text: from_body(json.loads(text)), data)

    def end(self) -> None:
        """Raise an error if the answer is missing."""
        if not self.complete:
            raise UnavailableError("the answer broke off", retryable=True)
