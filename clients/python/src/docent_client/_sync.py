"""Fills docent from loaders of LangChain and readers of LlamaIndex."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from .client import Docent
from .errors import DocentError, InvalidError
from .types import Ingested

_MAX_FILES = 16
_MAX_BYTES = 8 << 20
"""The size of an upload: at most 16 documents, and no further one after 8 MiB."""

_MAX_DELETED = 10_000

_ATTEMPTS = 6
"""How often an upload is tried while the server is busy."""

_METHODS = ("lazy_load", "load", "load_data")
"""The method of a loader of LangChain, or of a reader of LlamaIndex."""

_KEYS = ("source", "url", "link", "file_path", "path", "id", "file_name")
_TITLES = ("title", "name", "subject", "file_name", "page_title")
_DATES = (
    "last_modified",
    "lastmod",
    "last_modified_date",
    "updated",
    "updated_at",
    "modified",
    "moddate",
    "date",
    "published",
)
_TAGS = ("tags", "categories", "labels", "keywords")


@dataclass(frozen=True)
class SyncResult:
    """What a sync did, or has done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Ingested, ...] = field(default=())
    """The documents that docent cannot read, with the reasons."""


def sync(
    loader: Any,
    *,
    source: str,
    collection: str = "default",
    key: Callable[[Any], str] | None = None,
    docent: Docent | None = None,
    url: str | None = None,
    token: str | None = None,
    progress: Callable[[SyncResult], None] | None = None,
) -> SyncResult:
    """Make the documents of a source the same as those of a loader.

    The loader is one of LangChain, a reader of LlamaIndex, or any iterable of their documents. Documents
    with the same key, such as the pages of a file, become one document. `key` returns the key of a document;
    by default it is the source, address, path, or id in its metadata, or its own id. docent stores them as
    `upload:SOURCE/…` in the collection. New and changed ones are read, and those that the loader no longer
    has are removed. Nothing is removed if the loader fails or has no documents.

    Without `docent`, the server is `url` with `token`, or that of DOCENT_URL and DOCENT_TOKEN. The token
    needs the scopes ask and ingest. `progress` is called after each upload.
    """
    if not re.fullmatch(r"[\w.-]+", source) or source.strip(".") == "":
        raise InvalidError(f"the source {source!r} must be a name of letters, digits, and the marks . _ -")
    if docent is not None:
        return _sync(loader, source, collection, key, docent, progress)
    address = url or os.environ.get("DOCENT_URL") or "http://127.0.0.1:8765"
    with Docent(address, token or os.environ.get("DOCENT_TOKEN")) as opened:
        return _sync(loader, source, collection, key, opened, progress)


def _sync(
    loader: Any,
    source: str,
    collection: str,
    key: Callable[[Any], str] | None,
    docent: Docent,
    progress: Callable[[SyncResult], None] | None,
) -> SyncResult:
    result, names = SyncResult(), set[str]()
    for files in _batches(_files(_documents(loader), source, key or _key)):
        names.update(name for name, _ in files)
        result = _count(result, _ingest(docent, files, collection))
        if progress:
            progress(result)
    if not names:
        raise InvalidError("the loader has no documents, so nothing was removed")
    prefix = f"upload:{source}/"
    gone = [
        d.id
        for d in docent.documents(collection=collection)
        if d.source.startswith(prefix) and d.source.removeprefix("upload:") not in names
    ]
    for at in range(0, len(gone), _MAX_DELETED):
        result = replace(result, removed=result.removed + docent.delete(*gone[at : at + _MAX_DELETED]))
    if gone and progress:
        progress(result)
    return result


def _documents(loader: Any) -> Iterable[Any]:
    for method in _METHODS:
        if hasattr(loader, method):
            documents: Iterable[Any] = getattr(loader, method)()
            return documents
    if isinstance(loader, Iterable):
        return loader
    raise InvalidError(f"{type(loader).__name__} is no loader: it has none of the methods {', '.join(_METHODS)}")


