# Generated from aio.py by generate.py. Do not edit.
"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Literal, TypeVar

import httpx

from . import _http
from ._http import File
from .blocking import Conversation
from .errors import ForbiddenError
from .types import Answer, Collection, Document, Ingested, Phase, Piece, SearchResults, Turn

T = TypeVar("T")


class Docent:
    """A docent server. Use it with `with`, or call `close`."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        token: str | None = None,
        *,
        timeout: httpx.Timeout | float = _http.TIMEOUT,
    ) -> None:
        self.url = url.rstrip("/")
        self._token = token
        try:
            self._http = httpx.Client(base_url=self.url, headers=_http.headers(token), timeout=timeout)
        except _http.FAILURES as err:
            raise _http.failure(err) from err

    def __enter__(self) -> Docent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections for HTTP. Conversations stay open."""
        self._http.close()

    def _call(self, method: str, path: str, read: Callable[[Any], T], **options: Any) -> T:
        try:
            response = self._http.request(method, path, **options)
        except _http.FAILURES as err:
            raise _http.failure(err) from err
        return _http.decode(response, read)

    def ask(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        documents: Sequence[int] | None = None,
        folders: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        k: int | None = None,
        model: str | None = None,
        history: Iterable[Turn] = (),
        prompt: str | None = None,
    ) -> Answer:
        """Answer one question from the documents, without a conversation.

        `prompt` replaces the instructions for the model. It needs the scope admin.
        """
        body = _http.question(
            question, collections, documents, folders, tags, k, model, history, prompt
        )
        return self._call("POST", "/api/ask", Answer.parse, json=body)

    def stream(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        documents: Sequence[int] | None = None,
        folders: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        k: int | None = None,
        model: str | None = None,
        history: Iterable[Turn] = (),
        prompt: str | None = None,
    ) -> Iterator[Phase | Piece | Answer]:
        """Yield phases and pieces of an answer, and finally the checked answer."""
        body = _http.question(
            question, collections, documents, folders, tags, k, model, history, prompt
        )
        accept = {"Accept": "text/event-stream"}
        events = _http.Events()
        try:
            with self._http.stream("POST", "/api/ask", json=body, headers=accept) as response:
                if response.is_error:
                    response.read()
                    raise _http.refusal(response)
                for line in response.iter_lines():
                    yield from events.feed(line)
        except _http.FAILURES as err:
            raise _http.failure(err) from err
        events.end()

    def search(
        self,
        text: str,
        *,
        k: int | None = None,
        collections: Sequence[str] | None = None,
        documents: Sequence[int] | None = None,
        folders: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
    ) -> SearchResults:
        """Find passages."""
        params = _http.wanted(
            q=text, k=k, collection=collections, document=documents, folder=folders, tag=tags
        )
        return self._call("GET", "/api/search", SearchResults.parse, params=params)

    def ingest(self, *files: File, collection: str | None = None) -> list[Ingested]:
        """Upload files, and return when they can be searched.

        A file is a path, or a name with content. Each file has its own result.
        """
        results = self._upload(files, collection)
        self._indexed(results)
        return results

    def _upload(self, files: Iterable[File], collection: str | None) -> list[Ingested]:
        with ExitStack() as open_files:
            parts = _http.upload(files, open_files)
            params = _http.wanted(collection=collection)
            return self._call("POST", "/api/documents", _http.ingested, params=params, files=parts)

    def _indexed(self, results: list[Ingested]) -> None:
        """Wait until searches find the last stored file. The index follows the database."""
        last = _http.last_stored(results)
        if last is None:
            return
        with suppress(ForbiddenError):  # the token cannot search
            path = f"/api/documents/{last}/chunks"
            text = self._call("GET", path, _http.first_text, params={"limit": 1})
            for pause in _http.INDEX_PAUSES:
                found = self.search(text, k=50)
                if any(p.document_id == last for p in found.passages):
                    return
                time.sleep(pause)

    def documents(
        self,
        *,
        collection: str | None = None,
        status: Literal["ready", "failed"] | None = None,
        match: str | None = None,
    ) -> Iterator[Document]:
        """Yield the documents in the order in which they were added."""
        after: int | None = None
        while True:
            params = _http.wanted(collection=collection, status=status, match=match, after=after, limit=1000)
            documents, after = self._call("GET", "/api/documents", _http.page, params=params)
            yield from documents
            if not after:
                return

    def delete(self, *ids: int) -> int:
        """Delete documents by their ids, and return the number of deleted ones."""
        if not ids:
            return 0
        return self._call("POST", "/api/documents/delete", _http.removed, json={"ids": list(ids)})

    def collections(self) -> list[Collection]:
        """List the collections that you may read."""
        return self._call("GET", "/api/collections", _http.collections)

    def conversation(self, session_id: str | None = None, *, last_seq: int | None = None) -> Conversation:
        """Return a new conversation, or the one with an id.

        `last_seq` is the number of the last stored entry that you have. Events then
        begin after it; 0 requests all entries. Use the result with `with`.
        """
        return Conversation(self.url, token=self._token, session_id=session_id, last_seq=last_seq)
