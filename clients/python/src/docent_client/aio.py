"""The asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Literal, TypeVar

import httpx

from . import _http
from ._http import File
from .conversation import AsyncConversation
from .errors import ForbiddenError
from .types import Answer, Collection, Document, Ingested, Phase, Piece, SearchResults, Turn

T = TypeVar("T")


class AsyncDocent:
    """A docent server. Use it with `async with`, or call `close`."""

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
            self._http = httpx.AsyncClient(base_url=self.url, headers=_http.headers(token), timeout=timeout)
        except _http.FAILURES as err:
            raise _http.failure(err) from err

    async def __aenter__(self) -> AsyncDocent:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections for HTTP. Conversations stay open."""
        await self._http.aclose()

    async def _call(self, method: str, path: str, read: Callable[[Any], T], **options: Any) -> T:
        try:
            response = await self._http.request(method, path, **options)
        except _http.FAILURES as err:
            raise _http.failure(err) from err
        return _http.decode(response, read)

    async def ask(
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
        return await self._call("POST", "/api/ask", Answer.parse, json=body)

    async def stream(
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
    ) -> AsyncIterator[Phase | Piece | Answer]:
        """Yield phases and pieces of an answer, and finally the checked answer."""
        body = _http.question(
            question, collections, documents, folders, tags, k, model, history, prompt
        )
        accept = {"Accept": "text/event-stream"}
        events = _http.Events()
        try:
            async with self._http.stream("POST", "/api/ask", json=body, headers=accept) as response:
                if response.is_error:
                    await response.aread()
                    raise _http.refusal(response)
                async for line in response.aiter_lines():
                    for event in events.feed(line):
                        yield event
        except _http.FAILURES as err:
            raise _http.failure(err) from err
        events.end()

    async def search(
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
        return await self._call("GET", "/api/search", SearchResults.parse, params=params)

    async def ingest(self, *files: File, collection: str | None = None) -> list[Ingested]:
        """Upload files, and return when they can be searched.

        A file is a path, or a name with content. Each file has its own result.
        """
        results = await self._upload(files, collection)
        await self._indexed(results)
        return results

    async def _upload(self, files: Iterable[File], collection: str | None) -> list[Ingested]:
        with ExitStack() as open_files:
            parts = _http.upload(files, open_files)
            params = _http.wanted(collection=collection)
            return await self._call("POST", "/api/documents", _http.ingested, params=params, files=parts)

    async def _indexed(self, results: list[Ingested]) -> None:
        """Wait until searches find the last stored file. The index follows the database."""
        last = _http.last_stored(results)
        if last is None:
            return
        with suppress(ForbiddenError):  # the token cannot search
            path = f"/api/documents/{last}/chunks"
            text = await self._call("GET", path, _http.first_text, params={"limit": 1})
            for pause in _http.INDEX_PAUSES:
                found = await self.search(text, k=50)
                if any(p.document_id == last for p in found.passages):
                    return
                await asyncio.sleep(pause)

    async def documents(
        self,
        *,
        collection: str | None = None,
        status: Literal["ready", "failed"] | None = None,
        match: str | None = None,
    ) -> AsyncIterator[Document]:
        """Yield the documents in the order in which they were added."""
        after: int | None = None
        while True:
            params = _http.wanted(collection=collection, status=status, match=match, after=after, limit=1000)
            documents, after = await self._call("GET", "/api/documents", _http.page, params=params)
            for document in documents:
                yield document
            if not after:
                return

    async def delete(self, *ids: int) -> int:
        """Delete documents by their ids, and return the number of deleted ones."""
        if not ids:
            return 0
        return await self._call("POST", "/api/documents/delete", _http.removed, json={"ids": list(ids)})

    async def collections(self) -> list[Collection]:
        """List the collections that you may read."""
        return await self._call("GET", "/api/collections", _http.collections)

    def conversation(self, session_id: str | None = None, *, last_seq: int | None = None) -> AsyncConversation:
        """Return a new conversation, or the one with an id.

        `last_seq` is the number of the last stored entry that you have. Events then
        begin after it; 0 requests all entries. Use the result with `async with`.
        """
        return AsyncConversation(self.url, token=self._token, session_id=session_id, last_seq=last_seq)