def _files(documents: Iterable[Any], source: str, key: Callable[[Any], str]) -> Iterator[tuple[str, bytes]]:
    """Yield a Markdown file for each run of documents with the same key."""
    seen: dict[str, int] = {}
    texts = ((d, _text(d).strip()) for d in documents)
    for same, group in groupby(texts, lambda one: key(one[0])):
        parts = list(group)
        text = "\n\n".join(text for _, text in parts if text)
        if not text:
            continue
        seen[same] = seen.get(same, 0) + 1
        name = same if seen[same] == 1 else f"{same}#{seen[same]}"
        fields = _fields(_metadata(parts[0][0]), same)
        yield f"{source}/{_slug(name)}.md", f"{json.dumps(fields, ensure_ascii=False)}\n\n{text}\n".encode()


def _batches(files: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    batch, size = list[tuple[str, bytes]](), 0
    for file in files:
        batch.append(file)
        size += len(file[1])
        if len(batch) == _MAX_FILES or size >= _MAX_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _ingest(docent: Docent, files: list[tuple[str, bytes]], collection: str) -> list[Ingested]:
    """Upload files, and wait while the server is busy."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return docent._upload(files, collection)
        except DocentError as err:
            if not err.retryable or attempt == _ATTEMPTS:
                raise
            time.sleep(err.retry_after or 0.5 * 2**attempt)
    raise AssertionError("unreachable")


def _count(result: SyncResult, ingested: Iterable[Ingested]) -> SyncResult:
    for one in ingested:
        if one.failed:
            result = replace(result, failed=(*result.failed, one))
        elif one.status == "added":
            result = replace(result, added=result.added + 1)
        elif one.status == "changed":
            result = replace(result, changed=result.changed + 1)
        else:
            result = replace(result, unchanged=result.unchanged + 1)
    return result


def _metadata(document: Any) -> Mapping[str, Any]:
    metadata: Mapping[str, Any] = getattr(document, "metadata", None) or {}
    return metadata


def _text(document: Any) -> str:
    """Return the text of a document of LangChain or LlamaIndex."""
    text = getattr(document, "page_content", None)
    if text is None:
        text = getattr(document, "text", None)
    if not isinstance(text, str):
        raise InvalidError(f"{type(document).__name__} is no document of LangChain or LlamaIndex: it has no text")
    return text


def _key(document: Any) -> str:
    metadata = _metadata(document)
    for value in (*(metadata.get(name) for name in _KEYS), _own_id(document)):
        if value not in (None, ""):
            return str(value)
    raise InvalidError(
        "a document has neither a source nor an id that stays the same; pass key=, which returns the key of a document"
    )


def _own_id(document: Any) -> str | None:
    """Return the id of a document, unless LlamaIndex has drawn it by lot."""
    own = getattr(document, "id", None) or getattr(document, "id_", None)
    try:
        return None if uuid.UUID(str(own)).version == 4 else str(own)
    except ValueError:
        return str(own) if own else None


def _fields(metadata: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the fields that docent reads at the beginning of a Markdown file."""

    def first(names: Iterable[str]) -> Any:
        return next((metadata[name] for name in names if metadata.get(name)), None)

    fields: dict[str, Any] = {"title": str(first(_TITLES) or re.split(r"[/\\]", key.rstrip("/\\"))[-1] or key)}
    if date := first(_DATES):
        fields["date"] = str(date)
    if tags := first(_TAGS):
        fields["tags"] = [str(tag) for tag in tags] if isinstance(tags, (list, tuple)) else str(tags)
    return fields


def _slug(key: str) -> str:
    """Return a name that a key always has, and no other key."""
    words = re.sub(r"[^\w.-]+", "-", re.sub(r"^[a-z]+://", "", key)).strip("-.")
    return f"{words[-60:].strip('-.')}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
